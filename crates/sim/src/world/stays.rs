//! VMs arrive on machines and leave them: all systems are notified, and the machine is published.

use tiebreak_model::{MachineId, MachineRecord, ShapeId, Time, VmId};

use super::World;
use crate::agents::store::Store;
use crate::plan::Plan;
use crate::record::disruption::{Disruption, Fate, Reason};
use crate::system::{Arrival, Stay};

impl World {
    /// Records that a VM is on a machine from now on, with the machine's new state.
    pub(super) fn settle(&mut self, vm: VmId, machine: MachineId, after: &MachineRecord) {
        let stay = stay(&self.plan, &self.store, self.now, (vm, machine));
        self.systems.come(&Arrival { stay, after, is_first: !self.places.has_stood(vm) });
        self.places.come(&stay);
        self.move_links(true);
    }

    /// Records that a VM is no longer placed. Returns where it was.
    pub(super) fn unsettle(&mut self, vm: VmId) -> Option<MachineId> {
        let machine = self.places.machine(vm)?;
        let stay = stay(&self.plan, &self.store, self.now, (vm, machine));
        self.systems.leave(&stay);
        self.places.leave(&stay);
        self.move_links(false);
        Some(machine)
    }

    /// Sets a machine's new state, after its VMs have been recorded.
    pub(super) fn publish(&mut self, machine: MachineId, mut record: MachineRecord) {
        self.rate(machine, &mut record);
        self.store.set(self.now, machine, record);
    }

    /// A VM ends.
    pub(super) fn depart(&mut self, vm: VmId, shape: ShapeId) {
        let Some(machine) = self.unsettle(vm) else { return self.stop_waiting(vm) };
        let after = self.store.occupancy().record(machine).without(self.plan.workload.shape(shape));
        self.publish(machine, after);
    }

    /// Evicts a low-priority VM.
    pub(super) fn put_out(&mut self, vm: VmId) {
        self.take_off(vm, Reason::Evicted);
        self.systems.incidents.fates.insert(vm, Fate::Evicted { at: self.now });
        self.observed.counters.evictions += 1;
    }

    /// A VM leaves its machine early; the caller sets the machine's state.
    pub(super) fn take_off(&mut self, vm: VmId, reason: Reason) {
        let Some((from, since)) = self.placement(vm) else { return };
        self.unsettle(vm);
        self.places.forget(vm);
        self.note(Disruption { time: self.now, vm, from, since, reason, held_until: self.now });
    }
}

/// A VM on a machine, as systems are notified of it.
fn stay<'a>(plan: &'a Plan, store: &'a Store, now: Time, (vm, machine): (VmId, MachineId)) -> Stay<'a> {
    Stay { vm, machine, now, luck: plan.luck(vm), workload: &plan.workload, zone: store.occupancy() }
}
