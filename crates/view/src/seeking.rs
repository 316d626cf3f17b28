//! The search for a better list in words: its progress, its speed and its buttons.

use tiebreak_app::{App, Seeking};
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};
use tiebreak_scenario::{Document, Variant};

/// The progress so far, with the runs made in this many seconds.
#[must_use]
pub fn so_far(seeking: &Seeking, runs: usize, seconds: f64) -> String {
    let Some(state) = &seeking.state else { return tr("Starting the search ...").into() };
    let counted = |number: f64| words::count(number);
    let done = counted(seeking.runs() as f64);
    let (races, lists) = (counted(state.races), counted(state.looked_at));
    if !seeking.is_under_way() {
        return say("{done} runs, {races} races, {lists} lists.", &[&done, &races, &lists]);
    }
    let told = if state.is_judging || seeking.is_stopped {
        say("Judging the best list: {done} runs, {races} races, {lists} lists", &[&done, &races, &lists])
    } else {
        let most = counted(state.runs_max);
        say("{done} runs of about {most}, {races} races, {lists} lists", &[&done, &most, &races, &lists])
    };
    if runs == 0 || seconds <= 0.0 {
        return told;
    }
    let rate = words::fixed(runs as f64 / seconds, 1);
    say("{told}; {rate} runs per second", &[&told, &rate])
}

/// The share of the search that is done, from 0 to 1.
#[must_use]
pub fn share(seeking: &Seeking) -> f64 {
    let most = seeking.state.as_ref().map_or(1.0, |state| state.runs_max);
    (seeking.runs() as f64 / most).min(1.0)
}

/// Whether the scenario has changed since the search started, except for the rules' variants that it opened.
#[must_use]
pub fn is_old(app: &App, seeking: &Seeking) -> bool {
    let of = serde_json::from_str::<serde_json::Value>(&seeking.plan).ok();
    let of = of.and_then(|plan| Document::read(&plan.get("scenario")?.to_string()).ok());
    let same = |variant: &Variant| of.as_ref().is_some_and(|of| of.document.active_variant().runs_like(variant));
    !app.document.variants.iter().any(same)
}
