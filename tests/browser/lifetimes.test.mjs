// Lifetimes on the page: a predictor is trained and its quality shown, the map shows classes, machines show their
// state and why it changed, and presets say what to look at.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { axe, cells, tabbedPanel, NARROW, WIDE } from './harness.mjs';
import { drawn, onPage, says, shows, until } from './people.mjs';

const { panel, open } = tabbedPanel('Lifetimes', 'Lifetimes');
const quality = (page) => panel(page).getByRole('region', { name: 'Quality of predictions' });
const explain = (page) => page.getByRole('region', { name: 'Explain' });
const said = (page) => page.evaluate(() => window.said.map(({ text }) => text));
const colours = (page) => page.getByRole('img', { name: 'Fleet map' }).evaluate((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) seen.add(data.slice(at, at + 3).join(' '));
  return [...seen];
});

async function switchOn({ hand, page }) {
  await open(page);
  await hand.runs(() => panel(page).getByRole('button', { name: 'Switch TemporalCost on' }).click());
}

for (const size of [WIDE, NARROW]) {
  test(`a lifetime rule is switched on, learned for, judged, and undone, ${size.width} wide`, () =>
    onPage(size, async (session) => {
      const { hand, page } = session;
      const opened = await hand.digest();
      await open(page);
      await panel(page).getByText(/nothing is predicted/).waitFor();
      assert.equal(await page.getByRole('combobox', { name: 'Colour by' }).count(), 0);
      await hand.runs(() => panel(page).getByRole('button', { name: 'Switch TemporalCost on' }).click());
      assert.ok((await said(page)).includes('Learning lifetimes'), (await said(page)).join(' | '));
      const digest = await hand.digest();
      assert.notEqual(digest, opened);

      await quality(page).waitFor();
      const rows = await cells(quality(page));
      const value = (name) => rows.find(([title]) => title === name)[1];
      assert.match(value('C-index'), /^0\.[5-9]\d$/);
      assert.match(value('Trained on'), /^7,605 VMs$/);
      assert.ok(rows.every(([, , meaning]) => meaning.endsWith('.')));
      for (const chart of ['Prediction errors', /^F1 for 24 h/]) {
        const figure = panel(page).getByRole('figure', { name: chart });
        await figure.getByRole('img').waitFor();
        await figure.getByRole('button', { name: 'Show data table' }).click();
        await until(async () => (await figure.getByRole('row').count()) > 15, `the table of ${chart}`);
      }
      const influence = panel(page).getByRole('region', { name: 'Feature influence' });
      await says(influence.getByRole('row').first(), /^uptime\d/);

      // A changed rule needs no training; another predictor does. (In a narrow window the rules are in a drawer.)
      const before = (await said(page)).length;
      if (size === WIDE) await hand.setBuckets('BestFit', 5);
      assert.ok(!(await said(page)).slice(before).includes('Learning lifetimes'));
      await hand.runs(() => panel(page).getByRole('combobox', { name: 'Predictor', exact: true }).selectOption('Survival table (Kaplan-Meier)'));
      await panel(page).getByText(/^Quality of Survival table/).waitFor();
      for (let step = 0; step < (size === WIDE ? 2 : 1); step += 1) await hand.runs(() => hand.button('Undo').click());
      assert.equal(await hand.digest(), digest);
      await hand.runs(() => hand.button('Undo').click());
      assert.equal(await hand.digest(), opened);
      await quality(page).waitFor({ state: 'detached' });
    }));
}

