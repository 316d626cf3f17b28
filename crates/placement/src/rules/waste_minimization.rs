//! `WasteMinimization`: leaves usable capacity free (LAVA section 2.2).

use tiebreak_model::{MachineView, Resources, VmRequest, declare};

use crate::rule::{OfMachine, Preference};

declare! {
    /// Prefers machines whose free resources stay in proportions that other VMs can use.
    ///
    /// The score is the difference between the largest and the smallest share that would stay free, over the cores,
    /// memory, SSD and network of the machine: 80 % of the memory with no core left is unusable. An empty machine
    /// keeps its proportions, so put a rule that avoids empty machines above this one. Google's rule of this name
    /// weights the VM shapes that it expects, which are not published; this one uses the machine's own proportions
    /// for all of them. (LAVA section 2.2)
    pub struct WasteMinimization as "Most balanced free resources first" {}
}

impl Preference for WasteMinimization {
    type Reach = OfMachine;
    type Key = Resources;

    fn key(&self, vm: &VmRequest) -> Resources {
        vm.shape.demand
    }

    fn score(&self, demand: &Resources, machine: MachineView<'_>) -> f64 {
        let (free, capacity) = (machine.free(), machine.capacity());
        let (mut least, mut most) = (1.0_f64, 0.0_f64);
        for resource in tiebreak_model::Resource::ALL {
            if capacity[resource] > 0 {
                let left = f64::from(free[resource].saturating_sub(demand[resource]));
                let share = left / f64::from(capacity[resource]);
                (least, most) = (least.min(share), most.max(share));
            }
        }
        (most - least).max(0.0)
    }
}
