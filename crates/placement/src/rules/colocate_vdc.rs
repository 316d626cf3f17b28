//! `ColocateVdc` (Gridiron section III-D, co-location).

use tiebreak_model::{MachineView, TenantView, VmRequest, declare};

use crate::rule::{OfTenantOnMachine, Preference};

declare! {
    /// Prefers the machine that hosts the most VMs of the same virtual datacenter.
    ///
    /// VMs on one machine communicate through its hypervisor and use no network bandwidth. But each of them is
    /// linked to all VMs elsewhere, and those links share one uplink. Watch the demand on the network fall and the
    /// refusals by co-location rise. Buckets hide how many VMs there are: with one bucket it only checks whether
    /// there is any. (Gridiron section III-D)
    pub struct ColocateVdc as "Keep VDC on one machine" {}
}

impl Preference for ColocateVdc {
    type Reach = OfTenantOnMachine;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    #[inline]
    fn score(&self, (): &(), machine: TenantView<MachineView<'_>>) -> f64 {
        1.0 / (1.0 + f64::from(machine.tenant_vms))
    }
}
