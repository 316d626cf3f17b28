//! A figure computed from cases, and its bar.

use serde::Serialize;

use tiebreak_console::shown::count;

/// The side of the bar on which a figure should be.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Side {
    AtLeast,
    AtMost,
}

/// The value that a figure should reach.
#[derive(Clone, Copy)]
pub(super) struct Bar(pub(super) Side, pub(super) f64);

/// A figure; its bar says whether larger or smaller is better.
#[derive(Serialize)]
pub(super) struct BenchFigure {
    name: String,
    value: f64,
    side: Option<Side>,
    bar: Option<f64>,
    /// `None` if there is no bar, or the bar does not apply to this size.
    met: Option<bool>,
}

impl Bar {
    fn is_met_by(self, value: f64) -> bool {
        match self.0 {
            Side::AtLeast => value >= self.1,
            Side::AtMost => value <= self.1,
        }
    }
}

impl BenchFigure {
    /// A figure with its bar, if any; the bar is judged only at the sizes that it was set for.
    pub(super) fn new(name: String, value: f64, bar: Option<Bar>, is_judged: bool) -> Self {
        let met = bar.filter(|_| is_judged).map(|bar| bar.is_met_by(value));
        Self { name, value, side: bar.map(|bar| bar.0), bar: bar.map(|bar| bar.1), met }
    }

    pub(super) const HEAD: [&'static str; 4] = ["Figure", "measured", "bar", ""];

    /// A row of the table.
    pub(super) fn cells(&self) -> Vec<String> {
        let side = self.side.map_or("", |side| match side {
            Side::AtLeast => "at least ",
            Side::AtMost => "at most ",
        });
        let bar = self
            .bar
            .map_or(String::new(), |bar| format!("{side}{}", number(bar, if bar.fract() == 0.0 { 0 } else { 2 })));
        let met = match (self.bar, self.met) {
            (None, _) => "",
            (_, Some(true)) => "met",
            (_, Some(false)) => "missed",
            (_, None) => "not for this size",
        };
        vec![self.name.clone(), number(self.value, 2), bar, met.into()]
    }
}

/// A number: without decimals if large, with this many if small.
fn number(value: f64, decimals: usize) -> String {
    if value < 1_000.0 { format!("{value:.decimals$}") } else { count(value.round() as u64) }
}

/// The exponent with which `y` grows with `x`, to a thousandth: the slope of the least-squares line through their
/// logarithms. 1 is linear growth; the rounding keeps numerical errors from making it look sublinear. Fewer than two
/// points have no slope.
pub(super) fn growth(points: &[(f64, f64)]) -> f64 {
    let logs = || points.iter().map(|(x, y)| (x.ln(), y.ln()));
    let count = points.len() as f64;
    let (mean_x, mean_y) = (logs().map(|(x, _)| x).sum::<f64>() / count, logs().map(|(_, y)| y).sum::<f64>() / count);
    let joint: f64 = logs().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let slope = joint / logs().map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>();
    (slope * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_has_its_exponent() {
        for exponent in [0.0, 0.5, 0.73, 1.0] {
            let points = [1_000.0, 3_000.0, 10_000.0, 100_000.0].map(|x: f64| (x, 7.0 * x.powf(exponent)));
            assert_eq!(growth(&points), exponent);
        }
    }

    #[test]
    fn bars_are_met_on_their_side() {
        for (bar, value, met) in [
            (Bar(Side::AtLeast, 30.0), 30.0, true),
            (Bar(Side::AtLeast, 30.0), 29.9, false),
            (Bar(Side::AtMost, 2.0), 2.0, true),
            (Bar(Side::AtMost, 2.0), 2.1, false),
        ] {
            assert_eq!(BenchFigure::new(String::new(), value, Some(bar), true).met, Some(met));
            assert_eq!(BenchFigure::new(String::new(), value, Some(bar), false).met, None);
        }
    }
}
