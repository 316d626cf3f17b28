//! Sorts runs by how badly they may end, so that the few runs with many failures are sampled on purpose.
//!
//! With a tuned policy, nearly all runs have no failures and a few have many. So runs are drawn from strata: many of
//! the worst, each with a small weight. Source: "On the cluster admission problem for cloud computing", appendix D;
//! its formulas are missing from our copy.
//!
//! The badness of a run is computed from its arrivals alone, which depend on the seed and not on the policy
//! ([`badness`]). Deployments that arrive in a month are placed at its beginning, take exactly the cores expected
//! from their true rates, and are admitted while the size bounds of all admitted ones, at the end of the month, fit
//! into the cluster. A size exceeds its bound with a probability of at most 10 %, by Cantelli's inequality: the bound
//! is the sum's mean plus three standard deviations. The badness is the largest sum of expected cores in any later
//! month, as a share of the cluster. The paper does the same, except that it draws the maximum lifetime of a deployment in
//! advance and removes the deployment in the month after. Here a run draws stops as events, so the expected cores
//! include the probability that a deployment has stopped. Which bound, which months and which of the two sums to
//! compare is our choice, because it sorts runs well: of 80 runs under ZerothMomentAdmission at 62 %, the worst
//! twentieth had half of all failures and the worst quarter nine tenths.

use alloc::vec;
use alloc::vec::Vec;

use libm::{ceil, exp, pow, sqrt};
use tiebreak_admission::{Deaths, Model, Stop};
use tiebreak_model::random::Seed;

use super::years::{ClusterYears, MONTH_HOURS, Truth, YEAR_HOURS, arriving};

/// A run of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Its seed.
    pub seed: u64,
    /// The stratum that it was drawn from; 0 is the mildest.
    pub stratum: u8,
    /// Its weight in a mean over the sample.
    pub weight: f64,
}

impl Run {
    /// Runs of a simple sample, all with the same weight.
    pub fn alike(seeds: impl Iterator<Item = u64>) -> Vec<Self> {
        seeds.map(|seed| Self { seed, stratum: 0, weight: 1.0 }).collect()
    }
}

/// The boundaries of the strata.
#[derive(Clone, Debug, PartialEq)]
pub struct Strata {
    /// The badness at which the next stratum begins.
    edges: Vec<f64>,
    /// The probability of each stratum, 0 to 1.
    chances: Vec<f64>,
}

impl Strata {
    /// The share of all runs in each stratum, the mildest first.
    pub const PARTS: [f64; 3] = [0.75, 0.2, 0.05];

    /// Uses the quantiles of these runs' badness; hundreds of runs are accurate enough.
    #[must_use]
    pub fn of(badness: &[f64]) -> Self {
        let mut sorted = badness.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let mut part = 0.0;
        let mut edge = |of: &f64| {
            part += of;
            sorted.get((part * sorted.len() as f64) as usize).copied().unwrap_or(f64::INFINITY)
        };
        let mut strata = Self {
            edges: Self::PARTS[1..].iter().zip(&Self::PARTS).map(|(_, part)| edge(part)).collect(),
            chances: Vec::new(),
        };
        let mut counts = vec![0.0; Self::PARTS.len()];
        badness.iter().for_each(|badness| counts[usize::from(strata.stratum(*badness))] += 1.0);
        strata.chances = counts.into_iter().map(|count| count / badness.len().max(1) as f64).collect();
        strata
    }

    /// The stratum of a run with this badness; 0 is the mildest.
    #[must_use]
    pub fn stratum(&self, badness: f64) -> u8 {
        self.edges.iter().filter(|edge| badness >= **edge).count() as u8
    }

    /// The first runs of each stratum, as many as `each` says with the mildest first, from these runs: each a seed and
    /// its badness, in the order drawn. The worst stratum comes first. The total weight of a stratum's runs is its probability; all weights sum to 1.
    ///
    /// A run of another stratum than the wanted one is skipped, and the next is drawn. The paper instead redraws a
    /// run of a mild stratum with some probability, and then wants no milder one. Either way the runs of a stratum
    /// follow its own distribution and their number is chosen, so with weights that correct for this choice both
    /// methods agree.
    #[must_use]
    pub fn pick(&self, drawn: &[(u64, f64)], each: [u32; Self::PARTS.len()]) -> Vec<Run> {
        let mut picked = Vec::new();
        let worst_first: Vec<_> = (0_u8..).zip(self.chances.iter().zip(each)).collect();
        for (stratum, (chance, each)) in worst_first.into_iter().rev() {
            let of = drawn.iter().filter(|(_, badness)| self.stratum(*badness) == stratum).take(each as usize);
            let from = picked.len();
            picked.extend(of.map(|(seed, _)| Run { seed: *seed, stratum, weight: 0.0 }));
            let count = (picked.len() - from) as f64;
            picked[from..].iter_mut().for_each(|run| run.weight = chance / count);
        }
        // Omits a stratum of which no run was drawn.
        let all: f64 = picked.iter().map(|run| run.weight).sum();
        picked.iter_mut().for_each(|run| run.weight /= all);
        picked
    }
}

