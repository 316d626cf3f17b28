// <tiebreak-chart scenario="default" metric="PackingDensity">: a metric of a run, drawn on a page of one's own.
// Further attributes: set='{"seed": 7}', width, height. Its events: "tiebreak-run" with the result, "tiebreak-error".

import { run } from "./index.mjs";

class TiebreakChart extends HTMLElement {
  static observedAttributes = ["scenario", "metric", "set", "width", "height"];
  #begun = 0;

  connectedCallback() {
    this.#draw();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#draw();
  }

  /** Draws once for attributes that change together; of several runs the last one counts. */
  async #draw() {
    this.#begun += 1;
    const begun = this.#begun;
    await undefined;
    if (begun !== this.#begun) return;
    this.setAttribute("aria-busy", "true");
    try {
      const set = JSON.parse(this.getAttribute("set") ?? "{}");
      const result = await run(this.getAttribute("scenario") ?? "default", { set });
      const size = (name, usual) => Number(this.getAttribute(name) ?? usual);
      const svg = await result.chart(this.getAttribute("metric") ?? "PackingDensity", { width: size("width", 720), height: size("height", 200) });
      if (begun !== this.#begun) return;
      // The engine's own drawing, whose texts are escaped.
      this.innerHTML = svg;
      this.result = result;
      this.dispatchEvent(new CustomEvent("tiebreak-run", { detail: result, bubbles: true }));
    } catch (error) {
      if (begun !== this.#begun) return;
      this.textContent = error.message;
      this.dispatchEvent(new CustomEvent("tiebreak-error", { detail: error, bubbles: true }));
    }
    this.removeAttribute("aria-busy");
  }
}

customElements.define("tiebreak-chart", TiebreakChart);
