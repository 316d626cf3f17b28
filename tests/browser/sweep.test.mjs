// Sweeps on the page: over one field and two, over seeds, to a frontier; cancelled, opened as variants, and as files
// exchanged with the native program.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { axe, WIDE } from './harness.mjs';
import { drawn, engines, enter, focused, onPage, showTab, shows, temporaryFolder, until } from './people.mjs';

const SMALL = '24 machines';
const BUCKETS = 'rules.BestFit.buckets';
const AGENTS = 'agents.count';
const MEASURES = 6;

/** The native program, if it was built with the page. */
const TARGET = process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL('../../target', import.meta.url));
const PROGRAM = ['debug', 'release'].map((profile) => path.join(TARGET, profile, 'tiebreak')).find(fs.existsSync);

class Panel {
  constructor(page) {
    this.page = page;
    this.region = page.getByRole('region', { name: 'Sweep', exact: true });
  }

  open() {
    return showTab(this.page, 'Sweep');
  }

  async set(which, field, values) {
    await this.region.getByRole('combobox', { name: which, exact: true }).selectOption(field);
    await enter(this.values(which), values);
  }

  values(which) {
    return this.region.getByRole('textbox', { name: `Values of ${which.toLowerCase()}`, exact: true });
  }

  get seeds() {
    return this.region.getByRole('spinbutton', { name: 'Seeds per point' });
  }

  async setSeeds(count) {
    await enter(this.seeds, count);
  }

  button(name) {
    return this.region.getByRole('button', { name, exact: true });
  }

  /** Runs it, and waits until it reports this many finished runs. */
  async run(runs, seeds) {
    await this.button('Run the sweep').click();
    await this.region.getByText(`${runs} of ${runs} runs, ${seeds}`).waitFor({ timeout: 150_000 });
  }

  /** The rows of the table, without the button at their end. */
  rows() {
    const rows = this.region.getByRole('region', { name: 'Sweep: data table' }).locator('tbody tr');
    return rows.evaluateAll((all) => all.map((row) => [...row.cells].slice(0, -1).map((cell) => cell.textContent)));
  }

  /** The file that a button saves. */
  async saved(name) {
    const [download] = await Promise.all([this.page.waitForEvent('download'), this.button(name).click()]);
    return { name: download.suggestedFilename(), text: fs.readFileSync(await download.path(), 'utf8') };
  }
}

/** The page with the smallest preset and the panel open. */
function onPanel(options, body) {
  return onPage({ ...WIDE, ...options }, async (session) => {
    await session.hand.choosePreset(SMALL);
    const panel = new Panel(session.page);
    await panel.open();
    await body({ ...session, panel });
  });
}

test('one field over values and seeds fills the table and the chart', () =>
  onPanel({}, async ({ panel }) => {
    await panel.set('Field', BUCKETS, '1, 3, none');
    await panel.setSeeds(2);
    await panel.run(6, 'seeds 1 to 2');
    const rows = await panel.rows();
    assert.deepEqual(rows.map(([value]) => value), ['1', '3', 'none']);
    for (const [, ...cells] of rows) {
      assert.equal(cells.length, MEASURES);
      assert.match(cells[0], /^\d+\.\d\d %(\d+\.\d\d to \d+\.\d\d)?$/);
    }
    const chart = panel.region.getByRole('img', { name: 'Empty hosts, mean by buckets' });
    await chart.first().waitFor();
    const words = await chart.first().locator('text').allTextContents();
    for (const value of ['1', '3', 'none']) assert.ok(words.includes(value), `${value} in ${words}`);
    assert.ok(await chart.first().locator('polygon').count() > 0, 'a band from the lowest to the highest');
  }));

