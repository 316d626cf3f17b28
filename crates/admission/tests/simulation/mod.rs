//! Simulates the model event by event and lifetime by lifetime, without any of the formulas: the behaviour of
//! deployments drawn from a prior, and the error of forecasts.

use rand_core::{Rng, SeedableRng};
use rand_distr::{Distribution, Exp1, Gamma as Draws, Poisson, StandardUniform};
use rand_xoshiro::Xoshiro256PlusPlus;
use tiebreak_admission::{Belief, Deaths, Gamma, Model, Moments, Prior, Seen, Stop};

/// The parameters of one deployment.
#[derive(Clone, Copy, Debug)]
struct Truth {
    mu: f64,
    lambda: f64,
    sigma: f64,
}

/// A prior, the observations of one deployment, and the horizon.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    pub(crate) model: Model,
    pub(crate) seen: Seen,
    /// Sizes of the units that end: single cores, or blocks.
    units: Vec<f64>,
    pub(crate) hours: f64,
}

/// The error of a forecast compared with the simulation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    pub(crate) forecast: f64,
    pub(crate) simulated: f64,
    /// Standard error of `simulated`.
    pub(crate) noise: f64,
}

impl Gap {
    /// Relative to the forecast.
    pub(crate) fn error(&self) -> f64 {
        (self.simulated / self.forecast - 1.0).abs()
    }

    /// In standard errors.
    pub(crate) fn z(&self) -> f64 {
        (self.simulated - self.forecast) / self.noise
    }

    /// Off by more than 1 % and by more than chance explains.
    pub(crate) fn is_wrong(&self) -> bool {
        0.01 < self.error() && 4.5 < self.z().abs()
    }
}

/// The random source of one trial.
pub(crate) struct Luck(Xoshiro256PlusPlus);

impl Luck {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    fn share(&mut self) -> f64 {
        StandardUniform.sample(&mut self.0)
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.share()
    }

    fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[(self.0.next_u64() % of.len() as u64) as usize]
    }

    /// A waiting time for events at this rate.
    fn wait(&mut self, rate: f64) -> f64 {
        let wait: f64 = Exp1.sample(&mut self.0);
        wait / rate
    }

    fn gamma(&mut self, gamma: &Gamma) -> f64 {
        Draws::new(gamma.shape, 1.0 / gamma.rate).expect("a shape and a scale above 0").sample(&mut self.0)
    }

    fn size(&mut self, sigma: f64) -> f64 {
        1.0 + Poisson::new(sigma).map_or(0.0, |sizes| sizes.sample(&mut self.0))
    }

    fn truth(&mut self, prior: &Prior) -> Truth {
        let mu = self.gamma(&prior.death);
        let lambda = self.gamma(&prior.scale_out) * mu.powf(prior.power);
        Truth { mu, lambda, sigma: self.gamma(&prior.size) }
    }
}

/// A random prior from a wide range, and the history of one of its deployments; with `fresh`, only its first request
/// was observed.
pub(crate) fn trial(luck: &mut Luck, fresh: bool) -> Trial {
    let power = luck.between(-0.3, 1.0);
    // With four times a negative power the fourth moment, and so the noise, stays finite.
    let death_shape = luck.between(0.5, 3.0) + (-4.0 * power).max(0.0);
    let mean_death = luck.between(0.02, 0.3);
    let scale_shape = luck.between(0.5, 3.0);
    let mean_scale = luck.between(0.02, 0.3) / mean_death.powf(power);
    let size_shape = luck.between(0.4, 3.0);
    let mean_size = luck.between(0.1, 4.0);
    let prior = Prior {
        death: Gamma { shape: death_shape, rate: death_shape / mean_death },
        scale_out: Gamma { shape: scale_shape, rate: scale_shape / mean_scale },
        size: Gamma { shape: size_shape, rate: size_shape / mean_size },
        stop: luck.one_of(&[0.0, 0.05, 0.1, 0.3, 0.7, 1.0]),
        power,
    };
    let deaths = luck.one_of(&[Deaths::Cores, Deaths::Blocks]);
    let model = Model { prior, deaths, stop: luck.one_of(&[Stop::Hard, Stop::Soft]) };
    let hours = luck.one_of(&[0.5, 2.0, 8.0, 24.0, 60.0]);
    let watched = if fresh { 0.0 } else { luck.between(1.0, 15.0) };
    loop {
        let truth = luck.truth(&prior);
        if let Some((seen, units)) = history(luck, &model, truth, watched) {
            return Trial { model, seen, units, hours };
        }
    }
}

fn units_of(cores: f64, deaths: Deaths) -> Vec<f64> {
    match deaths {
        Deaths::Cores => vec![1.0; cores as usize],
        Deaths::Blocks => vec![cores],
    }
}

