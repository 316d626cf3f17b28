// A static host like the ones that will serve the page: plain files below some folder, no special headers.
//
//   node tests/browser/server.mjs dist 8080 [--open] [--reload]      what `cargo xtask serve` runs
//   const host = await serve({ root: 'dist', at: '/some/where/' });  host.url, host.paths, host.close()
//
// It can also simulate a slow line. The browser's own throttling does not apply to a worker's requests, and the
// worker's wasm is the largest file of the page; here every byte is slowed down, in any browser.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import zlib from 'node:zlib';

const MIME = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};
// Already compressed, or of a type that hosts send unchanged.
const SENT_AS_IS = new Set(['.png', '.ico', '.woff2', '.gz', '.br', '.zip']);

/** The line in the page's loading goal: 10 Mbit/s, 40 ms to the first byte. */
export const SLOW_LINE = { mbitPerSecond: 10, latencyMs: 40 };

/** Serves the folder `root` below the path `at`. Port 0 takes a free one. `line` slows down every answer. With
 * `reload`, listeners on `events` are notified of each new build, and nothing is compressed, since compressing takes
 * longer than sending. `paths` lists the requested paths, in order, without `at`. */
export async function serve({ root, at = '/', port = 0, line = null, reload = false } = {}) {
  const paths = [];
  const builds = reload ? watchBuilds(root) : null;
  const pace = line ? pacer(line) : null;
  const server = http.createServer((request, response) => {
    const asked = decodeURIComponent(new URL(request.url, 'http://host').pathname);
    paths.push(asked.startsWith(at) ? asked.slice(at.length) : asked);
    if (builds) delete request.headers['accept-encoding'];
    if (builds && asked === `${at}events`) return builds.listen(response);
    return answer({ request, response, asked, root, at, pace }).catch((error) => response.destroy(error));
  });
  await new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    url: origin + at,
    paths,
    close: () => new Promise((resolve) => {
      builds?.close();
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}

/** Notifies listeners when the page has changed; its folder may be replaced at any time. */
function watchBuilds(root) {
  const [page, listeners] = [path.join(root, 'index.html'), new Set()];
  const tell = (now) => {
    if (now.isFile()) for (const listener of listeners) listener.write('event: build\ndata:\n\n');
  };
  fs.watchFile(page, { interval: 200 }, tell);
  return {
    listen(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write('\n');
      listeners.add(response);
      response.on('close', () => listeners.delete(response));
    },
    close: () => fs.unwatchFile(page, tell),
  };
}

async function answer({ request, response, asked, root, at, pace }) {
  if (asked === at.slice(0, -1)) return response.writeHead(301, { location: at }).end();
  const file = asked.startsWith(at) ? fileBelow(root, asked.slice(at.length)) : null;
  const found = file ? body(file, request.headers['accept-encoding'] ?? '') : null;
  const status = found ? 200 : 404;
  const { bytes, headers } = found ?? { bytes: Buffer.from('not found\n'), headers: { 'content-type': MIME['.txt'] } };
  if (pace) await pace.latency();
  response.writeHead(status, { ...headers, 'content-length': bytes.length, 'cache-control': 'no-cache' });
  if (request.method === 'HEAD') return response.end();
  if (pace) await pace.send(response, bytes);
  else response.write(bytes);
  return response.end();
}

function fileBelow(root, relative) {
  const top = path.resolve(root);
  const file = path.resolve(top, relative === '' || relative.endsWith('/') ? `${relative}index.html` : relative);
  const isBelow = file.startsWith(top + path.sep);
  return isBelow && fs.statSync(file, { throwIfNoEntry: false })?.isFile() ? file : null;
}

// Compressing a megabyte of wasm takes a while; each file is compressed once per encoding and change.
const compressed = new Map();

function body(file, accepted) {
  const extension = path.extname(file);
  const headers = { 'content-type': MIME[extension] ?? 'application/octet-stream', vary: 'accept-encoding' };
  const encoding = SENT_AS_IS.has(extension) ? null : ['br', 'gzip'].find((name) => accepted.includes(name));
  if (!encoding) return { bytes: fs.readFileSync(file), headers };
  const key = `${encoding} ${file} ${fs.statSync(file).mtimeMs}`;
  if (!compressed.has(key)) compressed.set(key, compress(fs.readFileSync(file), encoding));
  return { bytes: compressed.get(key), headers: { ...headers, 'content-encoding': encoding } };
}

function compress(bytes, encoding) {
  if (encoding === 'gzip') return zlib.gzipSync(bytes);
  return zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 9 } });
}

/** One line shared by all answers: each chunk waits until the line is free. */
function pacer({ mbitPerSecond, latencyMs }) {
  const bytesPerMs = (mbitPerSecond * 1e6) / 8 / 1000;
  const chunkBytes = 8 * 1024;
  let freeAt = 0;
  const sleepUntil = (time) => new Promise((resolve) => { setTimeout(resolve, time - performance.now()); });
  return {
    latency: () => sleepUntil(performance.now() + latencyMs),
    async send(response, bytes) {
      for (let from = 0; from < bytes.length; from += chunkBytes) {
        const chunk = bytes.subarray(from, from + chunkBytes);
        freeAt = Math.max(freeAt, performance.now()) + chunk.length / bytesPerMs;
        await sleepUntil(freeAt);
        response.write(chunk);
      }
    },
  };
}

function openInBrowser(url) {
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  // Without an opener, the printed address is enough.
  spawn(opener, [url], { stdio: 'ignore', detached: true }).on('error', () => {}).unref();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [root, port, ...wishes] = process.argv.slice(2);
  try {
    const host = await serve({ root, port: Number(port), reload: wishes.includes('--reload') });
    console.log(`\n    Tiebreak is at ${host.url}    (Ctrl-C stops it)\n`);
    if (wishes.includes('--open')) openInBrowser(host.url);
  } catch (error) {
    const inUse = error.code === 'EADDRINUSE';
    console.error(inUse ? `port ${port} is in use; choose another: cargo xtask serve --port N` : error.message);
    process.exit(1);
  }
}
