//! `LavaHostClass`: LAVA's choice of hosts by lifetime class (LAVA section 4.3, Algorithm 3).

use tiebreak_model::{MachineView, Phase, VmRequest, declare};

use crate::rule::{OfMachine, Preference};

declare! {
    /// Fills machines that recycle with VMs of shorter lives (LAVA): first machines that recycle
    /// and are of a higher lifetime class, the closest first; then open ones of the same class;
    /// then any in use; then empty ones.
    ///
    /// A VM far shorter than those that a machine waits for anyway keeps it no longer, even
    /// when it is predicted wrong. An empty machine opens for the class of its first VM; once it
    /// is full it recycles; when the VMs it waits for are gone its class drops, and when it should
    /// have been free long ago its class rises. The classes, and when a machine counts as full,
    /// are set beside the predictor. Put TemporalCost just below: it breaks the ties, as in the
    /// paper. (LAVA section 4.3; Algorithm 3)
    pub struct LavaHostClass as "LavaHostClass" {}
}

impl Preference for LavaHostClass {
    type Reach = OfMachine;
    type Key = u32;
    const LEVELS: Option<u32> = Some(7);

    fn key(&self, vm: &VmRequest) -> u32 {
        u32::from(vm.outlook.class)
    }

    fn score(&self, class: &u32, machine: MachineView<'_>) -> f64 {
        let (phase, host) = machine.lifetime_class();
        let host = u32::from(host);
        let level = match phase {
            // Five classes, so a higher one is one to four above.
            Phase::Recycling if host > *class => (host - class - 1).min(3),
            Phase::Open if host == *class => 4,
            _ if machine.vms() > 0 => 5,
            _ => 6,
        };
        f64::from(level) / 6.0
    }
}
