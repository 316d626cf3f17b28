// The page without a network: the service worker keeps every file of one build.
//
// the build fills in BUILD and FILES. But for the page itself, every file has its content in its name,
// so an address has one right answer whichever build asks, and builds may share what they keep. How one build follows
// another is told in docs/ARCHITECTURE.md, "Without a network".
'use strict';

const BUILD = '{build}';
/** Each file by its address below the page, with the digest of its content. */
const FILES = '{files}';
const PAGE = './';

const SCOPE = self.registration.scope;
const PAGES = [SCOPE, `${SCOPE}index.html`];
/** Caches of this page, and the locks that its open tabs hold, are named alike: this and a build. */
const OURS = `tiebreak ${SCOPE} `;
const CACHE = OURS + BUILD;

/** A server that takes longer to send the page is as good as none. */
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
    await caches.delete(CACHE); // A part of a build is of no use.
    throw error;
  }
  // Where no tab can be asked for its build, an old one may be open: the browser then waits until none is.
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

/** What older builds kept goes, but for those that are still open in some tab. */
async function tidyUp() {
  const names = await ours();
  const inUse = await openBuilds();
  const older = names.slice(0, Math.max(0, names.indexOf(CACHE))).filter((name) => !inUse.includes(name));
  await Promise.all(older.map((name) => caches.delete(name)));
}

/** The page as the server has it now, or as it was kept. */
async function page(request) {
  const late = new Promise((resolve) => { setTimeout(resolve, PATIENCE_MS); });
  // Never from the browser's cache: the files of the page it may have there are perhaps nowhere any more.
  const asked = fetch(request, { cache: 'no-cache' });
  const fresh = asked.then((response) => (response.status < 500 ? response : undefined), () => undefined);
  return (await Promise.race([fresh, late])) ?? (await kept(SCOPE)) ?? (await fresh) ?? fetch(request);
}

async function file(request, address) {
  return (await kept(address)) ?? fetch(request);
}

/** What this build kept under an address, or else another one. */
async function kept(address) {
  try {
    for (const cacheName of [CACHE, ...await ours()]) {
      const response = await caches.match(address, { cacheName, ignoreVary: true });
      if (response) return response;
    }
  } catch {
    // Storage that cannot be read keeps nothing.
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
