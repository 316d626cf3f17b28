// A custom rule: written on the page, applied, explained and shared; and the editor's messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, NARROW, openChromium, WIDE } from './harness.mjs';
import { enter, Hand, listenToStatus, onPage, says, settled, shows, until } from './people.mjs';

const editor = (page) => page.getByRole('region', { name: 'Custom rule', exact: true });
const text = (page) => editor(page).getByRole('textbox', { name: 'Expression', exact: true });
const fault = (page) => editor(page).getByRole('status');
const offers = (page) => editor(page).getByRole('listbox', { name: 'Names that begin so' }).getByRole('option');
const preview = (page) => editor(page).locator('.preview');
const ruleNames = (page) => page.locator('.rules .rule .rule-name').allTextContents();
const add = (page, stage) => page.getByRole('button', { name: `New rule among ${stage}`, exact: true }).click();

/** Types into a field whose name changes as a result. */
async function rename(field, name) {
  await field.fill(name);
  await field.press('Tab');
}

/** Replaces the expression, and waits for the run. */
const write = (hand, page, expression) => hand.runs(() => text(page).fill(expression));

test('a rule is written by keys, acts, explains a VM and comes out of a link as it was', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const before = await hand.digest();
    await hand.runs(() => add(page, 'Machine preferences'));
    await shows(() => page.evaluate(() => document.activeElement.id), 'rule-expression', 'the focus is where one types');
    await hand.runs(() => enter(editor(page).getByLabel('Name of the rule'), 'LeavesFour'));
    // A new rule is the last of its stage; moved to the top it decides first.
    await hand.runs(() => hand.moveByMenu('LeavesFour', 'Move to top'));

    // Focuses it with the keyboard, which also completes names.
    await text(page).focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('let left = machine.cores_f');
    await shows(() => offers(page).count(), 1);
    await says(offers(page).first(), /^machine\.cores_free/);
    await page.keyboard.press('Enter');
    await hand.runs(() => page.keyboard.type(' - vm.cores;\nlet apart = abs(left - 4);\napart'));
    await shows(() => text(page).inputValue(), 'let left = machine.cores_free - vm.cores;\nlet apart = abs(left - 4);\napart');
    await shows(() => fault(page).textContent(), '');
    assert.notEqual(await hand.digest(), before, 'it acts');
    await editor(page).getByText(/VMs with the same vm\.cores share cached results\. Evaluated again where machine\.cores_free changes\./).waitFor();

    await page.getByRole('tab', { name: 'Decisions', exact: true }).click();
    await hand.askAbout(page.getByRole('region', { name: 'Decisions', exact: true }).getByRole('button', { name: /^VM \d+$/ }).first());
    await page.getByRole('region', { name: 'Explain', exact: true }).getByText(/left = [\d.]+, apart = [\d.]+, score [\d.]+/).first().waitFor();

    const [digest, link] = [await hand.digest(), await hand.link()];
    const fresh = await openChromium();
    try {
      await listenToStatus(fresh.context);
      await fresh.page.goto(link);
      assert.match(await settled(fresh.page, 0), /reproduced$/);
      assert.equal(await new Hand(fresh.page).digest(), digest);
      assert.ok((await ruleNames(fresh.page)).includes('LeavesFour'));
    } finally {
      await fresh.close();
    }
    await page.keyboard.press('Escape');
    for (let steps = 0; (await ruleNames(page)).includes('LeavesFour') || (await ruleNames(page)).includes('MyRule'); steps += 1) {
      assert.ok(steps < 12, 'undo takes all of it back');
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
    }
    await until(async () => (await hand.digest()) === before, 'the run as it was');
  }));

test('what is wrong is said with its place, and the last rule that stood goes on acting', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.runs(() => add(page, 'Machine validators'));
    await text(page).fill('machine.cores_free >= 2 *');
    await says(fault(page), /^Line 1, column 26: expected .*, got the end/);
    assert.equal(await text(page).getAttribute('aria-invalid'), 'true');
    await text(page).fill('machine.coers > 1 ');
    await says(fault(page), /did you mean machine\.cores\?$/);
    await says(editor(page).locator('.expression-under mark'), /^machine\.coers$/);
    await text(page).fill('now > 1 ');
    await says(fault(page), /the clock advances without placements/);
    await text(page).fill('machine.cores + 1 ');
    await says(fault(page), /expected true or false/);
    assert.deepEqual(await axe(page), []);
    await write(hand, page, 'machine.number % 2 == 0');
    await shows(() => fault(page).textContent(), '');
    await says(preview(page), /70 of 140 machines stay candidates\./);
  }));

test('Undo right after typing undoes what was typed, and Redo brings it back', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.runs(() => add(page, 'Machine validators'));
    const first = await text(page).inputValue();
    await text(page).fill('machine.cores_free >= 3 * vm.cores');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await shows(() => text(page).inputValue(), first);
    await page.getByRole('button', { name: 'Redo', exact: true }).click();
    await shows(() => text(page).inputValue(), 'machine.cores_free >= 3 * vm.cores');
  }));

