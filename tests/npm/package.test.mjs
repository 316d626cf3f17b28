// The packed tarball in a fresh project: in Node.js, in Chromium and in Firefox.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { openChromium, openFirefox, until } from "../browser/harness.mjs";

const TARBALL = resolve(process.env.TIEBREAK_TARBALL ?? "target/npm/tiebreak-0.1.0.tgz");
const DEFAULT = JSON.parse(readFileSync(new URL("../browser/golden.json", import.meta.url), "utf8")).default;

/** Ten lines, as people write them. */
const SCRIPT = `import { compare, run } from "tiebreak";
const result = await run("default");
console.log(result.digest);
console.log(Object.entries(result.figures).map(([name, value]) => name + " " + value).join(", "));
const series = await result.series();
console.log(series.time_ms.length, series.values.EmptyHosts.length);
const story = await result.explain(Number(process.argv[2]));
console.log(story.text.split("\\n")[0]);
console.log((await compare("small", { sets: [{ "agents.count": 1 }], seeds: 2 })).text.split("\\n")[0]);
console.log((await result.chart("EmptyHosts")).slice(0, 4));
`;

/** The same in TypeScript, and what a checker of types must refuse. */
const TYPED = `import { compare, end, run, type Result } from "tiebreak";
import type { TiebreakChart } from "tiebreak/chart";
const result: Result = await run("default", { set: { seed: 7 }, progress: (done: number, all: number) => done / all });
const hours: number | null = result.figures.machine_hours;
const values: (number | null)[] = (await result.series()).values.EmptyHosts;
const rule: string = (await result.explain(3)).decisions[0].steps[0].rule;
const low: number | null = (await compare("small", { seeds: 2 })).compared[0].differences[0].low;
const svg: string = await result.chart("PackingDensity", { width: 300 });
const chart: TiebreakChart = document.createElement("tiebreak-chart");
console.log(hours, values, rule, low, svg, chart.result?.digest);
await end();
// @ts-expect-error not a metric
await result.chart("Nonesuch");
// @ts-expect-error not a number
await result.explain("3");
// @ts-expect-error not a figure
console.log(result.figures.nonesuch);
`;

/** A VM of the default preset. */
const VM = 1372181;

let project;
let tiebreak;

before(async () => {
  project = mkdtempSync(join(tmpdir(), "tiebreak-npm-"));
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  execFileSync("npm", ["install", "--no-fund", "--no-audit", "--offline", TARBALL], { cwd: project });
  tiebreak = await import(pathToFileURL(join(project, "node_modules/tiebreak/index.mjs")));
});

after(async () => {
  await tiebreak?.end();
  rmSync(project, { recursive: true });
});

test("a ten-line script prints figures and the digest of the native program", () => {
  writeFileSync(join(project, "script.mjs"), SCRIPT);
  const said = execFileSync("node", ["script.mjs", String(VM)], { cwd: project, encoding: "utf8" }).split("\n");
  assert.equal(said[0], DEFAULT);
  assert.match(said[1], /\bplacements \d+,/);
  assert.match(said[1], /\bempty_hosts_pct_mean [\d.]+,/);
  assert.match(said[2], /^(\d+) \1$/);
  assert.match(said[3], new RegExp(`^VM ${VM}\\b`));
  assert.match(said[4], /2 seeds/);
  assert.equal(said[5], "<svg");
});

test("a trace, fields, a document and a link are what the program makes of them", async () => {
  const told = [];
  const result = await tiebreak.run("small", { progress: (done, all) => told.push([done, all]) });
  const [done, all] = told.at(-1);
  assert.ok(done === all && all > 0);
  const other = await tiebreak.run("small", { set: { "agents.caches": false } });
  assert.equal(other.digest, result.digest, "caches change no decision");
  assert.notEqual((await tiebreak.run("small", { set: { seed: 7 } })).digest, result.digest);
  const [document, set] = [await tiebreak.run({ version: 3, variants: [{ seed: 7 }] }), await tiebreak.run({ version: 3, variants: [{}] }, { set: { seed: 7 } })];
  assert.equal(document.digest, set.digest, "a document says what fields say");
  const text = "cores,memory_gib,start_s,end_s\n1,4,0,100\n2,8,10,200\n";
  const bytes = new TextEncoder().encode(text.replace("cores", "vcpus"));
  const [own, renamed] = await Promise.all([
    tiebreak.run(undefined, { trace: { text } }),
    tiebreak.run(undefined, { trace: { bytes, columns: { cores: "vcpus" } } }),
  ]);
  assert.equal(own.digest, renamed.digest);
  assert.equal(own.figures.placements, 2);
  const story = await own.explain(1);
  assert.equal(story.vm, 1);
  assert.equal(typeof story.decisions[0].steps[0].after, "number");
});

test("what other fields change comes with intervals", async () => {
  const found = await tiebreak.compare("small", { sets: [{ "agents.count": 1 }], plans: ["neighbours:seed"], seeds: 3 });
  assert.deepEqual(found.seeds.length, 3);
  assert.equal(found.compared[0].set, "agents.count=1");
  const [first] = found.compared[0].differences;
  assert.ok(first.low <= first.mean && first.mean <= first.high);
});

