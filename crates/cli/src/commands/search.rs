//! `tiebreak search`: a better list of rules for a scenario, judged on seeds that were not searched on.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;
use tiebreak_scenario::search::{Interval, Search, SearchFigure, SearchPlan, SearchPoint, SearchReport, SearchRun};
use tiebreak_scenario::{Document, SweepError};

use super::sweep;
use tiebreak_console::answer::{Answer, Failure, note};
use tiebreak_console::at_once::in_order;
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::shown::{count, table};
use tiebreak_console::trace::workloads;
use tiebreak_console::{scenario, whole};
use tiebreak_study::Workloads;
use tiebreak_study::sweep::measured;
use tiebreak_study::watch::Watch;

mod journal;

use journal::Journal;

pub(crate) const OUT: Opt =
    Opt { name: "out", value: Some("FILE"), help: "writes the scenario with the present list and the one found" };
pub(crate) const JOURNAL: Opt = Opt {
    name: "journal",
    value: Some("FILE"),
    help: "keeps the figures of every run in this file; the same search with the same journal continues after a stop",
};

/// How often a search reports progress.
const NEWS: Duration = Duration::from_secs(5);

#[derive(Serialize)]
struct Found<'a> {
    found: bool,
    sentence: String,
    worse: Vec<String>,
    list: Value,
    searched: Half<'a>,
    held_out: Half<'a>,
    changes: Vec<Change<'a>>,
    frontier: Vec<Point<'a>>,
    lists: usize,
    runs: u64,
    races: u64,
    restarts: u64,
}

/// The figures on one half of the seeds; mean and interval are those of the first objective's difference.
#[derive(Serialize)]
struct Half<'a> {
    measure: &'a str,
    mean: f64,
    interval: [f64; 2],
    seeds: &'a [u64],
    figures: Vec<Figure<'a>>,
}

#[derive(Serialize)]
struct Figure<'a> {
    measure: &'a str,
    now: f64,
    found: f64,
    mean: f64,
    interval: [f64; 2],
}

#[derive(Serialize)]
struct Change<'a> {
    set: &'a str,
    mean: f64,
    interval: [f64; 2],
}

#[derive(Serialize)]
struct Point<'a> {
    list: Value,
    figures: Vec<Figure<'a>>,
}

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let file = given.word(0, "the file of a search plan, PLAN.json")?;
    let faulty = |error: SweepError| Failure(format!("{file}: {error}"));
    let text = scenario::text(file)?;
    let plan = SearchPlan::read(&text).map_err(faulty)?;
    let mut document = sweep::document(file, &plan.scenario)?;
    for variant in &mut document.variants {
        scenario::use_given(variant, given)?;
    }
    let mut search = Search::new(&plan, &document).map_err(faulty)?;
    let workloads = workloads(given);
    let mut journal = Journal::open(given.one(JOURNAL.name), &search, &workloads)?;
    let (threads, begun) = (sweep::threads(given)?, Instant::now());
    let mut told = begun;
    while !search.is_over() {
        let mut runs = Vec::new();
        for run in search.wanted().collect::<Vec<_>>() {
            match journal.figures(&search.key(run)) {
                Some(figures) => search.tell(run, Ok(figures)),
                None => runs.push(run),
            }
        }
        let mut made = Vec::with_capacity(runs.len());
        let make = |run: &SearchRun| Ok((*run, figures(&search, *run, &workloads)));
        in_order(&runs, threads, &Watch::nobody(), make, |(run, figures)| {
            if let Ok(figures) = &figures {
                journal.put(&search.key(run), figures)?;
            }
            made.push((run, figures));
            if told.elapsed() > NEWS {
                told = Instant::now();
                let (spent, budget) = search.progress();
                let spent = count(spent + made.len() as u64);
                note(&format!("{spent} runs, {} planned; the best list leads by {:.3}", count(budget), search.lead()));
            }
            Ok(())
        })?;
        for (run, figures) in made {
            search.tell(run, figures.map_err(|Failure(why)| why));
        }
    }
    let Some(report) = search.report() else {
        return Err(Failure(format!("{file}: {}", search.failure().unwrap_or("expected a result, got none"))));
    };
    if let Some(out) = given.one(OUT.name) {
        whole::write(Path::new(out), report.document.to_json().as_bytes())?;
    }
    let found = found(&report);
    Ok(Answer::either(given, &found, || report_text(&report, begun.elapsed())).undecided(!report.found))
}

