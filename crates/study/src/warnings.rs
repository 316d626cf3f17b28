//! What makes the figures of a run doubtful, one sentence each.

use tiebreak_profile::{Facts, too_large};
use tiebreak_scenario::Variant;
use tiebreak_sim::{Plan, Summary};

/// What is known before the run; `without_outliers` says how to leave outliers of a trace out.
#[must_use]
pub fn before(variant: &Variant, plan: &Plan, facts: &Facts, without_outliers: &str) -> Vec<String> {
    let told = too_large(plan.workload(), plan.fleet()).into_iter().chain(variant.ends_early(plan.workload()));
    let mut doubts: Vec<_> = told.chain(facts.doubts(plan.fleet())).map(|doubt| doubt.to_string()).collect();
    doubts.extend(facts.stretched().map(|told| format!("{told} {without_outliers} does.")));
    doubts
}

/// What the run showed.
#[must_use]
pub fn after(variant: &Variant, summary: &Summary, facts: &Facts) -> Vec<String> {
    let wait_ms = summary.answers.p50_ms / variant.agents.slowdown;
    facts.slow_agents(wait_ms, summary.counters.ended_before_placed).iter().map(ToString::to_string).collect()
}
