// The film of a decision: played, stepped with buttons and keys, with reduced motion, and as a table.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { NARROW, WIDE, axe, cells } from './harness.mjs';
import { drawn, onPage, says, shows, until } from './people.mjs';

const film = (page) => page.getByRole('region', { name: 'Decision', exact: true });
const button = (page, name) => film(page).getByRole('button', { name, exact: true });
const steps = (page) => film(page).getByRole('list', { name: 'Rules that removed machines' });
const caption = async (page) => (await film(page).locator('#film-caption').textContent()).trim();
const ARRIVES = /^VM \d+ arrives\. Candidates: \d+ machines\.$/;
const LANDS = /^Machine (\d+) (is drawn at random and takes|takes|is drawn from the best few)/;

/** A VM of the default scenario whose first commit failed because another agent was first. */
const TURNED_AWAY = '3609939';
const REACHES = /^Agents (\d+) and (\d+) both choose machine (\d+): for VM (\d+) and for VM (\d+)\.$/;
const LOST = /^Agent (\d+) placed VM (\d+) on machine (\d+) first: VM (\d+) no longer fits there\. The commit of agent (\d+) failed\.$/;

/** Explains this VM. */
async function explainVm({ hand, page }, vm) {
  const field = (await hand.explain()).getByRole('textbox', { name: 'VM', exact: true });
  await field.fill(vm);
  await field.press('Enter');
  await film(page).waitFor();
}

/** Explains a VM of the first machine that has one; returns the machine that its decision chose. */
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

/** Presses a button until the film is over; returns its captions. */
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
    // Away from where the list of steps may appear.
    await page.mouse.move(0, 0);
    await button(page, 'Play').waitFor();
    await drawn(page);
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

for (const size of [WIDE, NARROW]) {
  for (const reducedMotion of [false, true]) {
    test(`two agents reach for a machine and one is turned away, ${size.width} wide${reducedMotion ? ', without motion' : ''}`, () =>
      onPage({ ...size, reducedMotion }, async (session) => {
        const { hand, page } = session;
        if (size === NARROW) await hand.drawer('Explain').click();
        await explainVm(session, TURNED_AWAY);
        await film(page).getByRole('combobox', { name: 'Which decision' }).selectOption({ index: 0 });
        await button(page, 'Replay decision').click();
        // With motion, from the first moment on; otherwise from the first still.
        if (!reducedMotion) await button(page, 'Pause').click();
        await until(async () => !REACHES.test(await caption(page)), 'the beginning');
        const seen = [];
        while (!LOST.test(seen.at(-1)?.told ?? '')) {
          assert.ok(seen.length < 60, JSON.stringify(seen.map(({ told }) => told)));
          const before = await caption(page);
          await button(page, 'Step').click();
          // The end of the current shot has the same caption.
          await drawn(page);
          seen.push({ told: await caption(page), drawn: await picture(page), before });
        }
        const [reach, lost] = seen.slice(-2);
        const [, first, second, machine, rival, vm] = reach.told.match(REACHES);
        assert.equal(vm, TURNED_AWAY);
        assert.notEqual(first, second);
        assert.deepEqual(lost.told.match(LOST).slice(1), [first, rival, machine, vm, second]);
        assert.notEqual(reach.drawn, lost.drawn, 'one of them is turned away');
        assert.deepEqual(await axe(page), []);

        // What the film says about the other VM is true: it is, or was, on the machine where this one was to go.
        await explainVm(session, rival);
        await says(film(page).locator('#film-caption'), reducedMotion ? ARRIVES : new RegExp(`^Machine ${machine} `));
        const explain = page.getByRole('region', { name: 'Explain', exact: true });
        await explain.getByRole('columnheader', { name: `Chosen: ${machine}` }).waitFor();
      }));
  }
}

test('the list of earlier attempts says why their commits failed', () =>
  onPage(WIDE, async (session) => {
    const { page } = session;
    await explainVm(session, TURNED_AWAY);
    const explain = page.getByRole('region', { name: 'Explain', exact: true });
    await explain.getByText('1 earlier attempt ended in a conflict').click();
    await explain.getByText(/Agent \d+ placed VM \d+ on machine \d+ first: VM 3609939 no longer fits there\./).waitFor();
  }));

test('Explain names rules by their titles, with the names of the code as tooltips', () =>
  onPage(WIDE, async (session) => {
    const { page } = session;
    await explainOne(session);
    const explain = page.getByRole('region', { name: 'Explain', exact: true });
    const rules = await explain.locator('.funnel th[scope=row] span[title], .table th[scope=row] span[title]')
      .evaluateAll((spans) => spans.map(({ title, textContent }) => [title, textContent]));
    assert.ok(rules.length > 10, `${rules.length} rules`);
    const code = /^[A-Z][a-z]+([A-Z][a-z]+)+$/;
    for (const [name, title] of rules) {
      assert.doesNotMatch(title, code);
      if (name !== title) assert.match(name, /^[A-Z][A-Za-z]+$/);
    }
    assert.ok(rules.some(([name, title]) => name === 'PreferNonEmptyMachines' && title === 'Fill used machines first'));
    const words = (await explain.innerText()).split(/\s+/).filter((word) => code.test(word));
    assert.deepEqual(words, [], 'no word of Explain is a name of the code');
  }));

test('the film is saved as stills and as an animation, which stands still where nothing may move', () =>
  onPage(WIDE, async (session) => {
    const { page } = session;
    await explainVm(session, TURNED_AWAY);
    const saved = async (name) => {
      const [download] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
      return { name: download.suggestedFilename(), text: fs.readFileSync(await download.path(), 'utf8') };
    };
    const stills = await saved('Stills (SVG)');
    const animation = await saved('Animation (SVG)');
    assert.deepEqual([stills.name, animation.name], [`vm-${TURNED_AWAY}.svg`, `vm-${TURNED_AWAY}-film.svg`]);
    const words = (svg) => [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, line]) => line);
    for (const line of words(stills.text)) assert.ok(words(animation.text).includes(line), line);
    const alone = await page.context().newPage();
    await alone.setContent(`<!doctype html><title>Film</title>${animation.text}`);
    const moving = () => alone.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length);
    await until(async () => (await moving()) > 3, 'it moves');
    const opaque = () => alone.evaluate(() => [...document.querySelectorAll('g[class^=t]')]
      .filter((group) => getComputedStyle(group).opacity === '1').map((group) => group.textContent));
    assert.equal((await opaque()).length, 1, 'one caption at a time');
    await alone.emulateMedia({ reducedMotion: 'reduce' });
    await until(async () => (await moving()) === 0, 'it stands still');
    assert.deepEqual((await opaque()).map((words) => words.startsWith('Machine')), [true], 'its end stands');
    await alone.close();
  }));