/// A mean over a stratified sample, and the variance of that mean.
#[must_use]
pub fn mean_and_variance(values: &[(Run, f64)]) -> (f64, f64) {
    let all: f64 = values.iter().map(|(run, _)| run.weight).sum();
    let mean = values.iter().map(|(run, value)| run.weight * value).sum::<f64>() / all;
    let worst = values.iter().map(|(run, _)| run.stratum).max().unwrap_or(0);
    let variance = (0..=worst).map(|stratum| {
        let of = || values.iter().filter(move |(run, _)| run.stratum == stratum);
        let (count, weight) = (of().count() as f64, of().map(|(run, _)| run.weight).sum::<f64>() / all);
        let middle = of().map(|(_, value)| value).sum::<f64>() / count.max(1.0);
        let squares: f64 = of().map(|(_, value)| (value - middle) * (value - middle)).sum();
        if count > 1.0 { weight * weight * squares / (count - 1.0) / count } else { 0.0 }
    });
    (mean, variance.sum())
}

/// Standard deviations above the mean that a sum exceeds with a probability of at most 10 %.
const DEVIATIONS: f64 = 3.0;

/// Fewer expected cores than this count as none.
const LEAST_CORES: f64 = 1e-3;

/// How badly a run of this seed may end, as a share of the cluster's cores: mostly around 1, 2 or more for the worst.
/// Takes about a hundredth of the time of the run itself.
#[must_use]
pub fn badness(model: &Model, lab: &ClusterYears, seed: Seed) -> f64 {
    let months = ceil(lab.years * YEAR_HOURS / MONTH_HOURS) as usize;
    let mut sums = vec![(0.0, 0.0); months + 2];
    let capacity = f64::from(lab.cores);
    for (at_hours, truth) in arriving(model, lab, seed) {
        let after = &mut sums[(at_hours / MONTH_HOURS) as usize + 1..];
        let path = (1_u32..).map(|month| size(model, &truth, f64::from(month) * MONTH_HOURS));
        let mut path = path.take_while(|(mean, _)| *mean > LEAST_CORES).zip(after.iter_mut()).peekable();
        let fits = path.peek().is_some_and(|((mean, variance), (means, variances))| {
            *means + mean + DEVIATIONS * sqrt(*variances + variance) <= capacity
        });
        if fits {
            path.for_each(|((mean, variance), (means, variances))| {
                *means += mean;
                *variances += variance;
            });
        }
    }
    sums.iter().map(|(mean, _)| *mean).fold(0.0, f64::max) / capacity
}

