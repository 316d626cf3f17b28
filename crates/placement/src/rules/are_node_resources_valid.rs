//! `AreNodeResourcesValid` (Protean section 3.2, example 1 of validators).

use tiebreak_model::{MachineView, Resources, VmShape, declare};

use crate::rule::{OfMachine, Validator};

declare! {
    /// The machine has enough free cores, memory, SSD and network for the VM.
    ///
    /// The one rule no list can do without: it is always on, and the authoritative
    /// store checks it again at every commit, so no machine is ever over-committed.
    /// (Protean section 3.2)
    pub struct AreNodeResourcesValid as "AreNodeResourcesValid" {}
}

impl Validator for AreNodeResourcesValid {
    type Reach = OfMachine;
    type Key = Resources;

    fn key(&self, vm: &VmShape) -> Resources {
        vm.demand
    }

    #[inline]
    fn is_valid(&self, demand: &Resources, machine: MachineView<'_>) -> bool {
        machine.free().covers(*demand)
    }
}
