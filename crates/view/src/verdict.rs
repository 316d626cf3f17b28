//! What changed, in one sentence.

use tiebreak_app::Outcome;
use tiebreak_engine::protocol::RunResult;
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};

use crate::compare::{MEASURES, Measure};

/// The number of [`MEASURES`] that are shown first.
const FIRST: usize = 4;

/// A main figure, and its change.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its name in files.
    pub id: &'static str,
    /// Display name.
    pub title: &'static str,
    /// Its value with unit.
    pub value: String,
    /// The change from the run it is compared with; `None` if there is none.
    pub change: Option<String>,
}

/// The figures of a finished run.
#[must_use]
pub fn figures(live: &Outcome, baseline: Option<&Outcome>) -> Vec<Figure> {
    let Some(result) = &live.result else { return Vec::new() };
    let before = baseline.and_then(|outcome| outcome.result.as_ref());
    // Round first, so that the change matches the displayed values.
    let shown = |value: f64| (value * 10.0).round() / 10.0;
    let figure = |measure: &Measure| {
        let (now, then) = (measure.of(result)?, before.and_then(|before| measure.of(before)));
        let (value, change) = match measure.unit {
            "" => (words::count(now), then.map(|then| words::change(now - then, 0, ""))),
            unit => (
                format!("{} {}", words::fixed(now, 1), tr(unit)),
                then.map(|then| words::change(shown(now) - shown(then), 1, tr(" points"))),
            ),
        };
        Some(Figure { id: measure.id(), title: tr(measure.title), value, change })
    };
    MEASURES[..FIRST].iter().filter_map(figure).collect()
}

/// The same as a sentence.
#[must_use]
pub fn sentence(live: &Outcome, baseline: Option<&Outcome>) -> String {
    let Some(result) = &live.result else { return String::new() };
    let [placed, all] = result.placed().map(words::count);
    let placed = say(
        "{} of {} VMs placed{}{}{}{}",
        &[&placed, &all, &too_late(result), &rejected(result), &homeless(result), &saved(result, baseline)],
    );
    let means = |of: &RunResult| [of.figure("empty_hosts_pct_mean"), of.figure("packing_density_pct_mean")];
    let [empty, density] = means(result);
    let Some(before) = baseline.and_then(|outcome| outcome.result.as_ref()) else {
        return say(
            "{placed}. On average {} % of the hosts were empty, and the others were {} % full.",
            &[&placed, &words::fixed(empty, 1), &words::fixed(density, 1)],
        );
    };
    if before.digest == result.digest {
        return say("{placed}. Every decision is the same as in the run it is compared with.", &[&placed]);
    }
    let [empty_then, density_then] = means(before);
    let hosts = (empty - empty_then) / 100.0 * f64::from(live.layout.machines);
    say(
        "{placed}. Compared with the dashed run, {} stayed empty on average, used machines were {}, and there were {} \
         conflicts (before: {}).",
        &[
            &placed,
            &more_hosts(hosts),
            &fuller(density - density_then),
            &words::count(result.figure("conflicts")),
            &words::count(before.figure("conflicts")),
        ],
    )
}

/// `1 more host`, `3.5 fewer hosts`.
pub(crate) fn more_hosts(difference: f64) -> String {
    let size = words::trimmed(difference.abs(), 1);
    let hosts = tr(match (difference < 0.0, size == "1") {
        (false, true) => "more host",
        (false, false) => "more hosts",
        (true, true) => "fewer host",
        (true, false) => "fewer hosts",
    });
    format!("{size} {hosts}")
}

/// `17.6 points fuller`, `2 points less full`, `equally full`.
fn fuller(points: f64) -> String {
    let size = words::fixed(points.abs(), 1);
    if !size.contains(|digit: char| ('1'..='9').contains(&digit)) {
        return tr("equally full").to_owned();
    }
    say(if points > 0.0 { "{} points fuller" } else { "{} points less full" }, &[&size])
}

/// How many of the migrations that emptying machines needs were saved; empty if none.
fn saved(result: &RunResult, baseline: Option<&Outcome>) -> String {
    let migrations = |of: &RunResult| (of.figure("migrations_scheduled"), of.figure("migrations_saved"));
    let (scheduled, saved) = migrations(result);
    if scheduled == 0.0 {
        return String::new();
    }
    let before = baseline.and_then(|outcome| outcome.result.as_ref()).map(migrations);
    let of = |(scheduled, saved): (f64, f64)| say("{} of {}", &[&words::count(saved), &words::count(scheduled)]);
    let then = before.filter(|(scheduled, _)| *scheduled > 0.0).map(|before| say(", then {}", &[&of(before)]));
    say(
        "; {} migrations saved because VMs ended before their turn{}",
        &[&of((scheduled, saved)), &then.unwrap_or_default()],
    )
}

/// VMs that had already ended when they were placed; empty if none.
fn too_late(result: &RunResult) -> String {
    match result.figure("ended_before_placed") {
        0.0 => String::new(),
        vms => say(", {} of them after their own exit", &[&words::count(vms)]),
    }
}

/// Why VMs were rejected; empty if none.
fn rejected(result: &RunResult) -> String {
    let causes = causes(result);
    if causes.is_empty() { String::new() } else { say("; rejected: {}", &[&causes]) }
}

/// VMs rejected, by cause.
pub(super) fn causes(result: &RunResult) -> String {
    let causes = [
        ("warm_rejections", tr("without room when the trace began")),
        ("rejected_by_room", tr("for lack of room")),
        ("rejected_by_terms", tr("by other rules")),
        ("rejected_out_of_retries", tr("out of retries")),
    ];
    let some = causes.map(|(id, cause)| (result.figure(id), cause)).into_iter().filter(|(vms, _)| *vms > 0.0);
    some.map(|(vms, cause)| format!("{} {cause}", words::count(vms))).collect::<Vec<_>>().join(", ")
}

/// How long requests waited; `None` without requests.
#[must_use]
pub fn waits(result: &RunResult) -> Option<String> {
    let (half, most) = result.waits_ms?;
    Some(say(
        "The median request was answered within {}, 99 % within {}.",
        &[&words::duration(half), &words::duration(most)],
    ))
}

/// What happened to VMs that lost their machine, counted each time; empty if none did.
fn homeless(result: &RunResult) -> String {
    let (reallocations, lost_vms) = (result.figure("reallocations"), result.figure("lost_vms"));
    if reallocations + lost_vms == 0.0 {
        return String::new();
    }
    let moved = words::counted(reallocations, "VM went to another machine", "VMs went to another machine");
    let lost = if lost_vms > 0.0 { say(", {} found no machine", &[&words::count(lost_vms)]) } else { String::new() };
    say("; {moved} when they lost their machine{lost}", &[&moved, &lost])
}
