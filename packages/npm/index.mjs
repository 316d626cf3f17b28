// Runs scenarios in a worker, in Node.js and in browsers.

const IN_NODE = typeof process === "object" && Boolean(process.versions?.node);

/** How deep a document may go: deeper than any does. */
const DEPTH_MAX = 32;

/** The promise of the worker, which the first question makes. */
let worker;

/** Who waits for an answer, by the question's number. */
const waiting = new Map();
let asked = 0;

async function made() {
  const address = new URL("./worker.mjs", import.meta.url);
  if (IN_NODE) {
    const { Worker } = await import("node:worker_threads");
    const made = new Worker(address);
    // A program that waits for nothing ends, although the worker could go on.
    made.unref();
    made.on("message", heard);
    made.on("error", failed);
    return made;
  }
  const made = new Worker(address, { type: "module" });
  made.onmessage = (event) => heard(event.data);
  made.onerror = (event) => failed(new Error(event.message || "expected the worker of tiebreak to start, got an error; serve the package's files together"));
  return made;
}

function heard({ number, done, all, answer, wrong }) {
  const who = waiting.get(number);
  if (done !== undefined) return who?.progress?.(done, all);
  waiting.delete(number);
  if (IN_NODE && waiting.size === 0) worker?.then((it) => it.unref());
  if (wrong === undefined) who?.resolve(answer);
  else who?.reject(new TypeError(wrong));
}

/** Ends the worker. The next call makes another one; results of this one answer no more. */
function failed(error) {
  const ended = worker;
  worker = undefined;
  for (const who of waiting.values()) who.reject(error);
  waiting.clear();
  return ended?.then((it) => it.terminate());
}

function ask(what, progress) {
  worker ??= made();
  asked += 1;
  const number = asked;
  return new Promise((resolve, reject) => {
    waiting.set(number, { resolve, reject, progress });
    worker.then((to) => {
      // It may have ended since.
      if (!waiting.has(number)) return;
      if (IN_NODE) to.ref();
      to.postMessage({ number, ...what });
    }).catch(reject);
  });
}

/** Results that are gone give their run back. */
const kept = new FinalizationRegistry(({ id, of }) => worker === of && of.then((it) => it.postMessage({ drop: id })));

/** What came out of a run. */
export class Result {
  #id;
  #of;

  constructor(id, { digest, figures, warnings }) {
    this.#id = id;
    this.#of = worker;
    this.digest = digest;
    this.figures = figures;
    this.warnings = warnings;
    kept.register(this, { id, of: worker });
  }

  /** Every metric over time: `time_ms`, and `values` by the metrics' ids. */
  series() {
    return this.#ask({ series: true });
  }

  /** The story of a VM, rule by rule; `text` has it in words. */
  async explain(vm, machine) {
    return this.#ask({ explain: [whole("vm", vm), machine == null ? undefined : whole("machine", machine)] });
  }

  /** A metric over time as SVG, of a size in px. */
  async chart(metric = "PackingDensity", { width = 720, height = 200 } = {}) {
    return this.#ask({ chart: [text("metric", metric), whole("width", width, 100, 10_000), whole("height", height, 100, 10_000)] });
  }

  async #ask(what) {
    if (worker !== this.#of) throw new Error("expected the worker of this result, got none: it has ended; run the scenario again");
    return ask({ of: this.#id, ...what });
  }
}

/**
 * Runs a scenario: a preset's name, a link, or a document. A trace is `{ name, text }` or `{ name, bytes }`, with
 * `columns` that rename; without a scenario it runs on the machines and rules of the first preset.
 */
export async function run(scenario, options) {
  const { progress, ...question } = questionOf(scenario, options);
  const { id, ...answer } = await ask({ run: question }, progress);
  return new Result(id, answer);
}

/** What other fields would change, over paired seeds with 95 % intervals: `sets` of fields, or named `plans`. */
export async function compare(scenario, { sets = [], plans = [], seeds = 8, ...options } = {}) {
  const { progress, ...question } = questionOf(scenario, options);
  question.asked.sets = list("sets", sets).map((set, nth) => fields(`sets[${nth}]`, set));
  question.asked.plans = list("plans", plans).map((plan, nth) => text(`plans[${nth}]`, plan));
  question.asked.seeds = whole("seeds", seeds, 1, 64);
  return ask({ compare: question }, progress);
}

/** Ends the worker; results of its runs answer no more. */
export async function end() {
  await failed(new Error("expected an answer, got none: end() was called; ask again"));
}

function questionOf(scenario, options = {}) {
  if (options === null || typeof options !== "object") throw wrong("options", "an object", options);
  const { set = {}, variant, trace, progress, ...others } = options;
  const other = Object.keys(others)[0];
  if (other !== undefined) throw wrong(`options.${other}`, "one of set, variant, trace and progress", others[other]);
  const asked = { set: fields("set", set) };
  if (variant !== undefined) asked.variant = text("variant", variant);
  if (progress !== undefined && typeof progress !== "function") throw wrong("progress", "a function", progress);
  const question = { scenario: plain("scenario", scenario), asked, progress };
  if (trace === undefined) return question;
  const { bytes, ...named } = file(trace);
  return { ...question, asked: { ...asked, ...named }, trace: bytes };
}

function wrong(field, expected, value) {
  let got;
  try {
    got = typeof value === "string" ? JSON.stringify(value) : String(value);
  } catch {
    got = typeof value;
  }
  return new TypeError(`${field}: expected ${expected}, got ${got.slice(0, 60)}; pass ${expected}`);
}

function text(field, value) {
  if (typeof value !== "string") throw wrong(field, "a text", value);
  return value;
}

function whole(field, value, least = 0, most = Number.MAX_SAFE_INTEGER) {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw wrong(field, `a whole number from ${least} to ${most}`, value);
}

function list(field, value) {
  if (!Array.isArray(value)) throw wrong(field, "a list", value);
  return value;
}

/** What a document is made of; anything else would change on its way to the engine. */
function plain(field, value, depth = 0) {
  if (value === undefined || value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  const kind = typeof value === "object" && Object.getPrototypeOf(value);
  if (!Array.isArray(value) && kind !== null && kind !== Object.prototype) {
    throw wrong(field, "texts, finite numbers, true, false, null, lists and objects", value);
  }
  if (depth === DEPTH_MAX) throw wrong(field, `at most ${DEPTH_MAX} levels`, value);
  for (const [name, part] of Object.entries(value)) plain(`${field}.${name}`, part, depth + 1);
  return value;
}

function fields(field, set) {
  if (set === null || typeof set !== "object" || Array.isArray(set)) throw wrong(field, "an object of fields and values", set);
  return plain(field, set);
}

function file(trace) {
  if (trace === null || typeof trace !== "object") throw wrong("trace", "an object with text or bytes", trace);
  const { name = "", text: content, bytes, columns = {}, ...others } = trace;
  const other = Object.keys(others)[0];
  if (other !== undefined) throw wrong(`trace.${other}`, "one of name, text, bytes and columns", others[other]);
  if (bytes !== undefined && !(bytes instanceof Uint8Array)) throw wrong("trace.bytes", "a Uint8Array", bytes);
  const renamed = Object.entries(fields("trace.columns", columns)).map(([ours, theirs]) => [ours, text(`trace.columns.${ours}`, theirs)]);
  const read = bytes ?? new TextEncoder().encode(text("trace.text", content));
  return { name: text("trace.name", name), bytes: read, columns: Object.fromEntries(renamed) };
}
