//! Benchmarks of the engine: natively, then in the browser.

use std::path::Path;

use crate::{Outcome, process, project};

pub(crate) const HELP: &str = "placements per second, native and in the browser";

const IN_BROWSER: &str = "tests/browser/bench.mjs";

pub(crate) fn run(words: &[String]) -> Outcome {
    let native =
        ["run", "--profile", "whole", "--quiet", "--package", "tiebreak-cli", "--bin", "tiebreak", "--", "bench"];
    process::run(process::cargo(&native).args(words))?;
    if !Path::new(IN_BROWSER).exists() {
        return Ok(());
    }
    project::need_dist()?;
    process::run(process::command("node", &[IN_BROWSER]).args(words))
}
