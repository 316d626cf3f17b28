//! The tenant whose request is being decided: what it has, what it will have, and what rules read of that.

use tiebreak_model::{
    Fleet, Footprint, Growth, Links, MachineId, Needs, Occupancy, Peer, Scene, ShapeId, TenantSize, VmRequest, VmShape,
};
use tiebreak_placement::{Draw, Request};

/// The tenant whose request is being decided.
#[derive(Default)]
pub(crate) struct Asking {
    pub(crate) size: TenantSize,
    pub(crate) footprint: Footprint,
    /// The VM being decided as an end of links, and what these take; none where VMs are not linked.
    peer: Option<Peer>,
    pub(crate) needs: Needs,
    /// Whether it begins a deployment, so that rules about admission are asked.
    pub(crate) is_new: bool,
}

impl Asking {
    /// A tenant begins to ask, of which nothing is known yet.
    pub(crate) fn begin(&mut self) {
        self.is_new = false;
        self.size = TenantSize::default();
        self.footprint.clear();
    }

    /// It has VMs here, if it has any, and asks for so many more.
    pub(crate) fn stand(&mut self, footprint: Option<&Footprint>, more: u32) {
        if let Some(footprint) = footprint {
            self.footprint.copy_from(footprint);
        }
        let placed = self.footprint.total();
        self.size = TenantSize { placed, wanted: placed + more };
    }

    /// It asks for this end of links: what they take, wherever the other ends stand.
    pub(crate) fn link(&mut self, fleet: &Fleet, links: &Links, peer: Peer) {
        self.needs.fill(fleet, links, peer, self.footprint.members());
        self.peer = Some(peer);
    }

    /// One of its VMs as rules read it. A VM that asks for nothing is like any other such VM,
    /// even where its tenant's others do.
    pub(crate) fn request(&self, shape: VmShape) -> VmRequest {
        let alone = VmRequest::alone(shape);
        if shape.terms.is_none() { alone } else { VmRequest { tenant: self.size, ..alone } }
    }

    /// Where the tenant's VMs stand, as rules about one of them see it.
    fn footprint(&self, shape: &VmShape) -> &Footprint {
        if shape.terms.is_none() && self.peer.is_none() { Footprint::NONE } else { &self.footprint }
    }

    /// What a decision about one of its VMs looks at; `growth` is what deployments will grow to, where a rule asks.
    pub(crate) fn scene<'a>(
        &'a self,
        occupancy: &'a Occupancy,
        shape: &VmShape,
        growth: Option<&'a Growth>,
    ) -> Scene<'a> {
        let growth = growth.filter(|_| self.is_new);
        Scene { occupancy, footprint: self.footprint(shape), needs: &self.needs, growth }
    }

    /// One of its VMs to find a machine for.
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

    /// Where the others of the VM's VDC stand, and what its links to them take.
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
