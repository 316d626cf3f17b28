//! `tiebreak sweep`: one scenario over values of its fields and over seeds, a row for each run.
//!
//! A row depends on its number alone, so the rows of all shards are those of the whole.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tiebreak_scenario::sweep::SweepMeasure;
use tiebreak_scenario::{Document, SWEEP_MEASURES, Sweep, SweepPlan, SweepRun, SweepScenario, presets};
use tiebreak_sim::World;

use crate::answer::{Answer, Failure, json as shown_json, note};
use crate::at_once::{in_order, processors};
use crate::given::{Given, Opt};
use crate::scenario;
use crate::shown::count;
use crate::workloads::Workloads;

mod merge;
mod shard;

use shard::Shard;

pub(crate) const SHARD: Opt =
    Opt { name: "shard", value: Some("I/N"), help: "only the runs of part I of N, I from 1 to N" };
pub(crate) const OUT: Opt = Opt {
    name: "out",
    value: Some("FILE"),
    help: "a file for the rows, written as they come, in place of standard output",
};
pub(crate) const THREADS: Opt =
    Opt { name: "threads", value: Some("N"), help: "how many runs at once; without it one for each processor" };
pub(crate) const MERGE: Opt = Opt {
    name: "merge",
    value: None,
    help: "runs nothing: puts the files of all shards, named behind the plan, together",
};

/// How often a long sweep says how far it has come.
const NEWS: Duration = Duration::from_secs(5);

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let file = given.word(0, "the file of a sweep's plan, PLAN.json")?;
    let (plan, sweep) = read(file)?;
    let table = Table::of(&plan, &sweep);
    if given.has("merge") {
        return merge::run(given, &table.header(), sweep.count());
    }
    if let Some(extra) = given.words.get(1) {
        return Err(Failure(format!("expected one plan, got also \"{extra}\"; shards are put together with --merge")));
    }
    let shard = Shard::of(given)?;
    let numbers: Vec<_> = (0..sweep.count()).filter(|number| shard.has(*number)).collect();
    let threads = given.number("threads")?.map_or_else(processors, |threads| threads.clamp(1, 1_024) as usize);
    let mut sink = Sink::of(given, &table)?;
    let workloads = Workloads::of(given);
    let mut news = News::of(numbers.len());
    let make = |number: &u64| {
        let run = sweep.run(*number).expect("a number below the count");
        finished(&table, run, &workloads)
    };
    in_order(&numbers, threads, make, |row| {
        news.one_more();
        sink.take(&row)
    })?;
    news.over();
    sink.answer(&sweep, &shard)
}

/// The plan of a file, over its scenario.
fn read(file: &str) -> Result<(SweepPlan, Sweep), Failure> {
    let faulty = |error: tiebreak_scenario::SweepError| Failure(format!("{file}: {error}"));
    let plan = SweepPlan::read(&scenario::text(file)?).map_err(faulty)?;
    let sweep = plan.over(&document(file, &plan.scenario)?).map_err(faulty)?;
    Ok((plan, sweep))
}

/// The scenario of a plan: in it, a preset, or a file beside it.
fn document(plan: &str, scenario: &SweepScenario) -> Result<Document, Failure> {
    let name = match scenario {
        SweepScenario::Inline(document) => return Ok((**document).clone()),
        SweepScenario::Named(name) => name,
    };
    if presets::find(name).is_some() {
        return scenario::preset(name);
    }
    let beside: PathBuf = Path::new(plan).parent().unwrap_or(Path::new("")).join(name);
    if !beside.is_file() {
        let message = format!("{plan}: scenario: expected a preset or a file beside the plan, got \"{name}\"");
        return Err(Failure(format!("{message}; see `tiebreak list presets`")));
    }
    scenario::whole(&beside.to_string_lossy())
}

/// The columns of a sweep.
struct Table {
    paths: Vec<String>,
    measures: Vec<&'static SweepMeasure>,
}

/// One row.
struct Row {
    number: u64,
    values: Vec<String>,
    seed: u64,
    digest: u64,
    measured: Vec<Option<f64>>,
}

impl Table {
    fn of(plan: &SweepPlan, sweep: &Sweep) -> Self {
        let measure = |id: &String| SWEEP_MEASURES.iter().find(|measure| measure.id == id);
        Self { paths: sweep.paths().to_vec(), measures: plan.measures.iter().filter_map(measure).collect() }
    }

    fn header(&self) -> String {
        let paths = self.paths.iter().map(String::as_str);
        let measures = self.measures.iter().map(|measure| measure.id);
        line(std::iter::once("number").chain(paths).chain(["seed", "digest"]).chain(measures))
    }

