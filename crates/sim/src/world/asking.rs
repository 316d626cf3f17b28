//! A tenant's request: what is known about the tenant and about the VM to place.

use tiebreak_model::{PredictedLife, ShapeId, VmId, VmRequest};

use super::World;
use crate::agents::job::Job;

impl World {
    /// A tenant begins a request: loads its footprint and its forecast.
    pub(super) fn ask(&mut self, job: Job) {
        let workload = &self.plan.workload;
        self.asking.begin();
        let asks = |vm: u32| !workload.shape_of_vm(VmId(vm)).terms.is_none();
        if self.systems.network.is_none() && !job.vms(workload).any(asks) {
            return;
        }
        let footprint = self.systems.footprint(workload.tenant(job.request(workload)));
        self.asking.stand(footprint, job.vms(workload).len() as u32);
    }

    /// Selects the VM to place, and computes the bandwidth of its links to the others.
    pub(super) fn ask_for(&mut self, vm: VmId) {
        if let Some(book) = &self.systems.network {
            let peer = book.peer(vm, self.plan.workload.shape_of_vm(vm));
            self.asking.link(&self.plan.fleet, book.links(), peer);
        }
    }

    /// A VM as rules see it, and the name of its shape.
    pub(super) fn asked(&self, vm: VmId, life: PredictedLife) -> (ShapeId, VmRequest) {
        let shape = self.plan.workload.shape_of(vm);
        (shape, VmRequest { life, ..self.asking.request(*self.plan.workload.shape(shape)) })
    }
}
