//! The likelihood of a deployment's history under a prior, with the deployment's own parameters integrated out.
//!
//! The paper fits each deployment first and then the population to these fits (Appendix B), which needs a guess for
//! every deployment that never scaled out. The marginal likelihood needs none: a history with little information has
//! little weight. Terms that do not depend on any parameter are omitted.

use super::history::History;
use crate::density::Density;
use crate::gamma::Gamma;
use crate::line::Line;
use crate::prior::Prior;
use crate::seen::Seen;

/// Nodes over which mu is integrated out.
const NODES: usize = 24;

/// Of the sizes of its requests, which are negative binomial.
pub(super) fn sizes(size: &Gamma, seen: &Seen) -> f64 {
    counts(size, seen.extra, seen.requests)
}

/// Of its deaths and its stop, whatever its scale-outs. A maximum lifetime that was not reached is censored at the
/// observed time.
pub(super) fn deaths(death: &Gamma, stop: f64, history: &History) -> f64 {
    let (seen, stops) = (&history.seen, stops(history));
    log_stops(stop, history) + counts(death, seen.deaths + stops, seen.exposure + stop * seen.hours)
}

/// Of its scale-outs, if their rate is independent of the death rate.
pub(super) fn scale_outs(scale_out: &Gamma, seen: &Seen) -> f64 {
    counts(scale_out, seen.scale_outs, seen.hours)
}

/// Of its deaths, its stop and its scale-outs together.
pub(super) fn together(prior: &Prior, history: &History) -> f64 {
    let stops = stops(history);
    let seen = Seen { deaths: history.seen.deaths + stops, ..history.seen };
    let density = Density::new(prior, &seen);
    let line = Line::of_density(&density);
    let area: f64 = line.points(&density, NODES).map(|(point, share)| share * libm::exp(point.height)).sum();
    let Prior { death, scale_out, .. } = prior;
    log_stops(prior.stop, history)
        + norm(death)
        + norm(scale_out)
        + libm::lgamma(scale_out.shape + seen.scale_outs)
        + line.top
        + libm::log(area)
}

fn stops(history: &History) -> f64 {
    if history.stopped { 1.0 } else { 0.0 }
}

/// The term for an observed stop; and for an end that may have been a death or a stop, whose rates add up.
fn log_stops(stop: f64, history: &History) -> f64 {
    match (history.stopped, history.alone) {
        (true, _) => libm::log(stop),
        (false, true) => libm::log1p(stop),
        (false, false) => 0.0,
    }
}

/// The logarithm of the factor of a Gamma density.
fn norm(gamma: &Gamma) -> f64 {
    gamma.shape * libm::log(gamma.rate) - libm::lgamma(gamma.shape)
}

/// Of this many Poisson events in this exposure.
fn counts(gamma: &Gamma, count: f64, exposure: f64) -> f64 {
    let after = gamma.updated(count, exposure);
    norm(gamma) - norm(&after)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIOR: Prior = Prior {
        death: Gamma { shape: 0.6, rate: 3.0 },
        scale_out: Gamma { shape: 0.9, rate: 5.0 },
        size: Gamma { shape: 0.5, rate: 0.4 },
        stop: 0.2,
        power: 0.0,
    };

    fn history(deaths: f64, scale_outs: f64, stopped: bool) -> History {
        let seen =
            Seen { deaths, exposure: 12.0, scale_outs, hours: 7.0, extra: 4.0, requests: 3.0, ..Seen::default() };
        History { seen, stopped, ..History::default() }
    }

    #[test]
    fn sizes_are_negative_binomial() {
        // One request of 1, 2, 3, ... cores: the probabilities, whose terms by size are e!, sum to 1.
        let chance = |extra: f64| {
            let seen = Seen { extra, requests: 1.0, ..Seen::default() };
            libm::exp(sizes(&PRIOR.size, &seen) - libm::lgamma(extra + 1.0))
        };
        let sum: f64 = (0..400).map(|extra| chance(f64::from(extra))).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    }

    #[test]
    fn without_a_power_law_deaths_and_scale_outs_are_apart() {
        for (deaths, scale_outs, stopped) in [(0.0, 0.0, false), (3.0, 2.0, false), (1.0, 5.0, true)] {
            let history = history(deaths, scale_outs, stopped);
            let apart =
                super::deaths(&PRIOR.death, PRIOR.stop, &history) + super::scale_outs(&PRIOR.scale_out, &history.seen);
            let together = together(&PRIOR, &history);
            assert!((together - apart).abs() < 1e-4, "{together} {apart}: {history:?}");
        }
    }

    #[test]
    fn with_a_power_law_it_is_the_sum_over_death_rates() {
        let prior = Prior { power: 0.7, ..PRIOR };
        let history = history(2.0, 3.0, true);
        let Seen { deaths, exposure, scale_outs, hours, .. } = history.seen;
        // The integral over log mu, with every factor of the model.
        let part = |step: i32| {
            let x = f64::from(step) * 0.01;
            let mu = libm::exp(x);
            let density = norm(&prior.death) + prior.death.shape * x - prior.death.rate * mu;
            let dies = deaths * x - mu * exposure;
            let stops = libm::log(prior.stop * mu) - prior.stop * mu * hours;
            let growth =
                scale_outs * prior.power * x + counts(&prior.scale_out, scale_outs, hours * libm::pow(mu, 0.7));
            0.01 * libm::exp(density + dies + stops + growth)
        };
        let expected = libm::log((-3_000..500).map(part).sum());
        assert!((together(&prior, &history) - expected).abs() < 1e-4);
    }
}