    fn line(&self, row: &Row) -> String {
        let mut cells = vec![row.number.to_string()];
        cells.extend(row.values.iter().cloned());
        cells.extend([row.seed.to_string(), format!("{:016x}", row.digest)]);
        cells.extend(row.measured.iter().map(|value| measured(*value)));
        line(cells)
    }

    fn json(&self, row: &Row) -> Value {
        let named = |names: Vec<String>, texts: Vec<String>| -> Map<_, _> {
            names.into_iter().zip(texts.iter().map(|text| as_json(text))).collect()
        };
        let values = named(self.paths.clone(), row.values.clone());
        let ids = self.measures.iter().map(|measure| measure.id.to_owned());
        let measures = named(ids.collect(), row.measured.iter().map(|value| measured(*value)).collect());
        let digest = format!("{:016x}", row.digest);
        json!({ "number": row.number, "values": values, "seed": row.seed, "digest": digest, "measures": measures })
    }
}

/// A figure as it stands in a cell; nothing where the run did not measure it.
fn measured(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map_or_else(String::new, |value| value.to_string())
}

/// A cell as JSON: a number where it is one, null where it is empty.
fn as_json(cell: &str) -> Value {
    let number = || serde_json::from_str(cell).ok().filter(Value::is_number);
    if cell.is_empty() { Value::Null } else { number().unwrap_or_else(|| json!(cell)) }
}

/// Cells as one line of CSV, with quotes where a text needs them.
fn line(cells: impl IntoIterator<Item = impl AsRef<[u8]>>) -> String {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(cells).expect("a line in memory");
    let bytes = csv.into_inner().expect("a line in memory");
    String::from_utf8(bytes).expect("it was made of text")
}

/// The row of a run.
fn finished(table: &Table, run: SweepRun, workloads: &Workloads<'_>) -> Result<Row, Failure> {
    let SweepRun { number, values, seed, document } = run;
    let named = |Failure(why): Failure| Failure(format!("run {number}: {why}"));
    let plan = workloads.plan(document.active_variant()).map_err(named)?;
    let mut world = World::new(plan.without_samples());
    world.run();
    let summary = world.summary();
    let measured = table.measures.iter().map(|measure| (measure.of)(&summary, world.plan())).collect();
    Ok(Row { number, values, seed, digest: summary.digest, measured })
}

/// Where rows go.
struct Sink<'a> {
    table: &'a Table,
    file: Option<(&'a str, File)>,
    as_json: bool,
    text: String,
    rows: Vec<Value>,
    count: u64,
}

impl<'a> Sink<'a> {
    fn of(given: &'a Given, table: &'a Table) -> Result<Self, Failure> {
        let file = match given.one("out") {
            None => None,
            Some(path) => Some((path, File::create(path).map_err(|error| unwritable(path, &error))?)),
        };
        let mut sink =
            Self { table, file, as_json: given.has("json"), text: String::new(), rows: Vec::new(), count: 0 };
        sink.put(&table.header())?;
        Ok(sink)
    }

    fn take(&mut self, row: &Row) -> Result<(), Failure> {
        self.count += 1;
        if self.as_json {
            self.rows.push(self.table.json(row));
        }
        self.put(&self.table.line(row))
    }

    fn put(&mut self, line: &str) -> Result<(), Failure> {
        match &mut self.file {
            Some((path, file)) => file.write_all(line.as_bytes()).map_err(|error| unwritable(path, &error)),
            None => {
                self.text += line;
                Ok(())
            }
        }
    }

    fn answer(self, sweep: &Sweep, shard: &Shard) -> Result<Answer, Failure> {
        let file = self.file.map(|(path, _)| path);
        if self.as_json {
            let answer = json!({ "runs": sweep.count(), "shard": shard.to_string(), "out": file, "rows": self.rows });
            return Ok(Answer::text(shown_json(&answer)));
        }
        let told = |path| format!("Wrote {} of {} runs to {path}.\n", count(self.count), count(sweep.count()));
        Ok(Answer::text(file.map_or(self.text, told)))
    }
}

fn unwritable(path: &str, error: &std::io::Error) -> Failure {
    Failure(format!("expected to write {path}, got: {error}; choose another --out"))
}

/// How far a sweep has come, on standard error.
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

    /// Only who has waited wants to know.
    fn over(&self) {
        if self.begun.elapsed() > NEWS {
            self.tell();
        }
    }

    fn tell(&self) {
        let rate = self.done as f64 / self.begun.elapsed().as_secs_f64();
        note(&format!("{} of {} runs, {rate:.1} a second", count(self.done), count(self.all)));
    }
}
