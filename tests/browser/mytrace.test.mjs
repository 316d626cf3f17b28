// A custom trace on the page: its card, its mapper with dates and decimal commas, its faulty rows.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { axe, NARROW, WIDE } from './harness.mjs';
import { onPage, says } from './people.mjs';

const card = (page) => page.getByRole('region', { name: 'My trace', exact: true });
const mapper = (page) => page.getByRole('region', { name: 'Columns of the file', exact: true });
const csv = (name, text) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

/** VMs of two cores that arrive an hour apart, with dates in this format. */
function rows(count, date, header = 'vm,cores,memory,created,deleted', size = '2,8') {
  const line = (vm) => `${vm},${size},${date(1 + Math.floor(vm / 20), vm % 20)},${date(2 + Math.floor(vm / 20), vm % 20)}`;
  return `${header}\n${Array.from({ length: count }, (_, vm) => line(vm)).join('\n')}\n`;
}

const two = (number) => String(number).padStart(2, '0');
const iso = (day, hour) => `2026-03-${two(day)}T${two(hour)}:00:00Z`;
const slashes = (day, hour) => `${day}/3/2026 ${hour}:00`;

test('the card says what a trace is, what it needs and what is rejected, and finds the machines', () =>
  onPage(WIDE, async ({ hand, page }) => {
    assert.equal(await card(page).count(), 0, 'the trace that came with the page is nobody\'s own');
    assert.match(await page.locator('footer').textContent(), /Azure packing trace, Microsoft/);
    await hand.runs(() => hand.giveFile(csv('mine.csv', rows(100, iso))));
    await card(page).waitFor();
    const said = await card(page).innerText();
    assert.match(said, /mine\.csv/);
    assert.match(said, /Rows\s*100\s*VMs\s*100\s*Span\s*\d/);
    await says(card(page), /Peak cores.*[\d,]+ of [\d,]+ cores \(\d+ %\).*Peak memory.*[\d,]+ of [\d,]+ GiB \(\d+ %\)/s);
    await says(card(page), /These machines reject 0 of 100 VMs \(0 %\)\./);
    await says(card(page), /created as dates, year first; those without an offset are UTC/);
    const footer = await page.locator('footer').textContent();
    assert.match(footer, /Trace: mine\.csv\./);
    assert.doesNotMatch(footer, /Azure/);
    assert.deepEqual(await axe(page), []);
    await card(page).getByRole('button', { name: 'Find how many machines it needs', exact: true }).click();
    await page.getByRole('region', { name: 'Machines needed' }).getByText(/machines of .* are enough to reject at most/).waitFor();
  }));

test('a date that may have the day or the month first is asked about, and the mapper goes when it is read', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.giveFile(csv('slashes.csv', rows(20, slashes)));
    await mapper(page).waitFor();
    const failure = page.getByText('slashes.csv could not be read');
    await failure.waitFor();
    await page.getByText(/"1\/3\/2026 0:00" in column created can be read in two ways/).waitFor();
    const column = (number) => mapper(page).getByRole('combobox', { name: `Column ${number}` });
    assert.deepEqual([await column(3).inputValue(), await column(4).inputValue()], ['memory_gib', ''], 'a date is not guessed');

    // A choice that reads no row leaves the mapper open.
    await column(4).selectOption('start_s');
    await mapper(page).getByRole('button', { name: 'Read with these columns' }).click();
    await failure.waitFor();
    assert.equal(await column(4).inputValue(), 'start_s');

    await column(4).selectOption('start_dmy');
    await column(5).selectOption('end_dmy');
    await hand.runs(() => mapper(page).getByRole('button', { name: 'Read with these columns' }).click());
    await mapper(page).waitFor({ state: 'detached' });
    assert.equal(await failure.count(), 0, 'its error is cleared');
    await says(card(page), /Span\s*0\.8 days/);
  }));

test('decimal commas are seen, and asked about where they may be something else', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const semicolons = (size) => rows(20, (day, hour) => `${two(day)}.03.2026 ${two(hour)}:00`, 'vm;cores;memory;start;end', 'X')
      .replaceAll(',', ';').replaceAll('X', size);
    await hand.runs(() => hand.giveFile(csv('certain.csv', semicolons('2,5;8'))));
    await says(card(page), /3,5 is three and a half/);
    await hand.giveFile(csv('open.csv', semicolons('1,024;8')));
    const commas = mapper(page).getByRole('checkbox', { name: 'A comma stands before decimals: 3,5' });
    await commas.check();
    await hand.runs(() => mapper(page).getByRole('button', { name: 'Read with these columns' }).click());
    await says(card(page), /open\.csv/);
  }));

test('faulty rows are listed page by page and saved', () =>
  onPage({ ...NARROW, dark: true }, async ({ hand, page }) => {
    const faulty = Array.from({ length: 60 }, (_, row) => `f${row},2,8,"31.02.2026, never",`).join('\n');
    await hand.runs(() => hand.giveFile(csv('faulty.csv', `${rows(80, iso)}${faulty}\n`)));
    const list = card(page).getByRole('region', { name: 'Faulty rows' });
    await card(page).getByText('60 rows left out').click();
    await list.waitFor();
    await card(page).getByText('1 to 50 of 60').waitFor();
    await card(page).getByRole('button', { name: 'Later rows' }).click();
    await card(page).getByText('51 to 60 of 60').waitFor();
    assert.equal(await list.getByRole('row').count(), 11);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    assert.deepEqual(await axe(page), []);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      card(page).getByRole('button', { name: 'Save faulty rows (CSV)' }).click(),
    ]);
    const lines = fs.readFileSync(await download.path(), 'utf8').trim().split('\n');
    assert.equal(lines.length, 61);
    assert.match(lines[1], /^82,not a date,"dates, year first in column created","""31\.02\.2026, never"""$/);
  }));
