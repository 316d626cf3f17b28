//! `tiebreak score`: one number for a list of rules, for programs that search for rules by themselves.

use serde::Serialize;
use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::at_once::at_once;
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::shown::table;
use tiebreak_console::trace::workloads;

use crate::lists::NamedList;
use crate::suite::{SUITE, Scored, SuiteWorkload};

pub(crate) const RULES: Opt = Opt {
    name: "rules",
    value: Some("PRESET|FILE"),
    help: "the list: that of a preset, or of the active variant of a scenario's file; by default the default list",
};
pub(crate) const SMALL: Opt = Opt { name: "small", value: None, help: "only the small workloads, for quick answers" };
pub(crate) const HIDDEN: Opt =
    Opt { name: "hidden", value: None, help: "the seeds to judge a finished list on, never to search on" };
pub(crate) const WORKLOAD: Opt =
    Opt { name: "workload", value: Some("ID"), help: "only this workload of the suite; may be repeated" };

#[derive(Serialize)]
struct Score {
    suite: &'static str,
    /// The mean over the workloads.
    score: f64,
    hidden: bool,
    seeds: &'static [u64],
    workloads: Vec<OfWorkload>,
}

#[derive(Serialize)]
struct OfWorkload {
    workload: &'static str,
    #[serde(flatten)]
    scored: Scored,
}

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let list = NamedList::of(given.one(RULES.name).unwrap_or("default"))?.with_given(given)?;
    let suite: &'static _ = &*SUITE;
    for id in given.all(WORKLOAD.name) {
        if !suite.workloads.iter().any(|workload| workload.id == id) {
            let ids: Vec<_> = suite.workloads.iter().map(|workload| workload.id.as_str()).collect();
            return Err(Failure(format!("expected a workload of {} ({}), got \"{id}\"", suite.name, ids.join(", "))));
        }
    }
    let is_asked = |workload: &&SuiteWorkload| {
        let named = !given.has(WORKLOAD.name) || given.all(WORKLOAD.name).any(|id| id == workload.id);
        named && (workload.small || !given.has(SMALL.name))
    };
    let asked: Vec<&'static SuiteWorkload> = suite.workloads.iter().filter(is_asked).collect();
    if asked.is_empty() {
        return Err(Failure("expected a small workload with --small, got only others; remove --small".into()));
    }
    let hidden = given.has(HIDDEN.name);
    let seeds: &'static [u64] = if hidden { &suite.hidden_seeds } else { &suite.seeds };
    let workloads = workloads(given);
    let scored = at_once(&asked, |workload| workload.score(&list, seeds, &workloads))?;
    let score = scored.iter().map(|it| it.score).sum::<f64>() / scored.len() as f64;
    let of = |(workload, scored): (&&'static SuiteWorkload, Scored)| OfWorkload { workload: &workload.id, scored };
    let workloads: Vec<_> = asked.iter().zip(scored).map(of).collect();
    let score = Score { suite: &suite.name, score, hidden, seeds, workloads };
    Ok(Answer::either(given, &score, || score.text()))
}

impl Score {
    fn text(&self) -> String {
        let head = ["Workload", "Score", "Empty hosts, %", "Density, %", "Rejected, %", "Digest"];
        let mut rows = vec![head.map(String::from).to_vec()];
        rows.extend(self.workloads.iter().map(|OfWorkload { workload, scored: it }| {
            let numbers = [it.score, it.empty_hosts_pct, it.packing_density_pct].map(|number| format!("{number:.2}"));
            let rejected = format!("{:.3}", it.rejected_pct);
            let digest = format!("{:016x}", it.digest);
            [(*workload).to_owned()].into_iter().chain(numbers).chain([rejected, digest]).collect()
        }));
        let hidden = if self.hidden { ", hidden seeds" } else { "" };
        format!("{:.3} on {}{hidden}\n\n{}", self.score, self.suite, table(&rows))
    }
}
