// The whole main job of the page: replay a trace, reorder the rules, see what changes, ask why, share it.
//
// The trace is a changed excerpt of the packing sample; TIEBREAK_TRACE=.../batched-0.csv.gz uses the whole sample, on
// the preset that is made for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileAsForPeople, hold, openChromium } from './harness.mjs';
import {
  BELOW, CHARTS, Hand, RULE, enter, foreignTrace, listenToStatus, menuCloses, menuOpens, onPage, says, settled,
  showTab, shows, until,
} from './people.mjs';

compileAsForPeople();

const GIVEN = process.env.TIEBREAK_TRACE;
const TRACE = GIVEN ?? foreignTrace();

/** Opens the trace and waits for its run. */
async function replay(hand) {
  if (GIVEN) {
    const said = await hand.choosePreset('400 machines');
    assert.match(said, /^Waiting for the trace batched-0/);
  }
  const said = await hand.runs(() => hand.giveFile(TRACE));
  assert.match(said, /^Done: /);
  if (GIVEN) console.log(`${GIVEN}: ${said}; digest ${await hand.digest()}`);
}

/** Makes an edit and checks that all three charts are shown and have changed. */
async function changesAllCharts(hand, what, action) {
  const [numbers, pictures] = [await hand.numbers(), await hand.pictures()];
  assert.match(await hand.runs(action), /^Done: /);
  const [numbersAfter, picturesAfter] = [await hand.numbers(), await hand.pictures()];
  for (const chart of CHARTS) {
    assert.ok(numbersAfter[chart] !== numbers[chart], `the numbers of ${chart} change with: ${what}`);
    assert.ok(picturesAfter[chart] !== pictures[chart], `the picture of ${chart} changes with: ${what}`);
  }
}

test('a trace is replayed, rules are moved and their buckets set, and the charts follow', () =>
  onPage({}, async ({ hand }) => {
    const builtIn = await hand.digest();
    await replay(hand);
    const opened = await hand.digest();
    assert.notEqual(opened, builtIn, 'another trace gives another result');

    // Among machines of one size, empty ones are always the worst fit, so that these two rules give the same result
    // in either order, with any buckets. The next rule scores all machines alike, and below the one after it the
    // order matters.
    assert.equal(await hand.isBelow(RULE, BELOW), false);
    await hand.runs(() => hand.moveByMenu(RULE, 'Move down'));
    assert.equal(await hand.isBelow(RULE, BELOW), true);
    assert.equal(await hand.isBelow(RULE, 'PreferLeastUsedRack'), false);
    await changesAllCharts(hand, 'Move down', () => hand.moveByMenu(RULE, 'Move down'));
    assert.equal(await hand.isBelow(RULE, 'PreferLeastUsedRack'), true);
    const moved = await hand.digest();

    await changesAllCharts(hand, 'Undo', () => hand.button('Undo').click());
    await hand.runs(() => hand.button('Undo').click());
    assert.equal(await hand.isBelow(RULE, BELOW), false);
    assert.equal(await hand.digest(), opened);

    await hand.runs(() => hand.dragBelow(RULE, BELOW));
    assert.equal(await hand.isBelow(RULE, BELOW), true);
    assert.equal(await hand.isBelow(RULE, 'PreferLeastUsedRack'), false);
    await changesAllCharts(hand, 'dragging', () => hand.dragBelow(RULE, 'PreferLeastUsedRack'));
    assert.equal(await hand.digest(), moved, 'dragged or moved by the menu, the result is the same');

    for (const buckets of [1, 3, 'none']) {
      if ((await hand.bucketsOf(BELOW).inputValue()) === String(buckets)) await hand.setBuckets(BELOW, 50);
      await changesAllCharts(hand, `${buckets} buckets`, () => hand.bucketsOf(BELOW).selectOption(String(buckets)));
    }
  }));

