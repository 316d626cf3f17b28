// Every trace format, and every way to pack one, opens in the page from a small file of its form.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { test } from 'node:test';
import { onPage } from './people.mjs';

const FIXTURES = fileURLToPath(new URL('../../crates/trace/fixtures', import.meta.url));
const fixture = (name) => ({ name, mimeType: 'application/octet-stream', buffer: fs.readFileSync(path.join(FIXTURES, name)) });
const text = (name, lines) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(`${lines.join('\n')}\n`) });

/** Each with the format's title as the page gives it, and how many of its VMs are placed. */
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
  [fixture('two-frames.csv.zst'), 'CSV with named columns', 9_000],
];

for (const [file, title, vms] of FORMATS) {
  test(`${file.name} opens as ${title}`, () =>
    onPage({}, async ({ hand, page }) => {
      const said = await hand.runs(() => hand.giveFile(file));
      assert.match(said, new RegExp(`^Done: ${vms.toLocaleString('en')} VMs`));
      await page.getByText(title, { exact: false }).first().waitFor();
    }));
}
