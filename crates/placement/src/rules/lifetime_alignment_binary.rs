//! `LifetimeAlignmentBinary`: LA-Binary (LAVA sections 2.4 and 5.3, on Barbalho et al.).

use tiebreak_model::{MachineView, VmRequest, declare};

use crate::rule::{OfMachine, Preference};

declare! {
    /// Keeps short-lived and long-lived VMs on different machines (LA-Binary): machines of the VM's class first,
    /// then other used machines, then empty ones.
    ///
    /// There are two classes, short and long, and a VM gets its class from the prediction at its arrival. A machine
    /// is long if any of its VMs is. With the packing rule below it, this is the best of the published one-shot
    /// algorithms, and the one that NILAS and LAVA are compared with. (LAVA sections 2.4 and 5.3, on Barbalho et
    /// al., MLSys 2023)
    pub struct LifetimeAlignmentBinary as "Separate short and long lifetimes" {
        /// VMs with a predicted lifetime of at least this long count as long-lived.
        threshold_hours: f64 = 2, 0 => 10000, "h";
    }
}

impl LifetimeAlignmentBinary {
    fn is_long(&self, life_s: u32) -> bool {
        f64::from(life_s) >= self.threshold_hours * 3_600.0
    }
}

impl Preference for LifetimeAlignmentBinary {
    type Reach = OfMachine;
    type Key = bool;
    const LEVELS: Option<u32> = Some(3);

    fn key(&self, vm: &VmRequest) -> bool {
        self.is_long(vm.life.first_s)
    }

    fn score(&self, long: &bool, machine: MachineView<'_>) -> f64 {
        if machine.vms() == 0 {
            1.0
        } else if self.is_long(machine.longest_life_s()) == *long {
            0.0
        } else {
            0.5
        }
    }
}
