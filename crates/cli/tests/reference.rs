//! `docs/RULES.md`, the reference page, matches the output of `tiebreak list ... --json`.
//!
//! `UPDATE=1 cargo test -p tiebreak-cli --test reference` rewrites it, and the types of the packages for Python and npm.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tiebreak_scenario::gallery::BUILT_IN;

const HEAD: &str = "\
# Reference: rules, incidents, settings, metrics, formats

Made from the declarations in the code, like the forms in the page and `tiebreak list`; a test keeps it so. Do not
edit it by hand: `UPDATE=1 cargo test -p tiebreak-cli --test reference` writes it again.

";

const RULES: &str = "\
## Rules

Stage by stage, in the order of the list. Validators only filter. Preferences stand in strict order: each sees only
the ties that those above it left. A preference also takes `buckets`: with `n` of them its score, from 0 (best) to 1,
counts as the next of `n` steps up, and equal steps are a tie; with `none`, scores are compared as they are, rounded
as computers do. And it takes a `weight` of 0.001 or more, which counts when the run has `hand_weights` on:
preferences are then compared all together, and `none` weighs 1. What a document does not say of a listed rule is its
default; buckets and weight are then `none`.

";

const OWN: &str = "\
## Rules of one's own

A row of the list may carry its rule, under `custom`: a `kind` (preference or validator), what it is `of` (machine,
rack or cluster), an `expression`, and of a preference the bounds `from` and `to` of its values and which are
`better` (lower or higher). Numbers, the names below, parameters and named values (`let left = ...;`) are joined by
`+ - * / %`, compared by `< <= > >= == !=`, joined by `and or not`, chosen by `if ... then ... else ...`, and given
to `min`, `max`, `abs`, `floor`, `ceil`, `clamp`, `sqrt`, `log2` and `exp`. `#` begins a comment. A preference is a
number, a validator true or false.

What is divided by 0, has no root or logarithm, or passes the largest number is no number, nor is what is made of
it, unless an `if`, `and` or `or` decides without it: to a preference it is the worst score, to a validator false.
What a rule reads of the VM and its tenant's size is the key under which its verdicts are kept; what moves with the
clock or the network cannot be read.

### Names

| name | of | unit | what it is |
|---|---|---|---|
";

const INCIDENTS: &str = "\
## Incidents

What happens to the zone during a run: a document lists at most 100 of them under `incidents`, each with its id, the
hour `at_hours` (0 to 10000, counted from the beginning of the trace), and `values` for what is not the default. Those
of one instant happen in the order of the list; after the trace ends nothing happens. Whom chance hits follows from
the seed and from the place in the list, not from the rules.

";

/// Lists whose rows have a section above, or their own page.
const TOLD_ELSEWHERE: [&str; 5] = ["rules", "names", "gallery", "incidents", "files"];

#[test]
fn the_reference_page_is_what_the_program_says() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/RULES.md");
    let page = page();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &page).expect("docs/ can be written");
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(page, committed, "docs/RULES.md is old: run `UPDATE=1 cargo test -p tiebreak-cli --test reference`");
}

/// The text of docs/FILES.md above the files.
const FILES_HEAD: &str = "\
# The files of a run

What `tiebreak run --out DIR` writes. This page is generated from the declarations in the code, as `tiebreak list
files` prints them, and a test compares both with the files themselves. Do not edit it by hand: `UPDATE=1 cargo test
-p tiebreak-cli --test reference` writes it again.

`DIR` is complete or absent: the files are written to `DIR.unfinished`, which is renamed at the end. An empty folder,
or one that holds only such files, is replaced; any other is rejected before the run. If the disk is full, permission
is missing, or you press Ctrl-C (which prints the results so far), there is no new `DIR`, and an old one stays as it
was. If the program is killed, `DIR.unfinished` may remain; the next run to the same place removes it. Other commands
write their `--out` files in the same way.

";

#[test]
fn the_page_about_files_is_what_the_program_says() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/FILES.md");
    let mut page = FILES_HEAD.to_owned();
    for row in list("files") {
        page += &format!("## {}\n\n{}\n\n", text(&row, "id"), text(&row, "help"));
        let fields: Vec<_> = row["fields"].as_array().into_iter().flatten().collect();
        if !fields.is_empty() {
            page += "| name | what it is |\n|---|---|\n";
        }
        for field in &fields {
            page += &format!("| `{}` | {} |\n", field[0].as_str().unwrap_or(""), field[1].as_str().unwrap_or(""));
        }
        if !fields.is_empty() {
            page += "\n";
        }
    }
    let page = wrapped(&page);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &page).expect("docs/ can be written");
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(page, committed, "docs/FILES.md is old: run `UPDATE=1 cargo test -p tiebreak-cli --test reference`");
}

