// A cluster and scheduler configurations, dropped on the page or chosen: their effect on the scenario, and what has
// no equivalent.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { axe, NARROW, WIDE } from './harness.mjs';
import { onPage, says, shows, until } from './people.mjs';

const fixture = (name) => fs.readFileSync(new URL(`../../crates/import/fixtures/${name}`, import.meta.url));

/** Drops a file on the middle of the page. */
const drop = (page, name, bytes) => page.evaluate(([called, base64]) => {
  const file = new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], called);
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(file);
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
}, [name, bytes.toString('base64')]);

const imported = (page, name) => page.getByRole('region', { name: `Imported: ${name}`, exact: true });
const paths = (page, name) => imported(page, name).getByRole('row').getByRole('rowheader').allTextContents();
const undo = (hand) => hand.runs(() => hand.button('Undo').click());

test('a cluster becomes machines and VMs, and one step of undo takes them back', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const before = await hand.digest();
    const [packed, plain] = [fixture('cluster.json.gz'), zlib.gunzipSync(fixture('cluster.json.gz'))];
    await hand.runs(() => drop(page, 'cluster.json.gz', packed));
    const told = imported(page, 'cluster.json.gz');
    await told.getByText(/^\d+ fields have no counterpart here:$/).waitFor();
    await told.getByText(/57 nodes are machines/).first().waitFor();
    assert.ok((await paths(page, 'cluster.json.gz')).some((path) => path === 'Node.spec.taints'), 'with their paths');
    const digest = await hand.digest();
    assert.notEqual(digest, before);
    await told.getByRole('button', { name: 'Dismiss: Imported: cluster.json.gz' }).click();
    await told.waitFor({ state: 'detached' });

    await undo(hand);
    await until(async () => (await hand.digest()) === before, 'machines, VMs and rules as they were');
    await hand.runs(() => drop(page, 'cluster.json', plain));
    await until(async () => (await hand.digest()) === digest, 'plain JSON is the same cluster');

    // The VMs are stored in this browser, so that a reload finds them.
    await page.reload();
    await until(async () => (await hand.digest().catch(() => '')) === digest, 'the draft runs on them');
  }));

test('a configuration becomes a list of rules, with a table of counterparts', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const before = await hand.digest();
    const seen = new Set([before]);
    for (const [name, path] of [['scheduler.yaml', 'percentageOfNodesToScore'], ['nova.conf', 'host_subset_size']]) {
      await hand.runs(() => drop(page, name, fixture(name)));
      await imported(page, name).waitFor();
      assert.ok((await paths(page, name)).some((one) => one.includes(path)), `${name}: ${await paths(page, name)}`);
      seen.add(await hand.digest());
    }
    assert.equal(seen.size, 3, 'each decides otherwise');
    const button = imported(page, 'nova.conf').getByRole('button', { name: 'Save the list with its counterparts (CSV)' });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    const table = fs.readFileSync(await download.path(), 'utf8');
    assert.match(table, /^stage,rule,kubernetes,nova,differs\n/);
    assert.match(table, /\nMachine preferences,\w*MemoryFree,,"?RAMWeigher/);
    await undo(hand);
    await undo(hand);
    await until(async () => (await hand.digest()) === before, 'each was one step');
  }));

test('what is no import says what is wrong with it, and changes nothing', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const before = await hand.digest();
    await drop(page, 'other.yaml', Buffer.from('a: [1'));
    await says(hand.alert, /other\.yaml could not be read.*expected YAML/s);
    await drop(page, 'pods.json', Buffer.from('{"apiVersion":"v1","kind":"List","items":7}'));
    await says(page.getByRole('alert').last(), /pods\.json could not be read.*items: expected a list/s);
    assert.equal(await hand.digest(), before);
    await shows(() => hand.button('Undo').isDisabled(), true);
  }));

test('a file is chosen where traces are, on a narrow screen, and the list is for everybody', () =>
  onPage(NARROW, async ({ hand, page }) => {
    await page.getByRole('tab', { name: 'My trace' }).click();
    await hand.runs(() => hand.giveFile({ name: 'scheduler.yaml', mimeType: 'application/yaml', buffer: fixture('scheduler.yaml') }));
    await imported(page, 'scheduler.yaml').waitFor();
    await axe(page);
  }));
