//! Whether `dist/` is up to date.
//!
//! A build for hosting takes minutes even if nothing has changed. So a build stores digests of its inputs and
//! outputs, and the next build stops early if both are unchanged.

use std::path::Path;

use super::service_worker::files_below;
use crate::{Outcome, digest, project};

/// The page's sources, including the part of the project that assembles it.
const FOLDERS: &[&str] = &["crates", "web"];
const FILES: &[&str] = &[
    "index.html",
    "Cargo.toml",
    "Cargo.lock",
    "Trunk.toml",
    "rust-toolchain.toml",
    ".cargo/config.toml",
    "tests/package-lock.json",
];

/// Parts of those folders that are not used for the page.
const APART: &[&str] = &[
    "crates/cli/",
    "crates/console/",
    "crates/papers/",
    "crates/testkit/",
    "crates/xtask/advisories.json",
    "/tests/",
    "/examples/",
    "/target/",
    "/fuzz/",
];

/// Stored outside the folders that it covers.
const REMEMBERED: &str = "target/page/hosted.txt";

/// Whether neither inputs nor outputs have changed since the last build.
pub(crate) fn is_current() -> bool {
    let (Ok(remembered), Ok(now)) = (project::read(REMEMBERED), state()) else { return false };
    remembered == now
}

/// Stores the digests of the build that has just finished.
pub(crate) fn remember() -> Outcome {
    let failed = |error: std::io::Error| format!("cannot write {REMEMBERED}: {error}");
    std::fs::create_dir_all(super::develop::BUILD).map_err(failed)?;
    std::fs::write(REMEMBERED, state()?).map_err(failed)
}

fn state() -> Result<String, String> {
    let made: Vec<_> =
        files_below(Path::new(project::DIST))?.iter().map(|file| format!("{}/{file}", project::DIST)).collect();
    Ok(format!("{}\n{}\n", digest_of(&sources()?)?, digest_of(&made)?))
}

/// Every input file of the page.
pub(crate) fn sources() -> Result<Vec<String>, String> {
    let mut files: Vec<String> = FILES.iter().map(|file| (*file).to_owned()).collect();
    for folder in FOLDERS {
        files.extend(files_below(Path::new(folder))?.into_iter().map(|file| format!("{folder}/{file}")));
    }
    files.retain(|file| !APART.iter().any(|part| file.contains(part)));
    Ok(files)
}

fn digest_of(files: &[String]) -> Result<String, String> {
    let mut all = String::new();
    for file in files {
        let bytes = std::fs::read(file).map_err(|error| format!("cannot read {file}: {error}"))?;
        all += &format!("{file} {}\n", digest::integrity(&bytes));
    }
    Ok(digest::integrity(all.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_that_the_page_is_made_from() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        assert!(FILES.iter().all(|file| root.join(file).is_file()));
        assert!(FOLDERS.iter().all(|folder| root.join(folder).is_dir()));
        assert!(APART.iter().filter(|part| part.starts_with("crates/")).all(|part| root.join(part).exists()));
    }
}
