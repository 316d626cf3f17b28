//! The cost of admission rules: a decision, the reevaluation of a deployment, and three years of a cluster. (Cluster
//! admission, sections 4.3 and 5.2)

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use tiebreak_admission::Seen;
use tiebreak_model::random::Seed;
use tiebreak_model::{ClusterId, ClusterSpec, Expected, Fleet, Growth, Occupancy, Resources, Scene};
use tiebreak_placement::{Policy, RuleUse};
use tiebreak_sim::ClusterYears;
use tiebreak_sim::admission::years::{Years, population};
use tiebreak_sim::admission::{AdmissionSettings, Horizon, Terms};

use super::Bench;
use super::figure::{Bar, Side, growth};
use tiebreak_console::answer::Failure;

/// One millisecond.
const DECISION_US: Bar = Bar(Side::AtMost, 1_000.0);
const YEARS_S: Bar = Bar(Side::AtMost, 60.0);
/// Constant, with room for measurement noise.
const GROWTH_WITH_DEPLOYMENTS: Bar = Bar(Side::AtMost, 0.1);

/// Live deployments for the decisions that have a bar: hundreds, as in the paper's cluster.
const DEPLOYMENTS: u32 = 500;

/// Cores of the cluster, as in the paper.
const CORES: u32 = 20_000;

/// What to measure: the numbers of live deployments over which the decision time should not grow, the repetitions,
/// and the cluster to simulate.
pub(super) struct MeasuredAdmission {
    pub(super) deployments: &'static [u32],
    pub(super) times: u32,
    pub(super) years: ClusterYears,
}

impl MeasuredAdmission {
    /// The default cluster, which is the paper's, for this many years.
    pub(super) const fn of(deployments: &'static [u32], times: u32, cores: u32, years: f64) -> Self {
        let years = ClusterYears {
            cores,
            years,
            arrivals: 1.0,
            observations: 0,
            unlabelled: false,
            ends_empty: true,
            sla: 0.01,
        };
        Self { deployments, times, years }
    }
}

impl Bench {
    pub(super) fn admission(&mut self) -> Result<(), Failure> {
        let asked = &self.sizes.admission;
        for (name, horizon) in [("five look-aheads", Horizon::LookAheads), ("geometric grid", Horizon::Geometric)] {
            let crowd = Crowd::of(horizon, DEPLOYMENTS)?;
            let moments = crowd.terms.hours().len();
            let bar = (horizon == Horizon::LookAheads).then_some(DECISION_US);
            let with = format!("{DEPLOYMENTS} deployments, {moments} moments ({name})");
            self.figure(format!("µs a decision, {with}"), 1e6 * crowd.decision_s(asked.times), bar);
            let update = 1e6 * crowd.update_s(asked.times / 10);
            self.figure(format!("µs to think a deployment over, {with}"), update, None);
        }
        let mut points = Vec::new();
        for deployments in asked.deployments {
            let decision_us = 1e6 * Crowd::of(Horizon::Geometric, *deployments)?.decision_s(asked.times);
            self.figure(format!("µs a decision, {deployments} deployments (geometric grid)"), decision_us, None);
            points.push((f64::from(*deployments), decision_us));
        }
        let exponent = growth(&points).max(0.0);
        self.figure(
            "exponent of the time of a decision over deployments".into(),
            exponent,
            Some(GROWTH_WITH_DEPLOYMENTS),
        );
        let (seconds, events) = years_s(asked.years)?;
        let ClusterYears { cores, years, .. } = asked.years;
        let name = format!("s for {years} years of {cores} cores, second moment, {events} requests");
        self.figure(name, seconds, Some(YEARS_S));
        Ok(())
    }
}

/// A cluster with live deployments, for decisions about a new one.
struct Crowd {
    terms: Terms,
    policy: Policy,
    zone: Occupancy,
    seen: Vec<Seen>,
    growth: Growth,
}

