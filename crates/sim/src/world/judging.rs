//! Evaluates a custom rule on the machines in their current state.

use alloc::vec::Vec;

use tiebreak_model::{MachineId, Phrase, VmId, VmRequest};
use tiebreak_placement::custom::{Custom, Fault};

use super::World;
use crate::agents::asking::Asking;

impl World {
    /// A rule's value for every machine in the store's current state, for this VM now, and the rule's words about one
    /// machine.
    ///
    /// # Errors
    /// When the rule's expression has a fault.
    pub fn tried(
        &self,
        rule: &Custom,
        values: &[f64],
        vm: VmId,
        told_of: Option<MachineId>,
    ) -> Result<(Vec<f64>, Option<Phrase>), Fault> {
        let workload = &self.plan.workload;
        let shape = workload.shape_of_vm(vm);
        let mut asking = Asking::default();
        asking.stand(self.systems.footprint(workload.tenant(workload.request_of(vm))), 1);
        if let Some(book) = &self.systems.network {
            asking.link(&self.plan.fleet, book.links(), book.peer(vm, shape));
        }
        let request = VmRequest { life: self.predicted_life(vm), ..asking.request(*shape) };
        rule.tried(values, &request, asking.scene(self.occupancy(), &request.shape, None), told_of)
    }
}
