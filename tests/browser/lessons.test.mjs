// Lessons: chosen from the list, from a link and from a file, with a mouse and without one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, compileAsForPeople } from './harness.mjs';
import { BELOW, drawn, enter, focused, Hand, hasFocus, listenToStatus, onPage, openTab, says, shows, until } from './people.mjs';

compileAsForPeople();

const WIDE = { width: 1440, height: 1000 };
const lesson = (page) => page.getByRole('region', { name: 'Lesson', exact: true });
const button = (page, name) => lesson(page).getByRole('button', { name, exact: true });

async function choose(page, index) {
  const lessons = await new Hand(page).lessons();
  await lessons.nth(index - 1).click();
  await lesson(page).waitFor();
}

/** Answers the step's question with the keyboard only, whatever its kind, and shows the run. */
async function answer(page) {
  const fields = lesson(page).getByRole('spinbutton');
  // Naming a machine and judging a goal need results of the run, which may still be going on.
  await lesson(page).getByRole('radio').or(fields).or(button(page, 'Show a solution')).first().waitFor();
  if (await lesson(page).getByRole('radio').count()) {
    await lesson(page).getByRole('radio').first().focus();
    await page.keyboard.press('Space');
  } else if (await lesson(page).getByRole('slider').count()) {
    await lesson(page).getByRole('slider').focus();
    await page.keyboard.press('ArrowRight');
  } else if (await fields.count()) {
    for (const at of [0, 4]) {
      await fields.nth(at).focus();
      await page.keyboard.type('3');
      await page.keyboard.press('Tab');
    }
  } else {
    await press(page, 'Show a solution');
    await says(lesson(page).getByRole('alert'), /^This run reaches the goal\.$/);
    return 'drag';
  }
  await press(page, 'Run and see');
  await says(lesson(page).getByRole('alert'), /^(Right\. )?Answer: |^Your curve differs /);
  return 'other';
}

/** Presses Enter on a focused button of the lesson. */
async function press(page, name) {
  await button(page, name).focus();
  await hasFocus(page, name);
  await page.keyboard.press('Enter');
}

/** The number of lessons, once the list has loaded. */
async function listed(page) {
  return (await new Hand(page).lessons()).count();
}

test('a lesson asks before it shows, and says what the run says', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const name = await hand.name.inputValue();
    assert.ok(await listed(page) >= 10);
    await choose(page, 1);
    await drawn(page);
    assert.equal(await page.getByRole('figure', { name: 'Empty hosts' }).count(), 0, 'nothing is shown before the answer');
    await shows(() => page.getByText('% left').count(), 0, 'nor is what rules did');
    await enter(lesson(page).getByRole('spinbutton'), 3);
    await button(page, 'Run and see').click();
    await says(lesson(page).getByRole('alert'), /^Answer: 9\.\d of 24 machines\. Your estimate is 6\.\d too low\.$/);
    await shows(() => page.evaluate(() => document.activeElement.id), 'lesson-verdict', 'the focus is on what is new');
    await page.getByRole('figure', { name: 'Empty hosts' }).waitFor();
    await button(page, 'Next').click();
    await lesson(page).getByText(/step 2 of/).waitFor();
    await shows(() => page.evaluate(() => document.activeElement.id), 'lesson-step');
    await shows(() => page.getByText('% left').count(), 0, 'the next question hides them again');
    await lesson(page).getByRole('radio').first().check();
    await button(page, 'Run and see').click();
    await lesson(page).getByText('(the result of the run)').waitFor();
    assert.equal(await lesson(page).getByText('(the result of the run)').count(), 1);
    await says(lesson(page).getByRole('alert'), /^Answer: B, [\d.]+ %\.$/);
    await button(page, 'Back').click();
    await button(page, 'Exit lesson').click();
    await lesson(page).waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Experiment' }).click();
    await shows(() => hand.name.inputValue(), name, 'what was open before is open again');
  }));

