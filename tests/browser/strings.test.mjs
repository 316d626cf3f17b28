// The page in another language: all of it, as long as it is selected, and no change in English after that.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { axe, NARROW, WIDE } from './harness.mjs';
import {
  drawn, enter, kept, listenToStatus, onPage, says, settled, shows, showTab, until, withoutServiceWorker,
} from './people.mjs';

/** What must appear in German, by role and name. */
const GERMAN = [
  ['heading', 'Wie eine Cloud für jede VM eine Maschine wählt'],
  ['heading', 'Regeln'],
  ['tab', 'Lernen'],
  ['tab', 'Mein Trace'],
  ['button', 'Mehr'],
  ['button', 'Schritt'],
  ['button', 'Rückgängig'],
  ['button', 'Teilen'],
  ['button', 'Als B verzweigen'],
  ['button', 'Ereignis… hinzufügen'],
  ['button', 'BestFit verschieben'],
  ['checkbox', 'PreferNonEmptyMachines verwenden'],
  ['combobox', 'Stufen für BestFit'],
  ['slider', 'Zeitpunkt'],
  ['region', 'Diagramme'],
  ['region', 'Zeitleiste'],
  ['figure', 'Flottenkarte'],
  ['figure', 'Leere Hosts'],
  ['figure', 'Packungsdichte'],
  ['figure', 'Konflikte'],
];

/** Words that occur in every part of the English page, but in no German one, except for rule names. */
const ENGLISH = /\b(the|and|of|with|where|which|empty|machines?|show|rules?|open|close|settings?|lifetimes|fork|run|undo|share|day \d)\b/i;

const language = (page) => page.getByRole('combobox', { name: /^(Language|Sprache)$/, includeHidden: true });

/** Repeats the same run, from the German menu. */
async function again(page) {
  await page.getByRole('button', { name: 'Mehr', exact: true }).click();
  await page.getByRole('button', { name: 'Noch einmal rechnen' }).click();
}
const status = (page) => page.getByRole('status').first();

async function speak(page, code) {
  const more = page.getByRole('banner').getByRole('button', { name: /^(More|Mehr)$/ });
  await more.click();
  await language(page).selectOption(code);
  await more.click();
  await page.waitForFunction((wanted) => document.documentElement.lang === wanted, code);
}

/** Every text and every name on the page, except those that are English or a name in any language. */
const texts = (page) => page.evaluate(() => {
  const apart = '[lang=en], option, .brand, code, .rule-name, .rule [aria-label], .tried';
  const said = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.data.trim();
    if (text && !walk.currentNode.parentElement.closest(`${apart}, script, style`)) said.push(text);
  }
  for (const attribute of ['aria-label', 'title', 'placeholder']) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      if (!element.closest(apart)) said.push(element.getAttribute(attribute));
    }
  }
  return said;
});

/** Waits until the engine's answers for opened parts have come: two looks give the same texts, with a drawing in
 * between. */
async function quiet(page) {
  let before;
  await until(async () => {
    const now = JSON.stringify(await texts(page));
    const same = now === before;
    before = now;
    for (let turn = 0; turn < 5 && !same; turn += 1) await drawn(page);
    return same;
  }, 'texts that stay');
}

/** English texts without a German one so far, each as its parts between values. The page may show them: translating
 * takes time. */
const MISSING = JSON.parse(execFileSync('cargo', ['xtask', 'strings', '--missing'], { encoding: 'utf8' }))
  .map((english) => english.split(/\{\w*\}/));
const isMissing = (text) => MISSING.some((parts) => parts.every((part) => text.includes(part.trim())));

/** What the page shows in English although there is a translation, or could not be translated. */
async function left(page) {
  // Rules keep their ids, and papers and licences their names.
  const names = /\b[A-Z][a-z]+(?:[A-Z][A-Za-z]+)+\b|Run-?time|The?o?rem|\bScale\b|"[^"]*"|„[^“]*“|packing-cut\S*|cluster \d+/g;
  return (await texts(page)).filter((text) => ENGLISH.test(text.replace(names, '')) && !isMissing(text));
}

test('in German the main parts are German, and nothing English is left', () =>
  onPage(WIDE, async ({ hand, page }) => {
    await speak(page, 'de');
    for (const [role, name] of GERMAN) {
      await page.getByRole(role, { name, exact: true }).first().waitFor();
    }
    await says(status(page), /^Fertig: 13\.521 VMs$/, 'of the run that came with the page');
    await hand.runs(() => again(page), '^Fertig');
    await says(status(page), /^Fertig: 13\.521 VMs in \d+,\d\d s$/, 'of one that was made here');
    assert.match(await page.title(), /wie eine Cloud/);
    // Decimals in German format.
    await page.getByText('27,9 %').first().waitFor();
    const topics = page.getByRole('combobox', { name: 'Weitere Themen' });
    const tabs = page.locator('.under, .left').getByRole('tab');
    const labels = [...await tabs.allTextContents(), ...(await topics.locator('option').allTextContents()).slice(1)];
    for (const label of labels) {
      const tab = tabs.getByText(label, { exact: true });
      if (await tab.count()) await tab.click();
      else await topics.selectOption({ label });
      for (const fold of await page.locator('summary').all()) if (await fold.isVisible()) await fold.click();
      await quiet(page);
      assert.deepEqual(await left(page), [], label);
    }
    assert.deepEqual(await axe(page), []);
  }));

