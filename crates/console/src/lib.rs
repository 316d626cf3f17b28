//! How the native program is spoken to and how it answers: commands with their options, the scenario and the trace that
//! are asked for, progress on standard error, answers, files that are there whole or not at all, and several jobs at once.
//!
//! What can fail gives a [`Failure`](answer::Failure): one sentence with what was expected, what came and what to do.
//!
//! A command of the program is in `crates/cli`, a paper's table or figure in `crates/papers`.

pub mod answer;
pub mod at_once;
pub mod command;
pub mod given;
pub mod imports;
pub mod progress;
pub mod scenario;
pub mod shown;
pub mod trace;
pub mod whole;
