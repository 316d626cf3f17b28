//! Puts the first picture into the page, so that it is seen before any WebAssembly has arrived.
//!
//! Trunk calls this after a build (see Trunk.toml). The picture comes from the native program, which is the
//! same engine: what the reader sees first is what the page will compute again when it is live.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, process, project};

pub(crate) const HELP: &str = "finish the built page: traces, first picture, worker's address (Trunk calls this)";

/// The trace that comes with the page, and what the worker calls it (web/src/bin/worker.rs).
const TRACE: &str = "crates/trace/fixtures/packing-cut.csv.gz";
const TRACE_NAME: &str = "packing-cut.columns";

const MARKER: &str = "<!-- first-picture -->";

pub(crate) fn run(_: &[String]) -> Outcome {
    let staging = std::env::var_os("TRUNK_STAGING_DIR").ok_or("no TRUNK_STAGING_DIR; `cargo xtask build` calls me")?;
    let staging = PathBuf::from(staging);
    trace(&staging)?;
    let file = staging.join("index.html");
    let page = fill(&project::read(&file)?, first_picture()?.trim())?;
    let page = super::stamp::worker(&staging, &page)?;
    std::fs::write(&file, page).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// The page's own trace in the compact form, as the worker asks for it.
fn trace(staging: &Path) -> Outcome {
    let folder = staging.join("traces");
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let convert = ["trace", "convert", TRACE, "--compact", "--out"];
    process::output(tiebreak().args(convert).arg(folder.join(TRACE_NAME))).map(drop)
}

fn tiebreak() -> Command {
    process::cargo(&["run", "--release", "--quiet", "--package", "tiebreak-cli", "--bin", "tiebreak", "--"])
}

fn first_picture() -> Result<String, String> {
    let picture = process::output(tiebreak().arg("first-picture"))?;
    match picture.trim().is_empty() {
        true => Err("`tiebreak first-picture` printed nothing".into()),
        false => Ok(picture),
    }
}

fn fill(page: &str, picture: &str) -> Result<String, String> {
    match page.matches(MARKER).count() {
        1 => Ok(page.replacen(MARKER, picture, 1)),
        count => Err(format!("index.html has the marker {MARKER} {count} times; it needs it once")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_becomes_the_picture() {
        let page = format!("<main>{MARKER}</main>");
        assert_eq!(fill(&page, "<svg/>"), Ok("<main><svg/></main>".into()));
    }

    #[test]
    fn a_page_without_one_marker_is_refused() {
        assert!(fill("<main></main>", "<svg/>").is_err());
        assert!(fill(&MARKER.repeat(2), "<svg/>").is_err());
    }
}
