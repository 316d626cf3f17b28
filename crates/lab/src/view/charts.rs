//! The charts of a run, beside the run it is compared with.

use tiebreak_chart::{Role, Series, Style, TimeChart};
use tiebreak_sim::METRICS;

use crate::app::Outcome;

/// Units in which times are shown: the largest of which there are at least ten at the peak.
const TIMES: [(&str, f64); 4] = [("h", 3_600_000.0), ("min", 60_000.0), ("s", 1_000.0), ("ms", 1.0)];

/// The chart of the metric at this place of the list.
#[must_use]
pub fn chart(metric: usize, live: Option<&Outcome>, baseline: Option<&Outcome>) -> TimeChart {
    let entry = &METRICS[metric];
    let counts = entry.is_rate();
    let style = if counts { Style::Bars } else { Style::Steps };
    let mut lines = Vec::new();
    if let Some(outcome) = baseline {
        lines.push(("before", Role::Ghost, points(outcome, metric)));
    }
    if let Some(outcome) = live {
        lines.push(("now", Role::Live, points(outcome, metric)));
    }
    let (unit, size) = unit(entry.unit, lines.iter().flat_map(|(.., points)| points));
    for (_, value) in lines.iter_mut().flat_map(|(.., points)| points) {
        *value /= size;
    }
    let horizon = live.or(baseline).map_or(1.0, |outcome| outcome.horizon_ms.max(1.0));
    TimeChart {
        title: entry.declaration.title.to_owned(),
        unit: unit.to_owned(),
        series: lines.into_iter().map(|(name, role, points)| Series::new(name, role, style, points)).collect(),
        time_range: (0.0, horizon),
        y_from_zero: counts,
        y_max: entry.ceiling(),
    }
}

/// The unit to show values in, and how many of the metric's own unit it is.
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
