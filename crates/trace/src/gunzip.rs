//! Inflates gzip data that is pushed in chunks, distinguishes truncated from damaged data, and stops decompression
//! bombs.
//!
//! Source: RFC 1952. The framing is parsed here because flate2's own push-style decoder reports a truncated file and
//! a wrong checksum as the same error.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use crate::error::{Packing, TraceError};
use crate::limits::Limits;
use crate::magic;
use crate::source::check_ratio;

/// Size of an inflated piece of text.
const PIECE_BYTES: usize = 64 << 10;
/// A header with a longer name or comment is not valid.
const HEADER_BYTES_MAX: usize = 64 << 10;
/// Checksum and length of the text, at the end of a member.
const TRAILER_BYTES: usize = 8;

/// An inflater, with counts of processed bytes.
pub(crate) struct Gunzip {
    part: MemberPart,
    inflater: Decompress,
    checksum: Crc,
    /// The header or trailer bytes so far.
    held: Vec<u8>,
    piece: Vec<u8>,
    gzip_bytes: u64,
    text_bytes: u64,
}

/// A file is one or more members, each with a header, a body and a trailer; zeros may pad its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberPart {
    Header { first: bool },
    Body,
    Trailer,
    Padding,
}

impl Gunzip {
    pub(crate) fn new() -> Self {
        Self {
            part: MemberPart::Header { first: true },
            inflater: Decompress::new(false),
            checksum: Crc::new(),
            held: Vec::new(),
            piece: vec![0; PIECE_BYTES],
            gzip_bytes: 0,
            text_bytes: 0,
        }
    }

    /// Inflates a chunk and passes its text on.
    pub(crate) fn push(
        &mut self,
        mut bytes: &[u8],
        limits: &Limits,
        mut text: impl FnMut(&[u8]) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        while !bytes.is_empty() {
            match self.part {
                MemberPart::Header { first } => self.read_header(&mut bytes, first)?,
                MemberPart::Body => self.inflate(&mut bytes, limits, &mut text)?,
                MemberPart::Trailer => self.read_trailer(&mut bytes)?,
                MemberPart::Padding if bytes.iter().all(|byte| *byte == 0) => return Ok(()),
                MemberPart::Padding => return Err(damaged("bytes after the end")),
            }
        }
        Ok(())
    }

    /// Checks that the data is complete.
    pub(crate) fn finish(&self) -> Result<(), TraceError> {
        match self.part {
            MemberPart::Header { first: false } if self.held.is_empty() => Ok(()),
            MemberPart::Padding => Ok(()),
            _ => Err(TraceError::Truncated { packing: Packing::Gzip, rows: 0 }),
        }
    }

    fn read_header(&mut self, bytes: &mut &[u8], first: bool) -> Result<(), TraceError> {
        if !first && self.held.is_empty() && bytes[0] == 0 {
            self.part = MemberPart::Padding;
            return Ok(());
        }
        self.hold(bytes, 1);
        if header_is_complete(&self.held)? {
            self.held.clear();
            self.inflater.reset(false);
            self.checksum.reset();
            self.part = MemberPart::Body;
        }
        Ok(())
    }

    fn inflate(
        &mut self,
        bytes: &mut &[u8],
        limits: &Limits,
        text: &mut impl FnMut(&[u8]) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        let (read, written) = (self.inflater.total_in(), self.inflater.total_out());
        let status = self.inflater.decompress(bytes, &mut self.piece, FlushDecompress::None);
        let status = status.map_err(|error| damaged(&error.to_string()))?;
        let (read, written) = (self.inflater.total_in() - read, self.inflater.total_out() - written);
        if read == 0 && written == 0 && status != Status::StreamEnd {
            return Err(damaged("no progress"));
        }
        *bytes = &bytes[read as usize..];
        let inflated = &self.piece[..written as usize];
        self.checksum.update(inflated);
        self.gzip_bytes += read;
        self.text_bytes += written;
        check_ratio(Packing::Gzip, self.gzip_bytes, self.text_bytes, limits)?;
        if status == Status::StreamEnd {
            self.part = MemberPart::Trailer;
        }
        text(inflated)
    }

    fn read_trailer(&mut self, bytes: &mut &[u8]) -> Result<(), TraceError> {
        self.hold(bytes, TRAILER_BYTES - self.held.len());
        if self.held.len() < TRAILER_BYTES {
            return Ok(());
        }
        let sums = [self.checksum.sum().to_le_bytes(), self.checksum.amount().to_le_bytes()];
        if self.held != sums.concat() {
            return Err(damaged("its checksum differs"));
        }
        self.held.clear();
        self.part = MemberPart::Header { first: false };
        Ok(())
    }

    /// Holds back up to `count` of the bytes.
    fn hold(&mut self, bytes: &mut &[u8], count: usize) {
        let (held, rest) = bytes.split_at(count.min(bytes.len()));
        self.held.extend_from_slice(held);
        *bytes = rest;
    }
}

/// Whether these are a complete member header: 10 bytes, then the fields that its flags announce.
fn header_is_complete(header: &[u8]) -> Result<bool, TraceError> {
    const CHECKED: u8 = 2;
    const EXTRA: u8 = 4;
    const NAMED: u8 = 8;
    const COMMENTED: u8 = 16;
    if !header.starts_with(&magic::GZIP[..header.len().min(2)]) || header.len() > HEADER_BYTES_MAX {
        return Err(damaged("no gzip header"));
    }
    let Some((fixed, mut rest)) = header.split_first_chunk::<10>() else { return Ok(false) };
    let flags = fixed[3];
    if flags & EXTRA != 0 {
        let Some((length, after)) = rest.split_first_chunk::<2>() else { return Ok(false) };
        let Some(after) = after.get(usize::from(u16::from_le_bytes(*length))..) else { return Ok(false) };
        rest = after;
    }
    for flag in [NAMED, COMMENTED] {
        if flags & flag != 0 {
            let Some(end) = memchr::memchr(0, rest) else { return Ok(false) };
            rest = &rest[end + 1..];
        }
    }
    Ok(rest.len() >= if flags & CHECKED != 0 { 2 } else { 0 })
}

/// The parser fills in the number of rows.
fn damaged(detail: &str) -> TraceError {
    TraceError::Corrupt { packing: Packing::Gzip, rows: 0, detail: detail.into() }
}
