// The list of decisions, and machines: their VMs, and why they are not empty.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, cells, NARROW, WIDE } from './harness.mjs';
import { enter, onPage, says, shows, until } from './people.mjs';

const decisions = (page) => page.getByRole('region', { name: 'Decisions', exact: true });
const table = (page) => decisions(page).getByRole('region', { name: 'Table of decisions' });
const pager = (page) => decisions(page).locator('.pager');
const filter = (page, name) => decisions(page).getByRole('button', { name: new RegExp(`^${name} [\\d,]+$`) });
const film = (page) => page.getByRole('region', { name: 'Decision', exact: true });
const explain = (page) => page.getByRole('region', { name: 'Explain', exact: true });

async function open(page) {
  await page.getByRole('tab', { name: 'Decisions', exact: true }).click();
  await table(page).waitFor();
}

/** The number of VMs that a filter selects, from its button. */
const count = async (page, name) => Number((await filter(page, name).textContent()).match(/[\d,]+$/)[0].replaceAll(',', ''));

test('refused VMs are listed a page at a time, and a VM is found by its number', () =>
  onPage(WIDE, async ({ page }) => {
    await open(page);
    const [all, placed, refused] = [await count(page, 'All'), await count(page, 'Placed'), await count(page, 'Refused')];
    assert.equal(placed + refused, all);
    await shows(() => table(page).locator('tbody tr').count(), 25);
    await filter(page, 'Refused').click();
    await says(pager(page), new RegExp(`1 to 25 of ${refused}`));
    const outcomes = (await cells(table(page))).slice(1).map((row) => row[4]);
    assert.ok(outcomes.every((outcome) => /^(refused|out of retries)/.test(outcome)), outcomes.join(' | '));
    await decisions(page).getByRole('button', { name: 'Next' }).click();
    await says(pager(page), /26 to 50 of /);
    await decisions(page).getByRole('button', { name: 'Previous' }).click();
    await says(pager(page), /1 to 25 of /);
    const vm = (await cells(table(page)))[1][0].match(/\d+/)[0];
    await enter(decisions(page).getByLabel('Search by VM or tenant'), vm);
    await until(async () => (await cells(table(page))).slice(1).every((row) => row[0].includes(vm) || row[3].startsWith(vm)), 'only what was searched');
    await enter(decisions(page).getByLabel('Search by VM or tenant'), 'nobody');
    await says(pager(page), /No VM matches\./);
    await decisions(page).getByRole('button', { name: 'Show all VMs' }).click();
    await says(pager(page), /1 to 25 of /);
    assert.deepEqual(await axe(page), []);
  }));

for (const size of [WIDE, NARROW]) {
  test(`a row opens the film of its decision, ${size.width} wide`, () =>
    onPage(size, async ({ page }) => {
      await open(page);
      const row = table(page).getByRole('button', { name: /^VM \d+$/ }).first();
      const vm = await row.textContent();
      await row.click();
      await film(page).waitFor();
      await until(async () => (await film(page).locator('#film-caption').textContent()).length > 0, 'a caption');
      await shows(() => explain(page).getByRole('textbox', { name: 'VM', exact: true }).inputValue(), vm.match(/\d+/)[0]);
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(sideways <= 0, `${sideways} px stick out`);
    }));
}

test('a machine says what is on it, why it is not empty, and which machines there are', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const map = hand.picture('Fleet map');
    await map.hover({ position: { x: 8, y: 8 } });
    await says(page.locator('.tip').first(), /^Machine \d+, rack \d+ of .+: (empty|\d+ % of its cores in use)/);
    await page.mouse.move(0, 0);
    let machine = 0;
    await hand.lookAt(machine);
    while (!(await explain(page).getByRole('heading', { name: 'Why it is not empty' }).count())) {
      machine += 1;
      assert.ok(machine < 140, 'some machine holds a VM');
      await hand.lookAt(machine);
    }
    const holder = explain(page).locator('.holder');
    await says(holder, /VM \d+ holds it longest: (by the trace it ends at .+\.|it never ends in this trace\.)/);
    await says(holder, new RegExp(`was placed at .+: Machine ${machine} was |moved while it ran`));
    await holder.getByRole('button', { name: /^Explain VM \d+$/ }).click();
    await film(page).waitFor();
    const field = explain(page).getByRole('spinbutton', { name: 'Machine', exact: true });
    await enter(field, 5000);
    await explain(page).getByText('There are 140 machines, numbered 0 to 139.').waitFor();
    assert.equal(await field.inputValue(), '5000');
    assert.equal(await holder.count(), 0);
  }));

test('a rule of an explanation that is pointed at shows on the fleet map who was left', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await open(page);
    // Several rules remove machines in this VM's decision.
    await (await hand.explain()).getByRole('textbox', { name: 'VM', exact: true }).fill('1372181');
    await page.keyboard.press('Enter');
    const rule = explain(page).locator('.funnel-rule').first();
    await rule.waitFor();
    const painted = () => hand.picture('Fleet map').evaluate((canvas) => canvas.toDataURL());
    const before = await painted();
    await rule.focus();
    await until(async () => (await painted()) !== before, 'who was left');
    await explain(page).getByRole('textbox', { name: 'VM', exact: true }).focus();
    await until(async () => (await painted()) === before, 'all of them again');
  }));
