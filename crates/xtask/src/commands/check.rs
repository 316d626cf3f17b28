//! Static checks of the source.

use crate::{Outcome, process};

pub(crate) const HELP: &str = "formatting, clippy, floors, licences and advisories, house words, strings, no_std";

pub(crate) fn run(_: &[String]) -> Outcome {
    super::words::run(&[])?;
    super::floors::run(&[])?;
    super::supply::run(&[])?;
    process::run(&mut process::cargo(&["fmt", "--all", "--check"]))?;
    // Separate features enable the page's Parquet reader and imports.
    let all = ["--workspace", "--all-targets", "--features", "tiebreak-web/parquet,tiebreak-web/imports"];
    process::run(process::cargo(&["clippy", "--quiet"]).args(all).args(["--", "-D", "warnings"]))?;
    super::strings::check()?;
    super::no_std::run(&[])
}