/// Mean and variance of the cores of a deployment with known rates, this many hours after it arrived: the moments of
/// `tiebreak_admission` without a belief to average over. A deployment that only stops growing counts as not
/// stopping, which slightly overestimates.
fn size(model: &Model, truth: &Truth, hours: f64) -> (f64, f64) {
    let Truth { death, scale_out, size } = *truth;
    let left = exp(-death * hours);
    let alive = match model.stop {
        Stop::Hard => pow(left, model.prior.stop),
        Stop::Soft => 1.0,
    };
    let (one, two) = ((1.0 - left) / death, (1.0 - left * left) / (2.0 * death));
    let (first, pairs) = (1.0 + size, size * (2.0 + size));
    let (old, new) = match model.deaths {
        Deaths::Cores => (first, first * one + pairs * two),
        Deaths::Blocks => (first * first, (first + pairs) * one),
    };
    let grown = first * left + scale_out * first * one;
    let square = old * left * (1.0 - left) + scale_out * new + grown * grown;
    (alive * grown, alive * square - alive * alive * grown * grown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::years::Years;
    use crate::admission::{AdmissionSettings, Terms};
    use alloc::sync::Arc;
    use tiebreak_placement::{Policy, RuleUse};

    /// A small cluster of small deployments; one run in ten has failures.
    fn small() -> (AdmissionSettings, ClusterYears) {
        let settings = AdmissionSettings { size_rate: 0.8, ..AdmissionSettings::default() };
        (settings, ClusterYears { cores: 1_000, arrivals: 0.05, ..ClusterYears::default() })
    }

    /// The share of failures and the share of cores in use, with at most 60 % sold.
    fn outcome(seed: u64) -> (f64, f64) {
        let (settings, lab) = small();
        let rule = RuleUse { values: vec![60.0], ..RuleUse::plain("ZerothMomentAdmission", None) };
        let policy = Arc::new(Policy::new(&[rule], 1).expect("a policy"));
        let terms = Arc::new(Terms::new(&settings, false).expect("terms"));
        let mut years = Years::new(terms, lab, policy, Seed(seed));
        while years.advance(1 << 20) {}
        (years.total().failed_share(), years.total().utilization(lab.cores))
    }

    #[test]
    fn strata_agree_with_plain_runs_and_are_surer() {
        const EACH: u32 = 16;
        let (settings, lab) = small();
        let model = settings.model().expect("a model");
        let drawn: Vec<_> = (1..=400).map(|seed| (seed, badness(&model, &lab, Seed(seed)))).collect();
        let badness: Vec<f64> = drawn.iter().map(|it| it.1).collect();
        let strata = Strata::of(&badness).pick(&drawn, [EACH; 3]);
        let plain = Run::alike(1..=200);
        let [strata, plain] = [strata, plain].map(|runs| {
            let outcomes: Vec<_> = runs.into_iter().map(|run| (run, outcome(run.seed))).collect();
            let of = |what: fn(&(f64, f64)) -> f64| {
                mean_and_variance(&outcomes.iter().map(|(run, outcome)| (*run, what(outcome))).collect::<Vec<_>>())
            };
            [of(|it| it.0), of(|it| it.1)]
        });
        for ((one, variance), (other, other_variance)) in strata.iter().zip(plain) {
            assert!((one - other).abs() < 4.0 * sqrt(variance + other_variance), "{one} and {other}");
        }
        // More precise about failures than four times as many plain runs.
        assert!(strata[0].1 < plain[0].1, "{strata:?} and {plain:?}");
    }

    #[test]
    fn picked_runs_weigh_as_much_as_their_stratum_is_likely() {
        let badness: Vec<f64> = (0..1_000).map(|at| f64::from(at * 577 % 1_000)).collect();
        let strata = Strata::of(&badness);
        assert_eq!([749.0, 750.0, 949.0, 950.0].map(|it| strata.stratum(it)), [0, 1, 1, 2]);
        let drawn: Vec<_> = (0..).zip(badness).collect();
        let picked = strata.pick(&drawn, [10; 3]);
        assert_eq!(picked.iter().map(|run| run.stratum).collect::<Vec<_>>(), [[2; 10], [1; 10], [0; 10]].concat());
        for run in &picked {
            assert_eq!(strata.stratum(drawn[run.seed as usize].1), run.stratum);
            assert!((run.weight - Strata::PARTS[usize::from(run.stratum)] / 10.0).abs() < 1e-12);
        }
        // The mean of the measure itself is 499.5.
        let (mean, variance) =
            mean_and_variance(&picked.iter().map(|run| (*run, drawn[run.seed as usize].1)).collect::<Vec<_>>());
        assert!((mean - 499.5).abs() < 3.0 * sqrt(variance) && sqrt(variance) < 80.0, "{mean}, {variance}");
        // With few runs, or equal ones, the weights still sum to 1.
        for few in [vec![(1, 5.0)], vec![(1, 5.0), (2, 5.0), (3, 5.0)]] {
            let strata = Strata::of(&few.iter().map(|it| it.1).collect::<Vec<_>>());
            let all: f64 = strata.pick(&few, [2; 3]).iter().map(|run| run.weight).sum();
            assert!((all - 1.0).abs() < 1e-12);
        }
        assert!(Strata::of(&[]).pick(&[], [3; 3]).is_empty());
    }

    #[test]
    fn sizes_of_known_rates_are_those_of_a_sure_belief() {
        use tiebreak_admission::{Belief, Seen};
        let truth = Truth { death: 0.002, scale_out: 0.01, size: 3.0 };
        let sure = 1e7;
        for deaths in [Deaths::Blocks, Deaths::Cores] {
            let settings = AdmissionSettings { power: 0.0, ..AdmissionSettings::default() };
            let model = Model { deaths, ..settings.model().expect("a model") };
            let first = 1.0 + truth.size;
            let seen = Seen {
                cores: first,
                squares: first * first,
                deaths: sure,
                exposure: sure / truth.death,
                scale_outs: sure,
                hours: sure / truth.scale_out,
                extra: sure * truth.size,
                requests: sure,
                ..Seen::default()
            };
            // Hours since it arrived count as hours in which it has not stopped: corrected here.
            let seen = Seen { exposure: seen.exposure - model.prior.stop * seen.hours, ..seen };
            let hours = [730.0, 7_300.0];
            let mut moments = Vec::new();
            Belief::new(&model, &seen, 64).moments(&seen, &hours, &mut moments);
            for (hours, moments) in hours.iter().zip(moments) {
                let (mean, variance) = size(&model, &truth, *hours);
                assert!((mean / moments.mean - 1.0).abs() < 0.01, "{mean} and {}", moments.mean);
                assert!((variance / moments.variance - 1.0).abs() < 0.01, "{variance} and {}", moments.variance);
            }
        }
    }
}
