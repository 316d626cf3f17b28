//! Files for other programs, and states of the page as steps of lessons.

use serde::{Deserialize, Serialize};
use tiebreak_lesson::Unlocks;

/// A file for other programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Save {
    /// Its content.
    pub saved: Saved,
    /// Its format.
    pub form: Form,
    /// The document, as JSON, whose active variant has the workload.
    pub document: String,
}

/// The content of a file for other programs, one row per VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Saved {
    /// The requests.
    Workload,
    /// The requests with their outcomes in a run.
    Vms {
        /// The run.
        run: u32,
    },
}

/// The format of such a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Text.
    Csv,
    /// Parquet.
    Parquet,
    /// Our own format; workloads only.
    Compact,
}

impl Save {
    /// Display name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match (self.saved, self.form) {
            (Saved::Workload, Form::Csv) => "tiebreak-workload.csv",
            (Saved::Workload, Form::Parquet) => "tiebreak-workload.parquet",
            (Saved::Workload, Form::Compact) => "tiebreak-workload.columns",
            (Saved::Vms { .. }, Form::Parquet) => "tiebreak-vms.parquet",
            (Saved::Vms { .. }, _) => "tiebreak-vms.csv",
        }
    }
}

/// A state of the page that becomes a step of a lesson.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frozen {
    /// The step's title.
    pub title: String,
    /// Its text, as Markdown.
    pub text: String,
    /// The scenario as JSON; its active variant runs.
    pub document: String,
    /// The scenario of the variant to compare with.
    pub against: Option<String>,
    /// What the page shows.
    pub unlocks: Unlocks,
    /// The id of the metric whose curve the reader draws first.
    pub curve: Option<String>,
    /// The question to answer first, if there is no curve to draw.
    pub pick: Option<Picked>,
    /// The explanation, as Markdown: shown after the run, if the step has a question.
    pub why: String,
}

/// A multiple-choice question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picked {
    /// The question.
    pub ask: String,
    /// The answers, each with the claim that makes it right; one may have an empty claim, and is right if no other
    /// is.
    pub options: Vec<(String, String)>,
}
