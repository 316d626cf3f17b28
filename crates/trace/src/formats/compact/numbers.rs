//! Numbers as consecutive varints.

use super::columns::damaged;
use crate::error::TraceError;

/// The size from which on a piece is full.
const PIECE_BYTES: usize = 1 << 20;

/// Written numbers, in pieces: a large one would leave gaps in the memory each time it grows and moves.
#[derive(Default)]
pub(super) struct Numbers {
    full: Vec<Vec<u8>>,
    last: Vec<u8>,
}

impl Numbers {
    pub(super) fn push(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.last.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.last.push(number as u8);
        if self.last.len() >= PIECE_BYTES {
            self.full.push(core::mem::take(&mut self.last));
        }
    }

    /// Writes bytes that are not numbers.
    pub(super) fn push_bytes(&mut self, bytes: &[u8]) {
        self.last.extend_from_slice(bytes);
    }

    /// The bytes of all numbers, in pieces.
    pub(super) fn into_pieces(self) -> impl Iterator<Item = Vec<u8>> {
        self.full.into_iter().chain([self.last])
    }
}

/// The bytes still to be read.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn number(&mut self) -> Result<u64, TraceError> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let (byte, rest) = self.0.split_first().ok_or(TraceError::CompactCut)?;
            self.0 = rest;
            let part = u64::from(byte & 0x7f);
            number |= part << shift;
            if number >> shift != part {
                break;
            }
            if *byte < 0x80 {
                return Ok(number);
            }
        }
        Err(damaged("a number of more than 64 bits"))
    }

    /// The next `count` numbers, each of which is checked.
    pub(super) fn numbers(&mut self, count: usize) -> Result<Self, TraceError> {
        let all = self.0;
        for _ in 0..count {
            self.number()?;
        }
        Ok(Reader(&all[..all.len() - self.0.len()]))
    }
}
