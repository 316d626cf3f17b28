//! `IsMachineReady` (Protean section 3.1, "ready" state).

use tiebreak_model::{HostView, Readiness, VmRequest, declare};

use crate::rule::{OfHost, Validator};

declare! {
    /// The machine is ready: not failed, drained or being updated.
    ///
    /// Turn it off to see VMs placed on machines that operations wants empty. (Protean section 3.1)
    pub struct IsMachineReady as "Machine is ready" {}
}

impl Validator for IsMachineReady {
    type Reach = OfHost;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    #[inline]
    fn is_valid(&self, (): &(), host: HostView) -> bool {
        host.readiness == Readiness::Ready
    }
}
