//! The charts of a run, beside the run it is compared with.

use tiebreak_chart::{Role, Series, Style, TimeChart};
use tiebreak_sim::METRICS;

use crate::app::Outcome;

/// The chart of the metric at this place of the list.
#[must_use]
pub fn chart(metric: usize, live: Option<&Outcome>, baseline: Option<&Outcome>) -> TimeChart {
    let entry = &METRICS[metric];
    let counts = entry.is_rate();
    let style = if counts { Style::Bars } else { Style::Steps };
    let mut series = Vec::new();
    if let Some(outcome) = baseline {
        series.push(Series::new("before", Role::Ghost, style, points(outcome, metric)));
    }
    if let Some(outcome) = live {
        series.push(Series::new("now", Role::Live, style, points(outcome, metric)));
    }
    let horizon = live.or(baseline).map_or(1.0, |outcome| outcome.horizon_ms.max(1.0));
    TimeChart {
        title: entry.declaration.title.to_owned(),
        unit: entry.unit.to_owned(),
        series,
        time_range: (0.0, horizon),
        y_from_zero: counts,
        y_max: entry.ceiling(),
    }
}

fn points(outcome: &Outcome, metric: usize) -> Vec<(f64, f64)> {
    let values = outcome.values.get(metric).map_or(&[][..], |values| values);
    outcome.times.iter().copied().zip(values.iter().copied()).collect()
}
