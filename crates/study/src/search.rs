//! A search for a better list of rules: its runs on threads, and what it finds.

use serde::{Serialize, Serializer};
use serde_json::Value;
use tiebreak_scenario::Document;
use tiebreak_scenario::search::{Interval, Search, SearchFigure, SearchPoint, SearchReport, SearchRun};

use crate::at_once::in_order;
use crate::shown::{count, table};
use crate::sweep::measured;
use crate::watch::Watch;
use crate::{Failure, Workloads};

/// What follows a search: the figures of earlier runs, and news.
pub trait Journal {
    /// The figures of a run, if they are known.
    fn figures(&self, _key: &str) -> Option<Vec<Option<f64>>> {
        None
    }

    /// Keeps the figures of a run.
    ///
    /// # Errors
    /// If they cannot be kept; this stops the search.
    fn put(&mut self, _key: &str, _figures: &[Option<f64>]) -> Result<(), Failure> {
        Ok(())
    }

    /// Hears how many runs are made, how many are planned, and by how much the best list leads.
    fn news(&mut self, _runs: u64, _planned: u64, _lead: f64) {}
}

/// Keeps nothing.
impl Journal for () {}

/// What a search has found.
pub struct Finding(SearchReport);

/// Makes the runs of a search until it is over. `watch` hears how many runs are made and how many are planned.
///
/// # Errors
/// If the first list cannot run, the journal fails, or the work was stopped.
pub fn search(
    mut search: Search,
    workloads: &Workloads<'_>,
    threads: usize,
    journal: &mut impl Journal,
    watch: &Watch<'_>,
) -> Result<Finding, Failure> {
    while !search.is_over() {
        let mut runs = Vec::new();
        for run in search.wanted().collect::<Vec<_>>() {
            match journal.figures(&search.key(run)) {
                Some(figures) => search.tell(run, Ok(figures)),
                None => runs.push(run),
            }
        }
        let (spent, budget) = search.progress();
        let follow = |done, _| watch.tell(spent + done, budget.max(spent + done));
        let round = Watch::by(&follow);
        let mut made = Vec::with_capacity(runs.len());
        let make = |run: &SearchRun| Ok((*run, figures(&search, *run, workloads, &round)));
        in_order(&runs, threads, &round, make, |(run, figures)| {
            if let Ok(figures) = &figures {
                journal.put(&search.key(run), figures)?;
            }
            made.push((run, figures));
            journal.news(spent + made.len() as u64, budget, search.lead());
            Ok(())
        })?;
        for (run, figures) in made {
            search.tell(run, figures.map_err(|Failure(why)| why));
        }
    }
    let report = search.report();
    report.map(Finding).ok_or_else(|| Failure(search.failure().unwrap_or("expected a result, got none").into()))
}

/// The figures of one run.
fn figures(
    search: &Search,
    run: SearchRun,
    workloads: &Workloads<'_>,
    watch: &Watch<'_>,
) -> Result<Vec<Option<f64>>, Failure> {
    Ok(measured(workloads.plan(&search.variant(run))?, search.measures(), watch)?.0)
}

impl Finding {
    /// Whether the list is certainly better on the held-out seeds.
    #[must_use]
    pub fn is_found(&self) -> bool {
        self.0.found
    }

    /// The scenario with the present list and the one found, which is active.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.0.document
    }

    /// The finding in words; the last line says the effort.
    #[must_use]
    pub fn text(&self) -> String {
        in_words(&self.0)
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        found(&self.0).serialize(serializer)
    }
}

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

fn in_words(report: &SearchReport) -> String {
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
    text + &format!("\n{lists} lists, {runs} runs, {races} races, {} restarts", report.restarts)
}
