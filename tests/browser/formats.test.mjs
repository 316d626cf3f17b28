// Every trace format, and every compression, opens in the page from a small file.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { test } from 'node:test';
import { axe } from './harness.mjs';
import { dismissAll, listenToStatus, onPage, shows, showTab, withoutServiceWorker } from './people.mjs';

const FIXTURES = fileURLToPath(new URL('../../crates/trace/fixtures', import.meta.url));
const fixture = (name) => ({ name, mimeType: 'application/octet-stream', buffer: fs.readFileSync(path.join(FIXTURES, name)) });
const text = (name, lines) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(`${lines.join('\n')}\n`) });

/** Each with the format's title on the page, and how many of its VMs are placed. */
const FORMATS = [
  [fixture('packing-cut.csv.gz'), 'Azure packing trace 2020, 1% sample', 13_521],
  [{ ...fixture('azure2017-rows.csv.gz'), name: 'vmtable.csv.gz' }, 'Azure VM table 2017', 10],
  [
    text('Huawei-East-1.csv', [
      'vmid,cpu,memory,time,type', '0,4,8,0,0', '1,1,2,60,0', '0,4,8,100,1', '2,8,32,4000,0', '1,1,2,4100,1',
    ]),
    'Huawei-East-1 events', 3,
  ],
  [
    text('openb_pod_list_default.csv', [
      'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time',
      'openb-pod-0000,12000,16384,1,1000,,LS,Running,0,30000,0',
      'openb-pod-0001,6000,12288,1,460,,BE,Running,4270,40000,4270',
      'openb-pod-0002,11908,47104,1,1000,,BE,Pending,10001,10014,',
    ]),
    'Alibaba GPU cluster trace 2023, pods', 3,
  ],
  [text('mine.tsv', ['vm\ttenant\tcores\tmemory_gb\tstart_h\tend_h', '1\ta\t4\t16\t0.5\t2', '2\ta\t2\t8\t1\t']), 'CSV with named columns', 2],
  [fixture('packing.sqlite'), 'Azure packing trace 2020', 300],
  [fixture('two-frames.csv.zst'), 'CSV with named columns', 9_000],
  [fixture('mine.parquet'), 'CSV with named columns', 3],
];

for (const [file, title, vms] of FORMATS) {
  test(`${file.name} opens as ${title}`, () =>
    onPage({}, async ({ hand, page }) => {
      const said = await hand.runs(() => hand.giveFile(file));
      assert.match(said, new RegExp(`^Done: ${vms.toLocaleString('en')} VMs`));
      await showTab(page, 'Workload');
      await page.getByText(title, { exact: false }).first().waitFor();
    }));
}

/** The Parquet fixture with one byte changed. */
const damaged = (at, byte) => {
  const file = fixture('mine.parquet');
  file.buffer[at] = byte;
  return file;
};

test('Parquet files that cannot be read are told in a sentence, also where the library panics', () =>
  onPage({}, async ({ hand, page }) => {
    for (const [file, words] of [
      [damaged(857, 12), /got a Parquet file compressed with zstd, which is not supported\. Write it again with Snappy/],
      [damaged(5, 2), /Expected a whole Parquet file, got one that cannot be read after 0 rows \(Decoder for dict/],
      [{ ...fixture('mine.parquet'), buffer: fixture('mine.parquet').buffer.subarray(0, 900) }, /Expected a whole Parquet file/],
    ]) {
      await hand.giveFile(file);
      await hand.alert.waitFor();
      assert.match(await hand.alert.textContent(), words);
      await dismissAll(page);
    }
  }));

test('where the server is gone, what reads Parquet is asked for in vain, and a sentence says so', () =>
  onPage({
    prepare: async ({ context }) => {
      await listenToStatus(context);
      await withoutServiceWorker(context);
    },
  }, async ({ hand, page }) => {
    await page.context().route((url) => url.pathname.includes('/parquet/'), (route) => route.abort());
    await hand.giveFile(fixture('mine.parquet'));
    await hand.alert.waitFor();
    assert.match(await hand.alert.textContent(), /Expected the Parquet reader from the server, got no answer/);
  }));

test('a file whose columns nobody knows is read by columns that are chosen, also from the keyboard', () =>
  onPage({ width: 1440, height: 900 }, async ({ hand, page }) => {
    const text = '1,a,4,16,0,1200\n2,a,2,8,60,900\n3,b,1,4,60,1900\n';
    await hand.giveFile({ name: 'mine.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    const region = page.getByRole('region', { name: 'Columns of the file', exact: true });
    await region.waitFor();
    assert.match(await hand.alert.first().textContent(), /Expected a first line that names the columns/);
    assert.equal(await region.getByRole('row').count(), 3, 'two lines to see, below the choices');
    const choose = (column, name) => region.getByRole('combobox', { name: `Column ${column}`, exact: true }).selectOption(name);
    const names = ['vm', 'tenant', 'cores', 'memory_gib', 'start_s'];
    for (const [at, name] of names.entries()) if (name !== 'memory_gib') await choose(at + 1, name);
    const read = region.getByRole('button', { name: 'Read with these columns' });
    await read.click();
    // Without a memory column it cannot be read, and the choices stay.
    await page.getByText(/Expected a column for memory/).waitFor();
    assert.equal(await region.getByRole('combobox', { name: 'Column 3', exact: true }).inputValue(), 'cores');
    assert.deepEqual(await axe(page), []);
    await choose(4, 'memory_gib');
    await choose(6, 'end_s');
    await shows(() => region.getByRole('combobox', { name: 'Column 6', exact: true }).inputValue(), 'end_s');
    await read.focus();
    const said = await hand.runs(() => page.keyboard.press('Enter'));
    assert.match(said, /^Done: /);
    await region.waitFor({ state: 'detached' });
    await page.getByText(/3 VMs/).first().waitFor();
  }));
