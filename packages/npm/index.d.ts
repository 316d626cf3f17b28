import type { Figures, MetricName, PresetName, RuleName } from "./declared.js";

export type { Figures, MetricName, PresetName, RuleName };

/** A document: `docs/scenario.schema.json` has its fields. */
export interface Document {
  version?: number;
  variants: object[];
  [field: string]: unknown;
}

/** A file in memory. */
export interface Trace {
  /** Its name helps to recognise the format. */
  name?: string;
  /** Its text, or its bytes, which may be compressed. */
  text?: string;
  bytes?: Uint8Array;
  /** The reader's column names, and those of the table. */
  columns?: Record<string, string>;
}

export interface Options {
  /** Fields by their paths: `{ "agents.count": 2 }`. */
  set?: Record<string, string | number | boolean | null>;
  /** The variant's name; the active one without. */
  variant?: string;
  trace?: Trace;
  /** Hears how many VMs are decided and how many there are. */
  progress?: (done: number, all: number) => void;
}

export interface Series {
  time_ms: number[];
  values: Record<MetricName, (number | null)[]>;
}

/** One decision about a VM. */
export interface Decision {
  time_ms: number;
  outcome: string;
  because: string;
  decided_by: string | null;
  best_set_size: number;
  steps: { rule: string; before: number; after: number }[];
  [field: string]: unknown;
}

/** The story of a VM. */
export interface Story {
  vm: number;
  placed_on: number | null;
  decisions: Decision[];
  /** The story in words. */
  text: string;
  [field: string]: unknown;
}

export class Result {
  private constructor();
  /** Two runs share it only if all their decisions are the same. */
  readonly digest: string;
  readonly figures: Figures;
  /** What makes the figures doubtful, one sentence each. */
  readonly warnings: string[];
  series(): Promise<Series>;
  explain(vm: number, machine?: number): Promise<Story>;
  chart(metric?: MetricName, size?: { width?: number; height?: number }): Promise<string>;
}

/** Runs a scenario: a preset's name, a link, or a document. Rejects with a `TypeError` that says what to correct. */
export function run(scenario?: PresetName | (string & {}) | Document | null, options?: Options): Promise<Result>;

/** A figure's difference: the alternative minus the scenario. */
export interface Difference {
  measure: string;
  mean: number;
  /** The 95 % interval; null with one seed. */
  low: number | null;
  high: number | null;
  /** Whether the interval excludes 0. */
  decided: boolean;
}

export interface Comparison {
  seeds: number[];
  as_it_is: { measure: string; mean: number }[];
  compared: { set: string; differences: Difference[] }[];
  /** The comparison in words. */
  text: string;
}

/** What other fields would change, over paired seeds: `sets` of fields, or `plans` (`each-rule-off`, `neighbours:PATH`). */
export function compare(
  scenario?: PresetName | (string & {}) | Document | null,
  options?: Options & { sets?: Options["set"][]; plans?: string[]; seeds?: number },
): Promise<Comparison>;

/** Ends the worker; results of its runs answer no more. */
export function end(): Promise<void>;
