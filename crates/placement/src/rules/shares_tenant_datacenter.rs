//! `SharesTenantDatacenter` (Protean section 2.1, co-location within a datacenter).

use tiebreak_model::{HardwareView, Scope, TenantView, VmRequest, declare};

use crate::rule::{OfTenantOnDatacenter, Validator};

declare! {
    /// Keeps a tenant that requires one datacenter there: once it has a VM, only clusters of that datacenter are
    /// candidates.
    ///
    /// The first VM determines the datacenter for all later ones. If that datacenter runs full, the tenant cannot
    /// grow, although the next datacenter is empty: compare its refusals with and without PreferEmptierClusters.
    /// (Protean section 2.1)
    pub struct SharesTenantDatacenter as "Keep tenant in one datacenter" {}
}

impl Validator for SharesTenantDatacenter {
    type Reach = OfTenantOnDatacenter;
    /// Whether the tenant must stay where its VMs are. A tenant that must share a cluster or a rack shares the
    /// datacenter too.
    type Key = bool;

    fn key(&self, vm: &VmRequest) -> bool {
        vm.shape.terms.scope >= Scope::Datacenter && vm.tenant.placed > 0
    }

    fn concerns(&self, is_bound: &bool) -> bool {
        *is_bound
    }

    fn is_valid(&self, is_bound: &bool, datacenter: TenantView<HardwareView<'_>>) -> bool {
        !is_bound || datacenter.tenant_vms > 0
    }
}
