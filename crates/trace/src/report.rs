//! The report on reading a trace: rows kept, refused and corrected.

use std::collections::BTreeMap;

use tiebreak_model::phrase::mark;
use tiebreak_model::{Sample, SampledBy};

/// Why a row was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultKind {
    /// It has fewer fields than the format.
    TooFewFields,
    /// It has more fields than the first line.
    TooManyFields,
    /// A field is not a finite number.
    NotANumber,
    /// A number is beyond any realistic value.
    OutOfRange,
    /// A field is not a date in the column's order.
    NotADate,
    /// A field is not one of the accepted words.
    UnknownWord,
    /// The VM has no cores or no memory.
    ZeroSize,
    /// A start is the largest number of its type, which means no time.
    NoTime,
    /// A time that must be after the beginning is before it.
    NegativeTime,
    /// The VM ends before it starts.
    ReversedTimes,
    /// A VM is created that already exists.
    AlreadyThere,
    /// A VM is deleted that does not exist.
    NotThere,
    /// The VM's size is not given for the machine type in use.
    OtherMachine,
    /// A quotation mark is not closed in its row, so that it includes the next rows.
    OpenQuote,
}

impl FaultKind {
    /// Display text.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::TooFewFields => mark("too few fields"),
            Self::TooManyFields => mark("too many fields"),
            Self::NotANumber => mark("not a number"),
            Self::OutOfRange => mark("out of range"),
            Self::NotADate => mark("not a date"),
            Self::UnknownWord => mark("unknown word"),
            Self::ZeroSize => mark("no cores or no memory"),
            Self::NoTime => mark("no time"),
            Self::NegativeTime => mark("negative time"),
            Self::ReversedTimes => mark("ends before it starts"),
            Self::AlreadyThere => mark("created although it already exists"),
            Self::NotThere => mark("deleted although it does not exist"),
            Self::OtherMachine => mark("only on other machine types"),
            Self::OpenQuote => mark("inside an unclosed quotation mark"),
        }
    }
}

/// A row that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line where it begins; the first is 1.
    pub line: u64,
    /// Why.
    pub kind: FaultKind,
    /// What is expected there, with the column.
    pub expected: String,
    /// The actual value, truncated.
    pub got: String,
}

/// A correction in a row that was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Correction {
    /// A time off the trace's grid was rounded to the nearest grid point.
    OffGrid,
    /// A VM that ended at the instant it started got the trace's smallest span.
    NoLifetime,
    /// An end that is the largest number of 32 or 64 bits was read as never.
    NoEnd,
    /// An open bucket such as `>24` was read as its usual value.
    OpenBucket,
    /// A start that means "unknown" was written in a second notation.
    UnknownStart,
    /// A VM had other terms than its tenant's first VM and got the tenant's terms.
    OtherTerms,
}

impl Correction {
    /// Display text.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::OffGrid => mark("time rounded to the grid"),
            Self::NoLifetime => mark("no lifetime, the smallest was used"),
            Self::NoEnd => mark("largest possible number as its end, never ends"),
            Self::OpenBucket => mark("open-ended bucket read as a number"),
            Self::UnknownStart => mark("unknown start, drawn uniformly"),
            Self::OtherTerms => mark("other terms than the tenant's first VM, changed to the same"),
        }
    }
}

/// The report on a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The id of its format.
    pub format: &'static str,
    /// The title of that format; for a compact file, of the original file's format.
    pub format_title: String,
    /// The source and licence of files of that format.
    pub source: String,
    /// Rows below the header.
    pub rows: u64,
    /// Rows that became VMs.
    pub kept: u64,
    /// Rows dropped by sampling.
    pub sampled_out: u64,
    /// The first faulty rows, in order of line number.
    pub faults: Vec<Fault>,
    /// Counts of all faulty rows, by kind.
    pub fault_counts: BTreeMap<FaultKind, u64>,
    /// Counts of corrected rows, by kind.
    pub corrections: BTreeMap<Correction, u64>,
    /// How the file was read: units, ignored columns, a shifted clock.
    pub notes: Vec<String>,
    /// Questions that this trace cannot answer.
    pub cannot_answer: Vec<String>,
}

impl Report {
    /// The number of refused rows.
    #[must_use]
    pub fn faulty(&self) -> u64 {
        self.fault_counts.values().sum()
    }
}

const BY_TENANT: &str = mark(
    "Sampled by tenant: a tenant keeps all its requests and VMs, so request sizes, spreading rules and repeated sizes \
     match the whole trace. The load depends on the few large tenants that were kept: with 1 in 10, the peak can be \
     off by a sixth.",
);
const BY_REQUEST: &str = mark(
    "Sampled by request: the VMs of a request stay together, so request sizes and spreading within requests match the \
     whole trace. A tenant loses most of its other requests, so rules that look at its existing VMs find fewer.",
);
const BY_VM: &str = mark(
    "Sampled by VM: the load is closest to the whole trace, but requests are split. Fewer VMs arrive together, so \
     bursts are much smaller, spreading rules have less to do, and the same size is less often requested again at \
     once.",
);
const IN_ANY_SAMPLE: &str = mark(
    "For any sample: scale the number of machines by the same factor. With few machines, more capacity stays unused \
     because VMs are indivisible, and packing and refusals vary from sample to sample. Conflicts become rarer, \
     because fewer decisions overlap; making decisions slower by the same factor restores them, to slightly more than \
     before.",
);

/// A sample's effect on the numbers, by what it keeps together; docs/SAMPLING.md has measurements.
pub(crate) fn notes_on_sample(sample: &Sample) -> &'static [&'static str] {
    if sample.is_whole() {
        return &[];
    }
    match sample.by {
        SampledBy::Tenant => &[BY_TENANT, IN_ANY_SAMPLE],
        SampledBy::Request => &[BY_REQUEST, IN_ANY_SAMPLE],
        SampledBy::Vm => &[BY_VM, IN_ANY_SAMPLE],
    }
}

/// Collects faults, corrections and notes during reading.
#[derive(Debug, Default)]
pub struct Tally {
    pub(crate) rows: u64,
    pub(crate) sampled_out: u64,
    pub(crate) faulty: u64,
    pub(crate) faults: Vec<Fault>,
    pub(crate) fault_counts: BTreeMap<FaultKind, u64>,
    pub(crate) corrections: BTreeMap<Correction, u64>,
    /// The title of the original file's format, if the file has it.
    pub(crate) title: Option<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) cannot_answer: Vec<String>,
}

impl Tally {
    pub(crate) fn refuse(&mut self, fault: Fault, faults_kept: usize) {
        self.refuse_rows(1, fault, faults_kept);
    }

    /// Refuses this many rows for one fault.
    pub(crate) fn refuse_rows(&mut self, rows: u64, fault: Fault, faults_kept: usize) {
        self.faulty += rows;
        *self.fault_counts.entry(fault.kind).or_default() += rows;
        if self.faults.len() < faults_kept.max(1) {
            self.faults.push(fault);
        }
    }

    /// How many rows have had this correction so far.
    pub(crate) fn count(&self, correction: Correction) -> u64 {
        self.corrections.get(&correction).copied().unwrap_or(0)
    }

    /// Counts a correction.
    pub(crate) fn correct(&mut self, correction: Correction) {
        *self.corrections.entry(correction).or_default() += 1;
    }
}
