//! `SpreadsOverFaultDomains` (Protean sections 2.1 and 3.1, fault domains).

use tiebreak_model::{RackView, TenantView, VmRequest, declare};

use crate::rule::{OfTenantOnRack, Validator};

declare! {
    /// Limits a tenant's VMs in a rack to its share: 10 VMs over 5 fault domains are at most 2 per rack. A tenant's
    /// own limit per rack counts too.
    ///
    /// When a rack fails, the tenant keeps its other VMs. The rule needs free capacity in many racks at once, so a
    /// zone with plenty of free cores in few racks still refuses the tenant: FdEmptyNodes and PreferLeastUsedRack
    /// preserve that capacity. (Protean sections 2.1 and 3.1)
    pub struct SpreadsOverFaultDomains as "Spread tenant over fault domains" {}
}

impl Validator for SpreadsOverFaultDomains {
    type Reach = OfTenantOnRack;
    /// How many of the tenant's VMs one rack may host; `None` means any number.
    type Key = Option<u32>;

    fn key(&self, vm: &VmRequest) -> Option<u32> {
        vm.shape.terms.rack_cap(vm.tenant.wanted)
    }

    fn concerns(&self, cap: &Option<u32>) -> bool {
        cap.is_some()
    }

    fn is_valid(&self, cap: &Option<u32>, rack: TenantView<RackView<'_>>) -> bool {
        cap.is_none_or(|cap| rack.tenant_vms < cap)
    }
}
