//! How much a reader downloads before the page is live, compared with the last accepted size.

use crate::{Outcome, process, project};

pub(crate) const HELP: &str = "brotli sizes of the built page against tests/size.json [--accept]";

pub(crate) fn run(words: &[String]) -> Outcome {
    project::need_dist()?;
    // Node includes brotli in its standard library; in Rust it would be an additional dependency.
    let mut table = process::command("node", &["tests/browser/size.mjs"]);
    process::run(table.args(words))
        .map_err(|_| "the page does not have its accepted size; the line above says what to do".into())
}
