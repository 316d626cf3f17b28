//! What a decision asks of the store, machine by machine: a machine takes its part whole
//! or the commit fails (Protean section 5.3).

use alloc::vec::Vec;

use tiebreak_model::{MachineId, MachineRecord, Occupancy, Readiness, VmId};
use tiebreak_placement::Policy;

use super::agent::Assignment;
use super::evictions::Evictable;

/// What a decision makes of one machine.
#[derive(Clone, Copy)]
pub(crate) struct Demand {
    pub(crate) machine: MachineId,
    /// The machine's state with its part taken; none when it does not fit.
    pub(crate) after: Option<MachineRecord>,
}

/// What a decision makes of all its machines, and which VMs it puts out.
#[derive(Default)]
pub(crate) struct Demands {
    pub(crate) machines: Vec<Demand>,
    pub(crate) victims: Vec<(MachineId, VmId)>,
}

impl Demands {
    /// What a machine will be like; it takes part in a decision that the store can take.
    pub(crate) fn after(&self, machine: MachineId) -> MachineRecord {
        let demand = self.machines.iter().find(|demand| demand.machine == machine);
        demand.and_then(|demand| demand.after).expect("checked to fit")
    }

    /// Adds a decision up on what is really in use.
    pub(crate) fn add_up(
        &mut self,
        assignments: &[Assignment],
        policy: &Policy,
        truth: &Occupancy,
        evictable: &Evictable,
    ) {
        self.machines.clear();
        self.victims.clear();
        for it in assignments {
            let known = self.machines.iter().position(|demand| demand.machine == it.machine);
            let at = known.unwrap_or_else(|| {
                let record = Some(truth.record(it.machine)).filter(|record| takes_vms(record, policy));
                self.machines.push(Demand { machine: it.machine, after: record });
                self.machines.len() - 1
            });
            let Some(record) = self.machines[at].after else { continue };
            self.machines[at].after = record.with(&it.shape).or_else(|| {
                let allowed = policy.lets_evict(&it.shape);
                allowed.then(|| evictable.make_room(it.machine, record, &it.shape, &mut self.victims)).flatten()
            });
        }
    }
}

/// Whether the store may put VMs on a machine, which cannot be left to a stale view: never on a
/// failed one, and where the rules ask for ready machines, on no other.
pub(crate) fn takes_vms(machine: &MachineRecord, policy: &Policy) -> bool {
    match machine.readiness {
        Readiness::Ready => true,
        Readiness::Unready => !policy.rule_ids().any(|id| id == "IsMachineReady"),
        Readiness::Failed => false,
    }
}
