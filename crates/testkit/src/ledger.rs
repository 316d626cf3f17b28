//! The results of a run as plain data: laws are checked against it, and a test can corrupt a copy to see that they
//! notice.

use std::collections::BTreeMap;
use std::sync::Arc;

use tiebreak_model::{Fleet, Links, MachineId, MachineRecord, Network, Time, VmId, Workload};
use tiebreak_placement::RuleUse;
use tiebreak_placement::policy::REQUIRED_RULE;
use tiebreak_sim::vdc::slots;
use tiebreak_sim::{Agents, Decision, Disruption, Measures, Reason, RulesUntil, Series, Summary, World};

use crate::case::Case;

/// The record of a finished run.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// The workload.
    pub workload: Arc<Workload>,
    /// The machines.
    pub fleet: Arc<Fleet>,
    /// The list of rules that ran, or the last one.
    pub rules: Vec<RuleUse>,
    /// The lists before that one, each until its moment.
    pub changes: Vec<RulesUntil>,
    /// The agents that ran.
    pub agents: Agents,
    /// The measurement settings.
    pub measures: Measures,
    /// Whether the run has incidents or changes of rules.
    pub eventful: bool,
    /// Every decision, in the order in which the store answered.
    pub decisions: Vec<Decision>,
    /// Every VM that left a machine early, in time order.
    pub disruptions: Vec<Disruption>,
    /// How many machines were tied for best when a VM was decided, by VM and attempt; empty if this was not recorded.
    pub tied: BTreeMap<(VmId, u32), u32>,
    /// The last placement of each VM and its time, as the world has it.
    pub placements: Vec<Option<(MachineId, Time)>>,
    /// Every machine's state at the end.
    pub machines: Vec<MachineRecord>,
    /// How VMs of a tenant are linked, and their slots; `None` without links.
    pub links: Option<(Links, Vec<u32>)>,
    /// The network at the end, and at the start.
    pub network: Option<(Network, Network)>,
    /// The cores of each cluster's deployments at the end, as admission rules see them; `None` without such rules.
    pub deployed: Option<Vec<f64>>,
    /// The samples.
    pub series: Series,
    /// The summary.
    pub summary: Summary,
}

impl Ledger {
    /// The record of a case's world that has run to the end.
    #[must_use]
    pub fn of(world: &World, case: &Case) -> Self {
        let (workload, fleet) = (world.plan().workload().clone(), world.plan().fleet().clone());
        let tied = world.probed().iter().map(|it| ((it.vm, it.attempt), it.explanation.funnel.best.len() as u32));
        Self {
            rules: case.rules.clone(),
            changes: case.changes.clone(),
            agents: case.agents,
            measures: case.measures,
            eventful: !case.incidents.is_empty() || !case.changes.is_empty(),
            decisions: world.decisions().to_vec(),
            disruptions: world.disruptions().to_vec(),
            tied: tied.collect(),
            placements: (0..workload.vm_count()).map(|vm| world.placement(VmId(vm))).collect(),
            machines: (0..fleet.machine_count()).map(|id| world.occupancy().record(MachineId(id))).collect(),
            links: world.plan().links().map(|links| (links, slots(&workload))),
            network: world.occupancy().network().cloned().map(|end| (end, Network::idle(&fleet, &case.uplinks))),
            deployed: world.growth().map(|it| it.clusters.iter().map(|cluster| cluster.sums()[0].mean()).collect()),
            series: world.series().clone(),
            summary: world.summary(),
            workload,
            fleet,
        }
    }

    /// Whether a rule is in every list, so that its promise always held.
    pub(crate) fn has_rule(&self, id: &str) -> bool {
        let lists = self.changes.iter().map(|change| &change.rules);
        lists.chain([&self.rules]).all(|rules| rules.iter().any(|rule| rule.id == id))
    }

    /// The largest first parameter of a rule over all lists, if every one has the rule.
    pub(crate) fn widest(&self, id: &str) -> Option<u32> {
        let lists = self.changes.iter().map(|change| &change.rules).chain([&self.rules]);
        let values = lists.map(|rules| Some(*rules.iter().find(|rule| rule.id == id)?.values.first()? as u32));
        values.collect::<Option<Vec<_>>>()?.into_iter().max()
    }

    /// Whether the rule list at this time lets high-priority VMs evict low-priority ones.
    pub(crate) fn lets_evict(&self, at: Time) -> bool {
        let held = self.changes.iter().find(|change| at < change.until && change.until > Time::ZERO);
        let rules = held.map_or(&self.rules, |change| &change.rules);
        rules.iter().any(|rule| rule.id == REQUIRED_RULE && rule.values.first() == Some(&1.0))
    }

    /// The tenant of a VM.
    pub(crate) fn tenant(&self, vm: VmId) -> u64 {
        self.workload.tenant(self.workload.request_of(vm))
    }
}

/// Whether a VM that leaves for this reason needs another machine.
pub(crate) const fn is_homeless(reason: Reason) -> bool {
    !matches!(reason, Reason::Evicted | Reason::Migrated(_))
}
