//! `tiebreak sweep --resume`: processes that share a sweep and are killed give every row once, and lose no more than
//! what they were working on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tiebreak");
/// 200 runs of a tenth of a generated day.
const PLAN: &str = r#"{ "scenario": {"version":2,"variants":[{"inventory":{"clusters":[{"machines":30}]},
    "workload":{"generated":{"days":0.1}}}]},
    "parameters": [{ "path": "rules.BestFit.buckets", "values": [1, 2, 3, "none"] }], "seeds": 50 }"#;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("plan.json"), PLAN).expect("a plan");
    folder
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder).args(["sweep", "plan.json", "--resume", "--out", "rows.csv", "--threads", "2"]);
    command
}

fn resumed(folder: &Path, more: &[&str]) -> Output {
    command(folder).args(more).output().expect("the program starts")
}

fn whole(folder: &Path) -> String {
    let whole = Command::new(PROGRAM).current_dir(folder).args(["sweep", "plan.json"]).output().expect("it starts");
    assert!(whole.status.success(), "{}", String::from_utf8_lossy(&whole.stderr));
    String::from_utf8(whole.stdout).expect("UTF-8")
}

fn names(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.to_string_lossy().ends_with(end)).collect()
}

/// Numbers from a seed, so that every run of the test kills at the same moments.
fn draws(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

#[test]
fn killed_processes_lose_only_what_they_work_on() {
    let folder = folder("resume");
    let work = folder.join("rows.csv.work");
    let mut draw = draws(26);
    let mut moments: Vec<usize> = (0..10).map(|_| draw(190) as usize).collect();
    moments.sort_unstable();
    let start = || command(&folder).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let mut workers: [Child; 2] = [start(), start()];
    let (mut killed, mut snapshots) = (0, Vec::new());
    for moment in moments {
        while names(&work.join("rows"), ".csv").len() < moment {
            std::thread::sleep(Duration::from_millis(1));
        }
        let victim = &mut workers[draw(2) as usize];
        // The child of this process: SIGKILL on Unix.
        victim.kill().expect("a process to kill");
        killed += usize::from(!victim.wait().expect("it ends").success());
        // No run whose row is there now may begin from now on.
        let rows: Vec<u64> = names(&work.join("rows"), ".csv").iter().map(|row| number(row)).collect();
        snapshots.push((rows, begun(&work)));
        *victim = start();
    }
    for worker in &mut workers {
        assert!(worker.wait().expect("it ends").success());
    }
    assert_eq!(fs::read_to_string(folder.join("rows.csv")).expect("the table"), whole(&folder));
    assert_eq!(killed, 10, "every process was killed while there was work");
    assert!(names(&work.join("claims"), "").is_empty(), "no claim is left");
    let logs = begun(&work);
    for (rows, before) in snapshots {
        let later = logs.iter().flat_map(|(log, runs)| &runs[before.get(log).map_or(0, Vec::len)..]);
        let again: Vec<_> = later.filter(|run| rows.contains(run)).collect();
        assert!(again.is_empty(), "made again although their rows were there: {again:?}");
    }
    let mut times = BTreeMap::new();
    logs.values().flatten().for_each(|run| *times.entry(*run).or_insert(0) += 1);
    assert!((0..200).eq(times.keys().copied()), "{times:?}");
    // Each killed process worked on at most two runs, one for each of its threads.
    let again: u32 = times.values().map(|times| times - 1).sum();
    assert!(again <= 20, "{again} again: {times:?}");
}

/// The number in the name of a row's file.
fn number(row: &Path) -> u64 {
    row.file_stem().and_then(|stem| stem.to_str()?.parse().ok()).expect("a number")
}

/// The runs that each process has begun so far, by its log.
fn begun(work: &Path) -> BTreeMap<PathBuf, Vec<u64>> {
    let runs = |log: &PathBuf| {
        let log = fs::read_to_string(log).expect("a log");
        log.lines().map(|line| line.parse().expect("a number")).collect()
    };
    names(&work.join("workers"), ".log").into_iter().map(|log| (log.clone(), runs(&log))).collect()
}

#[test]
fn a_finished_sweep_makes_nothing_and_a_torn_row_is_made_again() {
    let folder = folder("resume-again");
    let plan = PLAN.replace("50", "2");
    fs::write(folder.join("plan.json"), &plan).expect("a plan");
    let made = |output: Output| -> u64 {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        json["made"].as_u64().expect("a number")
    };
    assert_eq!(made(resumed(&folder, &["--json"])), 8);
    let table = fs::read_to_string(folder.join("rows.csv")).expect("the table");
    assert_eq!(table, whole(&folder));
    assert_eq!(made(resumed(&folder, &["--json"])), 0);
    let row = folder.join("rows.csv.work/rows/5.csv");
    let line = fs::read_to_string(&row).expect("a row");
    fs::write(&row, &line[..line.len() - 4]).expect("a torn row");
    // The claim of a process that is dead: its lock does not exist on this system.
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let lock = format!("{}-1-1", boot.split('-').next().unwrap_or_default());
    fs::write(folder.join(format!("rows.csv.work/workers/{lock}.lock")), "").expect("a lock");
    fs::write(folder.join("rows.csv.work/claims/5.0"), &lock).expect("a claim");
    assert_eq!(made(resumed(&folder, &["--json", "--stale", "5"])), 1);
    assert_eq!(fs::read_to_string(folder.join("rows.csv")).expect("the table"), table);
    fs::write(folder.join("plan.json"), plan.replace("[1, 2", "[1, 4")).expect("another plan");
    for (words, told) in [
        (&[][..], "expected the work of this sweep in rows.csv.work, got that of another plan"),
        (&["--shard", "1/2"], "expected --resume or --shard, got both"),
        (&["--stale", "soon"], "expected a whole number after --stale"),
    ] {
        let refused = resumed(&folder, words);
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(2) && error.contains(told), "{error}");
    }
}
