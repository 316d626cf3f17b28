//! `CapsColocation` (Gridiron section III-E, the co-location degree D).

use tiebreak_model::{MachineView, TenantView, VmRequest, declare};

use crate::rule::{OfTenantOnMachine, Validator};

declare! {
    /// Limits the VMs of one virtual datacenter on one machine.
    ///
    /// With a limit D and at most P VMs, no uplink carries more than D times (P - D) links of one VDC. So a smaller
    /// limit leaves each link more bandwidth; at half of P or more, the limit has no effect. It still costs
    /// bandwidth: VMs on different machines need an uplink, VMs on one machine do not. (Gridiron section III-E)
    pub struct CapsColocation as "Limit VDC's VMs per machine" {
        /// VMs of one VDC that a machine may host: D in the paper.
        vms: u32 = 1, 1 => 10000, "VMs";
    }
}

impl Validator for CapsColocation {
    type Reach = OfTenantOnMachine;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    #[inline]
    fn is_valid(&self, (): &(), machine: TenantView<MachineView<'_>>) -> bool {
        machine.tenant_vms < self.vms
    }
}
