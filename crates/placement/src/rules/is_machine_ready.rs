//! `IsMachineReady` (Protean section 3.1, "ready" state).

use tiebreak_model::{MachineView, Readiness, VmRequest, declare};

use crate::rule::{OfMachine, Validator};

declare! {
    /// The machine is ready: not failed, drained or being updated.
    ///
    /// Turn it off to see VMs placed on machines that operations wants empty. (Protean section 3.1)
    pub struct IsMachineReady as "Machine is ready" {}
}

impl Validator for IsMachineReady {
    type Reach = OfMachine;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    #[inline]
    fn is_valid(&self, (): &(), machine: MachineView<'_>) -> bool {
        machine.readiness() == Readiness::Ready
    }
}
