// What a first-time visitor sees and does: one sentence, two fleets, the film of a decision, a rule to switch.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, NARROW, WIDE } from './harness.mjs';
import { listenToStatus, onPage, says, settled, shows, until } from './people.mjs';

const FIRST = { view: null };
const RULE = 'PreferNonEmptyMachines';
const maps = (page) => page.locator('.welcome-map figcaption').allTextContents();
const tab = (page, name) => page.getByRole('tab', { name, exact: true });

/** Visible controls and words, and the share of the window that the maps cover. */
const counts = (page) => page.evaluate(() => {
  const isSeen = (element) => {
    const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth && element.checkVisibility();
  };
  const controls = [...document.querySelectorAll('button, input, select, textarea, a[href], summary')].filter(isSeen);
  let words = 0;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const parent = walk.currentNode.parentElement;
    if (!parent.closest('script, style, noscript, option, .news-row') && isSeen(parent)) {
      words += walk.currentNode.data.match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0;
    }
  }
  const area = (map) => {
    const { top, bottom, width } = map.getBoundingClientRect();
    return Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0)) * width;
  };
  const share = [...document.querySelectorAll('.welcome-map svg')].reduce((sum, map) => sum + area(map), 0) / (innerWidth * innerHeight);
  return { controls: controls.length, words, share };
});

/** From now on every page of this context sums up its layout shifts. */
const watchShifts = (context) => context.addInitScript(() => {
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifted += value;
  }).observe({ type: 'layout-shift', buffered: true });
});

for (const size of [WIDE, { width: 1280, height: 720 }, NARROW]) {
  test(`at most 12 controls and 80 words, two large maps, and nothing jumps, ${size.width} wide`, () =>
    onPage({
      ...FIRST,
      ...size,
      prepare: async ({ context }) => {
        await listenToStatus(context);
        await watchShifts(context);
      },
    }, async ({ hand, page }) => {
      await page.getByRole('heading', { name: /^A cloud must pick one of 140 machines for every VM\./ }).waitFor();
      await shows(() => maps(page), ['With “fill used machines first”: 42 empty', 'Without: 4 empty']);
      await page.getByRole('button', { name: 'Replay decision' }).waitFor();
      const { y, height } = await hand.button('Switch the first rule off').boundingBox();
      assert.ok(y + height <= size.height, `the first change to make ends ${Math.round(y + height)} px down`);
      const { controls, words, share } = await counts(page);
      assert.ok(controls <= 12, `${controls} controls`);
      assert.ok(words <= 80, `${words} words`);
      assert.ok(share >= 0.4, `the maps take ${share.toFixed(2)} of the window`);
      const shifted = await page.evaluate(() => window.shifted);
      assert.ok(shifted < 0.05, `a layout shift of ${shifted.toFixed(3)}`);
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(sideways <= 0, `${sideways} px stick out`);
    }));
}

test('the change that it invites to acts, is undone, and is a rule of the list', () =>
  onPage({ ...FIRST, ...WIDE }, async ({ hand, page }) => {
    await hand.runs(() => hand.button('Switch the first rule off').click());
    await shows(() => maps(page), ['Now: 4 empty', 'Before your change: 42 empty']);
    assert.equal(await page.getByRole('checkbox', { name: `Use ${RULE}` }).isChecked(), false);
    await hand.runs(() => hand.button('Undo').click());
    await shows(() => maps(page), ['Now: 42 empty', 'Before your change: 4 empty']);
    await hand.runs(() => page.getByRole('checkbox', { name: 'Use BestFit' }).uncheck());
    await hand.button('All rules').click();
    await tab(page, 'Experiment').and(page.locator('[aria-selected=true]')).waitFor();
    assert.equal(await page.getByRole('checkbox', { name: 'Use BestFit' }).isChecked(), false);
    assert.equal(await page.getByRole('region', { name: 'Explain' }).count(), 0, 'nothing is selected');
  }));

test('the film of a decision plays by itself and says what each rule left', () =>
  onPage({ ...FIRST, ...WIDE }, async ({ hand, page }) => {
    const film = page.getByRole('region', { name: 'Decision' });
    const caption = film.locator('.sentence');
    await says(caption, /^Machine \d+ is .*VM \d+/);
    await hand.button('Replay decision').click();
    await says(caption, /^(Fill used machines first|Tightest fit first|Least used rack first): \d+ machines left\.$/);
    await says(caption, /^5 machines tie for best\.$/);
  }));

test('without motion it is a still', () =>
  onPage({ ...FIRST, ...WIDE, reducedMotion: true }, async ({ page }) => {
    await says(page.getByRole('region', { name: 'Decision' }).locator('.sentence'), /^VM \d+ arrives\./);
  }));

test('who was here before, or comes by a link, is where they were', () =>
  onPage({ ...FIRST, ...WIDE }, async ({ hand, page }) => {
    await tab(page, 'Learn').click();
    await page.getByRole('region', { name: 'Lessons' }).getByRole('button').nth(3).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Learn how a cloud places VMs' }).waitFor();
    await tab(page, 'My trace').click();
    await page.getByRole('region', { name: 'My trace' }).getByLabel('Trace file').waitFor();
    await tab(page, 'Compare').click();
    await hand.button('Variant B').waitFor();
    await tab(page, 'Experiment').click();
    await page.reload();
    await hand.rules.waitFor();
    await until(async () => (await tab(page, 'Experiment').getAttribute('aria-selected')) === 'true');
    await settled(page, 0);
  }));

for (const dark of [false, true]) {
  test(`axe finds nothing, ${dark ? 'dark' : 'light'}`, () =>
    onPage({ ...FIRST, ...WIDE, dark }, async ({ hand, page }) => {
      await hand.button('Replay decision').waitFor();
      assert.deepEqual(await axe(page), []);
      await tab(page, 'Learn').click();
      await page.getByRole('region', { name: 'Lessons' }).getByRole('button').nth(3).waitFor();
      assert.deepEqual(await axe(page), []);
    }));
}
