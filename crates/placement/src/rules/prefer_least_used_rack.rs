//! `PreferLeastUsedRack` (Protean section 5.2.5, "Global rules").

use tiebreak_model::{RackView, Resource, VmRequest, declare};

use crate::rule::{OfRack, Preference};

declare! {
    /// Prefers machines in the rack with the smallest share of allocated cores.
    ///
    /// Racks are fault domains: if racks are balanced, less is lost when one fails, and each has room for tenants
    /// that must spread. The rule scores a whole rack, so one placement changes its verdict on all machines there;
    /// the engine keeps such rules cheap by ranking the machines of each rack separately. (Protean section 5.2.5)
    pub struct PreferLeastUsedRack as "Least used rack first" {}
}

impl Preference for PreferLeastUsedRack {
    type Reach = OfRack;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    fn score(&self, (): &(), rack: RackView<'_>) -> f64 {
        rack.used_share(Resource::Cores)
    }
}
