// The same scenario gives the same result everywhere: golden.json holds the native digests, which
// `tiebreak run --preset NAME --json` prints; both browsers must give the same, with caches and without.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { compileAsForPeople, inFirefox } from './harness.mjs';
import { GOLDEN, onPage, showTab } from './people.mjs';

compileAsForPeople();

/** Links to one random expression rule each, and their native digests. */
const EXPRESSIONS = JSON.parse(fs.readFileSync(new URL('expressions.json', import.meta.url), 'utf8'));

const SMALL = '24 machines';

/** Every predictor of lifetimes, with the digest of the small preset with TemporalCost on. */
const PREDICTORS = Object.entries(GOLDEN).filter(([name]) => name.startsWith('small '))
  .map(([name, digest]) => [name.slice('small '.length), digest]);

test('Chromium gives the native digests, with caches on and off', () =>
  onPage({}, async ({ hand, page }) => {
    const withoutCaches = () =>
      hand.runs(() => page.getByRole('checkbox', { name: 'caches of agents' }).uncheck());
    assert.equal(await hand.digest(), GOLDEN.default, 'the run that comes with the page');
    await showTab(page, 'Agents and seed');
    await withoutCaches();
    assert.equal(await hand.digest(), GOLDEN.default, 'caches off');
    await hand.runs(() => page.getByRole('checkbox', { name: 'caches of agents' }).check());
    assert.equal(await hand.digest(), GOLDEN.default, 'caches on');
    await hand.choosePreset(SMALL);
    assert.equal(await hand.digest(), GOLDEN.small);
    await withoutCaches();
    assert.equal(await hand.digest(), GOLDEN.small, 'caches off');
    await hand.runs(() => hand.button('Another seed').click());
    assert.notEqual(await hand.digest(), GOLDEN.small, 'another seed is another result');
  }));

test('Chromium gives the native digests with every predictor of lifetimes', () =>
  onPage({}, async ({ hand, page }) => {
    await hand.choosePreset(SMALL);
    await showTab(page, 'Lifetimes');
    await hand.runs(() => page.getByRole('button', { name: 'Switch TemporalCost on' }).click());
    const predictor = page.getByRole('combobox', { name: 'Predictor', exact: true });
    assert.equal(PREDICTORS.length, await predictor.getByRole('option').count(), 'every predictor has a native digest');
    // Starts with the second, so that each choice is a change.
    for (const [id, digest] of [...PREDICTORS.slice(1), PREDICTORS[0]]) {
      await hand.runs(() => predictor.selectOption(id));
      assert.equal(await hand.digest(), digest, id);
    }
  }));

test('Firefox gives the native digests, with caches on and off', () =>
  inFirefox({}, async ({ page }) => {
    const labelled = (name) => `document.querySelector('[aria-label=${JSON.stringify(name)}]')`;
    // A run is over when the footer shows a digest again.
    const shows = (digest) => page.waitFor(`document.body.textContent.includes('digest ${digest}')`);
    // The digest disappears during a run, perhaps only for a moment.
    const rerun = async (action) => {
      const gone = `new Promise((resolve) => {
        const seen = new MutationObserver(() => {
          if (/digest …/.test(document.body.textContent)) { seen.disconnect(); resolve(true); }
        });
        seen.observe(document, { subtree: true, childList: true, characterData: true });
        ${action};
      })`;
      assert.ok(await page.evaluate(gone));
    };
    await shows(GOLDEN.default);
    await page.evaluate(`[...document.querySelectorAll('[role=tab]')].find(({ textContent }) => textContent === 'Agents and seed').click()`);
    await page.waitFor(`Boolean(${labelled('caches of agents')})`);
    for (const _ of ['off', 'on']) {
      await rerun(`${labelled('caches of agents')}.click()`);
      await shows(GOLDEN.default);
    }
    const preset = labelled('Open a preset');
    await rerun(`{
      ${preset}.value = [...${preset}.options].find(({ text }) => text === '${SMALL}').value;
      ${preset}.dispatchEvent(new Event('change', { bubbles: true }));
    }`);
    await shows(GOLDEN.small);
    await rerun(`${labelled('caches of agents')}.click()`);
    await shows(GOLDEN.small);
    await page.evaluate(`(() => {
      const topics = ${labelled('More topics')};
      topics.selectedIndex = [...topics.options].findIndex(({ text }) => text === 'Lifetimes');
      topics.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
    await page.waitFor(`[...document.querySelectorAll('button')].some(({ textContent }) => textContent === 'Switch TemporalCost on')`);
    await rerun(`[...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Switch TemporalCost on').click()`);
    await shows(PREDICTORS[0][1]);
    for (const [id, digest] of PREDICTORS.slice(1)) {
      const predictor = labelled('Predictor');
      await page.evaluate(`(() => { ${predictor}.value = '${id}'; ${predictor}.dispatchEvent(new Event('change', { bubbles: true })); })()`);
      await shows(digest);
    }
  }));

test('Chromium gives the native digests of rules that are random expressions', () =>
  onPage({}, async ({ page }) => {
    assert.equal(EXPRESSIONS.length, 20);
    for (const { link, digest } of EXPRESSIONS) {
      await page.evaluate((hash) => { location.hash = hash; }, link);
      await page.getByText(new RegExp(`digest ${digest}`)).first().waitFor();
    }
  }));

test('Firefox gives the native digests of rules that are random expressions', () =>
  inFirefox({}, async ({ page }) => {
    for (const { link, digest } of EXPRESSIONS) {
      await page.evaluate(`location.hash = ${JSON.stringify(link)}`);
      await page.waitFor(`document.body.textContent.includes('digest ${digest}')`);
    }
  }));
