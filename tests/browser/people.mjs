// What people do on the page and see there, by role and accessible name, for the tests of the whole page.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { inChromium } from './harness.mjs';

/** A preference of the default list, and one below which it can be moved. */
export const RULE = 'PreferNonEmptyMachines';
export const BELOW = 'BestFit';
/** What an old tab says of a new build. */
export const NEWS = 'There is a new version of this page';
export const CHARTS = ['Empty hosts', 'Packing density', 'Conflicts'];

const FIXTURES = fileURLToPath(new URL('../../crates/trace/fixtures', import.meta.url));
export const CORPUS = fileURLToPath(new URL('../../crates/scenario/corpus', import.meta.url));

/** Digests that the native engine, Chromium and Firefox must all give, by preset. */
export const GOLDEN = JSON.parse(fs.readFileSync(new URL('golden.json', import.meta.url), 'utf8'));

export const packingCut = () => fs.readFileSync(path.join(FIXTURES, 'packing-cut.csv.gz'));

/** A link of the corpus, as what follows the page's address: `bad/unknown-rule`. */
export const corpusLink = (name) => `#${fs.readFileSync(path.join(CORPUS, `${name}.link`), 'utf8').trim()}`;

/** A trace that no page brings along: the built-in cut, but for the size of one VM. */
export function foreignTrace() {
  const lines = zlib.gunzipSync(packingCut()).toString().split('\n');
  const fields = lines[5000].split(',');
  fields[2] = fields[2] === '2' ? '4' : '2';
  lines[5000] = fields.join(',');
  return { name: 'another-cut.csv.gz', mimeType: 'application/gzip', buffer: zlib.gzipSync(lines.join('\n')) };
}

/** A folder until this file's tests are over; one that a browser still writes to then is left to the system. */
export function temporaryFolder() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tiebreak-'));
  process.once('exit', () => { try { fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }); } catch {} });
  return folder;
}

/** The page in Chromium, after its first run, or what else it comes to rest with. */
export function onPage(options, body) {
  return inChromium({ prepare: ({ context }) => listenToStatus(context), ...options }, async (session) => {
    session.page.setDefaultTimeout(10_000);
    await settled(session.page, 0);
    await body({ ...session, hand: new Hand(session.page) });
  });
}

