//! Third-party packages: their entries in the lock files, and cargo's list of those in a build.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{process, project};

/// An entry of Cargo.lock.
#[derive(Debug, PartialEq)]
pub(crate) struct Locked {
    pub(crate) name: String,
    pub(crate) version: String,
    /// SHA-256, in hexadecimal, of the registry's file; `None` for our own crates.
    pub(crate) checksum: Option<String>,
    /// Its dependencies by name, with the version if there are several: `syn 2.0.119`.
    pub(crate) asks_for: Vec<String>,
}

/// A package in a build, as its manifest describes it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: String,
}

/// All entries of Cargo.lock.
pub(crate) fn locked() -> Result<Vec<Locked>, String> {
    Ok(entries(&project::read("Cargo.lock")?))
}

pub(crate) fn entries(lock: &str) -> Vec<Locked> {
    lock.split("[[package]]").skip(1).filter_map(entry).collect()
}

fn entry(text: &str) -> Option<Locked> {
    let field = |name| text.lines().find_map(|line| Some(line.strip_prefix(name)?.trim_matches('"').to_owned()));
    let asks_for = text.split_once("dependencies = [").and_then(|(_, rest)| rest.split_once(']'));
    Some(Locked {
        name: field("name = ")?,
        version: field("version = ")?,
        checksum: field("checksum = "),
        asks_for: asks_for.map(|(names, _)| quoted(names)).unwrap_or_default(),
    })
}

/// The texts between quotation marks.
pub(crate) fn quoted(text: &str) -> Vec<String> {
    text.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The packages that cargo compiles for these arguments of `cargo tree`, including our own crates.
pub(crate) fn compiled(words: &[&str]) -> Result<BTreeSet<Package>, String> {
    let tree = ["tree", "--locked", "--prefix", "none", "--format", "{p}|{l}"];
    let found = packages(&process::output(process::cargo(&tree).args(words))?);
    if found.is_empty() { Err("`cargo tree` names no package; did its form change?".into()) } else { Ok(found) }
}

/// Parses `name v1.0.0 (proc-macro)|MIT (*)`; the star marks a repeated entry.
pub(crate) fn packages(tree: &str) -> BTreeSet<Package> {
    let package = |line: &str| {
        let (package, licence) = line.trim_end_matches(" (*)").split_once('|')?;
        let mut words = package.split(' ');
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        Some(Package { name: name.into(), version: version.into(), licence: licence.into() })
    };
    tree.lines().filter_map(package).collect()
}

/// A package from npm, and the digest of the registry's file: `sha512-` and base64.
#[derive(Debug, PartialEq)]
pub(crate) struct Npm {
    pub(crate) package: Package,
    pub(crate) integrity: String,
}

/// All entries of the lock file of the tests' tools.
pub(crate) fn npm() -> Result<Vec<Npm>, String> {
    npm_entries(&project::read("tests/package-lock.json")?)
}

pub(crate) fn npm_entries(lock: &str) -> Result<Vec<Npm>, String> {
    let lock: Value = serde_json::from_str(lock).map_err(|error| format!("package-lock.json is no JSON: {error}"))?;
    let packages = lock["packages"].as_object().ok_or("package-lock.json has no packages")?;
    let entry = |(path, entry): (&String, &Value)| {
        let field = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let name = path.rsplit_once("node_modules/")?.1.to_owned();
        let package = Package { name, version: field("version"), licence: field("license") };
        Some(Npm { package, integrity: field("integrity") })
    };
    Ok(packages.iter().filter_map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_lock_files_and_cargo_say_is_read() {
        let lock = "version = 4\n\n[[package]]\nname = \"ours\"\nversion = \"0.1.0\"\ndependencies = [\n \"a 1.0.0\",\n \
             \"b\",\n]\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry\"\nchecksum = \"c0ffee\"\n";
        let [ours, a] = <[Locked; 2]>::try_from(entries(lock)).expect("there are two");
        assert_eq!((ours.checksum, ours.asks_for), (None, vec!["a 1.0.0".into(), "b".into()]));
        assert_eq!((&*a.name, &*a.version, a.checksum.as_deref()), ("a", "1.0.0", Some("c0ffee")));

        let tree = "ours v0.1.0 (/somewhere)|MIT\na v1.0.0 (proc-macro)|MIT OR Zlib (*)\n\na v1.0.0|MIT OR Zlib\n";
        let read: Vec<_> = packages(tree).into_iter().map(|found| (found.name, found.version, found.licence)).collect();
        let expected = [("a", "1.0.0", "MIT OR Zlib"), ("ours", "0.1.0", "MIT")];
        assert_eq!(read, expected.map(|(name, version, licence)| (name.into(), version.into(), licence.into())));

        let npm = r#"{"packages": {"": {}, "node_modules/@b/c": {"version": "2.0.0", "license": "MIT", "integrity": "sha512-AA=="}}}"#;
        let package = Package { name: "@b/c".into(), version: "2.0.0".into(), licence: "MIT".into() };
        assert_eq!(npm_entries(npm), Ok(vec![Npm { package, integrity: "sha512-AA==".into() }]));
    }
}
