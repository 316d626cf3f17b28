//! What must not be in the repository: paths and hosts of one machine, big files, generated output.

use std::path::Path;

use crate::{Outcome, process, project};

pub(crate) const HELP: &str = "no machine paths, registry hosts, big files or generated output in the repository";

const FILE_BYTES_MAX: u64 = 5_000_000;

/// Names of one machine or one registry. They are split, so that this file passes its own check.
const MACHINE_WORDS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("registry", ".npmjs.org"),
    concat!("static", ".crates.io"),
    concat!("index", ".crates.io"),
    concat!("files", ".pythonhosted.org"),
    concat!("deb", ".debian.org"),
];

/// Top-level folders that builds write; node_modules is rejected anywhere.
const GENERATED: &[&str] = &["target", "dist"];

/// The only registry that Cargo.lock may name; each user's cargo maps it to the right host.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(crate) fn run(_: &[String]) -> Outcome {
    // Include untracked files, to report problems before the commit.
    let listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let listed = process::output(&mut process::command("git", &listed))?;
    let mut faults: Vec<String> =
        listed.split('\0').filter(|path| Path::new(path).is_file()).flat_map(faults_of_file).collect();
    faults.dedup();
    match faults.as_slice() {
        [] => Ok(()),
        faults => Err(format!("these do not belong into the repository:\n  {}", faults.join("\n  "))),
    }
}

fn faults_of_file(path: &str) -> Vec<String> {
    if is_generated(path) {
        return vec![format!("{path}: generated; leave it to .gitignore")];
    }
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    if FILE_BYTES_MAX < bytes {
        return vec![format!("{path}: {} MB; keep files under {} MB", bytes / 1_000_000, FILE_BYTES_MAX / 1_000_000)];
    }
    // Skip files that are not text.
    let text = project::read(path).unwrap_or_default();
    text.lines()
        .zip(1..)
        .filter_map(|(line, number)| Some(format!("{path}:{number}: {}", fault_of_line(path, line)?)))
        .collect()
}

fn is_generated(path: &str) -> bool {
    let top = path.split('/').next().unwrap_or_default();
    GENERATED.contains(&top) || path.split('/').any(|part| part == "node_modules")
}

fn fault_of_line(path: &str, line: &str) -> Option<String> {
    if path.ends_with("Cargo.lock") && line.starts_with("source = ") && !line.contains(CRATES_IO) {
        return Some("a crate from elsewhere than crates.io".into());
    }
    let word = MACHINE_WORDS.iter().find(|word| line.contains(**word))?;
    Some(format!("names a machine or a registry host ({word})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_paths_that_are_refused() {
        assert!(fault_of_line("README.md", concat!("cd /wo", "rk/main")).is_some());
        assert!(fault_of_line("Cargo.lock", "source = \"registry+https://mirror.example/index\"").is_some());
        assert!(is_generated("dist/index.html"));
        assert!(is_generated("tests/node_modules/ws/index.js"));
    }

    #[test]
    fn lines_and_paths_that_are_fine() {
        assert_eq!(fault_of_line("README.md", "homework/roots"), None);
        assert_eq!(fault_of_line("Cargo.lock", &format!("source = \"{CRATES_IO}\"")), None);
        assert!(!is_generated("crates/model/src/target.rs"));
    }
}
