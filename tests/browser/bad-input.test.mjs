// Bad input of every kind: the page says what it expected and what it got, keeps the draft, and still works.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { CHROMIUM_WITH_WINDOWS, DIST, hold, MOUNT, PATIENCE_MS, QUIET_FLAGS, serve } from './harness.mjs';
import {
  BELOW, CORPUS, corpusLink, dismissAll, engines, enter, GOLDEN, Hand, listenToStatus, onPage, packingCut, says, settled,
  shows, temporaryFolder, worksOn, showTab,
} from './people.mjs';

const HEAD = 'vm,tenant,cores,memory,start,end,priority\n';
const GOOD_ROWS = Array.from({ length: 40 }, (_, row) => `${row},${row},4,16,${row},${row + 90},0\n`).join('');
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d4948445200000001', 'hex'), Buffer.alloc(200, 1)]);

const csv = (name, content) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });

/** A custom draft, which no bad input may change. */
async function ownDraft(hand) {
  await enter(hand.name, 'Mine');
  await hand.setBuckets(BELOW, 5);
  return everything(hand);
}

async function everything(hand) {
  return {
    name: await hand.name.inputValue(),
    buckets: await hand.bucketsOf(BELOW).inputValue(),
    order: await hand.order(),
    digest: await hand.digest(),
    drafts: await hand.drafts(),
  };
}

const REFUSED = {
  'a cut .gz': [
    { name: 'cut.csv.gz', mimeType: 'application/gzip', buffer: packingCut().subarray(0, 60_000) },
    /cut\.csv\.gz could not be read.*Expected the rest of the gzip data, got its end after \d+ rows/,
  ],
  'a PNG named .csv': [csv('picture.csv', PNG), /picture\.csv could not be read.*Expected a CSV trace, got a PNG image/],
  'missing columns': [
    csv('columns.csv', 'vm,cores,start\n1,2,3\n'),
    /columns\.csv could not be read.*Expected a column for memory.*found "vm", "cores", "start"/,
  ],
  'nothing but faulty rows': [
    csv('times.csv', `${HEAD}90,1,4,16,-100,-50,0\n91,1,4,16,100,50,0\n`),
    /times\.csv could not be read.*2 of 2 rows are faulty.*line 2.*expected an end.*got "?-50/,
  ],
  'an empty file': [csv('empty.csv', ''), /empty\.csv could not be read.*got an empty file/],
  'a scenario file cut in half': [
    { name: 'half.json', mimeType: 'application/json', buffer: Buffer.from('{"version":1,"variants":[{"name"') },
    /half\.json is not a valid scenario.*expected JSON/,
  ],
};

test('files that are no trace are named for what they are, and the draft stays', () =>
  onPage({}, async ({ hand, page }) => {
    const mine = await ownDraft(hand);
    for (const [what, [file, words]] of Object.entries(REFUSED)) {
      await hand.giveFile(file);
      await hand.alert.waitFor();
      assert.match(await hand.alert.textContent(), words, what);
      await says(hand.status, /^Done: /, what);
      await dismissAll(page);
      assert.deepEqual(await everything(hand), mine, what);
    }
    await worksOn(hand);
  }));

test('negative and reversed times are left out with their lines, the other rows run', () =>
  onPage({}, async ({ hand }) => {
    const mine = await ownDraft(hand);
    const rows = `${HEAD}${GOOD_ROWS}90,1,4,16,-100,-50,0\n91,1,4,16,100,50,0\n`;
    assert.match(await hand.runs(() => hand.giveFile(csv('times.csv', rows))), /^Done: 40 VMs/);
    const told = await hand.alert.textContent();
    assert.match(told, /2 rows were excluded from times\.csv/);
    assert.match(told, /line 42: expected an end after the start.*got "-50"/);
    assert.match(told, /line 43: expected an end at or after the start.*got "50"/);
    await hand.runs(() => hand.button('Undo').click());
    assert.equal(await hand.digest(), mine.digest, 'undo leads back to the trace before');
    await worksOn(hand);
  }));

