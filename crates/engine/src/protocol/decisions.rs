//! The decisions of a run, one page of them.

use serde::{Deserialize, Serialize};
use tiebreak_model::Phrase;

/// Which VMs are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Which {
    /// All.
    #[default]
    All,
    /// Those placed for their request, whatever happened to them later.
    Placed,
    /// Those of requests that were rejected: refused, or out of retries.
    Refused,
    /// Those of requests with a failed commit, placed by a later attempt or not.
    Collided,
}

impl Which {
    /// All of them, in display order.
    pub const ALL: [Self; 4] = [Self::All, Self::Placed, Self::Refused, Self::Collided];
}

/// A page of the decisions of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decisions {
    /// The run's number.
    pub run: u32,
    /// How many VMs the search finds in each of [`Which::ALL`].
    pub counts: [u32; 4],
    /// The page's number from 0: the requested one, or the last.
    pub page: u32,
    /// The VMs of that page, in order of their requests.
    pub rows: Vec<Decided>,
}

/// The outcome of a VM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    /// Its number in the trace, or the hash of its name.
    pub vm: String,
    /// Its tenant's number.
    pub tenant: String,
    /// When it was requested; `None` for one alive when the trace began.
    pub at_ms: Option<f64>,
    /// What it requested.
    pub demand: Phrase,
    /// Its outcome in words.
    pub outcome: Phrase,
    /// Its current or last machine.
    pub machine: Option<u32>,
    /// Attempts so far, including failed commits; 0 before the first.
    pub tries: u32,
    /// From request to answer; `None` without an answer, or if it was alive when the trace began.
    pub waited_ms: Option<f64>,
}
