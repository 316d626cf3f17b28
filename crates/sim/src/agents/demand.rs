//! What a decision needs from the store, machine by machine: a machine accepts its part completely or the commit
//! fails (Protean section 5.3).

use alloc::vec::Vec;

use tiebreak_model::{MachineId, MachineRecord, Occupancy, Readiness, VmId};
use tiebreak_placement::Policy;

use super::agent::Assignment;
use super::evictions::Evictable;

/// A decision's effect on one machine.
#[derive(Clone, Copy)]
pub(crate) struct Demand {
    pub(crate) machine: MachineId,
    /// The machine's state including its part; `None` if it does not fit.
    pub(crate) after: Option<MachineRecord>,
}

/// A decision's effect on all its machines, and the VMs it evicts.
#[derive(Default)]
pub(crate) struct Demands {
    pub(crate) machines: Vec<Demand>,
    pub(crate) victims: Vec<(MachineId, VmId)>,
}

impl Demands {
    /// A machine's state afterwards; only for a machine of a decision that the store can accept.
    pub(crate) fn after(&self, machine: MachineId) -> MachineRecord {
        let demand = self.machines.iter().find(|demand| demand.machine == machine);
        demand.and_then(|demand| demand.after).expect("checked to fit")
    }

    /// Sums up a decision on top of actual usage.
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

/// Whether the store may place VMs on a machine, whatever a stale view says: never on a failed one, and only on ready
/// ones if the policy requires that.
pub(crate) fn takes_vms(machine: &MachineRecord, policy: &Policy) -> bool {
    match machine.readiness {
        Readiness::Ready => true,
        Readiness::Unready => !policy.rule_ids().any(|id| id == "IsMachineReady"),
        Readiness::Failed => false,
    }
}
