//! Finishes the built page; Trunk calls this after a build (see Trunk.toml).
//!
//! It puts the first picture into the page, so that it is seen before any WebAssembly has arrived. The picture comes
//! from the native program, which is the same engine: what the reader sees first is what the page will compute again
//! when it is live. Then it names files by their content, lets the page's policy know its inline scripts, and gives the
//! service worker the list of all files.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{policy, service_worker, stamp};
use crate::{Outcome, process, project};

pub(crate) const HELP: &str =
    "finish the built page: traces, first picture, addresses, policy, service worker (Trunk calls this)";

/// The trace that comes with the page, and what the workers call it (web/src/wire.rs).
const TRACE: &str = "crates/trace/fixtures/packing-cut.csv.gz";
const TRACE_NAME: &str = "packing-cut.columns";

const MARKER: &str = "<!-- first-picture -->";

pub(crate) fn run(_: &[String]) -> Outcome {
    let staging = std::env::var_os("TRUNK_STAGING_DIR").ok_or("no TRUNK_STAGING_DIR; `cargo xtask build` calls me")?;
    let staging = PathBuf::from(staging);
    trace(&staging)?;
    lessons(&staging)?;
    strings(&staging)?;
    sqlite(&staging)?;
    parquet(&staging)?;
    let file = staging.join("index.html");
    let page = fill(&project::read(&file)?, MARKER, first_picture()?.trim())?;
    let page = stamp::workers(&staging, &page)?;
    for moved in ["sqlite", "parquet"] {
        std::fs::remove_dir(staging.join(moved)).map_err(|error| format!("{moved} was not moved: {error}"))?;
    }
    let page = stamp::data(&staging, &page)?;
    let page = policy::with_scripts(&page)?;
    service_worker::write(&staging, &page)
}

/// The page's own trace in the compact form, as the worker asks for it.
fn trace(staging: &Path) -> Outcome {
    let folder = staging.join(stamp::TRACES);
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let convert = ["trace", "convert", TRACE, "--compact", "--out"];
    process::output(tiebreak().args(convert).arg(folder.join(TRACE_NAME))).map(drop)
}

/// The lessons, and a list of them that the page asks for.
fn lessons(staging: &Path) -> Outcome {
    let from = Path::new("crates/lesson/lessons");
    let to = staging.join(stamp::LESSONS);
    let failed = |error: std::io::Error| format!("cannot copy the lessons: {error}");
    std::fs::create_dir_all(&to).map_err(failed)?;
    let mut files: Vec<_> = std::fs::read_dir(from).map_err(failed)?.collect::<Result<_, _>>().map_err(failed)?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    let mut listed = Vec::new();
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        let text = project::read(file.path())?;
        std::fs::write(to.join(&name), &text).map_err(failed)?;
        listed.push(entry(name.trim_end_matches(".md"), &text));
    }
    std::fs::write(to.join("index.json"), format!("[{}]\n", listed.join(","))).map_err(failed)
}

/// The page's texts in other languages, a file each.
fn strings(staging: &Path) -> Outcome {
    let to = staging.join(stamp::STRINGS);
    let failed = |error: std::io::Error| format!("cannot copy the strings: {error}");
    std::fs::create_dir_all(&to).map_err(failed)?;
    for file in super::strings::files()? {
        std::fs::copy(&file, to.join(file.file_name().unwrap_or_default())).map_err(failed)?;
    }
    Ok(())
}

/// SQLite and what opens files with it; they move into the folder of the worker that asks for them.
fn sqlite(staging: &Path) -> Outcome {
    let to = staging.join("sqlite");
    let failed = |error: std::io::Error| format!("cannot copy SQLite: {error}");
    std::fs::create_dir_all(&to).map_err(failed)?;
    let package = Path::new("tests/node_modules/@sqlite.org/sqlite-wasm/dist");
    let own = (PathBuf::from("web/sqlite.js"), "worker.js");
    for (from, name) in [own, (package.join("index.mjs"), "sqlite3.js"), (package.join("sqlite3.wasm"), "sqlite3.wasm")]
    {
        std::fs::copy(from, to.join(name)).map_err(failed)?;
    }
    Ok(())
}

/// What opens Parquet files; the same.
fn parquet(staging: &Path) -> Outcome {
    let to = staging.join("parquet");
    let failed = |error: std::io::Error| format!("cannot move what reads Parquet: {error}");
    std::fs::create_dir_all(&to).map_err(failed)?;
    for name in ["parquet.js", "parquet_bg.wasm"] {
        std::fs::rename(staging.join(name), to.join(name)).map_err(failed)?;
    }
    std::fs::copy("web/parquet.js", to.join("worker.js")).map(drop).map_err(failed)
}

/// A lesson in the list: what stands behind these words in its text.
fn entry(id: &str, text: &str) -> String {
    let behind = |word: &str| text.lines().find_map(|line| line.strip_prefix(word)).unwrap_or_default().trim();
    let fields = [("id", id), ("title", behind("# ")), ("minutes", behind("minutes:")), ("about", behind("about:"))];
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let field = |(name, value): &(&str, &str)| format!("\"{name}\":\"{}\"", quoted(value));
    format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(","))
}

fn tiebreak() -> Command {
    process::cargo(&["run", "--release", "--quiet", "--package", "tiebreak-cli", "--bin", "tiebreak", "--"])
}

fn first_picture() -> Result<String, String> {
    let picture = process::output(tiebreak().arg("first-picture"))?;
    match picture.trim().is_empty() {
        true => Err("`tiebreak first-picture` printed nothing".into()),
        false => Ok(picture),
    }
}

/// The page with its only `marker` replaced.
pub(super) fn fill(page: &str, marker: &str, by: &str) -> Result<String, String> {
    match page.matches(marker).count() {
        1 => Ok(page.replacen(marker, by, 1)),
        count => Err(format!("the page has the marker {marker} {count} times; it needs it once")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_becomes_the_picture() {
        let page = format!("<main>{MARKER}</main>");
        assert_eq!(fill(&page, MARKER, "<svg/>"), Ok("<main><svg/></main>".into()));
    }

    #[test]
    fn a_page_without_one_marker_is_refused() {
        assert!(fill("<main></main>", MARKER, "<svg/>").is_err());
        assert!(fill(&MARKER.repeat(2), MARKER, "<svg/>").is_err());
    }
}
