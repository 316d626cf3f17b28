//! `tiebreak sweep`: one scenario over values of its fields and over seeds, one row per run.
//!
//! A row depends only on its number, so the rows of all shards together equal those of the whole sweep.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tiebreak_scenario::{Document, Sweep, SweepPlan, SweepRow, SweepScenario, SweepTable, presets};
use tiebreak_study::sweep::{json_row, row};
use tiebreak_study::watch::Watch;

use tiebreak_console::answer::{Answer, Failure, json as shown_json, note};
use tiebreak_console::at_once::{in_order, processors};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::scenario;
use tiebreak_console::shown::count;
use tiebreak_console::trace::workloads;
use tiebreak_console::whole::Unfinished;

mod merge;
mod queue;
mod region;
mod resume;
mod shard;

use shard::Shard;

pub(crate) use region::REGION;

pub(crate) const SHARD: Opt = Opt { name: "shard", value: Some("I/N"), help: "run only part I of N, I from 1 to N" };
pub(crate) const OUT: Opt = Opt {
    name: "out",
    value: Some("FILE"),
    help: "write the rows to this file as they come, instead of standard output",
};
pub(crate) const THREADS: Opt =
    Opt { name: "threads", value: Some("N"), help: "number of runs at once; by default one per processor" };
pub(crate) const RESUME: Opt = Opt {
    name: "resume",
    value: None,
    help: "shares the runs with every process that has the same plan and --out, and continues after a stop; no run \
           with a row is made again. The folder FILE.work keeps rows and claims",
};
pub(crate) const STALE: Opt = Opt {
    name: "stale",
    value: Some("SECONDS"),
    help: "with --resume: takes over the runs of a worker on another machine that was silent for so long; 60",
};
pub(crate) const MERGE: Opt =
    Opt { name: "merge", value: None, help: "runs nothing; merges the files of all shards, named after the plan" };

/// How often a long sweep reports progress.
const NEWS: Duration = Duration::from_secs(5);

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let file = given.word(0, "the file of a sweep plan, PLAN.json")?;
    let (plan, sweep) = read(file, given)?;
    let table = SweepTable::of(&plan, &sweep);
    if given.has("merge") {
        return merge::run(given, &table, sweep.count());
    }
    if let Some(extra) = given.words.get(1) {
        return Err(Failure(format!("expected one plan, also got \"{extra}\"; use --merge to merge shards")));
    }
    if given.has(RESUME.name) {
        return resume::run(given, &plan, &sweep, &table);
    }
    let shard = Shard::of(given)?;
    if given.has(REGION.name) && given.has(SHARD.name) {
        return Err(Failure("expected --region with all zones, got --shard; give --region to --merge".into()));
    }
    let numbers: Vec<_> = (0..sweep.count()).filter(|number| shard.has(*number)).collect();
    let threads = threads(given)?;
    let mut sink = Sink::of(given, &sweep, &table)?;
    let workloads = workloads(given);
    let watch = Watch::nobody();
    let mut news = News::of(numbers.len());
    let make = |number: &u64| {
        let run = sweep.run(*number).expect("a number below the count");
        row(&plan, &table, run, &workloads, &watch)
    };
    in_order(&numbers, threads, &watch, make, |row| {
        news.one_more();
        sink.take(&row)
    })?;
    news.over();
    sink.answer(given, &shard)
}

/// The number of runs at once.
pub(super) fn threads(given: &Given) -> Result<usize, Failure> {
    Ok(given.number(THREADS.name)?.map_or_else(processors, |threads| threads.clamp(1, 1_024) as usize))
}

/// The plan in a file, applied to its scenario with the machines of `--machines` and the fields of `--set`.
fn read(file: &str, given: &Given) -> Result<(SweepPlan, Sweep), Failure> {
    let faulty = |error: tiebreak_scenario::SweepError| Failure(format!("{file}: {error}"));
    let plan = SweepPlan::read(&scenario::text(file)?).map_err(faulty)?;
    let mut document = document(file, &plan.scenario)?;
    for variant in &mut document.variants {
        scenario::use_given(variant, given)?;
    }
    let sweep = plan.over(&document).map_err(faulty)?;
    Ok((plan, sweep))
}

