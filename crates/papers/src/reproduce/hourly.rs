//! A run hour by hour: the cache counters at the end of each hour.

use tiebreak_chart::{Panel, Role, Series, Style, TimeChart};
use tiebreak_model::Millis;
use tiebreak_placement::CacheCounters;
use tiebreak_sim::World;

/// The hours of a run.
#[derive(Clone, Copy)]
pub(super) struct Hours {
    /// Unmeasured hours at the start, in which the caches fill.
    pub(super) before: usize,
    /// Measured hours.
    pub(super) measured: usize,
}

impl Hours {
    pub(super) fn days(self) -> f64 {
        (self.before + self.measured) as f64 / 24.0
    }

    /// The counters of all agents when the measured hours begin, and at the end of each hour.
    pub(super) fn run(self, world: &mut World) -> Vec<CacheCounters> {
        let hours = self.before..=self.before + self.measured;
        hours.map(|hour| counters_after(world, hour as i64)).collect()
    }
}

fn counters_after(world: &mut World, hour: i64) -> CacheCounters {
    let end = hour * Millis::HOUR.0 as i64;
    while !world.progress().done && world.progress().time.0 < end {
        world.advance(1);
    }
    world.summary().caches
}

/// One line per name, with one value per hour.
pub(super) fn chart(title: &str, unit: &str, lines: Vec<(&str, Vec<f64>)>) -> Panel {
    const ROLES: [Role; 5] = [Role::Live, Role::Variant(0), Role::Variant(1), Role::Variant(2), Role::Variant(3)];
    let hours = lines.first().map_or(0, |line| line.1.len());
    let hour = |hour: usize| (hour as u64 * Millis::HOUR.0) as f64;
    let series = lines.into_iter().zip(ROLES).map(|((name, values), role)| {
        let last = values.last().copied().unwrap_or(f64::NAN);
        let mut points: Vec<_> = values.into_iter().enumerate().map(|(at, value)| (hour(at), value)).collect();
        // The last value extends to the end of its hour.
        points.push((hour(points.len()), last));
        Series::new(name, role, Style::Steps, points)
    });
    Panel::Time(TimeChart {
        title: title.into(),
        unit: unit.into(),
        series: series.collect(),
        time_range: (0.0, hour(hours)),
        y_from_zero: true,
        y_max: (unit == "%").then_some(100.0),
        moments: Vec::new(),
    })
}
