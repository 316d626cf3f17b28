// Things that must not do harm: foreign scripts, engines that end, hidden tabs, browsers that refuse features.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { CHROMIUM, DIST, hold, MOUNT, PATIENCE_MS, QUIET_FLAGS, serve } from './harness.mjs';
import {
  BELOW, drawn, engines, enter, foreignTrace, Hand, listenToEngines, listenToStatus, onPage, openTab, settled, shows, until,
  worksOn,
} from './people.mjs';

test('no script runs that did not come with the build', () =>
  onPage({}, async ({ hand, page, faults }) => {
    const expected = [
      'base-uri', 'connect-src', 'eval', 'script-src', 'script-src-attr', 'script-src-elem', 'style-src-elem',
    ];
    await page.evaluate(async () => {
      window.ran = [];
      const refused = [];
      window.refused = () => [...new Set(refused)].sort();
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => refused.push(effectiveDirective));
      const add = (name, attributes, text = '') => {
        const element = Object.assign(document.createElement(name), { textContent: text });
        for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
        document.body.append(element);
        return element;
      };
      add('script', {}, 'window.ran.push("inline")');
      add('script', { type: 'module' }, 'window.ran.push("module")');
      add('script', { src: 'data:text/javascript,window.ran.push("data")' });
      add('img', { src: 'data:,', onerror: 'window.ran.push("handler")' });
      add('a', { href: 'javascript:window.ran.push("address")' }).click();
      add('style', {}, 'body { display: none }');
      add('iframe', { srcdoc: '<script>parent.ran.push("frame")</script>' });
      add('base', { href: 'https://example.com/' });
      // In a separate turn: code that a debugger evaluates may use eval.
      setTimeout(() => { try { window.ran.push(new Function('return "eval"')()); } catch { refused.push('eval'); } });
      await fetch('https://example.com/').catch(() => {});
    });
    await shows(() => page.evaluate(() => window.refused()), expected);
    // If allowed, it would have run in its turn; those turns are over.
    await drawn(page);
    const ran = await page.evaluate(() => {
      const shown = getComputedStyle(document.body).display;
      for (const element of document.querySelectorAll('body > :not(#page)')) element.remove();
      return { ran: window.ran, refused: window.refused(), shown, base: document.baseURI === location.href };
    });
    assert.deepEqual(ran.ran, []);
    assert.deepEqual(ran.refused, expected);
    assert.notEqual(ran.shown, 'none');
    assert.ok(ran.base);
    // Each is a console error, so that every other test would notice one caused by the page itself.
    await until(() => faults.length >= 6, 'the console tells of it');
    await worksOn(hand);
    assert.deepEqual(faults.filter((fault) => !/Content Security Policy/.test(fault)), []);
    faults.length = 0;
  }));

/** Forks, so that two engines are running; each variant with its own run. */
async function twoEngines(hand, page) {
  // The first run came with the page, this one from the first engine.
  await hand.runs(() => hand.runAgain());
  await hand.runs(() => hand.button('Fork as B').click());
  await hand.setBuckets(BELOW, 5);
  // Each engine holds a lock, and the page waits for it: so it notices when an engine ends silently.
  await until(() => page.evaluate(async () => {
    const { held, pending } = await navigator.locks.query();
    return [held, pending].every((locks) => locks.filter(({ name }) => name.startsWith('tiebreak engine ')).length === 2);
  }), 'two engines that are watched');
  return engines(page, 2);
}

// How an engine may end, and the page's message.
const ENDS = {
  'by an error': [() => { setTimeout(() => { throw new Error('on purpose'); }); }, /on purpose/],
  'by a trap': [() => {
    // (module (func (export "f") unreachable))
    const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11];
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes)));
    setTimeout(() => exports.f());
  }, /It ran out of memory \(the browser said: .*unreachable/],
  'without a word': [() => { setTimeout(() => self.close()); }, /The browser stopped it/],
};

