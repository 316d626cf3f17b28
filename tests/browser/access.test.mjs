// Accessibility: axe finds nothing in any state, and the main job needs no mouse.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atRest, axe, NARROW, WIDE } from './harness.mjs';
import {
  BELOW, RULE, corpusLink, dismissAll, drawn, enter, focused, hasFocus, menuCloses, menuOpens, onPage, showTab,
  shows, until,
} from './people.mjs';

async function opensMenu(page, button) {
  await button.click();
  await menuOpens(page);
}

async function closesMenu({ page }) {
  await page.keyboard.press('Escape');
  await menuCloses(page);
}

// Every state, how to get there, and how to get back.
const STATES = {
  'as it opens': [() => {}, () => {}],
  'a menu open': [({ hand, page }) => opensMenu(page, hand.handle(RULE)), closesMenu],
  'the menu of events open': [({ hand, page }) => opensMenu(page, hand.button('Add event')), closesMenu],
  'an event open': [
    async ({ hand, page }) => {
      await hand.button('Add event').click();
      await hand.runs(() => page.getByRole('menuitem', { name: 'Machines fail' }).click());
    },
    ({ hand }) => hand.runs(() => hand.button('Undo').click()),
  ],
  'parameters open': [
    ({ page }) => page.getByLabel(`About ${BELOW}`).click(),
    ({ page }) => page.getByLabel(`About ${BELOW}`).click(),
  ],
  'folded rules open, weights by hand': [
    async ({ hand, page }) => {
      await page.getByText(/ more rules$/).last().click();
      await showTab(page, 'Agents and seed');
      await hand.runs(() => page.getByRole('checkbox', { name: 'manual weights of run' }).check());
      await showTab(page, 'Rules');
    },
    async ({ hand, page }) => {
      await showTab(page, 'Agents and seed');
      await hand.runs(() => page.getByRole('checkbox', { name: 'manual weights of run' }).uncheck());
      await showTab(page, 'Rules');
    },
  ],
  'caches and agents open, a moment at which commits failed': [
    async ({ page }) => {
      await showTab(page, 'Caches');
      await page.getByText('Share kept').click();
      await page.getByRole('slider', { name: 'Moment' }).focus();
      await page.keyboard.press('Home');
      await drawn(page);
      for (let samples = 0; samples < 8; samples += 1) {
        await page.keyboard.press('ArrowRight');
        await drawn(page);
      }
      await page.getByText(/commits failed on \d+ machines/).waitFor({ state: 'attached' });
    },
    ({ page }) => showTab(page, 'Charts'),
  ],
  'a VM explained': [
    async ({ hand }) => {
      const explain = await hand.lookAt(0);
      await explain.getByRole('button', { name: /^VM \d+/ }).first().click();
      await explain.getByRole('region', { name: 'Scores' }).waitFor();
      await enter(explain.getByRole('spinbutton', { name: 'Why not machine' }), 7);
      await explain.getByRole('columnheader', { name: 'Selected' }).waitFor();
    },
    () => {},
  ],
  'data tables open': [
    async ({ hand }) => {
      for (const chart of ['Fleet map', 'Empty hosts', 'Conflicts']) await hand.table(chart);
    },
    async ({ page }) => {
      const open = page.getByRole('button', { name: 'Hide data table' });
      for (let left = await open.count(); left > 0; left -= 1) {
        await open.first().click();
        await shows(() => open.count(), left - 1);
      }
    },
  ],
  'the share dialog open': [
    async ({ hand, page }) => {
      await hand.button('Share').click();
      await page.getByRole('dialog', { name: 'Share' }).waitFor();
    },
    async ({ page }) => {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Share' }).waitFor({ state: 'hidden' });
    },
  ],
  'a notice shown': [
    async ({ hand }) => {
      await hand.giveFile({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') });
      await hand.alert.waitFor();
    },
    ({ page }) => dismissAll(page),
  ],
  'compared with the run before': [({ hand }) => hand.setBuckets(BELOW, 1), () => {}],
  'waiting for a trace': [({ hand }) => hand.choosePreset('400 machines'), () => {}],
};

const tab = (name) => ({ page }) => showTab(page, name);

/** Opens one drawer, and closes it again. */
const drawer = (name) => [
  async ({ hand, page }) => {
    await hand.drawer(name).click();
    await page.getByRole('region', { name, exact: true }).waitFor();
  },
  async ({ page }) => {
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name, exact: true }).waitFor({ state: 'hidden' });
  },
];

