// Failures in the environment of the page: engines that end during work, memory that runs out, storage that takes
// nothing or only a part, tabs that write at the same time. Each gives a one-sentence message, and the draft is
// unchanged.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DIST, inFirefox, setNumber } from './harness.mjs';
import {
  BELOW, CORPUS, GOLDEN, Hand, engines, enter, foreignTrace, giveRepeated, listenToStatus, onPage, openTab, says, settled,
  showTab, shows, temporaryFolder, until, withoutServiceWorker, worksOn,
} from './people.mjs';

const SMALL = '24 machines';
const TRACE = 'another-cut.csv.gz';

/** A custom draft, on two dozen machines. */
async function ownDraft(hand) {
  await hand.choosePreset(SMALL);
  await enter(hand.name, 'Mine');
  return hand.drafts();
}

async function set(page, name, value) {
  const field = page.getByRole('spinbutton', { name });
  await new Hand(page).find(field);
  await setNumber(field, value);
}

/** Alerts about engines; the one about two dozen machines is excluded. */
const ofEngines = (page) => page.getByRole('alert').filter({ hasText: /The engine stopped and was restarted|The engine could not start/ });

const MACHINES = /^machines of /;
const REQUESTS = /^requests per hour of /;

/** The latest draft in this browser's storage: its machines, and requests per hour. */
async function asked(hand) {
  const [{ inventory, workload }] = JSON.parse((await hand.drafts()).at(-1)).variants;
  return [inventory.clusters[0].machines, workload.generated.requests_per_hour];
}

/** The same from the page. */
async function shown(page) {
  const numbers = [];
  for (const name of [MACHINES, REQUESTS]) {
    const field = page.getByRole('spinbutton', { name });
    await new Hand(page).find(field);
    numbers.push(Number(await field.inputValue()));
  }
  return numbers;
}

/** Waits until the progress bar shows partial progress of a run or a file. */
const isUnderWay = (page) => page.waitForFunction(() => document.querySelector('.status progress')?.value > 0);

/** Ends an engine as a browser does to reclaim memory. */
const end = (engine) => engine.evaluate(() => { setTimeout(() => self.close()); });

/** The traces stored in this browser, by name, each with a digest of its bytes. Chromium lists unfinished writes, too,
 * as `.crswap`. */