test('rules that are off are folded away, and one that is switched on comes out and stays', () =>
  onPage({}, async ({ hand, page }) => {
    const [opened, digest] = [await hand.order(), await hand.digest()];
    const use = page.getByRole('checkbox', { name: 'Use WorstFit' });
    assert.equal(await use.count(), 0, 'it is folded away');
    // Those of the last stage, the machine preferences.
    const folded = page.getByText(/ more rules$/).last();
    const off = async () => Number(/(\d+) more rules$/.exec(await folded.textContent())[1]);
    const before = await off();
    await folded.click();
    await hand.runs(() => use.check());
    await until(() => use.evaluate((field) => field === document.activeElement), 'the focus goes along');
    assert.equal(await off(), before - 1);
    await folded.click();
    assert.deepEqual(await hand.order(), [...opened, 'WorstFit']);
    await hand.runs(() => hand.moveByMenu('WorstFit', 'Move up'));
    assert.deepEqual(await hand.order(), [...opened.slice(0, -1), 'WorstFit', opened.at(-1)], 'past a row that is shown');
    assert.match(await hand.runs(() => use.uncheck()), /^Done: /);
    assert.deepEqual(await hand.order(), [...opened.slice(0, -1), 'WorstFit', opened.at(-1)], 'it stays under the hand');
    assert.equal(await hand.digest(), digest);
    await page.reload();
    await settled(page, 0);
    assert.deepEqual(await hand.order(), opened, 'opened anew, it is folded away again');
  }));

test('caches and agents are told, and a layer that is switched off decides nothing else', () =>
  onPage({}, async ({ hand, page }) => {
    const digest = await hand.digest();
    await showTab(page, 'Caches');
    const rowOf = (table, head) =>
      page.getByRole('table', { name: table }).getByRole('row').filter({ has: page.getByRole('rowheader', { name: head, exact: true }) });
    const evaluations = rowOf(/^Cache layers/, 'Rule evaluations');
    await says(evaluations, /[\d,]+.*\d %.*machines reranked.*kB/);
    await says(rowOf(/^Allocation agents/, '0'), /idle[\d,]+/);
    assert.match(await hand.runs(() => evaluations.getByRole('checkbox').uncheck()), /^Done: /);
    assert.equal(await hand.digest(), digest);
    assert.ok(await evaluations.isVisible(), 'it stays open');
    await showTab(page, 'Charts');
    await page.getByText('Every decision is the same as in the run it is compared with.').waitFor();
    await showTab(page, 'Caches');
    await hand.runs(() => hand.button('Undo').click());
    assert.ok(await evaluations.getByRole('checkbox').isChecked());
  }));

test('a drag that ends where it began, or is broken off, changes nothing', () =>
  onPage({}, async ({ hand, page }) => {
    const [order, digest] = [await hand.order(), await hand.digest()];
    await hand.dragBelow(RULE, RULE);
    await hand.handle(RULE).click();
    await menuOpens(page);
    await page.keyboard.press('Escape');
    await menuCloses(page);
    assert.deepEqual([await hand.order(), await hand.digest()], [order, digest]);
    assert.ok(await hand.button('Undo').isDisabled());
  }));

test('of many edits in a row the newest wins', () =>
  onPage({}, async ({ hand }) => {
    const opened = await hand.digest();
    await hand.runs(async () => {
      for (const buckets of ['1', '2', '4', '5', '6', '8', 'none']) await hand.bucketsOf(BELOW).selectOption(buckets);
      await hand.bucketsOf(BELOW).selectOption('3');
    });
    await shows(() => hand.digest(), opened);
    // Pending messages of the engine about the earlier edits come before its next answer.
    await hand.lookAt(0);
    assert.match(await hand.status.textContent(), /^Done: /);
    assert.equal(await hand.digest(), opened);
  }));

test('a number is typed in peace while a run is under way', () =>
  onPage({}, async ({ hand, page }) => {
    const under = () => page.waitForFunction(() => document.querySelector('[role=status]').textContent === 'Running');
    await hand.openMenu();
    await page.getByRole('combobox', { name: 'Open a preset' }).selectOption({ label: 'A zone of 10,000 machines' });
    await under();
    // With so many agents the run takes many times as long as typing does.
    await hand.setNumber('count of agents', 32);
    await under();
    const field = page.getByRole('spinbutton', { name: 'publishing delay of agents' });
    await field.fill('700');
    // The page is redrawn repeatedly during the run.
    const progress = () => page.locator('.status').innerText();
    for (let times = 0; times < 3; times += 1) {
      const before = await progress();
      await until(async () => (await progress()) !== before, 'progress');
    }
    assert.match(await hand.status.textContent(), /^Running/);
    assert.equal(await field.inputValue(), '700');
    await field.press('Tab');
    await hand.button('Undo').click();
    await under();
    await shows(() => field.inputValue(), '0', 'undo shows in the field');
    await hand.choosePreset('24 machines');
  }));

