// The engine, in a worker: keeps runs, and answers one question after another.

import init, { compare, run } from "./engine.js";

const IN_NODE = typeof process === "object" && Boolean(process.versions?.node);
const port = IN_NODE ? (await import("node:worker_threads")).parentPort : undefined;
const say = (message) => (port ? port.postMessage(message) : postMessage(message));

/** Milliseconds between two reports of progress. */
const EVERY = 50;

const FAULT = "tiebreak has a fault: please report the scenario and what was called";

/** Runs by the numbers of their questions. */
const runs = new Map();

async function engine() {
  const address = new URL("./engine_bg.wasm", import.meta.url);
  const bytes = IN_NODE ? await (await import("node:fs/promises")).readFile(address) : await fetch(address);
  await init({ module_or_path: bytes });
}

/** What passes reports of progress on, not too often. */
function teller(number) {
  let told = Date.now();
  return (done, all) => {
    if (done < all && Date.now() - told < EVERY) return;
    told = Date.now();
    say({ number, done, all });
  };
}

function answer({ number, run: asked, compare: compared, of, series, explain, chart }) {
  if (asked) {
    const made = run(asked.scenario, asked.asked, asked.trace, teller(number));
    runs.set(number, made);
    return { id: number, digest: made.digest(), figures: made.figures(), warnings: made.warnings() };
  }
  if (compared) return compare(compared.scenario, compared.asked, compared.trace, teller(number));
  const made = runs.get(of);
  if (series) return made.series();
  if (explain) return made.explain(...explain);
  return made.chart(...chart);
}

const ready = engine();

async function hear(message) {
  if (message.drop !== undefined) {
    runs.get(message.drop)?.free();
    runs.delete(message.drop);
    return;
  }
  try {
    await ready;
    say({ number: message.number, answer: answer(message) });
  } catch (error) {
    // After a trap the engine's memory is not to be trusted: the worker ends, and whoever waits hears why.
    if (error instanceof WebAssembly.RuntimeError) setTimeout(() => { throw new Error(FAULT, { cause: error }); });
    else say({ number: message.number, wrong: error?.message ?? String(error) });
  }
}

if (port) port.on("message", hear);
else onmessage = (event) => hear(event.data);