test('a VM larger than any machine is refused, and Explain says by what', () =>
  onPage({}, async ({ hand, page }) => {
    await hand.runs(() => hand.giveFile(csv('large.csv', `${HEAD}${GOOD_ROWS}99,99,400,16,5,60,0\n`)));
    const vm = (await hand.explain()).getByRole('textbox', { name: 'VM', exact: true });
    await enter(vm, 99, () => vm.press('Enter'));
    const explain = page.getByRole('region', { name: 'Explain' });
    await explain.getByText(/^No machine could take it: /).waitFor();
    await explain.getByText(/It requested 400 cores/).waitFor();
    await worksOn(hand);
  }));

test('a VM larger than any machine is announced', () =>
  onPage({}, async ({ hand }) => {
    await hand.runs(() => hand.giveFile(csv('large.csv', `${HEAD}${GOOD_ROWS}99,99,400,16,5,60,0\n`)));
    assert.match(await hand.alert.textContent(), /99.*400 cores|400 cores.*104/s);
  }));

test('0 machines, a word and nothing at all are refused in the field', () =>
  onPage({}, async ({ hand, page }) => {
    const mine = await ownDraft(hand);
    await showTab(page, 'Fleet');
    const field = page.getByRole('spinbutton', { name: /^machines of / });
    for (const [typed, got] of [['0', '"0"'], ['-3', '"-3"'], ['1.5', '"1.5"'], ['', '""'], ['9999999', '"9999999"']]) {
      await field.fill(typed);
      await field.press('Tab');
      await hand.alert.waitFor();
      const told = await hand.alert.textContent();
      assert.match(told, /Expected a whole number from 1 to/, typed);
      assert.ok(told.includes(`got ${got}`), `${typed}: ${told}`);
      await dismissAll(page);
      assert.equal(await field.inputValue(), '140', typed);
    }
    await showTab(page, 'Rules');
    assert.deepEqual(await everything(hand), mine);
    await worksOn(hand);
  }));

