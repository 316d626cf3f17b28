//! Empties machines by live migration, in different orders: LARS (LAVA section 4.4 and Algorithm 1).
//!
//! A machine being emptied accepts no new VMs. Its VMs migrate one at a time, with a limit on migrations over the
//! whole zone, and the machines take turns. VMs that end before their turn need no migration. A machine is done when
//! nothing is left on it.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::cmp::Reverse;

use tiebreak_model::choices;
use tiebreak_model::random::share;
use tiebreak_model::{MachineId, Millis, Time, VmId};

use super::holds::Hold;
use super::zone::Zone;

/// Which VM of a machine migrates next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MigrationOrder {
    /// The one that was placed first.
    #[default]
    AsPlaced,
    /// The one with the longest predicted remaining lifetime now.
    LongestFirst,
    /// A random one.
    Random,
    /// The one that comes first in the trace.
    InTrace,
}

choices! { MigrationOrder: AsPlaced = "as_placed", LongestFirst = "longest_first", Random = "random", InTrace = "in_trace" }

/// A random number per VM, constant for the whole incident.
const ORDER: u64 = 0;
const APPROVAL: u64 = 1;

/// How machines are emptied.
pub(super) struct EvacuationTerms {
    pub(super) order: MigrationOrder,
    /// Share of the VMs whose migration is approved, in percent.
    pub(super) approved_pct: f64,
    /// The maximum number of concurrent migrations in the zone.
    pub(super) at_once: u32,
    /// The duration of one.
    pub(super) each: Millis,
}

/// The machines that an incident is emptying.
pub(super) struct Evacuation {
    terms: EvacuationTerms,
    under_way: Vec<Emptying>,
    /// The latest scheduled time at which the incident continues.
    scheduled: Time,
}

struct Emptying {
    machine: MachineId,
    /// Its VMs that still have to migrate.
    waiting: BTreeSet<VmId>,
}

impl Evacuation {
    pub(super) fn new(terms: EvacuationTerms) -> Self {
        Self { terms, under_way: Vec::new(), scheduled: Time::NEVER }
    }

    pub(super) fn asks_for_lifetimes(&self) -> bool {
        self.terms.order == MigrationOrder::LongestFirst
    }

    /// Whether the migration of every VM on a machine is approved; if not, the machine is skipped (Algorithm 1).
    pub(super) fn is_approved(&self, zone: &dyn Zone, machine: MachineId) -> bool {
        let is_approved = |vm: &VmId| share(zone.draw(*vm, APPROVAL)) * 100.0 < self.terms.approved_pct;
        zone.residents(machine).iter().all(is_approved)
    }

    /// The number of machines being emptied.
    pub(super) fn machines(&self) -> u32 {
        self.under_way.len() as u32
    }

    /// Closes a machine to new VMs and queues its VMs for migration.
    pub(super) fn take_up(&mut self, zone: &mut dyn Zone, machine: MachineId) {
        zone.hold(machine, Hold::UNREADY);
        zone.watch(machine);
        self.under_way.push(Emptying { machine, waiting: BTreeSet::new() });
    }

    /// Processes what has happened since: finished migrations, VMs that ended, and VMs placed by agents that did not
    /// know of the evacuation yet. Machines that are empty now are no longer being emptied; they are held until
    /// released.
    pub(super) fn look(&mut self, zone: &mut dyn Zone) -> Vec<MachineId> {
        zone.end_due_migrations();
        self.under_way.iter_mut().for_each(|emptying| emptying.look(zone));
        let is_done = |it: &Emptying, zone: &dyn Zone| it.waiting.is_empty() && !zone.is_being_copied(it.machine);
        let done: Vec<_> = self.under_way.iter().filter(|it| is_done(it, zone)).map(|it| it.machine).collect();
        self.under_way.retain(|it| !done.contains(&it.machine));
        done.iter().for_each(|machine| zone.unwatch(*machine));
        done
    }

    /// Starts migrations while the zone's limit allows. A VM without a valid machine waits, and others of its machine
    /// go first.
    pub(super) fn go_on(&mut self, zone: &mut dyn Zone) {
        let until = zone.now() + self.terms.each;
        let mut next = 0;
        for _ in 0..self.under_way.len() {
            if zone.migrating() >= self.terms.at_once {
                return;
            }
            let emptying = &mut self.under_way[next];
            if !zone.is_being_copied(emptying.machine) && emptying.migrate_one(zone, self.terms.order, until) {
                // Machines that have waited longer come first.
                let gone = self.under_way.remove(next);
                self.under_way.push(gone);
            } else {
                next += 1;
            }
        }
    }

