//! The bandwidth of links: reserved at the store, and published to agents cut by cut.

use alloc::vec::Vec;

use tiebreak_model::{MachineId, VmId};
use tiebreak_placement::{Blocked, Draw};

use super::World;

impl World {
    /// Reserves the bandwidth of the last arrived VM's links, or releases that of the VM that left.
    pub(super) fn move_links(&mut self, comes: bool) {
        let is_warming = self.is_warming();
        let Some(book) = &self.systems.network else { return };
        if !is_warming {
            return self.store.shift_links(self.now, book.moved(), comes);
        }
        self.store.shift_unpublished(book.moved(), comes);
        if let Some(network) = self.team[0].allocator.view_mut().network_mut() {
            for (place, kbps) in book.moved() {
                if comes { network.reserve(*place, *kbps) } else { network.release(*place, *kbps) }
            }
        }
    }

    /// The bandwidth of each cut that the requested VM uses on a machine, by index.
    pub(super) fn cuts(&self, machine: MachineId) -> Vec<(u32, u64)> {
        let Some(network) = self.store.occupancy().network() else { return Vec::new() };
        let mut cuts = Vec::new();
        let used = self.asking.needs.cuts(&self.plan.fleet, machine);
        used.for_each(|(cut, kbps)| cuts.push((network.place(cut), kbps)));
        cuts
    }

    /// Updates an agent that must find another machine for a VM: shows it the reserved bandwidth of the cuts that the
    /// VM's links used. Its view may be older, and the VM's own links would block it.
    pub(super) fn tell_what_it_gave_back(&mut self, agent: u32, vm: VmId) {
        if self.systems.network.is_none() {
            return;
        }
        let lost = self.disruptions().iter().rfind(|it| it.vm == vm).expect("it lost its machine");
        let from = lost.from;
        self.ask_for(vm);
        let cuts = self.cuts(from);
        self.team[agent].told_cuts(&self.store, &cuts);
    }

    /// Records what blocked a VM's links, if that was why an agent refused it.
    pub(super) fn note_blocked(&mut self, agent: u32, vm: VmId) {
        if self.systems.network.is_none() {
            return;
        }
        let life = self.predicted_life(vm);
        let (shape, asked) = self.asked(vm, life);
        let draw = Draw { number: 0, among: None };
        let request = self.asking.to_place(shape, &asked, draw, self.systems.growth());
        let blocked = self.team[agent].allocator.blocked(&request);
        self.systems.network.iter_mut().for_each(|book| book.note_refusal(vm, blocked));
    }

    /// What blocked a refused VM, if machines had room for it but the network did not.
    #[must_use]
    pub fn blocked(&self, vm: VmId) -> Option<Blocked> {
        self.systems.network.as_ref().and_then(|book| book.blocked(vm))
    }

    /// Whether other VMs of a VM's VDC are placed.
    pub(super) fn has_peers(&self, vm: VmId) -> bool {
        let workload = &self.plan.workload;
        let tenant = workload.tenant(workload.request_of(vm));
        let footprint = self.systems.network.as_ref().and_then(|book| book.footprint(tenant));
        footprint.is_some_and(|footprint| footprint.members().len() > 1)
    }
}
