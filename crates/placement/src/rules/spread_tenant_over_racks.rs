//! `SpreadTenantOverRacks` (Protean section 6.3, balancing over fault domains).

use tiebreak_model::{RackView, TenantView, VmRequest, declare};

use crate::rule::{OfTenantOnRack, Preference};

declare! {
    /// Prefers racks in which the tenant has fewer VMs.
    ///
    /// SpreadsOverFaultDomains refuses racks; this rule only ranks them: it spreads a tenant as far as the rules
    /// above allow, and never refuses one. At the top of the list it spreads every tenant with placement terms over
    /// as many racks as it has VMs, at the cost of packing. With one bucket it only prefers a rack without the
    /// tenant's VMs. It does not distinguish tenants without placement terms and has no effect on their VMs.
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
