//! The charts of a run, with the run it is compared with.

use tiebreak_app::{App, ENGINE_VERSION, Outcome};
use tiebreak_chart::{Role, Series, Style, TimeChart, csv};
use tiebreak_i18n::{say, tr};
use tiebreak_sim::{METRICS, Metric};

use crate::{naming, timeline};

/// Units of time for display: the largest one in which the peak is at least ten.
const TIMES: [(&str, f64); 4] = [("h", 3_600_000.0), ("min", 60_000.0), ("s", 1_000.0), ("ms", 1.0)];

/// One run of a chart: its name, its role, and its results.
pub type Line<'a> = (String, Role, &'a Outcome);

/// The runs in charts: the active one above those of the other variants; if there are none, above the previous run.
#[must_use]
pub fn lines(app: &App) -> Vec<Line<'_>> {
    let live = app.front.live.as_ref();
    let others = app
        .aside
        .iter()
        .zip(0..)
        .filter_map(|(lane, index)| Some((lane.variant.clone(), Role::Variant(index), lane.live.as_ref()?)));
    let mut lines: Vec<_> = others.collect();
    let (before, now) =
        if app.aside.is_empty() { (tr("before"), tr("now").to_owned()) } else { ("", app.front.variant.clone()) };
    let ghost = app.front.baseline.as_ref().filter(|outcome| live.is_none_or(|live| live.run != outcome.run));
    let before = if app.shows_example() { tr("without") } else { before };
    lines.extend(ghost.filter(|_| app.aside.is_empty()).map(|outcome| (before.to_owned(), Role::Ghost, outcome)));
    lines.extend(live.map(|outcome| (now, Role::Live, outcome)));
    lines
}

/// The chart of the metric at this index of the list.
#[must_use]
pub fn chart(metric: usize, lines: &[Line<'_>]) -> TimeChart {
    let entry = &METRICS[metric];
    let counts = entry.is_rate();
    let style = if counts { Style::Bars } else { Style::Steps };
    let mut series: Vec<_> = lines.iter().map(|(name, role, outcome)| (name, *role, points(outcome, metric))).collect();
    let (unit, size) = unit(entry.unit, series.iter().flat_map(|(.., points)| points));
    for (_, value) in series.iter_mut().flat_map(|(.., points)| points) {
        *value /= size;
    }
    let horizon = lines.last().map_or(1.0, |(.., outcome)| outcome.horizon_ms.max(1.0));
    TimeChart {
        title: tr(entry.declaration.title).to_owned(),
        unit: tr(unit).to_owned(),
        series: series.into_iter().map(|(name, role, points)| Series::new(name, role, style, points)).collect(),
        time_range: (0.0, horizon),
        y_from_zero: counts,
        y_max: entry.ceiling(),
        moments: lines.last().map_or_else(Vec::new, |(.., outcome)| timeline::happened(outcome)),
    }
}

/// Every metric of every displayed run, as CSV: one line per time in ms, one column per metric and run, in the
/// metric's own unit.
#[must_use]
pub fn all_series(lines: &[Line<'_>]) -> String {
    let of_run = |metric: usize, (name, role, outcome): &Line<'_>| {
        let Metric { declaration, unit, .. } = METRICS[metric];
        Series::new(format!("{name}: {} ({unit})", declaration.title), *role, Style::Steps, points(outcome, metric))
    };
    let series = (0..METRICS.len()).flat_map(|metric| lines.iter().map(move |line| of_run(metric, line)));
    csv(&TimeChart {
        title: String::new(),
        unit: String::new(),
        series: series.collect(),
        time_range: (0.0, 0.0),
        y_from_zero: false,
        y_max: None,
        moments: Vec::new(),
    })
}

/// The caption of an exported chart: the scenario, every run with its seed, and the program version.
#[must_use]
pub fn caption(app: &App) -> String {
    let lines = lines(app);
    let name = naming::scenario(&app.document.name);
    let seed = |outcome: &Outcome| outcome.document.active_variant().seed;
    let run = |(name, _, outcome): &Line<'_>| say("{name} with seed {seed}", &[name, &seed(outcome)]);
    let in_order = app.document.variants.iter().filter_map(|it| lines.iter().find(|(name, ..)| *name == it.name));
    let runs: Vec<_> = match lines.as_slice() {
        [] | [_] => vec![say("seed {one}", &[&lines.last().map_or(app.variant().seed, |(.., outcome)| seed(outcome))])],
        several if app.aside.is_empty() => several.iter().map(run).collect(),
        _ => in_order.map(run).collect(),
    };
    format!("{name}: {}. Tiebreak {ENGINE_VERSION}.", runs.join(", "))
}

/// The display unit, and the number of the metric's own units in one of it.
fn unit<'a>(own: &'static str, points: impl Iterator<Item = &'a (f64, f64)>) -> (&'static str, f64) {
    if own != "ms" {
        return (own, 1.0);
    }
    let peak = points.map(|(_, value)| *value).fold(0.0, f64::max);
    TIMES.into_iter().find(|(_, size)| peak >= 10.0 * size).unwrap_or(("ms", 1.0))
}

fn points(outcome: &Outcome, metric: usize) -> Vec<(f64, f64)> {
    let values = outcome.values.get(metric).map_or(&[][..], |values| values);
    outcome.times.iter().copied().zip(values.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_times_are_shown_in_larger_units() {
        for (own, values, expected) in [
            ("ms", [f64::NAN, 9_999.0], ("ms", 1.0)),
            ("ms", [0.0, 10_000.0], ("s", 1_000.0)),
            ("ms", [600_000.0, f64::NAN], ("min", 60_000.0)),
            ("ms", [36_000_000.0, 1.0], ("h", 3_600_000.0)),
            ("ms", [f64::NAN, f64::NAN], ("ms", 1.0)),
            ("%", [90_000.0, 0.0], ("%", 1.0)),
        ] {
            assert_eq!(unit(own, values.map(|value| (0.0, value)).iter()), expected, "{values:?} {own}");
        }
    }
}
