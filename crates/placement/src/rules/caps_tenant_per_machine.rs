//! `CapsTenantPerMachine` (Protean section 2.1, too many VMs on the same machine).

use tiebreak_model::{MachineView, TenantView, VmRequest, declare};

use crate::rule::{OfTenantOnMachine, Validator};

declare! {
    /// Limits a tenant's VMs on one machine to the number that the tenant allows.
    ///
    /// A limit of 1 separates replicas: one failed machine costs the tenant one VM. BestFit prefers the opposite,
    /// the next VM next to the last one. So a tenant with many small VMs and a low limit occupies many machines:
    /// watch the packing density. (Protean section 2.1)
    pub struct CapsTenantPerMachine as "Limit tenant's VMs per machine" {}
}

impl Validator for CapsTenantPerMachine {
    type Reach = OfTenantOnMachine;
    /// How many of the tenant's VMs one machine may host; `None` means any number.
    type Key = Option<u32>;

    fn key(&self, vm: &VmRequest) -> Option<u32> {
        let cap = vm.shape.terms.per_machine;
        (cap > 0).then_some(u32::from(cap))
    }

    fn concerns(&self, cap: &Option<u32>) -> bool {
        cap.is_some()
    }

    #[inline]
    fn is_valid(&self, cap: &Option<u32>, machine: TenantView<MachineView<'_>>) -> bool {
        cap.is_none_or(|cap| machine.tenant_vms < cap)
    }
}
