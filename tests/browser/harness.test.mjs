// Tests the harness on small pages of its own, without the product: a guard that never fires is useless.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { axe, firstPicture, heap, inChromium, inFirefox, serve, signalChromium, SLOW_LINE, until } from './harness.mjs';

// An empty wasm module and a worker that fetches it: the shape of the real page.
const FILES = {
  'index.html': `<!doctype html><html lang="en"><title>Small</title><link rel="icon" href="data:,">
    <main><h1>Small</h1><p id="said" role="status">starting</p></main>
    <script type="module">
      const worker = new Worker('./worker.js' + location.search);
      worker.onmessage = (event) => { document.getElementById('said').textContent = event.data; };
    </script></html>`,
  'worker.js': `
    const other = new URLSearchParams(location.search).get('ask');
    if (other === 'throw') throw new Error('broken on purpose');
    const asked = other ? fetch(other, { mode: 'no-cors' }).catch(() => {}) : Promise.resolve();
    asked.then(() => WebAssembly.instantiateStreaming(fetch('./engine.wasm'))).then(() => postMessage('ready'));`,
  'engine.wasm': Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]),
  'big.bin': Buffer.alloc(250_000, 7),
};

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'harness-'));
for (const [name, content] of Object.entries(FILES)) fs.writeFileSync(path.join(root, name), content);
after(() => fs.rmSync(root, { recursive: true }));

const READY = `document.getElementById('said').textContent === 'ready'`;

test('the host mounts below a folder, compresses when asked, and leads nowhere else', async (t) => {
  const host = await serve({ root, at: '/some/where/' });
  t.after(host.close);
  const wasm = await fetch(`${host.url}engine.wasm`, { headers: { 'accept-encoding': 'br' } });
  assert.equal(wasm.headers.get('content-type'), 'application/wasm');
  assert.equal(wasm.headers.get('content-encoding'), 'br');
  assert.deepEqual(Buffer.from(await wasm.arrayBuffer()), FILES['engine.wasm']);
  assert.equal((await fetch(`${host.origin}/engine.wasm`)).status, 404);
  assert.equal((await fetch(`${host.url}..%2f..%2fetc/passwd`)).status, 404);
  assert.deepEqual(host.paths, ['engine.wasm', '/engine.wasm', '../../etc/passwd']);
});

test('a slow line takes the time that its bytes take, also for two at once', async (t) => {
  const host = await serve({ root, line: SLOW_LINE });
  t.after(host.close);
  const start = performance.now();
  const load = async () => {
    const response = await fetch(`${host.url}big.bin`, { headers: { 'accept-encoding': 'identity' } });
    return response.arrayBuffer();
  };
  await Promise.all([load(), load()]);
  const took = performance.now() - start;
  // 2 x 250 kB at 1.25 MB/s, after 40 ms; not much longer, unless this machine is busy.
  assert.ok(took > 400 && took < 5_000, `${took} ms`);
});

for (const [name, run] of [['Chromium', inChromium], ['Firefox', inFirefox]]) {
  const ready = ({ page }) => (name === 'Firefox' ? page.waitFor(READY) : page.waitForFunction(READY));

  test(`${name}: a good page passes, with its worker and wasm below a folder`, () =>
    run({ root }, async (session) => {
      await ready(session);
      assert.deepEqual(session.host.paths, ['', 'worker.js', 'engine.wasm']);
    }));

  test(`${name}: a request to another origin fails the test, from a worker too`, async (t) => {
    const other = await serve({ root });
    t.after(other.close);
    const asked = ({ requests, page }) => until(() => (requests ?? page.requests).has(other.origin));
    await assert.rejects(run({ root, path: `?ask=${other.url}` }, asked), /asked another origin/);
  });

  test(`${name}: an uncaught error fails the test, in a worker too`, async () => {
    const wait = ({ faults, page }) => until(() => (faults ?? page.faults).length > 0);
    await assert.rejects(run({ root, path: '?ask=throw' }, wait), /broken on purpose/);
  });
}

test('Chromium: a missing file is a fault', () =>
  assert.rejects(
    inChromium({ root }, async ({ page, faults }) => {
      await page.evaluate(() => fetch('./missing.json'));
      await until(() => faults.length > 0);
    }),
    /console error.*404/s,
  ));

test('Chromium: size, colours and motion are as asked', () =>
  inChromium({ root, width: 360, height: 640, dark: true, reducedMotion: true }, async ({ page }) => {
    const seen = await page.evaluate(() => ({
      width: innerWidth,
      dark: matchMedia('(prefers-color-scheme: dark)').matches,
      still: matchMedia('(prefers-reduced-motion: reduce)').matches,
    }));
    assert.deepEqual(seen, { width: 360, dark: true, still: true });
  }));

test('a page that never answers fails its test, which says so', () =>
  assert.rejects(
    inChromium({ root, limitMs: 2_000 }, ({ page }) => page.evaluate(() => { for (;;); })),
    /^Error: the test took longer than 2 s\nthe browser answers; the page's script does not/,
  ));

test('a browser that never answers is replaced, and the test runs again', async () => {
  let runs = 0;
  await inChromium({ root, limitMs: 20_000 }, async ({ page }) => {
    runs += 1;
    if (runs === 1) signalChromium('SIGSTOP');
    assert.equal(await page.title(), 'Small');
  });
  assert.equal(runs, 2);
});

test('axe finds what is missing, and nothing else', () =>
  inChromium({ root }, async ({ page }) => {
    assert.deepEqual(await axe(page), []);
    await page.evaluate(() => document.querySelector('main').append(document.createElement('button')));
    const found = await axe(page);
    assert.match(found.join('\n'), /^button-name \(critical\).*at button$/);
  }));

test('the first picture and the heap are measured, on a slow line and a slow machine', () =>
  inChromium({ root, line: SLOW_LINE, cpu: 4 }, async ({ page }) => {
    const { firstContentfulPaintMs, largestContentfulPaintMs } = await firstPicture(page);
    assert.ok(firstContentfulPaintMs > 40 && firstContentfulPaintMs < 30_000, `${firstContentfulPaintMs}`);
    assert.ok(largestContentfulPaintMs >= firstContentfulPaintMs, `${largestContentfulPaintMs}`);
    const before = await heap(page);
    await page.evaluate(() => { window.kept = Array.from({ length: 1e6 }, (_, i) => ({ i })); });
    const kept = (await heap(page)).usedBytes - before.usedBytes;
    assert.ok(kept > 8e6, `${kept} bytes`);
  }));
