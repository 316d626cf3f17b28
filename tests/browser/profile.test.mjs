// The profile of a workload, on the page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, cells, tabbedPanel, NARROW, openChromium, WIDE } from './harness.mjs';
import { enter, foreignTrace, listenToStatus, onPage, openTab, says, showTab } from './people.mjs';

const { panel, open } = tabbedPanel('Profile', 'Workload');
const offer = (page) => panel(page).getByRole('button', { name: /^Use [\d,]+ machines of \d+ cores and \d+ GiB$/ });
const table = async (page, name) => {
  const region = panel(page).getByRole('region', { name, exact: true });
  await region.waitFor();
  return (await cells(region)).slice(1);
};
const number = (text) => Number(text.replaceAll(',', ''));

test('the profile counts what is in the trace, and draws it', () =>
  onPage(WIDE, async ({ page }) => {
    await open(page);
    await offer(page).waitFor();
    const sizes = await table(page, 'Sizes');
    assert.equal(sizes.reduce((sum, row) => sum + number(row[1]), 0), 13_521, 'every VM of the cut has a size');
    const lives = await table(page, 'Lifetimes and core-hours');
    assert.equal(lives.length, 13);
    const hours = lives.map((row) => number(row[3]));
    assert.ok(hours.slice(8).reduce((sum, share) => sum + share) > 90, `few live long, and use most: ${hours}`);
    const reuse = (await table(page, 'How soon a size is requested again')).map((row) => number(row[1]));
    assert.ok(reuse.every((share, at) => at === 0 || share >= reuse[at - 1]), String(reuse));
    const figure = panel(page).getByRole('figure', { name: 'Arrivals per hour', exact: true });
    await figure.getByRole('button', { name: 'Show data table' }).click();
    await figure.getByRole('table').waitFor();
    const rows = (await cells(figure.getByRole('table'))).slice(1);
    assert.ok(rows.length >= 300, `${rows.length} hours`);
    const came = rows.reduce((sum, row) => sum + number(row.at(-1)), 0);
    await panel(page).getByText(new RegExp(`^${came.toLocaleString('en')} VMs arrive in [\\d,]+ requests`)).waitFor();
    assert.deepEqual(await axe(page), []);
  }));

test('the machines that are suggested are taken with one click, and undone', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const digest = await hand.digest();
    await open(page);
    const [, machines, cores] = (await offer(page).textContent()).match(/^Use ([\d,]+) machines of (\d+) cores/);
    await hand.runs(() => offer(page).click());
    await showTab(page, 'Fleet');
    await page.getByText(`${machines} × ${cores} cores`).first().waitFor();
    assert.notEqual(await hand.digest(), digest);
    await hand.runs(() => hand.button('Undo').click());
    assert.equal(await hand.digest(), digest);
  }));

test('another workload has another profile, also one that is made up', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await open(page);
    await offer(page).waitFor();
    const before = await table(page, 'Sizes');
    await hand.choosePreset('24 machines');
    await page.waitForFunction((first) => {
      const cell = document.querySelector('[role=region][aria-label=Sizes] tbody td');
      return cell && cell.textContent !== first;
    }, before[0][1]);
    assert.notDeepEqual(await table(page, 'Sizes'), before);
  }));

