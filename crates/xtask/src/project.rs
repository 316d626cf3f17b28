//! Paths in the checkout, and the content of its files.

use std::path::{Path, PathBuf};

/// The page's build, ready for any static host.
pub(crate) const DIST: &str = "dist";
/// The folder of the npm packages, which only tests and the build use.
pub(crate) const NPM: &str = "tests";

/// The checkout's top folder. Cargo provides it at run time, so a moved checkout needs no rebuild.
pub(crate) fn root() -> Result<PathBuf, String> {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").ok_or("start me as `cargo xtask`")?;
    let root = Path::new(&here).ancestors().nth(2);
    root.map(Path::to_path_buf).ok_or_else(|| format!("no checkout above {}", here.display()))
}

/// A text file's content.
pub(crate) fn read(path: impl AsRef<Path>) -> Result<String, String> {
    let path = path.as_ref();
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// The Rust files below a folder.
pub(crate) fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    if folder.is_file() {
        return Ok(vec![folder.to_owned()]);
    }
    let entries = std::fs::read_dir(folder).map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    let mut files = Vec::new();
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        match path.is_dir() {
            true => files.extend(sources(&path)?),
            false if path.extension().is_some_and(|ending| ending == "rs") => files.push(path),
            false => {}
        }
    }
    Ok(files)
}

/// Says what to do if the page has not been built.
pub(crate) fn need_dist() -> crate::Outcome {
    match Path::new(DIST).join("index.html").is_file() {
        true => Ok(()),
        false => Err("dist/index.html is missing; run `cargo xtask build` first".into()),
    }
}

/// The version of `package` in Cargo.lock, if it is listed.
pub(crate) fn locked_version(package: &str) -> Option<String> {
    let lock = read("Cargo.lock").ok()?;
    let entry = lock.split("[[package]]").find(|entry| entry.contains(&format!("name = \"{package}\"\n")))?;
    let version = entry.split("version = \"").nth(1)?;
    version.split('"').next().map(str::to_owned)
}
