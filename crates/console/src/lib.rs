//! The command-line conventions of the native program: commands and their options, the chosen scenario and trace,
//! progress on standard error, answers, and atomic file writes. Parallel jobs and tables come from `crates/study`.
//!
//! Functions that can fail return a [`Failure`](answer::Failure): one sentence with what was expected, what came and
//! what to do.
//!
//! The program's commands are in `crates/cli`, the papers' tables and figures in `crates/papers`.

pub mod answer;
pub mod command;
pub mod given;
pub mod imports;
pub mod progress;
pub mod scenario;
pub mod trace;
pub mod whole;

pub use tiebreak_study::{at_once, shown};