// The page's message about a link, and whether its readable part opens.
const LINKS = {
  'an unknown rule': ['bad/unknown-rule', /expected the id of a rule of this version, got "PreferWarmSoup"/, true],
  'a link cut in half': ['bad/cut-in-half', /expected 884 characters, got 440: the link seems truncated/, true],
  'a link cut to its head': ['bad/cut-to-its-head', /the link seems truncated: expected 884 characters, got 16/, false],
  'version 999': ['bad/version-999', /newer version.*expected version 3 or older, got version 999/, true],
  'version 999 with a codec of its own': ['bad/version-999-unknown-codec', /version 999.*keep the link/, false],
  'a bomb of brackets': ['bad/json-bomb-deep', /brackets nested deeper than 127; it was not read/, false],
  'a bomb of zeros': ['bad/deflate-bomb', /expected a scenario of at most 1048576 bytes/, false],
  'a bomb of variants': ['bad/json-bomb-wide', /expected a scenario of at most 100000 values, got 600002; it was not read/, false],
  '0 machines': ['bad/out-of-range', /machines: expected a whole number from 1 to 1000000 machines, got 0; used 100/, true],
  'events that cannot be': ['bad/incidents-out-of-range', /incidents: expected at most 100, got a list of 127/, true],
  'no link at all': ['bad/not-a-link', /expected a link like #3\.d\.…, got "#section-2"/, false],
};

test('bad links say what is wrong with them, at the start and in an open page; the draft stays', () =>
  onPage({}, async ({ hand, page, host }) => {
    const mine = await ownDraft(hand);
    for (const [what, [link, words, opens]] of Object.entries(LINKS)) {
      // Followed in the open page: the draft is one undo away.
      const drafts = await hand.drafts();
      await page.goto(host.url + corpusLink(link));
      await hand.alert.waitFor();
      assert.match(await hand.alert.textContent(), words, what);
      assert.equal((await hand.name.inputValue()) !== 'Mine', opens, `${what}: opens what could be read`);
      assert.deepEqual(await hand.drafts(), drafts, what);
      // The opened scenario runs to its end first.
      await settled(page, 0);
      if (opens) await hand.runs(() => hand.button('Undo').click());
      assert.equal(await hand.digest(), mine.digest, what);
      await worksOn(hand);
      assert.ok((await hand.drafts()).includes(drafts.at(-1)), `${what}: the draft from before is kept`);
      await hand.setBuckets(BELOW, mine.buckets);

      // Followed from another page: the page offers the draft.
      await page.goto('about:blank');
      await page.goto(host.url + corpusLink(link));
      await settled(page, 0);
      assert.match(await hand.alert.textContent(), words, what);
      await page.getByText('You have a draft in this browser').waitFor();
      await hand.runs(() => hand.button('Open it').click());
      assert.equal(await hand.digest(), mine.digest, what);
      await dismissAll(page);
    }
  }));

test('markup in names stays text', () =>
  onPage({ path: corpusLink('bad/html-in-names') }, async ({ hand, page }) => {
    page.on('dialog', () => assert.fail('a script of the link ran'));
    assert.equal(await hand.name.inputValue(), '<script>alert(1)</script>');
    await hand.choosePreset('24 machines');
    await worksOn(hand);
  }));

test("one's own link, cut in half on its way, opens as far as it goes", () =>
  onPage({}, async ({ hand, page, host }) => {
    const mine = await ownDraft(hand);
    const link = await hand.link();
    await page.goto(link.slice(0, (link.length + host.url.length) / 2));
    await hand.alert.waitFor();
    assert.match(await hand.alert.textContent(), /the link seems truncated/);
    assert.deepEqual(await hand.drafts(), mine.drafts);
    await settled(page, 0);
    await hand.runs(() => hand.button('Undo').click());
    assert.equal(await hand.digest(), mine.digest);
    await worksOn(hand);
  }));

test('a link of 60 kB opens, and one that is full of nothing says so', () =>
  onPage({}, async ({ hand, page, host }) => {
    const json = fs.readFileSync(path.join(CORPUS, 'good/v2-small.json'), 'utf8');
    const long = Buffer.from(json + ' '.repeat(45_000 - json.length)).toString('base64url');
    assert.ok(long.length >= 60_000);
    await page.goto('about:blank');
    await page.goto(`${host.url}#2.j.${long}`);
    await settled(page, 0);
    assert.equal(await hand.digest(), GOLDEN.small);
    await page.goto(`${host.url}#2.d.${'A'.repeat(60_000)}`);
    await page.getByText('This link could not be opened').waitFor();
    await worksOn(hand);
  }));

test('two tabs keep a draft each', () =>
  onPage({}, async ({ hand, page, host, context }) => {
    const other = new Hand(await context.newPage());
    await other.page.goto(host.url);
    await settled(other.page, 0);
    await hand.setBuckets(BELOW, 5);
    await other.setBuckets(BELOW, 8);
    await page.reload();
    await other.page.reload();
    await Promise.all([settled(page, 0), settled(other.page, 0)]);
    assert.equal(await hand.bucketsOf(BELOW).inputValue(), '5');
    assert.equal(await other.bucketsOf(BELOW).inputValue(), '8');
    await worksOn(hand);
  }));

test('a duplicated tab has a draft of its own', () =>
  onPage({}, async ({ hand, page, context }) => {
    await hand.setBuckets(BELOW, 5);
    // As with "Duplicate tab", the opened page gets a copy of the session's storage.
    const opened = context.waitForEvent('page');
    await page.evaluate(() => { window.open(location.href); });
    const other = new Hand(await opened);
    await other.status.getByText('Done').waitFor();
    // The status listener is added at a page load.
    await other.page.reload();
    await settled(other.page, 0);
    assert.equal(await other.bucketsOf(BELOW).inputValue(), '5', 'it shows the same');
    await other.setBuckets(BELOW, 8);
    await page.reload();
    await settled(page, 0);
    assert.equal(await hand.bucketsOf(BELOW).inputValue(), '5');
  }));

test('full storage is told, and the page works on; the draft from before stays, and a link takes the new one along', () =>
  onPage({}, async ({ hand, page }) => {
    await enter(hand.name, 'Mine');
    const drafts = await hand.drafts();
    await page.evaluate(() => {
      for (let size = 4_000_000, index = 0; size >= 1; index += 1) {
        try {
          localStorage.setItem(`filling ${index}`, 'x'.repeat(size));
        } catch {
          size = Math.floor(size / 2);
        }
      }
    });
    // There would be room for a draft of the previous length.
    await enter(hand.name, 'Mine, with a longer name');
    await hand.setBuckets(BELOW, 5);
    assert.match(await hand.alert.textContent(), /Drafts are not saved in this browser.*full or disabled/);
    await worksOn(hand);
    assert.equal(await hand.alert.count(), 1, 'told once');
    await hand.setBuckets(BELOW, 5);
    await carriedByLink(hand);
    assert.deepEqual(await hand.drafts(), drafts, 'never half of one');
  }));

/** Follows the link from Share, as the page advises, and finds the same scenario. */
async function carriedByLink(hand) {
  assert.match(await hand.alert.textContent(), /Use Share to keep your work as a link or a file\./);
  const [digest, link] = [await hand.digest(), await hand.link()];
  await hand.page.goto('about:blank');
  await hand.page.goto(link);
  assert.match(await settled(hand.page, 0), /^Done: .*; reproduced$/);
  assert.equal(await hand.bucketsOf(BELOW).inputValue(), '5');
  assert.equal(await hand.digest(), digest);
}

test('a start two centuries after all others is told, and left out where one wants that', () =>
  onPage({}, async ({ hand, page }) => {
    const rows = Array.from({ length: 300 }, (_, vm) => `${vm},2,8,${60 * vm}`);
    const text = ['vm,cores,memory,start', ...rows, '300,2,8,6200000000'].join('\n');
    const buffer = Buffer.from(text);
    await hand.runs(() => hand.giveFile({ name: 'typo.csv', mimeType: 'text/csv', buffer }));
    const notice = page.getByRole('note').filter({ hasText: 'starts 196 years after all others' });
    await notice.waitFor();
    await hand.runs(() => notice.getByRole('button', { name: 'Exclude them' }).click());
    await notice.waitFor({ state: 'detached' });
    await showTab(page, 'Workload');
    const workload = page.getByRole('region', { name: 'Workload' });
    assert.match(await workload.textContent(), /typo\.csv, without outliers/);
    // A link says so too.
    assert.match((await hand.link()), /#/);
  }));

test('storage that is switched off is told, and the page works on; a link takes the draft along', async (t) => {
  // As users do it: "block all cookies" in the settings.
  const profile = temporaryFolder();
  fs.mkdirSync(path.join(profile, 'Default'));
  const settings = { profile: { default_content_setting_values: { cookies: 2 } } };
  fs.writeFileSync(path.join(profile, 'Default', 'Preferences'), JSON.stringify(settings));
  const host = await serve({ root: DIST, at: MOUNT });
  t.after(host.close);
  const context = await chromium.launchPersistentContext(profile, { executablePath: CHROMIUM_WITH_WINDOWS, args: QUIET_FLAGS });
  t.after(() => context.close());
  context.setDefaultTimeout(PATIENCE_MS);
  const faults = [];
  context.on('weberror', (error) => faults.push(String(error.error())));
  await listenToStatus(context);
  const page = await context.newPage();
  await page.goto(host.url);
  // The page cannot know that this browser was here before.
  await page.getByRole('tab', { name: 'Experiment' }).click();
  const off = await page.evaluate(() => { try { return !window.localStorage; } catch { return true; } });
  assert.ok(off, 'this browser has its storage off');
  const hand = new Hand(page);
  await hand.status.waitFor().catch(() => assert.fail(`the page did not start: ${faults}`));
  await settled(page, 0);
  await hand.setBuckets(BELOW, 5);
  assert.match(await hand.alert.textContent(), /Drafts are not saved in this browser/);
  await worksOn(hand);
  await hand.setBuckets(BELOW, 5);
  await carriedByLink(hand);
  assert.deepEqual(faults, []);
});

test('an engine that breaks is started again, and the scenario stays', () =>
  onPage({}, async ({ hand, page, faults, host, requests }) => {
    const mine = await ownDraft(hand);
    const ended = [];
    for (const [times, shout] of ['on purpose', 'again'].entries()) {
      const [engine] = await engines(page, 1, ended);
      ended.push(engine);
      await engine.evaluate((words) => { setTimeout(() => { throw new Error(words); }); }, shout);
      await hand.alert.nth(times).waitFor();
      assert.match(await hand.alert.nth(times).textContent(), /The engine stopped and was restarted/);
      assert.match(await hand.alert.nth(times).textContent(), new RegExp(shout));
      assert.deepEqual(await hand.drafts(), mine.drafts);
      assert.match(await hand.runs(() => hand.runAgain()), /^Done: /);
      assert.equal(await hand.digest(), mine.digest);
    }
    await worksOn(hand);
    const others = faults.filter((fault) => !/on purpose|again/.test(fault));
    hold({ faults: others, requests }, host);
    faults.length = 0;
  }));
