// Offline support: the service worker caches every file of one build.
//
// The build fills in BUILD and FILES. Except for the page itself, every file has its content hash in its name, so an
// address has one correct response for all builds, and builds may share cached files. docs/ARCHITECTURE.md, "Without
// a network", describes how one build replaces another.
'use strict';

const BUILD = '{build}';
/** Each file by its address below the page, with the digest of its content. */
const FILES = '{files}';
const PAGE = './';

const SCOPE = self.registration.scope;
const PAGES = [SCOPE, `${SCOPE}index.html`];
/** The name prefix of this page's caches and of the locks that its open tabs hold; the build follows. */
const OURS = `tiebreak ${SCOPE} `;
const CACHE = OURS + BUILD;

/** A server that takes longer to send the page counts as unavailable. */
const PATIENCE_MS = 2000;

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(activate()));

self.addEventListener('message', (event) => {
  if (event.data === 'which build') event.source?.postMessage(BUILD);
  if (event.data === 'take over') event.waitUntil(self.skipWaiting());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const address = request.url.split(/[?#]/)[0];
  if (request.method !== 'GET' || !address.startsWith(SCOPE) || request.headers.has('range')) return;
  const isPage = PAGES.includes(address);
  event.respondWith(isPage ? page(request) : file(request, address));
  if (isPage) event.waitUntil(tidyUp());
});

async function install() {
  try {
    const cache = await caches.open(CACHE);
    await Promise.all(Object.entries(FILES).map(([path, integrity]) => keep(cache, path, integrity)));
  } catch (error) {
    await caches.delete(CACHE); // An incomplete build is useless.
    throw error;
  }
  // If tabs cannot be asked for their builds, an old one may be open; the browser then waits until all its tabs are
  // closed.
  if (navigator.locks && (await openBuilds()).every((name) => name === CACHE)) await self.skipWaiting();
  for (const tab of await self.clients.matchAll({ type: 'window', includeUncontrolled: true })) tab.postMessage(BUILD);
}

async function keep(cache, path, integrity) {
  const address = new URL(path, SCOPE).href;
  const known = path === PAGE ? undefined : await kept(address);
  const response = known ?? await fetch(address, { integrity, cache: path === PAGE ? 'no-cache' : 'default' });
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  await cache.put(address, response);
}

async function activate() {
  await tidyUp();
  await self.clients.claim();
}

/** Deletes the caches of older builds, except those still open in a tab. */
async function tidyUp() {
  const names = await ours();
  const inUse = await openBuilds();
  const older = names.slice(0, Math.max(0, names.indexOf(CACHE))).filter((name) => !inUse.includes(name));
  await Promise.all(older.map((name) => caches.delete(name)));
}

/** The current page from the server, otherwise the cached one. */
async function page(request) {
  const late = new Promise((resolve) => { setTimeout(resolve, PATIENCE_MS); });
  // Never from the browser's cache: the files of a page cached there may no longer exist anywhere.
  const asked = fetch(request, { cache: 'no-cache' });
  const fresh = asked.then((response) => (response.status < 500 ? response : undefined), () => undefined);
  return (await Promise.race([fresh, late])) ?? (await kept(SCOPE)) ?? (await fresh) ?? fetch(request);
}

async function file(request, address) {
  return (await kept(address)) ?? fetch(request);
}

/** The response that this build, or otherwise another one, cached for an address. */
async function kept(address) {
  try {
    for (const cacheName of [CACHE, ...await ours()]) {
      const response = await caches.match(address, { cacheName, ignoreVary: true });
      if (response) return response;
    }
  } catch {
    // Storage that cannot be read counts as empty.
  }
  return undefined;
}

/** Our caches, oldest first. */
async function ours() {
  return (await caches.keys()).filter((name) => name.startsWith(OURS));
}

/** The builds that are open in some tab, each as the name of its cache. */
async function openBuilds() {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.map(({ name }) => name).filter((name) => name.startsWith(OURS));
}
