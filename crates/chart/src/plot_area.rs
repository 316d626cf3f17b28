//! The position of the data on the drawing: converts between pixels and times.

use crate::axis_value::ValueAxis;
use crate::downsample::visible;
use crate::look;
use crate::series::{Style, TimeChart};

/// The plotting rectangle in CSS px of the drawing, and the times and values at
/// its edges. A page uses it to put one cursor over several charts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlotArea {
    /// Left edge in px; the first time is here.
    pub left: f64,
    /// Upper edge in px; the highest value is here.
    pub top: f64,
    /// Right edge in px; the last time is here.
    pub right: f64,
    /// Lower edge in px; the lowest value is here.
    pub bottom: f64,
    /// First and last time in ms.
    pub time_range: (f64, f64),
    /// Lowest and highest value on the axis.
    pub value_range: (f64, f64),
}

impl PlotArea {
    /// Width of the rectangle in px.
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    /// Height of the rectangle in px.
    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// The time in ms at a pixel, clamped to the range.
    pub fn time_at(&self, x: f64) -> f64 {
        let (start, end) = self.time_range;
        let share = ((x - self.left) / self.width()).clamp(0.0, 1.0);
        start + share * (end - start)
    }

    /// The pixel of a time in ms, clamped to the rectangle.
    pub fn x_of(&self, time: f64) -> f64 {
        let (start, end) = self.time_range;
        let share = ((time - start) / (end - start)).clamp(0.0, 1.0);
        self.left + share * self.width()
    }

    /// The pixel of a value, clamped to the rectangle.
    pub fn y_of(&self, value: f64) -> f64 {
        let (low, high) = self.value_range;
        let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
        self.bottom - share * self.height()
    }

    /// Time in ms that one px spans.
    pub(crate) fn ms_per_px(&self) -> f64 {
        (self.time_range.1 - self.time_range.0) / self.width()
    }
}

/// Where a chart of this size in px would be drawn, without drawing it. Left and right depend on the width alone,
/// never on the data.
pub fn plot_area(chart: &TimeChart, width: f64, height: f64) -> PlotArea {
    layout(chart, width, height).0
}

/// The rectangle and the value axis that determined its range.
pub(crate) fn layout(chart: &TimeChart, width: f64, height: f64) -> (PlotArea, ValueAxis) {
    let margins = look::margins(width);
    let right = (width - margins.right).max(margins.left + 1.0);
    let bottom = (height - margins.bottom).max(margins.top + 1.0);
    let time_range = time_range(chart);
    let (low, high) = value_extent(chart, time_range);
    let ticks_max = look::value_ticks_max(bottom - margins.top);
    let axis = ValueAxis::around(low, high, chart.y_max, ticks_max);
    let area = PlotArea { left: margins.left, top: margins.top, right, bottom, time_range, value_range: axis.range };
    (area, axis)
}

/// The chart's time range, or one minute if that is empty or invalid.
fn time_range(chart: &TimeChart) -> (f64, f64) {
    let (start, end) = chart.time_range;
    let start = if start.is_finite() { start } else { 0.0 };
    if end.is_finite() && end > start { (start, end) } else { (start, start + 60_000.0) }
}

/// The lowest and highest visible value, including zero if the axis must show it.
fn value_extent(chart: &TimeChart, time_range: (f64, f64)) -> (f64, f64) {
    let mut extent = (f64::INFINITY, f64::NEG_INFINITY);
    let mut include = |value: f64| {
        if value.is_finite() {
            extent = (extent.0.min(value), extent.1.max(value));
        }
    };
    for series in &chart.series {
        for (_, value) in visible(&series.points, time_range, series.style) {
            include(value);
        }
        for (time, low, high) in &series.band {
            if (time_range.0..=time_range.1).contains(time) {
                include(*low);
                include(*high);
            }
        }
    }
    if chart.y_from_zero || chart.series.iter().any(|s| s.style == Style::Bars) {
        include(0.0);
    }
    if extent.0 > extent.1 {
        return (0.0, chart.y_max.filter(|m| *m > 0.0).unwrap_or(1.0));
    }
    extent
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Role, Series};

    fn chart(values: &[f64], unit: &str) -> TimeChart {
        let points = (0..).map(f64::from).zip(values.iter().copied()).collect();
        TimeChart {
            title: "Empty hosts".into(),
            unit: unit.into(),
            series: vec![Series::new("A", Role::Live, Style::Steps, points)],
            time_range: (0.0, 100.0),
            y_from_zero: true,
            y_max: None,
            moments: Vec::new(),
        }
    }

    #[test]
    fn charts_of_one_width_share_their_time_axis() {
        let small = plot_area(&chart(&[0.1, 0.2], "%"), 560.0, 170.0);
        let large = plot_area(&chart(&[1e9, 5e9], "requests per minute"), 560.0, 240.0);
        assert_eq!((small.left, small.right), (large.left, large.right));
    }

    #[test]
    fn pixels_and_times_convert_both_ways() {
        let area = plot_area(&chart(&[1.0, 2.0], "%"), 560.0, 170.0);
        assert_eq!(area.time_at(area.left), 0.0);
        assert_eq!(area.time_at(area.right + 50.0), 100.0);
        assert!((area.time_at(area.x_of(37.0)) - 37.0).abs() < 1e-9);
        assert_eq!(area.y_of(area.value_range.0), area.bottom);
    }

    #[test]
    fn strange_ranges_still_give_a_rectangle() {
        for range in [(5.0, 5.0), (f64::NAN, 3.0), (9.0, 1.0), (0.0, f64::INFINITY)] {
            let mut chart = chart(&[f64::NAN, f64::INFINITY], "%");
            chart.time_range = range;
            let area = plot_area(&chart, 10.0, 10.0);
            assert!(area.width() > 0.0 && area.height() > 0.0);
            assert!(area.x_of(1.0).is_finite() && area.y_of(1.0).is_finite());
        }
    }
}
