// Lessons: chosen from the list, walked with a mouse and without one, from a link, from a file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe } from './harness.mjs';
import { onPage } from './people.mjs';

const WIDE = { width: 1440, height: 1000 };
const lesson = (page) => page.getByRole('region', { name: 'Lesson' });
const button = (page, name) => lesson(page).getByRole('button', { name, exact: true });

async function choose(page, index) {
  const list = page.getByRole('combobox', { name: 'Open a lesson' });
  await list.locator('option').nth(index).waitFor({ state: 'attached' });
  await list.selectOption({ index });
  await lesson(page).waitFor();
}

async function listed(page) {
  const list = page.getByRole('combobox', { name: 'Open a lesson' });
  await list.locator('option').nth(1).waitFor({ state: 'attached' });
  return (await list.locator('option').count()) - 1;
}

test('a lesson asks before it shows, and says what the run says', () =>
  onPage(WIDE, async ({ hand, page }) => {
    assert.ok(await listed(page) >= 10);
    const name = await hand.name.inputValue();
    await choose(page, 1);
    assert.equal(await page.getByRole('figure', { name: 'Empty hosts' }).count(), 0, 'nothing is shown before the answer');
    await lesson(page).getByRole('radio').first().check();
    await button(page, 'Run and see').click();
    await lesson(page).getByText('(what the run says)').waitFor();
    assert.equal(await lesson(page).getByText('(what the run says)').count(), 1);
    assert.match(await lesson(page).getByRole('alert').textContent(), /^(Right\.|The run says [A-F]\.)$/);
    await button(page, 'Next').click();
    await lesson(page).getByText(/step 2 of/).waitFor();
    await button(page, 'Back').click();
    await button(page, 'Leave the lesson').click();
    assert.equal(await lesson(page).count(), 0);
    assert.equal(await hand.name.inputValue(), name, 'what was open before is open again');
  }));

test('every lesson runs from its first step to its last, by the keyboard alone', () =>
  onPage(WIDE, async ({ page }) => {
    const lessons = await listed(page);
    for (let index = 1; index <= lessons; index += 1) {
      await choose(page, index);
      const steps = Number((await lesson(page).getByText(/step 1 of \d+/).textContent()).match(/of (\d+)/)[1]);
      await lesson(page).locator('#lesson-step').focus();
      for (let step = 1; step <= steps; step += 1) {
        await lesson(page).getByText(`step ${step} of ${steps}`).waitFor();
        const radio = lesson(page).getByRole('radio');
        if (await radio.count()) {
          await radio.first().focus();
          await page.keyboard.press('Space');
          await button(page, 'Run and see').focus();
          await page.keyboard.press('Enter');
          await lesson(page).getByText('(what the run says)').waitFor({ timeout: 40_000 });
          await lesson(page).locator('#lesson-step').focus();
        } else if (await button(page, 'Run without predicting').count()) {
          await page.keyboard.press('PageDown');
        }
        if (step < steps) await page.keyboard.press('PageDown');
      }
      await button(page, 'Finish').focus();
      await page.keyboard.press('Enter');
    }
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

test("a teacher's own file is a lesson, a curve can be drawn or given in numbers, and a wrong line is named", () =>
  onPage(WIDE, async ({ hand, page }) => {
    const give = (text) => hand.giveFile({ name: 'mine.md', mimeType: 'text/markdown', buffer: Buffer.from(text) });
    await give(OWN.replace('preset: small', 'preset: tiny'));
    await page.getByText(/^line 6: expected/).waitFor();
    await page.getByRole('button', { name: /^Dismiss/ }).first().click();
    await give(OWN);
    const canvas = lesson(page).locator('.canvas');
    await canvas.waitFor();
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + 10, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 10, box.y + box.height - 20, { steps: 12 });
    await page.mouse.up();
    const numbers = lesson(page).getByRole('spinbutton');
    assert.equal(await numbers.count(), 5);
    await numbers.first().fill('30');
    await numbers.first().press('Tab');
    await numbers.last().fill('10');
    await numbers.last().press('Tab');
    await button(page, 'Run and see').click();
    await lesson(page).getByText(/^Your curve is [\d.]+ % from the run on average/).waitFor();
    await page.getByRole('figure', { name: 'Empty hosts' }).getByText(/^predicted/).first().waitFor();
  }));

test('predictions of a class are pasted and counted', () =>
  onPage(WIDE, async ({ page }) => {
    await choose(page, 1);
    await lesson(page).getByText('A class predicts').click();
    await lesson(page).getByRole('textbox').fill('Ann: A\nBen b\nCem: B\nsomething else\n');
    const rows = lesson(page).locator('.votes tr');
    assert.deepEqual((await rows.allTextContents()).slice(0, 2), ['A1', 'B2']);
    await lesson(page).getByText(/^1 line was not counted/).waitFor();
  }));

for (const dark of [false, true]) {
  test(`axe finds nothing in a lesson, before and after the answer, ${dark ? 'dark' : 'light'}`, () =>
    onPage({ ...WIDE, dark }, async ({ page }) => {
      await choose(page, 2);
      assert.deepEqual(await axe(page), []);
      await button(page, 'Run without predicting').click();
      await lesson(page).getByText('(what the run says)').waitFor();
      assert.deepEqual(await axe(page), []);
    }));
}

test('a lesson fits a phone', () =>
  onPage({ width: 390, height: 844 }, async ({ page }) => {
    await choose(page, 1);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} px`);
  }));
