//! The output when something goes wrong while the program writes: a whole result, or none.
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

const CUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/fixtures/packing-cut.csv.gz");

/// A run that takes longer than any test would wait, and warns before it begins that some VMs fit nowhere.
const LONG: [&str; 7] =
    ["run", "--preset", "small", "--set", "workload.requests_per_hour=2000", "--set", "workload.days=14"];

fn program(words: &[&str]) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tiebreak"));
    program.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    program
}

fn ran(words: &[&str]) -> (Option<i32>, String) {
    told(&program(words).output().expect("the program starts"))
}

fn told(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// An empty folder for this test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("UTF-8").to_owned()
}

/// Starts a long run with a folder of results, and waits until it handles Ctrl-C and is about to begin.
fn begun(folder: &Path) -> Child {
    let out = path(folder, "results");
    let mut child = program(&[&LONG[..], &["--out", &out]].concat()).spawn().expect("the program starts");
    let mut said = String::new();
    BufReader::new(child.stderr.take().expect("it is piped")).read_line(&mut said).expect("UTF-8");
    assert!(said.contains("VMs request more than any machine has"), "{said}");
    child
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill starts");
    assert!(sent.success());
}

#[test]
fn who_is_killed_leaves_no_result_and_the_next_run_a_whole_one() {
    let folder = folder("killed");
    let mut child = begun(&folder);
    signal(&child, "-KILL");
    child.wait().expect("it ends");
    assert_eq!(names(&folder), ["results.unfinished"]);
    let out = path(&folder, "results");
    for _ in 0..2 {
        assert_eq!(ran(&["run", "--preset", "small", "--out", &out]).0, Some(0));
        assert_eq!(names(&folder), ["results"], "what was left and what was there before are replaced");
    }
    let files = ["placements.csv", "scenario.json", "series.csv", "summary.json", "vms.csv", "vms.parquet"];
    assert_eq!(names(&folder.join("results")), files);
}

#[test]
fn who_is_interrupted_says_how_far_it_came() {
    let folder = folder("interrupted");
    let child = begun(&folder);
    signal(&child, "-INT");
    let output = child.wait_with_output().expect("it ends");
    let answer = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(130), "{answer}");
    assert!(answer.contains("Warning: Stopped after") && answer.contains("--out was not written."), "{answer}");
    assert!(names(&folder).is_empty(), "{:?}", names(&folder));
}

#[test]
fn a_folder_of_other_things_stays_as_it_is() {
    let folder = folder("others");
    let out = path(&folder, "mine");
    std::fs::create_dir(&out).expect("a folder");
    std::fs::write(folder.join("mine/thesis.tex"), "years of work").expect("a file");
    let (code, told) = ran(&[&LONG[..], &["--out", &out]].concat());
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("with thesis.tex in it; choose another"), "{told}");
    assert_eq!((names(&folder), names(&folder.join("mine"))), (vec!["mine".to_owned()], vec!["thesis.tex".to_owned()]));
}

#[test]
fn what_cannot_be_written_is_told_before_the_work() {
    let folder = folder("unwritable");
    std::fs::write(folder.join("file"), "no folder").expect("a file");
    for place in ["file", "file/below"] {
        let (code, told) = ran(&[&LONG[..], &["--out", &path(&folder, place)]].concat());
        assert_eq!(code, Some(2), "{told}");
        assert!(told.contains("expected to write") && told.contains("choose another --out"), "{told}");
    }
    assert_eq!(names(&folder), ["file"]);
}

#[test]
fn a_full_disk_is_told_and_what_was_there_stays() {
    let full = "/dev/full";
    if !Path::new(full).exists() {
        return;
    }
    let (code, told) = ran(&["trace", "convert", CUT, "--out", full]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("expected to write /dev/full, got: No space left on device"), "{told}");
    let full = std::fs::File::options().write(true).open(full).expect("a device");
    let output = program(&["list", "rules"]).stdout(full).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(told_of(&output).contains("expected to write the output, got: No space left"), "{}", told_of(&output));
}

fn told_of(output: &Output) -> String {
    told(output).1
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = program(&["list", "rules", "--json"]).spawn().expect("the program starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn what_is_no_file_of_rows_is_named() {
    for (trace, words) in
        [("/dev/zero", "got binary data"), ("/dev/null", "got an empty file"), ("/", "Is a directory")]
    {
        let (code, told) = ran(&["run", "--trace", trace]);
        assert_eq!(code, Some(2), "{told}");
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn a_pipe_is_read_as_a_file_is() {
    let folder = folder("pipe");
    let pipe = path(&folder, "pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo starts").success());
    let mut writer = Command::new("sh").args(["-c", &format!("zcat {CUT} > {pipe}")]).spawn().expect("sh starts");
    let piped = program(&["trace", "inspect", &pipe, "--json"]).output().expect("the program starts");
    writer.wait().expect("it ends");
    assert_eq!(piped.status.code(), Some(0), "{}", told_of(&piped));
    assert!(
        String::from_utf8_lossy(&piped.stdout).contains("\"rows\": 13521"),
        "{}",
        String::from_utf8_lossy(&piped.stdout)
    );
}
