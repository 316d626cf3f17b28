// The page's main job, whole: replay a trace, reorder the rules, see what changes, ask why, share it.
//
// The trace is a changed cut of the packing sample; TIEBREAK_TRACE=.../batched-0.csv.gz takes the whole sample,
// on the preset that is made for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hold, openChromium } from './harness.mjs';
import { BELOW, CHARTS, foreignTrace, Hand, listenToStatus, onPage, RULE, settled } from './people.mjs';

const GIVEN = process.env.TIEBREAK_TRACE;
const TRACE = GIVEN ?? foreignTrace();

/** Gives the trace and waits for its run. */
async function replay(hand) {
  if (GIVEN) {
    const said = await hand.choosePreset('Four hundred machines');
    assert.match(said, /^Waiting for the trace batched-0/);
  }
  const said = await hand.runs(() => hand.giveFile(TRACE));
  assert.match(said, /^Done: /);
  if (GIVEN) console.log(`${GIVEN}: ${said}; digest ${await hand.digest()}`);
}

/** Does an edit and sees that all three charts show and draw something else. */
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

    // Of machines of one size the empty ones are always the worst fit, so that these two rules give the same
    // in either order, whatever the buckets; below the next rule the order matters.
    assert.equal(await hand.isBelow(RULE, BELOW), false);
    await hand.runs(() => hand.moveByMenu(RULE, 'Move down'));
    assert.equal(await hand.isBelow(RULE, BELOW), true);
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

test('a drag that ends where it began, or is broken off, changes nothing', () =>
  onPage({}, async ({ hand, page }) => {
    const [order, digest] = [await hand.order(), await hand.digest()];
    await hand.dragBelow(RULE, RULE);
    await hand.handle(RULE).click();
    await page.keyboard.press('Escape');
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
    await hand.page.waitForTimeout(500);
    assert.match(await hand.status.textContent(), /^Done: /);
    assert.equal(await hand.digest(), opened);
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

/** Looks at one machine after the other until one holds a VM; gives its number. */
async function firstWithVms(explain, vm) {
  for (let machine = 0; machine < 50; machine += 1) {
    const field = explain.getByRole('spinbutton', { name: 'Machine', exact: true });
    await field.fill(String(machine));
    await field.press('Tab');
    const held = explain.getByText(/^[\d,]+ VMs? at /);
    await explain.page().waitForTimeout(100);
    if (!(await held.textContent()).startsWith('0 ')) {
      await vm.waitFor();
      return machine;
    }
  }
  throw new Error('no machine holds a VM');
}

test('Explain says why a VM went to its machine and not to another', () =>
  onPage({}, async ({ hand, page }) => {
    if (GIVEN) await replay(hand);
    const explain = page.getByRole('region', { name: 'Explain' });
    const vm = explain.getByRole('button', { name: /^VM \d+$/ }).first();
    const machine = await firstWithVms(explain, vm);
    const number = (await vm.textContent()).match(/\d+/)[0];
    await vm.click();
    await explain.getByRole('rowheader', { name: 'AreNodeResourcesValid' }).first().waitFor();
    assert.equal(await explain.getByRole('textbox', { name: 'VM' }).inputValue(), number);
    const chosen = explain.getByRole('columnheader', { name: new RegExp(`^Chosen: ${machine}$`) });
    assert.equal(await chosen.count(), 1, 'it went where it was found');

    const asked = machine + 1;
    await explain.getByRole('spinbutton', { name: 'Why not machine' }).fill(String(asked));
    await page.keyboard.press('Tab');
    await explain.getByRole('columnheader', { name: 'Asked about' }).waitFor();
    await explain.getByText(new RegExp(`^(Not machine|Machine) ${asked}\\b.*\\.$`)).waitFor();

    await explain.getByRole('textbox', { name: 'VM' }).fill('77');
    await explain.getByRole('button', { name: 'Explain' }).click();
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
      await fresh.page.getByText(/^This scenario runs on the trace .*Give the file, and the run starts\./).waitFor();
      const said = await other.runs(() => other.giveFile(TRACE));
      assert.match(said, /^Done: .*reproduced/);
      assert.equal(await other.digest(), digest);
      assert.equal(await other.isBelow(RULE, BELOW), true);
      assert.equal(await other.bucketsOf(BELOW).inputValue(), '8');
      assert.deepEqual(await other.numbers(), await hand.numbers(), 'the same numbers');

      // From now on the browser knows the trace: the link alone is enough.
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
    const said = await hand.choosePreset('Four hundred machines');
    assert.match(said, /^Waiting for the trace batched-0/);
    await hand.runs(() => hand.giveFile(foreignTrace()));
    assert.match(await hand.digest(), /^[0-9a-f]{16}$/);
    assert.doesNotMatch(await hand.status.textContent(), /reproduced/);
  }));
