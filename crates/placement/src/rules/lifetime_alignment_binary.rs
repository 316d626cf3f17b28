//! `LifetimeAlignmentBinary`: LA-Binary (LAVA sections 2.4 and 5.3, on Barbalho et al.).

use tiebreak_model::{MachineView, VmRequest, declare};

use crate::rule::{OfMachine, Preference};

declare! {
    /// Keeps short-lived and long-lived VMs on different machines (LA-Binary): machines of the
    /// VM's class first, then any other that is in use, then empty ones.
    ///
    /// There are two classes, short and long, and a VM has the one that is predicted when it
    /// comes. A machine is long when any of its VMs is. With the packing rule below it, this is
    /// the best of the published one-shot algorithms, and what NILAS and LAVA are measured
    /// against. (LAVA sections 2.4 and 5.3, on Barbalho et al., MLSys 2023)
    pub struct LifetimeAlignmentBinary as "Separate short and long lifetimes" {
        /// VMs predicted to live at least this long are long.
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
