//! The posterior of the logarithm of the death rate, up to a factor.
//!
//! With deaths d in an exposure X, and k scale-outs in t hours, it is, for x = log mu,
//!
//! f(x) = (a + d + kappa k) x - (b + X + nu t) e^x - (a' + k) log(b' + t e^(kappa x))
//!
//! where (a, b) are shape and rate of the death rate and (a', b') those of the scale-out rate, which
//! has been integrated out. f is concave, so it has one mode and Newton's method finds it. For
//! kappa = 0 or t = 0 it is a Gamma distribution.
//!
//! This is our own derivation: the formulas are missing from our copy of the paper.

use crate::prior::Prior;
use crate::seen::Seen;

/// The least time for which a deployment with scale-outs counts as observed: two requests at one instant do not imply
/// an infinite rate.
const HOURS_LEAST: f64 = 1e-3;

/// The posterior density of log mu, and the scale-out rate for each mu.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Density {
    /// The factor of x.
    slope: f64,
    /// The factor of e^x, in hours.
    pull: f64,
    /// The shape of the scale-out rate, which does not depend on mu.
    pub(crate) count: f64,
    log_rate: f64,
    log_hours: f64,
    power: f64,
}

/// One point of the density.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) mu: f64,
    /// f(x).
    pub(crate) height: f64,
    /// The logarithm of E\[lambda | mu\] over `count`.
    pub(crate) log_scale: f64,
}

impl Density {
    pub(crate) fn new(prior: &Prior, seen: &Seen) -> Self {
        let hours = if seen.scale_outs > 0.0 { seen.hours.max(HOURS_LEAST) } else { seen.hours };
        Self {
            slope: prior.death.shape + seen.deaths + prior.power * seen.scale_outs,
            pull: prior.death.rate + (seen.exposure + prior.stop * hours).max(0.0),
            count: prior.scale_out.shape + seen.scale_outs,
            log_rate: libm::log(prior.scale_out.rate),
            log_hours: libm::log(hours),
            power: prior.power,
        }
    }

    /// The values at x = log mu.
    pub(crate) fn at(&self, x: f64) -> Point {
        let (mu, watched) = (libm::exp(x), self.log_watched(x));
        Point {
            mu,
            height: self.slope * x - self.pull * mu - self.count * watched,
            log_scale: self.power * x - watched,
        }
    }

    /// The maximum of f: Newton's method between bounds. f' is pull e^x below a number that lies between the slope
    /// and the slope plus the full turn.
    pub(crate) fn mode(&self) -> f64 {
        let turned = self.slope - self.turn();
        let at = |slope: f64| libm::log(slope.max(1e-300) / self.pull);
        let (mut low, mut high) = (at(self.slope.min(turned)) - 1e-9, at(self.slope.max(turned)) + 1e-9);
        let mut x = high;
        for _ in 0..100 {
            let (first, second) = self.derivatives(x);
            if first > 0.0 {
                low = x;
            } else {
                high = x;
            }
            let newton = x - first / second.min(-1e-300);
            if (newton - x).abs() < 1e-9 {
                return newton;
            }
            x = if low < newton && newton < high { newton } else { (low + high) / 2.0 };
        }
        x
    }

    /// The first two derivatives of f.
    pub(crate) fn derivatives(&self, x: f64) -> (f64, f64) {
        let (pull, share) = (self.pull * libm::exp(x), self.share(x));
        let turn = self.turn();
        (self.slope - pull - turn * share, -pull - turn * self.power * share * (1.0 - share))
    }

    /// How much the slope changes between no observations of scale-outs and complete ones.
    fn turn(&self) -> f64 {
        self.count * self.power
    }

    /// The exponent with which E\[lambda | mu\] grows at x: kappa at first, 0 after many observations.
    pub(crate) fn power_at(&self, x: f64) -> f64 {
        self.power * (1.0 - self.share(x))
    }

    /// How much of the knowledge of the scale-out rate comes from observations rather than from the prior; 0 to 1.
    fn share(&self, x: f64) -> f64 {
        1.0 / (1.0 + libm::exp(self.log_rate - self.log_hours - self.power * x))
    }

    /// log(b' + t e^(kappa x)) without overflow.
    fn log_watched(&self, x: f64) -> f64 {
        let seen = self.log_hours + self.power * x;
        self.log_rate.max(seen) + libm::log1p(libm::exp(-(self.log_rate - seen).abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gamma::Gamma;

    fn prior(power: f64) -> Prior {
        let gamma = |shape, rate| Gamma { shape, rate };
        Prior { death: gamma(0.7, 5.0), scale_out: gamma(1.2, 4.0), size: gamma(2.0, 0.5), stop: 0.2, power }
    }

    #[test]
    fn without_a_power_law_it_is_the_conjugate_gamma() {
        let seen = Seen { deaths: 9.0, exposure: 160.0, scale_outs: 3.0, hours: 20.0, ..Seen::default() };
        let density = Density::new(&prior(0.0), &seen);
        let (shape, rate) = (9.7, 5.0 + 160.0 + 4.0);
        assert!((density.mode() - libm::log(shape / rate)).abs() < 1e-12);
        let height = |x: f64| shape * x - rate * libm::exp(x);
        let drop = (density.at(-2.0).height - density.at(-3.0).height) - (height(-2.0) - height(-3.0));
        assert!(drop.abs() < 1e-9, "{drop}");
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let seen = Seen { deaths: 2.0, exposure: 30.0, scale_outs: 4.0, hours: 10.0, ..Seen::default() };
        for power in [-0.3, 0.6, 1.0] {
            let density = Density::new(&prior(power), &seen);
            for x in [-6.0, -2.0, 0.5] {
                let (first, second) = density.derivatives(x);
                let step = 1e-4;
                let [low, mid, high] = [x - step, x, x + step].map(|x| density.at(x).height);
                assert!((first - (high - low) / (2.0 * step)).abs() < 1e-5, "power {power} at {x}");
                assert!((second - (high - 2.0 * mid + low) / (step * step)).abs() < 1e-4, "power {power} at {x}");
            }
            assert!(density.derivatives(density.mode()).0.abs() < 1e-9);
        }
    }
}
