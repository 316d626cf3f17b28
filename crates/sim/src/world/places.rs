//! The actual location of VMs.

use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, Time, VmId};

use crate::agents::evictions::Evictable;
use crate::system::Stay;

const NOWHERE: u32 = u32::MAX;

/// The current or last machine of each VM, and since when.
pub(super) struct Places {
    on: Vec<u32>,
    since: Vec<Time>,
    /// VMs that can be evicted.
    pub(super) evictable: Evictable,
}

impl Places {
    /// For this many VMs, none of them placed.
    pub(super) fn new(vms: u32, evictable: Evictable) -> Self {
        let (on, since) = (vec![NOWHERE; vms as usize], vec![Time::NEVER; vms as usize]);
        Self { on, since, evictable }
    }

    /// The VM's machine, or its last one if it has ended.
    pub(super) fn machine(&self, vm: VmId) -> Option<MachineId> {
        Some(self.on[vm.index()]).filter(|machine| *machine != NOWHERE).map(MachineId)
    }

    /// Since when a VM has been on its machine; never, if it has not been placed.
    pub(super) fn since(&self, vm: VmId) -> Time {
        self.since[vm.index()]
    }

    /// Whether a VM has ever been placed.
    pub(super) fn has_stood(&self, vm: VmId) -> bool {
        self.since(vm) != Time::NEVER
    }

    /// All VMs with their current machine or, if they have ended, their last one.
    pub(super) fn all(&self) -> impl Iterator<Item = (VmId, MachineId)> + '_ {
        let somewhere = |(vm, machine): (u32, &u32)| (*machine != NOWHERE).then_some((VmId(vm), MachineId(*machine)));
        (0..).zip(&self.on).filter_map(somewhere)
    }

    /// A VM arrives.
    pub(super) fn come(&mut self, stay: &Stay<'_>) {
        self.on[stay.vm.index()] = stay.machine.0;
        self.since[stay.vm.index()] = stay.now;
        self.evictable.add(stay.machine, stay.vm, stay.shape());
    }

    /// A VM leaves. Its last location stays known until [`Self::forget`].
    pub(super) fn leave(&mut self, stay: &Stay<'_>) {
        self.evictable.remove(stay.machine, stay.vm, stay.shape());
    }

    /// A VM left early, and is no longer placed.
    pub(super) fn forget(&mut self, vm: VmId) {
        self.on[vm.index()] = NOWHERE;
    }
}
