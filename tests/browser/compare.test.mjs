// Two variants on one page: forked, run, compared and explained; and the film of a run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, WIDE } from './harness.mjs';
import { clickAtOnce, drawn, onPage, RULE, says, shows, until } from './people.mjs';

const compare = (page) => page.getByRole('region', { name: 'Compare', exact: true });

/** Forks, and disables keeping machines empty in B. */
async function twoVariants(hand, page) {
  await hand.runs(() => hand.button('Fork as B').click());
  await hand.runs(() => page.getByRole('checkbox', { name: `Use ${RULE}` }).click());
  await compare(page).getByText(/^B keeps .* hosts empty than A/).waitFor();
}

test('a fork keeps both futures, and what differs is shown', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const digest = await hand.digest();
    await hand.runs(() => hand.button('Fork as B').click());
    await compare(page).getByText('Every decision of B is the same as in A.').waitFor();
    assert.equal(await hand.digest(), digest);
    await hand.runs(() => page.getByRole('checkbox', { name: `Use ${RULE}` }).click());
    await compare(page).getByText(/^B keeps [\d.]+ fewer hosts empty than A/).waitFor();
    assert.notEqual(await hand.digest(), digest);

    // Overlaid, side by side, and the difference.
    await page.getByRole('figure', { name: 'Fleet map of A' }).waitFor();
    const [head] = await hand.table('Empty hosts');
    assert.deepEqual(head.slice(1).map((name) => name[0]), ['A', 'B']);
    await shows(() => page.locator('.plot.difference svg').count(), 4);
    const differences = page.getByRole('region', { name: 'Differences' });
    await differences.getByRole('rowheader', { name: `rules.${RULE}.on` }).waitFor();

    // The first placements that differ, explained in both variants.
    await differences.getByRole('button', { name: /^VM / }).first().click();
    const explain = page.getByRole('region', { name: 'Explain' });
    await explain.getByRole('heading', { name: 'In A' }).waitFor();
    await explain.getByRole('heading', { name: 'In B' }).waitFor();

    // A is unchanged, becomes active without a run, and stays when B is closed.
    await hand.button('Variant A').click();
    await shows(() => hand.digest(), digest);
    await hand.button('Close variant B').click();
    await shows(() => page.getByRole('button', { name: /^Variant / }).count(), 1);
    assert.equal(await hand.digest(), digest);
  }));

for (const width of [390, 700, 1440]) {
  test(`at ${width} pixels, the cells of both maps are as wide as they are high`, () =>
    onPage({ ...WIDE, width }, async ({ hand, page }) => {
      await hand.runs(() => hand.button('Fork as B').click());
      await page.getByRole('figure', { name: 'Fleet map of A' }).waitFor();
      const stretched = () => page.locator('.fleets canvas').evaluateAll((all) => all.map((canvas) => {
        const { width, height } = canvas.getBoundingClientRect();
        return Math.abs(canvas.width / width / (canvas.height / height) - 1) > 0.02;
      }));
      await shows(stretched, [false, false]);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
    }));
}

test('seeds in pairs say how sure a difference is, and can be cancelled', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await twoVariants(hand, page);
    await clickAtOnce(page, 'Cancel', () => hand.button('Run both over 8 seeds').click());
    await hand.button('Run both over 8 seeds').click();
    await compare(page).getByText(/95 % interval .* to .*; 8 seeds\)/).waitFor({ timeout: 120_000 });
    await shows(() => compare(page).getByRole('columnheader', { name: '95 % interval over seeds' }).count(), 1);
    await hand.setBuckets('BestFit', 8);
    await hand.button('Run both over 8 seeds').waitFor();
  }));

test('a branch from a moment shares its past', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const moment = page.getByRole('slider', { name: 'Moment' });
    await moment.focus();
    await moment.evaluate((slider) => { slider.value = String(6 * 86_400_000); slider.dispatchEvent(new Event('input', { bubbles: true })); });
    await hand.runs(() => hand.button('Fork here as B').click());
    await compare(page).getByText('Every decision of B is the same as in A.').waitFor();
    await hand.runs(() => page.getByRole('checkbox', { name: `Use ${RULE}` }).click());
    await compare(page).getByText(/^B keeps/).waitFor();
    const first = page.getByRole('region', { name: 'First placements that differ' }).getByRole('cell').first();
    await says(first, /^(6|7|8|9|1\d) d /, 'nothing differs before the branch');
  }));

