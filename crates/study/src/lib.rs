//! What people ask of a scenario, and what they find: the figures of a run, the story of a VM, what other settings
//! change over paired seeds, sweeps, searches, and how many machines are enough.
//!
//! The native program, the Python package and the npm package are hosts of this crate: they say where scenarios and
//! traces come from and pass the findings on, as JSON or as the text that each finding has.
//!
//! Functions that can fail return a [`Failure`]: one sentence with what was expected, what came and what to do. Long
//! work is followed, and stopped, through a [`Watch`](watch::Watch).

pub mod at_once;
pub mod charts;
pub mod compare;
mod failure;
pub mod fields;
pub mod figures;
pub mod own;
pub mod ready;
pub mod search;
pub mod shown;
pub mod size;
pub mod story;
pub mod sweep;
pub mod traces;
pub mod warnings;
pub mod watch;
mod workloads;

pub use failure::Failure;
pub use workloads::Workloads;
