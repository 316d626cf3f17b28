//! Parquet for the page: the code of the worker that reads and writes such files. The worker's script is
//! web/parquet.js.
//!
//! The file is never copied as a whole: the reader reads the footer with the metadata, and then the pages of its
//! columns one by one, as rows are requested.

use std::cell::RefCell;
use std::io::{self, BufReader, Read};

use bytes::Bytes;
use js_sys::Uint8Array;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use tiebreak_model::table::Column;
use tiebreak_tables::parquet::{Pieces, Writer};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, FileReaderSync};

/// The size of one read of a page's header.
const HEAD_BYTES: usize = 4 << 10;

thread_local! {
    static PIECES: RefCell<Option<Pieces>> = const { RefCell::new(None) };
    static WRITER: RefCell<Option<Writer>> = const { RefCell::new(None) };
}

fn main() {
    // Throws the library's message about a damaged file as an error of the calling script.
    std::panic::set_hook(Box::new(|panic| {
        wasm_bindgen::throw_str(panic.payload_as_str().unwrap_or("the library panicked"));
    }));
}

/// Opens a file, and returns notes on how it is read.
///
/// # Errors
/// If the file is invalid, with the message for the user.
#[wasm_bindgen]
pub fn open(file: Blob) -> Result<Vec<String>, JsError> {
    let pieces = Pieces::of(Slices(file))?;
    let notes = pieces.notes().to_vec();
    PIECES.set(Some(pieces));
    Ok(notes)
}

/// The next piece of its text; `None` after the last row.
///
/// # Errors
/// As for [`open`].
#[wasm_bindgen]
pub fn next() -> Result<Option<Vec<u8>>, JsError> {
    PIECES.with_borrow_mut(|pieces| Ok(pieces.as_mut().and_then(Iterator::next).transpose()?))
}

/// The number of rows read.
#[wasm_bindgen]
#[must_use]
pub fn rows() -> f64 {
    PIECES.with_borrow(|pieces| pieces.as_ref().map_or(0.0, |pieces| pieces.done() as f64))
}

/// The share of the file that was read, 0 to 1.
#[wasm_bindgen]
#[must_use]
pub fn share() -> f64 {
    let of = |pieces: &Pieces| pieces.done() as f64 / pieces.all().max(1) as f64;
    PIECES.with_borrow(|pieces| pieces.as_ref().map_or(0.0, |pieces| of(pieces).min(1.0)))
}

/// Writes more rows; the first ones define the columns of the file.
///
/// # Errors
/// If the columns differ from the first ones.
#[wasm_bindgen]
pub fn write(columns: &[u8]) -> Result<(), JsError> {
    let columns: Vec<Column<'_>> = postcard::from_bytes(columns)?;
    WRITER.with_borrow_mut(|writer| {
        if writer.is_none() {
            *writer = Some(Writer::new(&columns)?);
        }
        Ok(writer.as_mut().map_or(Ok(()), |writer| writer.push(&columns))?)
    })
}

/// The written file.
///
/// # Errors
/// If nothing was written, or the library fails.
#[wasm_bindgen]
pub fn written() -> Result<Vec<u8>, JsError> {
    let writer = WRITER.take().ok_or(JsError::new("nothing was written"))?;
    Ok(writer.finish()?)
}

/// A file that is read in parts.
struct Slices(Blob);

impl Slices {
    /// The bytes in this range, up to the end of the file.
    fn read(&self, from: u64, to: u64) -> io::Result<Vec<u8>> {
        let read = || {
            let part = self.0.slice_with_f64_and_f64(from as f64, to as f64)?;
            FileReaderSync::new()?.read_as_array_buffer(&part)
        };
        let said = |error: JsValue| {
            let name = js_sys::Reflect::get(&error, &"message".into()).ok().and_then(|message| message.as_string());
            io::Error::other(name.unwrap_or_else(|| "the browser does not read it".into()))
        };
        read().map(|part| Uint8Array::new(&part).to_vec()).map_err(said)
    }
}

impl Length for Slices {
    fn len(&self) -> u64 {
        self.0.size() as u64
    }
}

impl ChunkReader for Slices {
    type T = BufReader<From>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::with_capacity(HEAD_BYTES, From { file: Slices(self.0.clone()), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let part = self.read(start, start.saturating_add(length as u64))?;
        if part.len() < length {
            return Err(ParquetError::EOF(format!("{length} bytes from {start} on go beyond the file")));
        }
        Ok(part.into())
    }
}

/// A file, read from some position on.
struct From {
    file: Slices,
    at: u64,
}

impl Read for From {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let part = self.file.read(self.at, self.at + into.len() as u64)?;
        into[..part.len()].copy_from_slice(&part);
        self.at += part.len() as u64;
        Ok(part.len())
    }
}