test('every lesson runs from its first step to its last, by the keyboard alone', () =>
  onPage(WIDE, async ({ page }) => {
    const lessons = await listed(page);
    for (let index = 1; index <= lessons; index += 1) {
      const cards = await new Hand(page).lessons();
      await cards.nth(index - 1).focus();
      await page.keyboard.press('Enter');
      await lesson(page).waitFor();
      const steps = Number((await lesson(page).getByText(/step 1 of \d+/).textContent()).match(/of (\d+)/)[1]);
      await lesson(page).locator('#lesson-step').focus();
      for (let step = 1; step <= steps; step += 1) {
        await lesson(page).getByText(`step ${step} of ${steps}`).waitFor();
        await shows(() => page.getByRole('figure').count(), 0, 'nothing of the run before the answer');
        await answer(page);
        await lesson(page).locator('#lesson-step').focus();
        if (step < steps) await page.keyboard.press('PageDown');
      }
      await press(page, 'Finish');
      await lesson(page).waitFor({ state: 'detached' }).catch(async (error) => {
        const text = await lesson(page).innerText();
        throw new Error(`lesson ${index} is still open, with the focus on "${await focused(page)}":\n${text}`, { cause: error });
      });
    }
  }));

test('the end of a lesson leads to the next one and to all', () =>
  onPage({ ...WIDE, path: '#lesson=01-ties-and-order/4' }, async ({ page }) => {
    await lesson(page).getByText(/step 4 of 4/).waitFor();
    await lesson(page).getByRole('radio').first().check();
    await button(page, 'Run and see').click();
    await lesson(page).getByText('Rejections fell from 552 to 352.').waitFor();
    await button(page, 'Next lesson: How finely to compare').click();
    await lesson(page).getByText('How finely to compare: step 1 of 5').waitFor();
    await shows(() => page.evaluate(() => document.activeElement.id), 'lesson-step');
  }));

test('a machine is named and a rule is moved', () =>
  onPage({ ...WIDE, path: '#lesson=02-buckets' }, async ({ page, host }) => {
    await lesson(page).locator('.lesson-machine').nth(6).click();
    await button(page, 'Run and see').click();
    await says(lesson(page).getByRole('alert'), /^Right\. Answer: machine 6\.$/);
    await page.goto(`${host.url}#lesson=01-ties-and-order/3`);
    await lesson(page).getByText(/step 3 of/).waitFor();
    await page.getByRole('button', { name: 'Move BestFit' }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await button(page, 'Run and see').click();
    await says(lesson(page).getByRole('alert'), /^This run reaches the goal\.$/);
    await page.getByRole('button', { name: 'Move BestFit' }).focus();
    await page.keyboard.press('Alt+ArrowDown');
    await says(lesson(page).getByRole('alert'), /^Not yet: empty hosts: [\d.]+ % now; expected more than 15 %\./);
  }));

test('a lesson speaks German where the page does', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.lessons();
    await hand.openMenu();
    await page.getByRole('combobox', { name: 'Language' }).selectOption({ label: 'Deutsch' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Gleichstand und Reihenfolge/ }).click();
    await page.getByRole('heading', { name: 'Eine Regel, viele Gleichstände' }).waitFor();
  }));

test('beside the text the map and the chart are in view, also at 1280 by 720', () =>
  onPage({ width: 1280, height: 720, path: '#lesson=01-ties-and-order/4' }, async ({ page }) => {
    await button(page, 'Run without predicting').click();
    await page.getByRole('figure', { name: 'Empty hosts' }).waitFor();
    await drawn(page);
    await page.evaluate(() => window.scrollTo(0, 0));
    for (const name of ['Fleet map', 'Empty hosts']) {
      const box = await page.getByRole('figure', { name, exact: true }).boundingBox();
      assert.ok(box.y >= 0 && box.y + box.height <= 720, `${name}: ${box.y} to ${box.y + box.height}`);
    }
    const text = await lesson(page).boundingBox();
    assert.ok(text.x + text.width <= 1280 * 0.42, `the text ends at ${text.x + text.width}`);
  }));

