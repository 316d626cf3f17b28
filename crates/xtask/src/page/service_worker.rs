//! Gives the service worker (web/sw.js) the list of all files of this build, with digests, and writes both it and the
//! page, which contain the build's name.

use std::collections::BTreeMap;
use std::path::Path;

use super::fill;
use super::stamp::APART;
use crate::{Outcome, digest, project};

const TEMPLATE: &str = "web/sw.js";
const PAGE: &str = "index.html";
const SERVICE_WORKER: &str = "sw.js";
const BUILD: &str = "{build}";
const FILES: &str = "'{files}'";

/// Writes `page` and the service worker into the folder of the built page.
pub(crate) fn write(staging: &Path, page: &str) -> Outcome {
    let mut files = BTreeMap::new();
    for file in files_below(staging)?.into_iter().filter(|file| is_kept(file)) {
        if !has_content_in_name(&file) {
            return Err(format!("dist/{file} has no content in its name; caches would mix builds up (see stamp.rs)"));
        }
        let bytes = std::fs::read(staging.join(&file)).map_err(|error| format!("cannot read {file}: {error}"))?;
        files.insert(format!("./{file}"), digest::integrity(&bytes));
    }
    let script = project::read(TEMPLATE)?;
    let build = digest::name(format!("{files:?}{page}{script}").as_bytes());
    let page = fill(page, BUILD, &build)?;
    files.insert("./".into(), digest::integrity(page.as_bytes()));
    let script = fill(&fill(&script, BUILD, &build)?, FILES, &as_object(&files))?;
    for (name, text) in [(PAGE, page), (SERVICE_WORKER, script)] {
        std::fs::write(staging.join(name), text).map_err(|error| format!("cannot write {name}: {error}"))?;
    }
    Ok(())
}

/// Whether every reader caches a file. Rarely needed files come from the network on demand.
fn is_kept(file: &str) -> bool {
    ![PAGE, SERVICE_WORKER].contains(&file) && !APART.iter().any(|folder| file.contains(&format!("/{folder}/")))
}

/// The list as a JavaScript object; neither addresses nor digests need escaping.
fn as_object(files: &BTreeMap<String, String>) -> String {
    let lines: String = files.iter().map(|(file, digest)| format!("  '{file}': '{digest}',\n")).collect();
    format!("{{\n{lines}}}")
}

/// The sorted addresses of all files below a folder.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    let mut files = Vec::new();
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match path.is_dir() {
            true => files.extend(files_below(&path)?.into_iter().map(|file| format!("{name}/{file}"))),
            false => files.push(name),
        }
    }
    files.sort();
    Ok(files)
}

/// Whether an address contains a hash, as Trunk and `stamp.rs` add it: 16 hexadecimal digits, from which Trunk drops
/// leading zeros.
fn has_content_in_name(file: &str) -> bool {
    file.split(['-', '_', '.', '/'])
        .any(|part| (12..=16).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_and_without_content() {
        assert!(has_content_in_name("app-3dec4cb8bb1f78e5_bg.wasm"));
        assert!(has_content_in_name("style-eb026ce69af3338.css"));
        assert!(has_content_in_name("first-516fab2b81e54048/first_loader.js"));
        assert!(!has_content_in_name("traces/packing-cut.columns"));
    }

    #[test]
    fn the_script_has_one_place_for_each() {
        let script = project::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/sw.js")).expect("the file is there");
        let files = BTreeMap::from([("./".to_owned(), digest::integrity(b""))]);
        let filled = fill(&script, BUILD, "b").and_then(|script| fill(&script, FILES, &as_object(&files)));
        assert!(filled.is_ok_and(|script| script.contains("const FILES = {\n  './': 'sha256-")));
    }
}