#[test]
fn files_have_the_columns_that_are_told() {
    let folder = std::env::temp_dir().join(format!("tiebreak-files-{}", std::process::id()));
    let out = folder.to_string_lossy().into_owned();
    let run = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_tiebreak")).args(words).output().expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let digest = |json: &str| serde_json::from_str::<Value>(json).expect("JSON")["digest"].clone();
    let first = run(&["run", "--preset", "small", "--set", "seed=5", "--json", "--out", &out]);
    let again = run(&["run", &format!("{out}/scenario.json"), "--json"]);
    assert_eq!(digest(&first), digest(&again), "a folder of results runs again");
    for row in list("files") {
        let told: Vec<_> = row["fields"].as_array().into_iter().flatten().map(|field| field[0].as_str()).collect();
        let file = folder.join(text(&row, "id"));
        let content = std::fs::read_to_string(&file).unwrap_or_default();
        let found: Vec<String> = match file.extension().and_then(|end| end.to_str()) {
            _ if told.is_empty() || content.is_empty() => continue,
            Some("json") => {
                let start = content.lines().filter_map(|line| line.strip_prefix("  \"")?.split_once('"'));
                start.map(|(name, _)| name.to_owned()).collect()
            }
            _ => content.lines().next().unwrap_or_default().split(',').map(str::to_owned).collect(),
        };
        assert_eq!(found.iter().map(|name| Some(name.as_str())).collect::<Vec<_>>(), told, "{}", file.display());
    }
    std::fs::remove_dir_all(folder).expect("it was made just now");
}

fn page() -> String {
    let incidents: String = list("incidents").iter().map(incident).collect();
    let names: String = list("names").iter().map(name).collect();
    let gallery: String = list("gallery").iter().map(known_rule).collect();
    let built_in: Vec<_> = BUILT_IN.iter().map(|(id, source)| format!("`{id}` ({source})")).collect();
    let built_in = format!("Built in, because an expression cannot read what they need: {}.", built_in.join(" and "));
    let own = format!("{OWN}{names}\n### Gallery\n\n{built_in}\n\n{gallery}");
    let mut page = format!("{HEAD}{RULES}{}{own}{INCIDENTS}{incidents}", rules(&list("rules")));
    for list_of in lists().iter().filter(|list| !TOLD_ELSEWHERE.contains(&text(list, "id").as_str())) {
        let rows = list(&text(list_of, "id"));
        page += &format!("## {}\n\n", text(list_of, "title"));
        page += &if rows.iter().all(|row| items(row, "params").is_empty()) { table(&rows) } else { sections(&rows) };
    }
    wrapped(&page)
}

/// The line length of a page.
const COLUMNS: usize = 118;

/// Wraps a page at that length; table rows stay whole.
fn wrapped(page: &str) -> String {
    let mut lines = Vec::new();
    for line in page.trim_end().lines() {
        if line.starts_with('|') {
            lines.push(line.to_owned());
            continue;
        }
        let mut part = String::new();
        for word in line.split(' ') {
            if !part.is_empty() && part.chars().count() + 1 + word.chars().count() > COLUMNS {
                lines.push(std::mem::take(&mut part));
            }
            part += if part.is_empty() { "" } else { " " };
            part += word;
        }
        lines.push(part);
    }
    lines.join("\n") + "\n"
}

/// Every list that there is.
fn lists() -> Vec<Value> {
    told(&["list", "--json"])
}

fn list(name: &str) -> Vec<Value> {
    told(&["list", name, "--json"])
}

fn told(words: &[&str]) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_tiebreak")).args(words).output();
    let json = String::from_utf8(output.expect("the program starts").stdout).expect("UTF-8");
    serde_json::from_str(&whole_numbers(&json)).expect("an array")
}

/// Prints `4.0` as 4: it is more readable, and the largest seed stays exact for readers that use floats.
fn whole_numbers(json: &str) -> String {
    let short = |line: &str| line.strip_suffix(".0,").map_or_else(|| line.to_owned(), |line| format!("{line},"));
    json.lines().map(short).collect()
}

/// Rules under one heading per stage, in the list's order.
fn rules(rows: &[Value]) -> String {
    let stages = rows.chunk_by(|one, next| one["stage"] == next["stage"]);
    stages
        .map(|rows| format!("### {}\n\n{}", text(&rows[0], "stage"), rows.iter().map(rule).collect::<String>()))
        .collect()
}

fn rule(row: &Value) -> String {
    format!("#### {}\n\n{}\n\n{}", text(row, "id"), text(row, "help"), params(row))
}

fn name(row: &Value) -> String {
    let unit = text(row, "unit");
    let unit = if unit.is_empty() && text(row, "kind") != "a number" { text(row, "kind") } else { unit };
    format!("| `{}` | {} | {unit} | {} |\n", text(row, "id"), text(row, "of"), text(row, "help"))
}

fn known_rule(row: &Value) -> String {
    let expression = row["rule"]["custom"]["expression"].as_str().expect("an expression");
    format!("#### {}\n\n{}\n\n{}```text\n{expression}\n```\n\n", text(row, "id"), text(row, "help"), params(row))
}

