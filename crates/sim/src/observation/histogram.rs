//! Counts of integers, for exact percentiles.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The count of each number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram {
    counts: BTreeMap<u64, u64>,
    total: u64,
    sum: u64,
}

impl Histogram {
    /// From these numbers, which are cleared.
    pub(crate) fn of(numbers: &mut Vec<u64>) -> Self {
        numbers.sort_unstable();
        let mut histogram = Self::default();
        for same in numbers.chunk_by(|one, other| one == other) {
            histogram.add(same[0], same.len() as u64);
        }
        numbers.clear();
        histogram
    }

    /// Adds a number this many times.
    pub(crate) fn add(&mut self, number: u64, times: u64) {
        *self.counts.entry(number).or_default() += times;
        self.total += times;
        self.sum += number * times;
    }

    /// Adds another histogram.
    pub(crate) fn merge(&mut self, other: &Self) {
        other.counts.iter().for_each(|(number, times)| self.add(*number, *times));
    }

    /// The smallest number that at least `percent` of all numbers do not exceed; NaN if empty.
    pub(crate) fn percentile(&self, percent: u64) -> f64 {
        let mut seen = 0;
        for (number, count) in &self.counts {
            seen += count;
            if seen * 100 >= self.total * percent {
                return *number as f64;
            }
        }
        f64::NAN
    }

    /// The mean; NaN if empty.
    pub(crate) fn mean(&self) -> f64 {
        if self.total == 0 { f64::NAN } else { self.sum as f64 / self.total as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_numbers_that_came() {
        let mut histogram = Histogram::default();
        assert!(histogram.percentile(50).is_nan() && histogram.mean().is_nan());
        (1..=10).for_each(|number| histogram.add(number * number, 1));
        for (percent, expected) in [(0, 1.0), (10, 1.0), (11, 4.0), (50, 25.0), (99, 100.0), (100, 100.0)] {
            assert_eq!(histogram.percentile(percent), expected, "{percent}");
        }
        assert_eq!(histogram.mean(), 38.5);
        let doubled = Histogram::of(&mut alloc::vec![9, 1, 9, 1]);
        assert_eq!((doubled.percentile(50), doubled.percentile(51), doubled.mean()), (1.0, 9.0, 5.0));
    }
}
