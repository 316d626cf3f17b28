//! The uncertainty of a mean over runs: bias-corrected and accelerated (BCa) bootstrap intervals.
//!
//! Failure shares are far from normal: most runs have no failures. So intervals come from resampling the runs,
//! corrected for the bias of the resamples and for how the spread changes with the mean. Resampling stays within
//! strata. Source: Efron, "Better bootstrap confidence intervals" (1987), and Davison and Hinkley, "Bootstrap methods
//! and their application" (1997), section 5.3.2, for strata; the cluster admission paper's section 5.2 uses them.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use libm::{erfc, pow};
use rand_core::Rng;
use tiebreak_model::random::{Seed, pick};

use super::strata::Run;

/// A mean with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The weighted mean itself.
    pub mean: f64,
    /// The upper end.
    pub high: f64,
}

/// The interval of the weighted mean of these values, from this many resamples, for a confidence from 0 to 1 (0.95,
/// for example). If no values differ, or there is only one run, both ends are the mean. A stratum of one run adds no
/// width.
#[must_use]
pub fn bca(values: &[(Run, f64)], confidence: f64, resamples: u32, seed: Seed) -> Interval {
    let strata = by_stratum(values);
    let mean = weighted_mean(&strata);
    let Some(acceleration) = acceleration(&strata) else { return Interval { low: mean, mean, high: mean } };
    let resampled = resampled(&strata, resamples.max(1), seed);
    let tail = (1.0 - confidence.clamp(0.0, 1.0)) / 2.0;
    let bias = normal_quantile(share_below(&resampled, mean));
    let end = |tail: f64| {
        let shifted = bias + normal_quantile(tail);
        let stretch = 1.0 - acceleration * shifted;
        let part =
            if stretch > 0.0 { normal_cdf(bias + shifted / stretch) } else { f64::from(u8::from(shifted > 0.0)) };
        let at = (part * resampled.len() as f64) as usize;
        resampled[at.min(resampled.len() - 1)]
    };
    Interval { low: end(tail), mean, high: end(1.0 - tail) }
}

/// The values of one stratum's runs.
struct Stratum {
    /// Its share of the total weight.
    weight: f64,
    values: Vec<f64>,
}

impl Stratum {
    fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }
}

fn by_stratum(values: &[(Run, f64)]) -> Vec<Stratum> {
    let all: f64 = values.iter().map(|(run, _)| run.weight).sum();
    let mut strata = BTreeMap::new();
    for (run, value) in values {
        let stratum = strata.entry(run.stratum).or_insert(Stratum { weight: 0.0, values: Vec::new() });
        stratum.weight += run.weight / all;
        stratum.values.push(*value);
    }
    strata.into_values().collect()
}

fn weighted_mean(strata: &[Stratum]) -> f64 {
    strata.iter().map(|stratum| stratum.weight * stratum.mean()).sum()
}

/// The acceleration by the jackknife: the skewness of each run's influence on the mean; `None` if no run has any
/// influence.
fn acceleration(strata: &[Stratum]) -> Option<f64> {
    let (mut squares, mut cubes) = (0.0, 0.0);
    for stratum in strata {
        let (mean, others) = (stratum.mean(), (stratum.values.len() - 1).max(1) as f64);
        for value in &stratum.values {
            let influence = stratum.weight * (value - mean) / others;
            squares += influence * influence;
            cubes += influence * influence * influence;
        }
    }
    (squares > 0.0).then(|| cubes / (6.0 * pow(squares, 1.5)))
}

/// Means of the resamples, ascending.
fn resampled(strata: &[Stratum], resamples: u32, seed: Seed) -> Vec<f64> {
    let mut draws = seed.stream("bootstrap").generator();
    let mut mean = |stratum: &Stratum| {
        let count = stratum.values.len();
        let drawn = (0..count).map(|_| stratum.values[pick(draws.next_u64(), count as u32) as usize]);
        stratum.weight * drawn.sum::<f64>() / count as f64
    };
    let mut means: Vec<f64> = (0..resamples).map(|_| strata.iter().map(&mut mean).sum()).collect();
    means.sort_unstable_by(f64::total_cmp);
    means
}

/// The share of these below a number, counting half of the equal ones; never 0 or 1.
fn share_below(sorted: &[f64], number: f64) -> f64 {
    let below = sorted.partition_point(|value| *value < number) as f64;
    let up_to = sorted.partition_point(|value| *value <= number) as f64;
    let count = sorted.len() as f64;
    ((below + up_to) / (2.0 * count)).clamp(0.5 / count, 1.0 - 0.5 / count)
}