for (const [how, [end, words]] of Object.entries(ENDS)) {
  test(`an engine that ends ${how} is started again, that of a second variant too`, () =>
    onPage({}, async ({ hand, page, faults }) => {
      const both = await twoEngines(hand, page);
      const [digest, link, drafts] = [await hand.digest(), await hand.link(), await hand.drafts()];
      for (const [times, engine] of both.entries()) {
        await engine.evaluate(end);
        await hand.alert.nth(times).waitFor();
        assert.match(await hand.alert.nth(times).textContent(), /The engine stopped and was restarted/);
        assert.match(await hand.alert.nth(times).textContent(), words);
        assert.equal(await hand.link(), link);
        assert.deepEqual(await hand.drafts(), drafts);
        assert.match(await hand.runs(() => hand.runAgain()), /^Done: /);
        assert.equal(await hand.digest(), digest);
      }
      await worksOn(hand);
      const expected = (fault) => /on purpose|unreachable/.test(fault);
      assert.deepEqual(faults.filter((fault) => !expected(fault)), []);
      faults.length = 0;
    }));
}

const BUCKETS = [4, 5, 6, 8, 10];

test('five tabs at once have a draft each', () =>
  onPage({}, async ({ hand, host, context }) => {
    const hands = [hand];
    for (let tab = 1; tab < 5; tab += 1) {
      hands.push((await openTab({ context }, host.url)).hand);
    }
    await Promise.all(hands.map(async (each, tab) => {
      await enter(each.name, `Tab ${tab}`);
      await each.setBuckets(BELOW, BUCKETS[tab]);
    }));
    for (const [tab, each] of hands.entries()) {
      await each.page.reload();
      await settled(each.page, 0);
      assert.equal(await each.name.inputValue(), `Tab ${tab}`);
      assert.equal(await each.bucketsOf(BELOW).inputValue(), String(BUCKETS[tab]));
    }
    assert.equal((await hand.drafts()).length, 5);
  }));

/** Lets a test hide the tab as a browser does: no frames, timers once a second, and an event to the page. */
function hideable(context) {
  return context.addInitScript(() => {
    const [frame, timer, held] = [window.requestAnimationFrame, window.setTimeout, []];
    let hidden = false;
    window.requestAnimationFrame = (then) => (hidden ? held.push(then) : frame.call(window, then));
    window.setTimeout = (then, delay = 0, ...rest) => timer.call(window, then, hidden ? Math.max(delay, 1000) : delay, ...rest);
    Object.defineProperty(Document.prototype, 'hidden', { get: () => hidden });
    Object.defineProperty(Document.prototype, 'visibilityState', { get: () => (hidden ? 'hidden' : 'visible') });
    window.outOfSight = (now) => {
      hidden = now;
      document.dispatchEvent(new Event('visibilitychange'));
      if (!hidden) held.splice(0).forEach((then) => frame.call(window, then));
      return held.length;
    };
  });
}

/** Like `Hand.setBuckets`, which waits for frames. */
async function setUnseen(hand, buckets) {
  const said = () => hand.page.evaluate(() => window.said.map(({ text }) => text));
  const before = (await said()).length;
  await hand.bucketsOf(BELOW).selectOption(String(buckets));
  const isOver = async () => {
    const now = await said();
    return now.length > before && /^Done/.test(now.at(-1));
  };
  await until(isOver, `the end of the run with ${buckets} buckets`);
}

test('a tab out of sight runs on; when it is seen again it shows the last run, with nothing left to catch up', () =>
  onPage({
    prepare: async ({ context }) => {
      for (const listen of [hideable, listenToEngines, listenToStatus]) await listen(context);
    },
  }, async ({ hand, page }) => {
    await hand.setBuckets(BELOW, 5);
    const digest = await hand.digest();
    await hand.setBuckets(BELOW, 3);
    const numbers = await hand.numbers();
    await page.evaluate(() => window.outOfSight(true));
    for (const buckets of [8, 4, 8, 5]) await setUnseen(hand, buckets);
    const heard = await page.evaluate(() => window.heard);
    await page.evaluate(() => window.outOfSight(false));
    await shows(() => hand.digest(), digest);
    assert.notDeepEqual(await hand.numbers(), numbers);
    // A message that the engine did not suppress would have arrived by now: it has had a turn, and the page has
    // drawn.
    const [engine] = await engines(page, 1);
    await engine.evaluate(() => new Promise((resolve) => { setTimeout(resolve); }));
    await drawn(page);
    assert.equal(await page.evaluate(() => window.heard), heard, 'every message was heard while it was hidden');
    await worksOn(hand);
  }));

