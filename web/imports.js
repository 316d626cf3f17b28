// Reads a cluster or a scheduler's configuration that a person gave, in a worker of its own (web/src/bin/imports.rs).
//
// One message `{ file, name, document }` is answered by what became of it and its VMs, `{ imported, vms? }`; one `{ twins }`, which is
// a document, by the table of its rules' twins, `{ text }`. What is wrong with a file is `{ wrong }`.
import init, { read, twins_of, vms } from './imports.js';

const ready = init();
// Whoever waits for it is told.
ready.catch(() => {});

self.onmessage = async ({ data: { file, name, document, twins } }) => {
  try {
    await ready;
    if (twins !== undefined) return self.postMessage({ text: twins_of(twins) });
    const imported = read(name, new Uint8Array(await file.arrayBuffer()), document);
    self.postMessage({ imported, vms: vms() });
  } catch (error) {
    self.postMessage({ wrong: error.message ?? String(error) });
  }
};
