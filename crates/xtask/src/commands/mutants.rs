//! Mutation testing: does a test fail when an operator or a function is changed?

use crate::{Outcome, process};

pub(crate) const HELP: &str =
    "mutants of placement, sim and model that no test notices: [--minutes N] [--in PART] [--longest SECONDS] [--again]";

/// The program checks the arguments itself.
pub(crate) fn run(words: &[String]) -> Outcome {
    let manifest = "crates/mutants/Cargo.toml";
    process::run(process::cargo(&["run", "--quiet", "--manifest-path", manifest, "--"]).args(words))
}
