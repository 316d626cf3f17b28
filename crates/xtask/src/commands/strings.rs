//! Translations of the page: which texts to translate, and which of them the files in `web/strings/` contain.
//!
//! English is the source, so the keys are collected from it: the literals passed to `tr`, `say`, `mark`, `counted`
//! and `phrase!` anywhere, and the help in the registries.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tiebreak_i18n::places_agree;
use tiebreak_model::phrase::{Piece, pieces};

use crate::literals::literals;
use crate::tools::NATIVE;
use crate::{Outcome, process, project};

pub(crate) const HELP: &str = "what is missing, unused or wrong in web/strings/*.json [--write | --missing, as JSON]";

const FOLDER: &str = "web/strings";

/// The format of numbers; see `tiebreak_i18n`.
const NUMBER: &str = "1,234.5";

/// Folders that are not shipped.
const BESIDE: &[&str] = &["benches", "examples", "fuzz", "target", "tests"];

type Catalogue = BTreeMap<String, String>;

pub(crate) fn run(words: &[String]) -> Outcome {
    let asks = |option: &str| words.iter().any(|word| word == option);
    if asks("--write") {
        write()?;
    }
    let found = found()?;
    if asks("--missing") {
        let missing: BTreeSet<&String> = found.iter().flat_map(|(_, faults)| &faults.missing).collect();
        println!("{}", serde_json::to_string_pretty(&missing).map_err(|error| error.to_string())?);
        return Ok(());
    }
    match lines(&found, Faults::all).as_slice() {
        [] => Ok(()),
        lines => Err(format!(
            "{} texts are not in order; `cargo xtask strings --write` adds empty entries and drops unused ones:\n  {}",
            lines.len(),
            lines.join("\n  ")
        )),
    }
}

/// Fails for an invalid translation. A missing one is only counted, because the page then shows English.
pub(crate) fn check() -> Outcome {
    let found = found()?;
    for (file, faults) in &found {
        let count = faults.missing.len() + faults.unused.len();
        if count > 0 {
            println!("{}: {count} texts are missing or unused; `cargo xtask strings` names them", file.display());
        }
    }
    match lines(&found, |faults| faults.wrong.clone()).as_slice() {
        [] => Ok(()),
        lines => Err(format!("translations that cannot be used:\n  {}", lines.join("\n  "))),
    }
}

/// Adds missing texts, empty, to every language, and removes unused ones.
fn write() -> Outcome {
    let keys = keys()?;
    for file in files()? {
        let mut catalogue = read(&file)?;
        catalogue.retain(|english, _| keys.contains(english));
        keys.iter().for_each(|english| {
            catalogue.entry(english.clone()).or_default();
        });
        save(&file, &catalogue)?;
    }
    Ok(())
}

/// The findings for every language.
fn found() -> Result<Vec<(PathBuf, Faults)>, String> {
    let keys = keys()?;
    files()?.into_iter().map(|file| read(&file).map(|catalogue| (file, Faults::of(&keys, &catalogue)))).collect()
}

fn lines(found: &[(PathBuf, Faults)], of: fn(&Faults) -> Vec<String>) -> Vec<String> {
    let lines = found.iter().flat_map(|(file, faults)| of(faults).into_iter().map(move |line| (file, line)));
    lines.map(|(file, line)| format!("{}: {line}", file.display())).collect()
}

/// Every language's file.
pub(crate) fn files() -> Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("cannot list {FOLDER}: {error}");
    let entries = std::fs::read_dir(FOLDER).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let mut files: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    Ok(files)
}

fn read(file: &Path) -> Result<Catalogue, String> {
    let text = project::read(file)?;
    serde_json::from_str(&text).map_err(|error| format!("{} is no flat object of texts: {error}", file.display()))
}

