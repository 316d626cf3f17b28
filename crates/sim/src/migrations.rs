//! VMs that move while they run, as the what-if analysis recommends (Protean section 6.3).

use alloc::vec::Vec;

use tiebreak_model::{MachineId, MachineRecord, Readiness, Scene, VmId};
use tiebreak_placement::migrate::{MigrationLimits, Placed, recommend};

use crate::disruptions::{Fate, Reason};
use crate::job::Job;
use crate::world::World;

impl World {
    /// Asks for the moves that would pack best on what is really in use now, and makes them.
    pub(crate) fn migrate_recommended(&mut self, limits: &MigrationLimits) {
        let evacuations = recommend(&self.policy, self.store.occupancy(), &self.placed(), limits);
        let moves: Vec<_> = evacuations.iter().flat_map(|it| &it.moves).map(|it| (it.vm, it.to)).collect();
        self.apply_moves(&moves);
    }

    /// All VMs that stand somewhere, machine by machine.
    fn placed(&self) -> Vec<Placed> {
        let machines = (0..self.plan.fleet.machine_count()).map(MachineId);
        let on = |machine| self.disrupted.residents.on(machine).iter().map(move |vm| (*vm, machine));
        let placed = |(vm, machine)| Placed { vm, machine, shape: *self.plan.workload.shape_of_vm(vm) };
        machines.flat_map(on).map(placed).collect()
    }

    /// Moves these VMs one after the other, each if it runs and can move at that moment: the
    /// machine is ready, has room without putting a VM out, and no tenant's promise is broken.
    /// Both machines are published, and the VM never stops.
    fn apply_moves(&mut self, moves: &[(VmId, MachineId)]) {
        for (vm, to) in moves {
            if let Some(after) = self.room_for(*vm, *to) {
                self.make_move(*vm, *to, after);
            }
        }
    }

    /// The machine with the VM on it, if the VM can move there.
    fn room_for(&mut self, vm: VmId, to: MachineId) -> Option<MachineRecord> {
        let (from, _) = self.placement(vm)?;
        let runs = from != to && self.disrupted.residents.on(from).contains(&vm);
        let record = self.store.occupancy().record(to);
        let is_ready = record.readiness == Readiness::Ready;
        let after = record.with(self.plan.workload.shape_of_vm(vm)).filter(|_| runs && is_ready)?;
        self.keeps_promises(vm, from, to).then_some(after)
    }

    fn keeps_promises(&mut self, vm: VmId, from: MachineId, to: MachineId) -> bool {
        let shape = *self.plan.workload.shape_of_vm(vm);
        self.ask(Job::Reallocate(vm));
        self.asking.leave(from, &shape);
        let scene = Scene { occupancy: self.store.occupancy(), footprint: self.asking.footprint(&shape) };
        self.policy.may_commit(&self.asking.request(shape), scene, to)
    }

    fn make_move(&mut self, vm: VmId, to: MachineId, after: MachineRecord) {
        let Some((from, _)) = self.placement(vm) else { return };
        let left = self.store.occupancy().record(from).without(self.plan.workload.shape_of_vm(vm));
        self.take_off(vm, Reason::Migrated(to));
        self.settle(vm, to, &after);
        self.publish(from, left);
        self.publish(to, after);
        self.counters.migrations += 1;
        self.disrupted.fates.insert(vm, Fate::Migrated { at: self.now, from });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidents::trial::{Trial, check_machines, minute};
    use crate::incidents::{IncidentUse, find};
    use tiebreak_model::TenantTerms;

    /// Four machines of 4 cores for VMs of 3, 1 and 2 cores, all of one tenant, with one VM that
    /// has left already. They stand on 0, 0 and 1, or where a machine may have one only, on 0, 1
    /// and 2.
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
            (TenantTerms::NONE, &[(0, 2), (2, 0)], [2, 0, 0]), // but there is when VM 0 has left.
            (TenantTerms::NONE, &[(2, 1), (1, 1), (1, 3)], [0, 3, 1]), // There already, and moved twice.
            (TenantTerms::NONE, &[(3, 3)], [0, 0, 1]),         // Who has left does not come back.
            (one_each, &[], [0, 1, 2]),
            (one_each, &[(1, 2)], [0, 1, 2]), // The tenant was promised something else,
            (one_each, &[(2, 3), (1, 2)], [0, 2, 3]), // and still has it here.
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
