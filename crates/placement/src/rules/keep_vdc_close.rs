//! `KeepVdcClose` (Gridiron section III-D, other levels of the network).

use tiebreak_model::{RackView, TenantView, VmRequest, declare};

use crate::rule::{OfTenantOnRack, Preference};

declare! {
    /// Prefers the rack that hosts most VMs of the same virtual datacenter.
    ///
    /// Links inside a rack take the uplinks of its machines alone, and none of the rack's, which are
    /// often fewer than what all its machines could send. A rack that fails takes the whole VDC with
    /// it. (Gridiron sections III-C and III-D)
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
