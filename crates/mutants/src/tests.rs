//! The tests, one by one: how long each takes, which mutation points it reaches, and whether it fails with a mutant.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::failed;
use crate::tree::Program;

/// Tests of random cases: a few cases find most mutants, and run first.
const RANDOM: [&str; 2] =
    ["laws::every_law_holds_in_random_scenarios", "incidents::whatever_happens_to_a_zone_its_books_are_right"];
const CASES: [&str; 4] = ["4", "20", "80", "300"];

/// Tests that take longer are skipped.
const LONG: Duration = Duration::from_secs(15);

/// Exit codes of the shell for SIGXCPU and SIGKILL: the program exceeded its time.
const OUT_OF_TIME: [Option<i32>; 2] = [Some(128 + 24), Some(128 + 9)];

/// A test that can run alone.
#[derive(Debug)]
pub(crate) struct Test {
    program: Program,
    pub(crate) name: String,
    cases: String,
    pub(crate) takes: Duration,
    /// The first mutants of the points it reaches.
    pub(crate) reached: HashSet<u32>,
}

/// The results of tests.
pub(crate) enum Ended {
    Passed,
    Failed,
    OutOfTime,
}

/// Every test, with its duration and the points it reaches without a mutant. The result is kept until the programs
/// change.
pub(crate) fn all(programs: &[Program], folder: &Path) -> Result<Vec<Test>, String> {
    let kept = folder.join("tests.tsv");
    let changed = |path: &Path| fs::metadata(path).and_then(|it| it.modified()).ok();
    let fresh = programs.iter().all(|program| changed(&program.path) < changed(&kept));
    let before = if fresh { fs::read_to_string(&kept).unwrap_or_default() } else { String::new() };
    let mut tests: Vec<Test> = before.lines().filter_map(|line| Test::read(line, programs)).collect();
    if tests.is_empty() {
        for program in programs {
            tests.extend(measured(program, &folder.join("reached.txt"))?);
        }
        tests.sort_by_key(|test| test.takes);
        let lines: Vec<String> = tests.iter().map(Test::line).collect();
        fs::write(&kept, lines.join("\n")).map_err(failed("write", &kept))?;
    }
    Ok(tests)
}

fn measured(program: &Program, record: &Path) -> Result<Vec<Test>, String> {
    let listed = Command::new(&program.path).arg("--list").output().map_err(failed("run", &program.path))?;
    let mut tests = Vec::new();
    for name in String::from_utf8_lossy(&listed.stdout).lines().filter_map(|line| line.strip_suffix(": test")) {
        let cases = if RANDOM.contains(&name) { &CASES[..] } else { &[""] };
        for cases in cases {
            let (takes, reached) = (LONG / 5, HashSet::new());
            let mut test = Test { program: program.clone(), name: name.into(), cases: (*cases).into(), takes, reached };
            let _ = fs::remove_file(record);
            let (ended, takes) = run(&[&test], "TIEBREAK_REACHED", &record.to_string_lossy());
            match ended {
                Ended::Passed => {}
                Ended::Failed => return Err(format!("{name} fails while no mutant is active")),
                Ended::OutOfTime => {
                    eprintln!("{name} {cases} takes too long to be run for each mutant");
                    continue;
                }
            }
            let lines = fs::read_to_string(record).unwrap_or_default();
            (test.takes, test.reached) = (takes, lines.lines().filter_map(|line| line.parse().ok()).collect());
            tests.push(test);
        }
    }
    Ok(tests)
}

impl Test {
    fn line(&self) -> String {
        let Self { program, name, cases, takes, reached } = self;
        let reached: Vec<String> = reached.iter().map(u32::to_string).collect();
        format!("{}\t{name}\t{cases}\t{}\t{}", program.path.display(), takes.as_millis(), reached.join(" "))
    }

    fn read(line: &str, programs: &[Program]) -> Option<Self> {
        let [path, name, cases, takes, reached] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        let program = programs.iter().find(|it| it.path == Path::new(path))?.clone();
        let takes = Duration::from_millis(takes.parse().ok()?);
        let reached = reached.split_whitespace().filter_map(|id| id.parse().ok()).collect();
        Some(Self { program, name: name.into(), cases: cases.into(), takes, reached })
    }
}

/// Tests that share a process: short ones of one program together, others alone; the quickest first.
pub(crate) fn batches<'a>(tests: &[&'a Test]) -> Vec<Vec<&'a Test>> {
    let mut batches: Vec<Vec<&Test>> = Vec::new();
    for test in tests {
        let joins = |batch: &&mut Vec<&Test>| {
            let takes: Duration = batch.iter().map(|it| it.takes).sum();
            let alike = batch[0].program.path == test.program.path && batch[0].cases == test.cases;
            alike && takes + test.takes < Duration::from_millis(400)
        };
        match batches.iter_mut().find(joins) {
            Some(batch) => batch.push(test),
            None => batches.push(vec![test]),
        }
    }
    batches
}

/// Runs tests of one program, with an environment variable that activates a mutant or records points, and returns
/// their CPU time. The shell limits the CPU time, which does not depend on other load, and the memory.
pub(crate) fn run(batch: &[&Test], variable: &str, value: &str) -> (Ended, Duration) {
    let takes: Duration = batch.iter().map(|it| it.takes).sum();
    let seconds = (takes.as_secs_f64() * 5.0).ceil().max(4.0);
    let limits = format!("ulimit -t {seconds}; ulimit -v 6000000");
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{limits}; \"$0\" \"$@\" >/dev/null 2>&1; code=$?; times; exit $code")]);
    shell.arg(&batch[0].program.path).args(["--exact", "--test-threads", "1"]).args(batch.iter().map(|it| &it.name));
    shell.current_dir(&batch[0].program.folder).env(variable, value).stderr(Stdio::null());
    if !batch[0].cases.is_empty() {
        shell.env("TIEBREAK_CASES", &batch[0].cases);
    }
    let said = shell.output().expect("there is a shell");
    let ended = match said.status.code() {
        Some(0) => Ended::Passed,
        code if OUT_OF_TIME.contains(&code) => Ended::OutOfTime,
        _ => Ended::Failed,
    };
    (ended, of_children(&String::from_utf8_lossy(&said.stdout)))
}

/// The last line of `times`: `0m1.250s 0m0.010s`.
fn of_children(times: &str) -> Duration {
    let of = |word: &str| {
        let (minutes, seconds) = word.trim_end_matches('s').split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
    };
    let words = times.lines().last().unwrap_or_default().split_whitespace();
    Duration::from_secs_f64(words.filter_map(of).sum())
}