fn save(file: &Path, catalogue: &Catalogue) -> Outcome {
    let text = serde_json::to_string_pretty(catalogue).map_err(|error| error.to_string())?;
    std::fs::write(file, text + "\n").map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// The findings for one language.
struct Faults {
    /// English texts without a translation.
    missing: Vec<String>,
    /// English texts that the page no longer uses.
    unused: Vec<String>,
    /// Invalid translations, and why.
    wrong: Vec<String>,
}

impl Faults {
    fn of(keys: &BTreeSet<String>, catalogue: &Catalogue) -> Self {
        let missing = keys.iter().filter(|english| catalogue.get(*english).is_none_or(String::is_empty));
        let unused = catalogue.keys().filter(|english| !keys.contains(*english));
        let wrong = catalogue.iter().filter(|(english, other)| !other.is_empty() && !places_agree(english, other));
        let wrong = wrong.map(|(english, other)| format!("{other:?} has other places than {english:?}"));
        Self { missing: missing.cloned().collect(), unused: unused.cloned().collect(), wrong: wrong.collect() }
    }

    /// One line per finding.
    fn all(&self) -> Vec<String> {
        let missing = self.missing.iter().map(|english| format!("lacks {english:?}"));
        let unused = self.unused.iter().map(|english| format!("has {english:?}, which the page no longer says"));
        missing.chain(unused).chain(self.wrong.iter().cloned()).collect()
    }
}

/// All texts to translate.
fn keys() -> Result<BTreeSet<String>, String> {
    process::output(process::cargo(&["build", "--quiet", "--example", "texts"]).args(NATIVE))?;
    let texts = process::output(&mut process::command("target/debug/examples/texts", &[]))?;
    let mut keys: BTreeSet<String> = serde_json::from_str(&texts).map_err(|error| format!("registries: {error}"))?;
    keys.insert(NUMBER.to_owned());
    for file in sources(Path::new("web/src"))?.into_iter().chain(sources(Path::new("crates"))?) {
        let texts = literals(&project::read(&file)?).map_err(|error| format!("{}: {error}", file.display()))?;
        keys.extend(texts.into_iter().filter(|text| is_of_a_language(text)));
    }
    Ok(keys)
}

/// Whether a template has letters or quotation marks outside its placeholders: `{}, {}` is the same in every
/// language.
fn is_of_a_language(template: &str) -> bool {
    pieces(template)
        .iter()
        .any(|piece| matches!(piece, Piece::Text(text) if text.contains(|it: char| it.is_alphabetic() || it == '"')))
}

/// The shipped sources, without tests and examples.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    let mut files = Vec::new();
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        match path.is_dir() {
            true if !BESIDE.contains(&name) => files.extend(sources(&path)?),
            false if name.ends_with(".rs") && name != "tests.rs" => files.push(path),
            _ => {}
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue(entries: &[(&str, &str)]) -> Catalogue {
        entries.iter().map(|(english, other)| ((*english).to_owned(), (*other).to_owned())).collect()
    }

    #[test]
    fn what_is_missing_dead_or_has_other_places_is_named() {
        let keys = ["Run", "{done} of {all}"].map(str::to_owned).into();
        let all = |entries| Faults::of(&keys, &catalogue(entries)).all();
        assert!(all(&[("Run", "Los"), ("{done} of {all}", "{all}: {done}")]).is_empty());
        for (entries, fault) in [
            (&[("Run", "Los")][..], "lacks \"{done} of {all}\""),
            (&[("Run", ""), ("{done} of {all}", "{all}: {done}")], "lacks \"Run\""),
            (&[("Run", "Los"), ("Go", "Geh"), ("{done} of {all}", "{all}: {done}")], "no longer says"),
            (&[("Run", "Los"), ("{done} of {all}", "{alle}: {done}")], "other places"),
            (&[("Run", "Los {n}"), ("{done} of {all}", "{all}: {done}")], "other places"),
        ] {
            let found = all(entries);
            assert!(matches!(&found[..], [one] if one.contains(fault)), "{found:?}");
        }
    }

    #[test]
    fn templates_without_a_letter_or_a_quotation_mark_are_the_same_everywhere() {
        assert!(["Run", "{n} VMs", "{:.0} h", "\"{rule}\""].into_iter().all(is_of_a_language));
        assert!(["", "{} {}", "{words}, {said}", "\u{2026}"].into_iter().all(|it| !is_of_a_language(it)));
    }
}
