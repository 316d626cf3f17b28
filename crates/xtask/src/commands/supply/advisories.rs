//! Advisories: known vulnerabilities in the package versions that we use.
//!
//! A file of this crate stores the parts of the RustSec database about our packages, so the check needs no network
//! and gives the same result every day. `cargo xtask supply --from CHECKOUT` updates the file.

use std::collections::BTreeSet;

use semver::{Version, VersionReq};
use serde_json::{Value, json};

use crate::packages::Locked;

pub(super) const FILE: &str = "crates/xtask/advisories.json";
pub(super) const SOURCE: &str = "https://github.com/rustsec/advisory-db (CC0 1.0)";

/// Advisories that apply and are accepted, and why.
pub(super) const EXCEPTIONS: &[(&str, &str)] = &[
    ("RUSTSEC-2024-0370", "proc-macro-error is unmaintained: yew-macro 0.23 needs it, and it runs in builds only"),
    ("RUSTSEC-2025-0141", "bincode is unmaintained: gloo-worker needs it, which yew brings and the page does not call"),
];

/// The parts of the database about our packages.
#[derive(Debug)]
pub(super) struct Saved {
    /// The day of the database's last change.
    pub(super) date: String,
    pub(super) advisories: Vec<Advisory>,
    /// Packages without advisories.
    pub(super) without: BTreeSet<String>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Advisory {
    pub(super) id: String,
    pub(super) package: String,
    /// Version ranges that are fixed, and those that were never affected.
    pub(super) patched: Vec<String>,
    pub(super) unaffected: Vec<String>,
    pub(super) about: String,
}

pub(super) fn read(text: &str) -> Result<Saved, String> {
    let saved: Value = serde_json::from_str(text).map_err(|error| format!("{FILE}: {error}"))?;
    let list = |value: &Value| value.as_array().cloned().ok_or(format!("{FILE} has no list where it needs one"));
    let word =
        |value: &Value| value.as_str().map(str::to_owned).ok_or(format!("{FILE} has no text where it needs one"));
    let words = |value: &Value| list(value)?.iter().map(word).collect::<Result<Vec<_>, _>>();
    let advisory = |entry: &Value| {
        Ok(Advisory {
            id: word(&entry["id"])?,
            package: word(&entry["package"])?,
            patched: words(&entry["patched"])?,
            unaffected: words(&entry["unaffected"])?,
            about: word(&entry["about"])?,
        })
    };
    Ok(Saved {
        date: word(&saved["date"])?,
        advisories: list(&saved["advisories"])?.iter().map(advisory).collect::<Result<_, String>>()?,
        without: words(&saved["without"])?.into_iter().collect(),
    })
}

pub(super) fn faults(foreign: &[&Locked], saved: &Saved, exceptions: &[(&str, &str)]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut idle: BTreeSet<&str> = exceptions.iter().map(|(id, _)| *id).collect();
    for package in foreign {
        for advisory in saved.advisories.iter().filter(|advisory| advisory.package == package.name) {
            match advisory.affects(&package.version) {
                Ok(false) => {}
                Ok(true) if exceptions.iter().any(|(id, _)| *id == advisory.id) => drop(idle.remove(&*advisory.id)),
                Ok(true) => faults.push(advisory.against(&package.version)),
                Err(sentence) => faults.push(sentence),
            }
        }
    }
    faults.extend(idle.iter().map(|id| format!("{id} applies to nothing any more; take it from EXCEPTIONS")));
    faults.extend(gaps(foreign, saved));
    faults
}

/// Packages that have not been looked up yet, and those no longer used.
fn gaps(foreign: &[&Locked], saved: &Saved) -> Vec<String> {
    let used: BTreeSet<&str> = foreign.iter().map(|package| &*package.name).collect();
    let about = saved.advisories.iter().map(|advisory| &*advisory.package);
    let known: BTreeSet<&str> = about.chain(saved.without.iter().map(|name| &**name)).collect();
    let update = "bring it up to date as docs/ADDING.md says (\"A dependency\")";
    let new = used.difference(&known).map(|name| format!("{FILE} does not know the package {name}; {update}"));
    let gone = known.difference(&used).map(|name| format!("{FILE} has {name}, which is not used any more; {update}"));
    new.chain(gone).collect()
}

impl Advisory {
    fn affects(&self, version: &str) -> Result<bool, String> {
        let failed = |what: &str| format!("{}: '{what}' is no version and no range of them", self.id);
        let version = Version::parse(version).map_err(|_| failed(version))?;
        let ranges = self.patched.iter().chain(&self.unaffected);
        let ranges = ranges.map(|range| VersionReq::parse(range).map_err(|_| failed(range)));
        Ok(!ranges.collect::<Result<Vec<_>, _>>()?.iter().any(|range| range.matches(&version)))
    }

