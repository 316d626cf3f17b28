//! Licences: shipped packages have licences compatible with our own, MIT or Apache-2.0.

use std::iter::Peekable;

use crate::packages::Package;

/// Licences that require only attribution.
const ALLOWED: &[&str] =
    &["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "Unicode-3.0", "Zlib"];

/// A package, its licence, and why it is harmless.
pub(super) type Exception = (&'static str, &'static str, &'static str);

/// Packages under another licence.
pub(super) const EXCEPTIONS: &[Exception] = &[
    ("axe-core", "MPL-2.0", "it checks the page in tests, is not changed and not shipped"),
    ("target-lexicon", "Apache-2.0 WITH LLVM-exception", "the exception only permits more; it runs in builds only"),
];

pub(super) fn faults(packages: &[Package], exceptions: &[Exception]) -> Vec<String> {
    let is = |package: &Package, (name, licence, _): &Exception| package.name == *name && package.licence == *licence;
    let known = |package: &&Package| exceptions.iter().any(|exception| is(package, exception));
    let idle = exceptions.iter().filter(|exception| !packages.iter().any(|package| is(package, exception)));
    let idle = idle.map(|(name, licence, _)| format!("{name} under {licence} is not used; take it from EXCEPTIONS"));
    packages.iter().filter(|package| !known(package)).filter_map(fault).chain(idle).collect()
}

fn fault(package: &Package) -> Option<String> {
    let Package { name, version, licence } = package;
    let wrong = match is_allowed(licence) {
        Some(true) => return None,
        Some(false) => "which is not allowed here",
        None => "which cannot be read",
    };
    Some(format!(
        "{name} {version} has the licence '{licence}', {wrong}: take another package, or, if the licence goes with MIT \
         and Apache-2.0, add it to crates/xtask/src/commands/supply/licences.rs"
    ))
}

/// Whether a licence expression (SPDX) can be met by the allowed licences; `None` if it cannot be parsed. Old
/// manifests use `/` for OR.
fn is_allowed(expression: &str) -> Option<bool> {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let allowed = any_of(&mut words)?;
    words.next().is_none().then_some(allowed)
}

fn any_of<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>) -> Option<bool> {
    let mut allowed = all_of(words)?;
    while words.next_if_eq(&"OR").is_some() {
        allowed |= all_of(words)?;
    }
    Some(allowed)
}

fn all_of<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>) -> Option<bool> {
    let mut allowed = one(words)?;
    while words.next_if_eq(&"AND").is_some() {
        allowed &= one(words)?;
    }
    Some(allowed)
}

/// A licence, with or without its exception (`WITH`), or an expression in parentheses.
fn one<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>) -> Option<bool> {
    match words.next()? {
        "(" => any_of(words).filter(|_| words.next() == Some(")")),
        ")" | "OR" | "AND" | "WITH" => None,
        licence => match words.next_if_eq(&"WITH") {
            None => Some(ALLOWED.contains(&licence)),
            Some(_) => words.next().map(|exception| ALLOWED.contains(&&*format!("{licence} WITH {exception}"))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_met_or_not_or_none() {
        let cases = [
            ("MIT", Some(true)),
            ("GPL-3.0-only", Some(false)),
            ("MIT/Apache-2.0", Some(true)),
            ("GPL-2.0 / MIT", Some(true)),
            ("MIT OR GPL-2.0 AND GPL-3.0", Some(true)),
            ("(MIT OR GPL-2.0) AND GPL-3.0", Some(false)),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", Some(true)),
            ("GPL-2.0 WITH Classpath-exception-2.0 OR MIT", Some(true)),
            ("Apache-2.0 WITH LLVM-exception", Some(false)),
            ("", None),
            ("MIT OR", None),
            ("(MIT", None),
            ("MIT)", None),
            ("MIT Apache-2.0", None),
            ("MIT WITH", None),
        ];
        for (expression, expected) in cases {
            assert_eq!(is_allowed(expression), expected, "{expression}");
        }
    }

    fn package(name: &str, licence: &str) -> Package {
        Package { name: name.into(), version: "1.2.3".into(), licence: licence.into() }
    }

    #[test]
    fn what_is_not_allowed_is_named_with_its_licence() {
        let found = faults(&[package("fine", "MIT"), package("closed", "SSPL-1.0"), package("bare", "")], &[]);
        let [closed, bare] = found.as_slice() else { panic!("{found:?}") };
        assert!(closed.starts_with("closed 1.2.3 has the licence 'SSPL-1.0', which is not allowed"), "{closed}");
        assert!(bare.contains("cannot be read"), "{bare}");
    }

    #[test]
    fn an_exception_counts_for_one_licence_and_has_to_be_used() {
        let exceptions = &[("tool", "MPL-2.0", "not shipped")];
        assert_eq!(faults(&[package("tool", "MPL-2.0")], exceptions), Vec::<String>::new());
        let found = faults(&[package("tool", "AGPL-3.0")], exceptions);
        assert!(found.len() == 2 && found[1].contains("is not used"), "{found:?}");
    }
}