const DRAWERS = {
  'narrow, as it opens': [() => {}, () => {}],
  'narrow, caches and agents open': [tab('Caches'), tab('Charts')],
  'narrow, the rules drawn out': drawer('Rules'),
  'narrow, Explain drawn out': drawer('Explain'),
};

for (const dark of [false, true]) {
  for (const [size, states] of [[WIDE, STATES], [NARROW, DRAWERS]]) {
    test(`axe finds nothing, ${dark ? 'dark' : 'light'}, ${size.width} wide`, () =>
      onPage({ ...size, dark }, async (session) => {
        // Each violation once, with the first state in which it appeared.
        const found = new Map();
        for (const [state, [there, back]] of Object.entries(states)) {
          await there(session);
          await drawn(session.page);
          for (const violation of await axe(session.page)) if (!found.has(violation)) found.set(violation, state);
          await back(session);
        }
        assert.deepEqual([...found].map(([violation, state]) => `${state}: ${violation}`), []);
      }));
  }
}

test('axe finds nothing when a link is partly unreadable and a draft is offered', () =>
  onPage({ path: corpusLink('bad/out-of-range') }, async ({ page }) => assert.deepEqual(await axe(page), [])));

/** Presses Tab until this has the focus. */
async function tabTo(page, name, key = 'Tab') {
  for (let presses = 0; presses < 120; presses += 1) {
    await page.keyboard.press(key);
    if ((await focused(page)) === name) return;
  }
  assert.fail(`${name} is not reached by ${key}; the focus is on ${await focused(page)}`);
}

test('without a mouse: a rule moved, buckets set, run, shared, undone', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const opened = await hand.digest();
    const press = (key) => page.keyboard.press(key);
    const order = await hand.order();

    await tabTo(page, `Move ${RULE}`);
    await press('Enter');
    await hasFocus(page, 'Move down', 'the first item that can be used');
    for (const item of ['Move to bottom', 'Move down']) {
      await press('ArrowUp');
      await hasFocus(page, item);
    }
    await hand.runs(() => press('Enter'));
    assert.equal(await hand.isBelow(RULE, BELOW), true);
    await hasFocus(page, `Move ${RULE}`, 'the focus is back on the handle');
    await menuCloses(page);

    await press('Enter');
    await menuOpens(page);
    await press('Escape');
    await hasFocus(page, `Move ${RULE}`, 'Escape leads back to the handle');
    await menuCloses(page);

    await tabTo(page, `Buckets for ${BELOW}`, 'Shift+Tab');
    await hand.runs(() => press('ArrowDown'));
    assert.equal(await hand.bucketsOf(BELOW).inputValue(), '4');
    await hasFocus(page, `Buckets for ${BELOW}`, 'the focus stays');
    const edited = await hand.digest();
    assert.notEqual(edited, opened);

    await tabTo(page, 'Share', 'Shift+Tab');
    await press('Enter');
    const link = page.getByRole('dialog', { name: 'Share' }).getByRole('textbox', { name: 'Link' });
    await link.waitFor();
    assert.match(await link.inputValue(), /#3\./);
    await tabTo(page, 'Copy link');
    await press('Escape');
    await link.waitFor({ state: 'hidden' });
    await hasFocus(page, 'Share', 'closed, the focus is back');

    await tabTo(page, 'Undo', 'Shift+Tab');
    for (let steps = 0; steps < 2; steps += 1) await hand.runs(() => press('Enter'));
    assert.equal(await hand.digest(), opened);
    assert.deepEqual(await hand.order(), order);
    assert.ok(await hand.button('Undo').isDisabled());
  }));

