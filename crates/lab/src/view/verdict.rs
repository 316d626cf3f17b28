//! What changed, in one plain sentence.

use crate::app::Outcome;
use crate::protocol::RunResult;
use crate::view::words;

/// The three numbers people look at first, and how they moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it is.
    pub title: &'static str,
    /// Its value with unit.
    pub value: String,
    /// The change from the run it is compared with; none when there is nothing to compare.
    pub change: Option<String>,
}

/// The figures of a finished run.
#[must_use]
pub fn figures(live: &Outcome, baseline: Option<&Outcome>) -> Vec<Figure> {
    let Some(result) = &live.result else { return Vec::new() };
    let before = baseline.and_then(|outcome| outcome.result.as_ref());
    // Rounded first, so that the change is the one that the eye computes from what is shown.
    let shown = |value: f64| (value * 10.0).round() / 10.0;
    let points = |now: f64, then: Option<f64>| then.map(|then| words::change(shown(now) - shown(then), 1, " points"));
    let counted = |now: f64, then: Option<f64>| then.map(|then| words::change(now - then, 0, ""));
    vec![
        Figure {
            title: "Empty hosts, mean",
            value: format!("{:.1} %", result.empty_hosts_pct),
            change: points(result.empty_hosts_pct, before.map(|it| it.empty_hosts_pct)),
        },
        Figure {
            title: "Packing density, mean",
            value: format!("{:.1} %", result.packing_density_pct),
            change: points(result.packing_density_pct, before.map(|it| it.packing_density_pct)),
        },
        Figure {
            title: "Conflicts",
            value: words::count(result.conflicts),
            change: counted(result.conflicts, before.map(|it| it.conflicts)),
        },
        Figure {
            title: "VMs rejected",
            value: words::count(result.rejections),
            change: counted(result.rejections, before.map(|it| it.rejections)),
        },
    ]
}

/// The same as a sentence.
#[must_use]
pub fn sentence(live: &Outcome, baseline: Option<&Outcome>) -> String {
    let Some(result) = &live.result else { return String::new() };
    let placed = format!(
        "{} of {} VMs placed{}{}",
        words::count(result.placements),
        words::count(result.placements + result.rejections),
        homeless(result),
        saved(result, baseline)
    );
    let Some(before) = baseline.and_then(|outcome| outcome.result.as_ref()) else {
        return format!(
            "{placed}. On average {:.1} % of the hosts stood empty, and the others were {:.1} % full.",
            result.empty_hosts_pct, result.packing_density_pct
        );
    };
    if before.digest == result.digest {
        return format!("{placed}. Every decision is the same as in the run it is compared with.");
    }
    let empty = result.empty_hosts_pct - before.empty_hosts_pct;
    let hosts = empty / 100.0 * f64::from(live.layout.machines);
    let more = if hosts >= 0.0 { "more" } else { "fewer" };
    format!(
        "{placed}. Compared with the dashed run, {} {more} hosts stood empty on average, packing density moved by {}, \
         and there were {} conflicts (then {}).",
        words::trimmed(hosts.abs(), 1),
        words::change(result.packing_density_pct - before.packing_density_pct, 1, " points"),
        words::count(result.conflicts),
        words::count(before.conflicts)
    )
}

/// How many of the migrations that emptying machines asks for were saved; nothing of none.
fn saved(result: &RunResult, baseline: Option<&Outcome>) -> String {
    let (scheduled, saved) = result.migrations;
    if scheduled == 0.0 {
        return String::new();
    }
    let before = baseline.and_then(|outcome| outcome.result.as_ref()).map(|before| before.migrations);
    let of = |(scheduled, saved): (f64, f64)| format!("{} of {}", words::count(saved), words::count(scheduled));
    let then = before.filter(|(scheduled, _)| *scheduled > 0.0).map(|before| format!(", then {}", of(before)));
    format!(
        "; {} migrations saved, because VMs ended before their turn{}",
        of((scheduled, saved)),
        then.unwrap_or_default()
    )
}

/// What became of VMs that lost their machine, each time; nothing when none did.
fn homeless(result: &RunResult) -> String {
    let RunResult { reallocations, lost_vms, .. } = *result;
    if reallocations + lost_vms == 0.0 {
        return String::new();
    }
    let moved = words::counted(reallocations, "VM went to another machine", "VMs went to another machine");
    let lost = if lost_vms > 0.0 { format!(", {} found none", words::count(lost_vms)) } else { String::new() };
    format!("; {moved} when theirs was lost{lost}")
}