fn incident(row: &Value) -> String {
    format!("### {}\n\n{}\n\n{}", text(row, "id"), text(row, "help"), params(row))
}

/// Groups of settings: one paragraph and one table each.
fn sections(rows: &[Value]) -> String {
    let heading = |row: &Value| if rows.len() > 1 { format!("### {}\n\n", text(row, "title")) } else { String::new() };
    rows.iter().map(|row| format!("{}{}\n\n{}", heading(row), text(row, "help"), params(row))).collect()
}

/// Rows without parameters: one line each.
fn table(rows: &[Value]) -> String {
    let line = |row: &Value| {
        let unit = row["unit"].as_str().map_or(String::new(), |unit| format!(" ({unit})"));
        format!("| `{}` | {}{unit} | {} |\n", text(row, "id"), text(row, "title"), text(row, "help"))
    };
    format!("| id | title | what it is |\n|---|---|---|\n{}\n", rows.iter().map(line).collect::<String>())
}

fn params(row: &Value) -> String {
    let rows = items(row, "params");
    if rows.is_empty() {
        return String::new();
    }
    let lines: String = rows.iter().map(param).collect();
    format!("| parameter | default | range | what it means |\n|---|---|---|---|\n{lines}\n")
}

fn param(row: &Value) -> String {
    let (default, range) = match (text(row, "kind").as_str(), text(row, "unit")) {
        ("flag", _) => ((row["default"] == 1).to_string(), "true or false".into()),
        ("choice", _) => {
            let words: Vec<_> = items(row, "words").iter().filter_map(Value::as_str).collect();
            (words[row["default"].as_f64().unwrap_or(0.0) as usize].into(), words.join(", "))
        }
        (_, unit) => (row["default"].to_string(), format!("{} to {} {unit}", row["min"], row["max"])),
    };
    format!("| `{}` | {default} | {} | {} |\n", text(row, "name"), range.trim_end(), text(row, "help"))
}

fn items<'a>(row: &'a Value, field: &str) -> &'a [Value] {
    row[field].as_array().map_or(&[], Vec::as_slice)
}

/// A field as text for a table cell.
fn text(row: &Value, field: &str) -> String {
    row[field].as_str().expect("a text").replace('|', "\\|")
}

/// The types of the packages for Python and npm: names and figures, from the declarations.
#[test]
fn the_types_of_the_packages_are_what_the_code_declares() {
    let presets: Vec<_> = tiebreak_scenario::PRESETS.iter().map(|it| it.id).collect();
    let rules: Vec<_> = tiebreak_placement::rules::RULES.iter().map(|it| it.declaration.id).collect();
    let metrics: Vec<_> = tiebreak_sim::METRICS.iter().map(|it| it.declaration.id).collect();
    let names = [("PresetName", presets), ("RuleName", rules), ("MetricName", metrics)];
    let figures = || tiebreak_sim::figures::Part::ALL.into_iter().flat_map(tiebreak_sim::figures::Part::figures);

    let mut python = String::from(
        "\"\"\"Names and figures, made from the declarations in the code by ``UPDATE=1 cargo test -p tiebreak-cli --test \
         reference``.\"\"\"\n\nfrom typing import Literal, TypedDict\n",
    );
    let mut script = String::from(
        "// Names and figures, made from the declarations in the code by `UPDATE=1 cargo test -p tiebreak-cli --test \
         reference`.\n",
    );
    for (name, ids) in names {
        let listed: Vec<_> = ids.iter().map(|id| format!("    \"{id}\",\n")).collect();
        python += &format!("\n{name} = Literal[\n{}]\n", listed.concat());
        script += &format!(
            "\nexport type {name} =\n  | {};\n",
            ids.iter().map(|id| format!("\"{id}\"")).collect::<Vec<_>>().join("\n  | ")
        );
    }
    python += "\n\nclass Figures(TypedDict, total=False):\n    \"\"\"The figures of a run.\"\"\"\n\n";
    script += "\n/** The figures of a run. */\nexport interface Figures {\n";
    for figure in figures() {
        let unit = if figure.unit.is_empty() { String::new() } else { format!(" ({})", figure.unit) };
        let kind = if figure.is_count() { "int" } else { "float" };
        python += &format!("    {}: {kind} | None\n    \"\"\"{}{unit}\"\"\"\n", figure.id, figure.help);
        script += &format!("  /** {}{unit} */\n  {}: number | null;\n", figure.help, figure.id);
    }
    script += "}\n";
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packages");
    for (file, text) in [("python/python/tiebreak/_declared.py", python), ("npm/declared.d.ts", script)] {
        let file = root.join(file);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&file, &text).expect("packages/ can be written");
        }
        let committed = std::fs::read_to_string(&file).unwrap_or_default();
        let advice = "run `UPDATE=1 cargo test -p tiebreak-cli --test reference`";
        assert_eq!(text, committed, "{} is old: {advice}", file.display());
    }
}
