//! One cluster of deployments over years, to see what a policy admits and what that costs.
//!
//! There are no machines and no VMs: a deployment is a number of cores that grows and shrinks by the processes that
//! the policies believe in. Arrivals are a function of the seed, and each deployment has its own random generator, so
//! all policies see the same deployments. A scale-out without free capacity fails completely and counts against the
//! service level. Source: "On the cluster admission problem for cloud computing", sections 2.1, 5.2, 6 and 7.2.

use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Reverse;

use rand_core::{Rng, SeedableRng};
use rand_distr::{Distribution, Gamma as GammaLaw, Poisson};
use rand_xoshiro::Xoshiro256PlusPlus;
use tiebreak_admission::{Deaths, Gamma, Model, Seen, Stop};
use tiebreak_model::random::{Seed, Stream};
use tiebreak_model::{ClusterId, ClusterSpec, Fleet, Growth, Newcomer, Occupancy, Phrase, Resources, Scene, declare};
use tiebreak_placement::Policy;
use xxhash_rust::xxh3::xxh3_64;

use super::Terms;
use super::common::Recall;
use super::forecasts::{Forecasts, HOUR_MS};

declare! {
    /// A cluster over years: deployments arrive, are admitted or not by the admission rules of the list, grow and
    /// end. They are drawn from the beliefs that the rules use. (Cluster admission, section 5.2)
    pub struct ClusterYears as "Admission lab" {
        /// Cores of the cluster. A smaller cluster averages over fewer deployments. 20,000 in the paper.
        cores: u32 = 20000, 1 => 1000000, "cores";
        /// Simulated time; three years in the paper.
        years: f64 = 3, 0.001 => 20, "years";
        /// New deployments per hour on average, as a Poisson process. One per hour in the paper's appendix D.
        arrivals: f64 = 1, 0.0001 => 1000, "per hour";
        /// What the provider knows about each deployment at its arrival: this many observations of the lifetimes of
        /// its cores, the time between its scale-outs, and their size. (Section 6)
        observations: u32 = 0, 0 => 10000, "";
        /// Every user has two kinds of deployments. The provider knows both kinds, but not which of them arrives,
        /// because the user does not label it. (Section 7.2)
        unlabelled: bool = false, 0 => 1, "";
        /// A deployment without cores has ended, as in the paper. The beliefs assume that it may grow again, so
        /// they expect slightly too much of small deployments. (Section 4)
        ends_empty: bool = true, 0 => 1, "";
        /// Largest share of scale-outs that may fail over all runs: the target for tuning thresholds. The paper's
        /// value is not available.
        sla: f64 = 0.01, 0 => 100, "%";
    }
}

/// Hours of a year and of a month, as in the paper's appendix D.
pub(super) const YEAR_HOURS: f64 = 8_760.0;
pub(super) const MONTH_HOURS: f64 = 730.0;

impl ClusterYears {
    fn end_ms(&self) -> i64 {
        (self.years * YEAR_HOURS * HOUR_MS) as i64
    }
}

/// The results of a period.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    /// Its length in hours.
    pub hours: f64,
    /// Core-hours in use.
    pub core_hours: f64,
    /// Scale-outs requested.
    pub scale_outs: u64,
    /// Of these, those that failed.
    pub failed: u64,
    /// Deployments that requested admission.
    pub arrivals: u64,
    /// Of these, those admitted.
    pub admitted: u64,
}

impl Span {
    fn add(&mut self, other: &Self) {
        self.hours += other.hours;
        self.core_hours += other.core_hours;
        self.scale_outs += other.scale_outs;
        self.failed += other.failed;
        self.arrivals += other.arrivals;
        self.admitted += other.admitted;
    }

    /// The share of this many cores that was in use, 0 to 1.
    #[must_use]
    pub fn utilization(&self, cores: u32) -> f64 {
        if self.hours > 0.0 { self.core_hours / (self.hours * f64::from(cores)) } else { 0.0 }
    }

    /// The share of scale-outs that failed, 0 to 1; 0 if there were none.
    #[must_use]
    pub fn failed_share(&self) -> f64 {
        if self.scale_outs > 0 { self.failed as f64 / self.scale_outs as f64 } else { 0.0 }
    }
}

/// The true rates of a deployment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truth {
    /// The rate at which a core or a block ends, per hour.
    pub death: f64,
    /// The rate of scale-outs, per hour.
    pub scale_out: f64,
    /// Mean number of cores per request beyond the first.
    pub size: f64,
}

