//! `RectifyPlacementDebt`: PDRE, DVLA's migrations that gather long-lived VMs (DVLA, OSDI 2026).

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use tiebreak_model::random::share;
use tiebreak_model::{MachineId, Readiness, Resource, Resources, Time, VmId, declare};

use super::zone::Zone;
use super::{Incident, Kind, hours, minutes};

declare! {
    /// Moves stranded long-lived VMs to machines that hold others, by live migration, so that fewer machines hold
    /// long-lived VMs (PDRE of DVLA). Needs a predictor.
    ///
    /// A machine is stranded if it holds a long-lived VM and few of its cores are in use. Those with the fewest
    /// long-lived VMs come first, and of their VMs that with the longest predicted remaining lifetime. A machine is
    /// taken up only if all of its long-lived VMs can migrate, other machines with long-lived VMs have room for them,
    /// and the budget is enough for all: then one machine less holds long-lived VMs. Its other VMs stay. How long is
    /// long is a setting of affinity groups. That a VM goes to the fullest of the machines with room is inferred.
    /// (DVLA, OSDI 2026)
    pub struct RectifyPlacementDebt as "Placement debt rectified" {
        /// A machine with a long-lived VM is stranded while less than this share of its cores is in use.
        stranded_below: f64 = 50, 0 => 100, "%";
        /// Share of the VMs that cannot migrate, drawn once for each VM. A machine with a long-lived one of them is
        /// left alone.
        cannot_migrate: f64 = 40, 0 => 100, "%";
        /// How many VMs may migrate each time. Not in the text of the paper.
        migrations: u32 = 20, 0 => 1000000, "VMs";
        /// How often stranded machines are looked for. Not in the text of the paper.
        every_hours: f64 = 24, 0.1 => 10000, "h";
        /// Duration.
        for_hours: f64 = 100000, 0 => 1000000, "h";
        /// How long a migration keeps both machines busy.
        migration_minutes: f64 = 20, 1 => 10000, "minutes";
    }
}

impl Kind for RectifyPlacementDebt {
    fn begin(self) -> Box<dyn Incident> {
        Box::new(Rectification { terms: self, until: None, check_at: Time::ZERO })
    }
}

struct Rectification {
    terms: RectifyPlacementDebt,
    /// When it ends, once it has begun.
    until: Option<Time>,
    check_at: Time,
}

/// A random number for each VM, constant for the whole incident.
const MOBILITY: u64 = 1;

impl Incident for Rectification {
    fn happen(&mut self, zone: &mut dyn Zone) -> Option<Time> {
        let now = zone.now();
        let until = *self.until.get_or_insert(now + hours(self.terms.for_hours));
        zone.end_due_migrations();
        if now >= self.check_at && now < until {
            self.check_at = now + hours(self.terms.every_hours);
            self.rectify(zone);
        }
        let check = (now < until).then_some(self.check_at).filter(|at| *at < until);
        [check, zone.next_migration_end()].into_iter().flatten().min()
    }

    fn asks_for_lifetimes(&self) -> bool {
        true
    }
}

/// A machine with long-lived VMs.
struct Holder {
    machine: MachineId,
    /// Its long-lived VMs, the longest first.
    vms: Vec<VmId>,
    free: Resources,
    capacity: Resources,
    takes_vms: bool,
    /// Whether a VM migrates there in this round. It cannot migrate on before it has arrived.
    is_given: bool,
}

impl Rectification {
    fn rectify(&self, zone: &mut dyn Zone) {
        let mut holders = holders(zone);
        let mut stranded: Vec<_> = holders.values().filter(|it| self.is_stranded(zone, it)).collect();
        stranded.sort_by_key(|it| (it.vms.len(), it.machine));
        let stranded: Vec<_> = stranded.into_iter().map(|it| it.machine).collect();
        let mut budget = self.terms.migrations as usize;
        let until = zone.now() + minutes(self.terms.migration_minutes);
        for machine in stranded {
            let Some(from) = holders.remove(&machine) else { continue };
            let may_leave = !from.is_given && from.vms.len() <= budget;
            let moves = if may_leave { moves_to(&holders, &from.vms, zone) } else { None };
            let Some(moves) = moves else {
                holders.insert(machine, from);
                continue;
            };
            budget -= moves.len();
            zone.count_scheduled(moves.len());
            for (vm, to) in moves {
                if zone.migrate_to(vm, to, until) {
                    let free = zone.record(to).free;
                    holders.entry(to).and_modify(|it| (it.free, it.is_given) = (free, true));
                }
            }
        }
    }

    /// Whether a machine is stranded and all of its long-lived VMs can migrate.
    fn is_stranded(&self, zone: &dyn Zone, holder: &Holder) -> bool {
        let cores = |amounts: Resources| f64::from(amounts[Resource::Cores]);
        let used_pct = 100.0 * (1.0 - cores(holder.free) / cores(holder.capacity));
        let can = |vm: &VmId| share(zone.draw(*vm, MOBILITY)) * 100.0 >= self.terms.cannot_migrate;
        used_pct < self.terms.stranded_below && holder.takes_vms && holder.vms.iter().all(can)
    }
}

