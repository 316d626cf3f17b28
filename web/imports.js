// Reads a cluster file or scheduler configuration from the user, in a separate worker (web/src/bin/imports.rs).
//
// A message `{ file, name, document }` is answered by the imported document and its VMs, `{ imported, vms? }`; a
// message `{ twins }`, which is a document, by the table of the counterparts of its rules, `{ text }`. An invalid
// file is answered by `{ wrong }`.
import init, { read, twins_of, vms } from './imports.js';

const ready = init();
// The code that awaits it gets the error.
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