test('without a mouse, on a phone, in the dark and in German', () =>
  onPage({ ...NARROW, dark: true }, async ({ hand, page }) => {
    await page.getByRole('tab', { name: 'Charts' }).focus();
    for (const key of ['ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    await offer(page).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    assert.deepEqual(await axe(page), []);
    await hand.openMenu();
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
    const german = page.getByRole('region', { name: 'Profil', exact: true });
    await german.getByRole('button', { name: /^[\d.]+ Maschinen mit \d+ Kernen und [\d.]+ GiB nehmen$/ }).waitFor();
    const said = await german.innerText();
    for (const english of ['VMs came', 'Sizes', 'up to', 'live longer', 'hours', 'fewer', 'requests']) {
      assert.ok(!said.includes(english), `${english} in ${said}`);
    }
  }));

test('a workload like the trace is drawn, laid beside it, and drawn again by whoever opens the link', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await open(page);
    await page.getByText('Generate a workload like a trace').click();
    const draw = async (like) => {
      await page.getByRole('combobox', { name: 'Generate like' }).selectOption({ label: like });
      return hand.runs(() => page.getByRole('button', { name: 'Generate', exact: true }).click());
    };
    const days = page.getByRole('spinbutton', { name: 'days, 0 for the length of the trace' });
    await days.fill('2');
    await days.press('Tab');
    assert.match(await draw('azure-2020'), /^Done: /);
    await page.getByText('azure-2020 x1, 2 days, seed 1').first().waitFor();
    const digest = await hand.digest();
    const fresh = await openChromium();
    try {
      await listenToStatus(fresh.context);
      const { hand: other } = await openTab(fresh, await hand.link());
      assert.equal(await other.digest(), digest);
    } finally {
      await fresh.close();
    }

    // Compares a generated workload with the page's own trace.
    await days.fill('0');
    await days.press('Tab');
    assert.match(await draw('packing-cut.csv.gz'), /^Done: /);
    await open(page);
    const rows = await table(page, 'Compared with the trace that it was fitted to');
    const apart = rows.filter((row) => row[0].endsWith('KS distance')).map((row) => number(row[2]));
    assert.ok(apart.length === 5 && apart.every((distance) => distance < 0.15), String(apart));
    await panel(page).getByRole('figure', { name: 'Lifetimes in hours (cumulative), compared with the trace' }).waitFor();
  }));

test('how many machines a trace of one\'s own needs is found beside what it lacks, and taken', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.runs(() => hand.giveFile(foreignTrace()));
    await page.getByText(/^Agents now decide in 20 ms and publish in 100 ms\./).waitFor();
    await says(page.locator('.verdict').first(), /VMs placed; rejected: [\d,]+ .*The median request was answered within 20 ms, 99 % within /);
    const set = page.getByRole('spinbutton', { name: 'machines of cluster 1', exact: true });
    await showTab(page, 'Fleet');
    await hand.runs(async () => {
      await enter(set, 100);
    });
    await page.getByText(/^At its peak the trace needs [\d,]+ cores, but all machines together have [\d,]+ cores/).waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Find how many machines it needs' }).first().click();
    const panel = page.getByRole('region', { name: 'Machines needed' });
    const take = panel.getByRole('button', { name: /^Use these [\d,]+ machines$/ });
    await take.waitFor();
    const [, found] = (await panel.innerText()).match(/^([\d,]+) machines of \d+ cores and \d+ GiB are enough to reject at most 0\.1 % /m);
    assert.ok(await panel.evaluate((element) => element.contains(document.activeElement) || element === document.activeElement));
    await hand.runs(() => take.click());
    assert.equal(await set.inputValue(), found);
    const old = panel.getByText(/^Rules or settings have changed since/);
    assert.equal(await old.count(), 0, 'other machines are what was asked for');
    await showTab(page, 'Rules');
    await hand.runs(() => hand.setBuckets('BestFit', 8));
    await showTab(page, 'Fleet');
    await old.waitFor();
    assert.deepEqual(await axe(page), []);
    await hand.button('Find how many machines it needs').first().click();
    await panel.getByRole('button', { name: 'Cancel' }).click();
    await panel.getByRole('progressbar').waitFor({ state: 'detached' });
  }));

test('a list of machines becomes clusters of those alike, and a wrong one names its line', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await showTab(page, 'Fleet');
    const give = (text) => page.getByLabel('List of machines').setInputFiles({ name: 'nodes.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    const nodes = ['sn,cpu_milli,memory_mib,gpu,model', ...Array.from({ length: 150 }, (_, at) => `n${at},${at % 3 ? 96_000 : 64_000},786432,2,P100`)];
    await hand.runs(() => give(nodes.join('\n')));
    await page.getByText('cluster 1: 100 × 96 cores').waitFor();
    await page.getByText('cluster 2: 50 × 64 cores').waitFor();
    await give('cores,memory\n4,16\n4,much\n');
    await says(hand.alert, /Line 3: expected/);
  }));
