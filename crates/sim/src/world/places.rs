//! Who really stands where.

use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, Time, VmId};

use crate::agents::evictions::Evictable;
use crate::system::Stay;

const NOWHERE: u32 = u32::MAX;

/// Where each VM stands, or stood last, and since when.
pub(super) struct Places {
    on: Vec<u32>,
    since: Vec<Time>,
    /// Who can be put out.
    pub(super) evictable: Evictable,
}

impl Places {
    /// Of so many VMs, none of which stands anywhere.
    pub(super) fn new(vms: u32, evictable: Evictable) -> Self {
        let (on, since) = (vec![NOWHERE; vms as usize], vec![Time::NEVER; vms as usize]);
        Self { on, since, evictable }
    }

    /// Where a VM stands, or stood when its time was over.
    pub(super) fn machine(&self, vm: VmId) -> Option<MachineId> {
        Some(self.on[vm.index()]).filter(|machine| *machine != NOWHERE).map(MachineId)
    }

    /// Since when a VM stands there; never, if it has not stood anywhere.
    pub(super) fn since(&self, vm: VmId) -> Time {
        self.since[vm.index()]
    }

    /// Whether a VM stands anywhere, or has.
    pub(super) fn has_stood(&self, vm: VmId) -> bool {
        self.since(vm) != Time::NEVER
    }

    /// All VMs that stand somewhere, or stood there when their time was over.
    pub(super) fn all(&self) -> impl Iterator<Item = (VmId, MachineId)> + '_ {
        let somewhere = |(vm, machine): (u32, &u32)| (*machine != NOWHERE).then_some((VmId(vm), MachineId(*machine)));
        (0..).zip(&self.on).filter_map(somewhere)
    }

    /// A VM comes.
    pub(super) fn come(&mut self, stay: &Stay<'_>) {
        self.on[stay.vm.index()] = stay.machine.0;
        self.since[stay.vm.index()] = stay.now;
        self.evictable.add(stay.machine, stay.vm, stay.shape());
    }

    /// A VM leaves. Where it stood stays known, until it is known to stand nowhere.
    pub(super) fn leave(&mut self, stay: &Stay<'_>) {
        self.evictable.remove(stay.machine, stay.vm, stay.shape());
    }

    /// A VM left before its time, and stands nowhere.
    pub(super) fn forget(&mut self, vm: VmId) {
        self.on[vm.index()] = NOWHERE;
    }
}
