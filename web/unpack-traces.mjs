// Writes the traces of a built page without gzip: servers compress text on the way, with brotli a quarter better.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

const folder = path.join(process.argv[2], 'traces');
for (const name of fs.readdirSync(folder).filter((name) => name.endsWith('.gz'))) {
  const packed = path.join(folder, name);
  fs.writeFileSync(packed.slice(0, -'.gz'.length), zlib.gunzipSync(fs.readFileSync(packed)));
  fs.rmSync(packed);
}
