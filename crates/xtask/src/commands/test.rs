//! All tests and checks, stage by stage, with a summary for people and CI.
//!
//! The build of the page for hosting takes minutes, in which the optimizer uses one core. So a separate process
//! builds it during the stages that need no page; its output is kept until it is needed.

mod passed;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::tools::{BROWSER_TARGET, DASK, HYPERQUEUE, NATIVE, WASM_BINDGEN, WASM_TESTS, WASM_TOGETHER};
use crate::{Outcome, process, progress, project};

pub(crate) const HELP: &str = "run every stage that has not passed on these very files, or all of them with --again, or only the named ones: \
     setup check native sweep python build wasm npm size browser";

/// A stage, with the number of its tests; a stage without separate tests counts as one.
struct Stage {
    name: &'static str,
    run: fn() -> StageReport,
    /// If it fails, no later result can be trusted.
    is_ground: bool,
    /// Whether it needs the page, or a tool that the build of the page installs.
    needs_page: bool,
    /// Parts of paths that the stage does not read; `None` if it is too short to be worth caching.
    apart: Option<&'static [&'static str]>,
}

/// Native tests read neither the page's components nor its tests.
const APART_FROM_NATIVE: Option<&[&str]> = Some(&["web/src/", ".mjs"]);
/// The page contains neither the native program nor its documentation.
const APART_FROM_PAGE: Option<&[&str]> = Some(&["docs/", "crates/cli/", "crates/console/", "crates/papers/"]);

/// The packages contain neither the page nor the native program.
const APART_FROM_PACKAGES: Option<&[&str]> =
    Some(&["web/", "crates/app/", "crates/view/", "crates/cli/", "crates/papers/"]);

/// In this order. `check` is cheap, so it comes first.
const STAGES: &[Stage] = &[
    ground("setup", || StageReport::of(super::setup::for_tests())),
    native_stage("check", || StageReport::of(super::check::run(&[])), None),
    native_stage("native", native, APART_FROM_NATIVE),
    native_stage("sweep", sweep, APART_FROM_NATIVE),
    native_stage("python", python, APART_FROM_PACKAGES),
    Stage { needs_page: true, ..ground(BUILD, || StageReport::of(super::build::run(&[]))) },
    page_stage("wasm", wasm, APART_FROM_PAGE),
    page_stage("npm", npm, APART_FROM_PACKAGES),
    page_stage("size", || StageReport::of(super::size::run(&[])), None),
    page_stage("browser", browser, APART_FROM_PAGE),
];

const fn ground(name: &'static str, run: fn() -> StageReport) -> Stage {
    Stage { name, run, is_ground: true, needs_page: false, apart: None }
}

