//! `BestFit` (Protean section 3.2, example 1 of preferences).

use tiebreak_model::{MachineView, Resource, Resources, VmRequest, declare};

use crate::rule::{OfMachine, Preference};

declare! {
    /// Prefers the machine that would be fullest after placing the VM.
    ///
    /// The score is the weighted sum, over the resources, of the share of the machine that stays free after placing
    /// the VM: `sum w (a - d) / C` with `a` available, `d` requested and `C` the machine's capacity, divided by the
    /// sum of weights, so that it lies between 0 and 1. Few buckets leave ties for the rules below. Without buckets
    /// it packs tightest and sends concurrent agents to the same machines. (Protean section 3.2 and Table 5)
    pub struct BestFit as "Tightest fit first" {
        /// Weight of cores; a larger value makes free cores count more.
        cores_weight: f64 = 1, 0 => 100, "";
        /// Weight of memory; a larger value makes free memory count more.
        memory_weight: f64 = 1, 0 => 100, "";
        /// Weight of local SSD; machines without local SSD are not affected.
        ssd_weight: f64 = 0, 0 => 100, "";
        /// Weight of network bandwidth; machines without it are not affected.
        network_weight: f64 = 0, 0 => 100, "";
    }
}

impl Preference for BestFit {
    type Reach = OfMachine;
    type Key = Resources;

    fn key(&self, vm: &VmRequest) -> Resources {
        vm.shape.demand
    }

    #[inline]
    fn score(&self, demand: &Resources, machine: MachineView<'_>) -> f64 {
        let weights = [self.cores_weight, self.memory_weight, self.ssd_weight, self.network_weight];
        share_left_free(weights, *demand, machine)
    }
}

/// The weighted mean share of the machine that stays free after placing `demand`; 0 if no resource counts. Inlined,
/// because a decision scores dozens of machines and a call for each took 2 % of a run.
#[inline(always)]
pub(super) fn share_left_free(weights: [f64; 4], demand: Resources, machine: MachineView<'_>) -> f64 {
    let (free, capacity) = (machine.free(), machine.capacity());
    let (mut left, mut total) = (0.0, 0.0);
    for (resource, weight) in Resource::ALL.into_iter().zip(weights) {
        if weight > 0.0 && capacity[resource] > 0 {
            let rest = f64::from(free[resource]) - f64::from(demand[resource]);
            left += weight * (rest / f64::from(capacity[resource]));
            total += weight;
        }
    }
    if total > 0.0 { left / total } else { 0.0 }
}