/// All machines with long-lived VMs.
fn holders(zone: &dyn Zone) -> BTreeMap<MachineId, Holder> {
    let holder = |machine: MachineId| {
        let mut vms: Vec<_> = zone.residents(machine).iter().copied().filter(|vm| zone.is_long(*vm)).collect();
        vms.sort_by_key(|vm| (Reverse(zone.remaining_s(*vm)), *vm));
        let (record, capacity) = (zone.record(machine), zone.fleet().capacity(machine));
        let is_settled = !zone.is_being_copied(machine) && !vms.iter().any(|vm| zone.is_migrating(*vm));
        let takes_vms = record.readiness == Readiness::Ready && is_settled;
        let (free, is_given) = (record.free, false);
        (!vms.is_empty()).then_some((machine, Holder { machine, vms, free, capacity, takes_vms, is_given }))
    };
    (0..zone.fleet().machine_count()).map(MachineId).filter_map(holder).collect()
}

/// For each VM the fullest holder with room for it; `None` unless there is one for all.
fn moves_to(
    holders: &BTreeMap<MachineId, Holder>,
    vms: &[VmId],
    zone: &mut dyn Zone,
) -> Option<Vec<(VmId, MachineId)>> {
    let mut free: Vec<_> = holders.values().filter(|it| it.takes_vms).map(|it| (it.machine, it.free)).collect();
    let mut moves = Vec::new();
    for vm in vms {
        let demand = zone.demand(*vm);
        let mut fits: Vec<_> = (0..free.len()).filter(|at| free[*at].1.covers(demand)).collect();
        fits.sort_by_key(|at| (free[*at].1[Resource::Cores], free[*at].0));
        let at = fits.into_iter().find(|at| zone.may_move(*vm, free[*at].0))?;
        free[at].1 = free[at].1.checked_sub(demand)?;
        moves.push((*vm, free[at].0));
    }
    Some(moves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affinity::settings::AffinitySettings;
    use crate::world::World;
    use crate::world::trial::{Trial, check_machines, incident, minute};
    use tiebreak_model::Declared;

    fn usual() -> RectifyPlacementDebt {
        RectifyPlacementDebt { cannot_migrate: 0.0, ..RectifyPlacementDebt::from_values(&[]) }
    }

    /// Machine 0 is left with a long-lived VM of 1 of its 4 cores; machine 1 has one of 3 cores until `other_end`.
    /// Returns the machines of these two VMs, the VMs on machine 0, and the VMs that migrated, at a minute.
    fn after(at: i64, terms: &RectifyPlacementDebt, other_end: i64) -> ([u32; 2], u32, u64) {
        let trial = Trial::new(3, 1).rule("IsClusterBelowLimit", &[100.0]).rule("FirstFit", &[]);
        let trial = trial.vms(1, 3, (1, 30)).vms(1, 1, (2, 1_400)).vms(1, 3, (3, other_end));
        let affinity = AffinitySettings { long_days: 0.5, ..AffinitySettings::default() };
        let mut world = World::new(trial.plan(true, &[incident(60, terms)]).with_affinity(&affinity));
        while world.progress().time < minute(at) {
            world.advance(1);
            check_machines(&world, true);
        }
        let on = |vm| world.placement(VmId(vm)).expect("it was placed").0.0;
        ([on(1), on(2)], world.occupancy().record(MachineId(0)).vms, world.summary().counters.migrations)
    }

    #[test]
    fn a_stranded_long_lived_vm_goes_to_others_of_its_kind() {
        assert_eq!(after(55, &usual(), 1_400), ([0, 1], 1, 0));
        assert_eq!(after(70, &usual(), 1_400), ([1, 1], 1, 1), "its copy keeps both machines busy");
        assert_eq!(after(90, &usual(), 1_400), ([1, 1], 0, 1), "and then machine 0 is empty");
    }

    /// Three stranded machines with a long-lived VM each. The first VM goes to the second machine, which therefore is
    /// not emptied in the same round; the third VM follows.
    #[test]
    fn a_vm_does_not_migrate_on_before_it_has_arrived() {
        let mut trial = Trial::new(3, 1).rule("IsClusterBelowLimit", &[100.0]).rule("FirstFit", &[]);
        for machine in 0..3 {
            trial = trial.vms(1, 3, (2 * machine + 1, 30)).vms(1, 1, (2 * machine + 2, 1_400));
        }
        let affinity = AffinitySettings { long_days: 0.5, ..AffinitySettings::default() };
        let mut world = World::new(trial.plan(true, &[incident(60, &usual())]).with_affinity(&affinity));
        while world.progress().time < minute(90) {
            world.advance(1);
            check_machines(&world, true);
        }
        let long = [1, 3, 5].map(|vm| world.placement(VmId(vm)).expect("it was placed").0.0);
        let vms = [0, 1, 2].map(|machine| world.occupancy().record(MachineId(machine)).vms);
        assert_eq!((long, vms, world.summary().counters.migrations), ([1; 3], [0, 3, 0], 2));
    }

    #[test]
    fn it_stays_without_a_gain_a_budget_or_its_leave() {
        assert_eq!(after(90, &usual(), 100), ([0, 1], 1, 0), "the other machine holds no long-lived VM");
        for terms in [
            RectifyPlacementDebt { migrations: 0, ..usual() },
            RectifyPlacementDebt { cannot_migrate: 100.0, ..usual() },
            RectifyPlacementDebt { stranded_below: 25.0, ..usual() },
            RectifyPlacementDebt { for_hours: 0.0, ..usual() },
        ] {
            assert_eq!(after(90, &terms, 1_400), ([0, 1], 1, 0), "{terms:?}");
        }
    }
}