impl Crowd {
    /// Deployments that have each run for some days, in a cluster with room for their forecast plus four standard
    /// deviations, so that the rule finds every moment safe and looks at all of them.
    fn of(horizon: Horizon, deployments: u32) -> Result<Self, Failure> {
        let settings = AdmissionSettings { horizon, ..AdmissionSettings::default() };
        let failed = |error: &dyn std::fmt::Display| Failure(error.to_string());
        let terms = Terms::new(&settings, true).map_err(|fault| failed(&fault))?;
        let model = *terms.model();
        let seen: Vec<_> = (1_u32..)
            .zip(population(&model, deployments, Seed(1)))
            .map(|(at, truth)| {
                let mut seen = Seen::started(1.0 + truth.size.round().min(20.0));
                for _ in 0..at % 7 {
                    seen.pass(8.0, model.deaths);
                    seen.scale_out(2.0, true);
                    seen.death(1.0, model.deaths);
                }
                seen
            })
            .collect();
        let mut growth = terms.growth(1);
        seen.iter().for_each(|seen| growth.clusters[0].replace(&[], &terms.expected(&[*seen])));
        // Enough cores for nearly any growth of all deployments.
        let most = |expected: &[Expected]| {
            expected.iter().map(|at| at.mean() + 4.0 * at.variance().sqrt()).fold(0.0, f64::max)
        };
        let milli = (1_000.0 * (most(growth.clusters[0].sums()) + f64::from(CORES))).min(4e9) as u32;
        let capacity = Resources::new(milli, 0, 0, 0);
        let spec = ClusterSpec {
            name: "cluster".into(),
            machines: 1,
            racks: 1,
            capacity,
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        let fleet = Fleet::build(&[spec]).map_err(|error| failed(&error))?;
        let rule = RuleUse { values: vec![10.0], ..RuleUse::plain("SecondMomentAdmission", None) };
        let policy = Policy::new(&[rule], 1).map_err(|error| failed(&error))?;
        Ok(Self { terms, policy, zone: Occupancy::empty(Arc::new(fleet)), seen, growth })
    }

    /// Seconds per decision about a deployment without observations.
    fn decision_s(&self, times: u32) -> f64 {
        let mut growth = self.growth.clone();
        let mut decide = |cores: u32| {
            let cores = f64::from(1 + cores % 20);
            growth.newcomer = self.terms.newcomer(cores, &[Seen::started(cores)]);
            let scene = Scene { growth: Some(&growth), ..Scene::of(&self.zone) };
            assert!(self.policy.lets_in(scene, ClusterId::of(0)), "there is room for it at every moment");
        };
        best_s(times, &mut decide)
    }

    /// Seconds to reevaluate one deployment.
    fn update_s(&self, times: u32) -> f64 {
        let mut growth = self.growth.clone();
        let mut think = |at: u32| {
            let seen = self.seen[at as usize % self.seen.len()];
            let expected = self.terms.expected(&[seen]);
            growth.clusters[0].replace(&expected, &expected);
            black_box(&growth);
        };
        best_s(times.max(1), &mut think)
    }
}

/// Seconds per operation, in the best of five rounds.
fn best_s(times: u32, each: &mut dyn FnMut(u32)) -> f64 {
    let round = |_| {
        let start = Instant::now();
        (0..times).for_each(&mut *each);
        start.elapsed().as_secs_f64() / f64::from(times)
    };
    (0..5).map(round).fold(f64::INFINITY, f64::min)
}

/// Seconds of a run under the second-moment policy, and the number of requests from deployments.
fn years_s(lab: ClusterYears) -> Result<(f64, u64), Failure> {
    let settings = AdmissionSettings::default();
    let rule = RuleUse { values: vec![5.0], ..RuleUse::plain("SecondMomentAdmission", None) };
    let policy = Policy::new(&[rule], 1).map_err(|error| Failure(error.to_string()))?;
    let terms = Terms::new(&settings, true).map_err(|fault| Failure(fault.to_string()))?;
    let mut run = Years::new(Arc::new(terms), lab, Arc::new(policy), Seed(1));
    let start = Instant::now();
    while run.advance(u32::MAX) {}
    let total = run.total();
    Ok((start.elapsed().as_secs_f64(), total.arrivals + total.scale_outs))
}
