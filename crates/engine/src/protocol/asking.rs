//! Questions to the engine, and the parts of answers.

use serde::{Deserialize, Serialize};
use tiebreak_model::Phrase;

use super::admission::{FitCard, Forecast};
use super::decisions::Decisions;
use super::lists::ListSearch;

/// A question to the engine: one of [`questions`](crate::questions).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// Identifies it in answers.
    pub number: u32,
    /// Which question, by id.
    pub question: String,
    /// The values of its parameters.
    pub values: Vec<f64>,
    /// The document, as JSON, if the question needs one.
    pub document: String,
    /// The run, if the question needs one.
    pub run: u32,
    /// The file, if the question needs one; or typed text.
    pub file: Vec<u8>,
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Exhibits to display as they are, in this order.
    pub exhibits: Vec<Exhibit>,
    /// Data for further use by the page.
    pub found: Option<Found>,
}

impl Answer {
    /// An answer with exhibits only.
    #[must_use]
    pub fn shown(exhibits: Vec<Exhibit>) -> Self {
        Self { exhibits, found: None }
    }

    /// An answer with data only.
    #[must_use]
    pub fn found(found: Found) -> Self {
        Self { exhibits: Vec::new(), found: Some(found) }
    }
}

/// Data of an answer that is not only displayed: put into the document, used to start a search, drawn with the state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Found {
    /// Decisions of a run.
    Decisions(Box<Decisions>),
    /// Beliefs about deployments.
    Beliefs(Box<FitCard>),
    /// The forecast of a deployment.
    Forecast(Box<Forecast>),
    /// The state of a search for a better list.
    Lists(Box<ListSearch>),
    /// An inventory.
    Machines(Vec<Machines>),
    /// The start of a search for the number of machines.
    Needs(Needs),
    /// A value per machine; empty if there are too many machines to send.
    Values(Vec<f64>),
}

/// A result of the engine, to display as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exhibit {
    /// Its name.
    pub title: Phrase,
    /// Explanations, one or two sentences each.
    pub said: Vec<Phrase>,
    /// Its column headings; empty if it has no table.
    pub head: Vec<Phrase>,
    /// Its rows.
    pub rows: Vec<ExhibitRow>,
    /// Its plot.
    pub plot: Option<ExhibitPlot>,
}

/// A row of an exhibit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExhibitRow {
    /// One per column; the first names the row.
    pub cells: Vec<Phrase>,
    /// Details, shown when the row is opened.
    pub more: Vec<Phrase>,
}

/// The plot of an exhibit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExhibitPlot {
    /// The label of the vertical axis.
    pub unit: Phrase,
    /// The label of the horizontal axis.
    pub across: Phrase,
    /// Whether the horizontal axis is logarithmic.
    pub across_is_log: bool,
    /// Its lines: a name, and points from left to right.
    pub lines: Vec<(Phrase, Vec<(f64, f64)>)>,
}

/// The machines with which a search for their number starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Needs {
    /// Kinds of machines in proportion.
    pub kinds: Vec<Machines>,
    /// The same in words.
    pub told: Phrase,
    /// The minimum number, however well VMs are packed.
    pub bound: u64,
    /// The resource that determines it.
    pub bound_by: String,
}

/// A group of equal machines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machines {
    /// How many.
    pub machines: u32,
    /// Cores of each.
    pub cores: f64,
    /// Memory of each, in GiB.
    pub memory_gib: f64,
}
