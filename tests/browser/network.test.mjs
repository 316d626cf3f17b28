// Virtual datacenters on the page: VMs are linked, the map shows uplinks and the links of a VM, Explain names the
// full uplink, and the calculator says what could ever fit (Gridiron sections III-B to III-E).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, cells, tabbedPanel, NARROW, WIDE } from './harness.mjs';
import { enter, Hand, onPage, shows, until } from './people.mjs';

const { panel, open } = tabbedPanel('Virtual datacenters', 'Network');
const explain = (page) => page.getByRole('region', { name: 'Explain' });
const bounds = (page) => panel(page).getByRole('region', { name: 'Bounds on the bandwidth of a link' });
const painted = (page) => page.getByRole('img', { name: 'Fleet map' }).evaluate((canvas) => canvas.toDataURL());

/** Waits until the map has changed; returns it. */
const repainted = (page, before, what) => until(async () => {
  const now = await painted(page);
  return now !== before && now;
}, what);

async function ask(page, vm) {
  await new Hand(page).explain();
  const submit = () => explain(page).getByRole('button', { name: 'Explain', exact: true }).click();
  await enter(explain(page).getByRole('textbox', { name: 'VM' }), vm, submit);
}

test('VMs are linked by one choice, and undone', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.choosePreset('24 machines');
    const opened = await hand.digest();
    await open(page);
    await panel(page).getByText(/VMs are not linked, so the network carries nothing/).waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Colour by' }).count(), 0);
    await hand.runs(() => panel(page).getByRole('combobox', { name: /^topology of/ }).selectOption('all_to_all'));
    await panel(page).getByText(/No rule checks bandwidth/).waitFor();
    await hand.runs(() => panel(page).getByRole('button', { name: 'Switch BandwidthAvailable on' }).click());
    assert.ok(await page.getByRole('checkbox', { name: 'Use BandwidthAvailable' }).isChecked());
    const sizes = await cells(panel(page).getByRole('region', { name: 'Peak sizes' }));
    assert.equal(sizes.length, 9);
    assert.ok(Number(sizes[1][2].replaceAll(',', '')) > 10, String(sizes[1]));
    await page.getByRole('combobox', { name: 'Colour by' }).selectOption('uplinks reserved');
    await page.getByText(/uplinks of \d+ at least 90 % full/).first().waitFor();
    await hand.runs(() => hand.button('Undo').click());
    await hand.runs(() => hand.button('Undo').click());
    assert.equal(await hand.digest(), opened);
  }));

test('the calculator says what could ever fit, and a workload that could not is told so', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.choosePreset('A workload that could never fit');
    await open(page);
    await panel(page).getByText(/^Problematic by construction: the largest links have/).waitFor();
    const field = (name) => panel(page).getByRole('spinbutton', { name });
    for (const [name, value] of [['Largest uplink of a machine', 40], ['Concurrent VMs of a VDC', 30], ['VMs of a VDC on one machine', 30], ['Cores of the largest VM', 16]]) {
      await field(name).fill(String(value));
      await field(name).press('Tab');
    }
    const bound = async () => (await cells(bounds(page))).slice(1).map(([, mbps, binds]) => [mbps, binds]);
    await shows(bound, [['40,000', ''], ['1,379', ''], ['177', 'limiting']]);
    await panel(page).getByText(/With at most 177 Mbit\/s per link/).waitFor();
    const digest = await hand.digest();
    await field('VMs of a VDC on one machine').fill('1');
    await field('VMs of a VDC on one machine').press('Tab');
    await shows(bound, [['40,000', ''], ['1,379', 'limiting'], ['1,379', '']]);
    await field('Concurrent VMs of a VDC').fill('1');
    await field('Concurrent VMs of a VDC').press('Tab');
    await panel(page).getByText(/of one VM has no link/).waitFor();
    await bounds(page).waitFor({ state: 'detached' });
    assert.equal(await hand.digest(), digest, 'calculating changes no scenario');
    await panel(page).getByRole('button', { name: "Use the scenario's numbers" }).click();
    await hand.runs(() => panel(page).getByRole('button', { name: /^Use \d+ Mbit\/s per core$/ }).click());
    await panel(page).getByText(/^Problematic by construction/).waitFor({ state: 'detached' });
  }));

test('Explain names the uplink that is full, and the map draws the links', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await hand.choosePreset('Virtual datacenters');
    const before = await painted(page);
    // The first VM that this preset's network refuses.
    await ask(page, 2649);
    await explain(page).getByText(/^The network had no capacity for it \(limited by co-location\)/).waitFor();
    await explain(page).getByText(/machines have room for it, but it needs .* of the uplinks of machine \d+, which have .* left/).waitFor();
    await explain(page).getByText(/^It would be linked to \d+ VMs of its virtual datacenter/).waitFor();
    assert.ok(await explain(page).getByRole('list', { name: 'Rules that refuse it' }).getByText('Enough network bandwidth', { exact: true }).count());
    // Links and the frame around the full machine are drawn.
    const wired = await repainted(page, before, 'links');
    await page.getByRole('combobox', { name: 'Colour by' }).selectOption('uplinks reserved');
    await repainted(page, wired, 'other colours');
    await ask(page, 2640);
    await explain(page).getByText(/^It is linked to 4 VMs of its virtual datacenter on 3 machines/).waitFor();
    assert.deepEqual(await axe(page), []);
  }));

test('on a phone nothing is wider than the screen, and axe finds nothing', () =>
  onPage(NARROW, async ({ hand, page }) => {
    await hand.choosePreset('A workload that could never fit');
    await open(page);
    await bounds(page).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    assert.deepEqual(await axe(page), []);
  }));