test('without a mouse: a moment, a machine and a VM are chosen', () =>
  onPage(WIDE, async ({ page }) => {
    await tabTo(page, 'Fleet map');
    await page.keyboard.press('ArrowDown');
    const explain = page.getByRole('region', { name: 'Explain' });
    const machine = explain.getByRole('spinbutton', { name: 'Machine', exact: true });
    await shows(() => machine.inputValue(), '0');
    await page.keyboard.press('ArrowRight');
    await until(async () => Number(await machine.inputValue()) > 0);
    await page.keyboard.press('ArrowLeft');
    await shows(() => machine.inputValue(), '0');
    const vms = explain.getByRole('button', { name: /^VM \d+/ });
    await vms.first().waitFor();
    await tabTo(page, 'Moment');
    await page.keyboard.press('Home');
    await explain.getByText(/ at 00:00:00$/).waitFor();
    // This machine holds the same VMs from the start to the end.
    await tabTo(page, await vms.first().textContent());
    await page.keyboard.press('Enter');
    await explain.getByRole('region', { name: 'Scores' }).waitFor();
  }));

test('without a mouse: the focus stays where the hand is', async (t) => {
  await t.test('on a handle, while Alt and an arrow move its rule', () =>
    onPage(WIDE, async ({ hand, page }) => {
      await hand.handle(RULE).focus();
      for (let rows = 0; rows < 2; rows += 1) {
        await hand.runs(() => page.keyboard.press('Alt+ArrowDown'));
        await hasFocus(page, `Move ${RULE}`);
      }
      assert.equal(await hand.isBelow(RULE, 'PreferLeastUsedRack'), true);
      await hand.runs(() => page.keyboard.press('Alt+ArrowUp'));
      await hasFocus(page, `Move ${RULE}`);
    }));
  await t.test('on the tab that an arrow key opens', () =>
    onPage(WIDE, async ({ page }) => {
      await page.getByRole('tab', { name: 'Charts' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.getByRole('region', { name: 'Decisions', exact: true }).waitFor();
      await hasFocus(page, 'Decisions');
      await page.keyboard.press('Home');
      await page.getByRole('region', { name: 'Charts' }).waitFor();
      await hasFocus(page, 'Charts');
    }));
  await t.test('on Undo, when there is nothing left to undo', () =>
    onPage(WIDE, async ({ hand, page }) => {
      await hand.setBuckets(BELOW, 5);
      await hand.button('Undo').focus();
      await hand.runs(() => page.keyboard.press('Enter'));
      await drawn(page);
      assert.equal(await focused(page), 'Undo');
    }));
});

for (const width of [NARROW.width, 800]) {
  test(`a side closes by Escape and by its button, ${width} wide`, () =>
    onPage({ ...NARROW, width }, async ({ hand, page }) => {
      for (const name of ['Rules', 'Explain']) {
        const drawer = page.getByRole('region', { name, exact: true });
        const ways = [
          () => page.keyboard.press('Escape'),
          () => page.getByRole('button', { name: /^Close/ }).filter({ visible: true }).click(),
        ];
        for (const close of ways) {
          assert.ok(!(await drawer.isVisible()), `${name} is closed`);
          await hand.drawer(name).click();
          await drawer.waitFor();
          // Once open, it takes keys and covers its part of the page.
          await page.waitForFunction(() => document.activeElement.closest('.side.open'));
          await atRest(page);
          await close();
          await drawer.waitFor({ state: 'hidden' });
        }
      }
    }));
}

test('every target is big enough to hit, and nothing scrolls sideways', () =>
  onPage(NARROW, async ({ hand, page }) => {
    for (const name of ['Rules', 'Explain']) {
      const side = page.getByRole('region', { name, exact: true });
      await hand.drawer(name).click();
      await side.waitFor();
      await atRest(page);
      const small = await page.evaluate(() => [...document.querySelectorAll('button, select, summary, input, a')]
        .filter((target) => target.checkVisibility())
        .map((target) => [target, target.closest('label') ?? target])
        .filter(([, area]) => { const { width, height } = area.getBoundingClientRect(); return width > 0 && Math.min(width, height) < 24; })
        .map(([target, area]) => `${target.ariaLabel ?? target.textContent.trim()}: ${Math.round(area.getBoundingClientRect().height)} px`));
      // WCAG 2.5.8 allows smaller ones with 24 px of free space around them, such as checkboxes in rows.
      assert.deepEqual(small.filter((target) => !target.startsWith('Use ')), []);
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(sideways <= 0, `${sideways} px stick out`);
      await page.keyboard.press('Escape');
      await side.waitFor({ state: 'hidden' });
    }
  }));
