//! `SharesTenantRack` (Protean section 2.1, co-location within a narrow part of the inventory).

use tiebreak_model::{RackView, Scope, TenantView, VmRequest, declare};

use crate::rule::{OfTenantOnRack, Validator};

declare! {
    /// Keeps a tenant that requires one rack in the rack of its first VM.
    ///
    /// Its VMs are close to each other and fail together. A rack is small: the preferences choose the rack of the
    /// first VM, and if that rack has no room for the rest, the whole request is refused. PreferLeastUsedRack at
    /// the top of the preferences makes that rarer. (Protean section 2.1)
    pub struct SharesTenantRack as "Keep tenant in one rack" {}
}

impl Validator for SharesTenantRack {
    type Reach = OfTenantOnRack;
    /// Whether the tenant must stay where its VMs are.
    type Key = bool;

    fn key(&self, vm: &VmRequest) -> bool {
        vm.shape.terms.scope == Scope::Rack && vm.tenant.placed > 0
    }

    fn concerns(&self, is_bound: &bool) -> bool {
        *is_bound
    }

    fn is_valid(&self, is_bound: &bool, rack: TenantView<RackView<'_>>) -> bool {
        !is_bound || rack.tenant_vms > 0
    }
}
