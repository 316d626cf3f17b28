//! What a policy uses of a cluster at the service level: its utilization over its failures, from runs at several
//! thresholds with the same seeds.
//!
//! A threshold that was tuned on some runs fits these runs, so its utilization says little about others. Here the
//! threshold is no result: between the two thresholds around the service level, utilization is interpolated at the
//! level. Resampling the runs repeats this, so intervals include the tuning. Policies with the same seeds have the
//! same resamples, so their difference is paired. Source: "On the cluster admission problem for cloud computing",
//! section 5.2, tunes once and then evaluates.

use alloc::vec;
use alloc::vec::Vec;

use rand_core::Rng;
use tiebreak_model::random::{Seed, pick};

use super::interval::Interval;
use super::strata::Run;
use super::years::{Span, Years};

/// The outcome of one run, or a mean of them. All are shares, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Cores in use.
    pub used: f64,
    /// Scale-outs that failed.
    pub failed: f64,
    /// The mean of the monthly shares of failures.
    pub failed_by_month: f64,
    /// Runs with a failure.
    pub any_failed: f64,
    /// Deployments admitted.
    pub admitted: f64,
}

impl Outcome {
    /// The outcome of a run in a cluster of this many cores.
    #[must_use]
    pub fn of(run: &Years, cores: u32) -> Self {
        let (total, months) = (run.total(), run.months());
        Self {
            used: total.utilization(cores),
            failed: total.failed_share(),
            failed_by_month: months.iter().map(Span::failed_share).sum::<f64>() / months.len().max(1) as f64,
            any_failed: f64::from(u8::from(total.failed > 0)),
            admitted: total.admitted as f64 / total.arrivals.max(1) as f64,
        }
    }

    /// The weighted mean of these; weights need not sum to 1.
    #[must_use]
    pub fn mean(outcomes: &[Self], weights: &[f64]) -> Self {
        let all: f64 = weights.iter().sum();
        let weighted = outcomes.iter().zip(weights).map(|(outcome, weight)| outcome.times(weight / all));
        weighted.fold(Self::default(), Self::plus)
    }

    fn times(self, factor: f64) -> Self {
        self.each(self, |one, _| one * factor)
    }

    fn plus(self, other: Self) -> Self {
        self.each(other, |one, other| one + other)
    }

    fn each(self, other: Self, of: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            used: of(self.used, other.used),
            failed: of(self.failed, other.failed),
            failed_by_month: of(self.failed_by_month, other.failed_by_month),
            any_failed: of(self.any_failed, other.any_failed),
            admitted: of(self.admitted, other.admitted),
        }
    }
}

/// One policy: its outcomes at ascending thresholds, with the same runs at each.
#[derive(Clone, Debug)]
pub struct Frontier {
    /// The thresholds, ascending.
    pub thresholds: Vec<f64>,
    /// The runs.
    pub runs: Vec<Run>,
    /// For each threshold, the outcome of each run.
    pub outcomes: Vec<Vec<Outcome>>,
}

/// The policy at the service level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtLevel {
    /// The interpolated threshold.
    pub threshold: f64,
    /// The interpolated outcome.
    pub outcome: Outcome,
    /// Whether the level lies outside the thresholds, so that the nearest one stands for it.
    pub is_outside: bool,
}

/// Fewer failures than this part of the level count as this many: a logarithm needs some.
const LEAST_PART: f64 = 0.05;

impl Frontier {
    /// The mean outcome at each threshold, with these weights of the runs.
    #[must_use]
    pub fn means(&self, weights: &[f64]) -> Vec<Outcome> {
        self.outcomes.iter().map(|outcomes| Outcome::mean(outcomes, weights)).collect()
    }

    /// The policy at this share of failures, 0 to 1, with these weights of the runs. Failures grow about
    /// exponentially with the threshold, so their logarithm is interpolated. A threshold beyond one with too many
    /// failures does not count, even if it happens to have fewer.
    #[must_use]
    pub fn at_level(&self, weights: &[f64], level: f64) -> AtLevel {
        let means = self.means(weights);
        let beyond = means.iter().position(|mean| mean.failed > level);
        let at =
            |index: usize, is_outside| AtLevel { threshold: self.thresholds[index], outcome: means[index], is_outside };
        let (before, after) = match beyond {
            Some(0) => return at(0, true),
            None => return at(means.len() - 1, true),
            Some(after) => (after - 1, after),
        };
        let log = |index: usize| libm::log(means[index].failed.max(LEAST_PART * level));
        let share = (libm::log(level) - log(before)) / (log(after) - log(before));
        let (from, to) = (self.thresholds[before], self.thresholds[after]);
        AtLevel {
            threshold: from + share * (to - from),
            outcome: means[before].times(1.0 - share).plus(means[after].times(share)),
            is_outside: false,
        }
    }