/// A deployment that arrives, as drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Met {
    truth: Truth,
    /// Of its events.
    draws: Xoshiro256PlusPlus,
    /// The observations of its kind, for each kind that it may be of.
    beliefs: Vec<Seen>,
    /// The cores that it requests.
    asks: u32,
}

struct Deployment {
    truth: Truth,
    draws: Xoshiro256PlusPlus,
    /// Cores of each block; one block if cores end one by one.
    blocks: Vec<u32>,
    cores: u32,
    grows: bool,
}

/// A refused newcomer, with the reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// When, in hours from the start.
    pub at_hours: f64,
    /// Cores in use then.
    pub used: u32,
    /// The forecasts of the cluster and of the newcomer.
    pub growth: Growth,
    /// The rules that refused it, each with its reason; continues a sentence that starts with "it".
    pub why: Vec<(&'static str, Phrase)>,
}

/// A cluster simulated over years.
pub struct Years {
    terms: Arc<Terms>,
    lab: ClusterYears,
    policy: Arc<Policy>,
    zone: Occupancy,
    growth: Growth,
    book: Forecasts<u32>,
    live: BTreeMap<u32, Deployment>,
    events: BinaryHeap<Reverse<(i64, u32)>>,
    arrivals: Xoshiro256PlusPlus,
    next_arrival_ms: i64,
    each: Stream,
    arrived: u32,
    used: u32,
    now_ms: i64,
    end_ms: i64,
    months: Vec<Span>,
    /// The last refusal of a newcomer: the time, the cores in use, and the forecasts.
    refused: Option<(i64, u32, Growth)>,
    most_live: u32,
    /// What earlier runs with this seed computed; `None` if no other run follows.
    recall: Option<Recall>,
}

impl core::fmt::Debug for Years {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Years").field("now_ms", &self.now_ms).field("live", &self.live.len()).finish_non_exhaustive()
    }
}

impl Years {
    /// An empty cluster that admits by the admission rules of a policy; without any, it admits every deployment that
    /// fits.
    #[must_use]
    pub fn new(terms: Arc<Terms>, lab: ClusterYears, policy: Arc<Policy>, seed: Seed) -> Self {
        let capacity = Resources::new(lab.cores.saturating_mul(1_000), 0, 0, 0);
        let spec = ClusterSpec {
            name: "cluster".into(),
            machines: 1,
            racks: 1,
            capacity,
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        let fleet = Fleet::build(&[spec]).expect("a cluster of one machine");
        let end_ms = lab.end_ms();
        let mut years = Self {
            growth: terms.growth(1),
            zone: Occupancy::empty(Arc::new(fleet)),
            book: Forecasts::new(),
            live: BTreeMap::new(),
            events: BinaryHeap::new(),
            arrivals: seed.stream("deployments arrive").generator(),
            next_arrival_ms: 0,
            each: seed.stream("deployments"),
            arrived: 0,
            used: 0,
            now_ms: 0,
            end_ms,
            months: Vec::new(),
            refused: None,
            most_live: 0,
            recall: None,
            terms,
            lab,
            policy,
        };
        years.next_arrival_ms = years.wait_for_arrival();
        years
    }

    /// The run to its end with what earlier runs of the same cluster and seed computed, which becomes what all of them
    /// did.
    pub(super) fn recalling(mut self, recall: &mut Recall) -> Self {
        self.recall = Some(core::mem::take(recall));
        while self.advance(u32::MAX) {}
        *recall = self.recall.take().unwrap_or_default();
        self
    }

    /// Processes at most this many events. Returns whether there are more.
    pub fn advance(&mut self, budget: u32) -> bool {
        for _ in 0..budget {
            let next = self.events.peek().map_or(i64::MAX, |Reverse((at, _))| *at);
            let at = next.min(self.next_arrival_ms);
            self.pass_until(at.min(self.end_ms));
            if at >= self.end_ms {
                return false;
            }
            if self.next_arrival_ms <= next {
                self.arrive();
                self.next_arrival_ms = self.wait_for_arrival();
            } else {
                self.happen();
            }
        }
        true
    }

    /// The share of the time that has passed, 0 to 1.
    #[must_use]
    pub fn progress(&self) -> f64 {
        if self.end_ms > 0 { self.now_ms as f64 / self.end_ms as f64 } else { 1.0 }
    }

    /// The results so far by month (730 hours each).
    #[must_use]
    pub fn months(&self) -> &[Span] {
        &self.months
    }

    /// The total over all months.
    #[must_use]
    pub fn total(&self) -> Span {
        let mut total = Span::default();
        self.months.iter().for_each(|month| total.add(month));
        total
    }

    /// Identifies the run's results: every month's figures, bit for bit.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut bytes = Vec::new();
        for month in &self.months {
            let Span { hours, core_hours, scale_outs, failed, arrivals, admitted } = *month;
            let words = [hours.to_bits(), core_hours.to_bits(), scale_outs, failed, arrivals, admitted];
            bytes.extend(words.into_iter().flat_map(u64::to_le_bytes));
        }
        xxh3_64(&bytes)
    }

