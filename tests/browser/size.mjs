// What is loaded before the page is live: brotli sizes of dist/ compared with the accepted tests/size.json.
//
//   node tests/browser/size.mjs [--accept]      what `cargo xtask size` runs
//
// Everything in dist/ counts, except the paths that size.json lists under "later": those are loaded only on demand,
// which size.test.mjs checks in a browser.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import zlib from 'node:zlib';

const TOP = fileURLToPath(new URL('../..', import.meta.url));
const DIST = path.join(TOP, 'dist');
const ACCEPTED = path.join(TOP, 'tests/size.json');

const TOTAL_BYTES_MAX = 700_000;
const GROWTH_MAX = 0.02;

/** The accepted sizes, or empty ones. */
export function accepted() {
  if (!fs.existsSync(ACCEPTED)) return { total_bytes: null, files: {}, later: [] };
  return JSON.parse(fs.readFileSync(ACCEPTED, 'utf8'));
}

/** Whether this path below dist/ is loaded only on demand. */
export function isLater(file, later) {
  return later.some((start) => file.startsWith(start));
}

function filesBelow(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(file) : [path.relative(DIST, file)];
  });
}

function brotliBytes(file) {
  const bytes = fs.readFileSync(path.join(DIST, file));
  const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: 11, [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return zlib.brotliCompressSync(bytes, { params }).length;
}

/** Trunk adds a hash to names; sizes are recorded by the name without it. */
function plainName(file) {
  return file.replace(/-[0-9a-f]{12,16}(?=[._/])/, '');
}

function measure(later) {
  const sizes = filesBelow(DIST).filter((file) => !isLater(file, later)).map((file) => [plainName(file), brotliBytes(file)]);
  return sizes.sort(([, a], [, b]) => b - a);
}

function printTable(sizes, total, before) {
  const kb = (bytes) => (bytes / 1000).toFixed(1).padStart(8);
  for (const [name, bytes] of sizes) {
    const was = before.files[name];
    const change = was === undefined ? 'new' : was === bytes ? '' : `was ${kb(was).trim()}`;
    console.log(`${kb(bytes)} kB  ${name.padEnd(36)} ${change}`);
  }
  const was = before.total_bytes === null ? '' : `accepted ${kb(before.total_bytes).trim()} kB`;
  console.log(`${kb(total)} kB  total, of at most ${TOTAL_BYTES_MAX / 1000} kB; ${was}`);
}

function complaint(total, before) {
  if (total > TOTAL_BYTES_MAX) return `${total} bytes are more than the ${TOTAL_BYTES_MAX} that the page may weigh`;
  if (before.total_bytes === null) return 'tests/size.json has no accepted size yet: cargo xtask size --accept';
  const growth = total / before.total_bytes - 1;
  if (growth <= GROWTH_MAX) return null;
  return `grew by ${(growth * 100).toFixed(1)} % over the accepted size; if it is worth it: cargo xtask size --accept`;
}

function main(accept) {
  const before = accepted();
  const sizes = measure(before.later);
  const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
  printTable(sizes, total, before);
  if (accept && total <= TOTAL_BYTES_MAX) {
    const now = { total_bytes: total, later: before.later, files: Object.fromEntries(sizes) };
    fs.writeFileSync(ACCEPTED, `${JSON.stringify(now, null, 2)}\n`);
    return console.log('accepted: tests/size.json');
  }
  const problem = complaint(total, before);
  if (problem) {
    console.error(problem);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.includes('--accept'));