const fn native_stage(name: &'static str, run: fn() -> StageReport, apart: Option<&'static [&'static str]>) -> Stage {
    Stage { name, run, is_ground: false, needs_page: false, apart }
}

const fn page_stage(name: &'static str, run: fn() -> StageReport, apart: Option<&'static [&'static str]>) -> Stage {
    Stage { name, run, is_ground: false, needs_page: true, apart }
}

const BUILD: &str = "build";

/// The log of the build that runs during other stages.
const BUILD_LOG: &str = "target/page/build.log";

/// The argument that repeats stages that have passed.
const AGAIN: &str = "--again";

pub(crate) fn run(words: &[String]) -> Outcome {
    let (again, words): (Vec<_>, Vec<_>) = words.iter().partition(|word| *word == AGAIN);
    let recalls = again.is_empty() && std::env::var_os("CI").is_none();
    if let Some(word) = words.iter().find(|word| STAGES.iter().all(|stage| stage.name != word.as_str())) {
        return Err(format!("{word} is no stage; {HELP}"));
    }
    let wanted = |stage: &&Stage| words.is_empty() || words.iter().any(|word| *word == stage.name);
    let wanted: Vec<&Stage> = STAGES.iter().filter(wanted).collect();
    let has_company = wanted.iter().any(|stage| stage.name == BUILD) && wanted.iter().any(|stage| !stage.needs_page);
    let (mut done, mut beside) = (Vec::new(), None);
    for stage in wanted {
        let (report, took) = match beside.take_if(|_| stage.name == BUILD) {
            Some(build) => run_stage(stage.name, || StageReport::of(wait_for(build))),
            None => recalled(stage).filter(|_| recalls).unwrap_or_else(|| run_and_keep(stage)),
        };
        let is_over = stage.is_ground && report.outcome.is_err();
        done.push((stage.name, report, took));
        if is_over {
            break;
        }
        if has_company && stage.name == STAGES[0].name {
            beside = begin_build().map_err(|sentence| println!("{sentence}; it is built later")).ok();
        }
    }
    summarize(&done)
}

/// Starts the build of the page in a separate process.
fn begin_build() -> Result<Child, String> {
    let failed = |error: std::io::Error| format!("cannot build the page beside the tests: {error}");
    let log = Path::new(BUILD_LOG);
    std::fs::create_dir_all(log.parent().unwrap_or(log)).map_err(failed)?;
    let log = File::create(log).map_err(failed)?;
    let mut build = Command::new(std::env::current_exe().map_err(failed)?);
    build.arg(BUILD).stdin(Stdio::null()).stdout(log.try_clone().map_err(failed)?).stderr(log);
    println!("the page is being built beside the next stages; what it says is in {BUILD_LOG}");
    build.spawn().map_err(failed)
}

fn wait_for(mut build: Child) -> Outcome {
    let over = progress::told("waiting for the page", || build.wait().map_err(|error| error.to_string()))?;
    let said = project::read(BUILD_LOG).unwrap_or_default();
    if over.success() {
        println!("{}", said.lines().last().unwrap_or_default());
        return Ok(());
    }
    println!("{said}");
    Err(format!("the page was not built ({over}); what is wrong stands above"))
}

/// The stored result of the stage, if it passed on these exact files.
fn recalled(stage: &Stage) -> Option<(StageReport, Duration)> {
    let passed = passed::recall(stage.name, stage.apart?)?;
    let seconds = passed.took.as_secs();
    println!(
        "\n== {} ==\n{} tests passed on these files before, in {seconds} s; {AGAIN} runs them",
        stage.name, passed.tests
    );
    Some((StageReport { recalled: passed.tests, ..StageReport::default() }, Duration::ZERO))
}

fn run_and_keep(stage: &Stage) -> (StageReport, Duration) {
    let begun = stage.apart.map(|apart| passed::begin(stage.name, apart));
    let (report, took) = run_stage(stage.name, stage.run);
    let passed = passed::Passed { tests: report.passed, took };
    let kept = begun.filter(|_| report.outcome.is_ok()).map(|begun| begun.and_then(|begun| begun.keep(passed)));
    if let Some(Err(sentence)) = kept {
        println!("{sentence}");
    }
    (report, took)
}

fn run_stage(name: &str, work: impl FnOnce() -> StageReport) -> (StageReport, Duration) {
    println!("\n== {name} ==");
    let start = Instant::now();
    let report = work();
    if let Err(sentence) = &report.outcome {
        println!("{name}: {sentence}");
    }
    (report, start.elapsed())
}

fn summarize(done: &[(&str, StageReport, Duration)]) -> Outcome {
    println!("\n== summary ==");
    for (name, report, took) in done {
        let word = if report.outcome.is_ok() { "ok" } else { "FAILED" };
        let StageReport { passed, failed, recalled, .. } = report;
        let before = if *recalled > 0 { format!(", {recalled} passed before") } else { String::new() };
        println!("{name:<8} {word:<7} {passed:>5} passed {failed:>3} failed {:>6.0} s{before}", took.as_secs_f64());
    }
    for (name, report, _) in done {
        if let Err(sentence) = &report.outcome {
            println!("{name}: {sentence}");
        }
    }
    let sum = |count: fn(&StageReport) -> u64| done.iter().map(|(_, report, _)| count(report)).sum::<u64>();
    let failed = sum(|report| report.failed);
    let recalled = sum(|report| report.recalled);
    if recalled > 0 {
        println!("{recalled} tests were not run: they passed before on these very files; {AGAIN} runs them");
    }
    println!("{} passed, {failed} failed", sum(|report| report.passed));
    // The table shows all failures; the sum stays the last line.
    if failed == 0 { Ok(()) } else { std::process::exit(1) }
}

fn native() -> StageReport {
    if process::output(&mut process::cargo(&["nextest", "--version"])).is_err() {
        return counted(process::cargo(&["test", "--quiet"]).args(NATIVE));
    }
    // nextest runs the tests of all crates in parallel, but no doc tests.
    let all = ["--no-tests", "pass", "--no-fail-fast", "--status-level", "fail"];
    let tests = counted(process::cargo(&["nextest", "run"]).args(NATIVE).args(all));
    tests.and(counted(process::cargo(&["test", "--quiet", "--doc"]).args(NATIVE)))
}

/// A sweep through Dask or HyperQueue equals the sweep in one piece.
fn sweep() -> StageReport {
    let tested = |tool, test: &str| match super::setup::python(tool) {
        Ok(python) => {
            let mut command = process::cargo(&["test", "--test", test]);
            counted(command.args(NATIVE).args(["--", "--ignored"]).env("TIEBREAK_PYTHON", python)).with_some_test()
        }
        Err(sentence) => StageReport::of(Err(sentence)),
    };
    tested(&DASK, "dask").and(tested(&HYPERQUEUE, "hyperqueue"))
}

/// The Python package, with what the native stage has compiled.
fn python() -> StageReport {
    match super::wheel::lay_out().and_then(|()| super::wheel::tests()) {
        Ok(mut tests) => counted(&mut tests).with_some_test(),
        Err(sentence) => StageReport::of(Err(sentence)),
    }
}

/// The npm package, from its tarball, in Node.js and in browsers.
fn npm() -> StageReport {
    match super::npm::pack("dev") {
        Ok(tarball) => {
            let node = ["--test", "--test-timeout=600000", "--test-reporter=spec", "tests/npm/package.test.mjs"];
            counted(process::command("node", &node).env("TIEBREAK_TARBALL", tarball)).with_some_test()
        }
        Err(sentence) => StageReport::of(Err(sentence)),
    }
}

fn wasm() -> StageReport {
    match super::setup::for_wasm_tests().and_then(|()| wasm_programs()) {
        Ok(programs) => WASM_TESTS
            .iter()
            .map(|test| wasm_of(test, &programs).with_some_test())
            .fold(StageReport::default(), StageReport::and),
        Err(sentence) => StageReport::of(Err(sentence)),
    }
}

fn wasm_of(test: &str, (runner, driver): &(PathBuf, PathBuf)) -> StageReport {
    let mut test = process::cargo(&["test", "--test", test, "--target", BROWSER_TARGET]);
    test.args(WASM_TOGETHER).env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner).env("CHROMEDRIVER", driver);
    counted(&mut test)
}

fn wasm_programs() -> Result<(PathBuf, PathBuf), String> {
    let driver = process::find("chromedriver").ok_or("chromedriver is not on PATH; run `cargo xtask setup`")?;
    Ok((WASM_BINDGEN.program("wasm-bindgen-test-runner")?, driver))
}

fn browser() -> StageReport {
    let ready = super::setup::for_tests().and_then(|()| project::need_dist());
    let files = match ready.and_then(|()| browser_tests()) {
        Ok(files) => files,
        Err(sentence) => return StageReport::of(Err(sentence)),
    };
    // Two files at a time, then those that measure times alone, because two browsers would disturb each other's
    // measurements.
    let (alone, together): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| measures_times(file));
    let node = |files, concurrency| {
        // The limit is per file. It ends what hangs, and is long enough for a busy machine.
        let node = ["--test", concurrency, "--test-timeout=1800000", "--test-reporter=spec"];
        counted(process::command("node", &node).args(files)).with_some_test()
    };
    node(together, "--test-concurrency=2").and(node(alone, "--test-concurrency=1"))
}

