//! `IsNotAtRisk` (Protean section 3.1, machines likely to fail in the near future).

use tiebreak_model::{MachineView, VmRequest, declare};

use crate::rule::{OfMachine, Validator};

declare! {
    /// The machine is not likely to fail soon: its risk is below the threshold.
    ///
    /// Every machine refused is capacity that nobody can use, so a low threshold trades
    /// rejections now for fewer VMs that have to be placed again when machines fail. For a
    /// softer answer leave it off and use PreferHealthierMachines. (Protean section 3.1)
    pub struct IsNotAtRisk as "Avoid machines likely to fail" {
        /// Risk from which on a machine takes no new VM; larger uses more machines and loses
        /// more VMs with them.
        threshold: u32 = 50, 1 => 100, "%";
    }
}

impl Validator for IsNotAtRisk {
    type Reach = OfMachine;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    #[inline]
    fn is_valid(&self, (): &(), machine: MachineView<'_>) -> bool {
        u32::from(machine.risk()) < self.threshold
    }
}
