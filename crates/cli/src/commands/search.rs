//! `tiebreak search`: a better list of rules for a scenario, judged on seeds that were not searched on.

use std::path::Path;
use std::time::{Duration, Instant};

use tiebreak_scenario::SweepError;
use tiebreak_scenario::search::{Search, SearchPlan};

use super::sweep;
use tiebreak_console::answer::{Answer, Failure, note};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::shown::count;
use tiebreak_console::trace::workloads;
use tiebreak_console::{scenario, whole};
use tiebreak_study::search::{Journal, search};
use tiebreak_study::watch::Watch;

mod journal;

use journal::Kept;

pub(crate) const OUT: Opt =
    Opt { name: "out", value: Some("FILE"), help: "writes the scenario with the present list and the one found" };
pub(crate) const JOURNAL: Opt = Opt {
    name: "journal",
    value: Some("FILE"),
    help: "keeps the figures of every run in this file; the same search with the same journal continues after a stop",
};

/// How often a search reports progress.
const NEWS: Duration = Duration::from_secs(5);

/// The journal, and when news were printed last.
struct Told {
    kept: Kept,
    told: Instant,
}

impl Journal for Told {
    fn figures(&self, key: &str) -> Option<Vec<Option<f64>>> {
        self.kept.figures(key)
    }

    fn put(&mut self, key: &str, figures: &[Option<f64>]) -> Result<(), Failure> {
        self.kept.put(key, figures)
    }

    fn news(&mut self, runs: u64, planned: u64, lead: f64) {
        if self.told.elapsed() > NEWS {
            self.told = Instant::now();
            note(&format!("{} runs, {} planned; the best list leads by {lead:.3}", count(runs), count(planned)));
        }
    }
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
    let begun = Search::new(&plan, &document).map_err(faulty)?;
    let (workloads, threads) = (workloads(given), sweep::threads(given)?);
    let kept = Kept::open(given.one(JOURNAL.name), &begun, &workloads)?;
    let start = Instant::now();
    let mut journal = Told { kept, told: start };
    let found = search(begun, &workloads, threads, &mut journal, &Watch::nobody());
    let found = found.map_err(|Failure(why)| Failure(format!("{file}: {why}")))?;
    if let Some(out) = given.one(OUT.name) {
        whole::write(Path::new(out), found.document().to_json().as_bytes())?;
    }
    let text = || format!("{}, {:.0} s\n", found.text(), start.elapsed().as_secs_f64());
    Ok(Answer::either(given, &found, text).undecided(!found.is_found()))
}