    /// Stops emptying the machines that are not empty; migrations under way continue.
    pub(super) fn give_up(&mut self, zone: &mut dyn Zone) {
        for Emptying { machine, .. } in self.under_way.drain(..) {
            zone.unwatch(machine);
            zone.release(machine);
        }
    }

    /// When the incident has to continue, other than at its own time: when a migration ends or, if VMs could not
    /// migrate, after the duration of one. `None` if that time is already scheduled.
    pub(super) fn next(&mut self, zone: &dyn Zone, own: Option<Time>) -> Option<Time> {
        let now = zone.now();
        let ended = zone.next_migration_end();
        let waits = self.under_way.iter().any(|it| !it.waiting.is_empty());
        let again = (waits && zone.migrating() < self.terms.at_once).then(|| now + self.terms.each);
        let next = [own, ended, again].into_iter().flatten().min()?;
        if now < self.scheduled && self.scheduled <= next {
            return None;
        }
        self.scheduled = next;
        Some(next)
    }
}

impl Emptying {
    /// Updates the list of its VMs.
    fn look(&mut self, zone: &mut dyn Zone) {
        let here: BTreeSet<_> = zone.residents(self.machine).iter().copied().collect();
        let saved = self.waiting.difference(&here).filter(|vm| zone.ended_on(**vm, self.machine)).count();
        let come = here.difference(&self.waiting).count();
        zone.count_saved(saved);
        zone.count_scheduled(come);
        self.waiting = here;
    }

