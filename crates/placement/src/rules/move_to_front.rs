//! `MoveToFront`: the Any Fit rule for dynamic bin packing that packs best on average (Li et al.).

use tiebreak_model::{UsedView, VmRequest, declare};

use crate::rule::{OfUsedMachine, Preference};

declare! {
    /// Prefers the machine that received a VM last; machines without VMs come last.
    ///
    /// As if machines stood in a list, and the one that takes a VM moved to its front. VMs that arrive together share
    /// machines, and leave them together if they live about as long. A departing VM moves nothing, and a machine that
    /// becomes empty leaves the list. Agents order machines by the placements that they know of. Compare without
    /// buckets: with them, almost all machines are equal. It is meant to save machine-hours in use: compare
    /// `machine_hours` of two runs. (Li et al., arXiv 1408.4156)
    pub struct MoveToFront as "Last used first" {}
}

impl Preference for MoveToFront {
    type Reach = OfUsedMachine;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    #[inline]
    fn score(&self, (): &(), machine: UsedView<'_>) -> f64 {
        1.0 - f64::from(machine.last_use.number()) / f64::from(u32::MAX)
    }
}