test('a link opens a lesson at a step, and an unknown one says so', () =>
  onPage({ ...WIDE, path: '#lesson=02-buckets/2' }, async ({ page, host }) => {
    await lesson(page).getByText(/step 2 of/).waitFor();
    await page.goto(`${host.url}#lesson=no-such-thing`);
    await page.getByText('got "no-such-thing"').waitFor();
  }));

const OWN = `# My own

## A curve

\`\`\`scenario
preset: small
\`\`\`

\`\`\`unlock
charts: EmptyHosts
\`\`\`

\`\`\`predict
curve: EmptyHosts
ask: How many hosts stay empty?
\`\`\`

So it goes.
`;

/** The canvas of a curve and its position, once that is stable. */
async function canvasOf(page) {
  const canvas = lesson(page).locator('.canvas');
  await canvas.scrollIntoViewIfNeeded();
  let box;
  await until(async () => {
    const before = box;
    await drawn(page);
    box = await canvas.boundingBox();
    return before && Object.keys(box).every((side) => box[side] === before[side]);
  }, 'a canvas that stays in its place');
  return { canvas, box };
}

test("a teacher's own file is a lesson, a curve can be drawn or given in numbers, and a wrong line is named", () =>
  onPage(WIDE, async ({ hand, page }) => {
    const give = (text) => hand.giveFile({ name: 'mine.md', mimeType: 'text/markdown', buffer: Buffer.from(text) });
    await give(OWN.replace('preset: small', 'preset: tiny'));
    await page.getByText(/^line 6: expected/).waitFor();
    await page.getByRole('button', { name: /^Dismiss/ }).first().click();
    await give(OWN);
    const { box } = await canvasOf(page);
    await page.mouse.move(box.x + 10, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 10, box.y + box.height - 20, { steps: 12 });
    await page.mouse.up();
    const numbers = lesson(page).getByRole('spinbutton');
    await shows(() => numbers.count(), 5);
    await enter(numbers.first(), 30);
    await enter(numbers.last(), 10);
    await button(page, 'Run and see').click();
    await lesson(page).getByText(/^Your curve differs from the run by [\d.]+ % on average/).waitFor();
    await page.getByRole('figure', { name: 'Empty hosts' }).getByText(/^predicted/).first().waitFor();
  }));

test('a prediction drawn off the chart stays on it', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.giveFile({ name: 'mine.md', mimeType: 'text/markdown', buffer: Buffer.from(OWN) });
    const { canvas, box } = await canvasOf(page);
    await page.mouse.move(box.x + 30, box.y + 20);
    await page.mouse.down();
    for (const [x, y] of [[-80, -60], [box.width / 2, box.height + 90], [box.width + 120, -40]]) {
      await page.mouse.move(box.x + x, box.y + y, { steps: 6 });
    }
    await page.mouse.up();
    await drawn(page);
    const points = (await canvas.locator('polyline').getAttribute('points')).split(' ').map((point) => point.split(',').map(Number));
    assert.ok(points.length > 5, `${points.length} points`);
    assert.ok(points.every(([x, y]) => x >= 0 && x <= 600 && y >= 0 && y <= 200), `inside its frame: ${points.join(' ')}`);
    assert.ok(points.every(([x], at) => at === 0 || x >= points[at - 1][0]), 'one value at a time');
    await button(page, 'Run and see').click();
    await lesson(page).getByText(/^Your curve differs from the run by [\d.]+ % on average/).waitFor();
  }));

test('predictions of a class are pasted and counted', () =>
  onPage({ ...WIDE, path: '#lesson=01-ties-and-order/2' }, async ({ page }) => {
    await lesson(page).getByText('Class vote').click();
    await lesson(page).getByRole('textbox').fill('Ann: A\nBen b\nCem: B\nsomething else\n');
    const rows = lesson(page).locator('.votes tr');
    await shows(async () => (await rows.allTextContents()).slice(0, 2), ['A1', 'B2']);
    await lesson(page).getByText(/^1 line was not counted/).waitFor();
  }));

