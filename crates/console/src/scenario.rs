//! The scenario of a command: a document file or a preset, with fields changed by options.
//!
//! A file with issues is rejected here, so that the run matches the file exactly. (`tiebreak check` lists the issues.
//! The page reads leniently instead and shows them to the user.)

use std::fs::File;
use std::io::Read;

use tiebreak_import::Import;
use tiebreak_model::Workload;
use tiebreak_scenario::document::CLUSTERS_MAX;
use tiebreak_scenario::read::{TEXT_MAX, rule_of as rule_row};
use tiebreak_scenario::{Document, GALLERY, PRESETS, RuleRow, Variant, gallery, presets};
use tiebreak_study::ready::chosen;
use tiebreak_study::{fields, own};
use tiebreak_trace::{Nodes, nodes};

use crate::answer::Failure;
use crate::given::{Given, Opt};
use crate::imports::{self, IMPORT};
use crate::progress;
use crate::trace::{Source, source};

/// The option that chooses a scenario.
pub const PRESET: Opt = Opt { name: "preset", value: Some("NAME"), help: "a scenario by name: `list presets`" };
/// The option that chooses a variant.
pub const VARIANT: Opt =
    Opt { name: "variant", value: Some("NAME"), help: "which variant of the scenario; by default the active one" };
/// The option that changes fields.
pub const SET: Opt = Opt {
    name: "set",
    value: Some("PATH=VALUE"),
    help: "changes a field; may be repeated: seed=7, agents.caches=false, rules.BestFit.buckets=none",
};

/// The option that adds custom rules.
pub const RULE: Opt = Opt {
    name: "rule",
    value: Some("NAME|FILE"),
    help: "a rule of the gallery (`list gallery`) or of a file; may be repeated; replaces the rule of the same name, \
         or goes to the end of its stage",
};

/// Adds the rules of `--rule` to the policy.
fn use_rules(variant: &mut Variant, given: &Given) -> Result<(), Failure> {
    for name in given.all(RULE.name) {
        let row = match gallery::find(name) {
            Some(rule) => rule.row(),
            None => rule_of(name)?,
        };
        row.put_into(&mut variant.rules);
    }
    Ok(())
}

/// The valid rule of a file, as a row of a document's policy.
fn rule_of(file: &str) -> Result<RuleRow, Failure> {
    let names = || GALLERY.iter().map(|rule| rule.name).collect::<Vec<_>>().join(", ");
    let is_name = !file.contains(['.', '/', '\\']) && !std::path::Path::new(file).exists();
    if is_name {
        let expected = format!("expected a rule of the gallery ({}) or a file, got \"{file}\"", names());
        return Err(Failure(format!("{expected}; see `tiebreak list gallery`")));
    }
    let (row, issues) = rule_row(&text(file)?).map_err(|error| Failure(format!("{file}: {error}")))?;
    match (row, issues.first()) {
        (Some(row), None) => Ok(row),
        (_, Some(issue)) => {
            Err(Failure(format!("{file}: {}: expected {}, got {}; correct it", issue.path, issue.expected, issue.got)))
        }
        (None, None) => {
            Err(Failure(format!("{file}: expected a rule, got nothing; `tiebreak list gallery --json` has some")))
        }
    }
}

/// The chosen document; without a file or a name, the first preset.
pub fn document(given: &Given) -> Result<Document, Failure> {
    match (given.words.first(), given.one("preset")) {
        (Some(file), Some(name)) => Err(Failure(format!(
            "expected one scenario, got the file {file} and the preset {name}; remove one of them"
        ))),
        (None, name) => preset(name.unwrap_or(PRESETS[0].id)),
        (Some(file), None) => whole(file),
    }
}

/// The option that replaces the machines.
pub const MACHINES: Opt = Opt {
    name: "machines",
    value: Some("FILE.csv"),
    help: "machines to use instead of the scenario's: a table with the cores and memory of each, with a column \
         machines if a row stands for several, or openb's nodes; equal machines become a cluster",
};

/// Reads the machines from a list.
fn use_machines(variant: &mut Variant, file: &str) -> Result<(), Failure> {
    let unreadable =
        |error: std::io::Error| Failure(format!("expected a list of machines in {file}, got: {error}; check the path"));
    let bytes = std::fs::read(file).map_err(unreadable)?;
    let kinds = nodes::read(&bytes).map_err(|fault| Failure(format!("{file}: {fault}")))?;
    if kinds.len() > CLUSTERS_MAX {
        let kinds = kinds.len();
        return Err(Failure(format!(
            "{file}: expected at most {CLUSTERS_MAX} kinds of machines, got {kinds}; round sizes that are nearly equal"
        )));
    }
    let kind = |it: &Nodes| (it.machines, f64::from(it.cores_milli) / 1_000.0, f64::from(it.memory_mib) / 1_024.0);
    variant.replace_machines(kinds.iter().map(kind));
    Ok(())
}

/// The chosen variant with the machines of `--machines`, the rules of `--rule` and the fields of `--set`.
pub fn variant(given: &Given) -> Result<Variant, Failure> {
    let mut variant = unset_variant(given)?;
    set_fields(&mut variant, given)?;
    Ok(variant)
}

/// The chosen variant without the fields of `--set`.
pub fn unset_variant(given: &Given) -> Result<Variant, Failure> {
    unset_imported(given, None)
}

