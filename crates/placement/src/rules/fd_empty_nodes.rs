//! `FdEmptyNodes` (Protean section 6.2 and Fig. 9, where it is one of the cached rules).

use tiebreak_model::{RackView, VmRequest, declare};

use crate::rule::{OfRack, Preference};

declare! {
    /// Prefers racks with a larger share of empty machines, so that every fault domain keeps some.
    ///
    /// It matters when a VM needs an empty machine: the rule takes it from the rack that has most of them, so no
    /// rack runs out. A large VM, or a tenant that spreads over many racks, then finds an empty machine in each.
    /// Below PreferNonEmptyMachines the rule does just that. Above it, small VMs go to the empty machines too:
    /// watch the empty hosts disappear. (Protean section 6.2, Fig. 9)
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