    /// The last newcomer that a rule refused although it would have fitted.
    #[must_use]
    pub fn last_refused(&self) -> Option<Refused> {
        let (at_ms, used, growth) = self.refused.clone()?;
        let scene = Scene { growth: Some(&growth), ..Scene::of(&self.zone) };
        let why = self.policy.objections(scene, ClusterId::of(0));
        Some(Refused { at_hours: at_ms as f64 / HOUR_MS, used, growth, why })
    }

    /// The largest number of deployments at one time.
    #[must_use]
    pub fn most_live(&self) -> u32 {
        self.most_live
    }

    fn month(&mut self) -> &mut Span {
        month(&mut self.months, self.now_ms)
    }

    /// Advances the clock without events.
    fn pass_until(&mut self, at_ms: i64) {
        while self.now_ms < at_ms {
            let month_ms = (MONTH_HOURS * HOUR_MS) as i64;
            let until = at_ms.min((self.now_ms / month_ms + 1) * month_ms);
            let (hours, used) = ((until - self.now_ms) as f64 / HOUR_MS, f64::from(self.used));
            let month = self.month();
            month.hours += hours;
            month.core_hours += hours * used;
            self.now_ms = until;
        }
    }

    fn wait_for_arrival(&mut self) -> i64 {
        let hours = exponential(&mut self.arrivals, self.lab.arrivals);
        later(self.now_ms, hours)
    }

    /// A deployment requests admission.
    fn arrive(&mut self) {
        let id = self.arrived;
        self.arrived += 1;
        let Met { truth, draws, beliefs, asks } = self.met(id);
        let is_in = self.lets_in(id, asks, &beliefs);
        let month = self.month();
        month.arrivals += 1;
        month.admitted += u64::from(is_in);
        if !is_in {
            return;
        }
        let mut deployment = Deployment { truth, draws, blocks: Vec::new(), cores: 0, grows: true };
        deployment.add(asks, self.terms.model());
        self.used += asks;
        self.book.begin(id, ClusterId::of(0), beliefs, (self.now_ms, self.now_ms), &mut self.growth);
        self.events.extend(deployment.next(id, self.now_ms, self.terms.model(), self.end_ms));
        self.live.insert(id, deployment);
        self.most_live = self.most_live.max(self.live.len() as u32);
    }

    /// The arriving deployment.
    fn met(&mut self, id: u32) -> Met {
        let mut recall = self.recall.take();
        let met = match &mut recall {
            Some(recall) => recall.met(id, || self.meet(id)),
            None => self.meet(id),
        };
        self.recall = recall;
        met
    }

    fn meet(&self, id: u32) -> Met {
        let (model, observations) = (self.terms.model(), self.lab.observations);
        let mut draws = generator(self.each, id, DrawKind::Life);
        let truth = truth(model, &mut draws);
        let asks = request(truth.size, &mut draws);
        let own = observed(model, &truth, observations, &mut generator(self.each, id, DrawKind::Observations));
        let other = || kind(model, observations, &mut generator(self.each, id, DrawKind::OtherKind)).1;
        let known = core::iter::once(own).chain(self.lab.unlabelled.then(other));
        let beliefs = known.map(|known| known.and_started(f64::from(asks))).collect();
        Met { truth, draws, beliefs, asks }
    }

