//! The descriptions of the admission presets hold (cluster admission, sections 5 and 7).

use std::sync::Arc;

use tiebreak_model::random::Seed;
use tiebreak_placement::{Policy, RuleUse};
use tiebreak_scenario::{Document, PRESETS, Variant};
use tiebreak_sim::World;
use tiebreak_sim::admission::Terms;
use tiebreak_sim::admission::years::{Span, Years};

fn preset(id: &str) -> Document {
    (PRESETS.iter().find(|preset| preset.id == id).expect(id).make)()
}

/// Deployments admitted, and the share of failed scale-outs, in percent.
fn run(variant: &Variant) -> (u64, f64) {
    let workload = Arc::new(variant.generate().expect("a generated workload"));
    let mut world = World::new(variant.plan(workload).expect("a plan"));
    world.run();
    let counters = world.summary().counters;
    let asked = counters.scale_outs + counters.scale_outs_failed;
    assert!(asked > 2_000, "{asked} scale-outs");
    (counters.deployments, 100.0 * counters.scale_outs_failed as f64 / asked as f64)
}

#[test]
fn a_limit_that_stops_those_who_grow_fails_one_in_ten_of_them() {
    let document = preset("admission");
    for seed in 0..3 {
        let variant = |at: usize| Variant { seed: document.variants[at].seed + seed, ..document.variants[at].clone() };
        let [by_chance, by_use, by_limit] = [0, 1, 2].map(|at| run(&variant(at)));
        assert!(by_chance.1 < 1.0 && by_use.1 < 1.0 && by_limit.1 > 7.0, "{by_chance:?}, {by_use:?}, {by_limit:?}");
        assert!(by_chance.0 > by_use.0, "the second moment lets in more: {by_chance:?}, {by_use:?}");
    }
}

/// One of the three years.
fn one_year(variant: &Variant) -> Span {
    let mut lab = variant.admission_lab;
    lab.years = 1.0;
    let used = |rule: &&tiebreak_scenario::RuleRow| rule.on;
    let rules: Vec<_> = variant.rules.iter().filter(used).collect();
    let rules: Vec<_> = rules
        .iter()
        .map(|row| RuleUse { values: row.values.clone(), ..RuleUse::plain(&row.id, row.buckets) })
        .collect();
    let policy = Arc::new(Policy::new(&rules, 1).expect("a list"));
    let terms = Arc::new(Terms::new(&variant.admission, policy.looks_ahead()).expect("a belief"));
    let mut years = Years::new(terms, lab, policy, Seed(variant.seed));
    while years.advance(u32::MAX) {}
    years.total()
}

#[test]
fn moment_policies_fill_a_cluster_over_years_and_hardly_any_scale_out_fails() {
    let document = preset("admission-years");
    let arrivals = one_year(&document.variants[0]).arrivals;
    for variant in &document.variants {
        let span = one_year(variant);
        let (used, failed) = (span.utilization(variant.admission_lab.cores), span.failed_share());
        assert_eq!(span.arrivals, arrivals, "{}: the same deployments ask", variant.name);
        assert!(span.admitted > 2_000 && span.admitted < arrivals, "{}: {span:?}", variant.name);
        assert!(used > 0.35 && failed < 5e-4, "{}: {used} in use, {failed} failed", variant.name);
    }
}
