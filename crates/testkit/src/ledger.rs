//! What a run left behind, as plain data: laws are checked against it, and a test can
//! spoil a copy to see that they notice.

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
    /// Who asked for what.
    pub workload: Arc<Workload>,
    /// Where everything stands.
    pub fleet: Arc<Fleet>,
    /// The list of rules that ran, or the last one.
    pub rules: Vec<RuleUse>,
    /// The lists before that one, each until its moment.
    pub changes: Vec<RulesUntil>,
    /// The agents that ran.
    pub agents: Agents,
    /// How it was measured.
    pub measures: Measures,
    /// Whether anything happened to the zone from outside, or another list of rules took over.
    pub eventful: bool,
    /// Every decision in the order the store took them.
    pub decisions: Vec<Decision>,
    /// Every VM that left a machine before its time, in the order of it.
    pub disruptions: Vec<Disruption>,
    /// How many machines were tied for best when a VM was decided, by VM and attempt; empty
    /// when nobody looked.
    pub tied: BTreeMap<(VmId, u32), u32>,
    /// Where the world says each VM was placed last, and when.
    pub placements: Vec<Option<(MachineId, Time)>>,
    /// Every machine's state at the end.
    pub machines: Vec<MachineRecord>,
    /// How VMs of one tenant are linked, and their slots; where they are not, none.
    pub links: Option<(Links, Vec<u32>)>,
    /// The network at the end, and in the beginning.
    pub network: Option<(Network, Network)>,
    /// Cores that each cluster's deployments have at the end, as rules about admission see them; none where there
    /// are no such rules.
    pub deployed: Option<Vec<f64>>,
    /// The samples.
    pub series: Series,
    /// What came out.
    pub summary: Summary,
}

impl Ledger {
    /// The record of a case's world that has run to its end.
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

    /// Whether a rule is in every list, so that what it promises was never broken.
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

    /// Whether the list that held then lets VMs of high priority put out ones of low priority.
    pub(crate) fn lets_evict(&self, at: Time) -> bool {
        let held = self.changes.iter().find(|change| at < change.until && change.until > Time::ZERO);
        let rules = held.map_or(&self.rules, |change| &change.rules);
        rules.iter().any(|rule| rule.id == REQUIRED_RULE && rule.values.first() == Some(&1.0))
    }

    /// Who asked for a VM.
    pub(crate) fn tenant(&self, vm: VmId) -> u64 {
        self.workload.tenant(self.workload.request_of(vm))
    }
}

/// Whether a VM that leaves for this reason needs another machine.
pub(crate) const fn is_homeless(reason: Reason) -> bool {
    !matches!(reason, Reason::Evicted | Reason::Migrated(_))
}
