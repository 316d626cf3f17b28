//! The moments in closed form, without a sum over nodes, for a deployment that stops hard.
//!
//! Exact if the power is 0 or no time was observed: the posterior of mu is a Gamma, and every moment an integral of
//! the form E\[mu^p e^(-mu s)\]. Otherwise the posterior is replaced by the Gamma with the same mode and the same
//! curvature in log mu (Laplace-Gamma), and E\[lambda | mu\] by the power law it has at the mode. The mean is then
//! off by some 1 or 2 %, and by up to 15 % with very few observations.
//!
//! This corresponds to Proposition C.1 of the paper's Appendix C, but is our own derivation: the formulas are missing
//! from our copy.

use crate::ahead::Moments;
use crate::density::Density;
use crate::gamma::SizeMoments;
use crate::prior::{Deaths, Model, Stop};
use crate::seen::Seen;

/// Mean and variance of its cores `hours` from now; `None` if only scale-outs stop, for which there is no such form.
#[must_use]
pub fn moments(model: &Model, seen: &Seen, hours: f64) -> Option<Moments> {
    (model.stop == Stop::Hard).then(|| hard(model, &seen.bounded(), hours))
}

fn hard(model: &Model, seen: &Seen, hours: f64) -> Moments {
    let density = Density::new(&model.prior, seen);
    let size = SizeMoments::of(&model.prior.size.updated(seen.extra, seen.requests));
    let rates = Rates::new(&density);
    let (cores, nu, k) = (seen.cores, model.prior.stop, rates.power);
    let [s0, s1, s2] = [nu * hours, (nu + 1.0) * hours, (nu + 2.0) * hours];
    let grown = rates.scale * size.mean * rates.between(k, s0, s1);
    let (alone, new) = match model.deaths {
        Deaths::Cores => (cores, grown + 0.5 * rates.scale * size.pairs * rates.between(k, s0, s2)),
        Deaths::Blocks => (seen.squares, rates.scale * (size.mean + size.pairs) * rates.between(k, s0, s1)),
    };
    let (stays, both_stay) = (rates.at(0.0, s1), rates.at(0.0, s2));
    let mean = cores * stays + grown;
    let square = alone * (stays - both_stay)
        + cores * cores * both_stay
        + 2.0 * cores * rates.scale * size.mean * rates.between(k, s1, s2)
        + new
        + rates.square * size.across * rates.twice(2.0 * k, s0, hours);
    Moments { mean, variance: (square - mean * mean).max(0.0) }
}

/// mu as a Gamma, and lambda = lambda' mu^power with lambda' independent of it.
pub(crate) struct Rates {
    shape: f64,
    rate: f64,
    power: f64,
    /// E lambda'.
    pub(crate) scale: f64,
    /// E lambda'^2.
    pub(crate) square: f64,
}

impl Rates {
    /// Rates of deaths and of scale-outs that say nothing about each other.
    pub(crate) fn independent(shape: f64, rate: f64, scale: f64, square: f64) -> Self {
        Self { shape, rate, power: 0.0, scale, square }
    }

    fn new(density: &Density) -> Self {
        let mode = density.mode();
        let shape = -density.derivatives(mode).1;
        let power = density.power_at(mode);
        let scale = density.count * libm::exp(density.at(mode).log_scale - power * mode);
        let square = scale * scale * (1.0 + 1.0 / density.count);
        Self { shape, rate: shape * libm::exp(-mode), power, scale, square }
    }

    /// The logarithm of Gamma(shape + p) / Gamma(shape).
    fn log_ratio(&self, p: f64) -> f64 {
        libm::lgamma(self.shape + p) - libm::lgamma(self.shape)
    }

    /// J_p(s) = E\[mu^p e^(-mu s)\].
    pub(crate) fn at(&self, p: f64, s: f64) -> f64 {
        let log = p * libm::log(self.rate) + (self.shape + p) * libm::log1p(s / self.rate);
        libm::exp(self.log_ratio(p) - log)
    }

    /// E\[mu^(p - 1) (e^(-mu from) - e^(-mu to))\], the integral of J_p.
    pub(crate) fn between(&self, p: f64, from: f64, to: f64) -> f64 {
        let over = self.shape + p - 1.0;
        let start = libm::log1p(from / self.rate);
        let width = libm::log1p(to / self.rate) - start;
        let first = libm::exp(self.log_ratio(p) + (1.0 - p) * libm::log(self.rate) - over * start);
        if (over * width).abs() < 1e-12 {
            return first * width;
        }
        first * -libm::expm1(-over * width) / over
    }

    /// E\[mu^(p - 2) e^(-mu from) (1 - e^(-mu n))^2\], the second difference of the double integral
    /// of J_p.
    pub(crate) fn twice(&self, p: f64, from: f64, n: f64) -> f64 {
        let over = self.shape + p;
        let start = self.rate + from;
        if n * (over + 2.0) / start < 1e-3 {
            return n * n * self.at(p, from + n);
        }
        let log = (2.0 - p) * libm::log(self.rate) + (2.0 - over) * libm::log1p(from / self.rate);
        let integral = |steps: f64| {
            let ratio = 1.0 + steps * n / start;
            if (over - 1.0).abs() < 1e-7 {
                return ratio * libm::log(ratio) - ratio;
            }
            if (over - 2.0).abs() < 1e-7 {
                return -libm::log(ratio);
            }
            libm::pow(ratio, 2.0 - over) / ((1.0 - over) * (2.0 - over))
        };
        libm::exp(self.log_ratio(p) + log) * (integral(0.0) - 2.0 * integral(1.0) + integral(2.0))
    }
}
