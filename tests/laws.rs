//! Random scenarios, and the laws that hold in all of them.
//!
//! A failure prints its number; this replays it alone: `TIEBREAK_CASE=<number> cargo test -p tiebreak-tests laws::`.
//! `TIEBREAK_CASES=1000` checks more of them, `TIEBREAK_FROM=5000` others; `cargo xtask soak` continues until a law
//! breaks or the time is over.

use std::fs;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use tiebreak_model::Time;
use tiebreak_placement::Combining;
use tiebreak_sim::{Decision, Outcome, Reason};
use tiebreak_testkit::{Case, Ledger, laws};

/// How often a long run reports its progress.
const NEWS: Duration = Duration::from_secs(30);

fn number_from(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|value| value.parse().ok())
}

/// The cases to check, and the time limit.
fn asked_for() -> (Range<u64>, Duration) {
    let hours = std::env::var("TIEBREAK_HOURS").ok().and_then(|value| value.parse().ok());
    let time = hours.map_or(Duration::MAX, |hours: f64| Duration::from_secs_f64(hours * 3_600.0));
    let (from, count) = match number_from("TIEBREAK_CASE") {
        Some(number) => (number, 1),
        None => (number_from("TIEBREAK_FROM").unwrap_or(0), number_from("TIEBREAK_CASES").unwrap_or(300).max(1)),
    };
    (from..from.saturating_add(count), time)
}

/// The first law that a case breaks; a panic counts as well.
fn broken(number: u64) -> Option<String> {
    let checked = catch_unwind(AssertUnwindSafe(|| laws::check(&Case::random(number))));
    checked.unwrap_or_else(|_| Err("the core panicked, see above".into())).err()
}

#[test]
fn every_law_holds_in_random_scenarios() {
    let (cases, time) = asked_for();
    let (from, begun, mut told) = (cases.start, Instant::now(), Instant::now());
    let said = |checked: u64| println!("cases {from} to {checked}: every law holds, {:.0?}", begun.elapsed());
    for number in cases.clone() {
        if let Some(broken) = broken(number) {
            panic!("case {number}: {broken}\nreplay: TIEBREAK_CASE={number} cargo test -p tiebreak-tests laws::");
        }
        if begun.elapsed() > time {
            return said(number);
        }
        if told.elapsed() > NEWS {
            told = Instant::now();
            said(number);
        }
    }
    said(cases.end - 1);
}

/// Summed weights, and scores normalised over the candidates, in every case with weights.
#[test]
fn every_law_holds_where_weights_are_added_up() {
    let cases = (0..300).map(Case::random).filter(|case| case.rules.iter().any(|rule| rule.weight.is_some()));
    let mut held = 0;
    for case in cases.take(16) {
        for combining in [Combining::Sum, Combining::NormalisedSum] {
            let case = case.clone().combined(combining).expect("it has weights");
            laws::check(&case).unwrap_or_else(|broken| panic!("case {}, {combining:?}: {broken}", case.number));
            held += 1;
        }
    }
    assert_eq!(held, 32, "cases with weights");
}

/// Scenarios that a fuzzer kept because they reach additional code.
#[test]
fn every_law_holds_in_the_scenarios_that_fuzzing_kept() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/testkit/fuzz/corpus/cases");
    let inputs: Vec<_> = fs::read_dir(corpus).expect("a folder").map(|input| input.expect("an entry").path()).collect();
    assert!(inputs.len() >= 40, "{} inputs", inputs.len());
    for input in inputs {
        let case = Case::of_bytes(&fs::read(&input).expect("an input"));
        laws::check(&case).unwrap_or_else(|broken| panic!("{}: {broken}", input.display()));
    }
}

/// How often each kind of thing occurred in random scenarios, so that no law is vacuous.
#[derive(Debug, Default)]
struct Coverage {
    conflicts: usize,
    refused: usize,
    out_of_retries: usize,
    warm_refused: u64,
    avoided: u64,
    evicted: usize,
    homeless: usize,
    migrated: usize,
    /// Migrations that kept two machines busy, and those that were no longer needed.
    live: usize,
    saved: u64,
    weighted: usize,
    /// Cases in which another list of rules took over, in the middle of their decisions.
    forked: usize,
    datacenters: usize,
    /// Deployments admitted and refused under admission rules, and scale-outs placed and failed.
    deployments: [u64; 4],
    /// Decisions about VMs of tenants with terms: placed, refused, and in conflict.
    asking: [usize; 3],
}

#[test]
fn random_scenarios_are_not_all_easy() {
    let mut seen = Coverage::default();
    for number in 0..300 {
        let case = Case::random(number);
        seen.add(&case, &laws::record(&case));
    }
    let Coverage { conflicts, refused, out_of_retries, warm_refused, avoided, evicted, homeless, migrated, .. } = seen;
    assert!(conflicts > 500 && refused > 10_000 && out_of_retries > 100 && warm_refused > 500, "{seen:?}");
    assert!(avoided > 500 && evicted > 200 && homeless > 50 && migrated > 10, "{seen:?}");
    assert!(seen.live > 100 && seen.saved > 20, "{seen:?}");
    assert!(seen.weighted > 20 && seen.forked > 40 && seen.datacenters > 50, "{seen:?}");
    assert!(seen.deployments.iter().all(|count| *count > 500), "{seen:?}");
    assert!(seen.asking.iter().zip([1_000, 1_000, 50]).all(|(count, least)| *count > least), "{seen:?}");
}

impl Coverage {
    fn add(&mut self, case: &Case, ledger: &Ledger) {
        let ended = |outcome| ledger.decisions.iter().filter(move |it| it.outcome == outcome);
        let left = |is: fn(Reason) -> bool| ledger.disruptions.iter().filter(|it| is(it.reason)).count();
        let asks = |it: &&Decision| !ledger.workload.shape_of_vm(it.vm).terms.is_none();
        self.conflicts += ended(Outcome::Conflict).count();
        self.refused += ended(Outcome::Refused).count();
        self.out_of_retries += ended(Outcome::OutOfRetries).count();
        self.warm_refused += ledger.summary.warm_rejections;
        self.avoided += ledger.summary.counters.avoided;
        self.evicted += left(|it| it == Reason::Evicted);
        self.migrated += left(|it| matches!(it, Reason::Migrated(_)));
        self.live += ledger.disruptions.iter().filter(|it| it.held_until > it.time).count();
        self.saved += ledger.summary.counters.migrations_saved;
        self.homeless += left(|it| !matches!(it, Reason::Evicted | Reason::Migrated(_)));
        self.weighted += usize::from(case.rules.iter().any(|rule| rule.weight.is_some()));
        let moments = case.changes.iter().map(|change| change.until);
        let decided = |from: Time, to: Time| {
            ledger.decisions.iter().any(|it| it.agent.is_some() && (from..to).contains(&it.time))
        };
        let mut both = moments.filter(|at| decided(Time::ZERO, *at) && decided(*at, Time::NEVER));
        self.forked += usize::from(both.next().is_some());
        self.datacenters += usize::from(case.clusters.iter().any(|it| it.datacenter != case.clusters[0].datacenter));
        let counters = &ledger.summary.counters;
        let [let_in, refused] = [counters.deployments, counters.deployments_refused];
        let counted = [let_in, refused, counters.scale_outs, counters.scale_outs_failed];
        self.deployments.iter_mut().zip(counted).for_each(|(all, one)| *all += one);
        for (count, outcome) in self.asking.iter_mut().zip([Outcome::Placed, Outcome::Refused, Outcome::Conflict]) {
            *count += ended(outcome).filter(asks).count();
        }
    }
}
