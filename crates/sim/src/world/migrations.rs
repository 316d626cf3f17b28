//! Migrations of running VMs: immediate, as the what-if analysis recommends (Protean section 6.3), or live, with both
//! machines busy for a while, to where the policy would place them now (LAVA section 4.4, appendix H).

use alloc::vec::Vec;

use tiebreak_model::random::pick;
use tiebreak_model::{MachineId, MachineRecord, Millis, Readiness, Time, VmId, VmRequest};
use tiebreak_placement::migrate::{MigrationLimits, Placed, recommend};
use tiebreak_placement::reference::tied_where;

use super::World;
use crate::agents::job::Job;
use crate::incidents::copies::{OldPlace, held};
use crate::record::disruption::{Fate, Reason};

impl World {
    /// Computes the moves that improve packing most for the actual usage, and makes them.
    pub(super) fn migrate_recommended(&mut self, limits: &MigrationLimits) {
        let evacuations = recommend(&self.rules.policy, self.store.occupancy(), &self.placed(), limits);
        let moves: Vec<_> = evacuations.iter().flat_map(|it| &it.moves).map(|it| (it.vm, it.to)).collect();
        self.apply_moves(&moves);
    }

    /// All placed VMs, machine by machine.
    fn placed(&self) -> Vec<Placed> {
        let machines = (0..self.plan.fleet.machine_count()).map(MachineId);
        let on = |machine| self.systems.incidents.residents.on(machine).iter().map(move |vm| (*vm, machine));
        let placed = |(vm, machine)| Placed { vm, machine, shape: *self.plan.workload.shape_of_vm(vm) };
        // VMs with links stay, because this does not check the bandwidth elsewhere.
        machines.flat_map(on).filter(|(vm, _)| !self.has_peers(*vm)).map(placed).collect()
    }

    /// Moves these VMs one after the other. Each moves only if it runs and can move at that moment: the machine is
    /// ready and has room without evictions, and no tenant's placement terms are violated. Both machines are
    /// published, and the VM never stops.
    fn apply_moves(&mut self, moves: &[(VmId, MachineId)]) {
        self.observed.counters.migrations_scheduled += moves.len() as u64;
        for (vm, to) in moves {
            if let Some(after) = self.room_for(*vm, *to) {
                self.make_move(*vm, *to, after);
            }
        }
    }

    /// The machine with the VM on it, if the VM can move there.
    fn room_for(&mut self, vm: VmId, to: MachineId) -> Option<MachineRecord> {
        let (from, _) = self.placement(vm)?;
        let runs = from != to && self.systems.incidents.residents.on(from).contains(&vm);
        let record = self.store.occupancy().record(to);
        let is_ready = record.readiness == Readiness::Ready;
        let after = record.with(self.plan.workload.shape_of_vm(vm)).filter(|_| runs && is_ready)?;
        self.keeps_promises(vm, from, to).then_some(after)
    }

    fn keeps_promises(&mut self, vm: VmId, from: MachineId, to: MachineId) -> bool {
        let shape = *self.plan.workload.shape_of_vm(vm);
        self.ask_to_leave(vm, from);
        let scene = self.asking.scene(self.store.occupancy(), &shape, self.systems.growth());
        self.rules.policy.may_commit(&self.asking.request(shape), scene, to)
    }

    /// Sets up a request for another machine for one of a tenant's VMs, as if that VM were not placed.
    fn ask_to_leave(&mut self, vm: VmId, from: MachineId) {
        let shape = *self.plan.workload.shape_of_vm(vm);
        self.ask(Job::Reallocate(vm));
        self.ask_for(vm);
        self.asking.leave(from, &shape);
        self.ask_for(vm);
    }

    fn make_move(&mut self, vm: VmId, to: MachineId, after: MachineRecord) {
        let Some((from, _)) = self.placement(vm) else { return };
        let left = self.store.occupancy().record(from).without(self.plan.workload.shape_of_vm(vm));
        let had_long = self.has_long(from);
        self.take_off(vm, Reason::Migrated(to));
        self.note_migrated_from(from, had_long);
        self.settle(vm, to, &after);
        self.publish(from, left);
        self.publish(to, after);
        self.observed.counters.migrations += 1;
        self.systems.incidents.fates.insert(vm, Fate::Migrated { at: self.now, from });
    }

