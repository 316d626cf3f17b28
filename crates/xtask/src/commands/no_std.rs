//! Builds the core for a target without clock, files, threads and random hash seeds, so that it cannot use them.

use super::floors::{CORE_TOP, FLOORS};
use crate::tools::BARE_TARGET;
use crate::{Outcome, process};

pub(crate) const HELP: &str = "build the core (floors 0 to 2) for bare WebAssembly, which proves it is no_std";

pub(crate) fn run(_: &[String]) -> Outcome {
    super::setup::targets(&[BARE_TARGET])?;
    let mut build = process::cargo(&["build", "--quiet", "--target", BARE_TARGET]);
    for (name, _) in FLOORS.iter().filter(|(_, floor)| *floor <= CORE_TOP) {
        build.args(["--package", name]);
    }
    process::run(&mut build)
}