/** From now on every page of this context keeps what its run status said, and when. */
export function listenToStatus(context) {
  return context.addInitScript(() => {
    window.said = [];
    new MutationObserver(() => {
      const text = document.querySelector('[role=status]')?.textContent;
      if (text && text !== window.said.at(-1)?.text) window.said.push({ text, at: performance.now() });
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
}

const AT_REST = '^(Done|Waiting for|Paused|Expected|The engine stopped)';

/** Waits until the status has come to rest with an entry after the first `before` ones; gives what it says. */
export async function settled(page, before, rest = AT_REST) {
  const entry = await page.waitForFunction(
    ([from, words]) => {
      const said = window.said.slice(from);
      const last = said.at(-1);
      return last && new RegExp(words).test(last.text) ? last.text : null;
    },
    [before, rest],
    { timeout: 40_000 },
  ).catch(async (error) => {
    const said = await page.evaluate(() => window.said.map(({ text }) => text));
    throw new Error(`the status never came to "${rest}"; it said: ${said.slice(-6).join(' | ')} (${error.message})`);
  });
  return entry.jsonValue();
}

/** A person at the page. */
export class Hand {
  constructor(page) {
    this.page = page;
    this.status = page.getByRole('status', { name: 'Run status' });
    this.rules = page.getByRole('list', { name: 'Rules' });
    this.traceFile = page.getByLabel('Trace file', { exact: true });
    this.alert = page.getByRole('alert');
    this.name = page.getByRole('textbox', { name: 'Scenario name' });
  }

  button(name) {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** The button that draws a side out, on narrow screens. */
  drawer(name) {
    return this.page.getByRole('banner').getByRole('button', { name, exact: true });
  }

  handle(rule) {
    return this.button(`Move ${rule}`);
  }

  bucketsOf(rule) {
    return this.page.getByRole('combobox', { name: `Buckets for ${rule}` });
  }

  figure(name) {
    return this.page.getByRole('figure', { name, exact: true });
  }

  picture(name) {
    return this.figure(name).getByRole('img', { name, exact: true });
  }

  /** Does something that starts a run, and waits for what comes of it. */
  async runs(action) {
    const before = await this.page.evaluate(() => window.said.length);
    await action();
    return settled(this.page, before);
  }

  setBuckets(rule, buckets) {
    return this.runs(() => this.bucketsOf(rule).selectOption(String(buckets)));
  }

  async setNumber(label, value) {
    const field = this.page.getByRole('spinbutton', { name: label });
    if (!(await field.isVisible())) await this.openCluster();
    await field.fill(String(value));
    await field.press('Tab');
  }

  async openCluster() {
    await this.page.getByRole('region', { name: 'Machines' }).locator('summary').first().click();
  }

  choosePreset(title) {
    return this.runs(() => this.page.getByRole('combobox', { name: 'Open a preset' }).selectOption({ label: title }));
  }

  giveFile(file) {
    return this.traceFile.setInputFiles(file);
  }

  async moveByMenu(rule, item) {
    await this.handle(rule).click();
    await this.page.getByRole('menuitem', { name: item, exact: true }).click();
  }

  /** Drags a rule's handle to the lower half of another rule's row. */
  async dragBelow(rule, other) {
    await this.handle(rule).scrollIntoViewIfNeeded();
    const from = await this.handle(rule).boundingBox();
    const to = await this.handle(other).boundingBox();
    const x = from.x + from.width / 2;
    await this.page.mouse.move(x, from.y + from.height / 2);
    await this.page.mouse.down();
    const end = to.y + to.height * 0.9;
    for (let step = 1; step <= 6; step += 1) {
      await this.page.mouse.move(x, from.y + ((end - from.y) * step) / 6);
    }
    await this.page.mouse.up();
  }

  /** The rules in their order. */
  async order() {
    const names = await this.rules.getByRole('button', { name: /^Move / }).evaluateAll((handles) =>
      handles.map((handle) => handle.getAttribute('aria-label').slice('Move '.length)));
    return names;
  }

  async isBelow(rule, other) {
    const order = await this.order();
    return order.indexOf(rule) > order.indexOf(other);
  }

  async digest() {
    const text = await this.page.getByText(/digest [0-9a-f…]+/).textContent();
    return text.match(/digest ([0-9a-f…]+)/)[1];
  }

  /** The data table of a chart, its head first; it stays open. */
  async table(chart) {
    const table = this.figure(chart).getByRole('region', { name: `${chart}: data table` });
    if (!(await table.count())) await this.figure(chart).getByRole('button', { name: 'Show data table' }).click();
    await table.waitFor();
    return table.getByRole('row').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  }

  /** What the three charts show of the run on screen, without the run it is compared with. */
  async numbers() {
    const shown = {};
    for (const chart of CHARTS) {
      const [head, ...rows] = await this.table(chart);
      const now = head.findIndex((name) => name.startsWith('now'));
      shown[chart] = rows.map((row) => row[now]).join(' ');
    }
    return shown;
  }

  async pictures() {
    const drawn = {};
    for (const chart of CHARTS) drawn[chart] = await this.picture(chart).innerHTML();
    return drawn;
  }

  async link() {
    await this.button('Share').click();
    const link = await this.page.getByRole('textbox', { name: 'Link', exact: true }).inputValue();
    await this.page.keyboard.press('Escape');
    return link;
  }

  /** The drafts in this browser's storage, oldest first. */
  drafts() {
    return this.page.evaluate(() => Object.keys(localStorage)
      .filter((key) => key.startsWith('tiebreak.draft.'))
      .map((key) => JSON.parse(localStorage.getItem(key)))
      .sort((a, b) => a.saved_at - b.saved_at)
      .map(({ document }) => document));
  }
}

/** Waits until a service worker keeps the page and answers for this tab. */
export async function kept(page) {
  await page.waitForFunction(async () => (await navigator.serviceWorker.getRegistration())?.active?.state === 'activated');
  await page.waitForFunction(() => navigator.serviceWorker.controller);
}

/** The next tab of a session, and a person at it. */
export async function openTab({ context }, address) {
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(address);
  await settled(page, 0);
  return { page, hand: new Hand(page) };
}

/** Fails unless the page still does its job: an edit runs through, and the page has a new result. */
export async function worksOn(hand) {
  const chosen = await hand.bucketsOf(BELOW).inputValue();
  const said = await hand.setBuckets(BELOW, chosen === '2' ? 4 : 2);
  assert.match(said, /^Done: /);
  assert.match(await hand.digest(), /^[0-9a-f]{16}$/);
}
