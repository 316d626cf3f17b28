//! The table of verdicts in `docs/RESULTS.md` is made of `docs/results/verdicts.json`, which full runs of
//! `tiebreak reproduce ... --verdicts docs/results/verdicts.json` write.
//!
//! `UPDATE=1 cargo test -p tiebreak-cli --test verdicts` writes the table again.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const BEGIN: &str = "<!-- verdicts: made by a test, do not edit -->\n";
const END: &str = "<!-- end of verdicts -->\n";

fn docs(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(file)
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("{field} of {value}"))
}

fn verdicts() -> Vec<Value> {
    let file = std::fs::read(docs("results/verdicts.json")).expect("the verdicts are committed");
    serde_json::from_slice(&file).expect("an array")
}

/// The names of the program's exhibits, in order.
fn names() -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_tiebreak")).args(["reproduce", "--json"]).output();
    let listed: Vec<Value> = serde_json::from_slice(&output.expect("the program").stdout).expect("an array");
    listed.iter().map(|one| text(one, "name").to_owned()).collect()
}

/// The checks of an exhibit with this verdict.
fn of<'a>(exhibit: &'a Value, verdict: &str) -> Vec<&'a Value> {
    let checks = exhibit["checks"].as_array().expect("checks");
    checks.iter().filter(|check| check["verdict"] == verdict).collect()
}

/// Why an exhibit holds, or the first of the worst directions and what was found instead.
fn why(exhibit: &Value) -> String {
    let worst = text(exhibit, "verdict");
    if worst == "holds" {
        let fitted = !of(exhibit, "fitted").is_empty();
        return if fitted { "every direction that was not fitted" } else { "every direction" }.into();
    }
    let check = of(exhibit, worst)[0];
    let more = check["why"].as_str().map_or(String::new(), |why| format!(": {why}"));
    format!("{}{more}", text(check, "what"))
}

fn row(exhibit: &Value) -> String {
    let counts = ["holds", "fails", "undecided", "fitted"].map(|verdict| of(exhibit, verdict).len().to_string());
    let verdict = match text(exhibit, "verdict") {
        "fails" => "does not hold",
        other => other,
    };
    let trace = exhibit["trace"].as_str().map_or(String::new(), |trace| format!(" --trace {trace}"));
    format!(
        "| `{}{trace}` | {verdict} | {} | {} | {} |\n",
        text(exhibit, "name"),
        counts.join(" | "),
        why(exhibit).replace('|', "/"),
        text(exhibit, "day")
    )
}

/// One row for each exhibit of the program.
fn table(verdicts: &[Value]) -> String {
    let head = "| exhibit | verdict | holds | does not | undecided | fitted | why | run |\n|---|---|---|---|---|---|---|---|\n";
    let row = |name: &String| match verdicts.iter().find(|one| text(one, "name") == name) {
        Some(exhibit) => row(exhibit),
        None => format!("| `{name}` | - | | | | | no full run is kept yet | |\n"),
    };
    format!("{head}{}", names().iter().map(row).collect::<String>())
}

#[test]
fn the_table_of_verdicts_is_that_of_the_runs() {
    let page = std::fs::read_to_string(docs("RESULTS.md")).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("the table's place");
    let (_, after) = rest.split_once(END).expect("the table's end");
    let made = format!("{before}{BEGIN}\n{}\n{END}{after}", table(&verdicts()));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(docs("RESULTS.md"), &made).expect("docs/ can be written");
    }
    let now = std::fs::read_to_string(docs("RESULTS.md")).expect("the page");
    assert_eq!(made, now, "docs/RESULTS.md is old: run `UPDATE=1 cargo test -p tiebreak-cli --test verdicts`");
}

#[test]
fn verdicts_are_those_of_the_program_s_exhibits() {
    let (names, verdicts) = (names(), verdicts());
    let kept: Vec<_> = verdicts.iter().map(|one| text(one, "name").to_owned()).collect();
    let in_order: Vec<_> = names.into_iter().filter(|name| kept.contains(name)).collect();
    assert_eq!(kept, in_order);
    for exhibit in &verdicts {
        let all: usize =
            ["holds", "fails", "undecided", "fitted"].iter().map(|verdict| of(exhibit, verdict).len()).sum();
        assert_eq!(Some(all), exhibit["checks"].as_array().map(Vec::len), "{exhibit}");
        assert!(all > 0 && !of(exhibit, text(exhibit, "verdict")).is_empty(), "{exhibit}");
    }
}
