// Power on the page: a chassis budget, which VMs are throttled and why, how low budgets may be, and servers for
// trying out capping (rows W2 to W5).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, cells, tabbedPanel, NARROW, WIDE } from './harness.mjs';
import { onPage } from './people.mjs';

const { panel, open, set } = tabbedPanel('Power', 'Power');
const table = (page, name) => panel(page).getByRole('region', { name, exact: true });

/** A preset with a shortage of power. */
async function short(hand, page) {
  await hand.choosePreset('24 machines');
  await open(page);
  const capping = panel(page).getByRole('combobox', { name: 'capping of power draw', exact: true });
  await hand.runs(() => capping.selectOption('per_vm'));
  await hand.runs(() => set(page, 'budget of power draw', 50));
  await table(page, 'Capping events').waitFor();
}

test('a chassis over its budget slows down whom nobody waits for, and says why', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.choosePreset('24 machines');
    const digest = await hand.digest();
    await short(hand, page);
    assert.equal(await hand.digest(), digest, 'what is done about power changes no placement');
    const rows = (await cells(table(page, 'Capping events'))).slice(1);
    assert.ok(rows.length > 0 && rows.every((row) => Number.parseFloat(row[7]) >= 50), String(rows[0]));
    await table(page, 'Capping events').getByRole('button').first().click();
    await panel(page).getByText(/^The peak demand of chassis \d+ was [\d,]+ W\. Its budget is [\d,]+ W/).waitFor();
    await panel(page).getByText(/^(The controllers were enough|That was not enough)/).waitFor();
    const slowed = (await cells(table(page, 'Throttled VMs'))).slice(1);
    assert.ok(slowed.length > 0 && slowed.every((row) => /user-facing/.test(row[1])), String(slowed[0]));
    assert.deepEqual(await axe(page), []);
  }));

test('how low budgets may be follows from the draws of the run, for eight ways to provision', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await short(hand, page);
    await table(page, 'Lowest budgets by this run').getByRole('row').nth(8).waitFor();
    const rows = (await cells(table(page, 'Lowest budgets by this run'))).slice(1);
    assert.equal(rows.length, 8);
    const lower = rows.map((row) => Number.parseFloat(row[2]));
    assert.ok(lower[0] === 0 && lower[3] >= lower[2], 'minimal impact reaches at least as low as none');
    await table(page, 'Lowest budgets by this run').getByRole('button').last().click();
    await panel(page).getByText(/^At [\d,]+ W without the buffer there would have been .* The limit: /).waitFor();
    const figure = panel(page).getByRole('figure', { name: 'Lowest budgets by this run' });
    await figure.getByRole('button', { name: 'Show data table' }).click();
    await figure.getByRole('button', { name: 'Hide data table' }).waitFor();
  }));

test('a file of draws tells how low budgets may be, and one of CPU readings who is user-facing', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await short(hand, page);
    const give = (name, text) => panel(page).getByLabel('File with power readings').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
    await give('draws.csv', `chassis,watts\n${Array.from({ length: 400 }, (_, at) => `${at % 4},${3000 + at}`).join('\n')}\n`);
    const mine = table(page, 'Lowest budgets by the file');
    await mine.waitFor();
    assert.equal((await cells(mine)).length, 9);
    await give('broken.csv', 'watts\n3000\nmany\n');
    await panel(page).getByText(/expected 0 W or more in line 3, got "many"/).waitFor();
    // Half-hours of five days: busy by day, and busy every second hour.
    const rows = Array.from({ length: 240 }, (_, at) => {
      const day = 50 - 40 * Math.cos((2 * Math.PI * (at % 48)) / 48);
      return `${at * 1800},people,1,99,${day.toFixed(2)}\n${at * 1800},clock,1,99,${at % 4 < 2 ? 80 : 20}\n`;
    });
    await give('readings.csv', rows.join(''));
    const read = table(page, 'User-facing VMs');
    await read.waitFor();
    const told = Object.fromEntries((await cells(read)).slice(1).map((row) => [row[0], row[4]]));
    assert.deepEqual(told, { clock: 'not user-facing', people: 'user-facing' });
  }));

test('servers to try capping on: per VM protects user-facing ones where they share servers with others', () =>
  onPage(WIDE, async ({ page }) => {
    await open(page);
    const tried = table(page, 'Try it on servers');
    await tried.waitFor();
    const factor = (row) => Number.parseFloat(row[2]);
    const [none, full, perVm] = (await cells(tried)).slice(1);
    assert.deepEqual([factor(none), factor(perVm)], [1, 1]);
    assert.ok(factor(full) > 1, String(full));
    await panel(page).getByRole('checkbox', { name: 'A whole chassis' }).check();
    await panel(page).getByText(/^A chassis of 12 servers under 230 W per server: each server hosts both kinds/).waitFor();
    await panel(page).getByRole('checkbox', { name: 'Both kinds of VMs on every server' }).uncheck();
    await panel(page).getByText(/half of the servers host one kind of VMs/).waitFor();
    await set(page, 'Budget of a server', 120);
    await panel(page).getByText(/under 120 W per server/).waitFor();
    assert.deepEqual(await axe(page), []);
  }));

test('a budget below what idle servers draw is told so, and the rest works on', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await short(hand, page);
    await set(page, 'budget of power draw', 20);
    await page.getByText(/expected a power budget above the draw of idle servers/).first().waitFor();
    await hand.runs(() => set(page, 'budget of power draw', 50));
    await table(page, 'Capping events').waitFor();
  }));

test('the fleet map tells what servers draw of their share', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await short(hand, page);
    await page.getByRole('combobox', { name: 'Colour by' }).selectOption('power drawn');
    await page.getByText(/above their share of the power budget/).first().waitFor();
  }));

test('the panel fits a phone, in the dark', () =>
  onPage(NARROW, async ({ hand, page }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await short(hand, page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} px`);
    assert.deepEqual(await axe(page), []);
  }));
