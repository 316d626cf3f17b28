//! What can be said of the source without running it.

use crate::{Outcome, process};

pub(crate) const HELP: &str = "formatting, clippy, floors, house words, strings, no_std";

pub(crate) fn run(_: &[String]) -> Outcome {
    super::words::run(&[])?;
    super::floors::run(&[])?;
    process::run(&mut process::cargo(&["fmt", "--all", "--check"]))?;
    process::run(&mut process::cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    super::strings::run(&[])?;
    super::no_std::run(&[])
}
