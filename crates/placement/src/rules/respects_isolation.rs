//! `RespectsIsolation` (Protean section 2.1, isolation; section 5.3, anti-co-location).

use tiebreak_model::{MachineView, TenantTerms, TenantView, VmRequest, declare};

use crate::rule::{OfTenantOnMachine, Validator};

declare! {
    /// A tenant that requires isolation gets machines without other tenants' VMs, and no other tenant is placed
    /// there.
    ///
    /// Isolation is expensive: one small VM closes a whole machine to all other tenants, and only its own tenant
    /// can use the remaining capacity. Watch the packing density when 1 in 10 tenants requires isolation. The store
    /// checks this again at every commit, because two agents may send two tenants to the same machine. (Protean
    /// sections 2.1 and 5.3)
    pub struct RespectsIsolation as "Isolate tenants that require it" {}
}

impl Validator for RespectsIsolation {
    type Reach = OfTenantOnMachine;
    /// Whether the tenant requires isolation.
    type Key = bool;

    fn key(&self, vm: &VmRequest) -> bool {
        vm.shape.terms.isolated
    }

    fn serves(&self, terms: &TenantTerms) -> bool {
        terms.isolated
    }

    #[inline]
    fn is_valid(&self, isolated: &bool, machine: TenantView<MachineView<'_>>) -> bool {
        let among_its_own = machine.place.vms() <= machine.tenant_vms;
        among_its_own || !isolated && !machine.place.is_isolated()
    }
}
