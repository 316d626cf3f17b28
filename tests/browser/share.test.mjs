// Exports of the page: a QR code for phones, files of charts and series, one chart in another page, a report to
// print.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { axe, MOUNT, WIDE } from './harness.mjs';
import { CORPUS, corpusLink, drawn, hasFocus, onPage, RULE, says, settled, shows, until } from './people.mjs';
import { readPdf } from './pdf.mjs';

const JSQR = fs.readFileSync(createRequire(import.meta.url).resolve('jsqr'), 'utf8');

const dialog = (page) => page.getByRole('dialog', { name: 'Share', exact: true });
const large = (page) => page.getByRole('dialog', { name: 'QR code, large' });
const field = (page, name) => dialog(page).getByRole('textbox', { name, exact: true });

async function openShare({ hand, page }) {
  await hand.button('Share').click();
  await dialog(page).waitFor();
}

/** What a phone reads from a picture (PNG) of the screen; nothing if there is no code. */
async function scan(page, png) {
  await page.evaluate(JSQR);
  return page.evaluate(async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data, width, height } = context.getImageData(0, 0, image.width, image.height);
    return window.jsQR(data, width, height, { inversionAttempts: 'dontInvert' })?.data ?? null;
  }, `data:image/png;base64,${png.toString('base64')}`);
}

/** Does something that saves a file; returns its name and bytes. */
async function saved(page, action) {
  const [download] = await Promise.all([page.waitForEvent('download'), action()]);
  return { name: download.suggestedFilename(), bytes: fs.readFileSync(await download.path()) };
}

async function fork({ hand }) {
  await hand.runs(() => hand.button('Fork as B').click());
  await hand.runs(() => hand.page.getByRole('checkbox', { name: `Use ${RULE}` }).uncheck());
}

for (const dark of [false, true]) {
  test(`a phone reads the link from the dialog and from the wall, ${dark ? 'dark' : 'light'}`, () =>
    onPage({ ...WIDE, dark }, async (session) => {
      const { page } = session;
      await openShare(session);
      const link = await field(page, 'Link').inputValue();
      assert.ok(link.length < 2_000, `${link.length} characters`);
      const small = dialog(page).getByRole('img', { name: 'QR code of the link' });
      await small.scrollIntoViewIfNeeded();
      assert.deepEqual(await axe(page), []);

      await page.getByRole('button', { name: 'Show large' }).click();
      await large(page).waitFor();
      const size = async () => {
        const code = await large(page).getByRole('img').boundingBox();
        return [code.width, code.height];
      };
      await shows(size, [WIDE.height, WIDE.height], 'it fills the window');
      assert.equal(await scan(page, await page.screenshot()), link);
      assert.deepEqual(await axe(page), []);

      await page.keyboard.press('Escape');
      await large(page).waitFor({ state: 'hidden' });
      assert.ok(await dialog(page).isVisible(), 'Escape closes what is on top');
      await hasFocus(page, 'Show large');
      await page.setViewportSize({ width: 3 * WIDE.width, height: 3 * WIDE.height });
      await small.evaluate((code) => { code.style.width = '700px'; code.closest('dialog').style.cssText = 'width: 900px; max-height: none'; });
      assert.equal(await scan(page, await small.screenshot()), link, 'the small one is the same code');
    }));
}

