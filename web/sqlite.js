// Opens a SQLite file from the user, in a separate worker. SQLite reads only the blocks it needs, so the file is
// never copied as a whole.
//
// The first message `{ file, statement }` opens the file and requests one text. Every further message
// `{ statement, after, rows }` requests the rows after a rowid. Answers are `{ text?, last?, share? }`, without text
// after the last row, or `{ error }`. The statements are those of the native program
// (crates/trace/src/formats/azure_packing.rs).
import sqlite3InitModule from './sqlite3.js';

const BLOCK_BYTES = 1 << 20;
const BLOCKS_MAX = 16;

let database;
let step;
let rowsMax;

/** The most recently read blocks of a file, by number; the oldest is first. */
function blocksOf(file) {
  const reader = new FileReaderSync();
  const blocks = new Map();
  return (number) => {
    const block = blocks.get(number)
      ?? new Uint8Array(reader.readAsArrayBuffer(file.slice(number * BLOCK_BYTES, (number + 1) * BLOCK_BYTES)));
    blocks.delete(number);
    blocks.set(number, block);
    if (blocks.size > BLOCKS_MAX) blocks.delete(blocks.keys().next().value);
    return block;
  };
}

/** Copies the file from this position into the target; if the file is too short, the rest becomes zeros. */
function copy(block, at, target) {
  let done = 0;
  while (done < target.length) {
    const from = (at + done) % BLOCK_BYTES;
    const bytes = block(Math.floor((at + done) / BLOCK_BYTES)).subarray(from, from + target.length - done);
    if (bytes.length === 0) break;
    target.set(bytes, done);
    done += bytes.length;
  }
  target.fill(0, done);
  return done === target.length;
}

/** SQLite's view of a file system with this one read-only file. */
function install({ capi, wasm, vfs }, file) {
  const block = blocksOf(file);
  const standard = new capi.sqlite3_vfs(capi.sqlite3_vfs_find(null));
  const io = new capi.sqlite3_io_methods();
  const system = new capi.sqlite3_vfs();
  io.$iVersion = 1;
  system.$iVersion = 1;
  system.$szOsFile = capi.sqlite3_file.structInfo.sizeof;
  system.$mxPathname = 512;
  system.$xRandomness = standard.$xRandomness;
  system.$xSleep = standard.$xSleep;
  const fine = () => 0;
  const refuse = () => capi.SQLITE_READONLY;
  vfs.installVfs({
    io: {
      struct: io,
      methods: {
        xClose: fine,
        xRead: (_, target, length, at) => {
          try {
            const whole = copy(block, Number(at), wasm.heap8u().subarray(Number(target), Number(target) + length));
            return whole ? 0 : capi.SQLITE_IOERR_SHORT_READ;
          } catch {
            return capi.SQLITE_IOERR_READ;
          }
        },
        xWrite: refuse,
        xTruncate: refuse,
        xSync: fine,
        xFileSize: (_, size) => (wasm.poke(size, BigInt(file.size), 'i64'), 0),
        xLock: fine,
        xUnlock: fine,
        xCheckReservedLock: (_, held) => (wasm.poke(held, 0, 'i32'), 0),
        xFileControl: () => capi.SQLITE_NOTFOUND,
        xSectorSize: () => 4096,
        xDeviceCharacteristics: () => capi.SQLITE_IOCAP_IMMUTABLE,
      },
    },
    vfs: {
      struct: system,
      name: 'given',
      methods: {
        xOpen: (_, name, handle, flags, opened) => {
          if (!(flags & capi.SQLITE_OPEN_MAIN_DB)) return capi.SQLITE_CANTOPEN;
          const held = new capi.sqlite3_file(handle);
          held.$pMethods = io.pointer;
          held.dispose();
          if (opened) wasm.poke(opened, flags, 'i32');
          return 0;
        },
        xDelete: refuse,
        xAccess: (_, name, flags, there) => (wasm.poke(there, 0, 'i32'), 0),
        xFullPathname: (_, name, length, full) => (wasm.cstrncpy(full, name, length) < 0 ? capi.SQLITE_CANTOPEN : 0),
      },
    },
  });
}

async function open(file, statement) {
  const sqlite3 = await sqlite3InitModule({ print() {}, printErr() {} });
  install(sqlite3, file);
  database = new sqlite3.oo1.DB({ filename: 'file:given?immutable=1', flags: 'r', vfs: 'given' });
  sqlite3.capi.sqlite3_limit(database, sqlite3.capi.SQLITE_LIMIT_LENGTH, 64 << 20);
  return { text: database.selectValue(statement) ?? '' };
}

function rowsBehind(statement, after, rows) {
  if (!step) {
    step = database.prepare(statement);
    rowsMax = Number(database.selectValue('SELECT max(rowid) FROM vm') ?? 1);
  }
  try {
    step.bind([after ?? -(2n ** 63n), rows]);
    if (!step.step() || step.get(0) === null) return {};
    const last = step.get(1);
    return { text: step.get(0), last, share: Math.min(1, Math.max(0, Number(last) / rowsMax)) };
  } finally {
    step.reset();
  }
}

globalThis.sqlite3ApiConfig = { warn() {}, debug() {}, log() {}, error() {} };

self.onmessage = async ({ data: { file, statement, after, rows } }) => {
  try {
    self.postMessage(file ? await open(file, statement) : rowsBehind(statement, after, rows));
  } catch (error) {
    self.postMessage({ error: error.message });
  }
};
