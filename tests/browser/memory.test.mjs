// Whether the page's memory stays constant during long use.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileAsForPeople, heap, WIDE } from './harness.mjs';
import { onPage, until } from './people.mjs';

compileAsForPeople();

/** Sizes of all wasm memories, of the page and of its worker, in bytes. */
async function wasmBytes(page) {
  const devtools = await page.context().newCDPSession(page);
  const attached = new Promise((resolve) => {
    devtools.on('Target.attachedToTarget', (target) => { if (/worker_loader/.test(target.targetInfo.url)) resolve(target); });
  });
  await devtools.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const { sessionId } = await attached;
  const answers = new Map();
  devtools.on('Target.receivedMessageFromTarget', ({ sessionId: from, message }) => {
    if (from !== sessionId) return;
    const { id, result } = JSON.parse(message);
    answers.get(id)?.(result);
  });
  const toWorker = (method, params) => new Promise((resolve) => {
    const id = answers.size + 1;
    answers.set(id, resolve);
    const message = JSON.stringify({ id, method, params });
    devtools.send('Target.sendMessageToTarget', { sessionId, message }).catch(() => {});
  });
  const size = async (send) => {
    const { result } = await send('Runtime.evaluate', { expression: 'WebAssembly.Memory.prototype' });
    const { objects } = await send('Runtime.queryObjects', { prototypeObjectId: result.objectId });
    const sum = 'function () { return this.reduce((sum, memory) => sum + memory.buffer.byteLength, 0); }';
    const of = { objectId: objects.objectId, functionDeclaration: sum, returnByValue: true };
    return (await send('Runtime.callFunctionOn', of)).result.value;
  };
  const sizes = { page: await size((method, params) => devtools.send(method, params)), worker: await size(toWorker) };
  await devtools.detach();
  return sizes;
}

test('memory stays flat over twenty forks, each closed again', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const forks = async (times) => {
      for (let fork = 0; fork < times; fork += 1) {
        await hand.runs(() => hand.button('Fork as B').click());
        await page.getByRole('region', { name: 'Fleet map of A' }).or(page.getByRole('heading', { name: 'A', exact: true })).first().waitFor();
        await hand.button('Close variant B').click();
        await page.waitForFunction(() => !document.querySelector('[aria-label="Close variant B"]'));
      }
      // The engines of closed variants end soon.
      await until(() => page.workers().length === 1, 'one worker, that of the variant that is left');
      const { usedBytes, nodes } = await heap(page);
      return { usedBytes, nodes, workers: page.workers().length };
    };
    const [before, after] = [await forks(4), await forks(20)];
    const line = ({ usedBytes, nodes, workers }) => `heap ${(usedBytes / 1e6).toFixed(2)} MB, ${nodes} nodes, ${workers} workers`;
    console.log(`after 4 forks: ${line(before)}\nafter 24 forks: ${line(after)}`);
    assert.ok(after.usedBytes - before.usedBytes < Math.max(2e6, before.usedBytes * 0.1), 'the heap grew');
    assert.ok(after.nodes < before.nodes * 1.1 + 200, `${before.nodes} nodes became ${after.nodes}`);
    assert.ok(after.workers <= before.workers, `${before.workers} workers became ${after.workers}`);
  }));

test('memory stays flat over a hundred runs', () =>
  onPage(WIDE, async ({ hand, page }) => {
    const rerun = async (times) => {
      for (let run = 0; run < times; run += 1) await hand.runs(() => hand.runAgain());
      const { usedBytes, nodes } = await heap(page);
      return { usedBytes, nodes, wasm: await wasmBytes(page) };
    };
    const [before, after] = [await rerun(20), await rerun(100)];
    const mb = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
    const line = ({ usedBytes, nodes, wasm }) =>
      `heap ${mb(usedBytes)}, ${nodes} nodes, wasm of the page ${mb(wasm.page)}, of the worker ${mb(wasm.worker)}`;
    console.log(`after 20 runs: ${line(before)}\nafter 120 runs: ${line(after)}`);
    const flat = (what, from, to) =>
      assert.ok(to - from < Math.max(2e6, from * 0.1), `${what} grew from ${mb(from)} to ${mb(to)}`);
    flat('the heap', before.usedBytes, after.usedBytes);
    flat("the page's wasm", before.wasm.page, after.wasm.page);
    flat("the worker's wasm", before.wasm.worker, after.wasm.worker);
    assert.ok(after.nodes < before.nodes * 1.1 + 200, `${before.nodes} nodes became ${after.nodes}`);
  }));
