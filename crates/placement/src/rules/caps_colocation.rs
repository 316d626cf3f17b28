//! `CapsColocation` (Gridiron section III-E, the co-location degree D).

use tiebreak_model::{MachineView, TenantView, VmRequest, declare};

use crate::rule::{OfTenantOnMachine, Validator};

declare! {
    /// A machine takes no more than so many VMs of one virtual datacenter.
    ///
    /// With a cap D and P VMs at most, no uplink ever carries more than D times (P - D) links of one
    /// VDC, so smaller caps leave each link more bandwidth; with half of P or more the cap changes
    /// nothing. It costs network all the same: VMs that stand apart need an uplink where
    /// those on one machine need none. (Gridiron section III-E)
    pub struct CapsColocation as "Limit VDC's VMs per machine" {
        /// VMs of one VDC that a machine may host: the paper's D. Larger lets more of them stand together.
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