const keptTraces = (page) => page.evaluate(async () => {
  const found = {};
  for await (const [name, handle] of (await navigator.storage.getDirectory()).entries()) {
    // A file that is removed during the listing is skipped. If it is removed while it is read, which happens to the
    // unfinished write of a closed tab, the error may be the other one.
    const isGone = ({ name: error }) =>
      error === 'NotFoundError' || (error === 'NotReadableError' && name.endsWith('.crswap'));
    const bytes = await handle.getFile().then((file) => file.arrayBuffer()).catch((error) => {
      if (!isGone(error)) throw error;
    });
    if (!bytes) continue;
    const digest = await crypto.subtle.digest('SHA-256', bytes);
    found[name] = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  return found;
});

/** The page opens again with the draft, and asks for its trace. */
async function asksForTheTrace(hand, drafts, what) {
  assert.match(await settled(hand.page, 0), /^Waiting for the trace another-cut\.csv\.gz$/, what);
  await hand.page.getByText(/^This scenario runs on the trace another-cut\.csv\.gz, which is not in this browser.* Load the file to start the run\./)
    .waitFor();
  await hand.button(`Choose ${TRACE}`).waitFor();
  assert.deepEqual(await hand.alert.allTextContents(), [], what);
  assert.equal(await hand.name.inputValue(), 'Mine', what);
  assert.deepEqual(await hand.drafts(), drafts, what);
}

test('an engine that the browser ends in the middle of a run is told, and the draft is there, also after a reload', () =>
  onPage({}, async ({ hand, page }) => {
    await ownDraft(hand);
    await set(page, MACHINES, 2000);
    await set(page, REQUESTS, 25_000);
    await isUnderWay(page);
    const drafts = await hand.drafts();
    assert.deepEqual(await asked(hand), [2000, 25_000]);
    const [engine] = await engines(page, 1);
    await end(engine);
    const told = await says(ofEngines(page), /The engine stopped and was restarted.*The browser stopped it, probably because memory ran short\./);
    assert.match(told, /Your scenario is unchanged/);
    await says(hand.status, /^The engine stopped; press Run to try again\.$/);
    assert.deepEqual(await hand.drafts(), drafts);

    await page.reload();
    await isUnderWay(page);
    assert.equal(await hand.name.inputValue(), 'Mine');
    assert.deepEqual(await shown(page), [2000, 25_000]);
    assert.deepEqual(await hand.drafts(), drafts);
    await set(page, REQUESTS, 16);
    await hand.runs(() => set(page, MACHINES, 24));
    assert.equal(await hand.digest(), GOLDEN.small);
  }));

test('an engine that the browser ends while it reads a file is told; the draft stays, and the next file is read', () =>
  onPage({}, async ({ hand, page }) => {
    const drafts = await ownDraft(hand);
    const digest = await hand.digest();
    const [engine] = await engines(page, 1);
    // A slow disk, so that progress is reported between reads. It hangs before the file's end, so that the engine ends
    // first.
    await engine.evaluate(() => {
      const reader = ReadableStreamBYOBReader.prototype;
      const { read } = reader;
      let left = 100;
      reader.read = async function readSlowly(room) {
        left -= 1;
        await new Promise((resolve) => { if (left > 0) setTimeout(resolve, 20); });
        return read.call(this, room);
      };
    });
    await giveRepeated(page, 'large.csv', 1 << 20, 500);
    await says(hand.status, /^Reading large\.csv$/);
    await isUnderWay(page);
    await end(engine);
    await says(ofEngines(page), /The engine stopped and was restarted.*you may have to load files again/s);
    await says(hand.status, /^The engine stopped; press Run to try again\.$/);
    assert.equal(await page.getByRole('button', { name: 'Cancel reading' }).count(), 0);
    assert.deepEqual(await hand.drafts(), drafts);
    await hand.runs(() => hand.runAgain());
    assert.equal(await hand.digest(), digest);
    assert.match(await hand.runs(() => hand.giveFile(foreignTrace())), /^Done: /);
  }));

test('reading that is cancelled stops, also while the file comes as fast as it is read', () =>
  onPage({}, async ({ hand, page }) => {
    const [drafts, digest] = [await ownDraft(hand), await hand.digest()];
    await giveRepeated(page, 'large.csv', 1 << 20, 1_000);
    await page.evaluate(() => new Promise((resolve) => {
      const press = () => {
        if (!(document.querySelector('.status progress')?.value > 0)) return void requestAnimationFrame(press);
        [...document.querySelectorAll('button')].find((button) => button.textContent === 'Cancel reading').click();
        resolve();
      };
      press();
    }));
    await page.getByRole('button', { name: 'Cancel reading' }).waitFor({ state: 'detached' });
    await hand.runs(() => hand.runAgain());
    assert.deepEqual(await hand.drafts(), drafts);
    assert.equal(await hand.digest(), digest);
  }));

test('an engine that ends in the middle of a sweep costs one run, which says so; the others are made', () =>
  onPage({ width: 1440, height: 900 }, async ({ hand, page }) => {
    await enter(hand.name, 'Mine');
    const [drafts, own] = [await hand.drafts(), await engines(page, 1)];
    const panel = page.getByRole('region', { name: 'Sweep', exact: true });
    await showTab(page, 'Sweep');
    await panel.getByRole('combobox', { name: 'Field', exact: true }).selectOption('agents.count');
    // Many runs, so that the sweep is not over before one of its engines ends.
    await enter(panel.getByRole('textbox', { name: 'Values of field', exact: true }), '1..30');
    await panel.getByRole('button', { name: 'Run the sweep' }).click();
    await panel.getByText(/^([1-9]|1\d) of 30 runs, seed 1$/).waitFor();
    const [one] = await until(() => {
      const others = page.workers().filter((worker) => !own.includes(worker) && /worker_loader/.test(worker.url()));
      return others.length > 0 && others;
    }, 'an engine of the sweep');
    await end(one);
    await panel.getByText('30 of 30 runs, seed 1').waitFor({ timeout: 150_000 });
    const rows = await panel.getByRole('region', { name: 'Sweep: data table' }).locator('tbody tr').allTextContents();
    assert.equal(rows.length, 30);
    assert.equal(rows.filter((row) => /The browser stopped it/.test(row)).length, 1, rows.join('\n'));
    await engines(page, 1, [one]);
    assert.deepEqual(await hand.alert.allTextContents(), [], 'what is on screen has nothing to do with it');
    assert.deepEqual(await hand.drafts(), drafts);
    await worksOn(hand);
  }));

test('a mistake in the engine is told in its own words; the draft stays, and Run tries again', () =>
  onPage({}, async ({ hand, page, faults }) => {
    const drafts = await ownDraft(hand);
    const [engine] = await engines(page, 1);
    // Deliver a message in the middle of its work, which no browser does.
    await engine.evaluate(() => {
      const [hear, { now }] = [self.onmessage, Performance.prototype];
      let isHearing = false;
      self.onmessage = (event) => {
        isHearing = true;
        hear.call(self, event);
        isHearing = false;
      };
      Performance.prototype.now = function told() {
        if (!isHearing) hear.call(self, { data: { traces: '' } });
        return now.call(this);
      };
    });
    await hand.runAgain();
    const told = await says(ofEngines(page), /The engine stopped and was restarted.*panicked at .*RefCell already borrowed/s);
    assert.doesNotMatch(told, /memory/);
    assert.deepEqual(await hand.drafts(), drafts);
    await hand.runs(() => hand.runAgain());
    assert.equal(await hand.digest(), GOLDEN.small);
    assert.deepEqual(faults.filter((fault) => !/panicked at/.test(fault)), []);
    faults.length = 0;
  }));

/** A separate build whose engines get very little memory: the file states the most that WebAssembly may request. */
function withLittleMemory(mebibytes) {
  const root = path.join(temporaryFolder(), 'dist');
  fs.cpSync(DIST, root, { recursive: true });
  const [engine] = fs.readdirSync(root).filter((name) => name.startsWith('worker-'));
  const file = path.join(root, engine, 'worker_bg.wasm');
  fs.writeFileSync(file, withMemoryOf(fs.readFileSync(file), 16 * mebibytes));
  return root;
}

const MEMORY_SECTION = 5;

/** A WebAssembly program whose memory may grow to this many pages. */
function withMemoryOf(program, pagesMax) {
  for (let at = 8; at < program.length;) {
    const [length, begin] = number(program, at + 1);
    const after = begin + length;
    if (program[at] === MEMORY_SECTION) {
      const [memories, flags, first] = [program[begin], program[begin + 1], begin + 2];
      assert.deepEqual([memories, flags & ~1], [1, 0], 'one memory, of 32 bits and not shared');
      const section = [1, 1, ...leb(number(program, first)[0]), ...leb(pagesMax)];
      return Buffer.concat([program.subarray(0, at), Buffer.from([MEMORY_SECTION, ...leb(section.length), ...section]), program.subarray(after)]);
    }
    at = after;
  }
  return assert.fail('the program has no memory');
}

/** The LEB128 number at this position, and the position after it. */
function number(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7, at += 1) {
    value += (bytes[at] & 127) * 2 ** shift;
    if (bytes[at] < 128) return [value, at + 1];
  }
}

