// Without a network: a visited page opens again, and the whole page fits on a USB stick.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { DIST, hold, MOUNT, openChromium } from './harness.mjs';
import {
  GOLDEN, Hand, kept, listenToStatus, NEWS, onPage, openTab, says, settled, temporaryFolder, until, worksOn,
} from './people.mjs';

const TOP = fileURLToPath(new URL('../..', import.meta.url));

const caches = (page) => page.evaluate(() => window.caches.keys());

test('after one visit the page opens and works without a server: both engines, the trace, links', () =>
  onPage({}, async ({ hand, page, host, context }) => {
    await kept(page);
    const [digest, link] = [await hand.digest(), await hand.link()];
    await host.close();
    // The tab of the first visit still works: the engine of a second variant starts now.
    await hand.runs(() => hand.button('Fork as B').click());
    await page.reload();
    await settled(page, 0);
    const other = await openTab({ context }, link);
    await says(other.hand.status, /reproduced/);
    assert.equal(await other.hand.digest(), digest);
    await worksOn(other.hand);
  }));

test('nothing is asked of the server twice, and the service worker only after the page is live', () =>
  onPage({}, async ({ hand, page, host }) => {
    await kept(page);
    const live = host.paths.findIndex((asked) => asked.endsWith('worker_bg.wasm'));
    assert.ok(live >= 0 && host.paths.indexOf('sw.js') > live, host.paths.join(' '));
    const before = host.paths.length;
    await page.reload();
    await settled(page, 0);
    // All that a visit loads is there when the engine answers and the lessons are listed: a header, the lessons, and
    // an entry for a custom lesson.
    await worksOn(hand);
    await hand.lessons();
    await page.getByRole('tab', { name: 'Experiment' }).click();
    const again = host.paths.slice(before).filter((asked) => asked !== 'sw.js');
    assert.deepEqual(again, [''], 'only the page itself, to see whether there is a newer one');
  }));

test('a server that does not answer in time is as good as none', () =>
  onPage({}, async ({ page, host }) => {
    await kept(page);
    await host.close();
    const asked = [];
    const silent = http.createServer((request) => asked.push(request.url));
    await new Promise((resolve) => { silent.listen(Number(new URL(host.url).port), '127.0.0.1', resolve); });
    try {
      await page.reload();
      await settled(page, 0);
      assert.ok(asked.includes(MOUNT), 'it was asked');
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  }));

test('a server that breaks gives the page as it was kept', () =>
  onPage({}, async ({ page, host }) => {
    await kept(page);
    await host.close();
    const broken = http.createServer((_, response) => response.writeHead(503).end('closed for repairs'));
    await new Promise((resolve) => { broken.listen(Number(new URL(host.url).port), '127.0.0.1', resolve); });
    try {
      await page.reload();
      await settled(page, 0);
      await worksOn(new Hand(page));
    } finally {
      broken.closeAllConnections();
      broken.close();
    }
  }));

test('the service worker leaves what is not below the page alone', () =>
  onPage({}, async ({ page, host, faults }) => {
    await kept(page);
    const before = host.paths.length;
    const told = await page.evaluate(async (mount) => {
      const post = await fetch(mount, { method: 'POST' });
      const outside = await fetch('/');
      return [post.status, outside.status];
    }, MOUNT);
    assert.deepEqual(told, [200, 404]);
    assert.deepEqual(host.paths.slice(before), ['', '/']);
    await until(() => faults.length > 0, 'the console tells of it');
    assert.equal(faults.length, 1);
    assert.match(faults.pop(), /404 \(Not Found\)/);
  }));

test('files that are not those of the build are not kept, and the page works on', async () => {
  const root = path.join(temporaryFolder(), 'dist');
  fs.cpSync(DIST, root, { recursive: true });
  const [engine] = fs.readdirSync(root).filter((name) => name.startsWith('worker-'));
  fs.appendFileSync(path.join(root, engine, 'worker_loader.js'), '\n// changed on the way\n');
  await notKept({ root });
});

test('a browser without room keeps nothing, and the page works on', () =>
  notKept({
    prepare: async ({ context, page, host }) => {
      const devtools = await context.newCDPSession(page);
      await devtools.send('Storage.overrideQuotaForOrigin', { origin: host.origin, quotaSize: 200_000 });
    },
  }));

/** The service worker fails to install, without a message. */
function notKept({ prepare, ...options }) {
  const watched = async (session) => {
    await listenToStatus(session.context);
    await session.context.addInitScript(() => {
      const { register } = ServiceWorkerContainer.prototype;
      ServiceWorkerContainer.prototype.register = async function watched(...words) {
        const registration = await register.apply(this, words);
        window.tried = true;
        return registration;
      };
    });
    await prepare?.(session);
  };
  return onPage({ ...options, prepare: watched }, async ({ hand, page }) => {
    await page.waitForFunction(async () =>
      window.tried && !(await navigator.serviceWorker.getRegistration()) && (await window.caches.keys()).length === 0);
    assert.equal(await hand.alert.count(), 0);
    assert.equal(await page.getByText(NEWS).count(), 0);
    await worksOn(hand);
  });
}

test('the archive for a USB stick opens from a plain web server', async (t) => {
  const folder = temporaryFolder();
  execFileSync('cargo', ['xtask', 'bundle', '--no-build'], { cwd: TOP });
  const [archive] = fs.readdirSync(path.join(TOP, 'target')).filter((name) => /^tiebreak-.*\.zip$/.test(name));
  execFileSync('python3', ['-m', 'zipfile', '-e', path.join(TOP, 'target', archive), folder]);
  const root = path.join(folder, archive.replace(/\.zip$/, ''));
  const told = fs.readFileSync(path.join(root, 'README.txt'), 'utf8');
  assert.equal(told.trim().split('\n').length, 6);

  // As in the README, except for the port.
  const line = told.match(/python3 (-m http\.server --bind 127\.0\.0\.1) 8000/)[1];
  const server = spawn('python3', ['-u', ...line.split(' '), '0'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => server.kill());
  const origin = await new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', (data) => {
      said += data;
      const found = said.match(/(http:\/\/127\.0\.0\.1:\d+)\//);
      if (found) resolve(found[1]);
    });
    server.on('exit', (code) => reject(new Error(`python3 ended with ${code}`)));
  });
  const session = await openChromium();
  t.after(session.close);
  await listenToStatus(session.context);
  const { page, hand } = await openTab(session, `${origin}/`);
  assert.equal(await hand.digest(), GOLDEN.default);
  await worksOn(hand);
  await kept(page);
  server.kill();
  await page.reload();
  await settled(page, 0);
  hold(session, { origin });
});
