//! What a run left behind, as plain data: laws are checked against it, and a test can
//! spoil a copy to see that they notice.

use std::sync::Arc;

use tiebreak_model::{Fleet, MachineId, MachineRecord, Time, VmId, Workload};
use tiebreak_sim::{Agents, Decision, Series, Summary, World};

/// The record of a finished run.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// Who asked for what.
    pub workload: Arc<Workload>,
    /// Where everything stands.
    pub fleet: Arc<Fleet>,
    /// The agents that ran.
    pub agents: Agents,
    /// Every decision in the order the store took them.
    pub decisions: Vec<Decision>,
    /// Where the world says each VM was placed, and when.
    pub placements: Vec<Option<(MachineId, Time)>>,
    /// Every machine's state at the end.
    pub machines: Vec<MachineRecord>,
    /// The samples.
    pub series: Series,
    /// What came out.
    pub summary: Summary,
}

impl Ledger {
    /// The record of a world that has run to its end under these agents.
    #[must_use]
    pub fn of(world: &World, agents: Agents) -> Self {
        let (workload, fleet) = (world.plan().workload().clone(), world.plan().fleet().clone());
        Self {
            agents,
            decisions: world.decisions().to_vec(),
            placements: (0..workload.vm_count()).map(|vm| world.placement(VmId(vm))).collect(),
            machines: (0..fleet.machine_count()).map(|id| world.occupancy().record(MachineId(id))).collect(),
            series: world.series().clone(),
            summary: world.summary(),
            workload,
            fleet,
        }
    }
}