    fn lets_in(&mut self, id: u32, asks: u32, beliefs: &[Seen]) -> bool {
        if self.lab.cores - self.used < asks {
            return false;
        }
        if !self.policy.asks_for_growth() {
            return true;
        }
        let (terms, recall) = (&self.terms, &mut self.recall);
        let mut expected = |id, beliefs: &[Seen]| match recall {
            Some(recall) => recall.expected(id, beliefs, terms),
            None => terms.expected(beliefs),
        };
        self.book.bring_up_to_date(self.now_ms, terms, &mut self.growth, &mut expected);
        self.growth.newcomer =
            Newcomer { cores: f64::from(asks), expected: expected(id, beliefs), at_home: Vec::new() };
        let scene = Scene { growth: Some(&self.growth), ..Scene::of(&self.zone) };
        let is_in = self.policy.lets_in(scene, ClusterId::of(0));
        if !is_in {
            self.refused = Some((self.now_ms, self.used, self.growth.clone()));
        }
        is_in
    }

    /// Processes the next event.
    fn happen(&mut self) {
        let Some(Reverse((_, id))) = self.events.pop() else { return };
        let Some(it) = self.live.get_mut(&id) else { return };
        let model = self.terms.model();
        let units = it.units(model.deaths) * it.truth.death;
        let stops = if it.grows { model.prior.stop * it.truth.death } else { 0.0 };
        let scales = if it.grows { it.truth.scale_out } else { 0.0 };
        let which = unit(&mut it.draws) * (units + stops + scales);
        if which < units {
            let ended = it.end_one(model.deaths);
            self.used -= ended;
            let died = |seen: &mut Seen| seen.death(f64::from(ended), model.deaths);
            self.book.see(id, self.now_ms, &self.terms, &mut self.growth, died);
        } else if which < units + stops {
            it.grows = false;
            if model.stop == Stop::Hard {
                self.used -= it.cores;
                it.cores = 0;
                it.blocks.clear();
            }
        } else {
            let asks = request(it.truth.size, &mut it.draws);
            let granted = self.lab.cores - self.used >= asks;
            if granted {
                it.add(asks, model);
                self.used += asks;
            }
            let month = month(&mut self.months, self.now_ms);
            month.scale_outs += 1;
            month.failed += u64::from(!granted);
            let seen = |seen: &mut Seen| seen.scale_out(f64::from(asks), granted);
            self.book.see(id, self.now_ms, &self.terms, &mut self.growth, seen);
        }
        // A deployment without cores that cannot grow is removed.
        if it.cores == 0 && (self.lab.ends_empty || !it.grows) {
            self.book.end(id, &mut self.growth);
            self.live.remove(&id);
        } else {
            self.events.extend(it.next(id, self.now_ms, model, self.end_ms));
        }
    }
}

/// The month of this time.
fn month(months: &mut Vec<Span>, now_ms: i64) -> &mut Span {
    let at = (now_ms as f64 / (MONTH_HOURS * HOUR_MS)) as usize;
    if months.len() <= at {
        months.resize(at + 1, Span::default());
    }
    &mut months[at]
}

impl Deployment {
    fn add(&mut self, cores: u32, model: &Model) {
        self.cores += cores;
        if model.deaths == Deaths::Blocks {
            self.blocks.push(cores);
        }
    }

    /// Draws the next event of the deployment of this number; `None` if there is none before the end.
    fn next(&mut self, id: u32, now_ms: i64, model: &Model, end_ms: i64) -> Option<Reverse<(i64, u32)>> {
        let Truth { death, scale_out, .. } = self.truth;
        let growing = if self.grows { scale_out + model.prior.stop * death } else { 0.0 };
        let rate = self.units(model.deaths) * death + growing;
        let at_ms = later(now_ms, exponential(&mut self.draws, rate));
        (at_ms < end_ms).then_some(Reverse((at_ms, id)))
    }

    /// The number of units that may end.
    fn units(&self, deaths: Deaths) -> f64 {
        match deaths {
            Deaths::Cores => f64::from(self.cores),
            Deaths::Blocks => self.blocks.len() as f64,
        }
    }

    /// One unit ends. Returns its cores.
    fn end_one(&mut self, deaths: Deaths) -> u32 {
        let ended = match deaths {
            Deaths::Cores => 1,
            Deaths::Blocks => {
                let at = (unit(&mut self.draws) * self.blocks.len() as f64) as usize;
                self.blocks.swap_remove(at.min(self.blocks.len() - 1))
            }
        };
        self.cores -= ended;
        ended
    }
}

/// The observations of a kind of deployment before one of it arrives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known(Seen);

