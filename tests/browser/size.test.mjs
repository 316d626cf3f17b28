// `cargo xtask size` leaves out what tests/size.json calls "later"; here a browser says whether that is true.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inChromium } from './harness.mjs';
import { accepted, isLater } from './size.mjs';

test('nothing that counts as loaded later is loaded at the start', () =>
  inChromium({}, async ({ page, host }) => {
    await page.waitForLoadState('networkidle');
    const { later } = accepted();
    assert.deepEqual(host.paths.filter((asked) => isLater(asked, later)), []);
  }));
