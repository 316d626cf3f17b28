//! `SpreadTenantOverRacks` (Protean section 6.3, balancing over fault domains).

use tiebreak_model::{RackView, TenantView, VmRequest, declare};

use crate::rule::{OfTenantOnRack, Preference};

declare! {
    /// Prefers racks in which the tenant has fewer VMs.
    ///
    /// Where SpreadsOverFaultDomains refuses, this one only leans: a tenant is spread as far
    /// as the rules above allow, and nobody is refused for it. Dragged to the top it spreads
    /// every tenant that asks for anything over as many racks as it has VMs, and packing
    /// pays; with one bucket it only asks for a rack without any of them. Tenants that ask
    /// for nothing are not told apart, and it says nothing about their VMs.
    /// (Protean section 6.3)
    pub struct SpreadTenantOverRacks as "Prefer racks without the tenant" {}
}

impl Preference for SpreadTenantOverRacks {
    type Reach = OfTenantOnRack;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    fn score(&self, (): &(), rack: TenantView<RackView<'_>>) -> f64 {
        let vms = f64::from(rack.tenant_vms);
        vms / (vms + 1.0)
    }
}