test('branches are a tree below the timeline, and bring their variant to the front', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const moment = page.getByRole('slider', { name: 'Moment' });
    const branchAt = async (hours, name) => {
      await moment.evaluate((slider, ms) => { slider.value = String(ms); slider.dispatchEvent(new Event('input', { bubbles: true })); }, hours * 3_600_000);
      await hand.runs(() => hand.button(`Fork here as ${name}`).click());
    };
    const tree = page.getByRole('list', { name: 'Forks' });
    assert.equal(await tree.count(), 0);
    await branchAt(6 * 24, 'B');
    await branchAt(9 * 24 + 6, 'C');
    const lines = await tree.getByRole('button').evaluateAll((all) => all.map((line) => line.getAttribute('aria-label')));
    assert.deepEqual(lines, [
      'A runs from the start',
      'B forks from A at day 6, 00:00',
      'C forks from B at day 9, 06:00',
    ]);
    assert.equal(await tree.getByRole('button', { pressed: true }).textContent(), 'C');
    const [a, b, c] = await tree.getByRole('button').evaluateAll((all) => all.map((line) => line.getBoundingClientRect().left));
    assert.ok(a < b && b < c, `${a} ${b} ${c}`);

    // Each has the colour of its charts.
    const colour = (locator, property) => locator.evaluate((element, name) => getComputedStyle(element)[name], property);
    const ofChart = await hand.picture('Empty hosts').locator('text[font-weight="bold"]').last().evaluate((text) => getComputedStyle(text).fill);
    assert.equal(await colour(tree.getByRole('button', { name: /^C / }), 'color'), ofChart);

    await tree.getByRole('button', { name: /^B / }).click();
    await shows(() => hand.button('Variant B').getAttribute('aria-pressed'), 'true');
    await tree.getByRole('button', { name: /^A / }).focus();
    await page.keyboard.press('Enter');
    await shows(() => hand.button('Variant A').getAttribute('aria-pressed'), 'true');
    await hand.button('Close variant A').click();
    await tree.getByRole('button', { name: 'B forks from A, which is closed, at day 6, 00:00' }).waitFor();
    assert.deepEqual(await axe(page), []);
  }));

test('without a mouse: fork, change, compare, close', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.button('Fork as B').focus();
    await hand.runs(() => page.keyboard.press('Enter'));
    await page.getByRole('checkbox', { name: `Use ${RULE}` }).focus();
    await hand.runs(() => page.keyboard.press('Space'));
    await compare(page).getByText(/^B keeps/).waitFor();
    await page.getByRole('tab', { name: 'Experiment' }).focus();
    await page.keyboard.press('Enter');
    await compare(page).waitFor({ state: 'detached' });
    await hand.button('Close variant B').focus();
    await page.keyboard.press('Enter');
    await shows(() => page.getByRole('button', { name: /^Variant / }).count(), 1);
  }));

for (const dark of [false, true]) {
  test(`axe finds nothing while two are compared, ${dark ? 'dark' : 'light'}`, () =>
    onPage({ ...WIDE, dark }, async ({ hand, page }) => {
      await twoVariants(hand, page);
      assert.deepEqual(await axe(page), []);
    }));
}

test('a run plays as a film, and stops at its end', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const moment = page.getByRole('slider', { name: 'Moment' });
    const at = async () => Number(await moment.inputValue());
    const end = await at();
    // A film of one minute, so that it is stopped long before its end.
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('6 h per second');
    await hand.button('Play').click();
    await until(async () => (await at()) > 1e6 && (await at()) < end);
    await hand.button('Stop').click();
    await hand.button('Play').waitFor();
    const held = await at();
    assert.ok(held > 1e6 && held < 1e9, `${held} ms`);
    // It moves with the browser's frames; wait for some.
    for (let frames = 0; frames < 5; frames += 1) await drawn(page);
    assert.equal(await at(), held);
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('1 week per second');
    await hand.button('Play').click();
    await hand.button('Stop').waitFor();
    await hand.button('Play').waitFor();
    assert.equal(await at(), end);
    assert.ok(end > 1.2e9, 'the end');
  }));

test('steps go by rule and to the next conflict', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const explain = page.getByRole('region', { name: 'Explain' });
    const by = page.getByRole('combobox', { name: 'Step to' });
    const step = page.getByRole('region', { name: 'Timeline' }).getByRole('button', { name: 'Step', exact: true });
    await by.selectOption('next rule');
    await step.click();
    await explain.getByText(/^Step shows the next rule/).waitFor();
    const rows = () => explain.locator('.funnel th[scope=row]').count();
    assert.equal(await rows(), 0);
    await step.click();
    await shows(rows, 1);
    await by.selectOption('next conflict');
    await step.click();
    await explain.getByText(/earlier attempts? ended in a? ?conflict/).waitFor();
    await says(hand.status, /^Paused at /);
  }));
