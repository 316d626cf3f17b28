// The search for a better list on the page: what it finds, that the program finds the same, and that it survives a
// reload.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { axe, NARROW, WIDE } from './harness.mjs';
import { enter, onPage, showTab, shows, temporaryFolder, until } from './people.mjs';

const SMALL = '24 machines';
const PANEL = 'Find a better list';

/** The native program, if it was built with the page. */
const TARGET = process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL('../../target', import.meta.url));
const PROGRAM = ['debug', 'release'].map((profile) => path.join(TARGET, profile, 'tiebreak')).find(fs.existsSync);

/** The panel over the smallest preset, set to its shortest search. */
function onPanel(options, body) {
  return onPage(options, async (session) => {
    await session.hand.choosePreset(SMALL);
    await showTab(session.page, PANEL);
    const region = session.page.getByRole('region', { name: PANEL, exact: true });
    await enter(region.getByRole('spinbutton', { name: 'Runs' }), 100);
    await enter(region.getByRole('spinbutton', { name: 'Seeds, half of them held out' }), 8);
    const button = (name) => region.getByRole('button', { name, exact: true });
    await body({ ...session, region, button });
  });
}

test('it finds the list of the program, after a reload in the middle', () =>
  onPanel(WIDE, async ({ page, region, button, hand }) => {
    // A list that is easy to improve.
    for (const rule of ['PreferNonEmptyMachines', 'BestFit']) {
      await hand.runs(() => page.getByRole('checkbox', { name: `Use ${rule}`, exact: true }).click());
    }
    const [download] = await Promise.all([page.waitForEvent('download'), button('Save search plan').click()]);
    const plan = path.join(temporaryFolder(), 'search.json');
    await download.saveAs(plan);
    await button('Start the search').click();
    await region.getByText(/^[1-9]\d* runs of about 100, /).waitFor();
    await page.reload();
    await showTab(page, PANEL);
    await button('Clear').waitFor({ timeout: 150_000 });
    const result = region.getByRole('heading', { name: 'Result' });
    await result.waitFor();
    await region.getByRole('region', { name: 'Result' }).getByRole('columnheader', { name: 'Difference, held-out seeds' }).waitFor();
    if (PROGRAM) {
      const words = ['search', plan, '--json'];
      const told = await new Promise((resolve) => {
        try { resolve(execFileSync(PROGRAM, words)); } catch (error) { resolve(error.stdout); }
      });
      const { sentence, runs } = JSON.parse(told);
      await region.getByText(sentence, { exact: true }).waitFor();
      assert.ok(runs >= 100, `${runs} runs`);
    }
    await hand.runs(() => button('Open the list found as a variant').click());
    await shows(() => hand.button('Variant B').getAttribute('aria-pressed'), 'true');
  }));

test('stopped, it judges what it has, and it is accessible on a phone', () =>
  onPanel({ ...NARROW, dark: true }, async ({ page, region, button }) => {
    await button('Start the search').click();
    await region.getByText(/^[1-9]\d* runs of about 100, /).waitFor();
    await button('Stop and judge').click();
    await until(async () => await region.getByRole('heading', { name: 'Result' }).count() + await region.getByRole('alert').count() > 0, 'a result');
    assert.deepEqual(await axe(page), []);
    await button('Clear').click();
    await region.getByText(/ runs, /).waitFor({ state: 'detached' });
  }));