/// The figures of one run.
fn figures(search: &Search, run: SearchRun, workloads: &Workloads<'_>) -> Result<Vec<Option<f64>>, Failure> {
    Ok(measured(workloads.plan(&search.variant(run))?, search.measures(), &Watch::nobody())?.0)
}

fn half_of<'a>(figures: &'a [SearchFigure], seeds: &'a [u64]) -> Half<'a> {
    let first = figures.first().expect("the first objective was measured");
    let Interval { mean, low, high } = first.difference;
    Half { measure: first.measure, mean, interval: [low, high], seeds, figures: all(figures) }
}

fn found(report: &SearchReport) -> Found<'_> {
    Found {
        found: report.found,
        sentence: report.sentence.to_string(),
        worse: report.worse.iter().map(ToString::to_string).collect(),
        list: as_json(&report.document),
        searched: half_of(&report.searched, &report.seeds[0]),
        held_out: half_of(&report.held_out, &report.seeds[1]),
        changes: report
            .changes
            .iter()
            .map(|it| Change { set: &it.set, mean: it.brings.mean, interval: [it.brings.low, it.brings.high] })
            .collect(),
        frontier: report.frontier.iter().map(|point| of_frontier(point, &report.document)).collect(),
        lists: report.lists,
        runs: report.runs,
        races: report.races,
        restarts: report.restarts,
    }
}

fn of_frontier<'a>(point: &'a SearchPoint, document: &Document) -> Point<'a> {
    let document = Document { variants: vec![point.variant.clone()], active: 0, ..document.clone() };
    Point { list: as_json(&document), figures: all(&point.held_out) }
}

fn all(figures: &[SearchFigure]) -> Vec<Figure<'_>> {
    let one = |it: &SearchFigure| {
        let Interval { mean, low, high } = it.difference;
        Figure { measure: it.measure, now: it.now, found: it.found, mean, interval: [low, high] }
    };
    figures.iter().map(one).collect()
}

fn as_json(document: &Document) -> Value {
    serde_json::from_str(&document.to_json()).expect("a document is JSON")
}

fn report_text(report: &SearchReport, took: Duration) -> String {
    let signed = |it: f64| format!("{}{it:.3}", if it > 0.0 { "+" } else { "" });
    let interval = |it: &Interval| format!("{} ({} to {})", signed(it.mean), signed(it.low), signed(it.high));
    let mut rows = vec![["", "now", "found", "searched seeds", "held-out seeds"].map(String::from).to_vec()];
    rows.extend(report.held_out.iter().map(|held| {
        let searched = report.searched.iter().find(|it| it.measure == held.measure);
        let searched = searched.map_or_else(String::new, |it| interval(&it.difference));
        let (now, found) = (format!("{:.3}", held.now), format!("{:.3}", held.found));
        vec![held.measure.to_owned(), now, found, searched, interval(&held.difference)]
    }));
    let worse: String = report.worse.iter().map(|worse| format!("{worse}\n")).collect();
    let mut text = format!("{}\n{worse}\n{}", report.sentence, table(&rows));
    if !report.changes.is_empty() {
        let lines = report.changes.iter().map(|it| vec![it.set.clone(), interval(&it.brings)]);
        let head = vec!["Change".to_owned(), "what it brings on the held-out seeds".to_owned()];
        text += &format!("\n{}", table(&std::iter::once(head).chain(lines).collect::<Vec<_>>()));
    }
    if !report.frontier.is_empty() {
        let head = report.frontier[0].held_out.iter().map(|it| it.measure.to_owned());
        let mut rows = vec![std::iter::once("Frontier".to_owned()).chain(head).collect::<Vec<_>>()];
        rows.extend(report.frontier.iter().enumerate().map(|(nth, point)| {
            let values = point.held_out.iter().map(|it| format!("{:.3}", it.found));
            std::iter::once((nth + 1).to_string()).chain(values).collect()
        }));
        text += &format!("\n{}", table(&rows));
    }
    let [lists, runs, races] = [report.lists as u64, report.runs, report.races].map(count);
    let (restarts, seconds) = (report.restarts, took.as_secs_f64());
    text + &format!("\n{lists} lists, {runs} runs, {races} races, {restarts} restarts, {seconds:.0} s\n")
}
