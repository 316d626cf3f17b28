//! The paper's own approximations of mean and variance, to compare them with the exact moments.
//!
//! Source: Propositions 4.3 and 4.5 and Appendix C, as we read them: their formulas are missing from our copy. A
//! deployment's cores are L = D M (A + B): cores that exist now and are left (A), and cores from scale-outs that are
//! left (B), unless it has stopped (M) or was empty before (D). The propositions treat these four, and the number,
//! size and survival of scale-outs, as uncorrelated. With gamma beliefs, the survival of one core is that of a Lomax
//! distribution. So
//!
//! E L = E D E M (E A + E B)
//!
//! V L = E D E M (V A + V B + (E A + E B)^2) - (E L)^2
//!
//! D follows step by step: a deployment with an expected number N of cores is empty after a step with probability
//! (1 - x)^N, where x is the probability that a core survives the step; N is at least 1, because it was not empty before.
//! By Jensen's inequality, this is at most the true probability. The beliefs are conjugate gammas, as the paper says: deaths alone update the rate of deaths, and
//! scale-outs the normalized rate of scale-outs.
//!
//! In fact all parts depend on the same rates: a deployment with long-lived cores keeps old cores, new cores and itself.

use crate::ahead::Moments;
use crate::closed::Rates;
use crate::gamma::SizeMoments;
use crate::prior::{Deaths, Model, Stop};
use crate::seen::Seen;

/// Steps of a look-ahead in section 5.2.
const STEPS: u32 = crate::horizons::STEPS;

/// Mean and variance of its cores `hours` from now; `None` if only scale-outs stop, which the paper does not have.
#[must_use]
pub fn moments(model: &Model, seen: &Seen, hours: f64) -> Option<Moments> {
    (model.stop == Stop::Hard).then(|| Parts::new(model, &seen.bounded()).moments(hours))
}

/// The uncorrelated parts.
struct Parts {
    deaths: Deaths,
    cores: f64,
    /// Units that end: cores, or blocks.
    units: f64,
    squares: f64,
    size: SizeMoments,
    /// The rate at which units end, and the scale-out rate.
    rates: Rates,
    stop: f64,
}

impl Parts {
    fn new(model: &Model, seen: &Seen) -> Self {
        let prior = &model.prior;
        let death = prior.death.updated(seen.deaths, seen.exposure.max(0.0) + prior.stop * seen.hours);
        // The scale-out rate is its normalized rate times the power of the expected rate of deaths.
        let factor = libm::pow(death.mean(), prior.power);
        let scale_out = prior.scale_out.updated(seen.scale_outs, seen.hours * factor);
        let rates = Rates::independent(
            death.shape,
            death.rate,
            factor * scale_out.mean(),
            factor * factor * scale_out.mean_square(),
        );
        let units = match model.deaths {
            Deaths::Cores => seen.cores,
            Deaths::Blocks => seen.blocks,
        };
        Self {
            deaths: model.deaths,
            cores: seen.cores,
            units,
            squares: seen.squares,
            size: SizeMoments::of(&prior.size.updated(seen.extra, seen.requests)),
            rates,
            stop: prior.stop,
        }
    }

    fn moments(&self, hours: f64) -> Moments {
        let Self { deaths, cores, squares, size, rates, stop, .. } = self;
        let (one, both) = (rates.at(0.0, hours), rates.at(0.0, 2.0 * hours));
        let (single, double) = (rates.between(0.0, 0.0, hours), 0.5 * rates.between(0.0, 0.0, 2.0 * hours));
        let (alone, pairs) = match deaths {
            Deaths::Cores => (*cores, size.pairs * double),
            Deaths::Blocks => (*squares, size.pairs * single),
        };
        let (old, new) = (cores * one, rates.scale * size.mean * single);
        let old_variance = alone * (one - both) + cores * cores * (both - one * one);
        let new_square =
            rates.scale * (size.mean * single + pairs) + rates.square * size.across * rates.twice(0.0, 0.0, hours);
        let exists = rates.at(0.0, stop * hours) * self.never_empty(hours);
        let (sum, mean) = (old + new, exists * (old + new));
        let variance = old_variance + new_square - new * new;
        Moments { mean, variance: (exists * (variance + sum * sum) - mean * mean).max(0.0) }
    }

