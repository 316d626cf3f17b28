//! `AvoidEvictions` (Protean section 3.1, "minimize their eviction rates"; section 3.2).

use tiebreak_model::{MachineView, Resource, Resources, VmRequest, declare};

use crate::rule::{OfMachine, Preference};

declare! {
    /// Prefers machines where no low-priority VM has to be put out; where none is left,
    /// those on which as little as possible has to come from evictions.
    ///
    /// It has something to say only where AreNodeResourcesValid may evict. The score is 0
    /// where the VM fits into what is free, else the share of its demand that is missing, of
    /// the resource that is missing most. Below BestFit it comes too late: to BestFit a
    /// machine without free room is the fullest of all. Put it first and watch the evictions.
    /// (Protean sections 3.1 and 3.2)
    pub struct AvoidEvictions as "Fewest evictions first" {}
}

impl Preference for AvoidEvictions {
    type Reach = OfMachine;
    type Key = Resources;

    fn key(&self, vm: &VmRequest) -> Resources {
        vm.shape.demand
    }

    #[inline]
    fn score(&self, demand: &Resources, machine: MachineView<'_>) -> f64 {
        let missing = machine.free().shortage(*demand);
        let share = |resource: Resource| f64::from(missing[resource]) / f64::from(demand[resource]);
        let asked = Resource::ALL.into_iter().filter(|resource| demand[*resource] > 0);
        asked.map(share).fold(0.0, f64::max)
    }
}
