//! Files for other programs, and states of the page that become steps of lessons.

use serde::{Deserialize, Serialize};
use tiebreak_lesson::Unlocks;

/// A file for other programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Save {
    /// What is in it.
    pub saved: Saved,
    /// How it is written.
    pub form: Form,
    /// The document of whose active variant the workload is, as JSON.
    pub document: String,
}

/// What a file for other programs has, a row a VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Saved {
    /// Who asked for what, and when.
    Workload,
    /// The same, and what became of it in a run.
    Vms {
        /// The run.
        run: u32,
    },
}

/// How such a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Text.
    Csv,
    /// Parquet.
    Parquet,
    /// Our own; workloads only.
    Compact,
}

impl Save {
    /// What the file is called.
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

/// A state of the page that becomes a lesson's step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frozen {
    /// The step's title.
    pub title: String,
    /// Its text, as Markdown.
    pub text: String,
    /// The scenario as JSON, of which the variant in front runs.
    pub document: String,
    /// That of the variant it is compared with.
    pub against: Option<String>,
    /// What people see.
    pub unlocks: Unlocks,
    /// The metric whose curve people draw first, by id.
    pub curve: Option<String>,
    /// The question that people answer first, where they draw nothing.
    pub pick: Option<Picked>,
    /// Why it goes as it does, as Markdown: shown after the run, where something is asked.
    pub why: String,
}

/// A question with answers to choose from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picked {
    /// What is asked.
    pub ask: String,
    /// The answers, each with the claim that makes it right; one may have an empty claim, and is right when no other
    /// is.
    pub options: Vec<(String, String)>,
}