/// The first hours of a deployment; `None` if it stops as a whole, or does so much that hardly any draw from the
/// prior would match.
fn history(luck: &mut Luck, model: &Model, truth: Truth, hours: f64) -> Option<(Seen, Vec<f64>)> {
    let Model { deaths, prior, .. } = *model;
    let first = luck.size(truth.sigma);
    let (mut seen, mut units) = (Seen::started(first), units_of(first, deaths));
    let stop = prior.stop * truth.mu;
    loop {
        let ends = units.len() as f64 * truth.mu;
        let wait = luck.wait(ends + truth.lambda + stop);
        let left = hours - seen.hours;
        seen.pass(wait.min(left), deaths);
        if left < wait {
            return (seen.cores < 60.0).then_some((seen, units));
        }
        let what = luck.share() * (ends + truth.lambda + stop);
        if what < ends {
            let unit = units.swap_remove((luck.share() * units.len() as f64) as usize);
            seen.death(unit, deaths);
        } else if what < ends + truth.lambda {
            let size = luck.size(truth.sigma);
            seen.scale_out(size, true);
            units.extend(units_of(size, deaths));
        } else {
            return None;
        }
        if 4.0 < seen.deaths || 3.0 < seen.scale_outs {
            return None;
        }
    }
}

impl Trial {
    /// Simulated cores after `hours` more.
    fn future(&self, luck: &mut Luck, truth: Truth) -> f64 {
        let stop = self.model.prior.stop * truth.mu;
        let until = if stop > 0.0 { luck.wait(stop) } else { f64::INFINITY };
        if self.model.stop == Stop::Hard && until <= self.hours {
            return 0.0;
        }
        let mut cores: f64 = self.units.iter().filter(|_| self.hours < luck.wait(truth.mu)).sum();
        let last = until.min(self.hours);
        let mut now = luck.wait(truth.lambda);
        while now < last {
            let size = luck.size(truth.sigma);
            cores += match self.model.deaths {
                Deaths::Cores => (0..size as u32).filter(|_| self.hours < now + luck.wait(truth.mu)).count() as f64,
                Deaths::Blocks if self.hours < now + luck.wait(truth.mu) => size,
                Deaths::Blocks => 0.0,
            };
            now += luck.wait(truth.lambda);
        }
        cores
    }

    /// A draw from the posterior by rejection: a draw from the prior, accepted with a probability proportional to the
    /// likelihood of the observations, relative to the most likely parameters. The accepted draws are exactly from
    /// the posterior.
    fn posterior(&self, luck: &mut Luck) -> Truth {
        let (seen, prior) = (&self.seen, &self.model.prior);
        let chance = |rate: f64, count: f64, exposure: f64| {
            if exposure <= 0.0 {
                return 1.0;
            }
            let ratio = rate * exposure;
            if count == 0.0 { (-ratio).exp() } else { ((ratio / count).ln() * count - (ratio - count)).exp() }
        };
        let (mu, lambda) = loop {
            let mu = luck.gamma(&prior.death);
            if chance(mu, seen.deaths, seen.exposure + prior.stop * seen.hours) <= luck.share() {
                continue;
            }
            let lambda = luck.gamma(&prior.scale_out) * mu.powf(prior.power);
            if luck.share() < chance(lambda, seen.scale_outs, seen.hours) {
                break (mu, lambda);
            }
        };
        loop {
            let sigma = luck.gamma(&prior.size);
            if luck.share() < chance(sigma, seen.extra, seen.requests) {
                return Truth { mu, lambda, sigma };
            }
        }
    }

    /// Mean and variance of the forecast compared with this many futures.
    pub(crate) fn gaps(&self, luck: &mut Luck, draws: u32) -> [Gap; 2] {
        let futures: Vec<f64> = (0..draws)
            .map(|_| {
                let truth = self.posterior(luck);
                self.future(luck, truth)
            })
            .collect();
        let count = f64::from(draws);
        let mean = futures.iter().sum::<f64>() / count;
        let power = |n: i32| futures.iter().map(|cores| (cores - mean).powi(n)).sum::<f64>() / count;
        let (variance, fourth) = (power(2), power(4));
        let mut forecast = Vec::new();
        Belief::new(&self.model, &self.seen, 200).moments(&self.seen, &[self.hours], &mut forecast);
        let Moments { mean: expected, variance: spread } = forecast[0];
        [
            Gap { forecast: expected, simulated: mean, noise: (variance / count).sqrt() },
            Gap {
                forecast: spread,
                simulated: variance,
                noise: ((fourth - variance * variance).max(0.0) / count).sqrt(),
            },
        ]
    }
}
