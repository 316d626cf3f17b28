//! Traces that are read or generated.

use serde::{Deserialize, Serialize};
use tiebreak_model::Phrase;

/// Presets of fitted models by name; the engine has their data.
pub const FITTED: [&str; 3] = ["azure-2020", "azure-2019", "azure-2017"];

/// A workload to generate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generate {
    /// Its model: the name of a preset, or the fingerprint of a loaded trace.
    pub like: String,
    /// The factor on the number of requests.
    pub rate: f64,
    /// Its length; 0 for the length of the original.
    pub days: f64,
    /// The seed.
    pub seed: u64,
}

impl Default for Generate {
    fn default() -> Self {
        Self { like: "azure-2020".into(), rate: 1.0, days: 0.0, seed: 1 }
    }
}

/// A table with unknown columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Unknown {
    /// Its file name.
    pub name: String,
    /// The fields of its first lines.
    pub rows: Vec<Vec<String>>,
    /// The assumed meaning of each column, as an offered name; empty for ignored ones.
    pub columns: Vec<String>,
    /// The offered names.
    pub offered: Vec<String>,
    /// Whether decimals follow a comma: 3,5 is three and a half.
    pub has_decimal_commas: bool,
}

/// A row that was refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultyRow {
    /// The line where it begins; the first is 1.
    pub line: f64,
    /// Why, in English.
    pub kind: String,
    /// What is expected there, with the column.
    pub expected: String,
    /// The actual value, truncated.
    pub got: String,
}

/// The summary of a loaded trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceCard {
    /// File name.
    pub name: String,
    /// 32 hex digits.
    pub fingerprint: String,
    /// The kept part, as the values of `TraceSettings`.
    pub sample: Vec<f64>,
    /// The format's title.
    pub format: String,
    /// The source and licence of files of this format.
    pub source: String,
    /// VMs kept.
    pub vms: f64,
    /// Rows read.
    pub rows: f64,
    /// Rows refused.
    pub faulty: f64,
    /// The first refused rows, one sentence each.
    pub faults: Vec<Phrase>,
    /// The refused rows, in order of line number, at most [`FAULTY_ROWS_MAX`](crate::FAULTY_ROWS_MAX).
    pub faulty_rows: Vec<FaultyRow>,
    /// Corrections and notes.
    pub notes: Vec<Phrase>,
    /// Questions that this trace cannot answer.
    pub cannot_answer: Vec<String>,
    /// Peak cores in use, if all VMs are placed.
    pub peak_cores: f64,
    /// Peak memory in use, in GiB, if all VMs are placed.
    pub peak_memory_gib: f64,
    /// VMs alive when the trace began.
    pub warm: f64,
    /// Its length in days.
    pub days: f64,
    /// The time of its first request, in hours, if that is late.
    pub begins_late_at_hours: Option<f64>,
    /// Whether it was generated from a fitted model, not read from a file.
    pub is_drawn: bool,
}