test('the data tables hold the numbers that the charts show', () =>
  onPage({}, async ({ hand }) => {
    for (const chart of CHARTS) {
      const [head, ...rows] = await hand.table(chart);
      assert.ok(head.length >= 2 && rows.length > 20, `${chart}: ${head}, ${rows.length} rows`);
      for (const row of rows) {
        assert.equal(row.length, head.length);
        assert.match(row[1], /^[\d.,]+$/, `${chart}: ${row}`);
      }
    }
  }));

/** Opens one machine after the other until one holds a VM; returns its number. */
async function firstWithVms(hand) {
  for (let machine = 0; machine < 50; machine += 1) {
    const explain = await hand.lookAt(machine);
    if (!(await explain.getByText(/^[\d,]+ VMs? at /).textContent()).startsWith('0 ')) return machine;
  }
  throw new Error('no machine holds a VM');
}

test('Explain says why a VM went to its machine and not to another', () =>
  onPage({}, async ({ hand, page }) => {
    if (GIVEN) await replay(hand);
    const explain = page.getByRole('region', { name: 'Explain' });
    const vm = explain.getByRole('button', { name: /^VM \d+$/ }).first();
    const machine = await firstWithVms(hand);
    await hand.askAbout(vm);
    await explain.getByRole('rowheader', { name: 'Enough free resources' }).first().waitFor();
    const chosen = explain.getByRole('columnheader', { name: new RegExp(`^Chosen: ${machine}$`) });
    await shows(() => chosen.count(), 1, 'it went where it was found');

    const asked = machine + 1;
    await enter(explain.getByRole('spinbutton', { name: 'Why not machine' }), asked);
    await explain.getByRole('columnheader', { name: 'Selected' }).waitFor();
    await explain.getByText(new RegExp(`^(Not machine|Machine) ${asked}\\b.*\\.$`)).waitFor();

    const submit = () => explain.getByRole('button', { name: 'Explain', exact: true }).click();
    await enter(explain.getByRole('textbox', { name: 'VM' }), 77, submit);
    await explain.getByText('This workload has no VM "77"').waitFor();
  }));

test('a link opens in a fresh profile, asks for the trace, and reproduces the result', () =>
  onPage({}, async ({ hand, host }) => {
    await replay(hand);
    await hand.runs(() => hand.moveByMenu(RULE, 'Move down'));
    await hand.setBuckets(BELOW, 8);
    const digest = await hand.digest();
    const link = await hand.link();
    assert.ok(link.startsWith(host.url) && link.length < 2000, `${link.length} characters: ${link}`);

    const fresh = await openChromium();
    try {
      await listenToStatus(fresh.context);
      await fresh.page.goto(link);
      const other = new Hand(fresh.page);
      assert.match(await settled(fresh.page, 0), /^Waiting for the trace /);
      await fresh.page.getByText(/^This scenario runs on the trace .*Load the file to start the run\./).waitFor();
      const said = await other.runs(() => other.giveFile(TRACE));
      assert.match(said, /^Done: .*reproduced/);
      assert.equal(await other.digest(), digest);
      assert.equal(await other.isBelow(RULE, BELOW), true);
      assert.equal(await other.bucketsOf(BELOW).inputValue(), '8');
      assert.deepEqual(await other.numbers(), await hand.numbers(), 'the same numbers');

      // From now on the browser has the trace: the link alone is enough.
      await fresh.page.goto('about:blank');
      await fresh.page.goto(link);
      assert.match(await settled(fresh.page, 0, '^Done'), /reproduced/);
      assert.equal(await other.digest(), digest);
      hold(fresh, host);
    } finally {
      await fresh.close();
    }
  }));

test('another file than the one the link names does not pass for it', () =>
  onPage({}, async ({ hand }) => {
    const said = await hand.choosePreset('400 machines');
    assert.match(said, /^Waiting for the trace batched-0/);
    await hand.runs(() => hand.giveFile(foreignTrace()));
    assert.match(await hand.digest(), /^[0-9a-f]{16}$/);
    assert.doesNotMatch(await hand.status.textContent(), /reproduced/);
  }));
