// The film of a decision: played, stepped by button and by key, without motion, and as a table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NARROW, WIDE, cells } from './harness.mjs';
import { onPage, says, shows, until } from './people.mjs';

const film = (page) => page.getByRole('region', { name: 'Decision', exact: true });
const button = (page, name) => film(page).getByRole('button', { name, exact: true });
const steps = (page) => film(page).getByRole('list', { name: 'Rules that removed machines' });
const caption = async (page) => (await film(page).locator('#film-caption').textContent()).trim();
const ARRIVES = /^VM \d+ arrives\. Candidates: \d+ machines\.$/;
const LANDS = /^Machine (\d+) (is drawn at random and takes|takes|is drawn from the best few)/;

/** Explains a VM of the first machine that has one; gives the machine that its decision chose. */
async function explainOne({ hand, page }) {
  for (let machine = 0; machine < 50; machine += 1) {
    const explain = await hand.lookAt(machine);
    if ((await explain.getByText(/^[\d,]+ VMs? at /).textContent()).startsWith('0 ')) continue;
    await hand.askAbout(explain.getByRole('button', { name: /^VM \d+$/ }).first());
    await film(page).waitFor();
    const chosen = await explain.getByRole('columnheader', { name: /^Chosen: \d+$/ }).textContent();
    return chosen.match(/\d+/)[0];
  }
  throw new Error('no machine holds a VM');
}

/** Presses a button until the film is over; gives what it said on the way. */
async function stepToTheEnd(page, press) {
  const told = [await caption(page)];
  while (!LANDS.test(told.at(-1))) {
    assert.ok(told.length < 60, `it has no end: ${told.join(' | ')}`);
    const before = told.at(-1);
    await press();
    await until(async () => (await caption(page)) !== before, `something after "${before}"`);
    told.push(await caption(page));
  }
  return told;
}

/** A digest of what the canvas shows. */
const picture = (page) => film(page).locator('canvas').evaluate((canvas) => canvas.toDataURL());

test('a decision plays by itself and ends at the machine that was chosen', () =>
  onPage(WIDE, async (session) => {
    const { page } = session;
    const machine = await explainOne(session);
    const end = await says(film(page).locator('#film-caption'), LANDS);
    assert.equal((end ?? await caption(page)).match(LANDS)[1], machine);
    await button(page, 'Play').waitFor();
    await button(page, 'Replay decision').click();
    await button(page, 'Pause').click();
    await button(page, 'Play').waitFor();
    const held = await caption(page);
    assert.doesNotMatch(held, LANDS);
    assert.equal(await caption(page), held, 'paused');
  }));

test('Step goes through the steps, and an arrow key goes back', () =>
  onPage(WIDE, async (session) => {
    const { page } = session;
    const machine = await explainOne(session);
    await button(page, 'Replay decision').click();
    await button(page, 'Pause').click();
    const names = await steps(page).getByRole('button').allTextContents();
    assert.ok(names.length > 0, 'some step drops machines');
    const last = await steps(page).getByRole('button').count();
    await steps(page).getByRole('button').first().click();
    await shows(() => steps(page).getByRole('button').first().getAttribute('aria-current'), 'step');
    const told = await stepToTheEnd(page, () => button(page, 'Step').click());
    assert.equal(told.length, last + 2, `every step, the best and the choice: ${told.join(' | ')}`);
    assert.equal(told.at(-1).match(LANDS)[1], machine);
    await film(page).focus();
    await page.keyboard.press('ArrowLeft');
    await shows(() => caption(page), told.at(-2));
    await page.keyboard.press('ArrowRight');
    await shows(() => caption(page), told.at(-1));
  }));

test('a step that is pointed at shows who was left there', () =>
  onPage(WIDE, async (session) => {
    const { page } = session;
    await explainOne(session);
    await button(page, 'Play').waitFor();
    const end = await picture(page);
    await steps(page).getByRole('button').first().hover();
    await until(async () => (await picture(page)) !== end, 'who was left');
    await film(page).getByRole('heading', { name: 'Decision' }).hover();
    await until(async () => (await picture(page)) === end, 'the end again');
    await steps(page).getByRole('button').first().focus();
    await until(async () => (await picture(page)) !== end, 'who was left, by focus');
  }));

test('its table says the same', () =>
  onPage(WIDE, async (session) => {
    const { page } = session;
    const machine = await explainOne(session);
    await button(page, 'Show data table').click();
    const table = page.getByRole('region', { name: 'Decision: data table' });
    const rows = (await cells(table)).slice(1);
    assert.equal(rows.length, await steps(page).getByRole('button').count());
    await table.getByText(LANDS).waitFor();
    assert.equal((await table.getByText(LANDS).textContent()).match(LANDS)[1], machine);
  }));

for (const size of [WIDE, NARROW]) {
  test(`without motion it stands still, and Step shows four stills at most, ${size.width} wide`, () =>
    onPage({ ...size, reducedMotion: true }, async (session) => {
      const { hand, page } = session;
      if (size === NARROW) await hand.drawer('Explain').click();
      const machine = await explainOne(session);
      await button(page, 'Play').waitFor();
      assert.match(await caption(page), ARRIVES);
      const told = await stepToTheEnd(page, () => button(page, 'Step').click());
      assert.ok(told.length >= 2 && told.length <= 4, told.join(' | '));
      assert.equal(told.at(-1).match(LANDS)[1], machine);
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(sideways <= 0, `${sideways} px stick out`);
    }));
}
