//! Third-party packages: their licences, duplicate versions and advisories.
//!
//! This does the work of `cargo deny`, as far as the project needs it, without a network.

mod advisories;
mod duplicates;
mod licences;
mod rustsec;

use std::collections::BTreeSet;

use crate::packages::{Locked, compiled, locked, npm};
use crate::{Outcome, project};

pub(crate) const HELP: &str = "licences, several versions and advisories of what we depend on [--from ADVISORY-DB]";

/// The packages of the native program and the page, on any system, and those that build them.
const SHIPPED: &[&str] = &[
    "--package=tiebreak-cli",
    "--package=tiebreak-web",
    "--package=tiebreak-python",
    "--package=tiebreak-npm",
    "--features=tiebreak-web/parquet,tiebreak-web/imports",
    "--edges=normal,build",
    "--target=all",
];

pub(crate) fn run(words: &[String]) -> Outcome {
    let locked = locked()?;
    let foreign: Vec<&Locked> = locked.iter().filter(|package| package.checksum.is_some()).collect();
    let names: BTreeSet<&str> = foreign.iter().map(|package| &*package.name).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => {}
        ["--from", checkout] => rustsec::update(&names, checkout)?,
        _ => return Err(format!("what is asked is not known; {HELP}")),
    }
    let saved = advisories::read(&project::read(advisories::FILE)?)?;
    let mut packages = Vec::from_iter(compiled(SHIPPED)?);
    packages.retain(|package| names.contains(&*package.name));
    packages.extend(npm()?.into_iter().map(|npm| npm.package));
    let mut faults = licences::faults(&packages, licences::EXCEPTIONS);
    faults.extend(duplicates::faults(&locked, duplicates::KNOWN));
    faults.extend(advisories::faults(&foreign, &saved, advisories::EXCEPTIONS));
    if !faults.is_empty() {
        return Err(format!("not everything that we use is in order:\n  {}", faults.join("\n  ")));
    }
    println!(
        "in order: licences of {} packages, {} packages in several versions, {} advisories as of {}",
        packages.len(),
        duplicates::KNOWN.len(),
        saved.advisories.len(),
        saved.date
    );
    Ok(())
}
