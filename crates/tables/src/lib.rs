//! Traces in binary table files: SQLite and Parquet.
//!
//! Such a file is not read into a workload here. It is converted to text, step by step, and the text goes into the
//! same [`TraceParser`] as that of a CSV. So formats, faults with their rows, limits and counts stay in one place.
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
    /// The number of bytes needed to detect the kind.
    pub const MAGIC_BYTES: usize = 16;

    /// The kind of a file with these first bytes; `None` for text and compressed text.
    #[must_use]
    pub fn of(first_bytes: &[u8]) -> Option<Self> {
        match first_bytes {
            [b'P', b'A', b'R', b'1', ..] => Some(Self::Parquet),
            first if first.starts_with(b"SQLite format 3\0") => Some(Self::Sqlite),
            _ => None,
        }
    }
}
