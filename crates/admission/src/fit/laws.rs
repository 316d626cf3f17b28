//! Distributions that a fitted prior implies for a deployment: the sizes of requests, lifetimes, and the time to the
//! first scale-out.

use alloc::vec::Vec;

use crate::density::Density;
use crate::line::Line;
use crate::prior::{Deaths, Model};
use crate::seen::Seen;

/// The largest request in the comparison, in cores.
const CORES_MOST: f64 = 100_000.0;

/// Shares of requests by size: the share of those of at most 0, 1, 2, ... cores.
pub(super) struct SizeLaw {
    shares: Vec<f64>,
}

impl SizeLaw {
    /// Up to this size.
    pub(super) fn new(model: &Model, most: f64) -> Self {
        let size = model.prior.size;
        let mut chance = libm::exp(-size.shape * libm::log1p(1.0 / size.rate));
        let mut shares = alloc::vec![0.0, chance];
        for extra in 0..most.clamp(1.0, CORES_MOST) as u32 - 1 {
            let extra = f64::from(extra);
            chance *= (size.shape + extra) / ((extra + 1.0) * (size.rate + 1.0));
            shares.push(shares[shares.len() - 1] + chance);
        }
        Self { shares }
    }

    /// The share of requests of at most this many cores.
    pub(super) fn up_to(&self, cores: f64) -> f64 {
        let place = cores.max(0.0) as usize;
        self.shares.get(place).or(self.shares.last()).copied().unwrap_or(0.0)
    }
}

/// The share of lifetimes of a core (or block) up to this length, including ends by a whole stop.
pub(super) fn life_up_to(model: &Model, hours: f64) -> f64 {
    let (death, stop) = (model.prior.death, model.prior.stop);
    -libm::expm1(-death.shape * libm::log1p((1.0 + stop) * hours / death.rate))
}

/// The share of deployments that have scaled out by some time, while they still had a core.
pub(super) struct ScaleOutLaw {
    /// Logarithms of hours, at equal steps from `FIRST_HOURS` on.
    shares: Vec<f64>,
    step: f64,
}

const FIRST_HOURS: f64 = 1e-4;
const STEPS: u32 = 240;
const NODES: usize = 96;

impl ScaleOutLaw {
    /// Up to this time, for deployments that start with these numbers of cores.
    pub(super) fn new(model: &Model, first_cores: &[f64], most_hours: f64) -> Self {
        let step = libm::log(most_hours.max(2.0 * FIRST_HOURS) / FIRST_HOURS) / f64::from(STEPS);
        let density = Density::new(&model.prior, &Seen::default());
        let line = Line::of_density(&density);
        let nodes: Vec<(f64, f64, f64)> = line
            .points(&density, NODES)
            .map(|(point, share)| (share * libm::exp(point.height), point.mu, libm::exp(point.log_scale)))
            .collect();
        let sum: f64 = nodes.iter().map(|node| node.0).sum();
        // Scale-outs per hour at this time after the start of a deployment: E[lambda e^(-lambda u)] of those that
        // still exist.
        let flow = |hours: f64| {
            let count = density.count;
            let part = |(weight, mu, scale): &(f64, f64, f64)| {
                let unasked = libm::exp(-(count + 1.0) * libm::log1p(scale * hours));
                weight * count * scale * unasked * there(model, first_cores, mu * hours)
            };
            nodes.iter().map(part).sum::<f64>() / sum
        };
        let hours = |place: u32| FIRST_HOURS * libm::exp(step * f64::from(place));
        let mut shares = alloc::vec![flow(0.0) * FIRST_HOURS];
        let mut earlier = hours(0) * flow(hours(0));
        for place in 1..=STEPS {
            let later = hours(place) * flow(hours(place));
            shares.push(shares[shares.len() - 1] + step * (earlier + later) / 2.0);
            earlier = later;
        }
        Self { shares, step }
    }

    /// The share by this time.
    pub(super) fn up_to(&self, hours: f64) -> f64 {
        let place = (libm::log(hours.max(1e-300) / FIRST_HOURS) / self.step).clamp(0.0, f64::from(STEPS));
        let (floor, part) = (place as usize, place - libm::floor(place));
        let next = self.shares[(floor + 1).min(STEPS as usize)];
        self.shares[floor] + part * (next - self.shares[floor])
    }
}

/// The probability that a deployment still has a core, and has not stopped, after this many mean lifetimes.
fn there(model: &Model, first_cores: &[f64], lives: f64) -> f64 {
    let stays = libm::exp(-model.prior.stop * lives);
    let dead = -libm::expm1(-lives);
    match model.deaths {
        Deaths::Blocks => stays * (1.0 - dead),
        Deaths::Cores => {
            let one = |cores: &f64| 1.0 - libm::pow(dead, *cores);
            stays * first_cores.iter().map(one).sum::<f64>() / first_cores.len().max(1) as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gamma::Gamma;
    use crate::prior::{Prior, Stop};

    const MODEL: Model = Model {
        prior: Prior {
            death: Gamma { shape: 2e6, rate: 1e7 },
            scale_out: Gamma { shape: 3e6, rate: 1e7 },
            size: Gamma { shape: 0.5, rate: 0.4 },
            stop: 0.5,
            power: 0.0,
        },
        deaths: Deaths::Blocks,
        stop: Stop::Hard,
    };

    #[test]
    fn sizes_add_up_to_all_and_have_their_mean() {
        let law = SizeLaw::new(&MODEL, 400.0);
        assert!(law.up_to(0.0) == 0.0 && (law.up_to(400.0) - 1.0).abs() < 1e-9);
        let mean: f64 = (0..400).map(|cores| 1.0 - law.up_to(f64::from(cores))).sum();
        assert!((mean - 2.25).abs() < 1e-6, "{mean}");
    }

    #[test]
    fn known_rates_compete() {
        // Per hour, deaths 0.2, stops 0.1, scale-outs 0.3: half of the first events are scale-outs.
        let law = ScaleOutLaw::new(&MODEL, &[], 400.0);
        for hours in [0.01, 1.0, 5.0, 100.0] {
            let expected = 0.5 * -libm::expm1(-0.6 * hours);
            assert!((law.up_to(hours) - expected).abs() < 1e-3, "{hours} h: {} {expected}", law.up_to(hours));
        }
        assert!((life_up_to(&MODEL, 2.0) + libm::expm1(-0.6)).abs() < 1e-6);
        // One core is its own block.
        let cores = ScaleOutLaw::new(&Model { deaths: Deaths::Cores, ..MODEL }, &[1.0], 400.0);
        assert!((cores.up_to(5.0) - law.up_to(5.0)).abs() < 1e-9);
        let several = ScaleOutLaw::new(&Model { deaths: Deaths::Cores, ..MODEL }, &[1.0, 9.0], 400.0);
        assert!(law.up_to(50.0) + 0.02 < several.up_to(50.0));
    }
}
