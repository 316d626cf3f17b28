//! Number formatting: grouped thousands, a true minus sign, and suitable decimals.

use tiebreak_i18n::{grouped, number};

/// Decimals that suit a set of values: none for counts, else about three digits.
pub(crate) fn decimals_for(values: impl Iterator<Item = f64>) -> usize {
    let (mut whole, mut largest) = (true, 0.0_f64);
    for value in values.filter(|v| v.is_finite()) {
        whole &= value.fract() == 0.0;
        largest = largest.max(value.abs());
    }
    if whole || largest >= 1000.0 {
        return 0;
    }
    let mut decimals = 1;
    while largest < 1.0 && decimals < 6 {
        largest *= 10.0;
        decimals += 1;
    }
    decimals
}

/// The decimals needed to write a multiple of `step` exactly.
pub(crate) fn decimals_of_step(step: f64) -> usize {
    let mut scaled = step;
    for decimals in 0..12 {
        if (scaled - scaled.round()).abs() < 1e-6 * scaled.abs() {
            return decimals;
        }
        scaled *= 10.0;
    }
    12
}

/// A formatted number: "1,234", "−0.5". Very large and very small ones become "1.2e15".
pub(crate) fn plain(value: f64, decimals: usize) -> String {
    if value.abs() >= 1e15 || decimals > 9 {
        return number(format!("{value:.1e}").replace('-', "\u{2212}"));
    }
    let digits = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let is_zero = digits.chars().all(|c| c == '0' || c == '.');
    let sign = if value < 0.0 && !is_zero { "\u{2212}" } else { "" };
    number(format!("{sign}{}{fraction}", grouped(whole)))
}

/// A number with its unit: "12.3 %", "4 hosts"; the unit may be empty.
pub(crate) fn with_unit(value: f64, decimals: usize, unit: &str) -> String {
    let number = plain(value, decimals);
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers() {
        let check = |value, decimals, expected: &str| assert_eq!(plain(value, decimals), expected);
        check(0.0, 0, "0");
        check(-0.04, 1, "0.0");
        check(-12.34, 1, "\u{2212}12.3");
        check(999.0, 0, "999");
        check(1000.0, 0, "1,000");
        check(1_234_567.8, 1, "1,234,567.8");
        check(2.5e15, 0, "2.5e15");
    }

    #[test]
    fn decimals_follow_the_data() {
        let check = |values: &[f64], expected| assert_eq!(decimals_for(values.iter().copied()), expected);
        check(&[], 0);
        check(&[3.0, 17.0], 0);
        check(&[12.34, 8.0], 1);
        check(&[1234.5], 0);
        check(&[0.034], 3);
        check(&[0.5, f64::NAN], 2);
    }

    #[test]
    fn decimals_follow_the_step() {
        for (step, expected) in [(20.0, 0), (2.5, 1), (0.25, 2), (0.1, 1), (1.0, 0), (0.005, 3)] {
            assert_eq!(decimals_of_step(step), expected, "{step}");
        }
    }
}
