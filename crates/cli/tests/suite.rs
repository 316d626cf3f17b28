//! The suite of docs/SUITE.md: its table, and `tiebreak score`.
//!
//! `UPDATE=1 cargo test -p tiebreak-cli --test suite` writes the table.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn tiebreak(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tiebreak")).args(words).output().expect("the program starts")
}

fn done(words: &[&str]) -> String {
    let output = tiebreak(words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn json(words: &[&str]) -> Value {
    serde_json::from_str(&done(words)).expect("one JSON value")
}

#[test]
fn the_scores_and_digests_of_known_lists_are_those_of_the_page() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/SUITE.md");
    let page = std::fs::read_to_string(&file).expect("the page");
    let head = "## Scores of known lists on suite-1\n\n";
    let (before, _) = page.split_once(head).expect("its section");
    let made = format!("{before}{head}Made by `tiebreak suite table`.\n\n{}", done(&["suite", "table"]));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &made).expect("the page is written");
    }
    let page = std::fs::read_to_string(&file).expect("the page");
    assert_eq!(page, made, "a published suite never changes; publish suite-2 instead");
    let lists = page.lines().filter(|line| line.starts_with("| ") && line.ends_with("` |")).count();
    assert_eq!(lists, 8);
}

#[test]
fn a_score_is_repeatable_and_says_what_it_is_made_of() {
    let small = ["score", "--small", "--json"];
    let score = json(&small);
    assert_eq!(score, json(&small));
    let workloads = score["workloads"].as_array().expect("workloads");
    let mean = workloads.iter().map(|it| it["score"].as_f64().expect("a number")).sum::<f64>() / workloads.len() as f64;
    assert!((mean - score["score"].as_f64().expect("a number")).abs() < 1e-9 && workloads.len() >= 3, "{score}");
    let of = |more: &[&str]| json(&[&["score", "--workload", "small-day", "--json"], more].concat());
    let [usual, hidden] = [of(&[]), of(&["--hidden"])];
    assert!(usual["seeds"] != hidden["seeds"] && usual["workloads"] != hidden["workloads"]);
    let spread = of(&["--rules", "kubernetes-default"]);
    let score = |it: &Value| it["score"].as_f64().expect("a number");
    assert!(score(&usual) > score(&spread), "a list that packs keeps more hosts empty: {usual} {spread}");
    assert_eq!(of(&["--rules", "default", "--set", "rules.BestFit.on=true"]), usual);
    assert!(of(&["--rule", "EvolvedBorgScore", "--set", "rules.BestFit.on=false"]) != usual);
    for (words, told) in [
        (&["score", "--workload", "none"][..], "expected a workload of suite-1 (azure-cut, "),
        (&["score", "--rules", "none"], "expected the name of a preset"),
        (&["score", "--small", "--workload", "small-week"], "expected a small workload with --small"),
        (&["suite", "tables"], "expected list or table, got \"tables\""),
    ] {
        let refused = tiebreak(words);
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(2) && error.contains(told), "{error}");
    }
    assert!(
        json(&["suite", "list", "--json"])["workloads"].as_array().is_some_and(|all| (8..=12).contains(&all.len()))
    );
}