const leb = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)]);

const OUT_OF_MEMORY = /The engine stopped and was restarted.*It ran out of memory.*Use fewer machines or VMs, or keep only a part of the trace\..*Your scenario is unchanged/s;

/** Engines trap when memory runs out, which also appears in the console. */
function forgetTraps(faults) {
  assert.deepEqual(faults.filter((fault) => !/unreachable/.test(fault)), []);
  faults.length = 0;
}

test('100,000 machines and 2 million VMs in too little memory: it says so and what to do; the draft stays, and less runs', () =>
  onPage({ root: withLittleMemory(128) }, async ({ hand, page, faults }) => {
    await ownDraft(hand);
    await hand.runs(() => set(page, MACHINES, 100_000));
    await set(page, REQUESTS, 46_000);
    await says(ofEngines(page), OUT_OF_MEMORY);
    await says(hand.status, /^The engine stopped; press Run to try again\.$/);
    const drafts = await hand.drafts();
    assert.deepEqual(await asked(hand), [100_000, 46_000]);

    // The scenario that was too large is restored, and is too large again.
    await page.reload();
    await says(ofEngines(page), OUT_OF_MEMORY);
    assert.equal(await hand.name.inputValue(), 'Mine');
    assert.deepEqual(await shown(page), [100_000, 46_000]);
    assert.deepEqual(await hand.drafts(), drafts);

    // The suggested action works.
    assert.match(await hand.runs(() => set(page, REQUESTS, 16)), /^Done: /);
    await hand.runs(() => set(page, MACHINES, 24));
    assert.equal(await hand.digest(), GOLDEN.small);
    forgetTraps(faults);
  }));

