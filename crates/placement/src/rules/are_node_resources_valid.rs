//! `AreNodeResourcesValid` (Protean section 3.2, example 1 of validators).

use tiebreak_model::{MachineView, Resources, VmRequest, declare};

use crate::rule::{OfMachine, Validator};

declare! {
    /// The machine has enough free cores, memory, SSD and network for the VM.
    ///
    /// No list works without this rule: it is always on, and the authoritative store checks it again at every
    /// commit, so no machine is ever over-committed. (Protean section 3.2)
    pub struct AreNodeResourcesValid as "Enough free resources" {
        /// Count the capacity of low-priority VMs as free for VMs of the highest priority. If it is needed, the
        /// store evicts as few of them as possible. AvoidEvictions keeps evictions rare. (Protean section 2.1)
        evict: bool = false, 0 => 1, "";
    }
}

impl Validator for AreNodeResourcesValid {
    type Reach = OfMachine;
    /// The VM's demand, and whether it may use the capacity of low-priority VMs.
    type Key = (Resources, bool);

    fn key(&self, vm: &VmRequest) -> (Resources, bool) {
        (vm.shape.demand, self.evict && !vm.shape.is_evictable())
    }

    fn must_be_free(&self, (demand, may_evict): &(Resources, bool)) -> Resources {
        if *may_evict { Resources::NONE } else { *demand }
    }

    #[inline]
    fn is_valid(&self, (demand, may_evict): &(Resources, bool), machine: MachineView<'_>) -> bool {
        if *may_evict { has_room_with_evictions(*demand, machine) } else { machine.free().covers(*demand) }
    }
}

/// Kept as a separate function, so that the usual check is small enough to be inlined where machines are judged.
#[inline(never)]
fn has_room_with_evictions(demand: Resources, machine: MachineView<'_>) -> bool {
    machine.evictable().covers(machine.free().shortage(demand))
}
