//! Limits above which a reader says "too large".

use std::fmt;

use tiebreak_model::{Phrase, Sample, phrase};

/// The limits of a [`TraceParser`](crate::TraceParser). The page runs in a tab with about 1.5 GB. The whole Azure
/// trace of 2017 has 2.0 million rows, that of 2019 2.7 million, and the packing trace 5.6 million.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rows kept in memory (40 bytes each, and up to twice that while more are added).
    pub rows_max: u64,
    /// Bytes of a file on disk that is not sampled.
    pub file_bytes_max: u64,
    /// Bytes of text that is not sampled, after inflating.
    pub text_bytes_max: u64,
    /// Bytes of one row, including quoted line breaks.
    pub line_bytes_max: usize,
    /// The ratio of text bytes to compressed bytes, once there is enough text. Traces reach about 20.
    pub packed_ratio_max: u64,
    /// Faults kept with their line and text; all faults are counted.
    pub faults_kept: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rows_max: 6_000_000,
            file_bytes_max: 2 << 30,
            text_bytes_max: 4 << 30,
            line_bytes_max: 64 << 10,
            packed_ratio_max: 200,
            faults_kept: 100,
        }
    }
}

impl Limits {
    /// Checks a file by its size before it is read.
    ///
    /// # Errors
    /// If it is too large to be read completely and is not sampled.
    pub fn check_file(&self, bytes: u64, sample: &Sample) -> Result<(), FileTooLong> {
        let bytes_max = self.file_bytes_max;
        if bytes > bytes_max && sample.is_whole() { Err(FileTooLong { bytes, bytes_max }) } else { Ok(()) }
    }
}

/// A file too large to be read completely. `Display` is two sentences for the person who chose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileTooLong {
    /// Its size in bytes.
    pub bytes: u64,
    /// The limit in bytes.
    pub bytes_max: u64,
}

impl FileTooLong {
    /// Its text.
    #[must_use]
    pub fn phrase(&self) -> Phrase {
        let Self { bytes, bytes_max } = self;
        phrase!(
            "Too large: this format is read whole, up to {} MiB; the file has {} MiB. Sample it: keep one tenant, \
             request or VM in {}.",
            bytes_max >> 20,
            bytes >> 20,
            bytes.div_ceil(*bytes_max).max(10)
        )
    }
}

impl fmt::Display for FileTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase().fmt(f)
    }
}

impl std::error::Error for FileTooLong {}
