//! The decisions of a run, a page of them.

use serde::{Deserialize, Serialize};
use tiebreak_model::Phrase;

/// Which VMs are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Which {
    /// All.
    #[default]
    All,
    /// Those placed for their request, whatever became of them later.
    Placed,
    /// Those of requests that were rejected: refused, or out of retries.
    Refused,
    /// Those of requests of which a commit failed, placed on another try or not.
    Collided,
}

impl Which {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::All, Self::Placed, Self::Refused, Self::Collided];
}

/// A page of the decisions of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decisions {
    /// The run.
    pub run: u32,
    /// How many VMs the search finds in each of [`Which::ALL`].
    pub counts: [u32; 4],
    /// The page, from 0: the one that was asked for, or the last one.
    pub page: u32,
    /// The VMs of that page, in order of their requests.
    pub rows: Vec<Decided>,
}

/// What became of a VM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    /// Its number in the trace, or the hash of its name.
    pub vm: String,
    /// Its tenant's number.
    pub tenant: String,
    /// When it was asked for; none for one alive when the trace began.
    pub at_ms: Option<f64>,
    /// What it asked for.
    pub demand: Phrase,
    /// What became of it, in words.
    pub outcome: Phrase,
    /// Where it stands, or stood last.
    pub machine: Option<u32>,
    /// Tries so far, failed commits among them; 0 before the first.
    pub tries: u32,
    /// From request to answer; none where it has no answer, or was alive when the trace began.
    pub waited_ms: Option<f64>,
}
