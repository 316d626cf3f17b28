// User actions and what users see on the page, by role and accessible name, for the tests of the whole page.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import zlib from 'node:zlib';
import { inChromium, PATIENCE_MS, showTab, until, within } from './harness.mjs';

export { showTab, until };

/** A preference of the default list, and one below which it can be moved. */
export const RULE = 'PreferNonEmptyMachines';
export const BELOW = 'BestFit';
/** The message of an old tab about a new build. */
export const NEWS = 'A new version of this page is available';
export const CHARTS = ['Empty hosts', 'Packing density', 'Conflicts'];

const FIXTURES = fileURLToPath(new URL('../../crates/trace/fixtures', import.meta.url));
export const CORPUS = fileURLToPath(new URL('../../crates/scenario/corpus', import.meta.url));

/** Digests that the native engine, Chromium and Firefox must all give, by preset. */
export const GOLDEN = JSON.parse(fs.readFileSync(new URL('golden.json', import.meta.url), 'utf8'));

export const packingCut = () => fs.readFileSync(path.join(FIXTURES, 'packing-cut.csv.gz'));

/** A link from the corpus, as the part after the page's address: `bad/unknown-rule`. */
export const corpusLink = (name) => `#${fs.readFileSync(path.join(CORPUS, `${name}.link`), 'utf8').trim()}`;

/** A trace that is not built into the page: the built-in excerpt, with another size for one VM. */
export function foreignTrace() {
  const lines = zlib.gunzipSync(packingCut()).toString().split('\n');
  const fields = lines[5000].split(',');
  fields[2] = fields[2] === '2' ? '4' : '2';
  lines[5000] = fields.join(',');
  return { name: 'another-cut.csv.gz', mimeType: 'application/gzip', buffer: zlib.gzipSync(lines.join('\n')) };
}

/** Gives the page a file with `copies` of the same block of rows, below a header. Its bytes exist only once: a blob
 * made of blobs only references them. */
export const giveRepeated = (page, name, blockBytes, copies) => page.evaluate(([name, blockBytes, copies]) => {
  const tail = ',64,256,0,3600\n';
  let block = '';
  // Names as long as those of the Azure traces.
  for (let vm = 0; block.length < blockBytes; vm += 1) block += `${String(vm).padStart(64, 'v')},${String(vm % 500).padStart(64, 't')}${tail}`;
  const rows = new Blob([block]);
  const file = new File(['vm,tenant,cores,memory,start_s,end_s\n', ...Array(copies).fill(rows)], name);
  const input = [...document.querySelectorAll('input[type=file]')].find((one) => one.closest('label')?.textContent.includes('Trace file')
    || one.getAttribute('aria-label') === 'Trace file');
  const given = new DataTransfer();
  given.items.add(file);
  input.files = given.files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
  return file.size;
}, [name, blockBytes, copies]);

/** A folder until this file's tests are over; if a browser still writes to it then, it is left to the system. */
export function temporaryFolder() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tiebreak-'));
  process.once('exit', () => { try { fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }); } catch {} });
  return folder;
}

/** The page in Chromium, after its first run, or another state of rest. */
export function onPage(options, body) {
  return inChromium({ prepare: ({ context }) => listenToStatus(context), ...options }, async (session) => {
    await settled(session.page, 0);
    await body({ ...session, hand: new Hand(session.page) });
  });
}

/** Polls until the value is as expected, and fails with the difference if that never happens. */
export async function shows(look, expected, message) {
  let seen;
  const is = async () => {
    seen = await look();
    return isDeepStrictEqual(seen, expected);
  };
  await until(is).catch((error) => {
    assert.deepEqual(seen, expected, message);
    throw error;
  });
}

/** Polls until the text matches; returns it. */
export async function says(locator, words, message) {
  let said;
  const matches = async () => {
    said = await locator.textContent();
    return words.test(said);
  };
  await until(matches).catch((error) => {
    assert.match(said ?? String(error), words, message);
    throw error;
  });
  return said;
}

/** Waits until the effects of earlier actions are drawn. The page draws at once, or, when it is busy, in turns that
 * each wait for their own timer; timers are served in order. */
export function drawn(page) {
  return within(PATIENCE_MS, 'two frames', page.evaluate(async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      await new Promise((resolve) => { setTimeout(resolve, 5); });
      await new Promise((resolve) => { requestAnimationFrame(resolve); });
    }
  }));
}

/** Types into a field and leaves it; the field accepts that, whatever the page is doing. */
export async function enter(field, value, leave = () => field.press('Tab')) {
  await field.fill(String(value));
  await leave();
  await shows(() => field.inputValue(), String(value));
}

