//! The table of verdicts in `docs/RESULTS.md`, and the tables of directions in `docs/results/`, are made of
//! `docs/results/verdicts.json`, which full runs of `tiebreak reproduce ... --verdicts docs/results/verdicts.json`
//! write.
//!
//! `UPDATE=1 cargo test -p tiebreak-cli --test verdicts` writes the tables again.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tiebreak_console::shown::signed;

const BEGIN: &str = "<!-- verdicts: made by a test, do not edit -->\n";
const END: &str = "<!-- end of verdicts -->\n";

/// Before a table of directions: the exhibit as it is given to `reproduce`, and the end of the line.
const DIRECTIONS: &str = "<!-- directions, made by a test: ";
const DIRECTIONS_END: &str = "<!-- end of directions -->\n";

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

/// What `reproduce` was given: `lava-fig6 --trace batched-0.csv.gz`.
fn command(exhibit: &Value) -> String {
    let trace = exhibit["trace"].as_str().map_or(String::new(), |trace| format!(" --trace {trace}"));
    format!("{}{trace}", text(exhibit, "name"))
}

fn in_words(verdict: &str) -> &str {
    if verdict == "fails" { "does not hold" } else { verdict }
}

fn row(exhibit: &Value) -> String {
    let counts = ["holds", "fails", "undecided", "fitted"].map(|verdict| of(exhibit, verdict).len().to_string());
    format!(
        "| `{}` | {} | {} | {} | {} |\n",
        command(exhibit),
        in_words(text(exhibit, "verdict")),
        counts.join(" | "),
        why(exhibit).replace('|', "/"),
        text(exhibit, "day")
    )
}

/// The rows of every exhibit of the program: one for each trace that it was run on.
fn table(verdicts: &[Value]) -> String {
    let head = "| exhibit | verdict | holds | does not | undecided | fitted | why | run |\n|---|---|---|---|---|---|---|---|\n";
    let rows = |name: &String| {
        let rows: String = verdicts.iter().filter(|one| text(one, "name") == name).map(row).collect();
        if rows.is_empty() { format!("| `{name}` | - | | | | | no full run is kept yet | |\n") } else { rows }
    };
    format!("{head}{}", names().iter().map(rows).collect::<String>())
}

/// What was found: the difference with its interval, or without one what contradicts the direction.
fn found(check: &Value) -> String {
    let difference = &check["difference"];
    let Some([from, to]) = difference["interval"].as_array().map(Vec::as_slice) else {
        return check["why"].as_str().unwrap_or_default().to_owned();
    };
    let number = |value: &Value| signed(value.as_f64().expect("a number"));
    let of = difference["of"].as_str().map_or(String::new(), |of| format!("{of} "));
    let unit = Some(text(difference, "unit")).filter(|unit| !unit.is_empty()).map(|unit| format!(" {unit}"));
    format!("{of}{}{} ({} to {})", number(&difference["mean"]), unit.unwrap_or_default(), number(from), number(to))
}

/// The directions of an exhibit, in order.
fn directions(exhibit: &Value) -> String {
    let row = |check: &Value| {
        let cells = [text(check, "what").to_owned(), in_words(text(check, "verdict")).to_owned(), found(check)];
        format!("| {} |\n", cells.map(|cell| cell.replace('|', "/")).join(" | "))
    };
    let rows: String = exhibit["checks"].as_array().expect("checks").iter().map(row).collect();
    format!("| direction | verdict | paired difference, 95 % interval |\n|---|---|---|\n{rows}")
}

/// The page with its tables of directions made anew.
fn with_directions(page: &str, verdicts: &[Value]) -> String {
    let mut parts = page.split(DIRECTIONS);
    let mut made = parts.next().expect("the first part").to_owned();
    for part in parts {
        let (wanted, rest) = part.split_once(" -->\n").expect("the end of the line");
        let (_, after) = rest.split_once(DIRECTIONS_END).expect("the table's end");
        let exhibit = verdicts.iter().find(|one| command(one) == wanted);
        let exhibit = exhibit.unwrap_or_else(|| panic!("no full run of {wanted} is kept"));
        made += &format!("{DIRECTIONS}{wanted} -->\n\n{}\n{DIRECTIONS_END}{after}", directions(exhibit));
    }
    made
}

/// Compares a page with what it should be, or writes it.
fn is_up_to_date(file: &Path, made: &str) {
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(file, made).expect("docs/ can be written");
    }
    let now = std::fs::read_to_string(file).expect("the page");
    let file = file.display();
    assert_eq!(made, now, "{file} is old: run `UPDATE=1 cargo test -p tiebreak-cli --test verdicts`");
}

#[test]
fn the_tables_of_directions_are_those_of_the_runs() {
    let (mut tables, verdicts) = (0, verdicts());
    for entry in std::fs::read_dir(docs("results")).expect("the pages") {
        let file = entry.expect("a file").path();
        if file.extension().is_some_and(|it| it == "md") {
            let page = std::fs::read_to_string(&file).expect("the page");
            tables += page.matches(DIRECTIONS).count();
            is_up_to_date(&file, &with_directions(&page, &verdicts));
        }
    }
    assert!(tables > 0, "the pages have tables of directions");
}

#[test]
fn the_table_of_verdicts_is_that_of_the_runs() {
    let page = std::fs::read_to_string(docs("RESULTS.md")).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("the table's place");
    let (_, after) = rest.split_once(END).expect("the table's end");
    let made = format!("{before}{BEGIN}\n{}\n{END}{after}", table(&verdicts()));
    is_up_to_date(&docs("RESULTS.md"), &made);
}

#[test]
fn verdicts_are_those_of_the_program_s_exhibits() {
    let (names, verdicts) = (names(), verdicts());
    let mut kept: Vec<_> = verdicts.iter().map(|one| text(one, "name").to_owned()).collect();
    kept.dedup();
    let in_order: Vec<_> = names.into_iter().filter(|name| kept.contains(name)).collect();
    assert_eq!(kept, in_order);
    for exhibit in &verdicts {
        let all: usize =
            ["holds", "fails", "undecided", "fitted"].iter().map(|verdict| of(exhibit, verdict).len()).sum();
        assert_eq!(Some(all), exhibit["checks"].as_array().map(Vec::len), "{exhibit}");
        assert!(all > 0 && !of(exhibit, text(exhibit, "verdict")).is_empty(), "{exhibit}");
    }
}
