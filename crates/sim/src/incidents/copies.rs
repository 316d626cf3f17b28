//! What VMs that migrate still hold on the machine they come from (LAVA section 4.4, appendix H).
//!
//! A live migration keeps two machines busy: the VM counts as on its new machine from the
//! beginning, and what it had on the old one is held until all of it is copied, or the VM is gone.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use tiebreak_model::{MachineId, TenantTerms, Time, VmId, VmShape};

/// The old place of a VM that migrates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OldPlace {
    pub(crate) machine: MachineId,
    /// When all is copied.
    pub(crate) until: Time,
    /// Where the list of disruptions tells of it.
    pub(crate) told_at: usize,
}

/// All live migrations under way, and who wants to know when one ends before its time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    of: BTreeMap<VmId, OldPlace>,
    /// Machines that an incident empties, and the incident.
    watched: BTreeSet<(MachineId, u32)>,
    /// VMs that left a machine during the event under way, and the machine, where anybody may ask.
    left: Vec<(VmId, MachineId)>,
}

/// What an old place holds: nobody can put it out, and it promises nothing to a tenant.
pub(crate) fn held(shape: &VmShape) -> VmShape {
    VmShape { priority: 0, terms: TenantTerms::NONE, ..*shape }
}

impl Copies {
    pub(crate) fn begin(&mut self, vm: VmId, place: OldPlace) {
        self.of.insert(vm, place);
    }

    pub(crate) fn end(&mut self, vm: VmId) -> Option<OldPlace> {
        self.of.remove(&vm)
    }

    /// The old place of a VM, if it migrates now.
    pub(crate) fn old_place(&self, vm: VmId) -> Option<OldPlace> {
        self.of.get(&vm).copied()
    }

    /// How many VMs migrate now.
    pub(crate) fn count(&self) -> u32 {
        self.of.len() as u32
    }

    /// The VMs whose old place is this machine.
    pub(crate) fn on(&self, machine: MachineId) -> impl Iterator<Item = VmId> + '_ {
        self.of.iter().filter(move |(_, place)| place.machine == machine).map(|(vm, _)| *vm)
    }

    /// The VMs of which all is copied by now.
    pub(crate) fn due(&self, now: Time) -> Vec<VmId> {
        self.of.iter().filter(|(_, place)| place.until <= now).map(|(vm, _)| *vm).collect()
    }

    /// When the next VM's migration ends.
    pub(crate) fn next_end(&self) -> Option<Time> {
        self.of.values().map(|place| place.until).min()
    }

    /// An incident wants to know who leaves a machine.
    pub(crate) fn watch(&mut self, machine: MachineId, incident: u32) {
        self.watched.insert((machine, incident));
    }

    pub(crate) fn unwatch(&mut self, machine: MachineId, incident: u32) {
        self.watched.remove(&(machine, incident));
    }

    /// A VM left a machine, for whatever reason.
    pub(crate) fn note_left(&mut self, vm: VmId, machine: MachineId) {
        if !(self.of.is_empty() && self.watched.is_empty()) {
            self.left.push((vm, machine));
        }
    }

    /// Whoever left a machine since this was last asked.
    pub(crate) fn take_left(&mut self) -> Vec<(VmId, MachineId)> {
        core::mem::take(&mut self.left)
    }

    /// The incidents that want to know who left this machine; all of them when it is none.
    pub(crate) fn watchers(&self, machine: Option<MachineId>) -> BTreeSet<u32> {
        let of_it = |(watched, _): &&(MachineId, u32)| machine.is_none_or(|machine| *watched == machine);
        self.watched.iter().filter(of_it).map(|(_, incident)| *incident).collect()
    }
}
