//! Converts a file's bytes to text: plain, gzip or zstd.

use std::io::Read;
use std::sync::mpsc;
use std::thread;

use crate::error::{Packing, TraceError};
use crate::gunzip::Gunzip;
use crate::limits::Limits;
use crate::magic;
use crate::unzstd::Unzstd;

/// The minimum amount of text for checking the ratio.
const RATIO_FLOOR_BYTES: u64 = 16 << 20;

/// How much of a file is read at once.
const READ_BYTES: usize = 64 << 10;

/// The maximum number of pieces of text that wait to be taken.
const PIECES_AHEAD: usize = 16;

/// The kind of a file, from its first bytes.
pub(crate) enum Source {
    /// Not enough bytes yet.
    Undecided(Vec<u8>),
    Plain,
    Gzip(Box<Gunzip>),
    Zstd(Box<Unzstd>),
}

impl Source {
    pub(crate) fn new() -> Self {
        Self::Undecided(Vec::new())
    }

    /// Passes on the text of a chunk.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        limits: &Limits,
        mut text: impl FnMut(&[u8]) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        match self {
            Self::Plain => text(bytes),
            Self::Gzip(gunzip) => gunzip.push(bytes, limits, text),
            Self::Zstd(unzstd) => unzstd.push(bytes, limits, text),
            Self::Undecided(first) => {
                first.extend_from_slice(bytes);
                if first.len() < magic::ZSTD.len() { Ok(()) } else { self.decide(limits, &mut text) }
            }
        }
    }

    /// Passes on the text of the rest of a file, which another thread reads and unpacks, each piece with the bytes of the
    /// file until then, `bytes` of which were pushed before.
    pub(crate) fn push_file(
        &mut self,
        mut file: impl Read + Send,
        mut bytes: u64,
        limits: &Limits,
        mut text: impl FnMut(u64, Vec<u8>) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        let (sender, pieces) = mpsc::sync_channel(PIECES_AHEAD);
        thread::scope(|scope| {
            let unpacking = scope.spawn(move || {
                // Pieces are refused only after an error in the text, which is then reported instead of this one.
                let send = |bytes, piece: &[u8]| sender.send((bytes, piece.to_vec())).map_err(|_| TraceError::Empty);
                let mut chunk = vec![0; READ_BYTES];
                loop {
                    match file.read(&mut chunk).map_err(|error| TraceError::unreadable("trace", 0, &error))? {
                        0 => return Ok(()),
                        length => {
                            bytes += length as u64;
                            self.push(&chunk[..length], limits, |piece| send(bytes, piece))?;
                        }
                    }
                }
            });
            let read = pieces.into_iter().try_for_each(|(bytes, piece)| text(bytes, piece));
            read.and(unpacking.join().expect("unpacking does not panic"))
        })
    }

    /// Ends the file: passes on the rest of its text.
    pub(crate) fn finish(
        &mut self,
        limits: &Limits,
        mut text: impl FnMut(&[u8]) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        self.decide(limits, &mut text)?;
        match self {
            Self::Gzip(gunzip) => gunzip.finish(),
            Self::Zstd(unzstd) => unzstd.finish(limits, text),
            Self::Undecided(_) | Self::Plain => Ok(()),
        }
    }

    /// Determines the kind from the first bytes, then reads them.
    fn decide(
        &mut self,
        limits: &Limits,
        text: &mut impl FnMut(&[u8]) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        let Self::Undecided(first) = self else { return Ok(()) };
        let first = std::mem::take(first);
        *self = match &*first {
            [a, b, ..] if [*a, *b] == magic::GZIP => Self::Gzip(Box::new(Gunzip::new())),
            [a, b, c, d, ..] if [*a, *b, *c, *d] == magic::ZSTD => Self::Zstd(Box::new(Unzstd::new())),
            _ => Self::Plain,
        };
        match self {
            Self::Gzip(gunzip) => gunzip.push(&first, limits, text),
            Self::Zstd(unzstd) => unzstd.push(&first, limits, text),
            Self::Undecided(_) | Self::Plain => text(&first),
        }
    }
}

/// Stops data that decompresses to far more than text does.
pub(crate) fn check_ratio(packing: Packing, bytes: u64, text_bytes: u64, limits: &Limits) -> Result<(), TraceError> {
    let ratio_max = limits.packed_ratio_max;
    if text_bytes > bytes.saturating_mul(ratio_max).max(RATIO_FLOOR_BYTES) {
        return Err(TraceError::TooDense { packing, ratio_max });
    }
    Ok(())
}
