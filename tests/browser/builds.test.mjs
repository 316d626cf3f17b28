// A new build does not break an open tab or a link.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DIST, until } from './harness.mjs';
import { BELOW, hasFocus, kept, NEWS, onPage, openTab, settled, temporaryFolder, worksOn } from './people.mjs';

const caches = (page) => page.evaluate(() => window.caches.keys());
const buildOf = (page) => page.evaluate(() => document.querySelector('meta[name=build]').content);
const waiting = (page) => page.waitForFunction(async () => (await navigator.serviceWorker.getRegistration())?.waiting);

/** Waits until the service worker that controls this tab is the one of this build. */
const under = (page, build) => page.waitForFunction((expected) => new Promise((resolve) => {
  const { controller } = navigator.serviceWorker;
  if (!controller) return resolve(false);
  // Another worker may send messages unasked, and one that is terminating may not answer: then ask again.
  const hear = ({ data, source }) => { if (source === controller) end(data === expected); };
  const end = (is) => {
    navigator.serviceWorker.removeEventListener('message', hear);
    resolve(is);
  };
  navigator.serviceWorker.addEventListener('message', hear);
  setTimeout(() => end(false), 2000);
  return controller.postMessage('which build');
}), build);

/** The number of tabs that the service worker of this build controls; the question goes to it alone, so that no page
 * receives the answer. */
async function tabsUnder(context, build) {
  const tabs = async (expected) => (BUILD === expected ? (await self.clients.matchAll({ type: 'window' })).length : 0);
  const counts = context.serviceWorkers().map((worker) => worker.evaluate(tabs, build).catch(() => 0));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Two builds, and a host that can switch from one to the other, as when a new build is copied to it: files that only
 * the old one had are gone. The second build has a new page and new addresses for the engine. */
async function twoBuilds(t) {
  const folder = temporaryFolder();
  const [first, second, root] = ['first', 'second', 'now'].map((name) => path.join(folder, name));
  fs.cpSync(DIST, first, { recursive: true });
  fs.cpSync(DIST, second, { recursive: true });
  const [engine] = fs.readdirSync(second).filter((name) => name.startsWith('worker-'));
  const next = 'worker-0123456789abcdef';
  fs.renameSync(path.join(second, engine), path.join(second, next));
  const change = (name, ...pairs) => {
    const file = path.join(second, name);
    const text = pairs.reduce((all, [from, to]) => all.replaceAll(from, to), fs.readFileSync(file, 'utf8'));
    fs.writeFileSync(file, text);
    return `sha256-${crypto.createHash('sha256').update(text).digest('base64')}`;
  };
  const page = fs.readFileSync(path.join(DIST, 'index.html'), 'utf8');
  const build = page.match(/name="build" content="([0-9a-f]{16})"/)[1];
  const names = [[build, '2222222222222222'], [engine, next]];
  const digest = change('index.html', ...names, ['<title>Tiebreak', '<title>Tiebreak the second']);
  change('sw.js', ...names, [/'\.\/': 'sha256-[^']*'/g, `'./': '${digest}'`]);
  const become = (build) => {
    fs.rmSync(root, { force: true });
    fs.symlinkSync(build, root);
  };
  become(first);
  return { root, become: () => become(second), first: build, second: '2222222222222222' };
}

test('a new build waits for the tabs of the old one, whose engines still start; links open in the new one', async (t) => {
  const builds = await twoBuilds(t);
  await onPage({ root: builds.root }, async (session) => {
    const { hand, page, context } = session;
    await kept(page);
    await hand.setBuckets(BELOW, 5);
    const [digest, link] = [await hand.digest(), await hand.link()];
    builds.become();

    const other = await openTab(session, link);
    assert.match(await other.page.title(), /the second/);
    assert.match(await other.hand.status.textContent(), /reproduced/);
    await waiting(page);
    const news = (tab) => tab.getByRole('note').filter({ hasText: NEWS });

    // The old tab is notified, keeps its state, and can start engines that are no longer on the server.
    await hand.name.focus();
    await news(page).waitFor();
    await hasFocus(page, 'Scenario name');
    assert.equal(await hand.digest(), digest);
    await hand.runs(() => hand.button('Fork as B').click());
    assert.equal(await news(other.page).count(), 0, 'the new tab has nothing to reload for');
    await under(page, builds.first);

    // A third tab, still under the old service worker, works even when the server is down.
    await worksOn(other.hand);
    assert.equal(await news(other.page).count(), 0, 'nor later');

    await page.getByRole('button', { name: 'Reload', exact: true }).click();
    await page.waitForFunction(() => /the second/.test(document.title));
    await settled(page, 0);
    await under(page, builds.second);
    assert.equal(await hand.bucketsOf(BELOW).inputValue(), '5', 'the draft is there');
    await page.reload();
    await settled(page, 0);
    await page.waitForFunction(async () => (await window.caches.keys()).length === 1);
    assert.match((await caches(page))[0], new RegExp(`${builds.second}$`));
    await context.close();
  });
});

test('an old tab works on after another one went over to the new build', async (t) => {
  const builds = await twoBuilds(t);
  await onPage({ root: builds.root }, async (session) => {
    const { hand, page, host } = session;
    await kept(page);
    const second = await openTab(session, host.url);
    builds.become();
    const third = await openTab(session, host.url);
    await second.page.getByRole('button', { name: 'Reload', exact: true }).click();
    await second.page.waitForFunction(() => /the second/.test(document.title));
    await settled(second.page, 0);
    await third.page.reload();
    await settled(third.page, 0);
    // Now under the new service worker, which keeps the old build's files for it.
    await under(page, builds.second);
    assert.equal(await buildOf(page), builds.first);
    await host.close();
    await hand.runs(() => hand.button('Fork as B').click());
    await worksOn(hand);
    assert.equal((await caches(page)).length, 2);
  });
});

test('a visitor who comes back alone has the new build at once, and is told nothing', async (t) => {
  const builds = await twoBuilds(t);
  await onPage({ root: builds.root }, async (session) => {
    const { page, host } = session;
    await kept(page);
    const blank = await session.context.newPage();
    await page.close();
    builds.become();
    const { page: again } = await openTab(session, host.url);
    assert.match(await again.title(), /the second/);
    await again.waitForFunction(async (build) => {
      const names = await window.caches.keys();
      return names.length === 1 && names[0].endsWith(build);
    }, builds.second);
    await until(() => tabsUnder(session.context, builds.second), 'the new build is in charge');
    assert.equal(await again.getByText(NEWS).count(), 0);
    await blank.close();
  });
});
