// The same run in the browser and natively, in turns; `cargo xtask bench` calls this.
//
// Both sides time one run of a preset: creating the world (with its warm start) and running to its end. Neither
// counts creating the workload: the browser keeps it from its first run, which is shown separately. The browser's
// time also includes what the page needs of a run: reading the scenario, frames of the fleet map, progress reports.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileAsForPeople } from './harness.mjs';
import { onPage } from './people.mjs';

const TOP = fileURLToPath(new URL('../..', import.meta.url));
const NATIVE = path.join(process.env.CARGO_TARGET_DIR ?? path.join(TOP, 'target'), 'release/tiebreak');
const PRESET = { id: 'zone-10k', title: 'A zone of 10,000 machines' };
const ROUNDS = process.argv.includes('--quick') ? 1 : 5;
const RATIO_MAX = 1.2;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const seconds = (values) => values.map((value) => value.toFixed(2)).join(', ');

function native() {
  const { wall_ms: wallMs, digest, vms } = JSON.parse(execFileSync(NATIVE, ['run', '--preset', PRESET.id, '--json']));
  return { seconds: wallMs / 1000, digest, vms };
}

const inSeconds = (said) => Number(said.match(/^Done: .* in ([\d.]+) s/)[1]);

async function main() {
  compileAsForPeople();
  if (!fs.existsSync(NATIVE)) throw new Error(`${NATIVE} is missing; run \`cargo xtask bench\``);
  const times = { native: [], browser: [] };
  await onPage({}, async ({ hand, page }) => {
    page.setDefaultTimeout(120_000);
    const first = inSeconds(await hand.choosePreset(PRESET.title));
    let reference;
    for (let round = 0; round < ROUNDS; round += 1) {
      reference = native();
      times.native.push(reference.seconds);
      times.browser.push(inSeconds(await hand.runs(() => hand.runAgain())));
    }
    const digest = await hand.digest();
    if (digest !== reference.digest) throw new Error(`the browser's digest is ${digest}, not ${reference.digest}`);
    const ratio = median(times.browser) / median(times.native);
    console.log(`${PRESET.id}, ${reference.vms} VMs, digest ${digest} on both sides`);
    console.log(`native    ${seconds(times.native)} s, median ${median(times.native).toFixed(2)} s`);
    console.log(`Chromium  ${seconds(times.browser)} s, median ${median(times.browser).toFixed(2)} s ` +
      `(first, with making the workload: ${first.toFixed(2)} s)`);
    const best = Math.min(...times.browser) / Math.min(...times.native);
    console.log(`wasm takes ${ratio.toFixed(2)} times as long as native, by the best runs ${best.toFixed(2)} times; ` +
      `the bar is ${RATIO_MAX}`);
  });
}

await main();
