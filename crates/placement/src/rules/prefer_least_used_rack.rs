//! `PreferLeastUsedRack` (Protean section 5.2.5, "Global rules").

use tiebreak_model::{RackView, Resource, VmRequest, declare};

use crate::rule::{OfRack, Preference};

declare! {
    /// Prefers machines in the rack with the smallest share of its cores allocated.
    ///
    /// Racks are fault domains: balanced racks lose less when one fails and leave room
    /// in each for tenants that must spread. It looks at a whole rack, so one placement
    /// changes its verdict on all machines there; the engine keeps such rules cheap by
    /// ranking each rack's machines apart. (Protean section 5.2.5)
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
