//! What a decision needs from the store, machine by machine: a machine accepts its part completely or the commit
//! fails (Protean section 5.3).

use alloc::vec::Vec;

use tiebreak_model::{MachineId, MachineRecord, Occupancy, Readiness, VmId};
use tiebreak_placement::Policy;

use super::agent::Assignment;
use super::by_machine::ByMachine;
use super::evictions::Evictable;

/// A decision's effect on all its machines, and the VMs it evicts.
#[derive(Default)]
pub(crate) struct Demands {
    /// Each machine's state including its part; `None` if it does not fit.
    pub(crate) machines: ByMachine<Option<MachineRecord>>,
    pub(crate) victims: Vec<(MachineId, VmId)>,
}

impl Demands {
    /// A machine's state afterwards; only for a machine of a decision that the store can accept.
    pub(crate) fn after(&self, machine: MachineId) -> &MachineRecord {
        self.machines.get(machine).and_then(Option::as_ref).expect("checked to fit")
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
            let before = || Some(truth.record(it.machine)).filter(|record| takes_vms(record, policy));
            let after = self.machines.get_or_add(it.machine, before);
            let Some(record) = after else { continue };
            if record.add(&it.shape).is_none() {
                let allowed = policy.lets_evict(&it.shape);
                let make_room = || evictable.make_room(it.machine, *record, &it.shape, &mut self.victims);
                *after = allowed.then(make_room).flatten();
            }
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
