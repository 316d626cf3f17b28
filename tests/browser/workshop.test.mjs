// Follows the script of docs/WORKSHOP.md from the first minute to the last.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileAsForPeople, hold, openChromium } from './harness.mjs';
import { Hand, hasFocus, listenToStatus, onPage, says, settled, shows } from './people.mjs';

compileAsForPeople();

const lesson = (page) => page.getByRole('region', { name: 'Lesson', exact: true });
const button = (page, name) => lesson(page).getByRole('button', { name, exact: true });

/** Runs a lesson from the list as a teacher does: the class votes, and the presenter's remote shows the run and
 * continues. */
async function teach(page, hand, title) {
  await (await hand.lessons()).filter({ hasText: title }).click();
  await lesson(page).waitFor();
  const steps = Number((await lesson(page).getByText(/step 1 of \d+/).textContent()).match(/of (\d+)/)[1]);
  for (let step = 1; step <= steps; step += 1) {
    await lesson(page).getByText(`step ${step} of ${steps}`).waitFor();
    await hasFocus(page, await lesson(page).locator('#lesson-step').textContent());
    await page.keyboard.press('PageDown');
    await says(lesson(page).getByRole('alert'), /^(Right\. )?Answer: |^This run reaches the goal|^Your curve differs /);
    if (step < steps) await page.keyboard.press('PageDown');
  }
  await button(page, 'Finish').click();
  await lesson(page).waitFor({ state: 'detached' });
}

test('the script of the workshop can be walked as it is written', () =>
  onPage({ width: 1440, height: 900, view: null }, async ({ page, hand, host }) => {
    // 0-3: the page as it opens, and the film of one decision.
    await page.getByRole('heading', { name: /^A cloud must pick one of 140 machines/ }).waitFor();
    await hand.button('Replay decision').click();
    await says(page.getByRole('region', { name: 'Decision' }).locator('.sentence'), /^VM \d+ arrives\./);

    // 3-10, and the later lessons.
    await teach(page, hand, 'Ties and order');

    // 10-13: disabling a rule, undo, and a drag.
    await page.getByRole('tab', { name: 'Experiment' }).click();
    const use = page.getByRole('checkbox', { name: 'Use PreferNonEmptyMachines' });
    const digest = await hand.digest();
    await hand.runs(() => use.uncheck());
    assert.notEqual(await hand.digest(), digest);
    await hand.runs(() => hand.button('Undo').click());
    assert.equal(await hand.digest(), digest);
    await hand.runs(() => hand.dragBelow('PreferNonEmptyMachines', 'PreferLeastUsedRack'));
    assert.ok(await hand.isBelow('PreferNonEmptyMachines', 'PreferLeastUsedRack'));
    await hand.runs(() => hand.button('Undo').click());

    // 13-20: a pupil's expression, and the vote.
    await (await hand.lessons()).filter({ hasText: 'How finely to compare' }).click();
    await lesson(page).getByText(/step 1 of/).waitFor();
    while (!(await lesson(page).getByText('Class vote').count())) {
      const at = await lesson(page).getByText(/step \d+ of/).textContent();
      await button(page, 'Skip this step').click();
      await shows(async () => (await lesson(page).getByText(/step \d+ of/).textContent()) !== at, true);
    }
    await lesson(page).getByText('Class vote').click();
    await lesson(page).getByRole('textbox', { name: /^Predictions, one per line/ }).fill('Ada: B\nLinus: B\nGrace: A');
    const votes = lesson(page).getByRole('table').getByRole('row');
    await shows(async () => (await votes.allTextContents()).slice(0, 2), ['A1', 'B2']);
    await button(page, 'Exit lesson').click();

    // 20-28: a fork, a verdict over seeds, and the first placement that differs.
    await page.getByRole('tab', { name: 'Experiment' }).click();
    await hand.button('Fork as B').click();
    await hand.runs(() => use.uncheck());
    await hand.button('Run both over 8 seeds').click();
    await page.getByText(/95 %/).first().waitFor();
    const differs = page.getByRole('region', { name: 'First placements that differ' });
    await differs.getByRole('button').first().click();
    await page.getByRole('heading', { name: 'Machines left after each rule' }).first().waitFor();

    // 28-31: the shared past of a fork.
    await page.getByRole('slider', { name: 'Moment' }).focus();
    for (let moved = 0; moved < 4; moved += 1) await page.keyboard.press('PageUp');
    await hand.button('Fork here as C').click();
    await hand.button('Variant C').waitFor();

    // 31-39.
    await teach(page, hand, 'Deciding on old news');

    // 39-43: a pair's shared link restores its scenario.
    await page.getByRole('tab', { name: 'Experiment' }).click();
    await hand.runs(() => hand.setBuckets('BestFit', 5));
    const [shared, link] = [await hand.digest(), await hand.link()];
    const pair = await openChromium();
    try {
      await listenToStatus(pair.context);
      await pair.page.goto(link);
      assert.match(await settled(pair.page, 0), /^Done: .*reproduced/);
      assert.equal(await new Hand(pair.page).digest(), shared);
      hold(pair, host);
    } finally {
      await pair.close();
    }

    // 43-45: the footer says what was simulated.
    await page.keyboard.press('Escape');
    await says(page.locator('footer'), /^Seed \d+; digest [0-9a-f]+; engine /);
  }));
