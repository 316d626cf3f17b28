//! The tenant whose request is being decided: its VMs, its forecast, and how rules see both.

use tiebreak_model::{
    Fleet, Footprint, Growth, Links, MachineId, Needs, Occupancy, Peer, Scene, ShapeId, TenantSize, VmRequest, VmShape,
};
use tiebreak_placement::{Draw, Request};

/// The tenant whose request is being decided.
#[derive(Default)]
pub(crate) struct Asking {
    pub(crate) size: TenantSize,
    pub(crate) footprint: Footprint,
    /// The VM being decided as an endpoint of links, and their bandwidth; `None` if VMs are not linked.
    peer: Option<Peer>,
    pub(crate) needs: Needs,
    /// Whether it starts a deployment, so that admission rules apply.
    pub(crate) is_new: bool,
}

impl Asking {
    /// Resets to a tenant about which nothing is known yet.
    pub(crate) fn begin(&mut self) {
        self.is_new = false;
        self.size = TenantSize::default();
        self.footprint.clear();
    }

    /// Sets the tenant's footprint here, if any, and how many more VMs it requests.
    pub(crate) fn stand(&mut self, footprint: Option<&Footprint>, more: u32) {
        if let Some(footprint) = footprint {
            self.footprint.copy_from(footprint);
        }
        let placed = self.footprint.total();
        self.size = TenantSize { placed, wanted: placed + more };
    }

    /// Sets the endpoint of links and their bandwidth, wherever the other endpoints are.
    pub(crate) fn link(&mut self, fleet: &Fleet, links: &Links, peer: Peer) {
        self.needs.fill(fleet, links, peer, self.footprint.members());
        self.peer = Some(peer);
    }

    /// One of its VMs as rules see it. A VM without terms is like any other such VM, even if other VMs of its tenant
    /// have terms.
    pub(crate) fn request(&self, shape: VmShape) -> VmRequest {
        let alone = VmRequest::alone(shape);
        if shape.terms.is_none() { alone } else { VmRequest { tenant: self.size, ..alone } }
    }

    /// Where the tenant's VMs are, as rules about one of them see it.
    fn footprint(&self, shape: &VmShape) -> &Footprint {
        if shape.terms.is_none() && self.peer.is_none() { Footprint::NONE } else { &self.footprint }
    }

    /// What a decision about one of its VMs reads; `growth` has the forecasts, if a rule reads them.
    pub(crate) fn scene<'a>(
        &'a self,
        occupancy: &'a Occupancy,
        shape: &VmShape,
        growth: Option<&'a Growth>,
    ) -> Scene<'a> {
        let growth = growth.filter(|_| self.is_new);
        Scene { occupancy, footprint: self.footprint(shape), needs: &self.needs, growth }
    }

    /// The request to place one of its VMs.
    pub(crate) fn to_place<'a>(
        &'a self,
        shape: ShapeId,
        vm: &'a VmRequest,
        draw: Draw,
        growth: Option<&'a Growth>,
    ) -> Request<'a> {
        let growth = growth.filter(|_| self.is_new);
        Request { shape, vm, footprint: self.footprint(&vm.shape), needs: &self.needs, growth, draw }
    }

    /// Where the other VMs of the VDC are, and the bandwidth of the VM's links to them.
    pub(crate) fn company(&self) -> (Footprint, Needs) {
        (self.footprint.clone(), self.needs.clone())
    }

    /// The VM being decided has a machine.
    pub(crate) fn assign(&mut self, machine: MachineId, shape: &VmShape) {
        match self.peer {
            Some(peer) => self.footprint.join(machine, peer),
            None if shape.terms.is_none() => return,
            None => self.footprint.add(machine),
        }
        self.size.placed += 1;
    }

    /// The VM being decided is about to leave a machine.
    pub(crate) fn leave(&mut self, machine: MachineId, shape: &VmShape) {
        match self.peer {
            Some(peer) => self.footprint.part(machine, peer),
            None if shape.terms.is_none() => return,
            None => self.footprint.remove(machine),
        }
        self.size = TenantSize { placed: self.size.placed - 1, wanted: self.size.wanted - 1 };
    }
}
