// Opens a Parquet file from the user, in a separate worker (web/src/bin/parquet.rs).
//
// The first message `{ file }` opens the file; its answer is `{ notes }`. Every further message requests a piece of
// its text; the answer is `{ text?, rows, share }`, without text after the last row. Alternatively, every message
// `{ columns }` has rows to write, and `{ finish }` is answered by the file's `{ bytes }`. Any message may be
// answered by `{ error }`; the worker is unusable after that.
import init, { next, open, rows, share, write, written } from './parquet.js';

const ready = init();
// The code that awaits it gets the error.
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
