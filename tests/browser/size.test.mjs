// `cargo xtask size` ignores what tests/size.json lists as "later"; this checks in a browser that it is loaded only
// on demand.
import { test } from 'node:test';
import { inChromium, MOUNT, until } from './harness.mjs';
import { accepted, isLater } from './size.mjs';

test('the page is live without anything that counts as loaded later', () => {
  const { later } = accepted();
  const asked = [];
  // Requested, and never answered.
  const withhold = ({ page }) => page.route(
    (url) => isLater(url.pathname.slice(MOUNT.length), later),
    (route) => asked.push(route.request().url()),
  );
  return inChromium({ prepare: withhold }, async ({ page }) => {
    await page.getByRole('status', { name: 'Run status' }).filter({ hasText: /^Done/ }).waitFor();
    await page.getByRole('figure', { name: 'Empty hosts' }).locator('svg').waitFor();
    await until(() => asked.length > 0, 'the rest is asked for as soon as the page is live');
  });
});