    /// E D: the probability that it was never empty until then.
    fn never_empty(&self, hours: f64) -> f64 {
        let step = hours / f64::from(STEPS);
        let dies = 1.0 - self.rates.at(0.0, step);
        let per_scale_out = match self.deaths {
            Deaths::Cores => self.size.mean,
            Deaths::Blocks => 1.0,
        };
        let stays = |at: u32| {
            let before = step * f64::from(at);
            let new = self.rates.scale * per_scale_out * self.rates.between(0.0, 0.0, before);
            // One that is not empty has a unit.
            let units = (self.units * self.rates.at(0.0, before) + new).max(1.0);
            1.0 - libm::pow(dies, units)
        };
        if self.units > 0.0 { (0..STEPS).map(stays).product() } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Belief, Gamma, Prior};
    use alloc::vec::Vec;

    fn model(deaths: Deaths, stop: f64) -> Model {
        let sure = |mean: f64| Gamma { shape: 1e7, rate: 1e7 / mean };
        let prior = Prior { death: sure(0.02), scale_out: sure(0.05), size: sure(3.0), stop, power: 0.0 };
        Model { prior, deaths, stop: Stop::Hard }
    }

    /// With certain rates nothing is correlated, except that what has not stopped is not empty.
    #[test]
    fn of_certain_rates_they_are_the_exact_moments() {
        for (deaths, cores) in [(Deaths::Cores, 40.0), (Deaths::Blocks, 40.0)] {
            let model = model(deaths, 0.1);
            let seen = Seen { cores, blocks: 10.0, squares: 160.0, ..Seen::default() };
            for hours in [1.0, 10.0, 30.0] {
                let paper = moments(&model, &seen, hours).expect("a hard stop");
                let mut exact = Vec::new();
                Belief::new(&model, &seen, 64).moments(&seen, &[hours], &mut exact);
                assert!((paper.mean / exact[0].mean - 1.0).abs() < 1e-3, "{deaths:?} {hours}: {paper:?} {exact:?}");
                assert!(
                    (paper.variance / exact[0].variance - 1.0).abs() < 0.02,
                    "{deaths:?} {hours}: {paper:?} {exact:?}"
                );
            }
        }
    }

    #[test]
    fn of_uncertain_rates_they_expect_too_little_for_long() {
        let uncertain = Prior { death: Gamma { shape: 1.1, rate: 5.0 }, ..model(Deaths::Blocks, 0.05).prior };
        let model = Model { prior: uncertain, ..model(Deaths::Blocks, 0.05) };
        let seen = Seen::started(8.0);
        let paper = moments(&model, &seen, 1_000.0).expect("a hard stop");
        let mut exact = Vec::new();
        Belief::new(&model, &seen, 200).moments(&seen, &[1_000.0], &mut exact);
        assert!(paper.mean < 0.5 * exact[0].mean, "{paper:?} {exact:?}");
        assert_eq!(moments(&Model { stop: Stop::Soft, ..model }, &seen, 1.0), None);
    }

    #[test]
    fn now_it_is_what_it_is_and_without_units_it_is_gone() {
        let model = model(Deaths::Blocks, 0.1);
        let now = moments(&model, &Seen::started(8.0), 0.0).expect("a hard stop");
        assert!((now.mean - 8.0).abs() < 1e-9 && now.variance < 1e-9, "{now:?}");
        assert_eq!(moments(&model, &Seen::default(), 5.0).expect("a hard stop").mean, 0.0);
    }
}
