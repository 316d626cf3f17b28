//! What to run, checked: past a plan, the core cannot fail.

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
use crate::incidents::Planned;
use crate::lifetimes::LifePredictions;
use crate::network::vdc::Vdcs;
use crate::observation::measures::Measures;
use crate::power::usage::usages;
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
    /// The lists of rules, each until its moment; at least one.
    pub(crate) lists: Vec<List>,
    pub(crate) workload: Arc<Workload>,
    pub(crate) agents: Agents,
    pub(crate) caches: Caches,
    pub(crate) seed: Seed,
    pub(crate) tick: Millis,
    pub(crate) funnel_samples: u32,
    /// What happens when; the list is never changed, so places in it are names.
    pub(crate) incidents: Vec<(Time, Planned)>,
    /// The workload without what incidents ask for.
    pub(crate) trace: Arc<Workload>,
    /// The number by which chance knows each VM, where that is not its id.
    pub(crate) luck: Option<Arc<[u64]>>,
    pub(crate) measures: Measures,
    /// What is predicted of the workload, where anything asks.
    life_predictions: Option<LifePredictions>,
    /// How VMs of one tenant are linked, and what the network of each cluster carries, where they are.
    pub(crate) links: Option<(Links, Arc<[Uplinks]>)>,
    /// What is believed of deployments, where any rule asks.
    admission: Option<Arc<Terms>>,
    /// What VMs use and what happens then, where any rule or the settings ask.
    power: Option<Arc<PowerTerms>>,
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan").field("lists", &self.lists).field("agents", &self.agents).finish_non_exhaustive()
    }
}

/// Samples of a series over a whole run, about.
const TICKS: u64 = 400;

/// How many decisions the share of candidates each rule leaves is averaged over, at most; a
/// sample takes the uncached path, so large fleets have fewer.
const FUNNEL_SAMPLES: u32 = 400;
const FUNNEL_MACHINES: u32 = 1_000_000;
const FUNNEL_SAMPLES_MIN: u32 = 20;

/// Bytes that all agents' caches together may take.
const CACHE_BYTES: usize = 512 << 20;

