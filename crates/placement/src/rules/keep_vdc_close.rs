//! `KeepVdcClose` (Gridiron section III-D, other levels of the network).

use tiebreak_model::{RackView, TenantView, VmRequest, declare};

use crate::rule::{OfTenantOnRack, Preference};

declare! {
    /// Prefers the rack that hosts the most VMs of the same virtual datacenter.
    ///
    /// Links inside a rack use only the uplinks of its machines, not those of the rack, which often carry less than
    /// all its machines could send. If the rack fails, the whole VDC fails with it. (Gridiron sections III-C and
    /// III-D)
    pub struct KeepVdcClose as "Keep VDC in one rack" {}
}

impl Preference for KeepVdcClose {
    type Reach = OfTenantOnRack;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    fn score(&self, (): &(), rack: TenantView<RackView<'_>>) -> f64 {
        1.0 / (1.0 + f64::from(rack.tenant_vms))
    }
}
