//! `IsNotAtRisk` (Protean section 3.1, machines likely to fail in the near future).

use tiebreak_model::{HostView, VmRequest, declare};

use crate::rule::{OfHost, Validator};

declare! {
    /// The machine is not likely to fail soon: its risk is below the threshold.
    ///
    /// Every refused machine is unused capacity, so a low threshold causes more rejections now and fewer
    /// reallocations when machines fail. As a soft constraint, use PreferHealthierMachines instead. (Protean
    /// section 3.1)
    pub struct IsNotAtRisk as "Avoid machines likely to fail" {
        /// Risk at which a machine takes no new VMs. A larger value uses more machines and loses more VMs with
        /// them.
        threshold: u32 = 50, 1 => 100, "%";
    }
}

impl Validator for IsNotAtRisk {
    type Reach = OfHost;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    #[inline]
    fn is_valid(&self, (): &(), host: HostView) -> bool {
        u32::from(host.risk) < self.threshold
    }
}
