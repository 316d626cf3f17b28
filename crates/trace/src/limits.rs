//! How much a reader takes before it says "too large".

/// What a [`TraceParser`](crate::TraceParser) accepts at most. The page runs in a tab with
/// about 1.5 GB; the whole Azure trace of 2017 has 2.0 million rows, that of 2019 2.7 million.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rows kept in memory (about 100 bytes each while reading).
    pub rows_max: u64,
    /// Bytes of text, after inflating.
    pub text_bytes_max: u64,
    /// Bytes of one row, its quoted line breaks included.
    pub line_bytes_max: usize,
    /// Text bytes for each packed byte, once there is enough text to tell. Traces reach about 20.
    pub packed_ratio_max: u64,
    /// Faults kept with their line and text; all are counted.
    pub faults_kept: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rows_max: 5_000_000,
            text_bytes_max: 4 << 30,
            line_bytes_max: 64 << 10,
            packed_ratio_max: 200,
            faults_kept: 100,
        }
    }
}
