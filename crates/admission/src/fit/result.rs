//! The result of a fit, its agreement with the observations, and its limits.

use alloc::vec::Vec;

use super::agreement::{Agreement, WatchEnd, agreement};
use super::doubt::Doubt;
use super::history::{Histories, History};
use super::laws::{ScaleOutLaw, SizeLaw, life_up_to};
use super::{Fit, SHAPES};
use crate::prior::{Deaths, Model, Prior, Stop};

/// The data that a fit used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Deployments that started during the trace.
    pub deployments: u32,
    /// Those of them that the fit used; the following counts are for these.
    pub used: u32,
    /// Deployments left out because they existed when it began.
    pub begun_before: u32,
    /// Those that outlived the trace.
    pub censored: u32,
    /// Those that stopped as a whole.
    pub stopped: u32,
    /// Cores (or blocks) that ended one by one.
    pub deaths: f64,
    /// Scale-outs.
    pub scale_outs: u32,
    /// Deployments that scaled out.
    pub scaled_out: u32,
    /// Requests whose sizes were fitted.
    pub requests: u32,
    /// Lifetimes too short for the trace's resolution, over all deployments.
    pub short_lives: u32,
}

impl Counts {
    pub(super) fn of(found: &Histories, used: &[History]) -> Self {
        let count = |claim: fn(&History) -> bool| used.iter().filter(|history| claim(history)).count() as u32;
        let sum = |of: fn(&History) -> f64| used.iter().map(of).sum::<f64>();
        Self {
            deployments: found.each.len() as u32,
            used: used.len() as u32,
            begun_before: found.begun_before,
            censored: count(|history| !history.over),
            stopped: count(|history| history.stopped),
            deaths: sum(|history| history.seen.deaths),
            scale_outs: sum(|history| history.seen.scale_outs) as u32,
            scaled_out: count(|history| history.seen.scale_outs > 0.0),
            requests: sum(|history| history.seen.requests) as u32,
            short_lives: found.short_lives,
        }
    }
}

/// The result of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The prior under which the deployments are most likely.
    pub prior: Prior,
    /// The unit that ends at rate mu.
    pub deaths: Deaths,
    /// The log-likelihood, without terms that do not depend on any parameter. Larger is better, but only for the same
    /// deployments.
    pub log_likelihood: f64,
    /// What was used.
    pub counts: Counts,
    /// Sizes of the first requests, in cores.
    pub sizes: Option<Agreement>,
    /// Lifetimes of the first core (or block) of each deployment, in hours.
    pub lives: Option<Agreement>,
    /// Times of first scale-outs, in hours since the deployment's start. Deployments that ended before never scale
    /// out, so the share stays below 1.
    pub first_scale_outs: Option<Agreement>,
    /// The questions that the data leave open.
    pub cannot_say: Vec<Doubt>,
}

/// The number of initial sizes over which the curve of first scale-outs is averaged.
const SIZES: usize = 32;

pub(super) fn fitted(fit: &Fit) -> Fitted {
    let model = Model { prior: fit.prior, deaths: fit.deaths, stop: Stop::Hard };
    Fitted {
        prior: fit.prior,
        deaths: fit.deaths,
        log_likelihood: fit.likelihoods.iter().sum(),
        counts: fit.counts,
        sizes: sizes(&model, &fit.histories),
        lives: lives(&model, &fit.histories),
        first_scale_outs: first_scale_outs(&model, &fit.histories),
        cannot_say: doubts(fit),
    }
}

fn sizes(model: &Model, histories: &[History]) -> Option<Agreement> {
    let watched: Vec<_> = histories.iter().map(|history| (history.first_cores, WatchEnd::Event)).collect();
    let law = SizeLaw::new(model, watched.iter().map(|one| one.0).fold(1.0, f64::max));
    agreement(watched, |cores| law.up_to(cores), |cores| law.up_to(cores - 1.0))
}

fn lives(model: &Model, histories: &[History]) -> Option<Agreement> {
    let outcome = |history: &History| if history.first_life_over { WatchEnd::Event } else { WatchEnd::Censored };
    let watched = histories.iter().map(|history| (history.first_life_hours, outcome(history))).collect();
    agreement(watched, |hours| life_up_to(model, hours), |hours| life_up_to(model, hours))
}

fn first_scale_outs(model: &Model, histories: &[History]) -> Option<Agreement> {
    let outcome = |history: &History| match history.over {
        _ if history.seen.scale_outs > 0.0 => WatchEnd::Event,
        true => WatchEnd::Other,
        false => WatchEnd::Censored,
    };
    let watched: Vec<_> = histories.iter().map(|history| (history.first_wait_hours, outcome(history))).collect();
    let most = watched.iter().map(|one| one.0).fold(0.0, f64::max);
    let every = histories.len().div_ceil(SIZES);
    let first_cores: Vec<f64> = histories.iter().step_by(every).map(|history| history.first_cores).collect();
    let law = ScaleOutLaw::new(model, &first_cores, most);
    agreement(watched, |hours| law.up_to(hours), |hours| law.up_to(hours))
}

fn doubts(fit: &Fit) -> Vec<Doubt> {
    let Counts { deployments, used, censored, stopped, scale_outs, scaled_out, short_lives, .. } = fit.counts;
    let Prior { death, scale_out, size, .. } = fit.prior;
    let at_edge = |shape: f64| !(1.1 * SHAPES[0]..=0.9 * SHAPES[1]).contains(&shape);
    let few = scale_outs < Doubt::SCALE_OUTS_LEAST || 2 * scaled_out < Doubt::SCALE_OUTS_LEAST;
    let mut doubts = Vec::new();
    let mut say = |holds: bool, doubt: Doubt| {
        if holds {
            doubts.push(doubt);
        }
    };
    say(used < Doubt::DEPLOYMENTS_LEAST, Doubt::FewDeployments { deployments: used });
    say(scale_outs == 0, Doubt::NoScaleOuts);
    say(scale_outs > 0 && few, Doubt::FewScaleOuts { scale_outs, deployments: scaled_out });
    say(fit.histories.iter().all(|history| history.seen.extra <= 0.0), Doubt::OneCore);
    say(stopped == 0, Doubt::NoStops { below: stops_below(fit) });
    say(stopped > 0, Doubt::StopsOnlyBound { stops: stopped, deployments: used });
    say(used < 4 * censored, Doubt::Censored { censored, deployments: used });
    say(short_lives > 0, Doubt::ShortLives { lives: short_lives });
    say(used < deployments, Doubt::Subset { used, deployments });
    say(fit.cut, Doubt::Unfinished);
    say([death.shape, scale_out.shape, size.shape].into_iter().any(at_edge), Doubt::Edge);
    say(true, Doubt::Horizon { hours: fit.trace_hours });
    say(true, Doubt::Sample);
    doubts
}

/// The whole-stop factor at which the probability of no stop in all observed core lifetimes is 5 %.
fn stops_below(fit: &Fit) -> f64 {
    let lives = |history: &History| {
        let seen = &history.seen;
        fit.prior.death.updated(seen.deaths, seen.exposure).mean() * seen.hours
    };
    -libm::log(0.05) / fit.histories.iter().map(lives).sum::<f64>()
}
