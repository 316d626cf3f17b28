//! `MaintainMachines` (Protean section 2.1, "planned maintenance").

use alloc::boxed::Box;
use core::ops::Range;

use tiebreak_model::{MachineId, Millis, Time, declare};

use super::holds::Hold;
use super::zone::Zone;
use super::{Incident, Kind, hours, minutes};
use crate::record::disruption::Reason;

declare! {
    /// Machines are updated rack by rack, a few at a time: each group is drained, updated and ready again before
    /// the next one starts.
    ///
    /// A machine that is being drained takes no new VMs and keeps its own until they exit; those that stay too long
    /// are reallocated. Draining more machines at once finishes sooner and leaves less of the zone for new VMs.
    /// (Protean section 2.1)
    pub struct MaintainMachines as "Planned maintenance" {
        /// How many machines are taken out of service together, in the order of their numbers.
        machines_at_once: u32 = 10, 1 => 1000000, "machines";
        /// How long VMs may stay on a machine that is being drained; a longer time moves fewer of them.
        drain_hours: f64 = 4, 0 => 10000, "h";
        /// How long the update of an empty machine takes; then it runs the next host environment.
        update_minutes: f64 = 30, 0 => 100000, "minutes";
        /// Share of the zone's machines to update, lowest numbers first.
        share: f64 = 100, 0 => 100, "%";
    }
}

impl Kind for MaintainMachines {
    fn begin(self) -> Box<dyn Incident> {
        Box::new(Maintenance { terms: self, batch: 0..0, stage: MaintenanceStage::Updated })
    }
}

enum MaintenanceStage {
    /// Its VMs may stay until then.
    Draining(Time),
    /// The batch has been updated, or there has been none yet.
    Updated,
}

struct Maintenance {
    terms: MaintainMachines,
    /// The machines that are out of service.
    batch: Range<u32>,
    stage: MaintenanceStage,
}

impl Incident for Maintenance {
    fn happen(&mut self, zone: &mut dyn Zone) -> Option<Time> {
        let until = match self.stage {
            MaintenanceStage::Draining(until) => until,
            MaintenanceStage::Updated => {
                self.finish_batch(zone);
                self.begin_batch(zone)?
            }
        };
        self.stage = MaintenanceStage::Draining(until);
        if let Some(empty_at) = self.empty_at(zone).filter(|_| zone.now() < until) {
            return Some(empty_at.min(until));
        }
        self.batch().for_each(|machine| zone.clear(machine, Reason::Maintenance));
        self.stage = MaintenanceStage::Updated;
        Some(zone.now() + minutes(self.terms.update_minutes))
    }
}

impl Maintenance {
    fn batch(&self) -> impl Iterator<Item = MachineId> + use<> {
        self.batch.clone().map(MachineId)
    }

    /// Returns the machines to service, with the next host environment.
    fn finish_batch(&mut self, zone: &mut dyn Zone) {
        for machine in self.batch() {
            zone.renew_host(machine);
            zone.release(machine);
        }
    }

    /// Takes the next machines out of service. Returns how long their VMs may stay.
    fn begin_batch(&mut self, zone: &mut dyn Zone) -> Option<Time> {
        let all = f64::from(zone.fleet().machine_count());
        let last = libm::ceil(all * self.terms.share / 100.0) as u32;
        let first = self.batch.end;
        self.batch = first..first.saturating_add(self.terms.machines_at_once).min(last).max(first);
        self.batch().for_each(|machine| zone.hold(machine, Hold::UNREADY));
        (!self.batch.is_empty()).then(|| zone.now() + hours(self.terms.drain_hours))
    }