test('an expression that is not valid yet survives a reload, and goes with what replaces it', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const reload = async () => {
      await page.reload();
      await settled(page, 0);
      await page.getByLabel('About MyRule', { exact: true }).click();
      await page.locator('[data-rule="MyRule"]').getByRole('button', { name: 'Edit this rule' }).click();
    };
    await hand.runs(() => add(page, 'Machine validators'));
    const valid = await text(page).inputValue();
    await text(page).fill('machine.cores_free >= 2 *');
    await says(fault(page), /^Line 1, column 26: expected .*, got the end/);
    await reload();
    await shows(() => text(page).inputValue(), 'machine.cores_free >= 2 *');
    await says(fault(page), /^Line 1, column 26: expected .*, got the end/);
    await write(hand, page, 'machine.cores_free >= 2 * vm.cores');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await shows(() => text(page).inputValue(), valid);
    await reload();
    await shows(() => text(page).inputValue(), valid);
    await shows(() => fault(page).textContent(), '');
  }));

test('the values over the fleet are drawn, and told of the machine that is pointed at or clicked', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.runs(() => add(page, 'Machine preferences'));
    await write(hand, page, 'machine.number + 0.5');
    await preview(page).getByText(/^For VM \d+ \(.*\) at 14 d 00:00: from 0\.5 to 139\.5, median 70\.5\.$/).waitFor();
    await preview(page).getByRole('button', { name: 'Show data table' }).click();
    await preview(page).locator('td').first().waitFor();
    await until(async () => {
      const box = await page.locator('canvas').first().boundingBox();
      await page.mouse.move(box.x + 4, box.y + 4);
      await page.mouse.move(box.x + 6, box.y + 6);
      return /; MyRule: 0\.5$/.test(await page.locator('.tip').first().textContent());
    }, 'the value beside the pointer');
    await hand.lookAt(0);
    await preview(page).getByText(/^Machine 0 has machine\.number = 0, score /).waitFor();
  }));

test('a built-in rule is copied as an expression with the same placements', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const digest = await hand.digest();
    await page.getByLabel('About BestFit', { exact: true }).click();
    await hand.runs(() => page.locator('[data-rule="BestFit"]').getByRole('button', { name: 'Edit a copy as an expression' }).click());
    await shows(() => editor(page).getByLabel('Name of the rule').inputValue(), 'MyBestFit');
    assert.equal(await hand.digest(), digest, 'it says the same');
    assert.equal(await page.getByLabel('Use BestFit', { exact: true }).isChecked(), false);
  }));

test('a parameter is added, renamed in the expression, set in the list, and swept', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.runs(() => add(page, 'Machine preferences'));
    await hand.runs(() => editor(page).getByRole('button', { name: 'Add a parameter' }).click());
    await write(hand, page, 'abs(machine.cores_free - p1)');
    await hand.runs(() => rename(editor(page).getByLabel('Name of parameter p1'), 'wanted'));
    await shows(() => text(page).inputValue(), 'abs(machine.cores_free - wanted)');
    await page.getByLabel('About MyRule', { exact: true }).click();
    await hand.runs(() => enter(page.getByRole('spinbutton', { name: 'wanted of MyRule' }), 8));
    await editor(page).getByRole('button', { name: 'Remove wanted' }).click();
    await page.getByText(/^Not changed: MyRule/).waitFor();
    await page.getByRole('tab', { name: 'Sweep', exact: true }).click();
    const fields = page.getByRole('region', { name: 'Sweep', exact: true }).locator('option', { hasText: /MyRule.*wanted|wanted.*MyRule/i });
    await until(async () => (await fields.count()) > 0, 'it can be swept');
  }));

test('a known rule is a start, racks are judged too, and a rule is removed', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.runs(() => add(page, 'Machine preferences'));
    const known = editor(page).getByLabel('Start from a known rule');
    const label = (await known.locator('option').allTextContents()).find((option) => option.startsWith('MostAllocated'));
    await hand.runs(() => known.selectOption({ label }));
    await shows(() => editor(page).getByLabel('Name of the rule').inputValue(), 'MyMostAllocated');
    await rename(editor(page).getByLabel('Name of the rule'), 'BestFit');
    await page.getByText('There is a rule BestFit already.').waitFor();
    await hand.runs(() => editor(page).getByLabel('What the rule judges').selectOption({ label: 'each rack' }));
    await shows(() => text(page).inputValue(), 'rack.cores_used');
    await hand.runs(() => editor(page).getByRole('button', { name: 'Remove this rule' }).click());
    await editor(page).waitFor({ state: 'detached' });
    assert.ok(!(await ruleNames(page)).includes('MyMostAllocated'));
  }));

for (const dark of [false, true]) {
  test(`the editor fits a phone, and axe finds nothing, ${dark ? 'dark' : 'light'}`, () =>
    onPage({ ...NARROW, dark }, async ({ hand, page }) => {
      await hand.drawer('Rules').click();
      await hand.runs(() => add(page, 'Machine preferences'));
      await text(page).waitFor();
      await page.keyboard.type(' + mach');
      await offers(page).first().waitFor();
      assert.deepEqual(await axe(page), []);
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(sideways <= 0, `${sideways} px stick out`);
    }));
}
