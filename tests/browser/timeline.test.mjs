// Events on the timeline: added by menu, by key or by dragging; moved, changed, removed, undone; carried by links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NARROW, WIDE } from './harness.mjs';
import {
  corpusLink, drawn, hasFocus, listenToEngines, listenToStatus, menuCloses, menuOpens, onPage, says, shows, until,
} from './people.mjs';

const timeline = (page) => page.getByRole('region', { name: 'Timeline', exact: true });
const marks = (page) => timeline(page).getByRole('list', { name: 'Events' }).getByRole('button');
const names = (page) => marks(page).evaluateAll((all) => all.map((mark) => mark.ariaLabel));
const lines = (page) => page.getByRole('figure', { name: 'Empty hosts' }).locator('polyline[stroke^="var(--chart-moment"]').count();
const field = (page, name) => timeline(page).getByRole('spinbutton', { name });
async function addByMenu({ hand, page }, title) {
  await hand.button('Add event').click();
  await menuOpens(page);
  await hand.runs(() => page.getByRole('menuitem', { name: title, exact: true }).click());
}

/** Drags from the middle of an element to a share of the line, without releasing the button. */
async function dragToLine(page, from, share) {
  const [start, line] = [await from.boundingBox(), await page.locator('.events-lane').boundingBox()];
  const [x, y] = [start.x + start.width / 2, start.y + start.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 1; step <= 6; step += 1) {
    await page.mouse.move(x + ((line.x + share * line.width - x) * step) / 6, y + ((line.y + 12 - y) * step) / 6);
  }
}

for (const size of [WIDE, NARROW]) {
  test(`machines fail by the menu, the charts follow, and undo takes it back, ${size.width} wide`, () =>
    onPage(size, async (session) => {
      const { hand, page } = session;
      const [opened, numbers] = [await hand.digest(), await hand.numbers()];
      await timeline(page).getByText('Add failures and demand spikes here.').waitFor();
      await addByMenu(session, 'Machines fail');
      assert.deepEqual(await names(page), ['FailMachines at day 7, 00:00'], 'in the middle of two weeks');
      await hasFocus(page, 'FailMachines at day 7, 00:00');
      const one = await hand.digest();
      assert.notEqual(one, opened);
      assert.equal(await lines(page), 1);

      await field(page, 'machines of FailMachines').fill('60');
      await hand.runs(() => page.keyboard.press('Tab'));
      const changed = await hand.numbers();
      for (const [chart, values] of Object.entries(changed)) assert.notEqual(values, numbers[chart], chart);
      await page.getByText(/ VMs went to another machine when they lost their machine/).waitFor();

      await hand.runs(() => hand.button('Undo').click());
      assert.equal(await hand.digest(), one);
      await hand.runs(() => hand.button('Undo').click());
      assert.equal(await hand.digest(), opened);
      assert.deepEqual([await marks(page).count(), await lines(page)], [0, 0]);
      assert.deepEqual(await hand.numbers(), numbers);
      await hand.runs(() => hand.button('Redo').click());
      assert.equal(await hand.digest(), one);
      await hand.runs(() => timeline(page).getByRole('button', { name: 'Remove' }).click());
      assert.equal(await hand.digest(), opened);
      assert.equal(await page.getByRole('status').count(), 1);
    }));
}

test('without a mouse: an event is added where the moment is, moved, opened and removed', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const press = (key) => page.keyboard.press(key);
    const opened = await hand.digest();
    await page.getByRole('slider', { name: 'Moment' }).focus();
    await press('Home');
    await hand.button('Add event').focus();
    await press('Enter');
    await hasFocus(page, 'Machines fail');
    await press('Escape');
    await hasFocus(page, 'Add event', 'Escape leads back');
    await press('Enter');
    // The following keys are for the menu, which has the focus once it is drawn.
    await hasFocus(page, 'Machines fail');
    await press('End');
    await press('Home');
    await press('ArrowDown');
    await hasFocus(page, 'Planned maintenance');
    await hand.runs(() => press('Enter'));
    await hasFocus(page, 'MaintainMachines at day 0, 00:00');
    await menuCloses(page);

    await hand.runs(() => press('ArrowRight'));
    await hasFocus(page, 'MaintainMachines at day 0, 00:30');
    await hand.runs(() => press('PageUp'));
    await hasFocus(page, 'MaintainMachines at day 0, 05:30');
    await hand.runs(() => press('End'));
    await hasFocus(page, 'MaintainMachines at day 14, 00:00', 'the trace ends there');
    await hand.runs(() => press('Shift+ArrowLeft'));
    const moved = 'MaintainMachines at day 13, 19:00';
    await hasFocus(page, moved);

    await press('Enter');
    await shows(() => field(page, 'drain time of MaintainMachines').count(), 0, 'it was open, and Enter closes it');
    await press('Enter');
    await page.getByRole('spinbutton', { name: 'time of MaintainMachines', exact: true }).fill('400');
    await hand.runs(() => press('Tab'));
    assert.deepEqual(await names(page), ['MaintainMachines at day 16, 16:00, after the trace ends']);
    assert.equal(await hand.digest(), opened, 'what never happens changes nothing');
    await press('Escape');
    await hasFocus(page, 'MaintainMachines at day 16, 16:00, after the trace ends');
    await hand.runs(() => press('Delete'));
    assert.equal(await marks(page).count(), 0);
    await hasFocus(page, 'Add event');
    await hand.runs(() => press('Control+z'));
    assert.equal(await marks(page).count(), 1);
  }));

