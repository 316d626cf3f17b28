//! Builds the core for a target that has no clock, no file, no thread and no hash seed to hide.

use super::floors::{CORE_TOP, FLOORS};
use crate::{Outcome, process};

pub(crate) const HELP: &str = "build the core (floors 0 to 2) for bare WebAssembly, which proves it is no_std";

pub(crate) fn run(_: &[String]) -> Outcome {
    super::setup::targets()?;
    let mut build = process::cargo(&["build", "--quiet", "--target", "wasm32v1-none"]);
    for (name, _) in FLOORS.iter().filter(|(_, floor)| *floor <= CORE_TOP) {
        build.args(["--package", name]);
    }
    process::run(&mut build)
}