/** Does something after which the page hides these words at least for a moment, and waits for that moment. */
export async function withdraws(page, css, words, action) {
  const watch = await page.evaluateHandle(([where, source]) => {
    const shown = () => [...document.querySelectorAll(where)].some(({ textContent }) => new RegExp(source).test(textContent));
    const gone = new Promise((resolve) => {
      const look = () => { if (!shown()) { observer.disconnect(); resolve(true); } };
      const observer = new MutationObserver(look);
      observer.observe(document, { subtree: true, childList: true, characterData: true });
      look();
    });
    return { gone };
  }, [css, words.source]);
  await action();
  await within(PATIENCE_MS, `the end of ${words}`, watch.evaluate(({ gone }) => gone));
}

/** Clicks a button in the same turn in which it appears, for something that may be over soon. */
export async function clickAtOnce(page, name, action) {
  const watch = await page.evaluateHandle((text) => {
    const clicked = new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent.trim() === text);
        if (!button) return;
        observer.disconnect();
        button.click();
        resolve(true);
      });
      observer.observe(document, { subtree: true, childList: true, characterData: true });
    });
    return { clicked };
  }, name);
  await action();
  await within(PATIENCE_MS, `the button ${name}`, watch.evaluate(({ clicked }) => clicked));
}

/** The name or the text of the focused element. */
export const focused = (page) => page.evaluate(() => {
  const { tagName, ariaLabel, textContent } = document.activeElement;
  return ariaLabel ?? (tagName === 'BODY' ? 'nothing' : textContent.trim());
});

/** Waits until this has the focus, which the page sets after drawing. */
export const hasFocus = (page, name, message) => shows(() => focused(page), name, message);

/** Waits until a menu is open and takes keys. */
export const menuOpens = (page) =>
  page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'menuitem');

/** Waits until no menu is open. */
export const menuCloses = (page) => page.getByRole('menu').waitFor({ state: 'detached' });

/** The workers that are engines now, once there are this many; `besides` are ended ones that may still be listed. */
export function engines(page, count, besides = []) {
  return until(() => {
    const found = page.workers().filter((worker) => /worker_loader/.test(worker.url()) && !besides.includes(worker));
    return found.length === count && found;
  }, `${count} engines, besides ${besides.length}`);
}

/** From now on every page of this context counts the messages of its engines. */
export function listenToEngines(context) {
  return context.addInitScript(() => {
    window.heard = 0;
    const { set } = Object.getOwnPropertyDescriptor(Worker.prototype, 'onmessage');
    Object.defineProperty(Worker.prototype, 'onmessage', {
      set(then) {
        set.call(this, then && ((event) => { window.heard += 1; then(event); }));
      },
    });
  });
}

/** Pages of this context have no service worker, so that all requests go to the server. */
export function withoutServiceWorker(context) {
  return context.addInitScript(() => { delete Navigator.prototype.serviceWorker; });
}

/** Closes all notices. */
export async function dismissAll(page) {
  const dismiss = page.getByRole('button', { name: /^Dismiss: / });
  for (let left = await dismiss.count(); left > 0; left -= 1) {
    await dismiss.first().click();
    await shows(() => dismiss.count(), left - 1);
  }
}

/** From now on every page of this context records its run status, with times. On a busy machine a short run may be
 * over before "Running" is drawn, and end with the words of the run before; so each run has an entry of its own. */
export function listenToStatus(context) {
  return context.addInitScript(() => {
    window.said = [];
    new MutationObserver(() => {
      const status = document.querySelector('[role=status]');
      const [text, run, last] = [status?.textContent, status?.dataset.run, window.said.at(-1)];
      if (text && (text !== last?.text || run !== last.run)) window.said.push({ text, run, at: performance.now() });
    }).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: ['data-run'] });
  });
}

/** The longest time for a run, including loading, on a busy machine. */
const RUN_MS = 120_000;

const AT_REST = '^(Done|Waiting for|Paused|Expected|The engine stopped)';

/** Waits until the status is at rest with an entry after the first `before` ones; returns it. */
export async function settled(page, before, rest = AT_REST) {
  const entry = await page.waitForFunction(
    ([from, words]) => {
      const said = window.said.slice(from);
      const last = said.at(-1);
      return last && new RegExp(words).test(last.text) ? last.text : null;
    },
    [before, rest],
    { timeout: RUN_MS },
  ).catch(async (error) => {
    const said = await page.evaluate(() => window.said.map(({ text }) => text));
    throw new Error(`the status never came to "${rest}"; it said: ${said.slice(-6).join(' | ')} (${error.message})`);
  });
  return entry.jsonValue();
}