/// The scenario of a plan: embedded, a preset, or a file next to the plan.
pub(super) fn document(plan: &str, scenario: &SweepScenario) -> Result<Document, Failure> {
    let name = match scenario {
        SweepScenario::Inline(document) => return Ok((**document).clone()),
        SweepScenario::Named(name) => name,
    };
    if presets::find(name).is_some() {
        return scenario::preset(name);
    }
    let beside: PathBuf = Path::new(plan).parent().unwrap_or(Path::new("")).join(name);
    if !beside.is_file() {
        let message = format!("{plan}: scenario: expected a preset or a file next to the plan, got \"{name}\"");
        return Err(Failure(format!("{message}; see `tiebreak list presets`")));
    }
    scenario::whole(&beside.to_string_lossy())
}

/// The destination of rows.
struct Sink<'a> {
    sweep: &'a Sweep,
    table: &'a SweepTable,
    file: Option<(&'a str, Unfinished)>,
    as_json: bool,
    as_region: bool,
    text: String,
    rows: Vec<Value>,
    count: u64,
}

impl<'a> Sink<'a> {
    fn of(given: &'a Given, sweep: &'a Sweep, table: &'a SweepTable) -> Result<Self, Failure> {
        let file = match given.one("out") {
            None => None,
            Some(path) => Some((path, Unfinished::begin(Path::new(path))?)),
        };
        let as_region = given.has(REGION.name);
        let as_json = given.has("json") && !as_region;
        let mut sink = Self { sweep, table, file, as_json, as_region, text: String::new(), rows: Vec::new(), count: 0 };
        sink.put(&table.header())?;
        Ok(sink)
    }

    fn take(&mut self, row: &SweepRow) -> Result<(), Failure> {
        self.count += 1;
        if self.as_json {
            self.rows.push(json_row(self.sweep, self.table, row));
        }
        self.put(&self.table.line(row))
    }

    fn put(&mut self, line: &str) -> Result<(), Failure> {
        if self.file.is_none() || self.as_region {
            self.text += line;
        }
        self.file.as_mut().map_or(Ok(()), |(_, file)| file.write(line.as_bytes()))
    }

    fn answer(self, given: &Given, shard: &Shard) -> Result<Answer, Failure> {
        let finished = |(path, file): (_, Unfinished)| file.finish().map(|()| path);
        let file = self.file.map(finished).transpose()?;
        if self.as_region {
            return region::answer(given, self.table, &self.text, file);
        }
        if self.as_json {
            let answer =
                json!({ "runs": self.sweep.count(), "shard": shard.to_string(), "out": file, "rows": self.rows });
            return Ok(Answer::text(shown_json(&answer)));
        }
        let told = |path| format!("Wrote {} of {} runs to {path}.\n", count(self.count), count(self.sweep.count()));
        Ok(Answer::text(file.map_or(self.text, told)))
    }
}

/// Progress of a sweep on standard error.
struct News {
    all: u64,
    done: u64,
    begun: Instant,
    told: Instant,
}

impl News {
    fn of(all: usize) -> Self {
        Self { all: all as u64, done: 0, begun: Instant::now(), told: Instant::now() }
    }

    fn one_more(&mut self) {
        self.done += 1;
        if self.told.elapsed() > NEWS {
            self.told = Instant::now();
            self.tell();
        }
    }

    /// Reports the final count, unless the sweep was short.
    fn over(&self) {
        if self.begun.elapsed() > NEWS {
            self.tell();
        }
    }

    fn tell(&self) {
        let rate = self.done as f64 / self.begun.elapsed().as_secs_f64();
        note(&format!("{} of {} runs, {rate:.1} per second", count(self.done), count(self.all)));
    }
}
