// The notebook widget of the Python package, with a model like anywidget's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openChromium, serve } from './harness.mjs';

const PACKAGE = fileURLToPath(new URL('../../packages/python/python/tiebreak', import.meta.url));

test('the widget shows the fleet over time, machines by mouse and keys, and metrics', async () => {
  const host = await serve({ root: PACKAGE });
  const { page, close } = await openChromium({ width: 800, height: 600, view: null });
  try {
    await page.goto(new URL('widget.mjs', host.url).href);
    await page.evaluate(async () => {
      document.body.replaceChildren();
      const { default: widget } = await import('./widget.mjs');
      const heard = {};
      const state = {
        // Four machines: empty; then one used in full, one failed, one in use that takes no VMs.
        frames: new DataView(new Uint8Array([0, 0, 0, 0, 0, 0x7e, 0xff, 0xc0]).buffer),
        times_ms: [0, 90_000_000], time: 0, machine: -1, metric: 'A',
        metrics: [['A', 'Empty hosts', '%', ''], ['B', 'Packing density', '%', '']],
        charts: { A: '<svg id="a"></svg>' },
      };
      window.model = {
        get: (name) => state[name],
        set: (name, value) => {
          state[name] = value;
          heard[`change:${name}`]?.forEach((hear) => hear());
        },
        save_changes() {},
        on: (event, hear) => (heard[event] ??= new Set()).add(hear),
        off: (event, hear) => heard[event]?.delete(hear),
        heard,
      };
      window.end = widget.render({ model: window.model, el: document.body });
    });
    const says = () => page.locator('output').textContent();
    assert.equal(await says(), '0 d 00:00: 4 of 4 machines empty.');
    await page.getByRole('slider', { name: 'Time' }).focus();
    await page.keyboard.press('End');
    assert.equal(await says(), '1 d 01:00: 1 of 4 machines empty.');
    const map = page.getByRole('img', { name: /machines empty/ });
    const box = await map.boundingBox();
    await map.click({ position: { x: box.width * 0.375, y: box.height / 2 } });
    assert.match(await says(), /Machine 1: used, 100 % of its cores\.$/);
    await map.press('ArrowRight');
    assert.match(await says(), /Machine 2: failed\.$/);
    await map.press('ArrowRight');
    assert.match(await says(), /Machine 3: takes no VMs, 50 % of its cores\.$/);
    await page.getByRole('combobox', { name: 'Metric' }).selectOption('B');
    assert.equal(await page.evaluate(() => window.model.get('metric')), 'B');
    await page.evaluate(() => window.model.set('charts', { B: '<svg id="b"></svg>' }));
    assert.equal(await page.locator('svg').getAttribute('id'), 'b');
    await page.getByRole('button', { name: 'Play' }).click();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    assert.equal(await page.evaluate(() => window.model.get('time')), 1);
    await page.evaluate(() => window.end());
    assert.equal(await page.evaluate(() => Object.values(window.model.heard).reduce((all, hears) => all + hears.size, 0)), 0);
  } finally {
    await close();
    await host.close();
  }
});
