//! Packages in several versions: each makes builds longer and downloads larger, so each needs a reason here.

use std::collections::BTreeMap;

use semver::Version;

use crate::packages::Locked;

/// A package, its incompatible versions, and the packages that require each.
pub(super) type Known = (&'static str, &'static [&'static str], &'static str);

/// Packages that occur more than once, and why.
pub(super) const KNOWN: &[Known] = &[
    ("embedded-io", &["0.4", "0.6"], "postcard names both; without its features for them neither is compiled"),
    ("getrandom", &["0.2", "0.3", "0.4"], "0.2 for gloo-history and const-random-macro, 0.3 for ahash, 0.4 for us"),
    ("num-bigint", &["0.4", "0.5"], "0.4 for num below smartcore, 0.5 for parquet"),
    ("r-efi", &["5", "6"], "5 for getrandom 0.3, 6 for getrandom 0.4, both for UEFI only"),
    ("syn", &["1", "2", "3"], "1 for proc-macro-error below yew-macro, 2 for older macros as yew's, 3 for newer ones"),
    ("thiserror", &["1", "2"], "1 for parts of gloo and pinned, 2 for yew, cobs and statrs"),
    ("thiserror-impl", &["1", "2"], "the macros of both versions of thiserror"),
];

pub(super) fn faults(locked: &[Locked], known: &[Known]) -> Vec<String> {
    let mut versions = BTreeMap::<&str, Vec<&Locked>>::new();
    for package in locked {
        versions.entry(&package.name).or_default().push(package);
    }
    let several = versions.iter().filter(|(_, versions)| versions.len() > 1);
    let new = several
        .filter(|(name, versions)| !known.iter().any(|(known, expected, _)| known == *name && is(versions, expected)));
    let new = new.map(|(name, versions)| {
        let versions: Vec<String> = versions.iter().map(|version| asked_for(version, locked)).collect();
        format!(
            "{name} comes in several versions, {}: bring them together, or say why not in \
             crates/xtask/src/commands/supply/duplicates.rs",
            versions.join(", ")
        )
    });
    let gone = known.iter().filter(|(name, expected, _)| !versions.get(name).is_some_and(|found| is(found, expected)));
    let gone = gone.map(|(name, expected, _)| {
        format!("{name} is not there as {}; change its entry in supply/duplicates.rs", expected.join(" and "))
    });
    new.chain(gone).collect()
}

fn is(found: &[&Locked], expected: &[&str]) -> bool {
    let mut found: Vec<String> = found.iter().map(|package| compatible(&package.version)).collect();
    let mut expected = expected.to_vec();
    found.sort();
    expected.sort_unstable();
    found == expected
}

/// The part of a version that changes with incompatible releases: 1 of 1.2.3, 0.2 of 0.2.3.
fn compatible(version: &str) -> String {
    match Version::parse(version) {
        Ok(Version { major: 0, minor: 0, patch, .. }) => format!("0.0.{patch}"),
        Ok(Version { major: 0, minor, .. }) => format!("0.{minor}"),
        Ok(Version { major, .. }) => major.to_string(),
        Err(_) => version.to_owned(),
    }
}

/// A version with the packages that require it.
fn asked_for(package: &Locked, locked: &[Locked]) -> String {
    let words = format!("{} {}", package.name, package.version);
    let by = locked.iter().filter(|other| other.asks_for.contains(&words)).map(|other| &*other.name);
    format!("{} (for {})", package.version, by.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locked(packages: &[(&str, &str, &str)]) -> Vec<Locked> {
        let locked = |(name, version, asks_for): &(&str, &str, &str)| Locked {
            name: (*name).into(),
            version: (*version).into(),
            checksum: None,
            asks_for: vec![(*asks_for).into()],
        };
        packages.iter().map(locked).collect()
    }

    const BOTH: &[(&str, &str, &str)] =
        &[("a", "0.2.7", ""), ("a", "1.5.0", ""), ("b", "0.1.0", "a 0.2.7"), ("c", "0.1.0", "a 1.5.0")];

    #[test]
    fn a_new_one_is_named_with_those_who_ask_for_it() {
        let found = faults(&locked(BOTH), &[]);
        assert!(matches!(found.as_slice(), [one] if one.contains("0.2.7 (for b), 1.5.0 (for c)")), "{found:?}");
    }

    #[test]
    fn a_known_one_is_fine_until_its_versions_change() {
        assert_eq!(faults(&locked(BOTH), &[("a", &["0.2", "1"], "b is old")]), Vec::<String>::new());
        let changed = faults(&locked(BOTH), &[("a", &["0.1", "1"], "b is old")]);
        assert!(changed.len() == 2 && changed[1].contains("not there as 0.1 and 1"), "{changed:?}");
    }

    #[test]
    fn one_that_is_gone_is_named() {
        let found = faults(&locked(&BOTH[..1]), &[("a", &["0.2", "1"], "b is old")]);
        assert!(matches!(found.as_slice(), [one] if one.contains("change its entry")), "{found:?}");
    }

    #[test]
    fn what_is_compatible_counts_as_one() {
        let cases = [("1.2.3", "1"), ("0.2.3", "0.2"), ("0.0.3", "0.0.3"), ("2.1.3+zstd.1.5.7", "2")];
        for (version, expected) in cases {
            assert_eq!(compatible(version), expected);
        }
    }
}
