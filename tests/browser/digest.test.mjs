// The same scenario gives the same result everywhere: golden.json holds the native digests, which
// `tiebreak run --preset NAME --json` prints; here both browsers must give them, with caches and without.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inFirefox } from './harness.mjs';
import { GOLDEN, onPage } from './people.mjs';

const SMALL = 'Two dozen machines';

test('Chromium gives the native digests, with caches on and off', () =>
  onPage({}, async ({ hand, page }) => {
    const withoutCaches = () =>
      hand.runs(() => page.getByRole('checkbox', { name: 'caches of agents' }).uncheck());
    assert.equal(await hand.digest(), GOLDEN.default);
    await withoutCaches();
    assert.equal(await hand.digest(), GOLDEN.default, 'caches off');
    await hand.choosePreset(SMALL);
    assert.equal(await hand.digest(), GOLDEN.small);
    await withoutCaches();
    assert.equal(await hand.digest(), GOLDEN.small, 'caches off');
    await hand.runs(() => hand.button('Another seed').click());
    assert.notEqual(await hand.digest(), GOLDEN.small, 'another seed is another result');
  }));

test('Firefox gives the native digests, with caches on and off', () =>
  inFirefox({}, async ({ page }) => {
    const labelled = (name) => `document.querySelector('[aria-label=${JSON.stringify(name)}]')`;
    // A run is over when the footer holds a digest again.
    const shows = (digest) => page.waitFor(`document.body.textContent.includes('digest ${digest}')`, 20_000);
    // The digest goes while a run is under way, which may be for a moment only.
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
    await rerun(`${labelled('caches of agents')}.click()`);
    await shows(GOLDEN.default);
    const preset = labelled('Open a preset');
    await rerun(`{
      ${preset}.value = [...${preset}.options].find(({ text }) => text === '${SMALL}').value;
      ${preset}.dispatchEvent(new Event('change', { bubbles: true }));
    }`);
    await shows(GOLDEN.small);
    await rerun(`${labelled('caches of agents')}.click()`);
    await shows(GOLDEN.small);
  }));
