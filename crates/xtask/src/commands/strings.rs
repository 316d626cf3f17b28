//! The texts of the page in other languages: what there is to translate, and what of it the files in `web/strings/` have.
//!
//! English is the source, so the keys are gathered from it: the literals that `tr`, `say`, `mark` and `counted` are
//! given, the sentences of the engine, and what the registries say of themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tiebreak_i18n::places_agree;

use crate::rust_text::{Literal, literals};
use crate::tools::NATIVE;
use crate::{Outcome, process, project};

pub(crate) const HELP: &str = "what is missing, unused or wrong in web/strings/*.json [--write | --missing, as JSON]";

const FOLDER: &str = "web/strings";

/// Where texts are given to `tr` and its like: folders and files.
const PAGE: &[&str] =
    &["web/src", "crates/app/src", "crates/view/src", "crates/engine/src/words.rs", "crates/chart/src"];

/// Functions that take English literals, and which of their arguments those are.
const TAKING: &[(&str, &[usize])] = &[("tr", &[0]), ("mark", &[0]), ("say", &[0]), ("counted", &[1, 2])];

/// What speaks English to the page, sentence by sentence: files, and folders.
const ENGINE: &[&str] = &[
    "crates/admission/src/fit/doubt.rs",
    "crates/admission/src/fit/mod.rs",
    "crates/admission/src/prior.rs",
    "crates/criticality/src/series.rs",
    "crates/fitting/src/compare.rs",
    "crates/engine/src/answer.rs",
    "crates/engine/src/driving.rs",
    "crates/engine/src/explaining.rs",
    "crates/engine/src/generated.rs",
    "crates/engine/src/lib.rs",
    "crates/engine/src/lifetimes.rs",
    "crates/engine/src/machine.rs",
    "crates/engine/src/power/budgets.rs",
    "crates/engine/src/power/mod.rs",
    "crates/engine/src/power/readings.rs",
    "crates/engine/src/questions",
    "crates/engine/src/run.rs",
    "crates/engine/src/trace_card.rs",
    "crates/engine/src/traces.rs",
    "crates/engine/src/vdcs.rs",
    "crates/lifetime/src/judging.rs",
    "crates/lifetime/src/traits.rs",
    "crates/placement/src/admission/mod.rs",
    "crates/placement/src/explain/reference.rs",
    "crates/placement/src/explain/words.rs",
    "crates/placement/src/lifetime/host.rs",
    "crates/placement/src/lifetime/mod.rs",
    "crates/placement/src/rule/quantities.rs",
    "crates/placement/src/rules/first_moment_admission.rs",
    "crates/placement/src/rules/lifetime_alignment.rs",
    "crates/placement/src/rules/second_moment_admission.rs",
    "crates/placement/src/rules/temporal_cost.rs",
    "crates/placement/src/rules/zeroth_moment_admission.rs",
    "crates/power/src/approaches.rs",
    "crates/power/src/oversubscription.rs",
    "crates/profile/src/facts.rs",
    "crates/profile/src/sizing.rs",
    "crates/profile/src/words.rs",
    "crates/scenario/src/cost.rs",
    "crates/sim/src/power/mod.rs",
    "crates/sim/src/observation/rule_shares.rs",
    "crates/sim/src/world/story.rs",
    "crates/trace/src/limits.rs",
    "crates/trace/src/report.rs",
];

/// Calls whose literals nobody reads on the page.
const UNSEEN: &[&str] = &["assert", "debug_struct", "debug_tuple", "expect", "field", "panic", "stream"];

/// How numbers are written; see `tiebreak_i18n`.
const NUMBER: &str = "1,234.5";

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

/// Fails for a translation that is wrong. One that is missing is English on the page, and is only counted here.
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

/// Adds what is missing to every language, empty, and drops what is unused.
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

/// What is to be said of every language.
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

/// What is to be said of a language.
struct Faults {
    /// English texts without a translation.
    missing: Vec<String>,
    /// English texts that the page no longer says.
    unused: Vec<String>,
    /// Translations that cannot be used, and why.
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

    /// A line for each.
    fn all(&self) -> Vec<String> {
        let missing = self.missing.iter().map(|english| format!("lacks {english:?}"));
        let unused = self.unused.iter().map(|english| format!("has {english:?}, which the page no longer says"));
        missing.chain(unused).chain(self.wrong.iter().cloned()).collect()
    }
}

/// Everything there is to translate.
fn keys() -> Result<BTreeSet<String>, String> {
    process::output(process::cargo(&["build", "--quiet", "--example", "texts"]).args(NATIVE))?;
    let texts = process::output(&mut process::command("target/debug/examples/texts", &[]))?;
    let mut keys: BTreeSet<String> = serde_json::from_str(&texts).map_err(|error| format!("registries: {error}"))?;
    keys.insert(NUMBER.to_owned());
    for file in PAGE.iter().map(|folder| project::sources(Path::new(folder))).collect::<Result<Vec<_>, _>>()?.concat() {
        keys.extend(literals(&project::read(file)?).into_iter().filter(is_given).map(|it| it.text));
    }
    for file in ENGINE.iter().map(|part| project::sources(Path::new(part))).collect::<Result<Vec<_>, _>>()?.concat() {
        keys.extend(literals(&project::read(file)?).into_iter().filter(is_said).map(|it| it.text));
    }
    Ok(keys)
}

/// Whether a literal is given to a function that translates it.
fn is_given(literal: &Literal) -> bool {
    let call = literal.calls.iter().rev().find(|(name, _)| !name.is_empty() && name != "else");
    let taken = call.and_then(|(name, at)| Some((TAKING.iter().find(|(taking, _)| taking == name)?, at)));
    taken.is_some_and(|((_, arguments), at)| arguments.contains(at))
}

/// Whether a literal of the engine is something it says: words, not only places, ids or names of fields.
fn is_said(literal: &Literal) -> bool {
    let unseen = literal.calls.iter().any(|(name, _)| UNSEEN.contains(&name.as_str()));
    let outside: String =
        literal.text.split('{').map(|part| part.split_once('}').map_or(part, |(_, text)| text)).collect();
    let has_word = outside.split(|letter: char| !letter.is_ascii_lowercase()).any(|word| word.len() > 1);
    has_word && !unseen && !is_name(&literal.text) && !outside.contains(['_', '/', '<'])
}

/// Whether a text is the name of a rule or a question, `BestFit`, which is the same in every language.
fn is_name(text: &str) -> bool {
    let joins = text.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    joins && text.bytes().all(|letter| letter.is_ascii_alphanumeric())
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
    fn literals_count_where_they_are_translated_or_said() {
        let source = "tr(\"a\"); say(\"b {n}\", &[&\"c\"]); button(\"d\"); tr(if x { \"e\" } else { \"f\" }); counted(1.0, \"g\", \"h\")";
        let given: Vec<_> = literals(source).into_iter().filter(is_given).map(|it| it.text).collect();
        assert_eq!(given, ["a", "b {n}", "e", "f", "g", "h"]);
        let source = "format!(\"it {what}\"); format!(\"{a} {b}\"); row(\"train_share\"); \"BestFit\"; x.expect(\"there is one\")";
        let said: Vec<_> = literals(source).into_iter().filter(is_said).map(|it| it.text).collect();
        assert_eq!(said, ["it {what}"]);
    }
}
