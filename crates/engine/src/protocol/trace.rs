//! Traces that are read or drawn.

use serde::{Deserialize, Serialize};
use tiebreak_model::Phrase;

/// Presets that workloads can be drawn from, by name; the engine has what they hold.
pub const FITTED: [&str; 3] = ["azure-2020", "azure-2019", "azure-2017"];

/// A workload to draw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generate {
    /// What it is like: the name of a preset, or the fingerprint of a loaded trace.
    pub like: String,
    /// How many times as many requests come.
    pub rate: f64,
    /// How long it is; 0 for as long as what it is like.
    pub days: f64,
    /// What all chance comes from.
    pub seed: u64,
}

impl Default for Generate {
    fn default() -> Self {
        Self { like: "azure-2020".into(), rate: 1.0, days: 0.0, seed: 1 }
    }
}

/// A table whose columns are not known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Unknown {
    /// Its file name.
    pub name: String,
    /// The fields of its first lines.
    pub rows: Vec<Vec<String>>,
    /// What each column is taken for, by a name on offer; empty for those left aside.
    pub columns: Vec<String>,
    /// The names on offer.
    pub offered: Vec<String>,
    /// Whether a comma stands before decimals: 3,5 is three and a half.
    pub has_decimal_commas: bool,
}

/// A row that was refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultyRow {
    /// The line it begins in; the first is 1.
    pub line: f64,
    /// Why, in English.
    pub kind: String,
    /// What should stand there, with the column.
    pub expected: String,
    /// What stands there, clipped.
    pub got: String,
}

/// A loaded trace in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceCard {
    /// File name.
    pub name: String,
    /// 32 hex digits.
    pub fingerprint: String,
    /// What was kept of it, by the values of `TraceSettings`.
    pub sample: Vec<f64>,
    /// The format's title.
    pub format: String,
    /// Where files of this format come from, and their licence.
    pub source: String,
    /// VMs kept.
    pub vms: f64,
    /// Rows read.
    pub rows: f64,
    /// Rows refused.
    pub faulty: f64,
    /// The first refused rows, a sentence each.
    pub faults: Vec<Phrase>,
    /// The refused rows, in order of their lines, at most [`FAULTY_ROWS_MAX`](crate::FAULTY_ROWS_MAX).
    pub faulty_rows: Vec<FaultyRow>,
    /// What was corrected and what to know.
    pub notes: Vec<Phrase>,
    /// What this trace cannot answer.
    pub cannot_answer: Vec<String>,
    /// Most cores in use at once, if all VMs are placed.
    pub peak_cores: f64,
    /// Most memory in use at once, in GiB, if all VMs are placed.
    pub peak_memory_gib: f64,
    /// Alive when the trace began.
    pub warm: f64,
    /// Days it spans.
    pub days: f64,
    /// When its first request comes, in hours, where that is late.
    pub begins_late_at_hours: Option<f64>,
    /// Whether it was drawn from what was fitted to another, and not read from a file.
    pub is_drawn: bool,
}