/** A user of the page. */
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

  /** The button that opens a drawer, on narrow screens. */
  drawer(side) {
    const name = side === 'Explain' ? 'Explain a VM' : side;
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

  /** Does something that starts a run, and waits for its result. */
  async runs(action, rest = AT_REST) {
    const before = await this.page.evaluate(() => window.said.length);
    await action();
    return settled(this.page, before, rest);
  }

  /** The region with the fields for a VM and a machine; opens it if nothing is selected. */
  async explain() {
    const explain = this.page.getByRole('region', { name: 'Explain', exact: true });
    if (!(await explain.count())) await this.button('Explain a VM').click();
    await explain.waitFor();
    return explain;
  }

  /** Chooses a machine in Explain, and waits for its data; returns that region. */
  async lookAt(machine) {
    const explain = await this.explain();
    const field = explain.getByRole('spinbutton', { name: 'Machine', exact: true });
    // If it is already chosen, chooses it again, so that its data is current.
    const typed = (await field.inputValue()) === String(machine) ? ['', machine] : [machine];
    for (const number of typed) await enter(field, number);
    await explain.getByText(/^Rack \d+\b.* of /).waitFor();
    return explain;
  }

  /** Asks Explain about a VM from its list, or from another list, and waits for the answer. */
  async askAbout(button) {
    const explain = this.page.getByRole('region', { name: 'Explain' });
    const number = (await button.textContent()).match(/\d+/)[0];
    await button.click();
    await shows(() => explain.getByRole('textbox', { name: 'VM', exact: true }).inputValue(), number);
    await explain.getByRole('heading', { name: 'Machines left after each rule' }).first().waitFor();
    return number;
  }

  /** Opens the list of lessons; returns its buttons. */
  async lessons() {
    await this.page.getByRole('tab', { name: 'Learn', exact: true }).click();
    const lessons = this.page.getByRole('region', { name: 'Lessons' }).getByRole('list').getByRole('button');
    await lessons.first().waitFor();
    return lessons;
  }

  /** Opens the menu at the end of the bar. */
  async openMenu() {
    const more = this.page.getByRole('banner').getByRole('button', { name: 'More', exact: true });
    if ((await more.getAttribute('aria-expanded')) !== 'true') await more.click();
  }

  /** Continues a run that is paused or has failed, or repeats the same run. */
  async runAgain() {
    const run = this.button('Run');
    if (await run.count()) return run.click();
    await this.openMenu();
    return this.button('Run again').click();
  }

  /** Searches the tabs for a field. */
  async find(field) {
    for (const tab of ['Rules', 'Fleet', 'Agents and seed', 'Workload']) {
      if (await field.isVisible()) return;
      await showTab(this.page, tab);
    }
  }

  setBuckets(rule, buckets) {
    return this.runs(() => this.bucketsOf(rule).selectOption(String(buckets)));
  }

  async setNumber(label, value) {
    const field = this.page.getByRole('spinbutton', { name: label });
    await this.find(field);
    await field.fill(String(value));
    await field.press('Tab');
  }

  async choosePreset(title) {
    await this.openMenu();
    return this.runs(() => this.page.getByRole('combobox', { name: 'Open a preset' }).selectOption({ label: title }));
  }

  giveFile(file) {
    return this.traceFile.setInputFiles(file);
  }

  async moveByMenu(rule, item) {
    await this.handle(rule).click();
    await menuOpens(this.page);
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

  /** The rules in order. */
  async order() {
    const names = await this.rules.getByRole('button', { name: /^Move / }).evaluateAll((handles) =>
      handles.map((handle) => handle.getAttribute('aria-label').slice('Move '.length)));
    return names;
  }

  async isBelow(rule, other) {
    const order = await this.order();
    return order.indexOf(rule) > order.indexOf(other);
  }

  /** The digest of the finished run; waits while a run is going on, which has none. */
  async digest() {
    const text = await this.page.getByText(/digest [0-9a-f]+/).textContent();
    return text.match(/digest ([0-9a-f]+)/)[1];
  }

  /** The data table of a chart, header first; it stays open. */
  async table(chart) {
    const table = this.figure(chart).getByRole('region', { name: `${chart}: data table` });
    if (!(await table.count())) await this.figure(chart).getByRole('button', { name: 'Show data table' }).click();
    await table.waitFor();
    return table.getByRole('row').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  }

  /** The data of the three charts for the displayed run, without the comparison run. */
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
    const field = this.page.getByRole('textbox', { name: 'Link', exact: true });
    const link = await field.inputValue();
    await this.page.keyboard.press('Escape');
    await field.waitFor({ state: 'hidden' });
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

/** Waits until a service worker has stored the page and controls this tab. */
export async function kept(page) {
  await page.waitForFunction(async () => (await navigator.serviceWorker.getRegistration())?.active?.state === 'activated');
  await page.waitForFunction(() => navigator.serviceWorker.controller);
}

/** The next tab of a session, and its user. */
export async function openTab({ context }, address) {
  const page = await context.newPage();
  await page.goto(address);
  await settled(page, 0);
  return { page, hand: new Hand(page) };
}

/** Fails unless the page still works: an edit starts a run, and the page gets a new result. */
export async function worksOn(hand) {
  const chosen = await hand.bucketsOf(BELOW).inputValue();
  const said = await hand.setBuckets(BELOW, chosen === '2' ? 4 : 2);
  assert.match(said, /^Done: /);
  assert.match(await hand.digest(), /^[0-9a-f]{16}$/);
}
