//! What to run, checked: once a plan exists, its run cannot fail.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use tiebreak_lifetime::Predictions;
use tiebreak_model::fleet::{ClusterSpec, Fleet};
use tiebreak_model::random::Seed;
use tiebreak_model::{Declared, Links, Load, Millis, Occupancy, ShapeMix, Time, Uplinks, Usage, VmId, Workload};
use tiebreak_placement::{Allocator, Caches, Lifetimes, Policy, RuleUse};

use crate::admission::{AdmissionSettings, Terms};
use crate::affinity::settings::AffinitySettings;
use crate::incidents::Planned;
use crate::lifetimes::LifePredictions;
use crate::network::vdc::Vdcs;
use crate::observation::measures::Measures;
use crate::power::usage::{Patterns, Telemetry, usages};
use crate::power::{CappingKind, PowerSettings, PowerTerms};
use lists::List;

mod error;
mod incidents;
pub(crate) mod lists;

pub use crate::agents::settings::Agents;
pub use error::PlanError;

/// Everything a run depends on.
#[derive(Clone)]
pub struct Plan {
    pub(crate) fleet: Arc<Fleet>,
    /// The policies of the plan, each until its moment; at least one.
    pub(crate) lists: Vec<List>,
    pub(crate) workload: Arc<Workload>,
    pub(crate) agents: Agents,
    pub(crate) caches: Caches,
    pub(crate) seed: Seed,
    pub(crate) tick: Millis,
    pub(crate) funnel_samples: u32,
    /// Incidents with their times. The list never changes, so indices identify incidents.
    pub(crate) incidents: Vec<(Time, Planned)>,
    /// The workload without the VMs that incidents request.
    pub(crate) trace: Arc<Workload>,
    /// Each VM's number in random streams, if it is not its id.
    pub(crate) luck: Option<Arc<[u64]>>,
    pub(crate) measures: Measures,
    /// The predictions for the workload, if needed.
    life_predictions: Option<LifePredictions>,
    /// How affinity groups are formed.
    pub(crate) affinity: AffinitySettings,
    /// How VMs of one tenant are linked, and the uplink capacities of each cluster; `None` if they are not linked.
    pub(crate) links: Option<(Links, Arc<[Uplinks]>)>,
    /// The beliefs about deployments, if any rule reads forecasts.
    admission: Option<Arc<Terms>>,
    /// The utilization of VMs and the power settings, if any rule or the settings need them.
    power: Option<Arc<PowerTerms>>,
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan").field("lists", &self.lists).field("agents", &self.agents).finish_non_exhaustive()
    }
}

/// The approximate number of samples of a series over a whole run.
const TICKS: u64 = 400;

/// The maximum number of decisions over which rule shares are averaged. A sample takes the uncached path, so large
/// fleets have fewer.
const FUNNEL_SAMPLES: u32 = 400;
const FUNNEL_MACHINES: u32 = 1_000_000;
const FUNNEL_SAMPLES_MIN: u32 = 20;

/// The maximum size of all agents' caches together, in bytes.
const CACHE_BYTES: usize = 512 << 20;

impl Plan {
    /// Checks what to run. Adds `AreNodeResourcesValid` if it is missing, so that no policy can over-commit a
    /// machine.
    ///
    /// # Errors
    /// If there are no machines or the rules are not a valid policy.
    pub fn new(
        clusters: &[ClusterSpec],
        rules: &[RuleUse],
        best_clusters: u32,
        workload: Arc<Workload>,
        agents: Agents,
        seed: Seed,
    ) -> Result<Self, PlanError> {
        let tick = nice_tick(workload.horizon().since(Time::ZERO));
        let fleet = Fleet::build(clusters).map_err(PlanError::Fleet)?;
        let affordable = (FUNNEL_MACHINES / fleet.machine_count()).max(FUNNEL_SAMPLES_MIN);
        // Replace disallowed values by defaults: with zero agents, for example, nothing would be decided.
        let agents = Agents::from_values(&agents.to_values());
        Ok(Self {
            fleet: Arc::new(fleet),
            lists: vec![List::new(rules, best_clusters).map_err(PlanError::Policy)?],
            trace: workload.clone(),
            workload,
            agents,
            caches: Caches::default(),
            seed,
            tick,
            funnel_samples: FUNNEL_SAMPLES.min(affordable),
            incidents: Vec::new(),
            luck: None,
            measures: Measures::default(),
            life_predictions: None,
            affinity: AffinitySettings::default(),
            links: None,
            admission: None,
            power: None,
        })
    }

    /// The same plan without samples of rule shares, to measure speed alone.
    #[must_use]
    pub fn without_samples(mut self) -> Self {
        self.funnel_samples = 0;
        self
    }

