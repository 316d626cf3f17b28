//! `AvoidEvictions` (Protean section 3.1, "minimize their eviction rates"; section 3.2).

use tiebreak_model::{MachineView, Resource, Resources, VmRequest, declare};

use crate::rule::{OfMachine, Preference};

declare! {
    /// Prefers machines where no low-priority VM has to be evicted. If there are none, it prefers those where the
    /// least capacity has to come from evictions.
    ///
    /// It acts only where AreNodeResourcesValid may evict. The score is 0 if the VM fits into the free capacity.
    /// Otherwise it is the missing share of its demand, for the resource that is missing most. Below BestFit it has
    /// no effect, because to BestFit a machine without free capacity is the fullest of all. Put it first and watch
    /// the evictions. (Protean sections 3.1 and 3.2)
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
