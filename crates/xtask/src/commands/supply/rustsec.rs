//! The RustSec database as published: one folder per package, one file per advisory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::advisories::{Advisory, FILE, SOURCE, Saved, as_text, read};
use crate::packages::quoted;
use crate::{Outcome, process, project};

/// Rewrites the file from a checkout of the database. Existing entries of advisories stay as they are.
pub(super) fn update(packages: &BTreeSet<&str>, checkout: &str) -> Outcome {
    let folder = Path::new(checkout).join("crates");
    if !folder.is_dir() {
        return Err(format!("{checkout} has no folder crates; is it a checkout of {SOURCE}?"));
    }
    let said = project::read(FILE).and_then(|text| read(&text)).map_or(Vec::new(), |saved| saved.advisories);
    let said: BTreeMap<String, String> = said.into_iter().map(|advisory| (advisory.id, advisory.about)).collect();
    let date = process::output(&mut process::command("git", &["-C", checkout, "log", "-1", "--format=%cs"]))?;
    let mut saved = Saved { date: date.trim().to_owned(), advisories: Vec::new(), without: BTreeSet::new() };
    for package in packages {
        let found = about_package(&folder.join(package))?;
        if found.is_empty() {
            saved.without.insert((*package).to_owned());
        }
        saved.advisories.extend(found);
    }
    for advisory in &mut saved.advisories {
        if let Some(about) = said.get(&advisory.id) {
            advisory.about.clone_from(about);
        }
    }
    std::fs::write(FILE, as_text(&saved)).map_err(|error| format!("cannot write {FILE}: {error}"))
}

/// The advisories in the database's folder for one package; most packages have none.
fn about_package(folder: &Path) -> Result<Vec<Advisory>, String> {
    let Ok(files) = std::fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut files: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    files.sort();
    let advisories = files.iter().map(|file| {
        let advisory = advisory(&project::read(file)?);
        advisory.map_err(|what| format!("{} has no {what}; is it an advisory?", file.display()))
    });
    Ok(advisories.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// Parses an advisory, TOML between fences and then Markdown; `None` if it was withdrawn.
fn advisory(text: &str) -> Result<Option<Advisory>, &'static str> {
    let (facts, prose) = text.split_once("\n```\n").ok_or("end of its facts")?;
    let field = |name: &str| facts.lines().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('='));
    let word = |name: &'static str| field(name).map(|value| value.trim().trim_matches('"').to_owned()).ok_or(name);
    let ranges = |name: &str| {
        let (_, rest) = facts.split_once(&format!("\n{name} = ["))?;
        Some(quoted(rest.split_once(']')?.0))
    };
    if field("withdrawn").is_some() {
        return Ok(None);
    }
    Ok(Some(Advisory {
        id: word("id")?,
        package: word("package")?,
        patched: ranges("patched").ok_or("patched")?,
        unaffected: ranges("unaffected").unwrap_or_default(),
        about: prose.lines().find_map(|line| line.strip_prefix("# ")).ok_or("title")?.to_owned(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAK: &str = r#"```toml
[advisory]
id = "RUSTSEC-2026-0001"
package = "pail"

# Where it is put right.
[versions]
patched = [
    ">= 1.2.3, < 2.0.0",
    ">= 2.0.1",
]
unaffected = ["< 1.1.0"]
```

# It leaks

From below.
"#;

    #[test]
    fn advisories_are_read_as_the_database_has_them() {
        let leak = Advisory {
            id: "RUSTSEC-2026-0001".into(),
            package: "pail".into(),
            patched: vec![">= 1.2.3, < 2.0.0".into(), ">= 2.0.1".into()],
            unaffected: vec!["< 1.1.0".into()],
            about: "It leaks".into(),
        };
        assert_eq!(advisory(LEAK), Ok(Some(leak)));
        assert_eq!(advisory(&LEAK.replace("[versions]", "withdrawn = \"2026-10-10\"\n[versions]")), Ok(None));
    }

    #[test]
    fn what_an_advisory_lacks_is_named() {
        assert_eq!(advisory(&LEAK.replace("patched", "mended")), Err("patched"));
        assert_eq!(advisory(&LEAK.replace("# It", "It")), Err("title"));
        assert_eq!(advisory("# pails"), Err("end of its facts"));
    }
}
