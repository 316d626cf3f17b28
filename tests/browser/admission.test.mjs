// Admission on the page: rules on predicted growth, the growth of a deployment, a cluster over years with a
// comparison of policies, beliefs fitted to the workload, and a price for variance (rows A1 to A7).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, cells, compileAsForPeople, tabbedPanel, NARROW, WIDE } from './harness.mjs';
import { clickAtOnce, onPage, shows, withdraws } from './people.mjs';

compileAsForPeople();

const { panel, open, set } = tabbedPanel('Admission', 'Admission');
const results = (page) => panel(page).getByRole('region', { name: 'Results of the study' });
const pct = (cell) => Number.parseFloat(cell);

/** A cluster whose simulation takes a moment. */
async function small(page) {
  await set(page, 'cores of the cluster', 1_000);
  await set(page, 'years of the cluster', 0.5);
}

async function follow(page) {
  // The results of an earlier study disappear first.
  await withdraws(page, '[aria-label=Admission]', /100 % done/, () =>
    panel(page).getByRole('button', { name: 'Simulate the cluster' }).click());
  await panel(page).getByText(/100 % done/).waitFor({ timeout: 120_000 });
}

test('a rule is switched on and changes the run; what one deployment may grow to follows what was seen of it', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.choosePreset('24 machines');
    const opened = await hand.digest();
    await open(page);
    await panel(page).getByText(/deployments grow: a deployment admitted today/).waitFor();
    const said = panel(page).getByText(/^Forecast for a day ahead: [\d.]+ cores/);
    const before = await said.textContent();
    await set(page, 'Hours since arrival', 400);
    await panel(page).getByText(/^Forecast for a day ahead/).filter({ hasNotText: before }).waitFor();
    await hand.runs(() => panel(page).getByRole('button', { name: 'Switch SecondMomentAdmission on' }).click());
    await panel(page).getByText('SecondMomentAdmission 10 %').waitFor();
    assert.notEqual(await hand.digest(), opened, 'somebody was not let in');
    await hand.runs(() => hand.button('Undo').click());
    assert.equal(await hand.digest(), opened);
  }));

test('three policies on a cluster over years: who looks ahead lets in more', () =>
  onPage(WIDE, async ({ page }) => {
    await open(page);
    await small(page);
    await follow(page);
    const rows = (await cells(results(page))).slice(1);
    assert.deepEqual(rows.map((row) => row[0]), ['ZerothMomentAdmission', 'FirstMomentAdmission', 'SecondMomentAdmission', 'any deployment with room']);
    assert.ok(rows.every((row) => pct(row[2]) > 1 && pct(row[2]) <= 100), String(rows));
    assert.ok(pct(rows[3][2]) >= pct(rows[0][2]), 'without any rule most cores are in use');
    await panel(page).getByRole('figure', { name: 'Cores in use per month' }).getByRole('button', { name: 'Show data table' }).click();
    assert.deepEqual(await axe(page), []);
    // The same settings give the same result.
    await follow(page);
    assert.deepEqual((await cells(results(page))).slice(1), rows);
    await set(page, 'years of the cluster', 0.4);
    await panel(page).getByText(/have changed since/).waitFor();
  }));

test('thresholds are found that meet the service level', () =>
  onPage(WIDE, async ({ page }) => {
    await open(page);
    await small(page);
    await set(page, 'service level of the cluster', 1);
    await set(page, 'Seeds of the study', 1);
    await panel(page).getByRole('checkbox', { name: 'Find thresholds that meet the service level' }).check();
    await follow(page);
    const rows = (await cells(results(page))).slice(1);
    for (const row of rows.slice(0, 3)) {
      const met = pct(row[3]) <= 1 && pct(row[1]) > 0;
      assert.ok(met || /even the smallest threshold/.test(row[5]), String(row));
    }
    assert.ok(rows.slice(0, 3).some((row) => pct(row[3]) <= 1), 'some policy meets it');
  }));

test('what is known beforehand, and labels, are compared; a study can be stopped', () =>
  onPage(WIDE, async ({ page }) => {
    await open(page);
    await small(page);
    const kind = panel(page).getByRole('combobox', { name: 'Compare the policies' });
    await set(page, 'Seeds of the study', 1);
    await kind.selectOption('Prior knowledge');
    await follow(page);
    assert.equal((await cells(results(page))).length, 9);
    await panel(page).getByRole('figure', { name: 'Value of observations' }).waitFor();
    await kind.selectOption('With and without labels');
    await follow(page);
    await panel(page).getByText(/^With labels, the cluster has -?[\d,]+ more core-hours per month in use\.$/).waitFor();
    await panel(page).getByText(/^A core-hour costs [\d.]+ cents with labels and [\d.]+ without/).waitFor();
    await set(page, 'cores of the cluster', 20_000);
    await set(page, 'years of the cluster', 3);
    await kind.selectOption('The three policies');
    await clickAtOnce(page, 'Cancel', () => panel(page).getByRole('button', { name: 'Simulate the cluster' }).click());
    await panel(page).getByText(/done, stopped/).waitFor();
  }));

test('beliefs are fitted to the workload and taken over', () =>
  onPage(WIDE, async ({ page }) => {
    await open(page);
    await panel(page).getByRole('button', { name: 'Fit to this workload' }).click();
    const fitted = panel(page).getByRole('region', { name: 'Fitted parameters' });
    await fitted.waitFor({ timeout: 150_000 });
    const rows = (await cells(fitted)).slice(1);
    assert.deepEqual(rows.map((row) => row[0]).slice(0, 2), ['death shape', 'death rate']);
    await panel(page).getByText('What this trace does not contain:').waitFor();
    assert.deepEqual(await axe(page), []);
    await panel(page).getByRole('button', { name: 'Use these numbers' }).click();
    const field = panel(page).getByRole('spinbutton', { name: 'death shape of beliefs' });
    await shows(() => field.inputValue(), rows[0][2]);
  }));

test('beliefs that make no sense are told so, and the rest works on', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await open(page);
    await panel(page).getByText('More about beliefs').click();
    await set(page, 'power of beliefs', -1);
    await panel(page).getByText(/expected a power above -0\.3255, minus half the shape/).first().waitFor();
    await small(page);
    await panel(page).getByRole('button', { name: 'Simulate the cluster' }).click();
    await results(page).getByText(/expected a power above/).first().waitFor();
    await hand.button('Undo').click();
    await hand.button('Undo').click();
    await hand.button('Undo').click();
    await panel(page).getByText(/^Forecast for a day ahead/).waitFor();
  }));

test('the panel fits a phone, in the dark', () =>
  onPage(NARROW, async ({ page }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await open(page);
    await panel(page).getByText(/^Forecast for a day ahead/).waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} px`);
    assert.deepEqual(await axe(page), []);
  }));

test('beliefs and forecasts have the same bits natively and here', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.choosePreset('Capacity for growing deployments');
    // What `tiebreak run --preset admission --json` prints.
    await page.getByText('digest eae4a46442deb4ef').waitFor({ timeout: 120_000 });
  }));