test('the map by lifetime class shows another moment, and a machine tells its state and why', () =>
  onPage(WIDE, async (session) => {
    const { hand, page } = session;
    await hand.choosePreset('A machine recycles through its classes');
    await page.getByText(/16 machines under LAVA/).waitFor();
    const by = page.getByRole('combobox', { name: 'Colour by' });
    const plain = await colours(page);
    await by.selectOption('lifetime class');
    await page.getByText(/ empty, \d+ open, \d+ recycling at /).waitFor();
    await until(async () => !isDeepStrictEqual(await colours(page), plain), 'other colours');
    const summary = page.locator('#fleet-summary');
    await says(summary, /of class < 1 h, \d+ of class 1-10 h, .* of class over 1000 h/);

    const moment = page.getByRole('slider', { name: 'Moment' });
    const seen = { classes: new Set(), states: new Set(), reasons: new Set() };
    const expected = explain(page).locator('.vms li').filter({ hasText: 'expected to leave at' });
    let holding;
    for (const hours of [6, 18, 30, 42]) {
      await moment.fill(String(hours * 3_600_000));
      await says(summary, new RegExp(` at (\\d+ d )?${String(hours % 24).padStart(2, '0')}:00\\b`));
      await drawn(page);
      seen.classes.add((await colours(page)).sort().join());
      for (let id = 0; id < 16; id += 5) {
        await hand.lookAt(id);
        const state = explain(page).locator('.machine .story');
        seen.states.add((await state.textContent()).split(/[ ,:]/)[0]);
        if (await expected.count()) holding = { hours, id };
        for (const turn of await explain(page).getByRole('list', { name: 'State changes' }).getByRole('listitem').allTextContents()) {
          assert.match(turn, /^(\d+ d )?\d\d:\d\d(:\d\d)?: /);
          seen.reasons.add(turn.replace(/^.*?\d: /, '').replace(/ \(.*$/, ''));
        }
      }
    }
    assert.ok(seen.classes.size > 1, 'the map moves with time');
    assert.ok(seen.states.has('Recycling') && seen.states.size > 1, [...seen.states].join());
    assert.ok(seen.reasons.has('the VMs it waited for have exited: class drops'), [...seen.reasons].join());

    await moment.fill(String(holding.hours * 3_600_000));
    await drawn(page);
    await hand.lookAt(holding.id);
    await expected.first().getByRole('button').click();
    await explain(page).getByText(/^From then on its predicted remaining lifetime was /).waitFor();
    const cost = explain(page).getByRole('region', { name: 'Scores' }).getByRole('row').filter({ hasText: 'Least extra busy time first' });
    if (await cost.count()) assert.match(await cost.textContent(), /would be busy .* \(step \d+\)/);

    const heads = (await hand.table('Fleet map'))[0];
    assert.deepEqual(heads.slice(-7), ['open', 'recycling', '< 1 h', '1-10 h', '10-100 h', '100-1000 h', 'over 1000 h']);
    assert.deepEqual(await axe(page), []);
  }));

test('without a mouse: the rule, the predictor, the colours and a machine', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const press = (key) => page.keyboard.press(key);
    await open(page);
    await page.getByRole('combobox', { name: 'More topics' }).focus();
    await press('Tab');
    await hand.runs(() => press('Enter'));
    await quality(page).waitFor();
    await panel(page).getByRole('combobox', { name: 'Predictor', exact: true }).focus();
    await hand.runs(() => press('ArrowDown'));
    await panel(page).getByText(/^Quality of Tenant's hazards/).waitFor();
    await page.getByRole('combobox', { name: 'Colour by' }).focus();
    await press('ArrowDown');
    await page.getByText(/ open, \d+ recycling at /).waitFor();
    await page.getByRole('img', { name: 'Fleet map' }).focus();
    await press('ArrowDown');
    await press('ArrowDown');
    await explain(page).locator('.machine .story').waitFor();
    assert.deepEqual(await axe(page), []);
  }));

test('what cannot be is told: an accuracy above 100 %, a trace whose VMs never end', () =>
  onPage(WIDE, async (session) => {
    const { hand, page } = session;
    await switchOn(session);
    await hand.runs(() => panel(page).getByRole('combobox', { name: 'Predictor', exact: true }).selectOption('Noisy oracle'));
    const accuracy = panel(page).getByRole('spinbutton', { name: 'accuracy of predictor' });
    await accuracy.fill('180');
    await page.keyboard.press('Tab');
    await page.getByText(/Expected a number from 0 to 100, got "180"; the value stays 80\./).waitFor();
    await shows(() => accuracy.inputValue(), '80');
    await hand.runs(() => panel(page).getByRole('combobox', { name: 'Predictor', exact: true }).selectOption('Boosted trees'));
    const rows = Array.from({ length: 80 }, (_, vm) => `${vm},${vm % 5},2,8,${600 * vm},`);
    const endless = ['vm,tenant,cores,memory_gb,start_s,end_s', ...rows].join('\n');
    await hand.runs(() => hand.giveFile({ name: 'endless.csv', mimeType: 'text/csv', buffer: Buffer.from(endless) }));
    await panel(page).getByText(/does not contain the end of any evaluated VM/).waitFor();
    await panel(page).getByText(/No VM exits in the part/).waitFor();
  }));