    /// Migrates the next VM for which there is a machine. Returns whether there was one.
    fn migrate_one(&mut self, zone: &mut dyn Zone, order: MigrationOrder, until: Time) -> bool {
        let may = |vm: &&VmId| zone.end_of(**vm) > zone.now() && !zone.is_migrating(**vm);
        let mut turns: Vec<_> = self.waiting.iter().filter(may).copied().collect();
        match order {
            MigrationOrder::AsPlaced => turns.sort_by_key(|vm| (zone.placed_at(*vm), *vm)),
            MigrationOrder::LongestFirst => {
                turns.sort_by_key(|vm| (Reverse(zone.remaining_s(*vm)), zone.placed_at(*vm), *vm));
            }
            MigrationOrder::Random => turns.sort_by_key(|vm| (zone.draw(*vm, ORDER), *vm)),
            MigrationOrder::InTrace => turns.sort_unstable(),
        }
        let gone = turns.into_iter().find(|vm| zone.migrate_live(*vm, until));
        gone.is_some_and(|vm| self.waiting.remove(&vm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidents::IncidentUse;
    use crate::incidents::defragment_machines::DefragmentMachines;
    use crate::incidents::fail_machines::FailMachines;
    use crate::incidents::maintain_by_migration::MaintainByMigration;
    use crate::record::disruption::{Fate, Reason};
    use crate::world::World;
    use crate::world::trial::{Trial, incident, machines, minute};
    use MigrationOrder::{AsPlaced, InTrace, LongestFirst, Random};
    use alloc::vec;
    use tiebreak_model::{Declared, Readiness};

    /// For one hour from minute 60, empties one machine at a time while any is in use.
    fn defragment(order: MigrationOrder, at_once: u32) -> DefragmentMachines {
        DefragmentMachines {
            empty_below: 100.0,
            machines_at_once: 1,
            for_hours: 1.0,
            order,
            migrations_at_once: at_once,
            ..DefragmentMachines::from_values(&[])
        }
    }

    /// VMs of one core that end at these minutes; they fill the first machine, then the next.
    fn ending(machines: u32, ends: &[i64]) -> Trial {
        let mut trial = Trial::new(machines, 1).rule("IsClusterBelowLimit", &[100.0]).rule("FirstFit", &[]);
        for (at, end) in (1..).zip(ends) {
            trial = trial.vms(1, 1, (at, *end));
        }
        trial
    }

    /// Migrations scheduled, made and saved.
    fn counted(world: &World) -> (u64, u64, u64) {
        let counters = world.summary().counters;
        (counters.migrations_scheduled, counters.migrations, counters.migrations_saved)
    }

    /// Which VMs migrated when, and until when both machines were busy, in minutes.
    fn migrations(world: &World) -> Vec<(u32, i64, i64)> {
        let minutes = |time: Time| time.0 / Millis::MINUTE.0 as i64;
        let moved = world.disruptions().iter().filter(|it| matches!(it.reason, Reason::Migrated(_)));
        moved.map(|it| (it.vm.0, minutes(it.time), minutes(it.held_until))).collect()
    }

    #[test]
    fn the_order_decides_how_many_migrations_are_saved() {
        let ends = [75, 95, 115, 2_000];
        let trial = ending(2, &ends);
        // In order of arrival, each VM is still there at its turn, and ends during its migration.
        let world = trial.run(&[incident(60, &defragment(AsPlaced, 3))]);
        assert_eq!(migrations(&world), [(0, 60, 75), (1, 75, 95), (2, 95, 115), (3, 115, 135)]);
        assert_eq!(counted(&world), (4, 4, 0));
        // With the longest first, the two shortest have ended when the second copy is complete.
        let world = trial.run(&[incident(60, &defragment(LongestFirst, 3))]);
        assert_eq!(migrations(&world), [(3, 60, 80), (2, 80, 100)]);
        assert_eq!(counted(&world), (4, 2, 2));
        assert!(
            matches!(world.fate(VmId(3)), Some(Fate::Migrated { from, .. }) if world.placement(VmId(3)).is_some_and(|(on, _)| on != from))
        );
    }

    #[test]
    fn other_orders_know_nothing_of_lives() {
        let trial = ending(2, &[2_000; 4]);
        let moved = |order, at| {
            let terms = DefragmentMachines { for_hours: 2.0, ..defragment(order, 3) };
            let world = trial.run(&[incident(at, &terms)]);
            migrations(&world).iter().map(|(vm, ..)| *vm).take(4).collect::<Vec<_>>()
        };
        assert_eq!(moved(InTrace, 60), [0, 1, 2, 3]);
        let by_chance = moved(Random, 60);
        assert!(by_chance != [0, 1, 2, 3] && by_chance != [3, 2, 1, 0], "{by_chance:?}");
        let mut all = by_chance.clone();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3]);
        assert_eq!(by_chance, moved(Random, 70), "drawn by VM, whenever it happens");
    }

    #[test]
    fn a_machine_with_a_vm_that_may_not_migrate_is_left_alone() {
        let trial = ending(6, &[2_000; 16]);
        let scheduled = |approved| {
            let maintain =
                MaintainByMigration { approved, machines_at_once: 1, ..MaintainByMigration::from_values(&[]) };
            let world = trial.run(&[incident(60, &maintain)]);
            let versions = (0..6).map(|id| world.occupancy().record(MachineId(id)).host_version).sum::<u16>();
            (counted(&world).0, versions)
        };
        assert_eq!(scheduled(0.0), (0, 2), "only the machines without VMs are updated");
        let (some, all) = (scheduled(70.0), scheduled(100.0));
        assert!(all.1 == 6 && some.1 < 6 && some.0 < all.0, "{some:?} of {all:?}");
        let terms = |approved| DefragmentMachines { approved, machines_at_once: 6, ..defragment(AsPlaced, 3) };
        let count = |approved| counted(&trial.run(&[incident(60, &terms(approved))])).0;
        assert!(count(0.0) == 0 && count(100.0) > 0);
    }

    #[test]
    fn both_machines_are_busy_until_all_is_copied() {
        let trial = ending(2, &[2_000]);
        let incidents = [incident(60, &DefragmentMachines { check_minutes: 100.0, ..defragment(AsPlaced, 1) })];
        for (at, busy, unready, vms) in
            [(59, 1, vec![], 1.0), (61, 2, vec![0], 1.0), (79, 2, vec![0], 1.0), (81, 1, vec![], 1.0)]
        {
            let world = trial.at(at, &incidents);
            assert_eq!((world.occupancy().zone().busy, machines(&world, Readiness::Unready)), (busy, unready), "{at}");
            let live = world.series().values(crate::observation::metrics::index_of("LiveVms").expect("a metric"));
            assert_eq!(live.last(), Some(&vms), "a VM that migrates is one VM, minute {at}");
        }
    }

    #[test]
    fn so_many_migrate_at_once_one_of_each_machine() {
        // Four VMs fill each of two machines, and two more machines can take them.
        let trial = ending(4, &[2_000; 8]);
        for (at_once, expected) in [
            (1, vec![(0, 60, 80), (4, 80, 100), (1, 100, 120), (5, 120, 140)]),
            (2, vec![(0, 60, 80), (4, 60, 80), (1, 80, 100), (5, 80, 100)]),
            (3, vec![(0, 60, 80), (4, 60, 80), (1, 80, 100), (5, 80, 100)]),
        ] {
            let terms = DefragmentMachines { machines_at_once: 2, for_hours: 2.0, ..defragment(AsPlaced, at_once) };
            let world = trial.run(&[incident(60, &terms)]);
            assert_eq!(migrations(&world)[..4], expected, "{at_once} at once");
        }
    }

    #[test]
    fn a_vm_without_a_target_waits_and_is_tried_again() {
        // The other machine is full until minute 99, when one of its VMs ends.
        let trial = ending(2, &[2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 99]);
        let world = trial.run(&[incident(60, &defragment(AsPlaced, 3))]);
        let first = migrations(&world)[0];
        assert_eq!((first, counted(&world).1), ((0, 100, 120), 1), "then the hour is over");
        assert!(machines(&world, Readiness::Unready).is_empty());
    }

    #[test]
    fn machines_are_emptied_while_too_few_are_empty_the_emptiest_first() {
        // Machines with 4, 4 and 1 VMs: one of four is empty.
        let trial = ending(4, &[2_000; 9]);
        for (empty_below, expected) in [(25.0, (0, 0, 0)), (26.0, (1, 1, 0))] {
            let terms = DefragmentMachines { empty_below, for_hours: 1.0, ..defragment(AsPlaced, 1) };
            let world = trial.run(&[incident(60, &terms)]);
            assert_eq!(counted(&world), expected, "{empty_below} %");
            assert!(world.disruptions().iter().all(|it| it.vm == VmId(8)));
        }
    }

    #[test]
    fn a_machine_that_fails_ends_what_migrates_from_it_and_the_other_what_migrates_to_it() {
        let trial = ending(3, &[2_000, 2_000]);
        let down = incident(70, &FailMachines { machines: 3, racks: 0, down_minutes: 10.0 });
        let world = trial.run(&[incident(60, &defragment(AsPlaced, 3)), down]);
        let moved = world.disruptions().iter().find(|it| matches!(it.reason, Reason::Migrated(_))).expect("one");
        assert_eq!((moved.time, moved.held_until), (minute(60), minute(70)));
        assert_eq!((world.summary().counters.lost_vms, world.occupancy().zone().vms), (2, 0));
        assert_eq!(counted(&world), (2, 1, 0), "who is lost is not saved");
    }

    #[test]
    fn every_machine_is_updated_once() {
        let trial = ending(3, &[2_000, 2_000, 90, 2_000, 2_000]);
        let versions =
            |world: &World| (0..3).map(|id| world.occupancy().record(MachineId(id)).host_version).sum::<u16>();
        for (share, machines_at_once, order) in
            [(0.0, 1, AsPlaced), (30.0, 1, AsPlaced), (100.0, 1, AsPlaced), (100.0, 2, LongestFirst)]
        {
            let terms = MaintainByMigration { share, machines_at_once, order, ..MaintainByMigration::from_values(&[]) };
            let world = trial.run(&[incident(60, &terms)]);
            assert_eq!(versions(&world), libm::ceil(share * 3.0 / 100.0) as u16, "{share} %");
            assert!(machines(&world, Readiness::Unready).is_empty() && world.summary().counters.lost_vms == 0);
        }
    }

    #[test]
    fn the_order_by_predictions_alone_has_to_know_them() {
        let asks = |order| {
            let maintain = MaintainByMigration { order, ..MaintainByMigration::from_values(&[]) };
            let all: [IncidentUse; 2] = [incident(60, &defragment(order, 1)), incident(60, &maintain)];
            all.map(|it| ending(2, &[100]).plan(true, &[it]).asks_for_lifetimes())
        };
        assert_eq!((asks(AsPlaced), asks(LongestFirst)), ([false; 2], [true; 2]));
    }
}