/** A link to a changed scenario on two dozen machines. */
function linkTo(change) {
  const document = JSON.parse(fs.readFileSync(path.join(CORPUS, 'good/v2-small.json'), 'utf8'));
  change(document.variants[0]);
  return `#2.j.${Buffer.from(JSON.stringify(document)).toString('base64url')}`;
}

test('a run that takes long is asked about before it begins; less runs at once', () => {
  const link = linkTo(({ inventory, workload, agents }) => {
    inventory.clusters[0].machines = 60_000;
    Object.assign(workload.generated, { requests_per_hour: 50, days: 20 });
    agents.caches = false;
  });
  return onPage({ path: link }, async ({ hand, page }) => {
    await says(hand.status, /^Waiting for your confirmation: this run will take a while$/);
    const question = page.getByRole('alert').filter({ hasText: 'Estimated cost of this run:' });
    const told = await question.textContent();
    assert.match(told, /Estimated cost of this run: 1\.\d min and \d+ MiB of memory, for \d\d,\d{3} VMs, 60,000 machines and 2 agents\. Without caches, every decision checks all machines\./);
    const drafts = await hand.drafts();
    await page.getByRole('button', { name: 'Run anyway' }).click();
    await says(hand.status, /^Running$/);
    assert.equal(await question.count(), 0);
    assert.deepEqual(await hand.drafts(), drafts);
    // An edit ends it at once.
    await set(page, MACHINES, 24);
    assert.match(await hand.runs(() => set(page, REQUESTS, 16)), /^Done: /);
  });
});