    /// When all VMs on the batch will have ended on their own; `None` if there are none. At one instant incidents are
    /// processed first, so this is the instant after the last end.
    fn empty_at(&self, zone: &dyn Zone) -> Option<Time> {
        self.batch().filter_map(|machine| zone.last_end(machine)).max().map(|end| end.max(zone.now()) + Millis(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::World;
    use crate::world::trial::{Trial, counts, incident, machines};
    use alloc::vec;
    use alloc::vec::Vec;
    use tiebreak_model::Readiness;

    fn maintain(machines_at_once: u32, drain_hours: f64, share: f64) -> MaintainMachines {
        MaintainMachines { machines_at_once, drain_hours, update_minutes: 30.0, share }
    }

    fn versions(world: &World) -> Vec<u16> {
        let machines = 0..world.plan().fleet().machine_count();
        machines.map(|id| world.occupancy().record(MachineId(id)).host_version).collect()
    }

    #[test]
    fn a_few_machines_at_a_time_are_out_of_service() {
        // All VMs are on the first machine, because emptier ones are not preferred.
        let trial = Trial::new(5, 2).rule("FirstFit", &[]).vms(3, 1, (0, 2_000));
        let trial = Trial { rules: trial.rules.into_iter().rev().collect(), ..trial };
        let incidents = [incident(60, &maintain(2, 1.0, 100.0))];
        for (at, unready, renewed) in [
            (70, vec![0, 1], [0, 0, 0, 0, 0]),  // VMs are still on machine 0,
            (130, vec![0, 1], [0, 0, 0, 0, 0]), // where they may stay for an hour;
            (155, vec![2, 3], [1, 1, 0, 0, 0]), // now they are on 2,
            (235, vec![2, 3], [1, 1, 0, 0, 0]), // and from there they move to 0.
            (250, vec![4], [1, 1, 1, 1, 0]),    // No VM is on 4.
            (275, vec![], [1, 1, 1, 1, 1]),
        ] {
            let world = trial.at(at, &incidents);
            assert_eq!((machines(&world, Readiness::Unready), &versions(&world)[..]), (unready, &renewed[..]), "{at}");
        }
        assert_eq!(counts(&trial.run(&incidents)), (6, 6, 0));
    }

    #[test]
    fn vms_that_leave_in_time_are_left_alone() {
        for (end, moved, over) in [(90, 0, 125), (119, 0, 154), (121, 1, 155)] {
            let trial = Trial::new(1, 1).vms(1, 1, (0, end));
            let incidents = [incident(60, &maintain(10, 1.0, 100.0))];
            let world = trial.run(&incidents);
            assert_eq!(world.disruptions().len(), moved, "a VM until {end}");
            for (at, ready) in [(over - 6, 0), (over, 1)] {
                assert_eq!(machines(&trial.at(at, &incidents), Readiness::Ready).len(), ready, "minute {at}");
            }
        }
    }

    #[test]
    fn there_is_a_newest_host_environment() {
        let trial = Trial::new(2, 1).vms(1, 1, (0, 10));
        let terms = MaintainMachines { update_minutes: 0.0, ..maintain(1, 0.0, 100.0) };
        let incidents: Vec<_> = (0..20).map(|_| incident(20, &terms)).collect();
        let world = trial.run(&incidents);
        assert_eq!(versions(&world), [15, 15]);
    }

    #[test]
    fn a_share_of_the_zone_is_updated() {
        let trial = Trial::new(10, 2).vms(1, 1, (0, 10));
        for (share, updated) in [(0.0, 0), (1.0, 1), (50.0, 5), (100.0, 10)] {
            let world = trial.run(&[incident(20, &maintain(3, 4.0, share))]);
            assert_eq!(versions(&world).into_iter().sum::<u16>(), updated, "{share} %");
        }
    }

    #[test]
    fn all_of_a_full_zone_at_once_loses_its_vms_and_a_failure_between_changes_nothing_else() {
        let trial = Trial::new(4, 2).vms(4, 2, (0, 2_000));
        let all = incident(60, &maintain(1_000_000, 2.0, 100.0));
        let failure =
            incident(90, &super::super::fail_machines::FailMachines { machines: 4, racks: 0, down_minutes: 10.0 });
        let world = trial.run(core::slice::from_ref(&all));
        assert_eq!((counts(&world), versions(&world)), ((4, 0, 4), vec![1; 4]));
        let world = trial.run(&[all, failure]);
        assert_eq!((counts(&world), versions(&world)), ((4, 0, 4), vec![1; 4]));
        assert!(world.disruptions().iter().all(|it| it.reason == Reason::Failed));
    }

    #[test]
    fn what_takes_longer_than_the_run_is_not_finished() {
        let trial = Trial::new(3, 1).vms(1, 1, (0, 2_000));
        let world = trial.run(&[incident(60, &maintain(1, 10_000.0, 100.0))]);
        assert_eq!((counts(&world), machines(&world, Readiness::Unready).len()), ((0, 0, 0), 1));
    }
}