    /// Starts to move a VM to where the policy would place it now, if there is such a machine. Its old machine holds
    /// its capacity until then.
    pub(super) fn migrate_live(&mut self, vm: VmId, until: Time) -> bool {
        let Some((from, _)) = self.placement(vm) else { return false };
        let target = self.without_links(vm, from, |world| world.target_of(vm, from));
        let Some((to, after)) = target else { return false };
        self.begin_migration(vm, (from, to), after, until);
        true
    }

    /// Whether a VM without links can move to this machine now.
    pub(super) fn may_move(&mut self, vm: VmId, to: MachineId) -> bool {
        !self.has_peers(vm) && self.room_for(vm, to).is_some()
    }

    /// Starts to move a VM to this machine, if it can move there.
    pub(super) fn migrate_to(&mut self, vm: VmId, to: MachineId, until: Time) -> bool {
        let after = if self.has_peers(vm) { None } else { self.room_for(vm, to) };
        let (Some(after), Some((from, _))) = (after, self.placement(vm)) else { return false };
        self.begin_migration(vm, (from, to), after, until);
        true
    }

    fn begin_migration(&mut self, vm: VmId, (from, to): (MachineId, MachineId), after: MachineRecord, until: Time) {
        let told_at = self.systems.incidents.list.len();
        self.make_move(vm, to, after);
        self.systems.incidents.list[told_at].held_until = Time::NEVER;
        self.systems.incidents.copies.begin(vm, OldPlace { machine: from, until, told_at });
        let shape = held(self.plan.workload.shape_of_vm(vm));
        let kept = self.store.occupancy().record(from).with(&shape).expect("it had this room a moment ago");
        self.publish(from, kept);
    }

    /// Calls `ask` while the VM's links use no bandwidth, as if it were not placed.
    fn without_links<T>(&mut self, vm: VmId, from: MachineId, ask: impl FnOnce(&mut Self) -> T) -> T {
        self.ask_to_leave(vm, from);
        let cuts = self.cuts(from);
        self.store.shift_unpublished(&cuts, false);
        let answer = ask(self);
        self.store.shift_unpublished(&cuts, true);
        answer
    }

    /// Where a VM would be placed now, and that machine with it: ready, not its current one, and with room without
    /// evictions.
    fn target_of(&mut self, vm: VmId, from: MachineId) -> Option<(MachineId, MachineRecord)> {
        let shape = *self.plan.workload.shape_of_vm(vm);
        let request = VmRequest { life: self.predicted_life(vm), ..self.asking.request(shape) };
        let occupancy = self.store.occupancy();
        let scene = self.asking.scene(occupancy, &shape, self.systems.growth());
        let takes = |machine: MachineId| {
            let record = occupancy.record(machine);
            machine != from && record.readiness == Readiness::Ready && record.free.covers(shape.demand)
        };
        let tied = tied_where(&self.rules.policy, scene, &request, takes);
        let draw = self.plan.seed.stream("live migrations").draw(self.plan.luck(vm), self.now.0 as u64);
        let to = (!tied.is_empty()).then(|| tied[pick(draw, tied.len() as u32) as usize])?;
        Some((to, occupancy.record(to).with(&shape)?))
    }

    /// Ends a migration because the copy is complete or the VM is gone; its old place becomes free.
    pub(super) fn end_migration(&mut self, vm: VmId) {
        let Some(OldPlace { machine, told_at, .. }) = self.systems.incidents.copies.end(vm) else { return };
        self.systems.incidents.list[told_at].held_until = self.now;
        let shape = held(self.plan.workload.shape_of_vm(vm));
        let after = self.store.occupancy().record(machine).without(&shape);
        self.publish(machine, after);
    }