test('a link that is too long for a code says so, with the limit, and offers the file', () =>
  onPage(WIDE, async (session) => {
    const { hand, page } = session;
    // Clusters with incompressible names.
    const scenario = JSON.parse(fs.readFileSync(path.join(CORPUS, 'good/v2-small.json'), 'utf8'));
    const { clusters } = scenario.variants[0].inventory;
    for (let cluster = 0; cluster < 40; cluster += 1) clusters.push({ ...clusters[0], machines: 1, racks: 1, name: randomBytes(60).toString('base64') });
    await hand.runs(() => hand.giveFile({ name: 'names.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(scenario)) }));
    await openShare(session);
    const { length } = await field(page, 'Link').inputValue();
    assert.ok(length > 2_953, `${length} characters`);
    const code = dialog(page).getByRole('region', { name: 'QR code' });
    const said = await says(code, new RegExp(`The link has ${length.toLocaleString('en')} characters, but a QR code holds at most 2,953\\.`));
    assert.match(said, /Save the scenario as a file/);
    assert.equal(await dialog(page).getByRole('button', { name: 'Show large' }).count(), 0);
    assert.deepEqual(await axe(page), []);
  }));

test('a scenario is saved as a file and opened again', () =>
  onPage(WIDE, async (session) => {
    const { hand, page } = session;
    await hand.runs(() => hand.moveByMenu(RULE, 'Move to bottom'));
    const [digest, order] = [await hand.digest(), await hand.order()];
    await openShare(session);
    const file = await saved(page, () => hand.button('Save as file').click());
    assert.equal(file.name, 'tiebreak-scenario.json');
    await page.keyboard.press('Escape');
    await hand.openMenu();
    await hand.runs(() => hand.button('Reset').click());
    assert.notEqual(await hand.digest(), digest);
    await openShare(session);
    await hand.runs(() => page.getByLabel('Scenario file').setInputFiles({ name: file.name, mimeType: 'application/json', buffer: file.bytes }));
    await dialog(page).waitFor({ state: 'hidden' });
    assert.deepEqual([await hand.digest(), await hand.order()], [digest, order]);
  }));

test('a chart is saved as drawing, picture and points, with its events, caption and link', () =>
  onPage(WIDE, async (session) => {
    const { hand, page } = session;
    await fork(session);
    await hand.button('Add event').click();
    await hand.runs(() => page.getByRole('menuitem', { name: 'Machines fail', exact: true }).click());
    const chart = hand.figure('Empty hosts');

    const svg = await saved(page, () => chart.getByRole('button', { name: 'SVG of Empty hosts' }).click());
    assert.equal(svg.name, 'tiebreak-empty-hosts.svg');
    const drawing = svg.bytes.toString();
    assert.match(drawing, />Two weeks of Azure[^<]*: A with seed 1, B with seed 1\. Tiebreak \d/);
    assert.match(drawing, new RegExp(`<a href="http://127\\.0\\.0\\.1:\\d+${MOUNT}#3\\.d\\.`));
    const lines = (text, ink) => text.match(new RegExp(`<polyline[^>]*stroke="${ink}`, 'g'))?.length ?? 0;
    assert.equal(lines(drawing, '#C2410C'), 1, 'the line of the event');
    assert.equal(lines(await hand.picture('Empty hosts').innerHTML(), 'var\\(--chart-moment'), 1, 'as in the page');
    assert.match(drawing, />Machines fail</);

    const png = await saved(page, () => chart.getByRole('button', { name: 'PNG of Empty hosts' }).click());
    assert.equal(png.name, 'tiebreak-empty-hosts.png');
    const [, width, height] = drawing.match(/width="(\d+)" height="(\d+)"/).map(Number);
    assert.deepEqual([png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)], [2 * width, 2 * height], 'twice as sharp');
    assert.ok(await hasInks(page, png.bytes, ['#C2410C', '#0B5FC1', '#B8480A']), 'the event and both variants are drawn');

    const csv = await saved(page, () => chart.getByRole('button', { name: 'CSV of Empty hosts' }).click());
    assert.equal(csv.bytes.toString().split('\n')[0], 'time_ms,A (%),B (%)');

    const all = await saved(page, () => hand.button('All series (CSV)').click());
    assert.equal(all.name, 'tiebreak-all-series.csv');
    const [head, ...rows] = all.bytes.toString().trim().split('\n');
    assert.match(head, /^time_ms,A: Empty hosts \(%\),B: Empty hosts \(%\),A: Packing density \(%\),B: Packing density/);
    const points = csv.bytes.toString().trim().split('\n').slice(1);
    assert.deepEqual(rows.map((row) => row.split(',').slice(0, 3).join(',')), points, 'the same points');
  }));

/** Whether a picture has pixels of exactly these colours. */
function hasInks(page, png, inks) {
  return page.evaluate(async ([source, colours]) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const seen = new Set();
    for (let at = 0; at < data.length; at += 4) seen.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
    return colours.every((colour) => seen.has(parseInt(colour.slice(1), 16)));
  }, [`data:image/png;base64,${png.toString('base64')}`, inks]);
}

test('one chart stands in another page, and opens whole from there', () =>
  onPage(WIDE, async (session) => {
    const { hand, page, context } = session;
    await fork(session);
    const digest = await hand.digest();
    await openShare(session);
    await page.getByRole('combobox', { name: 'What to embed' }).selectOption({ label: 'Packing density' });
    await drawn(page);
    const html = await field(page, 'HTML').inputValue();
    const link = await field(page, 'Link').inputValue();
    assert.match(html, /^<iframe src="[^"]*\?embed=PackingDensity#3\.d\.[^"]*" title="Packing density: /);

    await inNotes(session, html, async (notes) => {
      const frame = notes.frameLocator('iframe');
      await frame.getByRole('status').getByText(/^Done: .*reproduced$/).waitFor();
      await frame.getByRole('img', { name: 'Packing density', exact: true }).waitFor();
      await shows(() => frame.getByRole('figure').count(), 1, 'one chart only');
      assert.equal(await frame.getByRole('banner').count(), 0);
      await says(frame.locator('.verdict'), /^B keeps .* hosts empty than A, /);
      const drawing = await frame.locator('svg').first().innerHTML();
      assert.ok(drawing.includes('--chart-live') && drawing.includes('--chart-variant-1'), 'a line for each variant');
      const inner = await notes.locator('iframe').boundingBox();
      const scrolls = await frame.locator('html').evaluate((root) => root.scrollHeight - root.clientHeight);
      assert.ok(scrolls <= 0, `${scrolls} px do not fit into ${inner.height}`);

      const [whole] = await Promise.all([context.waitForEvent('page'), frame.getByRole('link', { name: 'Open in Tiebreak' }).click()]);
      await whole.waitForURL((address) => address.href === link);
      await settled(whole, 0, '^Done: .*reproduced');
      assert.match(await whole.getByText(/digest [0-9a-f]+/).textContent(), new RegExp(digest));
    });
  }));

for (const reducedMotion of [false, true]) {
  test(`the film of a decision stands in another page, and opens whole from there${reducedMotion ? ', without motion' : ''}`, () =>
    onPage({ ...WIDE, reducedMotion }, async (session) => {
      const { hand, page, context } = session;
      await openShare(session);
      const choice = page.getByRole('combobox', { name: 'What to embed' });
      assert.equal(await choice.getByRole('option', { name: /^Film/ }).count(), 0, 'no VM is explained');
      await dialog(page).getByText('explain a VM first').waitFor();
      await page.keyboard.press('Escape');
      const vm = (await hand.explain()).getByRole('textbox', { name: 'VM', exact: true });
      await vm.fill('1372181');
      await vm.press('Enter');
      await page.getByRole('region', { name: 'Decision', exact: true }).waitFor();
      await openShare(session);
      await choice.selectOption({ label: 'Film: how VM 1372181 was placed' });
      await drawn(page);
      assert.deepEqual(await axe(page), []);
      const html = await field(page, 'HTML').inputValue();
      assert.match(html, /^<iframe src="[^"]*\?embed=film#3\.[^"]*&amp;vm=1372181" title="How VM 1372181 was placed: /);

      await inNotes(session, html, async (notes) => {
        const frame = notes.frameLocator('iframe');
        const film = frame.getByRole('region', { name: 'Decision', exact: true });
        const caption = film.locator('#film-caption');
        const button = (name) => film.getByRole('button', { name, exact: true });
        const ends = /^Machine \d+ (takes|is drawn)/;
        if (reducedMotion) await says(caption, /^VM 1372181 arrives\./);
        else await says(caption, ends);
        await button('Replay decision').click();
        if (!reducedMotion) await button('Pause').click();
        await until(async () => !ends.test(await caption.textContent()), 'from the beginning');
        for (let steps = 0; !ends.test(await caption.textContent()); steps += 1) {
          assert.ok(steps < 30, await caption.textContent());
          await button('Step').click();
          await drawn(notes);
        }
        await film.focus();
        const end = await caption.textContent();
        await notes.keyboard.press('ArrowLeft');
        await until(async () => (await caption.textContent()) !== end, 'one back');
        assert.equal(await frame.getByRole('figure').count() + await frame.getByRole('banner').count(), 0, 'nothing else');
        await says(frame.locator('.verdict'), /^Machine \d+ was /);
        for (const width of [1000, 360]) {
          await notes.setViewportSize({ width, height: 900 });
          await drawn(notes);
          const out = await frame.locator('html').evaluate((root) => [root.scrollHeight - root.clientHeight, root.scrollWidth - root.clientWidth]);
          assert.ok(out.every((pixels) => pixels <= 0), `${width} px wide: ${out} px do not fit`);
        }
        const [whole] = await Promise.all([context.waitForEvent('page'), frame.getByRole('link', { name: 'Open in Tiebreak' }).click()]);
        await settled(whole, 0, '^Done: .*reproduced');
        await whole.getByRole('img', { name: 'Machines that can take VM 1372181' }).waitFor();
        assert.equal(await whole.getByRole('textbox', { name: 'VM', exact: true }).inputValue(), '1372181');
      });
    }));
}

test('a film whose VM is not there, or that names none, says so', () =>
  onPage({ width: 640, height: 460, path: `?embed=film${corpusLink('good/v2-small')}&vm=77777777` }, async ({ page }) => {
    await page.getByText('This workload has no VM "77777777"').waitFor();
    assert.deepEqual(await axe(page), []);
    const { origin, pathname, hash } = new URL(page.url());
    await page.goto('about:blank');
    await page.goto(`${origin}${pathname}?embed=film${hash.split('&')[0]}`);
    await page.getByText('The address of this film names no VM; it ends with &vm=123.').waitFor();
  }));

/** Opens a foreign page with this content, on another origin. */
async function inNotes({ context, requests, host, faults }, html, body) {
  const other = http.createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' })
    .end(`<!doctype html><html lang="en"><title>Notes</title><link rel="icon" href="data:,"><h1>Notes</h1>${html}`));
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  const notes = await context.newPage();
  try {
    await notes.goto(`http://127.0.0.1:${other.address().port}/`);
    await body(notes);
  } finally {
    await notes.close();
    await new Promise((resolve) => other.close(resolve));
  }
  forget(requests, host);
  assert.deepEqual(faults, []);
}

