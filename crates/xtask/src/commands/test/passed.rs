//! Remembers which stages have passed on exactly these files, so that a second run does not repeat them.
//!
//! The result of a stage depends on the files that it reads and the programs that run it. When a stage passes,
//! `target/` stores a digest of both with the result. While the digest is unchanged, the stored result is reported
//! instead of running the stage. In CI, and with `--again`, every stage runs.

use std::path::Path;
use std::time::Duration;

use crate::tools::BROWSERS;
use crate::{Outcome, digest, process};

/// The folder of results, one file per stage.
const FOLDER: &str = "target/passed";

/// The result of a stage that passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    pub(super) tests: u64,
    pub(super) took: Duration,
}

/// The stored result of the stage, if it passed on exactly these files. Files whose path contains an entry of `apart`
/// do not count.
pub(super) fn recall(stage: &str, apart: &[&str]) -> Option<Passed> {
    let kept = std::fs::read_to_string(file(stage)).ok()?;
    recalled(&kept, &state(apart).ok()?)
}

/// A stage that is about to run, with the state of its files, which may change during the run.
pub(super) struct Begun {
    stage: &'static str,
    state: String,
}

/// Deletes the stored result: the stage is about to run, and may be interrupted.
pub(super) fn begin(stage: &'static str, apart: &[&str]) -> Result<Begun, String> {
    let _ = std::fs::remove_file(file(stage));
    Ok(Begun { stage, state: state(apart)? })
}

impl Begun {
    /// Stores that the stage has passed on the files that it began with.
    pub(super) fn keep(self, passed: Passed) -> Outcome {
        let failed = |error: std::io::Error| format!("cannot keep that {} passed: {error}", self.stage);
        std::fs::create_dir_all(FOLDER).map_err(failed)?;
        std::fs::write(file(self.stage), kept(&self.state, passed)).map_err(failed)
    }
}

fn file(stage: &str) -> std::path::PathBuf {
    Path::new(FOLDER).join(format!("{stage}.txt"))
}

fn kept(state: &str, passed: Passed) -> String {
    format!("{state} {} {}\n", passed.tests, passed.took.as_secs())
}

fn recalled(kept: &str, state: &str) -> Option<Passed> {
    let mut words = kept.split_whitespace();
    let is_same = words.next()? == state;
    let (tests, seconds) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    is_same.then_some(Passed { tests, took: Duration::from_secs(seconds) })
}

/// Digests of every file that git tracks or would add, and the versions of programs that none of these files pins.
fn state(apart: &[&str]) -> Result<String, String> {
    let listed = process::output(&mut process::command(
        "git",
        &["ls-files", "-z", "-co", "--exclude-standard", "--deduplicate"],
    ))?;
    let mut all = programs();
    for file in listed.split('\0').filter(|file| counts(file, apart)) {
        // The list includes files that are deleted but not committed.
        let Ok(bytes) = std::fs::read(file) else { continue };
        all += &format!("{file} {}\n", digest::integrity(&bytes));
    }
    Ok(digest::integrity(all.as_bytes()))
}

fn counts(file: &str, apart: &[&str]) -> bool {
    !file.is_empty() && !apart.iter().any(|part| file.contains(part))
}

/// The versions of programs outside the checkout.
fn programs() -> String {
    let browsers = BROWSERS.iter().map(|(program, _)| *program);
    let versions = ["rustc", "node", "python3"].into_iter().chain(browsers).map(|program| {
        let said = process::output(&mut process::command(program, &["--version"]));
        format!("{program} {}\n", said.unwrap_or_else(|_| "is not there".into()).trim())
    });
    versions.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_recalled_by_the_same_files_only() {
        let passed = Passed { tests: 905, took: Duration::from_secs(193) };
        let line = kept("sha256-abc=", passed);
        assert_eq!(recalled(&line, "sha256-abc="), Some(passed));
        assert_eq!(recalled(&line, "sha256-abd="), None);
        for spoiled in ["", "sha256-abc=", "sha256-abc= 905", "sha256-abc= many 193"] {
            assert_eq!(recalled(spoiled, "sha256-abc="), None, "{spoiled:?}");
        }
    }

    #[test]
    fn parts_that_a_stage_does_not_read() {
        assert!(counts("crates/model/src/lib.rs", &["docs/", ".mjs"]));
        assert!(!counts("docs/RULES.md", &["docs/", ".mjs"]));
        assert!(!counts("tests/browser/share.test.mjs", &["docs/", ".mjs"]));
        assert!(!counts("", &[]));
    }
}