test("end() lets nobody wait, and the next call makes a new worker", async () => {
  const result = await tiebreak.run("small");
  const waits = result.series();
  await Promise.all([assert.rejects(waits, /end\(\) was called/), tiebreak.end()]);
  await assert.rejects(result.series(), /run the scenario again/);
  assert.equal((await tiebreak.run("small")).digest, result.digest);
});

test("types are those of the calls, for a strict checker", () => {
  writeFileSync(join(project, "typed.mts"), TYPED);
  const tsc = resolve("tests/node_modules/typescript/bin/tsc");
  const strict = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", "typed.mts"];
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...strict], { cwd: project, encoding: "utf8" });
  assert.equal(status, 0, stdout);
});

/** A generator of numbers that a seed repeats (mulberry32). */
function drawn(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

test("100 generated bad calls are refused with a sentence, and the worker goes on", async () => {
  const small = await tiebreak.run("small");
  const endless = {};
  endless.endless = endless;
  for (let seed = 0; seed < 100; seed += 1) {
    const chance = drawn(seed);
    const pick = (...list) => list[Math.floor(chance() * list.length)];
    const odd = () => pick(NaN, -Infinity, Symbol("s"), () => 1, [[]], 5n, new Date(NaN), -1, true, "\ud800", endless);
    const variant = () => pick({ agents: { count: pick(0, -1, NaN, "many", [], 65) } }, { rules: [{ rule: pick("Nonesuch", "") }] }, { nonsense: 1 }, { seed: pick(-1, 1.5, "x") });
    const call = pick(
      () => tiebreak.run(pick("nonesuch", "#3.d.abc", "{", odd())),
      () => tiebreak.run({ version: 3, variants: [variant()] }),
      () => tiebreak.run("small", { set: pick(odd(), null, { "agents.cuont": 1 }, { "agents.count": pick(0, NaN, "many", [], {}) }, { "rules.Nonesuch.on": true }) }),
      () => tiebreak.run("small", { variant: pick("Z", odd(), null) }),
      () => tiebreak.run("small", { progress: pick(5, "bar", {}) }),
      () => tiebreak.run(null, { trace: pick(odd(), null, {}, { text: "" }, { text: "a,b\n1,2\n" }, { text: 5 }, { bytes: [1, 2] }, { bytes: new Uint8Array(9) }, { text: "cores,memory_gib\nmuch,4\n" }, { text: "x", rows: 1 }) }),
      () => small.explain(pick(-1, 1e15, 1.5, NaN, "1", undefined, odd())),
      () => small.explain(0, pick(-1, 1e12, 1.5, NaN, "1")),
      () => small.chart(pick("Nonesuch", "", 5, NaN, odd())),
      () => small.chart("EmptyHosts", { width: pick(0, -1, 1e9, NaN, "wide") }),
      () => tiebreak.compare("small", pick({}, { sets: odd() }, { sets: [odd()] }, { plans: ["no"] }, { plans: [5] }, { sets: [{ seed: 3 }], seeds: pick(0, 65, 1.5, NaN, "2") })),
    );
    await assert.rejects(
      async () => call(),
      (error) => {
        assert.ok(error instanceof TypeError, `seed ${seed}: ${error.stack}`);
        assert.ok(error.message.length > 15 && !error.message.includes("unreachable"), `seed ${seed}: ${error.message}`);
        return true;
      },
      `seed ${seed}`,
    );
  }
  assert.match(await small.chart(), /^<svg/, "the worker is the same one");
});

const TYPES = { ".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
const PAGE = `<!doctype html><title>A page of one's own</title>
<script type="module" src="/node_modules/tiebreak/chart.mjs"></script>
<tiebreak-chart scenario="default" metric="EmptyHosts"></tiebreak-chart>
<tiebreak-chart scenario="nonesuch" id="wrong"></tiebreak-chart>`;

const SHOWN = `(() => {
  const [right, wrong] = document.querySelectorAll("tiebreak-chart");
  if (!right?.result || !wrong.textContent) return null;
  return JSON.stringify([right.result.digest, right.querySelector("svg").getAttribute("aria-label"), wrong.textContent]);
})()`;

/** The address of a page with the element, and what ends its server. */
async function served() {
  writeFileSync(join(project, "index.html"), PAGE);
  const server = createServer((request, response) => {
    const path = request.url === "/" ? "/index.html" : request.url.split("?")[0];
    try {
      const content = readFileSync(join(project, path));
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/plain" }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((listening) => { server.listen(0, "127.0.0.1", listening); });
  return { address: `http://127.0.0.1:${server.address().port}/`, end: () => server.close() };
}

function isShown(text) {
  const [digest, label, wrong] = JSON.parse(text);
  assert.equal(digest, DEFAULT);
  assert.match(label, /^Empty hosts/);
  assert.match(wrong, /expected a preset/);
}

test("a page in Chromium shows the element", async () => {
  const { address, end } = await served();
  const { page, close } = await openChromium({ view: null });
  try {
    await page.goto(address);
    isShown(await until(() => page.evaluate(SHOWN)));
  } finally {
    await close();
    end();
  }
});

test("a page in Firefox shows the element", async () => {
  const { address, end } = await served();
  const page = await openFirefox(address);
  try {
    isShown(await until(() => page.evaluate(SHOWN)));
  } finally {
    await page.close();
    end();
  }
});