test('what the engine says of a VM and a machine is German too', () =>
  onPage(WIDE, async ({ page }) => {
    await speak(page, 'de');
    await page.getByRole('button', { name: 'VM erklären' }).click();
    const explain = page.getByRole('region', { name: 'Erklären' });
    await enter(explain.getByRole('spinbutton', { name: 'Maschine', exact: true }), 0);
    await explain.getByRole('button', { name: /^VM \d+/ }).first().click();
    await explain.getByRole('region', { name: 'Werte' }).waitFor();
    await enter(explain.getByRole('spinbutton', { name: 'Warum nicht Maschine' }), 7);
    await explain.getByRole('columnheader', { name: 'Ausgewählt' }).waitFor();
    await says(explain, /Maschine \d+ wurde .*Sie verlangte .*Maschine 7 war /s);
    assert.deepEqual(await left(page), []);
  }));

test('events, two variants and the dialogs are German', () =>
  onPage(WIDE, async ({ page, hand }) => {
    await speak(page, 'de');
    await hand.button('Ereignis… hinzufügen').click();
    await hand.runs(() => page.getByRole('menuitem', { name: 'Maschinen fallen aus' }).click(), '^Fertig');
    await hand.runs(() => hand.button('Als B verzweigen').click(), '^Fertig');
    await page.getByRole('tab', { name: 'Vergleichen' }).click();
    await page.getByRole('region', { name: 'Vergleichen' }).waitFor();
    await quiet(page);
    assert.deepEqual(await left(page), []);
    await hand.button('Teilen').click();
    await page.getByRole('dialog', { name: 'Teilen' }).waitFor();
    assert.deepEqual(await left(page), []);
    await hand.button('Bericht drucken').click();
    await page.getByRole('main', { name: 'Bericht' }).waitFor();
    assert.deepEqual(await left(page), []);
  }));

test('a custom rule is judged in German', () =>
  onPage(WIDE, async ({ page, hand }) => {
    await speak(page, 'de');
    await hand.runs(() => page.locator('.add-rule').last().click(), '^Fertig');
    await page.getByText(/^Für VM \d+ \(\d+ Kerne, \d+ GiB\) um /).waitFor();
  }));

test('a reload keeps the language, without a network too', () =>
  onPage(WIDE, async ({ page, host }) => {
    await speak(page, 'de');
    await kept(page);
    await page.reload();
    await page.getByRole('button', { name: 'Mehr', exact: true }).waitFor();
    await shows(() => language(page).inputValue(), 'de');
    await settled(page, 0, '^Fertig');
    await host.close();
    await page.reload();
    await settled(page, 0, '^Fertig');
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
  }));

test('back in English the page is what it was', () =>
  onPage(WIDE, async ({ hand, page }) => {
    // From the engine, so that nothing is pending on the page.
    await hand.runs(() => hand.runAgain());
    await quiet(page);
    const before = await texts(page);
    await speak(page, 'de');
    await until(async () => !isDeepStrictEqual(await texts(page), before), 'other texts');
    await speak(page, 'en');
    await shows(() => texts(page), before);
    await page.reload();
    await page.getByRole('button', { name: 'Undo', exact: true }).waitFor();
  }));

test('texts that the server does not give leave the page English, and it says so', () =>
  onPage(
    {
      ...WIDE,
      prepare: async ({ context }) => {
        await listenToStatus(context);
        await withoutServiceWorker(context);
        await context.route('**/strings-*/**', (route) => route.fulfill({ body: '[]' }));
      },
    },
    async ({ page }) => {
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await language(page).selectOption('de');
      await page.getByText('The language could not be changed').waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.lang), 'en');
      await shows(() => language(page).inputValue(), 'en');
    },
  ));

test('nothing is fetched for a language that nobody chose', () =>
  onPage(WIDE, async ({ page, host }) => {
    const asked = () => host.paths.filter((path) => path.includes('strings-'));
    const early = asked();
    await speak(page, 'de');
    assert.ok(early.length === 0 || early.length === 1 && host.paths.includes('sw.js'), early.join(' '));
    assert.ok(asked().length >= 1);
  }));