/// The probability that a standard normal variable is at most this.
fn normal_cdf(deviations: f64) -> f64 {
    0.5 * erfc(-deviations / core::f64::consts::SQRT_2)
}

/// The quantile of the standard normal distribution: by bisection, within 9 deviations.
fn normal_quantile(chance: f64) -> f64 {
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if normal_cdf(middle) < chance { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(values: &[f64]) -> Vec<(Run, f64)> {
        Run::alike(1..=values.len() as u64).into_iter().zip(values.iter().copied()).collect()
    }

    /// Survival times of treated mice: Efron and Tibshirani, "An introduction to the bootstrap" (1993), table 2.1.
    const MICE: [f64; 7] = [94.0, 197.0, 16.0, 38.0, 99.0, 141.0, 23.0];

    #[test]
    fn normal_chances_and_their_quantiles() {
        for (chance, deviations) in [(0.025, -1.959_963_985), (0.5, 0.0), (0.841_344_746, 1.0), (0.99, 2.326_347_874)] {
            assert!((normal_quantile(chance) - deviations).abs() < 1e-8, "{chance}");
            assert!((normal_cdf(deviations) - chance).abs() < 1e-8, "{chance}");
        }
        assert!(normal_quantile(0.0) < -8.0 && normal_quantile(1.0) > 8.0);
    }

    #[test]
    fn mice() {
        // The mean is 86.86, its standard error 23.36 with n instead of n - 1. The acceleration of a mean is a sixth
        // of the skewness divided by the square root of n.
        let values = alike(&MICE);
        let skew: f64 = MICE.iter().map(|it| pow(it - 608.0 / 7.0, 3.0)).sum();
        let square: f64 = MICE.iter().map(|it| pow(it - 608.0 / 7.0, 2.0)).sum();
        let found = acceleration(&by_stratum(&values)).expect("they differ");
        assert!((found - skew / (6.0 * pow(square, 1.5))).abs() < 1e-12);
        let Interval { low, mean, high } = bca(&values, 0.95, 20_000, Seed(1));
        assert!((mean - 86.857_142_857).abs() < 1e-6);
        // Two standard errors to each side, shifted up a little, because the times are skewed.
        assert!((40.0..52.0).contains(&low) && (130.0..145.0).contains(&high), "{low} to {high}");
        assert!(high - mean > mean - low);
    }

    #[test]
    fn without_a_difference_the_interval_is_the_mean() {
        for values in [alike(&[3.0]), alike(&[0.0; 30])] {
            let Interval { low, mean, high } = bca(&values, 0.95, 100, Seed(1));
            assert!(low == mean && mean == high);
        }
    }

    #[test]
    fn strata_are_resampled_among_themselves() {
        // All variation is between strata, so the mean is certain.
        let run = |stratum, weight| Run { seed: 0, stratum, weight };
        let apart: Vec<_> =
            (0..10_u8).map(|at| (run(at % 2, if at % 2 == 0 { 0.19 } else { 0.01 }), f64::from(at % 2))).collect();
        let Interval { low, mean, high } = bca(&apart, 0.95, 200, Seed(1));
        assert!((mean - 0.05).abs() < 1e-12 && low == high);
        let mut noisy = apart;
        noisy[1].1 = 3.0;
        let Interval { low, mean, high } = bca(&noisy, 0.95, 2_000, Seed(1));
        assert!(low < mean && mean < high && high < 0.12, "{low} {mean} {high}");
    }

    #[test]
    fn skewed_means_are_covered_about_as_often_as_said() {
        let (trials, size) = (400, 20);
        let mut draws = Seed(5).stream("trials").generator();
        let mut exponential = || -libm::log(1.0 - (draws.next_u64() >> 11) as f64 / (1_u64 << 53) as f64);
        let (mut too_low, mut too_high) = (0, 0);
        for trial in 0..trials {
            let values: Vec<f64> = (0..size).map(|_| exponential()).collect();
            let Interval { low, high, .. } = bca(&alike(&values), 0.9, 400, Seed(trial));
            too_low += u32::from(high < 1.0);
            too_high += u32::from(low > 1.0);
        }
        // The nominal number is 40 of 400; 20 values of a skewed distribution are few.
        assert!((15..=75).contains(&(too_low + too_high)), "{too_low} below and {too_high} above");
        assert!(too_low < 50 && too_high < 40, "{too_low} below and {too_high} above");
    }
}