/** The test's own page is another origin, and not a request of Tiebreak. */
function forget(requests, host) {
  for (const origin of requests.keys()) if (origin !== host.origin) requests.delete(origin);
}

test('a chart that does not exist falls back to the first and says so; drafts are left alone', () =>
  onPage({ width: 640, height: 420, path: `?embed=Nothing${corpusLink('good/v2-small')}` }, async ({ hand, page }) => {
    await page.getByText('Unknown chart "Nothing"; showing Empty hosts instead.').waitFor();
    await hand.picture('Empty hosts').waitFor();
    await page.keyboard.press('Control+z');
    await drawn(page);
    assert.deepEqual(await hand.drafts(), []);
    assert.deepEqual(await axe(page), []);
  }));

test('a chart whose trace is not there says where to give it', () =>
  onPage({ width: 640, height: 420, path: `?embed=EmptyHosts${corpusLink('good/v2-packing-400')}` }, async ({ page }) => {
    await page.getByText(/^This runs on the trace batched-0.*Open it in Tiebreak and load the file there\.$/).waitFor();
  }));

test('the workload and what became of its VMs are saved for other programs, and open again', () =>
  onPage(WIDE, async (session) => {
    const { hand, page } = session;
    const digest = await hand.digest();
    const save = async (label) => {
      await openShare(session);
      const file = await saved(page, () => dialog(page).getByRole('button', { name: label, exact: true }).click());
      assert.deepEqual(await axe(page), []);
      await page.keyboard.press('Escape');
      return file;
    };
    for (const [label, name] of [
      ['Workload as CSV', 'tiebreak-workload.csv'],
      ['Workload as Parquet', 'tiebreak-workload.parquet'],
      ['Workload, compact', 'tiebreak-workload.columns'],
      ['VMs of the run as Parquet', 'tiebreak-vms.parquet'],
    ]) {
      const file = await save(label);
      assert.equal(file.name, name);
      // The same workload on the same machines: the same run, bit for bit.
      const said = await hand.runs(() => hand.giveFile({ name, mimeType: 'application/octet-stream', buffer: file.bytes }));
      assert.match(said, /^Done: 13,521 VMs/, label);
      assert.equal(await hand.digest(), digest, label);
    }
    const { bytes } = await save('VMs of the run as CSV');
    const lines = bytes.toString().trimEnd().split('\n').map((line) => line.split(','));
    assert.equal(lines.length, 1 + 13_521);
    assert.equal(lines[0].join(), 'vm,tenant,cores,memory_gib,priority,start_s,end_s,request,outcome,cluster,machine,placed_s,bottleneck');
    assert.equal(lines.filter((line) => line[8] === 'placed' && line[10] !== '').length, 12_969);
    assert.equal(lines.filter((line) => /^(refused|out of retries)$/.test(line[8]) && line[10] === '').length, 552);
  }));

