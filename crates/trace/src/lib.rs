//! Reads VM traces: takes a file's bytes piece by piece, and produces a [`Workload`].
//!
//! A [`TraceParser`] takes chunks split anywhere, plain or gzip, in the browser's worker and in the native program.
//! It recognises the format from the file's name and its first lines ([`FORMATS`]), keeps every row it can read, and
//! counts the others with their line numbers. Bad input stops here: the result is a checked workload and a [`Report`]
//! of what was read, corrected and refused, and of questions that this trace cannot answer.
//!
//! ```
//! use tiebreak_trace::{Summary, TraceParser};
//!
//! let mut parser = TraceParser::new("mine.csv");
//! parser.push(b"vm,cores,memory_gb,start_s,end_s\n1,4,16,")?;
//! parser.push(b"0,3600\n2,2,8,60,inf\n")?;
//! let parsed = parser.finish()?;
//! assert_eq!(parsed.workload.vm_count(), 2);
//! assert_eq!(Summary::of(&parsed.workload).peak_cores_milli, 6_000);
//! # Ok::<(), tiebreak_trace::TraceError>(())
//! ```
//!
//! [`ReadingsParser`] reads the CPU utilization of VMs, in the form of the Azure traces' CPU readings.
//!
//! To add a format: one file in `src/formats/` and one line in [`FORMATS`].
//!
//! [`Workload`]: tiebreak_model::Workload

pub mod draws;
pub mod error;
pub mod formats;
pub mod limits;
pub mod nodes;
pub mod parser;
pub mod readings;
pub mod report;
pub mod summary;

mod column;
mod dates;
mod gunzip;
mod magic;
mod records;
mod source;
mod table;
mod unzstd;

pub use draws::{Draws, DrawsFault};
pub use error::{Packing, TraceError};
pub use formats::{FORMATS, Format, Head, PackingTables, compact};
pub use limits::{FileTooLong, Limits};
pub use nodes::{Nodes, NodesFault};
pub use parser::{Parsed, ReadingProgress, TraceParser, read_compact};
pub use readings::{Readings, ReadingsParser, VmReadings};
pub use report::{Correction, Fault, FaultKind, Report};
pub use summary::Summary;
pub use table::csv_of;
