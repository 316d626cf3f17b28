//! Finds the prior under which the deployments of a workload are most likely.
//!
//! Source: the paper's Appendix B, by another method: the likelihood of the whole population, which needs no guess
//! for deployments with few events. The fit has stages, each a simplex search: sizes; deaths and stops; scale-outs as
//! if they were independent of deaths; and from there deaths, stops, scale-outs and the power law together. The
//! result is compared with the observations ([`agreement`]), and its limits are listed ([`doubt`]).

pub mod agreement;
pub mod doubt;
pub mod history;
mod laws;
mod likelihood;
mod result;
mod search;

use alloc::vec::Vec;
use core::fmt;

use tiebreak_model::{Phrase, phrase};

use crate::gamma::Gamma;
use crate::prior::{Deaths, Model, Prior, Stop};

pub use agreement::{Agreement, AgreementPoint};
pub use doubt::Doubt;
pub use history::{Histories, History, histories};
pub use result::{Counts, Fitted};
use search::Search;

/// The most deployments that a fit uses: more make it slower and hardly more certain.
pub const DEPLOYMENTS_MOST: u32 = 4_000;

/// Why nothing can be fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitFault {
    /// No deployment started during the trace.
    NoDeployments {
        /// The number that existed when it began.
        begun_before: u32,
    },
    /// Nothing was observed to end.
    NoDeaths {
        /// The number of observed deployments.
        deployments: u32,
    },
}

impl FitFault {
    /// The message.
    #[must_use]
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::NoDeployments { begun_before } => phrase!(
                "expected deployments that arrive during the trace, got only {begun_before} that were running at its \
                 start; use a longer trace",
                begun_before
            ),
            Self::NoDeaths { deployments } => phrase!(
                "expected VMs that end within the trace, got none of {deployments} deployments; use a longer trace",
                deployments
            ),
        }
    }
}

impl fmt::Display for FitFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase().fmt(f)
    }
}

impl core::error::Error for FitFault {}

/// The current search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FitStage {
    Sizes,
    Deaths,
    ScaleOuts,
    Together,
    Done,
}

/// A running fit.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Those in use.
    histories: Vec<History>,
    counts: Counts,
    trace_hours: f64,
    deaths: Deaths,
    /// The best so far.
    prior: Prior,
    stage: FitStage,
    search: Search,
    /// The sum so far over the first of the histories, at the requested point of the search.
    sum: f64,
    next: u32,
    /// The log-likelihoods of sizes, and of all else.
    likelihoods: [f64; 2],
    /// Whether a search was stopped early.
    cut: bool,
}

/// The range of shapes: beyond, a Gamma is almost certain, or almost always 0.
const SHAPES: [f64; 2] = [1e-3, 1e4];
/// The range of means, per hour or in cores.
const MEANS: [f64; 2] = [1e-9, 1e6];
/// The range of whole-stop factors.
const STOPS: [f64; 2] = [1e-6, 1e3];
/// The range of powers.
const POWERS: [f64; 2] = [-2.0, 3.0];

/// Histories between two checks of the budget.
const SLICE: u32 = 64;

impl Fit {
    /// Starts a fit of the deployments of a workload; `deaths` must be the same as for [`histories`].
    ///
    /// # Errors
    /// If no deployment started during the trace, or nothing ended.
    pub fn new(found: &Histories, deaths: Deaths) -> Result<Self, FitFault> {
        let deployments = found.each.len() as u32;
        if deployments == 0 {
            return Err(FitFault::NoDeployments { begun_before: found.begun_before });
        }
        let every = deployments.div_ceil(DEPLOYMENTS_MOST);
        let histories: Vec<History> = found.each.iter().step_by(every as usize).copied().collect();
        let counts = Counts::of(found, &histories);
        if counts.deaths + f64::from(counts.stopped) == 0.0 {
            return Err(FitFault::NoDeaths { deployments });
        }
        let prior = guess(&histories);
        let (start, widths) = ([0.0], [0.0]);
        let mut fit = Self {
            histories,
            counts,
            trace_hours: found.trace_hours,
            deaths,
            prior,
            stage: FitStage::Sizes,
            search: Search::new(&start, &widths, 0),
            sum: 0.0,
            next: 0,
            likelihoods: [0.0; 2],
            cut: false,
        };
        fit.begin(FitStage::Sizes);
        Ok(fit)
    }