for (const dark of [false, true]) {
  test(`a report is printed, ${dark ? 'dark' : 'light'}`, () =>
    onPage({ ...WIDE, dark }, async (session) => {
      const { hand, page } = session;
      await page.evaluate(() => { window.printed = 0; window.print = () => { window.printed += 1; }; });
      await fork(session);
      await hand.button('Add event').click();
      await hand.runs(() => page.getByRole('menuitem', { name: 'Machines fail', exact: true }).click());
      const digest = await hand.digest();
      await openShare(session);
      await hand.button('Print report').click();
      const report = page.getByRole('main', { name: 'Report' });
      await report.waitFor();
      await shows(() => page.evaluate(() => window.printed), 1, 'printed at once');
      await hand.button('Print').click();
      await shows(() => page.evaluate(() => window.printed), 2);
      assert.deepEqual(await axe(page), []);
      await report.getByText('B against A').waitFor();

      for (const format of ['A4', 'Letter']) {
        const { pages, text } = readPdf(await page.pdf({ format, printBackground: true }));
        assert.ok(pages >= 2 && pages <= 4, `${format}: ${pages} pages`);
        const words = [
          'Two weeks of Azure', `Made on ${new Date().toISOString().slice(0, 10)} with Tiebreak`, digest, 'B keeps',
          'Differing settings', `rules.${RULE}.on`, 'Empty hosts', 'Packing density', 'Conflicts',
          '140 machines in', 'fingerprint', '4 agents', 'BestFit, 3 buckets', 'Machines fail, day 7, 00:00', 'CC BY 4.0', 'MIT or Apache-2.0',
        ];
        for (const word of words) assert.ok(text.includes(word.replace(/\s/g, '')), `${format}: ${word} is not in ${text}`);
        for (const control of ['Back to the page', 'Show data table']) {
          assert.ok(!text.includes(control.replace(/\s/g, '')), `${format}: ${control} is on paper`);
        }
      }
      await page.emulateMedia({ media: 'print' });
      const ink = await report.getByRole('heading', { level: 1 }).evaluate((head) => getComputedStyle(head).color);
      assert.equal(ink, 'rgb(28, 33, 39)', 'dark ink whatever the theme');
      await page.emulateMedia({ media: 'screen' });

      await hand.button('Back to the page').click();
      await report.waitFor({ state: 'detached' });
      await hasFocus(page, 'Share');
      await hand.picture('Empty hosts').waitFor();
      assert.equal(await hand.digest(), digest);
    }));
}

