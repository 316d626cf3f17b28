// Opens a Parquet file that a person gave, in a worker of its own (web/src/bin/parquet.rs).
//
// One message `{ file }` opens the file; its answer is `{ notes }`. Every further one asks for a piece of its text; the answer is
// `{ text?, rows, share }`, without text behind the last row. Either may be answered by `{ error }`; then the worker is of no more use.
import init, { next, open, rows, share } from './parquet.js';

const ready = init();
// Whoever waits for it is told.
ready.catch(() => {});

self.onmessage = async ({ data: { file } }) => {
  try {
    await ready;
    if (file) return self.postMessage({ notes: open(file) });
    const text = next();
    self.postMessage({ text, rows: rows(), share: share() }, text ? [text.buffer] : []);
  } catch (error) {
    self.postMessage({ error: error.message });
  }
};