impl Known {
    /// The same for a deployment that has just arrived with this many cores.
    pub(super) fn and_started(self, cores: f64) -> Seen {
        let (Self(known), first) = (self, Seen::started(cores));
        Seen {
            deaths: known.deaths,
            exposure: known.exposure,
            scale_outs: known.scale_outs,
            hours: known.hours,
            extra: first.extra + known.extra,
            requests: first.requests + known.requests,
            ..first
        }
    }
}

/// A kind of deployment drawn from the population, and this many observations of it.
pub(super) fn kind(model: &Model, observations: u32, draws: &mut Xoshiro256PlusPlus) -> (Truth, Known) {
    let truth = truth(model, draws);
    (truth, observed(model, &truth, observations, draws))
}

/// The true rates of a deployment drawn from the population.
pub(super) fn truth(model: &Model, draws: &mut Xoshiro256PlusPlus) -> Truth {
    let prior = &model.prior;
    let death = gamma(&prior.death, draws);
    let scale_out = gamma(&prior.scale_out, draws) * libm::pow(death, prior.power);
    Truth { death, scale_out, size: gamma(&prior.size, draws) }
}

/// This many observations of deployments with these rates.
fn observed(model: &Model, truth: &Truth, observations: u32, draws: &mut Xoshiro256PlusPlus) -> Known {
    let mut known = Seen::default();
    for _ in 0..observations {
        let gap = exponential(draws, truth.scale_out);
        known.deaths += 1.0;
        // The gaps between scale-outs do not count as time in which the deployment could have stopped.
        known.exposure += exponential(draws, truth.death) - model.prior.stop * gap;
        known.scale_outs += 1.0;
        known.hours += gap;
        known.extra += f64::from(request(truth.size, draws) - 1);
        known.requests += 1.0;
    }
    Known(known)
}

/// What is drawn for one deployment. Each has its own generator, so that its behaviour does not depend on the
/// observations.
#[derive(Clone, Copy)]
enum DrawKind {
    /// Its rates, and all its events.
    Life,
    /// The observations of its kind.
    Observations,
    /// Its user's other kind, and the observations of that.
    OtherKind,
}

fn generator(each: Stream, id: u32, which: DrawKind) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(each.draw(u64::from(id), which as u64))
}

/// The arrivals of a run with this seed, whatever the policy: times in hours from the start, and true rates.
pub(super) fn arriving(model: &Model, lab: &ClusterYears, seed: Seed) -> impl Iterator<Item = (f64, Truth)> {
    let (model, lab) = (*model, *lab);
    let (mut waits, each) = (seed.stream("deployments arrive").generator(), seed.stream("deployments"));
    let mut now_ms = 0;
    (0..).map_while(move |id| {
        now_ms = later(now_ms, exponential(&mut waits, lab.arrivals));
        let is_within = now_ms < lab.end_ms();
        is_within.then(|| (now_ms as f64 / HOUR_MS, truth(&model, &mut generator(each, id, DrawKind::Life))))
    })
}

/// Deployments drawn from the population, for checks and charts.
#[must_use]
pub fn population(model: &Model, count: u32, seed: Seed) -> Vec<Truth> {
    let mut draws = seed.stream("population").generator();
    (0..count).map(|_| truth(model, &mut draws)).collect()
}

fn gamma(law: &Gamma, draws: &mut Xoshiro256PlusPlus) -> f64 {
    // A minimum rate keeps the draw usable as a divisor.
    GammaLaw::new(law.shape, 1.0 / law.rate).map_or(0.0, |law| law.sample(draws)).clamp(1e-30, 1e30)
}

/// The cores of one request.
pub(super) fn request(size: f64, draws: &mut Xoshiro256PlusPlus) -> u32 {
    const MOST: f64 = 1e6;
    1 + Poisson::new(size.min(MOST)).map_or(0, |law| law.sample(draws) as u32)
}

/// Uniform from 0 up to 1.
pub(super) fn unit(draws: &mut Xoshiro256PlusPlus) -> f64 {
    (draws.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Hours until the next event of a process with this rate per hour.
pub(super) fn exponential(draws: &mut Xoshiro256PlusPlus, rate: f64) -> f64 {
    -libm::log(1.0 - unit(draws)) / rate
}

fn later(now_ms: i64, hours: f64) -> i64 {
    now_ms.saturating_add((hours * HOUR_MS) as i64)
}

#[cfg(test)]
mod tests;
