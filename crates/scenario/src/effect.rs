//! Whether the difference between two variants is significant: both run with the same seeds, and the differences are
//! paired by seed.

/// The maximum number of seeds of a comparison.
pub const SEEDS_MAX: usize = 64;

/// A difference over seeds: the mean, and the half-width of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// The mean difference.
    pub mean: f64,
    /// The half-width; `None` with one seed.
    pub half: Option<f64>,
    /// The number of seeds.
    pub seeds: usize,
    /// The standard deviation of the differences.
    deviation: f64,
}

impl Effect {
    /// From these differences, one per seed.
    #[must_use]
    pub fn of(differences: &[f64]) -> Option<Self> {
        let seeds = differences.len();
        if seeds == 0 {
            return None;
        }
        let count = seeds as f64;
        let mean = differences.iter().sum::<f64>() / count;
        let square: f64 = differences.iter().map(|it| (it - mean) * (it - mean)).sum();
        let deviation = if seeds > 1 { (square / (count - 1.0)).sqrt() } else { 0.0 };
        let half = (seeds > 1).then(|| quantile(seeds - 1) * deviation / count.sqrt());
        Some(Self { mean, half, seeds, deviation })
    }

    /// Both ends of the interval; `None` with one seed.
    #[must_use]
    pub fn interval(&self) -> Option<[f64; 2]> {
        self.half.map(|half| [self.mean - half, self.mean + half])
    }

    /// Whether the sign is certain enough. A difference that is 0 with every seed is certainly 0.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.half.is_some_and(|half| self.mean.abs() > half || (self.mean == 0.0 && half == 0.0))
    }

    /// The approximate number of further seeds that would decide, if mean and deviation stay as they are; `None` if
    /// it is decided, or if more than `at_most` would be needed.
    #[must_use]
    pub fn more_seeds(&self, at_most: usize) -> Option<usize> {
        let decides = |seeds: usize| quantile(seeds - 1) * self.deviation / (seeds as f64).sqrt() < self.mean.abs();
        let needed = (self.seeds.max(2)..=at_most).find(|seeds| decides(*seeds))?;
        needed.checked_sub(self.seeds).filter(|more| *more > 0)
    }
}

/// The quantile of Student's distribution for a two-sided interval of 95 %.
fn quantile(freedom: usize) -> f64 {
    freedom.checked_sub(1).map_or(f64::INFINITY, |at| STUDENT[at.min(STUDENT.len() - 1)])
}

/// Quantiles for 1 and more degrees of freedom, as a test computes them. The page needs nothing else of that
/// distribution.
const STUDENT: [f64; SEEDS_MAX - 1] = [
    12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004, 2.262_157, 2.228_139,
    2.200_985, 2.178_813, 2.160_369, 2.144_787, 2.131_450, 2.119_905, 2.109_816, 2.100_922, 2.093_024, 2.085_963,
    2.079_614, 2.073_873, 2.068_658, 2.063_899, 2.059_539, 2.055_529, 2.051_831, 2.048_407, 2.045_230, 2.042_272,
    2.039_513, 2.036_933, 2.034_515, 2.032_245, 2.030_108, 2.028_094, 2.026_192, 2.024_394, 2.022_691, 2.021_075,
    2.019_541, 2.018_082, 2.016_692, 2.015_368, 2.014_103, 2.012_896, 2.011_741, 2.010_635, 2.009_575, 2.008_559,
    2.007_584, 2.006_647, 2.005_746, 2.004_879, 2.004_045, 2.003_241, 2.002_465, 2.001_717, 2.000_995, 2.000_298,
    1.999_624, 1.998_972, 1.998_341,
];

#[cfg(test)]
mod tests {
    use statrs::distribution::{ContinuousCDF, StudentsT};

    use super::*;

    #[test]
    fn the_quantiles_are_those_of_students_distribution() {
        for (freedom, quantile) in (1..).zip(STUDENT) {
            let student = StudentsT::new(0.0, 1.0, f64::from(freedom)).expect("one degree of freedom or more");
            let exact = student.inverse_cdf(0.975);
            assert!((quantile - exact).abs() < 1e-6, "{freedom}: {exact:.6}");
        }
    }

    #[test]
    fn an_interval_is_that_of_student() {
        // Mean 3, deviation sqrt(2.5); the quantile for 4 degrees of freedom is 2.776445.
        let effect = Effect::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("five seeds");
        let half = effect.half.expect("an interval");
        assert!(
            (effect.mean - 3.0).abs() < 1e-12 && (half - 2.776_445 * (2.5_f64 / 5.0).sqrt()).abs() < 1e-5,
            "{half}"
        );
        assert!(effect.is_decided() && effect.more_seeds(64).is_none());
    }

    #[test]
    fn an_undecided_difference_says_how_many_more_seeds_it_needs() {
        let effect = Effect::of(&[-1.0, 3.0, -0.5, 2.5]).expect("four seeds");
        assert!(!effect.is_decided());
        let more = effect.more_seeds(64).expect("some number decides");
        let many: Vec<_> = [-1.0, 3.0, -0.5, 2.5].into_iter().cycle().take(4 + more + 4).collect();
        assert!(Effect::of(&many).expect("more seeds").is_decided(), "{more} more");
        assert_eq!(
            Effect::of(&[1.0, -1.0]).expect("two seeds").more_seeds(64),
            None,
            "no number decides about nothing"
        );
    }

    #[test]
    fn one_seed_has_no_interval_and_none_has_no_effect() {
        assert_eq!(Effect::of(&[2.0]).map(|it| (it.mean, it.half, it.is_decided())), Some((2.0, None, false)));
        assert_eq!(Effect::of(&[]), None);
        assert!(Effect::of(&[0.0, 0.0, 0.0]).is_some_and(|same| same.is_decided()));
    }
}
