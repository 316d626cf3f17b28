//! The search for a better list of rules: racing over paired seeds, and local moves around the best.
//!
//! A [`Search`] makes no runs. It says which runs it wants next ([`Search::wanted`]) and is told their figures
//! ([`Search::tell`]). The order of the answers changes nothing, so threads, engines of a page and a journal of an
//! earlier search drive it alike.
//!
//! Half of the seeds are never searched on. The list that is found is judged there.

mod judge;
mod moves;
mod plan;
mod race;
mod report;
#[cfg(test)]
mod tests;

pub use plan::{SearchGoal, SearchLimit, SearchObjective, SearchPlan};
pub use race::{Search, SearchRun};
pub use report::{Interval, SearchChange, SearchFigure, SearchPoint, SearchReport};
