//! Why a file is not a trace: what was expected, what was found, what to do.

use std::fmt;

use tiebreak_model::workload::WorkloadError;

use crate::limits::FileTooLong;
use crate::report::Fault;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        })
    }
}

/// Why reading stopped. `Display` is one or two sentences for the person who chose the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceError {
    /// The file has no text at all.
    Empty,
    /// There is a header and no row below it.
    HeaderOnly,
    /// There are no CPU readings.
    NoReadings,
    /// More CPU readings than the limit.
    TooManyReadings {
        /// The limit, in half-hours of VMs.
        half_hours_max: u64,
    },
    /// The bytes are not a CSV trace.
    WrongKind {
        /// What they look like, with an article.
        got: String,
        /// What to do.
        advice: &'static str,
    },
    /// The first line names no columns and has no known form.
    UnknownFormat {
        /// The first line's fields.
        found: Vec<String>,
    },
    /// The header lacks required columns.
    MissingColumns {
        /// What is missing, with the accepted names.
        missing: Vec<String>,
        /// The existing columns.
        found: Vec<String>,
    },
    /// The first row is ambiguous, and the header does not help.
    Ambiguous {
        /// The column.
        column: String,
        /// The value.
        got: String,
        /// The possible interpretations, with the way to choose each.
        readings: &'static str,
    },
    /// A SQLite file lacks tables or columns of the packing trace.
    MissingTables {
        /// What is missing, as `table.column`.
        missing: Vec<String>,
        /// What exists.
        found: Vec<String>,
    },
    /// A SQLite or Parquet file cannot be read to the end.
    Unreadable {
        /// Its kind.
        kind: &'static str,
        /// Rows read before that.
        rows: u64,
        /// The library's message.
        detail: String,
    },
    /// The compressed data is truncated.
    Truncated {
        /// Its compression.
        packing: Packing,
        /// Rows read before that.
        rows: u64,
    },
    /// The compressed data is corrupt.
    Corrupt {
        /// Its compression.
        packing: Packing,
        /// Rows read before that.
        rows: u64,
        /// The decompressor's message.
        detail: String,
    },
    /// The compressed data expands to far more than text does.
    TooDense {
        /// Its compression.
        packing: Packing,
        /// The largest allowed ratio of text to compressed bytes.
        ratio_max: u64,
    },
    /// More rows than the limit.
    TooManyRows {
        /// The limit.
        rows_max: u64,
    },
    /// A file too large to be read completely.
    FileTooLong(FileTooLong),
    /// More text than can be read completely.
    TextTooLong {
        /// The limit in bytes.
        bytes_max: u64,
    },
    /// A row that is too long.
    LineTooLong {
        /// Where it begins.
        line: u64,
        /// The limit in bytes.
        bytes_max: usize,
    },
    /// Too many faulty rows for the file to be of the recognised format.
    NotATrace {
        /// The title of the recognised format.
        format: &'static str,
        /// Rows examined.
        rows: u64,
        /// Faulty ones among them.
        faulty: u64,
        /// The first of them.
        first: Fault,
    },
    /// A compact file is truncated.
    CompactCut,
    /// A compact file is corrupt.
    CompactDamaged {
        /// What is wrong.
        detail: &'static str,
    },
    /// A compact file of an unknown version.
    CompactVersion {
        /// Its version.
        version: u64,
        /// The known version.
        known: u64,
    },
    /// The rows are not a workload.
    Workload(WorkloadError),
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "Expected a CSV trace, got an empty file. Choose a file with one row per VM."),
            Self::HeaderOnly => write!(f, "Expected one row per VM below the header, got the header only."),
            Self::NoReadings => write!(
                f,
                "Expected rows of CPU readings (timestamp, VM, minimum, maximum and average percent), got none. Choose a file with such rows."
            ),
            Self::TooManyReadings { half_hours_max } => write!(
                f,
                "Too large: at most {half_hours_max} half-hours of VMs fit, got more. Cut the file to some of its VMs."
            ),
            Self::WrongKind { got, advice } => write!(f, "Expected a CSV trace, got {got}. {advice}"),
            Self::UnknownFormat { found } => write!(
                f,
                "Expected a first line that names the columns, got {}. \
                 Add a header such as vm,tenant,cores,memory_gb,start_s,end_s.",
                listed(found)
            ),
            Self::MissingColumns { missing, found } => {
                write!(f, "Expected a column for {}; found {}. ", missing.join(" and for "), listed(found))?;
                write!(f, "Rename or add the missing columns in the first line.")
            }
            Self::Ambiguous { column, got, readings } => {
                write!(f, "\"{got}\" in column {column} can be read in two ways. {readings}")
            }
            Self::MissingTables { missing, found } => write!(
                f,
                "Expected a SQLite file of the Azure packing trace, with the columns {}; found {}. \
                 Choose that file, or export the table as CSV and choose that.",
                listed(missing),
                if found.is_empty() { "no tables".into() } else { listed(found) }
            ),
            Self::Unreadable { kind, rows, detail } => write!(
                f,
                "Expected a whole {kind} file, got one that cannot be read after {rows} rows ({detail}). \
                 Download or write the file again."
            ),
            Self::Truncated { packing, rows } => write!(
                f,
                "Expected the rest of the {packing} data, got its end after {rows} rows. Download or compress the file again."
            ),
            Self::Corrupt { packing, rows, detail } => write!(
                f,
                "Expected {packing} data, got damaged bytes after {rows} rows ({detail}). \
                 Download or compress the file again."
            ),
            Self::TooDense { packing, ratio_max } => write!(
                f,
                "Expected at most {ratio_max} bytes of text for each {packing} byte, got more, which is implausible for a trace. Decompress the file and check it."
            ),
            Self::TooManyRows { rows_max } => {
                write!(
                    f,
                    "Too large: at most {rows_max} VMs fit, got more. Sample it: keep one tenant, request or VM in 10."
                )
            }
            Self::FileTooLong(why) => why.fmt(f),
            Self::TextTooLong { bytes_max } => write!(
                f,
                "Too large: at most {} MiB of text are read whole, got more. Sample it: keep one tenant, request or VM in 10.",
                bytes_max >> 20
            ),
            Self::LineTooLong { line, bytes_max } => write!(
                f,
                "Expected rows of at most {} KiB, got a longer one in line {line}. \
                 Look there for a quotation mark that is never closed.",
                bytes_max >> 10
            ),
            Self::NotATrace { format, rows, faulty, first } => write!(
                f,
                "Read as \"{format}\", {faulty} of {rows} rows are faulty. The first is in line {}: expected {}, got {}. \
                 Correct these rows, or the first line if the columns are different.",
                first.line, first.expected, first.got
            ),
            Self::CompactCut => {
                write!(f, "Expected the rest of a compact trace, got its end. Download or convert the file again.")
            }
            Self::CompactDamaged { detail } => {
                write!(f, "Expected a compact trace, got damaged bytes ({detail}). Download or convert the file again.")
            }
            Self::CompactVersion { version, known } => write!(
                f,
                "Expected a compact trace of version {known}, got version {version}. \
                 Reload the page, or convert the file again with this Tiebreak."
            ),
            Self::Workload(error) => write!(f, "{error}"),
        }
    }
}

