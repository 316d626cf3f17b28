// The basis of every browser test: the built page on a static host, and a browser that tolerates no fault.
//
//   test('a run shows its result', () => inChromium({ width: 360 }, async ({ page }) => { ... }));
//
// A test fails on any console error, uncaught error (in a worker too), or request to another origin.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { chromium as playwright } from 'playwright-core';
import { openFirefox } from './firefox.mjs';
import { serve, SLOW_LINE } from './server.mjs';

export { openFirefox, serve, SLOW_LINE };

/** The built page from `cargo xtask build`, or another one from the environment. */
export const DIST = process.env.PAGE ?? fileURLToPath(new URL('../../dist', import.meta.url));
/** Never the top folder: a page that works here works anywhere on a host. */
export const MOUNT = '/some/where/';

/** Chromium without windows, which is faster than one that draws a user interface nobody sees. */
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell';
/** The full browser, which also reads the settings of a profile. */
export const CHROMIUM_WITH_WINDOWS = '/usr/bin/chromium';
export const QUIET_FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];
/** Without the second compilation of WebAssembly: a quarter of all work, which pays off only if a page computes for
 * long. */
const BRIEF_FLAGS = ['--js-flags=--liftoff-only'];
let flags = [...QUIET_FLAGS, ...BRIEF_FLAGS];

/** For files whose pages compute for long, or that test the page's speed or its digests. */
export function compileAsForPeople() {
  flags = QUIET_FLAGS;
}

/** How long a test waits for something that must happen: far longer than it takes, even on a busy machine. */
export const PATIENCE_MS = 60_000;
/** How long a whole test may take: ten times as long as the longest one on a busy machine. */
const TEST_MS = 600_000;
/** How long a browser or a page takes to answer that is not stuck. */
const ANSWER_MS = 10_000;

/** Typical windows: a laptop's, and a phone's. */
export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 390, height: 844 };

/** Polls until the result is not false, and returns it. Tests wait for conditions, never for a time. */
export async function until(look, what = look) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > end) throw new Error(`it never came: ${what}`);
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
}

class TookTooLong extends Error {}
/** The browser itself does not answer, which says nothing about the page. */
class BrowserStuck extends Error {}

/** The promise's value, or an error after this time. For what has no limit of its own, such as Playwright's
 * `evaluate` and `close`. */
export async function within(limitMs, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(`${what} took longer than ${limitMs / 1_000} s`)), limitMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** The Chromium of this process: each session has its own isolated context in it. */
const chromium = { launched: null, users: 0, end: null };

/** How long it stays open without sessions, for the next one. */
const STAYS_MS = 500;

async function joinChromium() {
  clearTimeout(chromium.end);
  chromium.users += 1;
  if (chromium.launched && !(await chromium.launched).isConnected()) chromium.launched = null;
  chromium.launched ??= playwright.launch({ executablePath: CHROMIUM, args: flags });
  return chromium.launched;
}

function leaveChromium() {
  chromium.users -= 1;
  if (chromium.users > 0) return;
  chromium.end = setTimeout(() => {
    const launched = chromium.launched;
    chromium.launched = null;
    launched?.then((browser) => browser.close(), () => {});
  }, STAYS_MS);
}

/** Ends a Chromium that no longer answers, so that the next session starts another one; returns the error for that. */
function abandonChromium({ message }) {
  console.log(`${message}: Chromium is stuck, and is ended`);
  chromium.launched = null;
  signalChromium('SIGKILL');
  return new BrowserStuck(message);
}

/** Sends a signal to all processes of each Chromium that this process started. Where there is no `pgrep`, to none. */
export function signalChromium(signal) {
  const { stdout } = spawnSync('pgrep', ['-P', String(process.pid), '-f', 'chromium'], { encoding: 'utf8' });
  for (const leader of stdout?.match(/\d+/g) ?? []) process.kill(-Number(leader), signal);
}

/** A new Chromium context with one empty page. `cpu` slows down the page's main thread (4: four times slower).
 * `faults` collects what a test must not meet; `requests` counts them by origin. The page opens with a scenario, as
 * for a returning visitor; with `view: null` as for a new one. */
