//! `PreferNonEmptyMachines` (Protean section 3.2, example 2 of preferences).

use tiebreak_model::{MachineView, VmRequest, declare};

use crate::rule::{OfMachine, Preference};

declare! {
    /// Prefers machines that already host a VM over empty ones.
    ///
    /// Machines that stay empty can be switched off, updated, or given to a VM that needs a whole one. Below a
    /// fine-grained BestFit this rule has little left to decide: drag it and watch the empty hosts. (Protean
    /// section 3.2)
    pub struct PreferNonEmptyMachines as "Fill used machines first" {}
}

impl Preference for PreferNonEmptyMachines {
    type Reach = OfMachine;
    type Key = ();

    const LEVELS: Option<u32> = Some(2);

    fn key(&self, _: &VmRequest) {}

    #[inline]
    fn score(&self, (): &(), machine: MachineView<'_>) -> f64 {
        if machine.vms() > 0 { 0.0 } else { 1.0 }
    }
}
