//! The commit of the checkout, for `tiebreak --version`. Outside a checkout there is none. It runs again when the commit
//! changes, not when files do.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The log of HEAD changes with every commit and checkout, also in a worktree.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).is_file());
    let Some(log) = log else { return };
    println!("cargo:rerun-if-changed={log}");
    if let Some(commit) = git(&["rev-parse", "--short=10", "HEAD"]) {
        println!("cargo:rustc-env=TIEBREAK_COMMIT={commit}");
    }
}

/// What git says, if it is there and this is a checkout.
fn git(words: &[&str]) -> Option<String> {
    let said = Command::new("git").args(words).output().ok().filter(|said| said.status.success())?;
    let said = String::from_utf8(said.stdout).ok()?;
    Some(said.trim().to_owned()).filter(|said| !said.is_empty())
}