fn measures_times(file: &Path) -> bool {
    file.ends_with("speed.test.mjs")
}

fn browser_tests() -> Result<Vec<PathBuf>, String> {
    let folder = "tests/browser";
    let files = std::fs::read_dir(folder).map_err(|error| format!("cannot list {folder}: {error}"))?;
    let mut files: Vec<_> = files
        .filter_map(|file| Some(file.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(".test.mjs"))
        .collect();
    files.sort();
    if files.is_empty() { Err(format!("no *.test.mjs in {folder}")) } else { Ok(files) }
}

/// The result of a stage.
#[derive(Debug, PartialEq)]
struct StageReport {
    outcome: Outcome,
    passed: u64,
    failed: u64,
    /// Tests that were not run because they passed earlier on the same files.
    recalled: u64,
}

impl Default for StageReport {
    fn default() -> StageReport {
        StageReport { outcome: Ok(()), passed: 0, failed: 0, recalled: 0 }
    }
}

impl StageReport {
    /// The report of a stage that is a single check.
    fn of(outcome: Outcome) -> StageReport {
        let failed = u64::from(outcome.is_err());
        StageReport { outcome, passed: 1 - failed, failed, recalled: 0 }
    }

    /// Fails a test program that ran no tests, because it proves nothing.
    fn with_some_test(self) -> StageReport {
        match self {
            StageReport { outcome: Ok(()), passed: 0, .. } => StageReport::of(Err("no test ran at all".into())),
            report => report,
        }
    }

    fn and(self, other: StageReport) -> StageReport {
        StageReport {
            outcome: self.outcome.and(other.outcome),
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            recalled: self.recalled + other.recalled,
        }
    }
}

/// Runs tests and counts them from the output of the test programs.
fn counted(command: &mut Command) -> StageReport {
    let (outcome, lines) = process::run_and_listen(command);
    let (passed, failed) = sum(&lines);
    // A program that fails before its first test, or without a count, still counts as one failure.
    let failed = if outcome.is_err() { failed.max(1) } else { failed };
    StageReport { outcome, passed, failed, recalled: 0 }
}

fn sum(lines: &[String]) -> (u64, u64) {
    let lines: Vec<String> = lines.iter().map(|line| without_colours(line).trim().to_owned()).collect();
    // nextest shows the output of failed tests, which contains a summary line of its own.
    let is_nextest = lines.iter().any(|line| line.starts_with(NEXTEST_SUM));
    let counts = lines.iter().filter(|line| !is_nextest || line.starts_with(NEXTEST_SUM)).map(|line| count(line));
    counts.fold((0, 0), |sum, line| (sum.0 + line.0, sum.1 + line.1))
}

const CARGO_SUM: &str = "test result:";
const NEXTEST_SUM: &str = "Summary [";

/// Tests passed and failed according to this line of cargo, nextest or node.
fn count(line: &str) -> (u64, u64) {
    let words: Vec<&str> = line.split([' ', ',', ';']).filter(|word| !word.is_empty()).collect();
    let before =
        |name| words.iter().position(|word| *word == name).and_then(|at| words.get(at.checked_sub(1)?)?.parse().ok());
    if line.starts_with(CARGO_SUM) || line.starts_with(NEXTEST_SUM) {
        return (before("passed").unwrap_or(0), before("failed").unwrap_or(0));
    }
    match words.as_slice() {
        ["ℹ" | "#", "pass", number] => (number.parse().unwrap_or(0), 0),
        ["ℹ" | "#", "fail", number] => (0, number.parse().unwrap_or(0)),
        // Python's unittest; what fails is seen from its exit code.
        ["Ran", number, "tests" | "test", "in", _] => (number.parse().unwrap_or(0), 0),
        _ => (0, 0),
    }
}

fn without_colours(line: &str) -> String {
    let mut pieces = line.split('\u{1b}');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    plain.extend(pieces.filter_map(|piece| piece.split_once('m')).map(|(_, rest)| rest));
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], expected: (u64, u64)) {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!(sum(&lines), expected, "{lines:?}");
    }

    #[test]
    fn the_sum_of_every_test_program_is_read() {
        check(&["test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out"], (12, 0));
        check(&["test result: ok. 1 passed; 0 failed", "test result: FAILED. 3 passed; 2 failed"], (4, 2));
        check(&["     Summary [   0.016s] 5 tests run: 4 passed, 1 failed, 2 skipped"], (4, 1));
        check(
            &[
                "\u{1b}[32;1m     Summary\u{1b}[0m [   0.016s] \u{1b}[1m5\u{1b}[0m tests run: \u{1b}[1m5\u{1b}[0m passed",
            ],
            (5, 0),
        );
        check(&["Ran 12 tests in 1.234s", "", "OK"], (12, 0));
        check(&["ℹ tests 8", "ℹ pass 7", "ℹ fail 1"], (7, 1));
        check(&["9 passed by here"], (0, 0));
    }

    #[test]
    fn what_a_failed_test_printed_is_not_counted_again() {
        check(
            &["    test result: FAILED. 0 passed; 1 failed", "Summary [ 0.01s] 2 tests run: 1 passed, 1 failed"],
            (1, 1),
        );
    }
}
