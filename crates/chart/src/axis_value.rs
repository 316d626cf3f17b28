//! The value axis: three to five ticks on round numbers that enclose the data.

use crate::numbers;

/// Ticks with a step of 1, 2 or 5 times a power of ten, or of 25, 250 and so on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ValueAxis {
    /// Lowest and highest value on the axis.
    pub(crate) range: (f64, f64),
    /// Values of the gridlines, ascending.
    pub(crate) ticks: Vec<f64>,
    step: f64,
}

impl ValueAxis {
    /// An axis around values from `low` to `high`, with at most `ticks_max` ticks, that does not exceed `ceiling`.
    pub(crate) fn around(low: f64, high: f64, ceiling: Option<f64>, ticks_max: usize) -> Self {
        let ceiling = ceiling.filter(|c| c.is_finite() && *c > low);
        let (low, high) = widened(low, ceiling.map_or(high, |c| high.min(c)));
        let step = round_step(low, high, ticks_max.max(3) - 1);
        let (first, last) = ((low / step).floor(), (high / step).ceil());
        let mut top = last * step;
        if let Some(ceiling) = ceiling {
            top = top.min(ceiling);
        }
        let mut ticks = Vec::new();
        let mut multiple = first;
        while multiple <= last && ticks.len() < ticks_max {
            ticks.push(multiple * step);
            multiple += 1.0;
        }
        ticks.retain(|tick| *tick <= top);
        Self { range: (first * step, top), ticks, step }
    }

    /// The label of a tick: "40 %", "1.5k". Units longer than a symbol stand in the chart's heading instead.
    pub(crate) fn label(&self, tick: f64, unit: &str) -> String {
        let largest = self.range.0.abs().max(self.range.1.abs());
        let (divisor, suffix) = match largest {
            x if x >= 1e13 => return format!("{tick:.1e}"),
            x if x >= 1e10 => (1e9, "G"),
            x if x >= 1e7 => (1e6, "M"),
            x if x >= 1e4 => (1e3, "k"),
            _ => (1.0, ""),
        };
        let decimals = numbers::decimals_of_step(self.step / divisor);
        if decimals > 4 && tick != 0.0 {
            return format!("{tick:.0e}").replace('-', "\u{2212}");
        }
        let suffix = if tick == 0.0 { "" } else { suffix };
        let decimals = if tick == 0.0 { 0 } else { decimals };
        let number = numbers::plain(tick / divisor, decimals) + suffix;
        if unit_is_symbol(unit) { format!("{number} {unit}") } else { number }
    }
}

/// Whether a unit is short enough to stand beside every tick.
pub(crate) fn unit_is_symbol(unit: &str) -> bool {
    unit.chars().count() == 1
}

/// A range that is not empty: a constant gets room above and below.
fn widened(low: f64, high: f64) -> (f64, f64) {
    if high > low && (high - low) > 1e-9 * high.abs().max(low.abs()) {
        return (low, high);
    }
    let room = if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
    if low == 0.0 { (0.0, room) } else { (low - room, low + room) }
}

/// The smallest round step that covers the range in at most `intervals_max` intervals.
fn round_step(low: f64, high: f64, intervals_max: usize) -> f64 {
    let covers = |step: f64| (high / step).ceil() - (low / step).floor() <= f64::from(intervals_max as u32);
    let span = high - low;
    let mut power = 1.0_f64;
    while power > span {
        power /= 10.0;
    }
    while power * 10.0 < span {
        power *= 10.0;
    }
    power /= 10.0;
    loop {
        for mantissa in [1.0, 2.0, 2.5, 5.0] {
            let step = mantissa * power;
            // Quarters are round in hundreds (25, 50, 75) and odd in units (2.5).
            let is_round = mantissa != 2.5 || power >= 10.0;
            if is_round && covers(step) {
                return step;
            }
        }
        power *= 10.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let check = |low: f64, high: f64, ceiling: Option<f64>, unit: &str, expected: &str| {
            let axis = ValueAxis::around(low, high, ceiling, 5);
            let labels: Vec<String> = axis.ticks.iter().map(|t| axis.label(*t, unit)).collect();
            assert_eq!(labels.join(", "), expected, "{low}..{high}");
        };
        check(0.0, 17.2, Some(100.0), "%", "0 %, 5 %, 10 %, 15 %, 20 %");
        check(0.0, 99.9, Some(100.0), "%", "0 %, 25 %, 50 %, 75 %, 100 %");
        check(61.0, 97.0, Some(100.0), "%", "60 %, 70 %, 80 %, 90 %, 100 %");
        check(0.0, 3.0, None, "per minute", "0, 1, 2, 3");
        check(0.0, 0.0, None, "hosts", "0, 0.5, 1.0");
        check(42.0, 42.0, None, "hosts", "35, 40, 45, 50");
        check(-1.5, 2.0, None, "", "\u{2212}2, \u{2212}1, 0, 1, 2");
        check(0.0, 38_000.0, None, "VMs", "0, 10k, 20k, 30k, 40k");
        check(0.0, 2.2e7, None, "", "0, 10M, 20M, 30M");
        check(0.0, 3e-7, None, "", "0, 1e\u{2212}7, 2e\u{2212}7, 3e\u{2212}7");
        check(0.0, 140.0, Some(90.0), "%", "0 %, 25 %, 50 %, 75 %");
    }

    #[test]
    fn every_range_gets_three_to_five_ticks_around_it() {
        let mut span = 1e-6;
        while span < 1e12 {
            for low in [0.0, -0.3 * span, 7.7 * span] {
                let axis = ValueAxis::around(low, low + span, None, 5);
                assert!((3..=5).contains(&axis.ticks.len()), "{low} {span} {axis:?}");
                assert!(axis.range.0 <= low + span * 1e-9, "{low} {span} {axis:?}");
                assert!(axis.range.1 >= low + span * (1.0 - 1e-9), "{low} {span} {axis:?}");
            }
            span *= 1.37;
        }
    }
}
