//! Decompresses zstd data that is pushed in chunks, one block at a time, so that a few bytes never expand to more
//! than one block of text before the next check.
//!
//! Source: RFC 8878. ruzstd decodes the blocks; the first three bytes of a block give its length.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::error::{Packing, TraceError};
use crate::limits::Limits;
use crate::source::check_ratio;

/// The maximum window of a frame: that of `zstd --long=27`, which no standard level exceeds.
const WINDOW_BYTES_MAX: u64 = 128 << 20;
/// Longest header of a frame.
const FRAME_HEADER_BYTES_MAX: usize = 18;
const BLOCK_HEADER_BYTES: usize = 3;
const CHECKSUM_BYTES: usize = 4;

/// A decoder, with counts of processed bytes.
pub(crate) struct Unzstd {
    decoder: FrameDecoder,
    part: FramePart,
    /// Bytes of an incomplete block.
    held: Vec<u8>,
    bytes: u64,
    text_bytes: u64,
}

/// A file is one or more frames of blocks; some frames may be skippable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FramePart {
    Between,
    Blocks { has_checksum: bool },
    Skipped { left: usize },
}

impl Unzstd {
    pub(crate) fn new() -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(WINDOW_BYTES_MAX);
        Self { decoder, part: FramePart::Between, held: Vec::new(), bytes: 0, text_bytes: 0 }
    }

    /// Decompresses a chunk and passes its text on.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        limits: &Limits,
        text: impl FnMut(&[u8]) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        self.held.extend_from_slice(bytes);
        self.read(limits, false, text)
    }

    /// Checks that the data is complete.
    pub(crate) fn finish(
        &mut self,
        limits: &Limits,
        text: impl FnMut(&[u8]) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        self.read(limits, true, text)?;
        let is_whole = self.part == FramePart::Between && self.held.is_empty();
        if is_whole { Ok(()) } else { Err(TraceError::Truncated { packing: Packing::Zstd, rows: 0 }) }
    }

    /// Reads all complete parts of the held bytes.
    fn read(
        &mut self,
        limits: &Limits,
        is_end: bool,
        mut text: impl FnMut(&[u8]) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        let held = std::mem::take(&mut self.held);
        let mut rest = &*held;
        while !rest.is_empty() {
            let before = rest.len();
            match self.part {
                FramePart::Between if rest.len() >= FRAME_HEADER_BYTES_MAX || is_end => self.begin(&mut rest)?,
                FramePart::Skipped { left } => {
                    let skipped = left.min(rest.len());
                    rest = &rest[skipped..];
                    self.part =
                        if skipped == left { FramePart::Between } else { FramePart::Skipped { left: left - skipped } };
                }
                FramePart::Blocks { has_checksum } if block_is_whole(rest, has_checksum) => {
                    self.decoder
                        .decode_blocks(&mut rest, BlockDecodingStrategy::UptoBlocks(1))
                        .map_err(|error| damaged(&error.to_string()))?;
                    self.bytes += (before - rest.len()) as u64;
                    let unpacked = self.decoder.collect().unwrap_or_default();
                    self.text_bytes += unpacked.len() as u64;
                    check_ratio(Packing::Zstd, self.bytes, self.text_bytes, limits)?;
                    text(&unpacked)?;
                    self.end_of_frame()?;
                }
                FramePart::Between | FramePart::Blocks { .. } => break,
            }
        }
        self.held = rest.to_vec();
        Ok(())
    }

    /// Reads the header of a frame. It may be incomplete only at the end of the file.
    fn begin(&mut self, rest: &mut &[u8]) -> Result<(), TraceError> {
        let mut header = *rest;
        match self.decoder.reset(&mut header) {
            Ok(()) => {
                // Bit 2 of the descriptor, which follows the magic number.
                self.part = FramePart::Blocks { has_checksum: rest[4] & 4 != 0 };
                *rest = header;
                Ok(())
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                self.part = FramePart::Skipped { left: length as usize };
                *rest = header;
                Ok(())
            }
            Err(_) if rest.len() < FRAME_HEADER_BYTES_MAX => {
                Err(TraceError::Truncated { packing: Packing::Zstd, rows: 0 })
            }
            Err(error) => Err(damaged(&error.to_string())),
        }
    }

    fn end_of_frame(&mut self) -> Result<(), TraceError> {
        if !self.decoder.is_finished() {
            return Ok(());
        }
        let told = self.decoder.get_checksum_from_data();
        if told.is_some() && told != self.decoder.get_calculated_checksum() {
            return Err(damaged("its checksum differs"));
        }
        self.part = FramePart::Between;
        Ok(())
    }
}

/// Whether these bytes contain a complete block and, after a frame's last one, its checksum.
fn block_is_whole(bytes: &[u8], has_checksum: bool) -> bool {
    let Some([low, middle, high]) = bytes.first_chunk::<BLOCK_HEADER_BYTES>() else { return false };
    let header = u32::from_le_bytes([*low, *middle, *high, 0]);
    let (is_last, is_one_byte_often) = (header & 1 == 1, header >> 1 & 3 == 1);
    let content = if is_one_byte_often { 1 } else { (header >> 3) as usize };
    let checksum = if is_last && has_checksum { CHECKSUM_BYTES } else { 0 };
    bytes.len() >= BLOCK_HEADER_BYTES + content + checksum
}

/// The parser fills in the number of rows.
fn damaged(detail: &str) -> TraceError {
    TraceError::Corrupt { packing: Packing::Zstd, rows: 0, detail: detail.into() }
}