    /// The same plan with these cache layers, if caches are on at all.
    #[must_use]
    pub fn with_caches(mut self, caches: Caches) -> Self {
        self.caches = Caches::from_values(&caches.to_values());
        self
    }

    /// The same plan with these measures.
    #[must_use]
    pub fn with_measures(mut self, measures: Measures) -> Self {
        self.measures = Measures::from_values(&measures.to_values());
        self
    }

    /// The same plan with its workload split into virtual datacenters, whose VMs are linked over this network;
    /// `uplinks` are in the order of the clusters. Unchanged if VMs are not linked.
    ///
    /// # Errors
    /// If no VM lives longer than one tick of their grid.
    pub fn with_vdcs(mut self, vdcs: &Vdcs, uplinks: &[Uplinks]) -> Result<Self, PlanError> {
        let Some(links) = vdcs.links() else { return Ok(self) };
        let regrouped = vdcs.regroup(&self.trace).ok_or(PlanError::OnlyInstantVms)?;
        self.trace = Arc::new(regrouped.workload);
        self.workload = self.trace.clone();
        self.links = Some((links, uplinks.into()));
        Ok(self)
    }

    /// How VMs of one tenant are linked, if they are.
    #[must_use]
    pub fn links(&self) -> Option<Links> {
        self.links.as_ref().map(|(links, _)| *links)
    }

    /// The largest uplink capacity of any machine, in kbit/s; `None` if VMs are not linked.
    #[must_use]
    pub fn fattest_kbps(&self) -> Option<u64> {
        self.links.as_ref().map(|(_, uplinks)| uplinks.iter().map(|it| it.machine_kbps).max().unwrap_or(0))
    }

    /// The same plan with these beliefs about deployments, if any rule of any policy needs them.
    ///
    /// # Errors
    /// If the settings are not a valid belief.
    pub fn with_admission(mut self, settings: &AdmissionSettings) -> Result<Self, PlanError> {
        let looks_ahead = self.lists.iter().any(|list| list.policy_whole().looks_ahead());
        if self.lists.iter().any(|list| list.policy_whole().asks_for_growth()) {
            let settings = AdmissionSettings::from_values(&settings.to_values());
            self.admission = Some(Arc::new(Terms::new(&settings, looks_ahead).map_err(PlanError::Admission)?));
        }
        Ok(self)
    }

    /// The beliefs about deployments, if any rule needs them.
    pub(crate) fn admission(&self) -> Option<&Arc<Terms>> {
        self.admission.as_ref()
    }

    /// The same plan with power, if any rule reads the predicted utilization of VMs or the settings measure draws.
    /// Call it after adding incidents, because their VMs use cores too. Until [`Plan::with_loads`], the utilization
    /// of VMs is unknown.
    ///
    /// # Errors
    /// If the settings of a server's power draw are inconsistent, or the budget is below its idle draw.
    pub fn with_power(mut self, settings: &PowerSettings) -> Result<Self, PlanError> {
        let settings = PowerSettings::from_values(&settings.to_values());
        let rules_ask = self.lists.iter().any(|list| list.policy_whole().asks_for_loads());
        if rules_ask || settings.capping != CappingKind::Off {
            settings.check().map_err(PlanError::Power)?;
            let usages = usages(&self.workload, &settings, self.seed, |vm| self.luck(vm)).into();
            self.power = Some(Arc::new(PowerTerms { settings, usages }));
        }
        Ok(self)
    }

    /// The actual utilization of each VM of its workload, if needed. Predictors see only what the settings allow.
    #[must_use]
    pub fn usages(&self) -> Option<&Arc<[Usage]>> {
        self.power.as_ref().map(|terms| &terms.usages)
    }