    /// Ends the migrations of VMs that left their new machine during the last event, and continues the incidents that
    /// watch for VMs leaving. They continue one instant later, because at one instant incidents come first. The
    /// incident that caused the event is not notified.
    pub(super) fn tell_who_left(&mut self, by: Option<u32>) {
        for (vm, machine) in self.systems.incidents.copies.take_left() {
            let cut = self.systems.incidents.copies.old_place(vm).is_some_and(|place| place.machine != machine);
            if cut {
                self.end_migration(vm);
            }
            let told = self.systems.incidents.copies.watchers((!cut).then_some(machine));
            for incident in told.into_iter().filter(|incident| Some(*incident) != by) {
                self.queue.schedule_incident(self.now + Millis(1), incident);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidents::{IncidentUse, find};
    use crate::world::trial::{Trial, check_machines, minute};
    use tiebreak_model::TenantTerms;

    /// Four machines of 4 cores for VMs of 3, 1 and 2 cores, all of one tenant, plus one VM that has already left.
    /// They are on machines 0, 0 and 1 or, if each machine may have only one, on 0, 1 and 2.
    fn world(terms: TenantTerms) -> World {
        let mut trial = Trial::new(4, 1).rule("CapsTenantPerMachine", &[]).rule("FirstFit", &[]);
        for (cores, until) in [(3, 2_000), (1, 2_000), (2, 2_000), (2, 10)] {
            trial = trial.vms(1, cores, (0, until));
        }
        for row in &mut trial.vms {
            (row.tenant, row.shape.terms) = (1, terms);
        }
        assert!(find("MarkAtRisk").is_some(), "without any incident nobody knows who stands where");
        trial.at(20, &[IncidentUse::plain("MarkAtRisk", minute(30))])
    }

    fn stand(world: &World) -> Vec<u32> {
        (0..3).filter_map(|vm| world.placement(VmId(vm))).map(|(machine, _)| machine.0).collect()
    }

    #[test]
    fn vms_move_where_they_can_at_that_moment() {
        let one_each = TenantTerms { per_machine: 1, ..TenantTerms::NONE };
        for (terms, moves, expected) in [
            (TenantTerms::NONE, &[][..], [0, 0, 1]),
            (TenantTerms::NONE, &[(2, 0)], [0, 0, 1]),         // No room,
            (TenantTerms::NONE, &[(0, 2), (2, 0)], [2, 0, 0]), // But there is room when VM 0 has left.
            (TenantTerms::NONE, &[(2, 1), (1, 1), (1, 3)], [0, 3, 1]), // There already, and moved twice.
            (TenantTerms::NONE, &[(3, 3)], [0, 0, 1]),         // A VM that has left does not come back.
            (one_each, &[], [0, 1, 2]),
            (one_each, &[(1, 2)], [0, 1, 2]),         // The tenant's terms forbid it,
            (one_each, &[(2, 3), (1, 2)], [0, 2, 3]), // and are kept here.
        ] {
            let mut world = world(terms);
            let moves: Vec<_> = moves.iter().map(|(vm, to)| (VmId(*vm), MachineId(*to))).collect();
            world.apply_moves(&moves);
            assert_eq!(stand(&world), expected, "{terms:?}, {moves:?}");
            check_machines(&world, true);
            assert_eq!(world.summary().counters.migrations, world.disruptions().len() as u64);
            let last = world.disruptions().last().map(|it| (it.reason, world.fate(it.vm)));
            let is_told = |(reason, fate)| matches!((reason, fate), (Reason::Migrated(_), Some(Fate::Migrated { .. })));
            assert!(last.is_none_or(is_told), "{last:?}");
        }
    }

    #[test]
    fn no_vm_moves_to_a_machine_that_is_not_ready() {
        for readiness in [Readiness::Unready, Readiness::Failed] {
            let mut world = world(TenantTerms::NONE);
            let record = world.occupancy().record(MachineId(3));
            world.store.set(world.now, MachineId(3), MachineRecord { readiness, ..record });
            world.apply_moves(&[(VmId(1), MachineId(3))]);
            assert_eq!(stand(&world), [0, 0, 1], "{readiness:?}");
        }
    }
}
