//! The metrics of a run over time, drawn.

use tiebreak_chart::{Role, Series, Style, TimeChart, summary, svg};
use tiebreak_sim::metrics::index_of;
use tiebreak_sim::{METRICS, World};

use crate::Failure;

/// What is drawn when nobody says what.
pub const USUAL: [&str; 3] = ["EmptyHosts", "PackingDensity", "Conflicts"];

/// A metric of a run as an SVG of this size in px, for a page: its colours are CSS variables with light ones as the
/// default.
///
/// # Errors
/// If there is no metric of this id.
pub fn drawn(world: &World, id: &str, (width, height): (u32, u32)) -> Result<String, Failure> {
    let chart = chart(world, id)?;
    Ok(svg(&chart, width, height, &summary(&chart)).0)
}

fn chart(world: &World, id: &str) -> Result<TimeChart, Failure> {
    let index = index_of(id).ok_or_else(|| {
        Failure(format!("expected the id of a metric, got \"{id}\"; `tiebreak list metrics` has them, as EmptyHosts"))
    })?;
    let (metric, series) = (&METRICS[index], world.series());
    let times = series.times().iter().map(|time| time.0 as f64);
    let points = times.zip(series.values(index).iter().copied()).collect();
    let style = if metric.is_rate() { Style::Bars } else { Style::Steps };
    Ok(TimeChart {
        title: metric.declaration.title.into(),
        unit: metric.unit.into(),
        series: vec![Series::new("", Role::Live, style, points)],
        time_range: (0.0, (world.plan().workload().horizon().0 as f64).max(1.0)),
        y_from_zero: metric.is_rate(),
        y_max: metric.ceiling(),
        moments: Vec::new(),
    })
}