export async function openChromium({ width = 1280, height = 800, dark = false, reducedMotion = false, cpu = 1, view = 'experiment' } = {}) {
  const browser = await joinChromium();
  const open = async () => {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: dark ? 'dark' : 'light',
      reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
    });
    context.setDefaultTimeout(PATIENCE_MS);
    if (view) await context.addInitScript(wasHere, view);
    const faults = [];
    const requests = new Map();
    listen(context, faults, requests);
    const page = await context.newPage();
    if (cpu !== 1) await slowDown(page, cpu);
    return { context, page, faults, requests };
  };
  const session = await within(PATIENCE_MS, 'opening a page', open()).catch((error) => {
    leaveChromium();
    throw error instanceof TookTooLong ? abandonChromium(error) : error;
  });
  // A test that is over does not depend on how its browser ends.
  const close = () => within(PATIENCE_MS, 'closing a page', session.context.close())
    .catch((error) => {
      if (error instanceof TookTooLong) abandonChromium(error);
      else if (browser.isConnected()) throw error;
    })
    .finally(leaveChromium);
  return { browser, ...session, close };
}

/** Marks this browser as a returning visitor's, with this view. Without storage it does nothing. */
export function wasHere(view) {
  try { localStorage['tiebreak.view'] ??= JSON.stringify(view); } catch {}
}

function listen(context, faults, requests) {
  context.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console error: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => faults.push(`uncaught: ${error.error()}`));
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (['blob:', 'data:', 'about:'].includes(protocol)) return;
    requests.set(origin, (requests.get(origin) ?? 0) + 1);
  });
}

async function slowDown(page, rate) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate });
}

/** Serves the page, opens it in Chromium, runs `body({ page, host, faults, requests, ... })`, then checks the rules
 * above. Options are those of `openChromium`, `root`, `at` and `line` of `serve`, `path` (appended to the address:
 * '#...' or '?...'), `prepare`, which gets the session and the host before the page is loaded, and `limitMs`, how long
 * all of it may take. If the browser itself gets stuck, `body` runs once more, in another one. */
export function inChromium(options, body) {
  return onceInChromium(options, body).catch((error) => {
    if (error instanceof BrowserStuck) return onceInChromium(options, body);
    throw error;
  });
}

async function onceInChromium({ root = DIST, at = MOUNT, line, path = '', prepare, limitMs = TEST_MS, ...options }, body) {
  const host = await serve({ root, at, line });
  const session = await openChromium(options).catch((error) => host.close().then(() => { throw error; }));
  const run = async () => {
    await prepare?.({ ...session, host });
    await session.page.goto(host.url + path);
    await body({ ...session, host });
    hold(session, host);
  };
  try {
    await within(limitMs, 'the test', run());
  } catch (error) {
    if (error instanceof TookTooLong) await explainDelay(error, session);
    // The page's messages explain most time-outs.
    if (session.faults.length) error.message += `\nthe page said:\n  ${session.faults.join('\n  ')}`;
    throw error;
  } finally {
    await session.close();
    await host.close();
  }
}

/** Adds to the error what still answers: the page's script, and its frames. */
async function explainDelay(error, { browser, page }) {
  const answers = (ask) => within(ANSWER_MS, 'an answer', ask()).then(() => true, () => false);
  if (!(await answers(() => browser.newBrowserCDPSession()))) throw abandonChromium(error);
  const script = await answers(() => page.evaluate(() => document.title));
  const frames = script && await answers(() => page.evaluate(() => new Promise(requestAnimationFrame)));
  const said = script ? await page.evaluate(() => document.querySelector('[role=status]')?.textContent) : null;
  error.message += `\nthe browser answers; the page's script ${script ? 'answers' : 'does not'}, `
    + `its frames ${frames ? 'come' : 'do not'}; its status: ${said ?? 'unknown'}`;
}