    /// What telemetry shows of its VMs, if their utilization is needed.
    #[must_use]
    pub fn telemetry(&self) -> Option<Telemetry<'_>> {
        let terms = self.power.as_ref()?;
        let patterns = Patterns::new(&terms.settings, self.seed);
        Some(Telemetry { patterns, plan: self, usages: &terms.usages })
    }

    /// The same plan with the prediction for each VM at its arrival, in the order of the workload.
    #[must_use]
    pub fn with_loads(mut self, loads: &[Load]) -> Self {
        self.workload = Arc::new(self.workload.with_loads(loads));
        self
    }

    /// The utilization of VMs and the power settings, if needed.
    pub(crate) fn power(&self) -> Option<&Arc<PowerTerms>> {
        self.power.as_ref()
    }

    /// The fleet without VMs and reservations.
    pub(crate) fn empty_zone(&self) -> Occupancy {
        let zone = Occupancy::empty(self.fleet.clone());
        let asks = self.lists.iter().any(|list| list.policy_whole().asks_for_mix());
        let mut zone = if asks { zone.with_mix(ShapeMix::of(&self.trace)) } else { zone };
        if self.policy_at_start().asks_for_uses() {
            zone.count_uses();
        }
        match &self.links {
            Some((_, uplinks)) => zone.with_network(uplinks),
            None => zone,
        }
    }

    /// The same plan with these predictions for its workload. Without predictions, lifetime rules treat all VMs and
    /// machines alike.
    #[must_use]
    pub fn with_predictions(mut self, lifetimes: Lifetimes, predictions: Arc<Predictions>) -> Self {
        let terms = Lifetimes::from_values(&lifetimes.to_values());
        self.life_predictions = Some(LifePredictions { terms, predictions });
        self
    }

    /// The same plan with these settings of affinity groups.
    #[must_use]
    pub fn with_affinity(mut self, affinity: &AffinitySettings) -> Self {
        self.affinity = AffinitySettings::from_values(&affinity.to_values());
        self
    }

    /// The settings of affinity groups and the predictions that they are formed from, if any rule of any policy reads
    /// them.
    #[must_use]
    pub(crate) fn affinity(&self) -> Option<(AffinitySettings, &LifePredictions)> {
        let asks = self.lists.iter().any(|list| list.policy_whole().asks_for_affinity());
        self.life_predictions().filter(|_| asks).map(|predictions| (self.affinity, predictions))
    }

    /// Whether any rule or incident needs predicted lifetimes.
    #[must_use]
    pub fn asks_for_lifetimes(&self) -> bool {
        self.rules_ask_for_lifetimes() || self.incidents.iter().any(|(_, incident)| incident.asks_for_lifetimes())
    }

    /// The predictions for the workload, for any reader.
    pub(crate) fn life_predictions(&self) -> Option<&LifePredictions> {
        self.life_predictions.as_ref()
    }

    /// The predictions, if any rule reads them.
    pub(crate) fn predictions_for_rules(&self) -> Option<&LifePredictions> {
        self.life_predictions().filter(|_| self.rules_ask_for_lifetimes())
    }

    /// The settings of lifetime rules, if any rule of any policy reads predicted lifetimes.
    #[must_use]
    pub fn lifetimes(&self) -> Option<Lifetimes> {
        self.predictions_for_rules().map(|it| it.terms)
    }

    /// Whether lifetime rules only take effect during the run.
    pub(crate) fn rolls_out_lifetimes(&self) -> bool {
        self.incidents.iter().any(|(at, incident)| *at >= Time::ZERO && incident.rolls_out_lifetimes())
    }

    /// An allocator with this policy, starting from `view`.
    pub(crate) fn allocator(&self, policy: Arc<Policy>, view: Occupancy) -> Allocator {
        let (caches, bytes) = self.cache_terms();
        Allocator::new(policy, view, caches, bytes)
    }

    /// The caches of each agent, and their size in bytes.
    pub(crate) fn cache_terms(&self) -> (Caches, usize) {
        let caches = if self.agents.caches { self.caches } else { Caches::OFF };
        (caches, CACHE_BYTES / self.agents.count as usize)
    }

    /// The mean number of VMs per request.
    pub(crate) fn vms_a_request(&self) -> f64 {
        f64::from(self.workload.vm_count()) / f64::from(self.workload.request_count().max(1))
    }

    /// A VM's number in random streams: its id in the trace, whatever was added to it.
    pub(crate) fn luck(&self, vm: VmId) -> u64 {
        self.luck.as_ref().map_or(u64::from(vm.0), |luck| luck[vm.index()])
    }

    /// The machines.
    #[must_use]
    pub fn fleet(&self) -> &Arc<Fleet> {
        &self.fleet
    }

    /// The requests.
    #[must_use]
    pub fn workload(&self) -> &Arc<Workload> {
        &self.workload
    }

    /// The agents' settings.
    #[must_use]
    pub const fn agents(&self) -> &Agents {
        &self.agents
    }

    /// The time between two samples of a series.
    #[must_use]
    pub fn tick(&self) -> Millis {
        self.tick
    }
}

/// A round step that gives about [`TICKS`] samples.
fn nice_tick(span: Millis) -> Millis {
    const STEPS_S: [u64; 19] =
        [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800];
    let wanted = span.0 / TICKS;
    let longest = STEPS_S[STEPS_S.len() - 1] * 1_000;
    let step = STEPS_S.iter().map(|seconds| seconds * 1_000).find(|step| *step >= wanted);
    Millis(step.unwrap_or_else(|| wanted.next_multiple_of(longest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        for (span, tick) in [
            (Millis(0), Millis(1_000)),
            (Millis(401_000), Millis(2_000)),
            (Millis::HOUR, Millis(10_000)),
            (Millis(14 * Millis::DAY.0), Millis::HOUR),
            (Millis(30 * Millis::DAY.0), Millis(2 * Millis::HOUR.0)),
        ] {
            assert_eq!(nice_tick(span), tick, "{span:?}");
        }
    }
}