test('a tab that the browser freezes in the middle of a run ends it when it thaws', () =>
  onPage({}, async ({ hand, page, context }) => {
    await hand.setBuckets(BELOW, 5);
    const digest = await hand.digest();
    await hand.setBuckets(BELOW, 3);
    const devtools = await context.newCDPSession(page);
    await hand.runs(async () => {
      await hand.bucketsOf(BELOW).selectOption('5');
      await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
      // A fixed time: a frozen page does nothing that could be waited for.
      await new Promise((resolve) => { setTimeout(resolve, 2000); });
      await devtools.send('Page.setWebLifecycleState', { state: 'active' });
    });
    assert.equal(await hand.digest(), digest);
    await worksOn(hand);
  }));

test('by http from another host, where browsers refuse much, the page works and says nothing', async (t) => {
  const host = await serve({ root: DIST, at: MOUNT });
  t.after(host.close);
  const port = new URL(host.url).port;
  const args = [...QUIET_FLAGS, '--host-resolver-rules=MAP classroom.test 127.0.0.1'];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args });
  t.after(() => browser.close());
  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENCE_MS);
  const faults = [];
  context.on('console', (message) => { if (message.type() === 'error') faults.push(message.text()); });
  context.on('weberror', (error) => faults.push(String(error.error())));
  await listenToStatus(context);
  const page = await context.newPage();
  await page.goto(`http://classroom.test:${port}${MOUNT}`);
  // The page cannot know that this browser was here before.
  await page.getByRole('tab', { name: 'Experiment' }).click();
  await settled(page, 0);
  const hand = new Hand(page);
  assert.deepEqual(await page.evaluate(() => [isSecureContext, 'serviceWorker' in navigator, 'locks' in navigator]), [false, false, false]);
  await worksOn(hand);
  // A custom trace, which cannot be stored here.
  assert.match(await hand.runs(() => hand.giveFile(foreignTrace())), /^Done: /);
  assert.equal(await hand.alert.count(), 0);
  // The clipboard is refused as well, and the page says so.
  await hand.button('Share').click();
  await page.getByRole('button', { name: /^Copy/ }).first().click();
  await page.keyboard.press('Escape');
  await hand.alert.waitFor();
  assert.match(await hand.alert.textContent(), /Copy failed/);
  await worksOn(hand);
  assert.deepEqual(faults, []);
});

/** Engines receive no messages until a test releases them, one after the other. */
function holdBackEngines(context) {
  return context.addInitScript(() => {
    const { postMessage } = Worker.prototype;
    const [held, free] = [new Map(), new Set()];
    Worker.prototype.postMessage = function post(...message) {
      if (free.has(this)) return postMessage.apply(this, message);
      return held.set(this, [...held.get(this) ?? [], message]);
    };
    const Real = window.Worker;
    const begun = [];
    window.Worker = class extends Real {
      constructor(...words) {
        super(...words);
        begun.push(this);
      }
    };
    window.letEngineWork = () => {
      const engine = begun.shift();
      free.add(engine);
      for (const message of held.get(engine) ?? []) engine.postMessage(...message);
    };
  });
}

test('a trace of one’s own is there again after the engine ended, also where the browser keeps no files', () =>
  onPage({
    prepare: async ({ context, page }) => {
      await listenToStatus(context);
      await holdBackEngines(context);
      const withoutFiles = async (worker) => {
        await worker.evaluate(() => {
          StorageManager.prototype.getDirectory = () => Promise.reject(new DOMException('not here', 'SecurityError'));
        });
        await page.evaluate(() => window.letEngineWork());
      };
      page.on('worker', (worker) => withoutFiles(worker).catch(() => {})); // It may have ended already.
    },
  }, async ({ hand, page, faults }) => {
    assert.match(await hand.runs(() => hand.giveFile(foreignTrace())), /^Done: /);
    const digest = await hand.digest();
    const files = await page.evaluate(async () => Array.fromAsync((await navigator.storage.getDirectory()).keys()));
    assert.deepEqual(files, [], 'this browser kept nothing');
    const [engine] = await engines(page, 1);
    await engine.evaluate(() => { setTimeout(() => { throw new Error('on purpose'); }); });
    await hand.alert.waitFor();
    assert.match(await hand.runs(() => hand.runAgain()), /^Done: /);
    assert.equal(await hand.digest(), digest);
    assert.deepEqual(faults.filter((fault) => !/on purpose/.test(fault)), []);
    faults.length = 0;
  }));