impl Plan {
    /// Checks what to run. `AreNodeResourcesValid` is added when the list lacks it, so no
    /// list can over-commit a machine.
    ///
    /// # Errors
    /// When there are no machines or the rules are no list.
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
        // Whatever was not allowed is the default: no agents, for one, would decide nothing.
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
            links: None,
            admission: None,
            power: None,
        })
    }

    /// The same plan without the sampling of rule shares, for measuring speed alone.
    #[must_use]
    pub fn without_samples(mut self) -> Self {
        self.funnel_samples = 0;
        self
    }

    /// The same plan with these cache layers, where caches are on at all.
    #[must_use]
    pub fn with_caches(mut self, caches: Caches) -> Self {
        self.caches = Caches::from_values(&caches.to_values());
        self
    }

    /// The same plan, measured like this.
    #[must_use]
    pub fn with_measures(mut self, measures: Measures) -> Self {
        self.measures = Measures::from_values(&measures.to_values());
        self
    }

    /// The same plan with its workload cut into virtual datacenters whose VMs are linked over this
    /// network, cluster by cluster as they were given; the same plan where they are not linked.
    ///
    /// # Errors
    /// When no VM lives longer than one tick of their grid.
    pub fn with_vdcs(mut self, vdcs: &Vdcs, uplinks: &[Uplinks]) -> Result<Self, PlanError> {
        let Some(links) = vdcs.links() else { return Ok(self) };
        let regrouped = vdcs.regroup(&self.trace).ok_or(PlanError::OnlyInstantVms)?;
        self.trace = Arc::new(regrouped.workload);
        self.workload = self.trace.clone();
        self.links = Some((links, uplinks.into()));
        Ok(self)
    }

    /// How VMs of one tenant are linked, where they are.
    #[must_use]
    pub fn links(&self) -> Option<Links> {
        self.links.as_ref().map(|(links, _)| *links)
    }

    /// The most that the uplinks of any machine carry, in kbit/s; none where VMs are not linked.
    #[must_use]
    pub fn fattest_kbps(&self) -> Option<u64> {
        self.links.as_ref().map(|(_, uplinks)| uplinks.iter().map(|it| it.machine_kbps).max().unwrap_or(0))
    }

    /// The same plan with this believed of deployments, where any rule of any list asks.
    ///
    /// # Errors
    /// When the settings make no belief.
    pub fn with_admission(mut self, settings: &AdmissionSettings) -> Result<Self, PlanError> {
        let looks_ahead = self.lists.iter().any(|list| list.policy_whole().looks_ahead());
        if self.lists.iter().any(|list| list.policy_whole().asks_for_growth()) {
            let settings = AdmissionSettings::from_values(&settings.to_values());
            self.admission = Some(Arc::new(Terms::new(&settings, looks_ahead).map_err(PlanError::Admission)?));
        }
        Ok(self)
    }

    /// What is believed of deployments, where any rule asks.
    pub(crate) fn admission(&self) -> Option<&Arc<Terms>> {
        self.admission.as_ref()
    }

    /// The same plan with power, where any rule asks what VMs will use of their cores, or the settings measure what
    /// they draw. To be given after incidents, whose VMs use cores too. Until [`Plan::with_loads`] nothing is
    /// known of what VMs will use.
    ///
    /// # Errors
    /// When servers cannot draw what is said of them, or may not draw what they do idle.
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

    /// What each VM of its workload really uses, where anybody asks; who predicts it knows no more than the settings
    /// let them.
    #[must_use]
    pub fn usages(&self) -> Option<&Arc<[Usage]>> {
        self.power.as_ref().map(|terms| &terms.usages)
    }

    /// The same plan with what is believed of each VM when it arrives, in the order of the workload.
    #[must_use]
    pub fn with_loads(mut self, loads: &[Load]) -> Self {
        self.workload = Arc::new(self.workload.with_loads(loads));
        self
    }

    /// What VMs use and what happens then, where anybody asks.
    pub(crate) fn power(&self) -> Option<&Arc<PowerTerms>> {
        self.power.as_ref()
    }

    /// The fleet with nothing placed and nothing reserved.
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

    /// The same plan with these predictions of its workload. Without any, lifetime rules find all
    /// VMs and machines alike.
    #[must_use]
    pub fn with_predictions(mut self, lifetimes: Lifetimes, predictions: Arc<Predictions>) -> Self {
        let terms = Lifetimes::from_values(&lifetimes.to_values());
        self.life_predictions = Some(LifePredictions { terms, predictions });
        self
    }

    /// Whether any rule, or any incident, asks how long VMs will live.
    #[must_use]
    pub fn asks_for_lifetimes(&self) -> bool {
        self.rules_ask_for_lifetimes() || self.incidents.iter().any(|(_, incident)| incident.asks_for_lifetimes())
    }

    /// What is predicted of the workload, whoever asks.
    pub(crate) fn life_predictions(&self) -> Option<&LifePredictions> {
        self.life_predictions.as_ref()
    }

    /// The same, where any rule asks.
    pub(crate) fn predictions_for_rules(&self) -> Option<&LifePredictions> {
        self.life_predictions().filter(|_| self.rules_ask_for_lifetimes())
    }

    /// What rules make of predicted lifetimes, where any rule of any list asks for them.
    #[must_use]
    pub fn lifetimes(&self) -> Option<Lifetimes> {
        self.predictions_for_rules().map(|it| it.terms)
    }

    /// Whether lifetime rules begin to count only during the run.
    pub(crate) fn rolls_out_lifetimes(&self) -> bool {
        self.incidents.iter().any(|(at, incident)| *at >= Time::ZERO && incident.rolls_out_lifetimes())
    }

    /// An allocator with this list that knows the fleet as `view` has it.
    pub(crate) fn allocator(&self, policy: Arc<Policy>, view: Occupancy) -> Allocator {
        let (caches, bytes) = self.cache_terms();
        Allocator::new(policy, view, caches, bytes)
    }

    /// The caches that each agent keeps, and in how many bytes.
    pub(crate) fn cache_terms(&self) -> (Caches, usize) {
        let caches = if self.agents.caches { self.caches } else { Caches::OFF };
        (caches, CACHE_BYTES / self.agents.count as usize)
    }

    /// How many VMs a request asks for, on average.
    pub(crate) fn vms_a_request(&self) -> f64 {
        f64::from(self.workload.vm_count()) / f64::from(self.workload.request_count().max(1))
    }

    /// The number by which chance knows a VM: its id in the trace, whatever was added to it.
    pub(crate) fn luck(&self, vm: VmId) -> u64 {
        self.luck.as_ref().map_or(u64::from(vm.0), |luck| luck[vm.index()])
    }

    /// Where everything stands.
    #[must_use]
    pub fn fleet(&self) -> &Arc<Fleet> {
        &self.fleet
    }

    /// Who asks for what.
    #[must_use]
    pub fn workload(&self) -> &Arc<Workload> {
        &self.workload
    }

    /// Who decides, and how quickly.
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