impl TraceError {
    /// The same error, with the number of rows read before it.
    pub(crate) fn after(self, rows: u64) -> Self {
        match self {
            Self::Truncated { packing, .. } => Self::Truncated { packing, rows },
            Self::Corrupt { packing, detail, .. } => Self::Corrupt { packing, rows, detail },
            Self::Unreadable { kind, detail, .. } => Self::Unreadable { kind, rows, detail },
            other => other,
        }
    }

    /// An error of a library or of the system about a file after this many rows.
    #[must_use]
    pub fn unreadable(kind: &'static str, rows: u64, detail: &dyn fmt::Display) -> Self {
        // The message may quote the file.
        let detail = printable(detail.to_string().chars().take(200));
        Self::Unreadable { kind, rows, detail }
    }
}

impl From<FileTooLong> for TraceError {
    fn from(why: FileTooLong) -> Self {
        Self::FileTooLong(why)
    }
}

impl std::error::Error for TraceError {}

impl From<WorkloadError> for TraceError {
    fn from(error: WorkloadError) -> Self {
        Self::Workload(error)
    }
}

/// The first dozen fields, truncated, as one text.
fn listed(found: &[String]) -> String {
    let shown: Vec<String> = found.iter().take(12).map(|field| clipped(field.as_bytes())).collect();
    let more = if found.len() > 12 { format!(" and {} more", found.len() - 12) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

fn printable(text: impl Iterator<Item = char>) -> String {
    text.map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Foreign text, truncated and made printable.
pub(crate) fn clipped(text: &[u8]) -> String {
    if text.is_empty() {
        return "nothing".into();
    }
    let shown: String = String::from_utf8_lossy(&text[..text.len().min(160)]).chars().take(40).collect();
    let clean = printable(shown.chars());
    if shown.len() < text.len() { format!("\"{clean}…\"") } else { format!("\"{clean}\"") }
}