/// The same with the import applied before all other options.
fn unset_imported(given: &Given, import: Option<&Import>) -> Result<Variant, Failure> {
    let document = document(given)?;
    let mut variant = chosen(&document, given.one("variant"))?.clone();
    import.into_iter().for_each(|import| import.apply(&mut variant));
    if let Some(file) = given.one(MACHINES.name) {
        use_machines(&mut variant, file)?;
    }
    use_rules(&mut variant, given)?;
    Ok(variant)
}

/// Applies the machines of `--machines`, the rules of `--rule` and the fields of `--set` to a variant.
pub fn use_given(variant: &mut Variant, given: &Given) -> Result<(), Failure> {
    if let Some(file) = given.one(MACHINES.name) {
        use_machines(variant, file)?;
    }
    use_rules(variant, given)?;
    set_fields(variant, given)
}

/// Whether a trace or an import is given without a scenario to run it on.
pub fn is_about_own_trace(given: &Given) -> bool {
    (given.has("trace") || given.has(IMPORT.name)) && given.words.is_empty() && !given.has(PRESET.name)
}

/// The user's own trace runs with the machines and the policy of the first preset, but without its agents.
pub fn unslowed(variant: Variant, workload: &Workload, given: &Given) -> Variant {
    match is_about_own_trace(given) {
        true => own::unslowed(variant, workload),
        false => variant,
    }
}

/// The chosen variant and its source of requests.
pub fn with_source(given: &Given) -> Result<(Variant, Source), Failure> {
    with_import(given, imports::read(given)?.as_ref())
}

/// The same with an `--import` that was already read.
pub fn with_import(given: &Given, import: Option<&Import>) -> Result<(Variant, Source), Failure> {
    // A generated workload depends on the fields of `--set`. Below they are set again, over agents that depend on the
    // workload.
    let mut asked = unset_imported(given, import)?;
    set_fields(&mut asked, given)?;
    let imported = imports::source(given, import);
    let expected = asked.expected_vms().filter(|_| !given.has("trace") && imported.is_none());
    if let Some(vms) = expected {
        // Generating the workload already takes part of the cost.
        progress::warn_of(&asked.cost(vms));
    }
    let source = imported.map_or_else(|| source(&asked, given), Ok)?;
    let mut variant = unslowed(unset_imported(given, import)?, &source.workload, given);
    set_fields(&mut variant, given)?;
    if expected.is_none() {
        progress::warn_of(&variant.cost(source.workload.vm_count().into()));
    }
    Ok((variant, source))
}

/// Applies the fields of `--set`.
pub fn set_fields(variant: &mut Variant, given: &Given) -> Result<(), Failure> {
    let pairs: Vec<_> = given.all("set").collect();
    set_all(variant, &pairs)
}

/// Sets the fields of `--set`, in any order.
pub fn set_all(variant: &mut Variant, pairs: &[&str]) -> Result<(), Failure> {
    let split = |pair: &&'_ str| {
        let wrong = || Failure(format!("expected PATH=VALUE after --set, got \"{pair}\"; write, for instance, seed=7"));
        pair.split_once('=').map(|(path, value)| (path.trim().to_owned(), value.to_owned())).ok_or_else(wrong)
    };
    let fields = pairs.iter().map(split).collect::<Result<Vec<_>, Failure>>()?;
    fields::set_all(variant, &fields.iter().map(|(path, value)| (path.as_str(), value.as_str())).collect::<Vec<_>>())
}

/// The preset of this name.
pub fn preset(name: &str) -> Result<Document, Failure> {
    let preset = presets::find(name).ok_or_else(|| {
        let names: Vec<_> = PRESETS.iter().map(|preset| preset.id).collect();
        Failure(format!(
            "expected the name of a preset ({}), got \"{name}\"; see `tiebreak list presets`",
            names.join(", ")
        ))
    })?;
    Ok((preset.make)())
}

/// The text of a document file.
pub fn text(file: &str) -> Result<String, Failure> {
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::InvalidData => {
            Failure(format!("expected a scenario as JSON text in {file}, got binary data; use --trace for a trace"))
        }
        _ => Failure(format!("expected a scenario in {file}, got: {error}; check the path")),
    };
    let mut text = String::new();
    let mut reader = File::open(file).map_err(unreadable)?.take(TEXT_MAX as u64 + 1);
    reader.read_to_string(&mut text).map_err(unreadable)?;
    Ok(text)
}

/// The document of a file that has no issues.
pub fn whole(file: &str) -> Result<Document, Failure> {
    let read = Document::read(&text(file)?).map_err(|error| {
        let is_named_so = file.ends_with(".json");
        let advice = if is_named_so { String::new() } else { format!("; if it is a trace, write --trace {file}") };
        Failure(format!("{file}: {error}{advice}"))
    })?;
    match read.issues.as_slice() {
        [] => Ok(read.document),
        [first, others @ ..] => {
            let others = if others.is_empty() { String::new() } else { format!(", and {} more", others.len()) };
            let (path, expected, got) = (&first.path, &first.expected, &first.got);
            let fault = format!("{file}: {path}: expected {expected}, got {got}{others}");
            Err(Failure(format!("{fault}; correct it, `tiebreak check {file}` lists every issue")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_without_a_value_is_refused() {
        assert!(set_all(&mut Variant::default(), &["seed"]).is_err_and(|told| told.0.contains("PATH=VALUE")));
    }
}
