//! Questions to the engine, and what answers are made of.

use serde::{Deserialize, Serialize};
use tiebreak_model::Phrase;

use super::admission::{FitCard, Forecast};
use super::decisions::Decisions;

/// A question to the engine: one of [`questions`](crate::questions).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// Names it in answers.
    pub number: u32,
    /// Which question, by id.
    pub question: String,
    /// A value for each of its parameters.
    pub values: Vec<f64>,
    /// The document, as JSON, where it is asked of one.
    pub document: String,
    /// The run, where it is asked of one.
    pub run: u32,
    /// The file, where it is asked of one; or what somebody typed.
    pub file: Vec<u8>,
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// What is shown as it stands, in this order.
    pub exhibits: Vec<Exhibit>,
    /// What the page goes on with.
    pub found: Option<Found>,
}

impl Answer {
    /// Nothing but what is shown.
    #[must_use]
    pub fn shown(exhibits: Vec<Exhibit>) -> Self {
        Self { exhibits, found: None }
    }

    /// Nothing but what the page goes on with.
    #[must_use]
    pub fn found(found: Found) -> Self {
        Self { exhibits: Vec::new(), found: Some(found) }
    }
}

/// What an answer gives that is more than shown: put into the document, searched from, drawn with the state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Found {
    /// Decisions of a run.
    Decisions(Box<Decisions>),
    /// Beliefs about deployments.
    Beliefs(Box<FitCard>),
    /// What a deployment is expected to grow to.
    Forecast(Box<Forecast>),
    /// An inventory.
    Machines(Vec<Machines>),
    /// Where a search for the number of machines begins.
    Needs(Needs),
    /// A value for each machine; none where there are too many machines to send them.
    Values(Vec<f64>),
}

/// Something that the engine found out, to be shown as it stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exhibit {
    /// Its name.
    pub title: Phrase,
    /// What is to be known, a sentence or two each.
    pub said: Vec<Phrase>,
    /// The heads of its columns; none where it has no table.
    pub head: Vec<Phrase>,
    /// Its rows.
    pub rows: Vec<ExhibitRow>,
    /// Its drawing.
    pub plot: Option<ExhibitPlot>,
}

/// A row of an exhibit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExhibitRow {
    /// Column by column; the first names the row.
    pub cells: Vec<Phrase>,
    /// What there is to say to who opens it.
    pub more: Vec<Phrase>,
}

/// A drawing of an exhibit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExhibitPlot {
    /// What stands up the side.
    pub unit: Phrase,
    /// What stands along the bottom.
    pub across: Phrase,
    /// Whether what stands along the bottom grows by factors.
    pub across_is_log: bool,
    /// Its lines: a name, and points from left to right.
    pub lines: Vec<(Phrase, Vec<(f64, f64)>)>,
}

/// The machines that a search for their number begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Needs {
    /// Kinds of machines in their proportions.
    pub kinds: Vec<Machines>,
    /// The same in words.
    pub told: Phrase,
    /// As many are needed however well VMs are packed.
    pub bound: u64,
    /// What fills them.
    pub bound_by: String,
}

/// Machines that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machines {
    /// How many.
    pub machines: u32,
    /// Cores of each.
    pub cores: f64,
    /// Memory of each, in GiB.
    pub memory_gib: f64,
}
