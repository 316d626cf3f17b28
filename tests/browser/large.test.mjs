// Files larger than a tab's memory: refused before they are read, or read in part.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileAsForPeople } from './harness.mjs';
import { enter, giveRepeated, onPage, says, showTab } from './people.mjs';

compileAsForPeople();

test('a file of 3 GB is refused before it is read, with the limit named and a sample offered', () =>
  onPage({}, async ({ hand, page }) => {
    const digest = await hand.digest();
    const before = await page.evaluate(() => window.said.length);
    const bytes = await giveRepeated(page, 'huge.csv', 1 << 20, 3_000);
    assert.ok(bytes > 3e9, `${bytes} bytes`);
    await hand.alert.waitFor();
    const told = await hand.alert.textContent();
    assert.match(told, /huge\.csv is too large/);
    assert.match(told, /this format is read whole, up to 2048 MiB; the file has 3\d{3} MiB\. Sample it: keep one tenant, request or VM in 10\./);
    assert.deepEqual(await page.evaluate((from) => window.said.slice(from).map(({ text }) => text), before), []);
    assert.equal(await hand.digest(), digest);
  }));

// Reading takes seconds, or minutes on a busy machine. The page draws about five reports for each GB.
test('a CSV of 3 GB streams to its end as a sample, with its progress told, and its notes say what that does', { timeout: 900_000 }, () =>
  onPage({}, async ({ page }) => {
    await showTab(page, 'Workload');
    await enter(page.getByRole('spinbutton', { name: 'Keep 1 in', exact: true }), 50);
    await page.getByRole('combobox', { name: 'Sampled by', exact: true }).selectOption('requests');
    await page.evaluate(() => {
      window.progress = [];
      const read = /Reading large\.csv.* of .*, [\d,]+ rows, .* per second/s;
      new MutationObserver(() => window.progress.push(...document.querySelector('.status')?.textContent.match(read) ?? []))
        .observe(document, { subtree: true, childList: true, characterData: true });
    });
    const bytes = await giveRepeated(page, 'large.csv', 1 << 20, 3_000);
    assert.ok(bytes > 3e9, `${bytes} bytes`);
    await page.getByText('large.csv, 1 request in 50').waitFor({ timeout: 840_000 });
    const progress = new Set(await page.evaluate(() => window.progress));
    assert.ok(progress.size >= 5, `progress is told all the time: ${[...progress].join(' | ')}`);
    await says(page.getByRole('region', { name: 'Workload', exact: true }), /Sampled by request: .*For any sample: /s);
  }));
