//! Which stages have passed on exactly these files, so that a second run does not repeat them.
//!
//! A stage's result is a function of the files that it reads and of the programs that run it. When it passes, a digest
//! of both is kept in `target/`, with what it found; while the digest is the same, the stage is told instead of run.
//! In CI, and with `--again`, every stage runs.

use std::path::Path;
use std::time::Duration;

use crate::tools::BROWSERS;
use crate::{Outcome, digest, process};

/// Where results are kept, a file a stage.
const FOLDER: &str = "target/passed";

/// What a stage found when it passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    pub(super) tests: u64,
    pub(super) took: Duration,
}

/// What the stage found when it passed on exactly these files, if it has. Files whose path contains one of `apart` do not
/// count.
pub(super) fn recall(stage: &str, apart: &[&str]) -> Option<Passed> {
    let kept = std::fs::read_to_string(file(stage)).ok()?;
    recalled(&kept, &state(apart).ok()?)
}

/// A stage that is about to run, with the state of its files: they may change under it.
pub(super) struct Begun {
    stage: &'static str,
    state: String,
}

/// Forgets what was kept: the stage is about to run, and may be broken off.
pub(super) fn begin(stage: &'static str, apart: &[&str]) -> Result<Begun, String> {
    let _ = std::fs::remove_file(file(stage));
    Ok(Begun { stage, state: state(apart)? })
}

impl Begun {
    /// Keeps that the stage has passed on the files that it began with.
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

/// Every file that git knows or would add, and the programs that are not pinned by one of them.
fn state(apart: &[&str]) -> Result<String, String> {
    let listed = process::output(&mut process::command(
        "git",
        &["ls-files", "-z", "-co", "--exclude-standard", "--deduplicate"],
    ))?;
    let mut all = programs();
    for file in listed.split('\0').filter(|file| counts(file, apart)) {
        // One that is deleted and not committed is listed, too.
        let Ok(bytes) = std::fs::read(file) else { continue };
        all += &format!("{file} {}\n", digest::integrity(&bytes));
    }
    Ok(digest::integrity(all.as_bytes()))
}

fn counts(file: &str, apart: &[&str]) -> bool {
    !file.is_empty() && !apart.iter().any(|part| file.contains(part))
}

/// What programs outside the checkout say of their version.
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
