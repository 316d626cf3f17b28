// Writes the traces of a built page without gzip and in order of their first column: servers compress text on the
// way, and neighbouring numbers compress better. The order of rows means nothing to a reader of traces.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

const folder = path.join(process.argv[2], 'traces');
for (const name of fs.readdirSync(folder).filter((name) => name.endsWith('.gz'))) {
  const packed = path.join(folder, name);
  const [head, ...rows] = zlib.gunzipSync(fs.readFileSync(packed)).toString().trimEnd().split('\n');
  rows.sort((one, other) => parseInt(one, 10) - parseInt(other, 10));
  fs.writeFileSync(packed.slice(0, -'.gz'.length), `${[head, ...rows].join('\n')}\n`);
  fs.rmSync(packed);
}