    /// Works for about `budget` microseconds of a current computer, counted and not measured; returns true when all
    /// is done. In total it takes some 10 s for thousands of deployments.
    pub fn work(&mut self, budget: u32) -> bool {
        let mut spent = 0_u32;
        while spent < budget && self.stage != FitStage::Done {
            spent = spent.saturating_add(self.slice());
        }
        self.stage == FitStage::Done
    }

    /// Its progress, 0 to 1, if every search takes its maximum.
    #[must_use]
    pub fn share_done(&self) -> f32 {
        let part = self.search.values() as f32 / values_most(self.stage).max(1) as f32;
        match self.stage {
            FitStage::Sizes => 0.03 * part,
            FitStage::Deaths => 0.03 + 0.03 * part,
            FitStage::ScaleOuts => 0.06 + 0.03 * part,
            FitStage::Together => 0.09 + 0.91 * part,
            FitStage::Done => 1.0,
        }
    }

    /// The result. Does the remaining work now.
    #[must_use]
    pub fn result(mut self) -> Fitted {
        while !self.work(u32::MAX) {}
        result::fitted(&self)
    }

    /// A small part of the current stage; returns its approximate cost in microseconds.
    fn slice(&mut self) -> u32 {
        let Some(point) = self.search.asks() else {
            self.end_stage();
            return 1;
        };
        let Some(prior) = self.prior_at(point) else {
            self.search.tell(f64::NEG_INFINITY);
            return 1;
        };
        let until = (self.next + SLICE).min(self.histories.len() as u32);
        let those = &self.histories[self.next as usize..until as usize];
        let stage = self.stage;
        self.sum += those.iter().map(|history| term(stage, &prior, history)).sum::<f64>();
        let spent = (until - self.next) * if stage == FitStage::Together { 7 } else { 1 };
        self.next = until;
        if until as usize == self.histories.len() {
            self.search.tell(self.sum);
            (self.sum, self.next) = (0.0, 0);
        }
        spent
    }

    /// The prior for a point of the current search, if it is within bounds.
    fn prior_at(&self, point: &[f64]) -> Option<Prior> {
        let mut prior = self.prior;
        match self.stage {
            FitStage::Sizes => prior.size = gamma(point[0], point[1])?,
            FitStage::Deaths => {
                prior.death = gamma(point[0], point[1])?;
                prior.stop = stop(point.get(2))?;
            }
            FitStage::ScaleOuts => prior.scale_out = gamma(point[0], point[1])?,
            FitStage::Together => {
                prior.death = gamma(point[0], point[1])?;
                prior.power = Some(point[4]).filter(|power| (POWERS[0]..=POWERS[1]).contains(power))?;
                prior.scale_out = gamma(point[2] - prior.power * self.middle(), point[3])?;
                prior.stop = stop(point.get(5))?;
            }
            FitStage::Done => {}
        }
        let model = Model { prior, deaths: self.deaths, stop: Stop::Hard };
        model.check().is_ok().then_some(prior)
    }

    /// The log mu at which scale-out rates are compared while the power is searched, so that the power does not shift
    /// all rates: that of the observed deaths over all observed time.
    fn middle(&self) -> f64 {
        let exposure: f64 = self.histories.iter().map(|history| history.seen.exposure).sum();
        libm::log((self.counts.deaths + f64::from(self.counts.stopped)) / exposure)
    }

