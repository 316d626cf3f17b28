//! A distribution in five numbers.

use serde::Serialize;

/// Quantiles of some numbers: each is the least that is not below this share of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Quantiles {
    /// Half of them are no larger.
    pub p50: f64,
    /// 90 in 100 are no larger.
    pub p90: f64,
    /// 99 in 100 are no larger.
    pub p99: f64,
    /// The largest.
    pub max: f64,
    /// Their mean.
    pub mean: f64,
}

impl Quantiles {
    /// Of these numbers; all 0 if there are none.
    pub(crate) fn of(mut numbers: Vec<u64>) -> Self {
        numbers.sort_unstable();
        let Some(max) = numbers.last() else { return Self::default() };
        let at = |pct: usize| numbers[(numbers.len() * pct).div_ceil(100).saturating_sub(1)] as f64;
        let mean = numbers.iter().map(|number| *number as f64).sum::<f64>() / numbers.len() as f64;
        Self { p50: at(50), p90: at(90), p99: at(99), max: *max as f64, mean }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_one_of_the_numbers() {
        let of_hundred = Quantiles::of((1..=100).rev().collect());
        assert_eq!(of_hundred, Quantiles { p50: 50.0, p90: 90.0, p99: 99.0, max: 100.0, mean: 50.5 });
        assert_eq!(Quantiles::of(vec![7]), Quantiles { p50: 7.0, p90: 7.0, p99: 7.0, max: 7.0, mean: 7.0 });
        assert_eq!(Quantiles::of(Vec::new()), Quantiles::default());
    }
}