test('Firefox says the same when memory runs out, and runs less of it then', () => {
  const link = linkTo(({ inventory, workload }) => {
    inventory.clusters[0].machines = 100_000;
    workload.generated.requests_per_hour = 46_000;
  });
  return inFirefox({ root: withLittleMemory(128), path: link }, async ({ page }) => {
    const told = await until(() => page.evaluate(`[...document.querySelectorAll('[role=alert]')]
      .map(({ textContent }) => textContent).find((text) => text.startsWith('The engine stopped and'))`), 'an alert');
    assert.match(told, OUT_OF_MEMORY);
    const fields = [['Workload', 'requests per hour', 16], ['Fleet', 'machines', 24]];
    for (const [tab, field] of fields) {
      await page.evaluate(`[...document.querySelectorAll('[role=tab]')].find(({ textContent }) => textContent === '${tab}').click()`);
      await page.waitFor(`Boolean(document.querySelector('input[aria-label^="${field} of "]'))`);
    }
    for (const [, field, value] of fields) {
      await page.evaluate(`(() => {
        const field = document.querySelector('input[aria-label^="${field} of "]');
        field.value = '${value}';
        field.dispatchEvent(new Event('input', { bubbles: true }));
        field.dispatchEvent(new Event('change', { bubbles: true }));
      })()`);
    }
    await page.waitFor(`document.querySelector('footer').textContent.includes('digest ${GOLDEN.small}')`);
    const drafts = await page.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith('tiebreak.draft.')).length`);
    assert.equal(drafts, 1, 'and keeps that');
    assert.deepEqual(page.faults.filter((fault) => !/unreachable/.test(fault)), []);
    page.faults.length = 0;
  });
});

test('a file that needs more memory than there is says so; the draft stays, and a part of it is read', () =>
  onPage({ root: withLittleMemory(64) }, async ({ hand, page, faults }) => {
    const drafts = await ownDraft(hand);
    await giveRepeated(page, 'large.csv', 1 << 20, 200);
    await says(ofEngines(page), OUT_OF_MEMORY);
    assert.deepEqual(await hand.drafts(), drafts);
    await showTab(page, 'Workload');
    await enter(page.getByRole('spinbutton', { name: 'Keep 1 in', exact: true }), 50);
    await page.getByRole('combobox', { name: 'Sampled by', exact: true }).selectOption('requests');
    assert.match(await hand.runs(() => giveRepeated(page, 'large.csv', 1 << 20, 200)), /^Done: /);
    await page.getByText('large.csv, 1 request in 50').waitFor();
    forgetTraps(faults);
  }));

// Engine files that may be missing on a server, as after another build was copied to it.
for (const [what, file] of [['what loads it', 'worker_loader.js'], ['its program', 'worker_bg.wasm']]) {
  test(`an engine that cannot be started, for want of ${what}, is told once; the draft stays, and Run tries again`, () => {
    const root = path.join(temporaryFolder(), 'dist');
    fs.cpSync(DIST, root, { recursive: true });
    const [folder] = fs.readdirSync(root).filter((name) => name.startsWith('worker-'));
    const [there, away] = [path.join(root, folder, file), path.join(root, file)];
    const prepare = async ({ context }) => {
      await listenToStatus(context);
      await withoutServiceWorker(context);
    };
    return onPage({ root, prepare }, async ({ hand, page, faults, host }) => {
      await ownDraft(hand);
      const asked = () => host.paths.filter((asked) => asked.endsWith(file)).length;
      const before = asked();
      fs.renameSync(there, away);
      await hand.button('Fork as B').click();
      await says(ofEngines(page), /The engine could not start.*Your scenario is unchanged\. Press Run to try again, or reload the page\./s);
      await says(hand.status, /^The engine stopped; press Run to try again\.$/);
      const drafts = await hand.drafts();
      const { name, variants } = JSON.parse(drafts.at(-1));
      assert.deepEqual([name, ...variants.map((variant) => variant.name)], ['Mine', 'A', 'B']);
      assert.match(await hand.runs(() => hand.runAgain()), /^The engine stopped/);
      assert.equal(asked(), before + 2, 'it was tried again');
      assert.equal(await ofEngines(page).count(), 1);

      fs.renameSync(away, there);
      assert.match(await hand.runs(() => hand.runAgain()), /^Done: /);
      assert.equal(await hand.digest(), GOLDEN.small);
      assert.deepEqual(await hand.drafts(), drafts);
      assert.deepEqual(faults.filter((fault) => !/404 \(Not Found\)|HTTP status/.test(fault)), []);
      faults.length = 0;
    });
  });
}

/** This engine stops before it finishes writing to the browser's storage, until `self.goOn` is called. */
const stopInWriting = (engine) => engine.evaluate(() => {
  const { close } = FileSystemWritableFileStream.prototype;
  const mayGoOn = new Promise((resolve) => { self.goOn = resolve; });
  FileSystemWritableFileStream.prototype.close = async function closed() {
    self.isWriting = true;
    await mayGoOn;
    await close.call(this);
    self.isWriting = false;
  };
});

const isWriting = (engine, is) => until(async () => (await engine.evaluate(() => self.isWriting)) === is, `writing: ${is}`);

test('a reload in the middle of keeping a trace: the draft is there, the trace is asked for, and kept the next time', () =>
  onPage({}, async ({ hand, page }) => {
    const [engine] = await engines(page, 1);
    await stopInWriting(engine);
    assert.match(await hand.runs(() => hand.giveFile(foreignTrace())), /^Done: /);
    await enter(hand.name, 'Mine');
    const [digest, drafts] = [await hand.digest(), await hand.drafts()];
    await isWriting(engine, true);
    await page.reload();
    await asksForTheTrace(hand, drafts);

    assert.match(await hand.runs(() => hand.giveFile(foreignTrace())), /^Done: /);
    assert.equal(await hand.digest(), digest);
    await isKept(page);
    await page.reload();
    assert.match(await settled(page, 0), /^Done: /);
    assert.equal(await hand.digest(), digest);
    assert.deepEqual(await hand.drafts(), drafts);
  }));

const NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Waits until exactly one trace is stored: this one, or any that is not empty. */
const isKept = (page, digest) => until(async () => {
  const [found, ...others] = Object.values(await keptTraces(page));
  return others.length === 0 && (digest ? found === digest : found && found !== NOTHING) && found;
}, 'a trace that is kept');

/** The bytes of the only stored trace. */
const keptBytes = (page) => page.evaluate(async () => {
  const [file] = await Array.fromAsync((await navigator.storage.getDirectory()).values());
  return [...new Uint8Array(await (await file.getFile()).arrayBuffer())];
});

/** Keeps only these bytes. */
const leave = (page, bytes) => page.evaluate(async (left) => {
  const [file] = await Array.fromAsync((await navigator.storage.getDirectory()).values());
  const stream = await file.createWritable();
  await stream.write(new Uint8Array(left));
  await stream.close();
}, bytes);

// What a browser may leave of a file.
const LEFT = {
  'nothing of it': () => [],
  'half of it': (bytes) => bytes.slice(0, Math.floor(bytes.length / 2)),
  'all but its last byte': (bytes) => bytes.slice(0, -1),
  'one byte that is another': (bytes) => bytes.with(Math.floor(bytes.length / 2), bytes.at(bytes.length / 2) ^ 1),
};

test('a kept trace of which only a part is left, or which was damaged, is asked for and never run', () =>
  onPage({}, async ({ hand, page }) => {
    assert.match(await hand.runs(() => hand.giveFile(foreignTrace())), /^Done: /);
    await enter(hand.name, 'Mine');
    const [digest, drafts, whole] = [await hand.digest(), await hand.drafts(), await isKept(page)];
    const bytes = await keptBytes(page);
    for (const [what, left] of Object.entries(LEFT)) {
      await leave(page, left(bytes));
      await page.reload();
      await asksForTheTrace(hand, drafts, what);
      assert.match(await hand.runs(() => hand.giveFile(foreignTrace())), /^Done: /, what);
      assert.equal(await hand.digest(), digest, what);
      await isKept(page, whole);
    }
  }));

// Reasons why a trace cannot be stored, applied to the page and its engine before the file is given.
const NOT_KEPT = {
  'a disk that is full': async ({ context, page, host, engine }) => {
    await engine.evaluate(() => {
      const watched = (does) => function watch(...words) {
        return does.apply(this, words).catch((error) => { self.isTried ||= error.name === 'QuotaExceededError'; throw error; });
      };
      // Which of the calls fails depends on how much of the page the service worker has stored.
      for (const [does, calls] of [
        [FileSystemDirectoryHandle, ['getFileHandle']],
        [FileSystemFileHandle, ['createWritable']],
        [FileSystemWritableFileStream, ['write', 'close']],
      ]) {
        for (const call of calls) does.prototype[call] = watched(does.prototype[call]);
      }
    });
    const devtools = await context.newCDPSession(page);
    await devtools.send('Storage.overrideQuotaForOrigin', { origin: host.origin, quotaSize: 20_000 });
    return () => devtools.send('Storage.overrideQuotaForOrigin', { origin: host.origin });
  },
  'a disk that is full in the middle of the file': async ({ engine }) => {
    await engine.evaluate(() => {
      const { write } = FileSystemWritableFileStream.prototype;
      FileSystemWritableFileStream.prototype.write = async function written(bytes) {
        await write.call(this, bytes.slice(0, bytes.length / 2));
        await this.abort();
        self.isTried = true;
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
  },
  'a browser that keeps no files, as in private windows': async ({ engine }) => {
    await engine.evaluate(() => {
      StorageManager.prototype.getDirectory = () => {
        self.isTried = true;
        return Promise.reject(new DOMException('not here', 'SecurityError'));
      };
    });
  },
};

for (const [what, refuse] of Object.entries(NOT_KEPT)) {
  test(`${what}: the trace runs all the same; after a reload the draft is there and the trace is asked for`, () =>
    onPage({}, async ({ hand, page, context, host }) => {
      const [engine] = await engines(page, 1);
      const relent = await refuse({ context, page, host, engine });
      assert.match(await hand.runs(() => hand.giveFile(foreignTrace())), /^Done: /);
      await enter(hand.name, 'Mine');
      assert.deepEqual(await hand.alert.allTextContents(), []);
      const [digest, drafts] = [await hand.digest(), await hand.drafts()];
      await until(() => engine.evaluate(() => self.isTried), 'it was tried to keep it');
      await shows(() => keptTraces(page), {}, 'nothing is left of it');
      await page.reload();
      await asksForTheTrace(hand, drafts);
      await relent?.();
      assert.match(await hand.runs(() => hand.giveFile(foreignTrace())), /^Done: /);
      assert.equal(await hand.digest(), digest);
      await isKept(page);
    }));
}

/** Two tabs, each with its own draft of the same trace, both with unfinished writes. */
async function twoThatWrite({ hand, page, host, context }) {
  const other = await openTab({ context }, host.url);
  const both = [{ page, hand }, other];
  for (const [tab, each] of both.entries()) {
    [each.engine] = await engines(each.page, 1);
    await stopInWriting(each.engine);
    assert.match(await each.hand.runs(() => each.hand.giveFile(foreignTrace())), /^Done: /);
    await enter(each.hand.name, `Tab ${tab}`);
  }
  for (const { engine } of both) await isWriting(engine, true);
  return both;
}

test('two tabs that keep the same trace at once keep it whole, and a draft each', () =>
  onPage({}, async (session) => {
    const both = await twoThatWrite(session);
    for (const { engine } of both) await engine.evaluate(() => self.goOn());
    for (const { engine } of both) await isWriting(engine, false);
    const kept = await isKept(session.page);
    const digest = await session.hand.digest();
    for (const [tab, { page, hand }] of both.entries()) {
      await page.reload();
      assert.match(await settled(page, 0), /^Done: /);
      assert.equal(await hand.digest(), digest);
      assert.equal(await hand.name.inputValue(), `Tab ${tab}`);
      assert.deepEqual(await hand.alert.allTextContents(), []);
    }
    assert.equal((await session.hand.drafts()).length, 2);
    await isKept(session.page, kept);
  }));

test('a tab that is closed in the middle of keeping a trace does not disturb another one that keeps it too', () =>
  onPage({}, async (session) => {
    const [closed, { page, hand, engine }] = await twoThatWrite(session);
    await closed.page.close();
    await engine.evaluate(() => self.goOn());
    await isWriting(engine, false);
    await isKept(page);
    const digest = await hand.digest();
    await page.reload();
    assert.match(await settled(page, 0), /^Done: /);
    assert.equal(await hand.digest(), digest);
    assert.equal(await hand.name.inputValue(), 'Tab 1');
    assert.equal((await hand.drafts()).length, 2, 'the draft of the closed tab is kept as well');
  }));

test('a second tab is offered the draft of the first, which stays where it is', () =>
  onPage({}, async ({ hand, page, host, context }) => {
    const [mine] = await ownDraft(hand);
    const { hand: other, page: second } = await openTab({ context }, host.url);
    const offer = second.getByRole('note').filter({ hasText: 'You have a draft in this browser' });
    assert.match(await offer.textContent(), /"Mine", saved \d+ minutes ago\. It stays where it is\./);
    await other.runs(() => offer.getByRole('button', { name: 'Open it' }).click());
    await enter(other.name, 'Theirs');
    await other.setBuckets(BELOW, 5);
    await page.reload();
    await settled(page, 0);
    assert.equal(await hand.name.inputValue(), 'Mine');
    assert.equal(await hand.digest(), GOLDEN.small);
    const drafts = await hand.drafts();
    assert.equal(drafts.length, 2);
    assert.ok(drafts.includes(mine));
  }));