/** The same in Firefox; `body` gets the page of `openFirefox` and the host. */
export async function inFirefox({ root = DIST, at = MOUNT, line = null, path = '', ...options }, body) {
  const host = await serve({ root, at, line });
  let page;
  try {
    page = await openFirefox(host.url + path, options);
    await within(TEST_MS, 'the test', body({ page, host }));
    hold(page, host);
  } finally {
    await page?.close();
    await host.close();
  }
}

/** Checks that there is no fault, and no origin but the page's own. */
export function hold({ faults, requests }, host) {
  assert.deepEqual(faults, [], 'the page reported errors');
  const others = [...requests.keys()].filter((origin) => origin !== host.origin);
  assert.deepEqual(others, [], 'the page asked another origin');
}

/** The text of every cell of a table, row by row. */
export const cells = (region) => region.getByRole('row').evaluateAll((rows) =>
  rows.map((row) => [...row.cells].map((cell) => cell.textContent)));

/** Sets a number in a form, without waiting for the effect. */
export async function setNumber(field, value) {
  await field.fill(String(value));
  await field.press('Tab');
}

/** Opens a tab, or a topic from the list beside the tabs. */
export async function showTab(page, name) {
  const tab = page.getByRole('tab', { name, exact: true });
  const more = page.getByRole('combobox', { name: 'More topics' });
  // They come in one drawing: which of them there is cannot be seen before.
  await tab.or(more).first().waitFor();
  if (await tab.count()) await tab.click();
  else await more.selectOption({ label: name });
  await page.getByRole('tab', { name, exact: true, selected: true }).waitFor();
}

/** A panel in a tab: its region, how to open it, and how to set a number in it. */
export function tabbedPanel(name, tab) {
  const panel = (page) => page.getByRole('region', { name, exact: true });
  return {
    panel,
    open: (page) => showTab(page, tab),
    set: (page, number, value) => setNumber(panel(page).getByRole('spinbutton', { name: number, exact: true }), value),
  };
}

const AXE = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Waits until animations and transitions are over: faded parts have their colours, sliding ones their place. */
export function atRest(page) {
  return within(PATIENCE_MS, 'the end of all animations', page.evaluate(async () => {
    const frame = () => new Promise((resolve) => { requestAnimationFrame(resolve); });
    await frame();
    await frame();
    // A cancelled animation ends as well, and another may begin when one ends.
    const moving = () => document.getAnimations().filter(({ playState }) => playState === 'running');
    while (moving().length) await Promise.allSettled(moving().map(({ finished }) => finished));
  }));
}

/** Accessibility violations, one line each: `rule (impact): what, at selector`; waits for animations first. */
export async function axe(page, options = {}) {
  await atRest(page);
  await page.evaluate(AXE);
  // Passed checks need not be collected, which takes longest on a page with large tables.
  const wishes = { resultTypes: ['violations'], ...options };
  const run = page.evaluate((wishes) => window.axe.run(document, wishes), wishes);
  const { violations } = await within(PATIENCE_MS, 'axe', run);
  return violations.flatMap(({ id, impact, help, nodes }) =>
    nodes.map(({ target }) => `${id} (${impact}): ${help}, at ${target.join(' ')}`));
}

/** Bytes that the page's main thread retains after a garbage collection; array buffers and wasm memory count
 * separately. */
export async function heap(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize } = await devtools.send('Runtime.getHeapUsage');
  const { nodes } = await devtools.send('Memory.getDOMCounters');
  await devtools.detach();
  return { usedBytes: usedSize, buffersBytes: backingStorageSize, nodes };
}

/** The times of the first and of the largest contentful paint, in ms since the start of the navigation. */
export function firstPicture(page) {
  return page.evaluate(async () => {
    const seen = (type) => new Promise((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type, buffered: true });
      // If the browser reports nothing; a test then says so.
      setTimeout(() => resolve([]), 30_000);
    });
    const paint = await seen('paint');
    const largest = await seen('largest-contentful-paint');
    return {
      firstContentfulPaintMs: paint.find(({ name }) => name === 'first-contentful-paint')?.startTime ?? null,
      largestContentfulPaintMs: largest.at(-1)?.startTime ?? null,
    };
  });
}
