//! The files of the page: how they are assembled, for development and for hosting.
//!
//! `cargo xtask build` has Trunk compile and link the page for hosting; [`develop`] does the same quickly, without
//! Trunk. Both pass a folder to [`finish`]. It inserts the first picture into the page, so that readers see it before
//! any WebAssembly has loaded, names files by their content, adds the inline scripts to the page's policy, and gives
//! the service worker the list of all files.

pub(crate) mod develop;
pub(crate) mod freshness;
mod picture;
mod policy;
pub(crate) mod sbom;
pub(crate) mod service_worker;
mod stamp;

use std::path::{Path, PathBuf};

use crate::{Outcome, digest, project};

const WELCOME: &str = "<!-- welcome -->";
const MARKER: &str = "<!-- first-picture -->";
const FIRST_RUN: &str = "{first-run}";

/// The one npm package that the page ships.
const SQLITE: &str = "@sqlite.org/sqlite-wasm";

/// A cargo profile, and its output folder below the target.
pub(crate) struct Profile {
    name: &'static str,
    folder: &'static str,
}

/// The page's profile for development.
pub(crate) const DEVELOPMENT: Profile = Profile { name: "dev", folder: "debug" };

/// The engine's profile for hosting; see index.html.
pub(crate) const HOSTING: Profile = Profile { name: "whole", folder: "whole" };

/// Finishes the page in this folder; its engine was compiled in this profile.
pub(crate) fn finish(staging: &Path, profile: &Profile) -> Outcome {
    let ([welcome, picture], first) = picture::draw(staging, profile)?;
    lessons(staging)?;
    strings(staging)?;
    sqlite(staging)?;
    programs(staging)?;
    let file = staging.join("index.html");
    let page = fill(&project::read(&file)?, WELCOME, &welcome)?;
    let page = fill(&page, MARKER, &picture)?;
    let page = fill(&page, FIRST_RUN, &format!("./{first}"))?;
    loader(staging)?;
    let page = stamp::worker(staging, &page)?;
    for moved in stamp::APART {
        std::fs::remove_dir(staging.join(moved)).map_err(|error| format!("{moved} was not moved: {error}"))?;
    }
    let page = stamp::data(staging, &page)?;
    let page = policy::with_scripts(&page)?;
    service_worker::write(staging, &page)
}

/// The loader of the engine's worker. It replaces Trunk's, which does not report a failure.
fn loader(staging: &Path) -> Outcome {
    let to = staging.join(stamp::LOADER);
    std::fs::copy("web/worker.js", to).map(drop).map_err(|error| format!("cannot copy what loads the worker: {error}"))
}

/// The lessons, and the list of lessons that the page requests.
fn lessons(staging: &Path) -> Outcome {
    let from = Path::new("crates/lesson/lessons");
    let to = staging.join(stamp::LESSONS);
    let failed = |error: std::io::Error| format!("cannot copy the lessons: {error}");
    std::fs::create_dir_all(&to).map_err(failed)?;
    let mut files: Vec<_> = std::fs::read_dir(from).map_err(failed)?.collect::<Result<_, _>>().map_err(failed)?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    let mut texts = Vec::new();
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        let text = project::read(file.path())?;
        std::fs::write(to.join(&name), &text).map_err(failed)?;
        texts.push((name.trim_end_matches(".md").to_owned(), text));
    }
    let is_first = |(name, _): &&(String, String)| !name.contains('.');
    let others = texts.iter().filter_map(|(name, text)| name.split_once('.').map(|of| (of, text.as_str())));
    let lesson = |(id, text): &(String, String)| {
        let of_it = others.clone().filter(|((of, _), _)| of == id);
        entry(id, text, of_it.map(|((_, language), text)| (language, text)))
    };
    let listed: Vec<_> = texts.iter().filter(is_first).map(lesson).collect();
    std::fs::write(to.join("index.json"), format!("[{}]\n", listed.join(","))).map_err(failed)
}

/// The page's translations, one file per language.
fn strings(staging: &Path) -> Outcome {
    let to = staging.join(stamp::STRINGS);
    let failed = |error: std::io::Error| format!("cannot copy the strings: {error}");
    std::fs::create_dir_all(&to).map_err(failed)?;
    for file in crate::commands::strings::files()? {
        std::fs::copy(&file, to.join(file.file_name().unwrap_or_default())).map_err(failed)?;
    }
    Ok(())
}

/// SQLite and the program that opens files with it; they move into the folder of the worker that requests them.
fn sqlite(staging: &Path) -> Outcome {
    let to = staging.join("sqlite");
    let failed = |error: std::io::Error| format!("cannot copy SQLite: {error}");
    std::fs::create_dir_all(&to).map_err(failed)?;
    let package = Path::new("tests/node_modules").join(SQLITE).join("dist");
    let own = (PathBuf::from("web/sqlite.js"), "worker.js");
    for (from, name) in [own, (package.join("index.mjs"), "sqlite3.js"), (package.join("sqlite3.wasm"), "sqlite3.wasm")]
    {
        std::fs::copy(from, to.join(name)).map_err(failed)?;
    }
    Ok(())
}

/// The programs that open Parquet files, and clusters and configurations of schedulers; they move in the same way.
fn programs(staging: &Path) -> Outcome {
    for program in ["parquet", "imports"] {
        let to = staging.join(program);
        let failed = |error: std::io::Error| format!("cannot move the program {program}: {error}");
        std::fs::create_dir_all(&to).map_err(failed)?;
        for name in [format!("{program}.js"), format!("{program}_bg.wasm")] {
            std::fs::rename(staging.join(&name), to.join(&name)).map_err(failed)?;
        }
        std::fs::copy(format!("web/{program}.js"), to.join("worker.js")).map_err(failed)?;
    }
    Ok(())
}

/// The list entry of a lesson: the values after these words in its text; `others` are its translations by language.
fn entry<'a>(id: &str, text: &str, others: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let in_other = |(language, text): (&str, &str)| {
        format!("\"{language}\":{{{}}}", fields(text, &[("title", "# "), ("about", "about:")]))
    };
    let others: Vec<_> = others.map(in_other).collect();
    let first = fields(text, &[("title", "# "), ("minutes", "minutes:"), ("about", "about:")]);
    format!("{{\"id\":\"{id}\",{first},\"in\":{{{}}}}}", others.join(","))
}

/// Fields of the list, each with the value after a word in a lesson's text.
fn fields(text: &str, words: &[(&str, &str)]) -> String {
    let behind = |word: &str| text.lines().find_map(|line| line.strip_prefix(word)).unwrap_or_default().trim();
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let field = |(name, word): &(&str, &str)| format!("\"{name}\":\"{}\"", quoted(behind(word)));
    words.iter().map(field).collect::<Vec<_>>().join(",")
}

/// Copies a file to a name that changes with its content, and returns that name.
fn named_by_content(staging: &Path, file: &Path, name: &str, end: &str) -> Result<String, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let name = format!("{name}-{}{end}", digest::name(&bytes));
    std::fs::write(staging.join(&name), bytes).map_err(|error| format!("cannot write {name}: {error}"))?;
    Ok(name)
}

/// The page with its only `marker` replaced.
fn fill(page: &str, marker: &str, by: &str) -> Result<String, String> {
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
