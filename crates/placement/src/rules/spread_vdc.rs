//! `SpreadVdc` (Gridiron section III-E, co-location degree 1).

use tiebreak_model::{MachineView, TenantView, VmRequest, declare};

use crate::rule::{OfTenantOnMachine, Preference};

declare! {
    /// Prefers machines that host fewer VMs of the same virtual datacenter.
    ///
    /// Where CapsColocation refuses machines, this rule only avoids them while there are others. No uplink has to
    /// carry the links of several VMs, so VDCs can grow; but all their links use bandwidth, and more machines are
    /// in use. (Gridiron section III-E)
    pub struct SpreadVdc as "Spread VDC over machines" {}
}

impl Preference for SpreadVdc {
    type Reach = OfTenantOnMachine;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    #[inline]
    fn score(&self, (): &(), machine: TenantView<MachineView<'_>>) -> f64 {
        let vms = f64::from(machine.tenant_vms);
        vms / (vms + 1.0)
    }
}
