//! How much a reader has to load before the page is live, against what was accepted last.

use crate::{Outcome, process, project};

pub(crate) const HELP: &str = "brotli sizes of the built page against tests/size.json [--accept]";

pub(crate) fn run(words: &[String]) -> Outcome {
    project::need_dist()?;
    // Node brings brotli in its standard library; a Rust one would be our only dependency.
    let mut table = process::command("node", &["tests/browser/size.mjs"]);
    process::run(table.args(words))
        .map_err(|_| "the page does not have its accepted size; the line above says what to do".into())
}