for (const dark of [false, true]) {
  test(`axe finds nothing in a lesson, before and after the answer, ${dark ? 'dark' : 'light'}`, () =>
    onPage({ ...WIDE, dark }, async ({ page }) => {
      for (const index of [1, 2]) {
        await choose(page, index);
        assert.deepEqual(await axe(page), []);
        await button(page, 'Run without predicting').click();
        await says(lesson(page).getByRole('alert'), /^Answer: /);
        assert.deepEqual(await axe(page), []);
        await button(page, 'Exit lesson').click();
        await lesson(page).waitFor({ state: 'detached' });
      }
    }));
}

test('a lesson fits a phone', () =>
  onPage({ width: 390, height: 844 }, async ({ page }) => {
    await choose(page, 1);
    await drawn(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} px`);
  }));

test('a teacher freezes states of the page as steps, tries them, and shares them as a link', () =>
  onPage({
    ...WIDE,
    prepare: async ({ context }) => {
      await listenToStatus(context);
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    },
  }, async (session) => {
    const { hand, page } = session;
    const digest = await hand.digest();
    const own = page.getByRole('dialog', { name: 'Your own lesson' });
    const make = async () => {
      await hand.openMenu();
      await hand.button('Write a lesson…').click();
      await own.waitFor();
    };
    await make();
    await own.getByRole('button', { name: 'Freeze as step' }).click();
    await own.getByRole('alert').getByText(/expected a title of 1 to \d+ characters/).waitFor();
    await own.getByLabel('Title of the step').fill('Where does it start?');
    await own.getByLabel('Text: paragraphs, lists, *emphasis*').fill('Look at the *empty* machines.');
    await own.getByLabel('Rules shown').selectOption('none');
    await own.getByLabel('explain', { exact: true }).uncheck();
    await own.getByRole('button', { name: 'Freeze as step' }).click();
    await own.getByText('The step was added at the end of the lesson.').waitFor();
    assert.deepEqual(await axe(page), []);
    await own.getByRole('button', { name: 'Close' }).click();

    await hand.setBuckets(BELOW, 2);
    await make();
    await own.getByLabel('Title of the step').fill('And with two buckets?');
    await own.getByLabel('Question to predict').selectOption('Empty hosts');
    await own.getByLabel('The reason, shown after the run').fill('Few buckets leave ties to the rules below.');
    await own.getByRole('button', { name: 'Freeze as step' }).click();
    const text = own.getByLabel('The lesson so far, as Markdown');
    await page.waitForFunction((area) => /two buckets[^]*curve: EmptyHosts/.test(area.value), await text.elementHandle());
    await own.getByRole('button', { name: 'Copy link' }).click();
    await own.getByRole('button', { name: 'Copied' }).waitFor();
    const address = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(address, /#lesson-text=[\w-]+$/);
    const written = await text.inputValue();

    await own.getByRole('button', { name: 'Try it' }).click();
    await lesson(page).getByText('My lesson: step 1 of 2').waitFor();
    await shows(() => page.getByRole('complementary', { name: 'Explanations' }).count(), 0, 'what was not ticked is hidden');
    await shows(() => page.getByRole('listitem').filter({ hasText: 'PreferNonEmptyMachines' }).count(), 0);
    await page.getByText(`digest ${digest}`).waitFor(); // the state that was frozen, run again
    await button(page, 'Next').click();
    await lesson(page).getByText('How will this go: empty hosts?').waitFor();
    await says(page.locator('footer'), /digest …/, 'the answer is nowhere before it is asked for');
    await button(page, 'Exit lesson').click();
    await lesson(page).waitFor({ state: 'detached' });

    // The link carries the lesson, and the written text is there after a reload.
    await page.reload();
    await hand.status.waitFor();
    await make();
    await shows(() => text.inputValue(), written);
    await own.getByRole('button', { name: 'Close' }).click();
    const { page: other } = await openTab(session, `${address}/2`);
    await lesson(other).getByText('My lesson: step 2 of 2').waitFor();
    const { page: cut } = await openTab(session, address.slice(0, -40));
    await cut.getByRole('alert').getByText(/the link seems truncated/).waitFor();
  }));
