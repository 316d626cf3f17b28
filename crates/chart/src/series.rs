//! The data of a chart: series of (time, value), and the chart that holds them.

/// Which run a series shows. The role decides colour, weight and drawing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The run being viewed: the strongest line, drawn last.
    Live,
    /// The run for comparison: thinner, grey, dashed in SVG.
    Ghost,
    /// One of several further runs; the number selects a colour and wraps after four.
    Variant(u8),
}

/// How values between two points are interpreted, and so how a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A value holds until the next point: counts and shares of machines.
    Steps,
    /// Values between points lie on a straight line: averages, fits.
    Line,
    /// Each value belongs to the period from its time to the next point: counts per period. The ghost's bars are pale
    /// and behind the live run's; variants are outlined over them.
    Bars,
}

/// One quantity of one run over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Short name shown at the line's end, such as "A". May be empty.
    pub label: String,
    /// The role of its run.
    pub role: Role,
    /// How the points are joined.
    pub style: Style,
    /// Time in ms since the start of the trace, ascending, and the value in the
    /// chart's unit. NaN and infinite values are gaps.
    pub points: Vec<(f64, f64)>,
    /// Uncertainty around the points: time in ms, ascending, low and high. May be empty.
    pub band: Vec<(f64, f64, f64)>,
}

impl Series {
    /// A series without a band.
    pub fn new(label: impl Into<String>, role: Role, style: Style, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.into(), role, style, points, band: Vec::new() }
    }

    /// The same series with a band of (time in ms, low, high), for instance over seeds.
    #[must_use]
    pub fn with_band(mut self, band: Vec<(f64, f64, f64)>) -> Self {
        self.band = band;
        self
    }

    /// The value at a time in ms, according to the style; `None` before the first point, after the last one and in a
    /// gap.
    pub fn value_at(&self, time: f64) -> Option<f64> {
        let after = self.points.partition_point(|&(t, _)| t <= time);
        let (t0, v0) = *self.points.get(after.checked_sub(1)?)?;
        if t0 == time {
            return finite(v0);
        }
        let (t1, v1) = *self.points.get(after)?;
        match self.style {
            Style::Line => finite(between((t0, v0), (t1, v1), time)),
            Style::Steps | Style::Bars => finite(v0),
        }
    }

    /// The last known value at or before a time in ms, ignoring gaps.
    pub(crate) fn latest_at(&self, time: f64) -> Option<(f64, f64)> {
        let after = self.points.partition_point(|&(t, _)| t <= time);
        let known = |&&(t, v): &&(f64, f64)| t.is_finite() && v.is_finite();
        self.points[..after].iter().rev().find(known).copied()
    }
}

/// One chart: a metric over time, for one run or for several.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeChart {
    /// What is shown, in sentence case: "Empty hosts".
    pub title: String,
    /// Unit of every value: "%", "per minute", "hosts". May be empty.
    pub unit: String,
    /// The runs, in the order of tables; their roles decide the drawing order.
    pub series: Vec<Series>,
    /// First and last time on the axis, in ms. Points outside are not drawn.
    pub time_range: (f64, f64),
    /// Whether the value axis must include zero. Bars include it always.
    pub y_from_zero: bool,
    /// The largest meaningful value, such as 100 for percent: the axis never exceeds it. The axis need not reach it,
    /// or small differences would disappear.
    pub y_max: Option<f64>,
    /// Moments that a line marks, ascending; those outside the time range are not drawn.
    pub moments: Vec<Moment>,
}

/// A moment at which something happened in the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Time in ms since the start of the trace.
    pub time: f64,
    /// What happened, in a few words; shown above the line if there is room.
    pub label: String,
}

impl TimeChart {
    /// Whether there is nothing to draw within the time range.
    pub fn is_empty(&self) -> bool {
        let (start, end) = self.time_range;
        let shown = |t: f64, v: f64| v.is_finite() && (start..=end).contains(&t);
        !self.series.iter().any(|s| {
            s.points.iter().any(|&(t, v)| shown(t, v))
                || s.band.iter().any(|&(t, low, _)| shown(t, low))
                || s.value_at(start).is_some()
        })
    }
}

/// The value at `time` on the straight line through two points.
pub(crate) fn between((t0, v0): (f64, f64), (t1, v1): (f64, f64), time: f64) -> f64 {
    if t1 > t0 { v0 + (v1 - v0) * (time - t0) / (t1 - t0) } else { v1 }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_at_reads_as_the_style_says() {
        let points = vec![(0.0, 1.0), (10.0, 3.0), (20.0, f64::NAN), (30.0, 5.0), (40.0, 5.0)];
        let check = |style, time, expected: Option<f64>| {
            let series = Series::new("A", Role::Live, style, points.clone());
            assert_eq!(series.value_at(time), expected, "{style:?} at {time}");
        };
        check(Style::Steps, -1.0, None);
        check(Style::Steps, 5.0, Some(1.0));
        check(Style::Steps, 10.0, Some(3.0));
        check(Style::Steps, 25.0, None);
        check(Style::Steps, 40.0, Some(5.0));
        check(Style::Steps, 41.0, None);
        check(Style::Line, 5.0, Some(2.0));
        check(Style::Line, 15.0, None);
    }
}
