//! Imports from the user's side: what a cluster and two configurations become, what has no twin, and a run.
//!
//! Text goldens are in `tests/golden`; `UPDATE=1 cargo test -p tiebreak-cli` rewrites them.

mod common;

use std::path::Path;
use std::process::{Command, Output};

use common::golden;
use serde_json::Value;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/fixtures");

fn tiebreak(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tiebreak")).args(words).current_dir(FIXTURES).output().expect("the program starts")
}

fn answer(words: &[&str], code: i32) -> String {
    let output = tiebreak(words);
    let told = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(code), "{words:?}: {told}");
    if code == 2 { told } else { String::from_utf8(output.stdout).expect("UTF-8") }
}

fn json(words: &[&str]) -> Value {
    serde_json::from_str(&answer(words, 0)).expect("one JSON value")
}

#[test]
fn what_has_no_twin_is_listed_field_by_field() {
    for (file, name) in [
        ("cluster.json.gz", "import-cluster.txt"),
        ("scheduler.yaml", "import-scheduler.txt"),
        ("nova.conf", "import-nova.txt"),
    ] {
        golden(name, &answer(&["check", "--import", file], 1));
    }
    golden("list-twins.txt", &answer(&["list", "twins"], 0));
}

#[test]
fn a_cluster_runs_and_runs_again() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("imported");
    let _ = std::fs::remove_dir_all(&out);
    let place = out.to_str().expect("UTF-8");
    let import = ["run", "--import", "cluster.json.gz", "--import", "scheduler.yaml", "--json", "--out", place];
    let first = json(&import);
    assert_eq!((&first["placements"], &first["rejections"]), (&248.into(), &0.into()), "every pod has a machine");
    assert_eq!(first["import"]["told"].as_array().map(Vec::len), Some(3), "{}", first["import"]["told"]);
    let again = json(&["run", out.join("scenario.json").to_str().expect("UTF-8"), "--json"]);
    assert_eq!(again["digest"], first["digest"], "the folder has all that a run needs");
    let told = std::fs::read_to_string(out.join("import.json")).expect("what was imported");
    assert_eq!(serde_json::from_str::<Value>(&told).expect("JSON"), first["import"]);
    let other = json(&["run", "--import", "cluster.json.gz", "--import", "nova.conf", "--json"]);
    assert_ne!(other["digest"], first["digest"], "another configuration decides otherwise");
    let without = json(&["run", "--preset", "small", "--import", "scheduler.yaml", "--json"]);
    assert_ne!(without["digest"], json(&["run", "--preset", "small", "--json"])["digest"], "rules alone, on a preset");
}

#[test]
fn what_is_wrong_with_a_file_says_where() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong-imports");
    std::fs::create_dir_all(&folder).expect("a folder");
    let node = |cpu: &str| {
        format!(
            r#"{{"kind":"Node","metadata":{{"name":"a"}},"status":{{"allocatable":{{"cpu":{cpu},"memory":"1Gi"}}}}}}"#
        )
    };
    let list = |items: &[String]| format!(r#"{{"kind":"List","items":[{}]}}"#, items.join(","));
    let pod = r#"{"kind":"Pod","metadata":{"name":"p","namespace":"n"},"spec":{"containers":[{"resources":{"requests":{"cpu":"1x"}}}]}}"#;
    let deep = format!("{}1", "[".repeat(100_000));
    for (text, told) in [
        (
            list(&[node("\"4 cores\"")]),
            r#"items[0].status.allocatable.cpu: expected a quantity such as 3920m, 16Gi or 15Ki, got "4 cores""#,
        ),
        (list(&[node("null")]), "items[0].status.allocatable.cpu: expected a quantity above 0, got nothing"),
        (list(&[node("1"), node("1")]), "items[1].metadata.name: expected each object once"),
        (list(&[node("4"), pod.into()]), "items[1].spec.containers[0].resources.requests.cpu: expected a quantity"),
        ("{\"kind\":\"List\",\"items\":7}".into(), "items: expected a list"),
        ("{\"items\":[]}".into(), "kind: expected `kubectl get nodes,pods"),
        ("{\"kind\":".into(), "expected JSON, got EOF"),
        (format!("{{\"kind\":\"List\",\"items\":{deep}}}"), "recursion limit"),
        (String::new(), "got an empty file"),
        ("a,b\n1,2\n".into(), "kind: expected `kubectl get nodes,pods"),
        ("[filter_scheduler]\nram_weight_multiplier=x\n".into(), "ram_weight_multiplier: expected a number, got \"x\""),
    ] {
        let file = folder.join("file");
        std::fs::write(&file, &text).expect("a file");
        let got = answer(&["run", "--import", file.to_str().expect("UTF-8")], 2);
        assert!(got.contains(told), "{got} for {}", &text[..text.len().min(60)]);
    }
    let both = answer(&["run", "--import", "nova.conf", "--import", "scheduler.yaml"], 2);
    assert!(both.contains("expected one scheduler's configuration, got nova.conf and scheduler.yaml"), "{both}");
    assert!(answer(&["run", "--import", "nowhere.json"], 2).contains("expected a file to import in nowhere.json"));
}
