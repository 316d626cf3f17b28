//! Our own trace format: columns of small numbers, a sixth of the size of the CSV.
//!
//! Rows are sorted by tenant and start. Values that neighbours share are written once and the rest as differences,
//! and similar numbers are adjacent; a general compressor does the rest. Every number is a varint (seven bits per
//! byte, the lowest first; the top bit says that more follow). A signed number is encoded as `2n` or `-2n - 1`. A
//! text is its length and its bytes.
//!
//! | part | what it holds |
//! |---|---|
//! | `MAGIC`, version | |
//! | origin | title; notes, source and licence first; what the trace cannot answer: each list behind its length |
//! | clock | a step of time as a fraction of milliseconds; the beat on which most starts fall, 0 for none |
//! | horizon | milliseconds until the trace stops telling |
//! | shapes | how many; for each the four resources, priority, fault domains, scope, VMs per machine and rack, isolated |
//! | groups | how many: VMs of one tenant that start together |
//! | offsets | of each group: steps that its start is off its beat; absent without a beat |
//! | sizes | of each group: VMs, less one |
//! | later names | of each VM but a group's first: less the one before and one |
//! | first kinds | of each group's first VM: the index of its shape |
//! | later kinds | of the others: 0 for that of the VM before, else 1 and the index |
//! | later ends | 0 for never, else 1 and the steps after the last end in the group, or after the start |
//! | tenants | of each group: less that of the one before |
//! | first names | less the name of the VM before, less what the tenant grew by |
//! | starts | of each group: beats (steps without a beat), less those of the one before |
//! | first ends | 0 for never, else 1 and the steps after the start |
//! | sum | the xxh3 hash of all bytes before, 8 bytes |

use tiebreak_model::{Declaration, Declared, Time, WorkloadBuilder};

use crate::error::TraceError;
use crate::formats::{Binary, FORMATS, Format};
use crate::limits::Limits;
use crate::report::{Report, Tally};

mod clock;
mod columns;
mod numbers;
mod read;
mod write;

pub use write::{parts, write};

tiebreak_model::declare! {
    /// Tiebreak's own form: every field of a trace as columns of small numbers, a sixth of the CSV. The page's own
    /// trace comes so, and `tiebreak trace convert --compact` writes any other. It says when the trace stops
    /// telling, and keeps source, licence and what cannot be answered of the file it was made from: its licence
    /// applies.
    pub struct Compact as "Compact columns" {}
}

/// The first bytes of a file, which no text has.
const MAGIC: &[u8] = b"\x8aTiebreak\x1a";

const VERSION: u64 = 1;

/// Size of the checksum at the end.
const SUM_BYTES: usize = 8;

impl Format for Compact {
    fn declaration(&self) -> &'static Declaration {
        &Self::DECLARATION
    }

    fn source(&self) -> &'static str {
        ""
    }

    fn cannot_answer(&self) -> &'static [&'static str] {
        &[]
    }

    fn as_binary(&self) -> Option<&dyn Binary> {
        Some(self)
    }
}

impl Binary for Compact {
    fn magic(&self) -> &'static [u8] {
        MAGIC
    }

    fn read(&self, file: &[u8], limits: &Limits, tally: &mut Tally) -> Result<(WorkloadBuilder, Time), TraceError> {
        read::read(file, limits, tally)
    }
}

/// What a compact file records about the file from which it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The title of that file's format.
    pub title: String,
    /// How it was read; source and licence come first.
    pub notes: Vec<String>,
    /// Questions that it cannot answer.
    pub cannot_answer: Vec<String>,
}

impl Origin {
    /// From the report on the file.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let format = FORMATS.iter().find(|format| format.declaration().id == report.format);
        let source = format.map(|format| format.source()).filter(|source| !source.is_empty());
        let notes = source.map(Into::into).into_iter().chain(report.notes.iter().cloned());
        let (title, cannot_answer) = (report.format_title.clone(), report.cannot_answer.clone());
        Self { title, notes: notes.collect(), cannot_answer }
    }
}