test('an untouched preset has a short link, and a changed one says what was changed', () =>
  onPage(WIDE, async (session) => {
    const { hand, page } = session;
    const digest = await hand.digest();
    await openShare(session);
    const short = await field(page, 'Link').inputValue();
    assert.match(short, new RegExp(`#3\\.p\\.default\\.\\d+\\.\\d+\\.\\d+\\.${digest}$`));
    assert.equal(await dialog(page).getByText(/^Changed against/).count(), 0);
    await page.keyboard.press('Escape');
    await hand.runs(() => page.getByRole('checkbox', { name: `Use ${RULE}` }).uncheck());
    await openShare(session);
    const told = `Changed against "Two weeks of Azure": ${RULE} on true → false`;
    await dialog(page).getByText(told, { exact: true }).waitFor();
    const long = await field(page, 'Link').inputValue();
    assert.match(long, /#3\.d\./);

    const other = await page.context().newPage();
    await other.goto(short);
    await other.getByRole('status', { name: 'Run status' }).getByText(/reproduced$/).waitFor();
    await other.goto('about:blank');
    await other.goto(long);
    await other.getByText(told, { exact: true }).waitFor();
  }));

test('the page as one file opens from a disk without a network, and runs', () =>
  onPage(WIDE, async (session) => {
    const { hand, page } = session;
    await hand.runs(() => page.getByRole('checkbox', { name: `Use ${RULE}` }).uncheck());
    const digest = await hand.digest();
    await openShare(session);
    const file = await saved(page, () => hand.button('Save the page as one file').click());
    assert.equal(file.name, 'tiebreak.html');
    const kept = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'tiebreak-')), file.name);
    fs.writeFileSync(kept, file.bytes);
    const context = await page.context().browser().newContext({ offline: true });
    try {
      const other = await context.newPage();
      const faults = [];
      other.on('pageerror', (error) => faults.push(String(error)));
      await other.goto(`file://${kept}`);
      await other.getByRole('status', { name: 'Run status' }).getByText(/reproduced$/).waitFor();
      assert.ok((await other.locator('footer').textContent()).includes(`digest ${digest}`));
      await other.getByRole('checkbox', { name: 'Use BestFit' }).uncheck();
      await until(async () => !(await other.locator('footer').textContent()).includes(digest), 'another run');
      assert.deepEqual(faults, []);
    } finally {
      await context.close();
      fs.rmSync(path.dirname(kept), { recursive: true, force: true });
    }
  }));
