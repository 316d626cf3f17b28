//! Builds the page into `dist/`, which works from any folder of any static host.

use crate::{Outcome, process, tools};

pub(crate) const HELP: &str = "build the page for release into dist/";

pub(crate) fn run(_: &[String]) -> Outcome {
    super::setup::for_build()?;
    process::run(&mut tools::trunk(&["build", "--release", "--offline"])?)
}
