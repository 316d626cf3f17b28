//! `FdEmptyNodes` (Protean section 6.2 and Fig. 9, where it is one of the cached rules).

use tiebreak_model::{RackView, VmRequest, declare};

use crate::rule::{OfRack, Preference};

declare! {
    /// Prefers racks with a larger share of empty machines, so that every fault domain
    /// keeps a supply of them.
    ///
    /// It matters when an empty machine must be used: that one is taken from the rack that
    /// has most of them, and no rack runs out. A large VM, or a tenant that spreads over many
    /// racks, then finds an empty machine in each. Below PreferNonEmptyMachines it does just
    /// that. Above, it sends small VMs after the empty machines too: watch the empty hosts go.
    /// (Protean section 6.2, Fig. 9)
    pub struct FdEmptyNodes as "Rack with most empty machines" {}
}

impl Preference for FdEmptyNodes {
    type Reach = OfRack;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    fn score(&self, (): &(), rack: RackView<'_>) -> f64 {
        1.0 - rack.empty_share()
    }
}
