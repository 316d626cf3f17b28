//! What migrating VMs still hold on their old machines (LAVA section 4.4, appendix H).
//!
//! A live migration keeps two machines busy: the VM counts as on its new machine from the start, and its share of the
//! old one is held until the copy is complete or the VM has ended.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use tiebreak_model::{MachineId, TenantTerms, Time, VmId, VmShape};

/// The old machine of a migrating VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OldPlace {
    pub(crate) machine: MachineId,
    /// When the copy is complete.
    pub(crate) until: Time,
    /// Its index in the list of disruptions.
    pub(crate) told_at: usize,
}

/// All live migrations under way, and the incidents to notify when one ends early.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    of: BTreeMap<VmId, OldPlace>,
    /// Machines that an incident empties, and the incident.
    watched: BTreeSet<(MachineId, u32)>,
    /// VMs that left a machine during the current event, with the machine; only recorded if an incident may need it.
    left: Vec<(VmId, MachineId)>,
}

/// What an old place holds: it cannot be evicted, and it carries no placement terms.
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

    /// The old machine of a VM, if it is migrating.
    pub(crate) fn old_place(&self, vm: VmId) -> Option<OldPlace> {
        self.of.get(&vm).copied()
    }

    /// The number of migrating VMs.
    pub(crate) fn count(&self) -> u32 {
        self.of.len() as u32
    }

    /// The VMs whose old place is this machine.
    pub(crate) fn on(&self, machine: MachineId) -> impl Iterator<Item = VmId> + '_ {
        self.of.iter().filter(move |(_, place)| place.machine == machine).map(|(vm, _)| *vm)
    }

    /// The VMs whose copy is complete by now.
    pub(crate) fn due(&self, now: Time) -> Vec<VmId> {
        self.of.iter().filter(|(_, place)| place.until <= now).map(|(vm, _)| *vm).collect()
    }

    /// When the next VM's migration ends.
    pub(crate) fn next_end(&self) -> Option<Time> {
        self.of.values().map(|place| place.until).min()
    }

    /// Registers an incident to be notified when VMs leave a machine.
    pub(crate) fn watch(&mut self, machine: MachineId, incident: u32) {
        self.watched.insert((machine, incident));
    }

    pub(crate) fn unwatch(&mut self, machine: MachineId, incident: u32) {
        self.watched.remove(&(machine, incident));
    }

    /// Records that a VM left a machine, for any reason.
    pub(crate) fn note_left(&mut self, vm: VmId, machine: MachineId) {
        if !(self.of.is_empty() && self.watched.is_empty()) {
            self.left.push((vm, machine));
        }
    }

    /// The VMs that left a machine since the last call.
    pub(crate) fn take_left(&mut self) -> Vec<(VmId, MachineId)> {
        core::mem::take(&mut self.left)
    }

    /// The incidents watching this machine, or all of them for `None`.
    pub(crate) fn watchers(&self, machine: Option<MachineId>) -> BTreeSet<u32> {
        let of_it = |(watched, _): &&(MachineId, u32)| machine.is_none_or(|machine| *watched == machine);
        self.watched.iter().filter(of_it).map(|(_, incident)| *incident).collect()
    }
}
