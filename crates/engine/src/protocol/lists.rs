//! The search for a better list, as the page sees it: what it wants to be run, and what there is so far.

use serde::{Deserialize, Serialize};
use tiebreak_model::Phrase;

/// The state of a search for a better list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ListSearch {
    /// The runs that are wanted now: a list and a seed, each by its number; none when the search is over.
    pub wanted: Vec<(u32, u32)>,
    /// Those lists, by their numbers, as documents.
    pub lists: Vec<(u32, String)>,
    /// The first seed; the others follow it.
    pub first_seed: u64,
    /// The figures that every run gives, as indices into [`FIGURES`](tiebreak_sim::FIGURES).
    pub measures: Vec<u32>,
    /// The number of runs on searched seeds.
    pub runs: f64,
    /// After how many of them no race begins.
    pub runs_max: f64,
    /// The number of races.
    pub races: f64,
    /// The number of lists.
    pub looked_at: f64,
    /// Whether the best list is being judged, or has been.
    pub is_judging: bool,
    /// The result in one sentence, when the search is over.
    pub sentence: Option<Phrase>,
    /// What got worse and nothing limits, one sentence each.
    pub worse: Vec<Phrase>,
    /// When the search is over, lists to open as variants: the one that was found, if any, then the frontier.
    pub points: Vec<(Phrase, String)>,
}