    fn against(&self, version: &str) -> String {
        let Advisory { id, package, patched, about, .. } = self;
        let way_out = match patched.as_slice() {
            [] => "there is no better version; replace it".to_owned(),
            patched => format!("take {}: cargo update --package {package}", patched.join(" or ")),
        };
        format!("{id} applies to {package} {version}: {about}; {way_out}, or say why we live with it (EXCEPTIONS)")
    }
}

/// One line per advisory and name, so that diffs are readable.
pub(super) fn as_text(saved: &Saved) -> String {
    let quote = |word: &str| Value::from(word).to_string();
    let lines = |lines: Vec<String>| lines.join(",\n    ");
    let advisories = saved.advisories.iter().map(|advisory| {
        let Advisory { id, package, patched, unaffected, about } = advisory;
        let (patched, unaffected) = (json!(patched), json!(unaffected));
        format!(
            "{{\"id\": {}, \"package\": {}, \"patched\": {patched}, \"unaffected\": {unaffected},\n     \"about\": {}}}",
            quote(id),
            quote(package),
            quote(about)
        )
    });
    format!(
        "{{\n  \"source\": {},\n  \"date\": {},\n  \"advisories\": [\n    {}\n  ],\n  \"without\": [\n    {}\n  ]\n}}\n",
        quote(SOURCE),
        quote(&saved.date),
        lines(advisories.collect()),
        lines(saved.without.iter().map(|name| quote(name)).collect()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leak() -> Advisory {
        Advisory {
            id: "RUSTSEC-2026-0001".into(),
            package: "pail".into(),
            patched: vec![">= 1.2.3, < 2.0.0".into(), ">= 2.0.1".into()],
            unaffected: vec!["< 1.1.0".into()],
            about: "it leaks".into(),
        }
    }

    fn check(version: &str, saved: &Saved, exceptions: &[(&str, &str)], expected: &[&str]) {
        let package = |name: &str, version: &str| Locked {
            name: name.into(),
            version: version.into(),
            checksum: Some("c0ffee".into()),
            asks_for: Vec::new(),
        };
        let found = faults(&[&package("pail", version), &package("spade", "0.1.0")], saved, exceptions);
        let agrees =
            found.len() == expected.len() && found.iter().zip(expected).all(|(found, part)| found.contains(part));
        assert!(agrees, "{version}: {found:?}");
    }

    fn saved() -> Saved {
        Saved { date: "2026-10-09".into(), advisories: vec![leak()], without: ["spade".to_owned()].into() }
    }

    #[test]
    fn an_advisory_that_applies_is_named_with_the_way_out() {
        for fine in ["1.0.9", "1.2.3", "1.9.0", "2.0.1", "3.0.0+c.1"] {
            check(fine, &saved(), &[], &[]);
        }
        check(
            "1.1.0",
            &saved(),
            &[],
            &["RUSTSEC-2026-0001 applies to pail 1.1.0: it leaks; take >= 1.2.3, < 2.0.0 or"],
        );
        check("2.0.0", &saved(), &[], &["applies to pail 2.0.0"]);
        let unmaintained = Advisory { patched: Vec::new(), unaffected: Vec::new(), ..leak() };
        check("9.0.0", &Saved { advisories: vec![unmaintained], ..saved() }, &[], &["there is no better version"]);
    }

    #[test]
    fn an_exception_holds_as_long_as_it_is_needed() {
        let exceptions = &[("RUSTSEC-2026-0001", "we keep it upright")];
        check("2.0.0", &saved(), exceptions, &[]);
        check("2.0.1", &saved(), exceptions, &["RUSTSEC-2026-0001 applies to nothing any more"]);
    }

    #[test]
    fn packages_that_are_new_or_gone_are_named() {
        let without = |names: &[&str]| Saved { without: names.iter().map(|name| (*name).into()).collect(), ..saved() };
        check("2.0.1", &without(&[]), &[], &["does not know the package spade"]);
        check("2.0.1", &without(&["spade", "rake"]), &[], &["has rake, which is not used"]);
    }

    #[test]
    fn a_range_that_cannot_be_read_is_named() {
        let odd = Advisory { patched: vec!["about 2".into()], ..leak() };
        check("2.0.1", &Saved { advisories: vec![odd], ..saved() }, &[], &["'about 2' is no version"]);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let read = read(&as_text(&saved())).expect("it is our own");
        assert_eq!((read.date, read.advisories, read.without), (saved().date, saved().advisories, saved().without));
    }

    #[test]
    fn the_saved_file_is_in_its_order() {
        let text =
            crate::project::read(concat!(env!("CARGO_MANIFEST_DIR"), "/advisories.json")).expect("the file is there");
        let saved = read(&text).expect("it can be read");
        assert_eq!(as_text(&saved), text);
    }
}
