//! Traces in files that are tables of their own: SQLite and Parquet.
//!
//! Such a file is not read into a workload here. It is turned into text, a step at a time, and the text goes into the same
//! [`TraceParser`] as that of a CSV, so that formats, faults with their rows, limits and counts stay in one place.
//! The first row below the header is line 2, as in a CSV.
//!
//! [`TraceParser`]: tiebreak_trace::TraceParser

mod bounded;
mod guard;
pub mod parquet;
#[cfg(not(target_arch = "wasm32"))]
pub mod sqlite;

/// What kind of table a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A SQLite database.
    Sqlite,
    /// A Parquet file.
    Parquet,
}

impl Kind {
    /// How many bytes it takes to tell.
    pub const MAGIC_BYTES: usize = 16;

    /// The kind of a file that begins so; none for text and packed text.
    #[must_use]
    pub fn of(first_bytes: &[u8]) -> Option<Self> {
        match first_bytes {
            [b'P', b'A', b'R', b'1', ..] => Some(Self::Parquet),
            first if first.starts_with(b"SQLite format 3\0") => Some(Self::Sqlite),
            _ => None,
        }
    }
}