test('two fields give a line each, and two measures a frontier', () =>
  onPanel({}, async ({ panel, page }) => {
    await panel.set('Field', AGENTS, '1..3');
    await panel.set('Second field', BUCKETS, '1, 8');
    await panel.run(6, 'seed 1');
    const rows = await panel.rows();
    assert.deepEqual(rows.map((row) => row.slice(0, 2).join(' ')), ['1 1', '1 8', '2 1', '2 8', '3 1', '3 8']);
    const lines = () => panel.region.locator('.plot svg').evaluate((svg) =>
      [...svg.querySelectorAll('text')].filter((text) => /chart-(live|variant)/.test(text.getAttribute('fill'))).map((text) => text.textContent));
    await shows(async () => (await lines()).sort(), ['1', '8']);
    await panel.region.getByRole('combobox', { name: 'Horizontal axis' }).selectOption({ label: 'Packing density, mean' });
    await page.getByRole('img', { name: 'Empty hosts, mean against packing density, mean' }).first().waitFor();
    await shows(async () => (await lines()).sort(), ['1', '8']);
  }));

test('cancelled midway, it keeps what is done and stops the engines', () =>
  onPage(WIDE, async ({ page }) => {
    const panel = new Panel(page);
    await panel.open();
    // Only the engine of the variant.
    const alone = () => engines(page, 1);
    await alone();
    // Many runs, so that the sweep is not over before it is cancelled.
    await panel.set('Field', AGENTS, '1..60');
    await panel.button('Run the sweep').click();
    await panel.region.getByText(/^([2-9]|[1-9]\d+) of 60 runs, seed 1$/).waitFor();
    await until(() => page.workers().length > 1, 'engines of its own');
    await panel.button('Cancel').click();
    await panel.region.getByText(/^\d+ of 60 runs, stopped, seed 1$/).waitFor();
    const rows = await panel.rows();
    const done = rows.filter((row) => row.length === MEASURES + 1);
    assert.ok(done.length >= 2 && done.length < 60, `${done.length} rows`);
    assert.ok(rows.filter((row) => row.length === 2).every((row) => row[1] === 'not run'));
    await alone();
    assert.equal((await panel.saved('Save rows')).text.trim().split('\n').length, done.length + 1);
    await panel.button('Clear').click();
    await panel.region.getByRole('table').waitFor({ state: 'detached' });
  }));

test('a point opens as a variant with its value', () =>
  onPanel({}, async ({ panel, page, hand }) => {
    await panel.set('Field', BUCKETS, '1, 8');
    await panel.run(2, 'seed 1');
    await hand.runs(() => panel.button('Open 8 as a variant').click());
    await shows(() => hand.button('Variant B').getAttribute('aria-pressed'), 'true');
    assert.equal(await hand.bucketsOf('BestFit').inputValue(), '8');
    const change = page.getByRole('region', { name: 'Differences' }).getByRole('rowheader', { name: BUCKETS });
    await change.waitFor();
  }));

test('what is too much or no value is refused with a sentence', () =>
  onPanel({}, async ({ panel, page }) => {
    for (const [values, said] of [
      ['1..1000000', 'agents.count: expected at most 100000 values'],
      ['1..1000', 'expected at most 400 runs'],
      ['4, x', 'expected a whole number from 1 to 64'],
      ['1 .. many', 'expected a range such as 1..8'],
    ]) {
      await panel.set('Field', AGENTS, values);
      await panel.button('Run the sweep').click();
      await page.getByText(said).waitFor();
      await drawn(page);
      assert.equal(await panel.region.getByRole('table').count(), 0, values);
    }
  }));

