//! `tiebreak search`: the answer, a journal that was cut off, and plans that cannot be.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A plan for a generated day on 24 machines: a few races.
const PLAN: &str = r#"{ "scenario": "small", "objectives": [{ "measure": "empty_hosts_pct_mean" }],
    "seeds": 16, "runs": 300 }"#;

fn folder(name: &str, plan: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("plan.json"), plan).expect("a plan");
    folder
}

fn search(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tiebreak"));
    command.current_dir(folder).args(["search", "plan.json"]).args(words).output().expect("the program starts")
}

fn json(output: &Output) -> Value {
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON value")
}

#[test]
fn a_search_is_repeatable_and_continues_from_its_journal() {
    let folder = folder("search", PLAN);
    let one = search(&folder, &["--json", "--threads", "1", "--out", "found.json"]);
    let answer = json(&one);
    for key in ["found", "sentence", "list", "searched", "held_out", "changes", "frontier"] {
        assert!(!answer[key].is_null(), "{key}: {answer}");
    }
    assert_eq!(one.status.code(), Some(if answer["found"] == true { 0 } else { 3 }));
    assert_eq!(answer["found"] == true, answer["held_out"]["interval"][0].as_f64() > Some(0.0), "{answer}");
    let seeds = |half: &str| answer[half]["seeds"].as_array().expect("seeds").clone();
    assert!(seeds("searched").iter().all(|seed| !seeds("held_out").contains(seed)));
    assert_eq!(
        fs::read_to_string(folder.join("found.json")).ok().and_then(|text| serde_json::from_str(&text).ok()),
        Some(answer["list"].clone())
    );
    let journal = folder.join("runs.jsonl");
    let two = ["--json", "--threads", "2", "--journal", "runs.jsonl"];
    assert_eq!(json(&search(&folder, &two)), answer, "threads and a journal change nothing");
    // Cut in the middle of a line, as kill -9 may leave it.
    let whole = fs::read_to_string(&journal).expect("a journal");
    fs::write(&journal, &whole[..whole.len() / 2]).expect("half a journal");
    assert_eq!(json(&search(&folder, &two)), answer);
    assert_eq!(fs::read_to_string(&journal).expect("a journal").lines().count(), whole.lines().count());
    fs::write(folder.join("plan.json"), PLAN.replace("small", "default")).expect("another plan");
    let refused = search(&folder, &two);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && told.contains("expected the journal of this search"), "{told}");
}

#[test]
fn a_search_that_cannot_be_is_one_sentence_and_code_2() {
    for (plan, told) in [
        (PLAN.replace("_mean", ""), "plan.json: objectives[0].measure: expected a measure: placements"),
        (PLAN.replace("\"small\"", "\"none\""), "scenario: expected a preset or a file next to the plan"),
        (PLAN.replace("_mean\"", "_mean\", \"goal\": \"best\""), "objectives[0].goal: expected more or less"),
        (PLAN.replace("empty_hosts_pct_mean", "stranded_cores_pct_mean"), "choose another objective, or measure it"),
    ] {
        let refused = search(&folder("search-bad", &plan), &[]);
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(2) && error.contains(told), "{error}\nfor {plan}");
    }
}
