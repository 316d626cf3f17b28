//! A file's text, piece by piece. A separate worker reads SQLite and Parquet files. It is loaded when the first such
//! file is opened, reads only the parts of the file that it needs, and returns one piece per request.

use std::collections::VecDeque;

use js_sys::{Array, ArrayBuffer, Object, Promise, Reflect, Uint8Array};
use tiebreak_trace::{PackingTables, TraceError};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, ErrorEvent, MessageEvent, ReadableStreamByobReader, Worker, WorkerOptions, WorkerType};

use crate::wire::{await_any, field};

/// Number of bytes that identify the file type.
const MAGIC_BYTES: i32 = 16;

/// The file's reader; dropping it ends the reading.
pub(crate) enum Pieces {
    Stream(Stream),
    Slices(Slices),
    Sqlite(Sqlite),
    Parquet(Parquet),
}

impl Pieces {
    pub(crate) async fn of(blob: &Blob) -> Result<Self, JsValue> {
        let first = blob.slice_with_i32_and_i32(0, MAGIC_BYTES)?;
        let first = Uint8Array::new(&await_any(&first.array_buffer()).await?).to_vec();
        Ok(match () {
            () if first == b"SQLite format 3\0" => Self::Sqlite(Sqlite::open(blob).await?),
            () if first.starts_with(b"PAR1") => Self::Parquet(Parquet::open(blob).await?),
            () => Stream::of(blob).map_or_else(|| Self::Slices(Slices::of(blob)), Self::Stream),
        })
    }

    pub(crate) async fn next(&mut self) -> Result<Option<Vec<u8>>, JsValue> {
        match self {
            Self::Sqlite(sqlite) => sqlite.next().await,
            Self::Parquet(parquet) => parquet.next().await,
            Self::Stream(stream) => stream.next().await,
            Self::Slices(slices) => slices.next().await,
        }
    }

    /// The share of the file that was read, if it cannot be derived from the length of the text.
    pub(crate) fn share(&self) -> Option<f64> {
        match self {
            Self::Stream(_) | Self::Slices(_) => None,
            Self::Sqlite(sqlite) => Some(sqlite.share),
            Self::Parquet(parquet) => Some(parquet.share),
        }
    }

    /// Notes on how the file is read.
    pub(crate) fn notes(&mut self) -> Vec<String> {
        match self {
            Self::Stream(_) | Self::Slices(_) | Self::Sqlite(_) => Vec::new(),
            Self::Parquet(parquet) => std::mem::take(&mut parquet.notes),
        }
    }
}

/// Bytes per read of the stream, more than the browser delivers at once.
const READ_BYTES: u32 = 2 << 20;

/// A file's bytes as the browser's stream delivers them into one buffer: the browser reads on while a piece is used,
/// and copies nothing.
pub(crate) struct Stream {
    reader: ReadableStreamByobReader,
    /// Each read takes it and returns it.
    buffer: ArrayBuffer,
}