test('kinds are dragged from the menu onto the line, and marks along it', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const opened = await hand.digest();
    const kind = page.getByRole('menuitem', { name: 'Demand spike' });
    await hand.button('Add event').click();
    await dragToLine(page, kind, 0.25);
    // Where it would be dropped.
    await timeline(page).getByText('day 3, 12:00').waitFor();
    await hand.runs(() => page.mouse.up());
    assert.deepEqual(await names(page), ['DemandSpike at day 3, 12:00']);
    const early = await hand.digest();

    await dragToLine(page, marks(page), 0.75);
    await hand.runs(() => page.mouse.up());
    assert.deepEqual(await names(page), ['DemandSpike at day 10, 12:00']);
    assert.ok(await field(page, 'requests of DemandSpike').isVisible(), 'a drag is no click, so it is still open');
    assert.notEqual(await hand.digest(), early);
    await hand.runs(() => hand.button('Undo').click());
    assert.equal(await hand.digest(), early);
    await marks(page).click();
    await shows(() => field(page, 'requests of DemandSpike').count(), 0, 'a click after a drag is one');

    // If it is dropped beside the line, or cancelled, nothing happens.
    await hand.button('Add event').click();
    await dragToLine(page, kind, 0.5);
    await page.mouse.move(700, 800);
    await page.mouse.up();
    await drawn(page);
    assert.deepEqual(await names(page), ['DemandSpike at day 3, 12:00']);
    await page.keyboard.press('Escape');
    await hand.runs(() => hand.button('Undo').click());
    assert.equal(await hand.digest(), opened);
  }));

test('a link carries events, and whoever opens it sees the same', () =>
  onPage({ ...WIDE, path: corpusLink('good/v2-incidents') }, async ({ hand, page, host }) => {
    const shown = await names(page);
    assert.equal(shown.length, 9);
    assert.ok(shown.includes('FailMachines at day 0, 12:00'));
    assert.ok(shown.includes('DecommissionCluster at day 416, 16:00, after the trace ends'));
    assert.equal(await lines(page), 8, 'for all that happened');
    const digest = await hand.digest();
    const link = await hand.link();
    await page.goto('about:blank');
    await page.goto(link.includes(host.origin) ? link : host.url + link.slice(link.indexOf('#')));
    await says(page.getByRole('status', { name: 'Run status' }), /reproduced$/);
    assert.deepEqual([await hand.digest(), await names(page)], [digest, shown]);
  }));

test('a VM whose machine failed is followed to the next one, and the map shows who is down', () =>
  onPage(WIDE, async (session) => {
    const { hand, page } = session;
    await hand.choosePreset('24 machines');
    await addByMenu(session, 'Machines fail');
    await field(page, 'machines of FailMachines').fill('20');
    await hand.runs(() => page.keyboard.press('Tab'));
    const moment = page.getByRole('slider', { name: 'Moment' });
    const explain = page.getByRole('region', { name: 'Explain' });
    await moment.fill(String(11.9 * 3_600_000));
    await drawn(page);
    // Of the first machines with VMs, one whose VM was moved to another.
    let story = null;
    for (let id = 0; id < 24 && !story; id += 1) {
      await hand.lookAt(id);
      const vm = explain.getByRole('button', { name: /^VM \d+/ }).first();
      if (!(await vm.count())) continue;
      await hand.askAbout(vm);
      const said = await explain.locator('.story').allTextContents();
      story = said.find((text) => /It was reallocated to machine/.test(text)) ?? null;
    }
    assert.match(story, /^It lost machine \d+ at 12:00:00, which failed\. It was reallocated to machine \d+ at 12:00:\d\d\./);
    await explain.getByText(/\d+ earlier decisions?/).waitFor();

    await moment.fill(String(12.5 * 3_600_000));
    await page.getByText(/ empty at 12:\d\d:00; 20 failed/).waitFor();
    const down = page.getByRole('figure', { name: 'Fleet map' });
    await down.getByRole('button', { name: 'Show data table' }).click();
    const heads = await down.getByRole('columnheader').allTextContents();
    const rows = await down.getByRole('row').evaluateAll((all) => all.slice(1).map((row) => [...row.cells].map((cell) => cell.textContent)));
    const failed = rows.map((row) => Number(row[heads.indexOf('Not ready')]));
    assert.equal(failed.reduce((sum, count) => sum + count, 0), 20);
  }));

test('between two samples the map shows the machines as they stood then', () =>
  onPage({
    ...WIDE,
    prepare: async ({ context }) => {
      await listenToStatus(context);
      await listenToEngines(context);
    },
  }, async ({ hand, page }) => {
    // From the engine, so that it has nothing else pending.
    await hand.runs(() => hand.runAgain());
    const moment = page.getByRole('slider', { name: 'Moment' });
    const heard = () => page.evaluate(() => window.heard);
    const at = async (minutes) => {
      const before = await heard();
      await moment.fill(String(minutes * 60_000));
      await until(async () => (await heard()) > before, 'what the engine tells of that moment');
      await drawn(page);
      return (await hand.table('Fleet map')).map((row) => row.join(' ')).join('\n');
    };
    // Samples are an hour apart in this run; machines take VMs all the time.
    const hour = await at(10 * 60);
    const seen = new Set([hour]);
    for (const minutes of [10 * 60 + 13, 10 * 60 + 29, 10 * 60 + 47]) seen.add(await at(minutes));
    assert.ok(seen.size > 1, 'the map moves between samples');
    assert.equal(await at(10 * 60), hour, 'and back');
    await moment.focus();
    const value = async () => Number(await moment.inputValue()) / 60_000;
    const before = await value();
    await page.keyboard.press('Shift+ArrowRight');
    await shows(value, before + 1, 'a minute');
    await drawn(page);
    await page.keyboard.press('ArrowRight');
    await until(async () => (await value()) > before + 2, 'a sample');
  }));