    fn begin(&mut self, stage: FitStage) {
        let Prior { death, scale_out, size, stop, power } = self.prior;
        let log = |gamma: Gamma| [libm::log(gamma.mean()), libm::log(gamma.shape)];
        let mut start = Vec::new();
        match stage {
            FitStage::Sizes => start.extend(log(size)),
            FitStage::Deaths => start.extend(log(death)),
            FitStage::ScaleOuts => start.extend(log(scale_out)),
            FitStage::Together => {
                start.extend(log(death));
                let [mean, shape] = log(scale_out);
                start.extend([mean + power * self.middle(), shape, power]);
            }
            FitStage::Done => {}
        }
        if matches!(stage, FitStage::Deaths | FitStage::Together) && self.counts.stopped > 0 {
            start.push(libm::log(stop));
        }
        let width = if stage == FitStage::Together { 0.25 } else { 0.7 };
        let widths: Vec<f64> = start.iter().map(|_| width).collect();
        self.search = Search::new(&start, &widths, values_most(stage));
        self.stage = stage;
    }

    /// Keeps the result of the search, and starts the next stage for which there is data.
    fn end_stage(&mut self) {
        let (point, value) = self.search.best();
        if value.is_finite() {
            self.prior = self.prior_at(point).unwrap_or(self.prior);
            self.likelihoods[usize::from(self.stage != FitStage::Sizes)] = value;
        }
        self.cut |= self.search.was_cut();
        let next = match self.stage {
            FitStage::Sizes => FitStage::Deaths,
            FitStage::Deaths if self.counts.scale_outs > 0 => FitStage::ScaleOuts,
            FitStage::ScaleOuts => FitStage::Together,
            FitStage::Deaths | FitStage::Together | FitStage::Done => FitStage::Done,
        };
        if next == FitStage::Done {
            self.stage = next;
        } else {
            self.begin(next);
        }
    }
}

fn values_most(stage: FitStage) -> u32 {
    match stage {
        FitStage::Sizes | FitStage::ScaleOuts => 200,
        FitStage::Deaths => 400,
        FitStage::Together => 1_000,
        FitStage::Done => 0,
    }
}

fn term(stage: FitStage, prior: &Prior, history: &History) -> f64 {
    match stage {
        FitStage::Sizes => likelihood::sizes(&prior.size, &history.seen),
        FitStage::Deaths => likelihood::deaths(&prior.death, prior.stop, history),
        FitStage::ScaleOuts => likelihood::scale_outs(&prior.scale_out, &history.seen),
        FitStage::Together | FitStage::Done => likelihood::together(prior, history),
    }
}

/// A Gamma from the logarithms of its mean and its shape, if both are within bounds.
fn gamma(log_mean: f64, log_shape: f64) -> Option<Gamma> {
    let (mean, shape) = (libm::exp(log_mean), libm::exp(log_shape));
    let within = |bounds: [f64; 2], number: f64| (bounds[0]..=bounds[1]).contains(&number);
    (within(MEANS, mean) && within(SHAPES, shape)).then_some(Gamma { shape, rate: shape / mean })
}

/// The whole-stop factor from its logarithm, if it is within bounds; 0 if no stop was observed.
fn stop(log: Option<&f64>) -> Option<f64> {
    let factor = log.map_or(0.0, |log| libm::exp(*log));
    (log.is_none() || (STOPS[0]..=STOPS[1]).contains(&factor)).then_some(factor)
}

/// The start of the searches: shapes of one half, and means of all observations. For a kind of event without
/// observations, half an event is assumed.
fn guess(histories: &[History]) -> Prior {
    let sum = |of: fn(&History) -> f64| histories.iter().map(of).sum::<f64>();
    let spread = |events: f64, exposure: f64| {
        let mean = (events.max(0.5) / exposure).clamp(10.0 * MEANS[0], MEANS[1] / 10.0);
        Gamma { shape: 0.5, rate: 0.5 / mean }
    };
    let stops = sum(|history| if history.stopped { 1.0 } else { 0.0 });
    let deaths = sum(|history| history.seen.deaths) + stops;
    Prior {
        death: spread(deaths, sum(|history| history.seen.exposure)),
        scale_out: spread(sum(|history| history.seen.scale_outs), sum(|history| history.seen.hours)),
        size: spread(sum(|history| history.seen.extra), sum(|history| history.seen.requests)),
        stop: if stops > 0.0 { 0.1 } else { 0.0 },
        power: 0.0,
    }
}