    /// The weights of its runs.
    #[must_use]
    pub fn weights(&self) -> Vec<f64> {
        self.runs.iter().map(|run| run.weight).collect()
    }
}

/// The runs' weights in each of this many bootstrap resamples, which stay within strata. The same runs have the same
/// resamples, whatever the policy.
#[must_use]
pub fn resampled_weights(runs: &[Run], resamples: u32, seed: Seed) -> Vec<Vec<f64>> {
    let mut draws = seed.stream("resampled runs").generator();
    let strata = runs.chunk_by(|one, next| one.stratum == next.stratum);
    let ranges: Vec<(usize, u32)> = strata
        .scan(0, |from, stratum| {
            let range = (*from, stratum.len() as u32);
            *from += stratum.len();
            Some(range)
        })
        .collect();
    let mut one = || {
        let mut weights = vec![0.0; runs.len()];
        for (from, count) in &ranges {
            for _ in 0..*count {
                let at = from + pick(draws.next_u64(), *count) as usize;
                weights[at] += runs[at].weight;
            }
        }
        weights
    };
    (0..resamples).map(|_| one()).collect()
}

/// The interval that holds the middle of these values, one per resample, with this confidence, 0 to 1.
#[must_use]
pub fn percentiles(mean: f64, mut values: Vec<f64>, confidence: f64) -> Interval {
    values.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - confidence.clamp(0.0, 1.0)) / 2.0;
    let end = |part: f64| {
        let at = (part * values.len() as f64) as usize;
        values.get(at.min(values.len().saturating_sub(1))).copied().unwrap_or(mean)
    };
    Interval { low: end(tail), mean, high: end(1.0 - tail) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(used: f64, failed: f64) -> Outcome {
        Outcome { used, failed, ..Outcome::default() }
    }

    /// Failures grow tenfold from threshold to threshold; one of the two runs has them all.
    fn frontier() -> Frontier {
        let outcomes = [(0.5, 0.001), (0.6, 0.01), (0.7, 0.1)];
        Frontier {
            thresholds: vec![40.0, 60.0, 80.0],
            runs: Run::alike(1..=2),
            outcomes: outcomes
                .iter()
                .map(|(used, failed)| vec![outcome(*used, 2.0 * failed), outcome(*used, 0.0)])
                .collect(),
        }
    }

    #[test]
    fn the_level_is_found_between_thresholds() {
        let found = frontier().at_level(&[1.0, 1.0], libm::sqrt(0.01 * 0.1));
        assert!((found.threshold - 70.0).abs() < 1e-9 && (found.outcome.used - 0.65).abs() < 1e-9, "{found:?}");
        assert!(!found.is_outside);
        let at = frontier().at_level(&[1.0, 1.0], 0.01);
        assert!((at.threshold - 60.0).abs() < 1e-9, "{at:?}");
    }

    #[test]
    fn outside_the_thresholds_the_nearest_one_stands() {
        for (level, threshold) in [(0.0001, 40.0), (0.5, 80.0)] {
            let found = frontier().at_level(&[1.0, 1.0], level);
            assert_eq!((found.threshold, found.is_outside), (threshold, true));
        }
        // A resample without the run that fails.
        assert!(frontier().at_level(&[0.0, 1.0], 0.01).is_outside);
    }

    #[test]
    fn a_lucky_threshold_beyond_a_bad_one_does_not_count() {
        let mut frontier = frontier();
        frontier.outcomes[2] = vec![outcome(0.9, 0.0); 2];
        assert!(frontier.at_level(&[1.0, 1.0], 0.005).threshold < 60.0);
    }

    #[test]
    fn resamples_keep_each_stratum_s_weight() {
        let run = |seed, stratum, weight| Run { seed, stratum, weight };
        let runs = [run(1, 1, 0.1), run(2, 1, 0.1), run(3, 0, 0.4), run(4, 0, 0.4)];
        let all = resampled_weights(&runs, 50, Seed(1));
        assert_eq!(all, resampled_weights(&runs, 50, Seed(1)));
        assert!(all.iter().any(|weights| weights[0] != 0.1));
        for weights in &all {
            assert!((weights[..2].iter().sum::<f64>() - 0.2).abs() < 1e-12);
            assert!((weights[2..].iter().sum::<f64>() - 0.8).abs() < 1e-12);
        }
    }

    #[test]
    fn the_middle_of_the_values_is_the_interval() {
        let values = (0..1_000).map(f64::from).collect();
        let Interval { low, mean, high } = percentiles(500.0, values, 0.9);
        assert!((low - 50.0).abs() <= 1.0 && mean == 500.0 && (high - 950.0).abs() <= 1.0, "{low} to {high}");
    }
}