impl Stream {
    /// `None` if this browser's streams cannot read into a buffer.
    fn of(file: &Blob) -> Option<Self> {
        let reader = ReadableStreamByobReader::new(&file.stream()).ok()?;
        Some(Self { reader, buffer: ArrayBuffer::new(READ_BYTES) })
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, JsValue> {
        let room = Uint8Array::new(&self.buffer);
        let read = await_any(&self.reader.read_with_array_buffer_view(&room)).await?;
        // At the end there is an empty piece, or none after the stream was cancelled.
        let Some(piece) = field(&read, "value").and_then(|value| value.dyn_into::<Uint8Array>().ok()) else {
            return Ok(None);
        };
        self.buffer = piece.buffer();
        Ok((piece.length() > 0).then(|| piece.to_vec()))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let _ = self.reader.cancel();
    }
}

/// Bytes per read, and the number of reads in flight.
const SLICE_BYTES: f64 = (4 << 20) as f64;
const SLICES_AHEAD: usize = 4;

/// A file's bytes, with some reads in flight while earlier ones are used.
pub(crate) struct Slices {
    file: Blob,
    /// The first byte that was not requested yet.
    at: f64,
    asked: VecDeque<Promise>,
}

impl Slices {
    fn of(file: &Blob) -> Self {
        Self { file: file.clone(), at: 0.0, asked: VecDeque::new() }
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, JsValue> {
        while self.asked.len() < SLICES_AHEAD && self.at < self.file.size() {
            let end = self.at + SLICE_BYTES;
            self.asked.push_back(self.file.slice_with_f64_and_f64(self.at, end)?.array_buffer());
            self.at = end;
        }
        let Some(asked) = self.asked.pop_front() else { return Ok(None) };
        Ok(Some(Uint8Array::new(&await_any(&asked).await?).to_vec()))
    }
}

/// The worker that has SQLite and one file (web/sqlite.js).
pub(crate) struct Sqlite {
    reader: Reader,
    /// The last row that was read; `None` before the header.
    after: Option<JsValue>,
    rows: u64,
    share: f64,
}

impl Sqlite {
    async fn open(blob: &Blob) -> Result<Self, JsValue> {
        let reader = Reader::begin("./sqlite/worker.js")?;
        let sqlite = Self { reader, after: None, rows: 0, share: 0.0 };
        let answer = sqlite.ask(&[("file", blob), ("statement", &PackingTables::SCHEMA.into())]).await?;
        let schema = field(&answer, "text").and_then(|text| text.as_string()).unwrap_or_default();
        PackingTables::check(&schema).map_err(|error| as_error(&error))?;
        Ok(sqlite)
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, JsValue> {
        let Some(after) = self.after.replace(JsValue::UNDEFINED) else {
            return Ok(Some(PackingTables::HEADER.into()));
        };
        let rows = PackingTables::STEP_ROWS;
        let asked = [("statement", &PackingTables::step().into()), ("after", &after), ("rows", &rows.into())];
        let answer = self.ask(&asked).await?;
        self.after = field(&answer, "last");
        self.rows += u64::from(rows);
        self.share = number(&answer, "share").unwrap_or(1.0);
        Ok(field(&answer, "text").and_then(|text| text.as_string()).map(String::into_bytes))
    }

    async fn ask(&self, fields: &[(&str, &JsValue)]) -> Result<JsValue, JsValue> {
        self.reader.ask("SQLite", self.rows, fields).await
    }
}

/// The worker that has a Parquet library and one file (web/src/bin/parquet.rs).
pub(crate) struct Parquet {
    reader: Reader,
    notes: Vec<String>,
    rows: u64,
    share: f64,
}

impl Parquet {
    async fn open(blob: &Blob) -> Result<Self, JsValue> {
        let reader = Reader::begin("./parquet/worker.js")?;
        let answer = reader.ask("Parquet", 0, &[("file", blob)]).await?;
        let notes = field(&answer, "notes").map(JsCast::unchecked_into::<Array>).unwrap_or_default();
        let notes = notes.iter().filter_map(|note| note.as_string()).collect();
        Ok(Self { reader, notes, rows: 0, share: 0.0 })
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, JsValue> {
        let answer = self.reader.ask("Parquet", self.rows, &[]).await?;
        self.share = number(&answer, "share").unwrap_or(1.0);
        self.rows = number(&answer, "rows").unwrap_or_default() as u64;
        Ok(bytes(&answer, "text"))
    }
}

/// A worker that answers one question at a time. It ends when this is dropped.
pub(crate) struct Reader(Worker);

impl Reader {
    pub(crate) fn begin(address: &str) -> Result<Self, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        Worker::new_with_options(address, &options).map(Self)
    }

    /// The answer to one message, after this many rows of a file of this kind.
    pub(crate) async fn ask(
        &self,
        kind: &'static str,
        rows: u64,
        fields: &[(&str, &JsValue)],
    ) -> Result<JsValue, JsValue> {
        let message = Object::new();
        for (name, value) in fields {
            Reflect::set(&message, &(*name).into(), value)?;
        }
        let answered = Promise::new(&mut |resolve, reject| {
            self.0.set_onmessage(Some(&resolve));
            self.0.set_onerror(Some(&reject));
        });
        self.0.post_message(&message)?;
        let answer = await_any(&answered).await.map_err(|event| not_there(kind, &event))?;
        let answer = answer.unchecked_into::<MessageEvent>().data();
        match field(&answer, "error").and_then(|error| error.as_string()) {
            // A complete sentence of ours, or the message of a library.
            Some(error) if error.starts_with("Expected") => Err(js_sys::Error::new(&error).into()),
            Some(error) => Err(as_error(&TraceError::unreadable(kind, rows, &error))),
            None => Ok(answer),
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.terminate();
    }
}

/// Why a worker did not start: its files are not available offline.
fn not_there(kind: &str, event: &JsValue) -> JsValue {
    let said = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
    if !said.is_empty() {
        return js_sys::Error::new(&said).into();
    }
    let told = format!("Expected the {kind} reader from the server, got no answer. Try again when you are online.");
    js_sys::Error::new(&told).into()
}

fn number(answer: &JsValue, name: &str) -> Option<f64> {
    field(answer, name).and_then(|number| number.as_f64())
}

pub(crate) fn bytes(answer: &JsValue, name: &str) -> Option<Vec<u8>> {
    field(answer, name).map(|bytes| bytes.unchecked_into::<Uint8Array>().to_vec())
}

fn as_error(error: &TraceError) -> JsValue {
    js_sys::Error::new(&error.to_string()).into()
}