test('a plan saved and opened again is the same, and so are its rows', (t) =>
  onPanel({}, async ({ panel, page, hand }) => {
    await panel.set('Field', BUCKETS, '1, 3, none');
    await panel.set('Second field', 'agents.publish_ms', '0..4000 count 3');
    await panel.setSeeds(2);
    const plan = await panel.saved('Save plan');
    assert.equal(plan.name, 'sweep.json');
    await panel.run(18, 'seeds 1 to 2');
    const rows = await panel.saved('Save rows');
    assert.equal(rows.text.trim().split('\n').length, 19);
    assert.deepEqual(await panel.saved('Save their sweep plan'), plan);

    if (PROGRAM) {
      const file = path.join(temporaryFolder(), plan.name);
      fs.writeFileSync(file, plan.text);
      const native = execFileSync(PROGRAM, ['sweep', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      assert.equal(rows.text, native, `of ${PROGRAM}; where it is old: cargo build -p tiebreak-cli`);
    }

    // Another scenario and panel; the file restores both.
    await hand.setBuckets('BestFit', 8);
    await panel.set('Field', AGENTS, '1, 2');
    await panel.set('Second field', '', '');
    await panel.setSeeds(1);
    const give = (text) => hand.giveFile({ name: 'sweep.json', mimeType: 'application/json', buffer: Buffer.from(text) });
    await hand.runs(() => give(plan.text));
    assert.equal(await hand.bucketsOf('BestFit').inputValue(), '3');
    assert.equal(await panel.values('Field').inputValue(), '1, 3, none');
    assert.equal(await panel.values('Second field').inputValue(), '0..4000 count 3');
    assert.equal(await panel.seeds.inputValue(), '2');
    assert.deepEqual(await panel.saved('Save plan'), plan);
    await panel.run(18, 'seeds 1 to 2');
    assert.deepEqual(await panel.saved('Save rows'), rows);
    await hand.runs(() => hand.button('Undo').click());
    assert.equal(await hand.bucketsOf('BestFit').inputValue(), '8');

    // An error in a file is reported by its field, and changes nothing.
    await give(plan.text.replace('"agents.publish_ms"', '"agents.publish"'));
    await page.getByText(/parameters\[1\]\.path: expected .*, got no field "agents\.publish"/).waitFor();
    assert.equal(await hand.bucketsOf('BestFit').inputValue(), '8');
  }));

test('a plan with more than the page sweeps says what it leaves out', () =>
  onPage(WIDE, async ({ page, hand }) => {
    const parameters = [AGENTS, 'best_clusters', BUCKETS].map((field) => ({ path: field, values: [1, 2] }));
    const text = JSON.stringify({ scenario: 'small', parameters, seeds: 2, measures: ['vms', 'conflicts'] });
    await hand.runs(() => hand.giveFile({ name: 'three.json', mimeType: 'application/json', buffer: Buffer.from(text) }));
    await page.getByText(/expected at most 2 on the page, got 3; dropped rules\.BestFit\.buckets/).waitFor();
    const panel = new Panel(page);
    await panel.run(8, 'seeds 1 to 2');
    const [header] = (await panel.saved('Save rows')).text.split('\n');
    assert.equal(header, 'number,agents.count,best_clusters,seed,digest,vms,conflicts');
  }));

test('without a mouse', () =>
  onPage(WIDE, async ({ page, hand }) => {
    await hand.choosePreset(SMALL);
    const panel = new Panel(page);
    await page.getByRole('tab', { name: 'Workload' }).focus();
    for (const key of ['Enter', 'ArrowRight']) await page.keyboard.press(key);
    await panel.region.getByRole('combobox', { name: 'Field', exact: true }).focus();
    const field = panel.region.getByRole('combobox', { name: 'Field', exact: true });
    const fields = await field.locator('option').count();
    for (let step = 0; step < fields && (await field.inputValue()) !== BUCKETS; step += 1) {
      await page.keyboard.press('ArrowDown');
      await drawn(page);
    }
    assert.equal(await field.inputValue(), BUCKETS);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('1, 8');
    const tabTo = async (name, presses) => {
      for (let press = 0; press < presses; press += 1) {
        await page.keyboard.press('Tab');
        await drawn(page);
      }
      assert.equal(await focused(page), name);
    };
    await tabTo('Seeds per point', 3);
    await page.keyboard.press('ArrowUp');
    await tabTo('Run the sweep', 1);
    await page.keyboard.press('Enter');
    await panel.region.getByText('4 of 4 runs, seeds 1 to 2').waitFor({ timeout: 150_000 });
    await panel.button('Open 1 as a variant').focus();
    await hand.runs(() => page.keyboard.press('Enter'));
    assert.equal(await hand.bucketsOf('BestFit').inputValue(), '1');
  }));

for (const dark of [false, true]) {
  test(`axe finds nothing in a sweep, ${dark ? 'dark' : 'light'}`, () =>
    onPanel({ dark }, async ({ panel, page }) => {
      await panel.set('Field', BUCKETS, '1, none');
      await panel.setSeeds(2);
      await panel.run(4, 'seeds 1 to 2');
      assert.deepEqual(await axe(page), []);
    }));
}