test('on a phone no panel is wider than the screen, in both themes', async () => {
  for (const dark of [false, true]) {
    await onPage({ ...NARROW, dark }, async ({ page }) => {
      await speak(page, 'de');
      await drawn(page);
      assert.deepEqual(await axe(page), []);
      const fits = async (name) =>
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= NARROW.width, `${name} scrolls sideways`);
      const more = page.getByRole('banner').getByRole('button', { name: 'Mehr', exact: true });
      await more.click();
      await language(page).waitFor();
      await fits('the menu');
      await more.click();
      const panels = page.locator('.centre .tabs-row');
      const tabs = await panels.getByRole('tab').allTextContents();
      const others = await panels.getByRole('combobox').locator('option').allTextContents();
      for (const name of [...tabs, ...others.slice(1)]) {
        const tab = panels.getByRole('tab', { name, exact: true });
        await (tabs.includes(name) ? tab.click() : panels.getByRole('combobox').selectOption({ label: name }));
        await shows(() => tab.getAttribute('aria-selected'), 'true', name);
        await fits(name);
      }
    });
  }
});

test('on a phone, a tab that is chosen scrolls into sight', () =>
  onPage(NARROW, async ({ page }) => {
    await speak(page, 'de');
    const tab = page.getByRole('tab', { name: 'Mein Trace' });
    const panels = page.locator('.centre .tabs-row');
    const isInSight = (tab) => tab.evaluate((tab) => {
      const [inner, outer] = [tab, tab.closest('.views, .tabs-row')].map((element) => element.getBoundingClientRect());
      return outer.left <= inner.left && inner.right <= outer.right;
    });
    assert.equal(await isInSight(tab), false);
    await tab.evaluate((tab) => tab.click());
    await shows(() => isInSight(tab), true);
    await panels.getByRole('combobox').selectOption({ label: 'Netz' });
    await shows(() => isInSight(page.getByRole('tab', { name: 'Netz' })), true);
  }));

test('the names of scenarios that come with the page are translated, and no other name', () =>
  onPage(WIDE, async ({ page }) => {
    const name = page.locator('.bar .name');
    await shows(() => name.inputValue(), 'Two weeks of Azure');
    await speak(page, 'de');
    await shows(() => name.inputValue(), 'Zwei Wochen Azure');
    await showTab(page, 'Läufe');
    await shows(() => page.locator('td.tried').first().textContent(), 'Zwei Wochen Azure');
    // The name of a button of the page, in English.
    await name.fill('Share');
    await name.press('Enter');
    await speak(page, 'en');
    await shows(() => name.inputValue(), 'Share');
    await speak(page, 'de');
    await shows(() => name.inputValue(), 'Share');
  }));

test('beside an explanation on a laptop, the list of more panels stays in sight and covers no chosen tab', () =>
  onPage({ width: 1280, height: 800 }, async ({ page }) => {
    await speak(page, 'de');
    await page.getByRole('button', { name: 'VM erklären' }).click();
    const row = page.locator('.centre .tabs-row');
    await shows(() => row.evaluate((row) => row.scrollWidth > row.clientWidth), true);
    const isClear = (control) => control.evaluate((control) => {
      const [inner, outer] = [control, control.closest('.tabs-row')].map((it) => it.getBoundingClientRect());
      const above = document.elementFromPoint(inner.right - 4, (inner.top + inner.bottom) / 2);
      return outer.left <= inner.left && inner.right <= outer.right && control.contains(above);
    });
    for (const name of ['Läufe', 'Diagramme']) {
      const tab = row.getByRole('tab', { name });
      await tab.evaluate((tab) => tab.click());
      await shows(() => isClear(tab), true, name);
      await shows(() => isClear(row.getByRole('combobox')), true, name);
    }
  }));

for (const width of [390, 1200, 1366]) {
  test(`no chart's title runs into its buttons beside an explanation, ${width} pixels wide`, () =>
    onPage({ width, height: 800 }, async ({ page }) => {
      await speak(page, 'de');
      await page.getByRole('button', { name: 'VM erklären' }).click();
      await page.locator('.explain-side').getByRole('textbox', { name: 'VM' }).waitFor();
      const collisions = () => page.locator('.charts .chart').evaluateAll((charts) => charts.flatMap((chart) => {
        const buttons = [...chart.querySelectorAll('figcaption button')].map((it) => it.getBoundingClientRect());
        const meets = (one, other) => one.left < other.right && other.left < one.right
          && one.top < other.bottom - 4 && other.top < one.bottom - 4;
        const words = [...chart.querySelectorAll('svg text')];
        return words.filter((it) => buttons.some((button) => meets(it.getBoundingClientRect(), button)))
          .map((it) => it.textContent);
      }));
      const fourth = page.getByRole('combobox', { name: 'Viertes Diagramm' });
      for (const name of await fourth.locator('option').allTextContents()) {
        await fourth.selectOption({ label: name });
        await page.getByRole('figure', { name, exact: true }).first().waitFor();
        await shows(collisions, [], name);
      }
    }));
}
