// Debian's Firefox ESR, driven over WebDriver BiDi, without geckodriver or a patched browser. Playwright cannot start
// it.
//
//   const page = await openFirefox('http://127.0.0.1:8080/');
//   await page.waitFor(`document.querySelector('[role=status]')?.textContent.includes('ready')`);
//   await page.click('button#run');
//   await page.close();
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import WebSocket from 'ws';

const FIREFOX = process.env.FIREFOX ?? 'firefox-esr';
const TIMEOUT_MS = 120_000;

// The browser itself makes no requests, so that every request comes from the page.
const PREFS = {
  'app.update.enabled': false,
  'browser.safebrowsing.downloads.remote.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'remote.prefs.recommended': true,
  'toolkit.telemetry.enabled': false,
};

/** A new headless Firefox with `url` loaded. `faults` and `requests` as in the harness. */
export async function openFirefox(url, { width = 1280, height = 800 } = {}) {
  const firefox = await start();
  try {
    const bidi = await connect(`${firefox.endpoint}/session`);
    const page = await openPage(bidi, firefox, { width, height });
    await page.goto(url);
    return page;
  } catch (error) {
    await firefox.stop();
    throw error;
  }
}

async function start() {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'firefox-'));
  const prefs = Object.entries(PREFS).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${value});`);
  fs.writeFileSync(path.join(profile, 'user.js'), prefs.join('\n'));
  const flags = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
  const child = spawn(FIREFOX, flags, { env: { ...process.env, HOME: profile, MOZ_DISABLE_CONTENT_SANDBOX: '1' } });
  const stop = async () => {
    const exited = child.exitCode ?? new Promise((resolve) => { child.once('exit', resolve); });
    child.kill('SIGKILL');
    await exited;
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    return { endpoint: await endpointOf(child), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Firefox prints its endpoint on standard error. */
function endpointOf(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (data) => {
      said += data;
      const found = said.match(/WebDriver BiDi listening on (ws:\/\/\S+)/);
      if (found) resolve(found[1]);
    });
    child.on('error', (error) => reject(new Error(`cannot start ${FIREFOX}: ${error.message}`)));
    child.on('exit', () => reject(new Error(`Firefox ended: ${said.slice(-400)}`)));
    setTimeout(() => reject(new Error(`Firefox did not start: ${said.slice(-400)}`)), TIMEOUT_MS).unref();
  });
}

/** Commands as promises, events to listeners. */
async function connect(address) {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => { socket.on('open', resolve); socket.on('error', reject); });
  const waiting = new Map();
  const listeners = new Map();
  let last = 0;
  socket.on('message', (data) => {
    const { type, id, method, params, error, message, result } = JSON.parse(data);
    if (type === 'event') return listeners.get(method)?.(params);
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    return error ? reject?.(new Error(`${error}: ${message}`)) : resolve?.(result);
  });
  socket.on('close', () => { for (const { reject } of waiting.values()) reject(new Error('Firefox closed the connection')); });
  return {
    call: (method, params = {}) => new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params }));
    }),
    on: (event, listener) => listeners.set(event, listener),
    close: () => socket.close(),
  };
}

async function openPage(bidi, firefox, { width, height }) {
  await bidi.call('session.new', { capabilities: {} });
  const { context } = (await bidi.call('browsingContext.getTree')).contexts[0];
  await bidi.call('browsingContext.setViewport', { context, viewport: { width, height } });
  // Marks this browser as a returning visitor's.
  const before = '() => { try { localStorage["tiebreak.view"] ??= "\\"experiment\\""; } catch {} }';
  await bidi.call('script.addPreloadScript', { functionDeclaration: before });
  const faults = [];
  const requests = new Map();
  await listen(bidi, faults, requests);

  const page = {
    faults,
    requests,
    goto: (url) => bidi.call('browsingContext.navigate', { context, url, wait: 'complete' }),

    /** The value of an expression or promise, as JSON. */
    async evaluate(expression) {
      const wrapped = `(async () => JSON.stringify(await (${expression})))()`;
      const { type, result, exceptionDetails } =
        await bidi.call('script.evaluate', { expression: wrapped, target: { context }, awaitPromise: true });
      if (type === 'exception') throw new Error(`${exceptionDetails.text}, in ${expression}`);
      return result.type === 'undefined' ? undefined : JSON.parse(result.value);
    },

    async waitFor(expression, timeoutMs = TIMEOUT_MS) {
      const end = Date.now() + timeoutMs;
      while (Date.now() < end) {
        if (await page.evaluate(expression)) return;
        await new Promise((resolve) => { setTimeout(resolve, 50); });
      }
      throw new Error(`timed out: ${expression}`);
    },

    async click(css) {
      const element = await find(css);
      await page.evaluate(`document.querySelector(${JSON.stringify(css)}).scrollIntoView({ block: 'center' })`);
      const actions = [
        { type: 'pointerMove', x: 0, y: 0, origin: { type: 'element', element } },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ];
      await bidi.call('input.performActions', { context, actions: [{ type: 'pointer', id: 'mouse', actions }] });
    },

    /** Types into the focused element. */
    async type(text) {
      const actions = [...text].flatMap((value) => [{ type: 'keyDown', value }, { type: 'keyUp', value }]);
      await bidi.call('input.performActions', { context, actions: [{ type: 'key', id: 'keyboard', actions }] });
    },

    async setFiles(css, files) {
      await bidi.call('input.setFiles', { context, element: await find(css), files });
    },

    async screenshot(file) {
      const { data } = await bidi.call('browsingContext.captureScreenshot', { context });
      fs.writeFileSync(file, Buffer.from(data, 'base64'));
    },

    async close() {
      bidi.close();
      await firefox.stop();
    },
  };

  async function find(css) {
    const locator = { type: 'css', value: css };
    const { nodes } = await bidi.call('browsingContext.locateNodes', { context, locator });
    if (!nodes.length) throw new Error(`nothing matches ${css}`);
    return { sharedId: nodes[0].sharedId };
  }

  return page;
}

async function listen(bidi, faults, requests) {
  bidi.on('log.entryAdded', ({ level, type, text }) => {
    if (level === 'error') faults.push(`${type === 'console' ? 'console error' : 'uncaught'}: ${text}`);
  });
  bidi.on('network.beforeRequestSent', ({ request }) => {
    const { origin, protocol } = new URL(request.url);
    if (protocol.startsWith('http')) requests.set(origin, (requests.get(origin) ?? 0) + 1);
  });
  await bidi.call('session.subscribe', { events: ['log.entryAdded', 'network.beforeRequestSent'] });
}
