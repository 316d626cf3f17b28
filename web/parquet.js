// Opens a Parquet file that a person gave, in a worker of its own (web/src/bin/parquet.rs).
//
// One message `{ file }` opens the file; its answer is `{ notes }`. Every further one asks for a piece of its text; the answer is
// `{ text?, rows, share }`, without text behind the last row. Or every message `{ columns }` has rows to write, and `{ finish }` is answered
// by the file's `{ bytes }`. Any may be answered by `{ error }`; then the worker is of no more use.
import init, { next, open, rows, share, write, written } from './parquet.js';

const ready = init();
// Whoever waits for it is told.
ready.catch(() => {});

self.onmessage = async ({ data: { file, columns, finish } }) => {
  try {
    await ready;
    if (file) return self.postMessage({ notes: open(file) });
    if (columns) return self.postMessage({ rows: write(columns) });
    if (finish) {
      const bytes = written();
      return self.postMessage({ bytes }, [bytes.buffer]);
    }
    const text = next();
    self.postMessage({ text, rows: rows(), share: share() }, text ? [text.buffer] : []);
  } catch (error) {
    self.postMessage({ error: error.message });
  }
};
