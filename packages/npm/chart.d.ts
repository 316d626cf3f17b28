import type { Result } from "./index.js";

/** A metric of a run; attributes `scenario`, `metric`, `set` (JSON), `width`, `height`. */
export interface TiebreakChart extends HTMLElement {
  /** The run that is shown, once there is one. */
  readonly result?: Result;
}

declare global {
  interface HTMLElementTagNameMap {
    "tiebreak-chart": TiebreakChart;
  }
}
