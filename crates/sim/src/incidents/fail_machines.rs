//! `FailMachines` (Protean sections 2.1 and 3.1).

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, Time, declare};

use super::holds::Hold;
use super::zone::Zone;
use super::{Incident, Kind, minutes};
use crate::record::disruption::Reason;

declare! {
    /// Machines fail. They lose their VMs and take none until they are back, empty.
    ///
    /// Every VM on a failed machine is reallocated to another one. Agents that do not know of the failure yet still
    /// choose the machine, and the store rejects their commits. Let whole racks fail to see the effect of spreading
    /// over fault domains. (Protean section 3.1)
    pub struct FailMachines as "Machines fail" {
        /// How many machines fail, drawn at random from the whole zone.
        machines: u32 = 1, 1 => 1000000, "machines";
        /// How many whole racks fail instead; with 0, single machines fail.
        racks: u32 = 0, 0 => 1000000, "racks";
        /// How long they stay down.
        down_minutes: f64 = 60, 0 => 100000, "minutes";
    }
}

impl Kind for FailMachines {
    fn begin(self) -> Box<dyn Incident> {
        Box::new(Failure { terms: self, failed: None })
    }
}

struct Failure {
    terms: FailMachines,
    /// The failed machines.
    failed: Option<Vec<MachineId>>,
}

impl Incident for Failure {
    fn happen(&mut self, zone: &mut dyn Zone) -> Option<Time> {
        if let Some(failed) = self.failed.take() {
            failed.into_iter().for_each(|machine| zone.release(machine));
            return None;
        }
        let FailMachines { machines, racks, down_minutes } = self.terms;
        let hit = if racks > 0 { zone.draw_racks(racks) } else { zone.draw_machines(machines) };
        for machine in &hit {
            zone.hold(*machine, Hold::FAILED);
            zone.clear(*machine, Reason::Failed);
        }
        self.failed = Some(hit);
        Some(zone.now() + minutes(down_minutes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Agents;
    use crate::record::Rejection;
    use crate::record::disruption::{Disruption, Fate};
    use crate::world::trial::{Trial, counts, incident, machines, minute};
    use alloc::vec;
    use tiebreak_model::{Readiness, VmId};

    fn fail(machines: u32, racks: u32, down_minutes: f64) -> FailMachines {
        FailMachines { machines, racks, down_minutes }
    }

    #[test]
    fn vms_of_failed_machines_find_others_while_there_is_room() {
        // Each of the 4 machines holds this many VMs of one core: those of the failed ones have to fit on the rest.
        for (each, failed, reallocated, lost) in [(4, 1, 0, 4), (3, 1, 3, 0), (3, 2, 2, 4), (2, 2, 4, 0), (1, 4, 0, 4)]
        {
            let trial = Trial::new(4, 2).rule("IsClusterBelowLimit", &[100.0]).rule("WorstFit", &[]);
            let mut trial = trial.vms(4 * each, 1, (0, 2_000));
            trial.rules.retain(|rule| !["PreferNonEmptyMachines", "BestFit"].contains(&rule.id.as_str()));
            let world = trial.run(&[incident(60, &fail(failed, 0, 60.0))]);
            let expected = ((failed * each) as usize, reallocated, lost);
            assert_eq!(counts(&world), expected, "{each} VMs on each machine, {failed} failed");
            assert_eq!(world.summary().placements, u64::from(4 * each));
        }
    }

    #[test]
    fn machines_come_back_ready_and_empty() {
        let trial = Trial::new(3, 1).vms(3, 1, (0, 2_000)).vms(1, 4, (130, 200));
        let incidents = [incident(60, &fail(3, 0, 60.0))];
        let down = trial.at(65, &incidents);
        assert_eq!(machines(&down, Readiness::Failed), [0, 1, 2]);
        assert_eq!((counts(&down), down.occupancy().zone().vms), ((3, 0, 3), 0));
        let up = trial.at(125, &incidents);
        assert_eq!(machines(&up, Readiness::Ready), [0, 1, 2]);
        let world = trial.run(&incidents);
        assert_eq!(world.summary().placements, 4, "the one that came later has a machine");
        let lost = |vm| matches!(world.fate(VmId(vm)), Some(Fate::Lost { because: Rejection::Refused(_), .. }));
        assert!((0..3).all(lost) && world.fate(VmId(3)).is_none());
    }

    #[test]
    fn whole_racks_fail_together() {
        let trial = Trial::new(6, 3).vms(1, 1, (0, 10));
        for racks in [1, 2] {
            let world = trial.at(30, &[incident(20, &fail(1, racks, 60.0))]);
            let failed = machines(&world, Readiness::Failed);
            let racks_hit: Vec<_> = failed.iter().map(|id| id / 2).collect();
            assert_eq!(failed.len(), 2 * racks as usize);
            assert!(racks_hit.chunks(2).all(|pair| pair[0] == pair[1]), "{failed:?}");
        }
    }

    #[test]
    fn the_seed_alone_says_who_fails_and_of_more_the_same_ones_do() {
        let packed = Trial::new(20, 4).vms(9, 1, (0, 500));
        let spread = packed.clone().rule("WorstFit", &[]);
        let failed =
            |trial: &Trial, count| machines(&trial.at(30, &[incident(20, &fail(count, 0, 60.0))]), Readiness::Failed);
        let five = failed(&packed, 5);
        assert_eq!((five.len(), &failed(&spread, 5)), (5, &five));
        let nine = failed(&packed, 9);
        assert!(nine.len() == 9 && five.iter().all(|id| nine.contains(id)), "{five:?} are among {nine:?}");
    }

    #[test]
    fn a_machine_that_fails_twice_comes_back_when_both_are_over() {
        let trial = Trial::new(1, 1).vms(1, 1, (0, 2_000));
        let incidents = [incident(60, &fail(1, 0, 60.0)), incident(90, &fail(1, 0, 60.0))];
        for (at, failed) in [(70, vec![0]), (130, vec![0]), (155, vec![])] {
            assert_eq!(machines(&trial.at(at, &incidents), Readiness::Failed), failed, "minute {at}");
        }
        assert_eq!(counts(&trial.run(&incidents)), (1, 0, 1));
    }

    #[test]
    fn a_vm_whose_time_is_over_while_it_waits_is_just_gone() {
        // The only agent is busy with VM 1 when VM 0 loses its machine.
        let mut trial = Trial::new(1, 1).vms(1, 2, (0, 90)).vms(1, 4, (55, 2_000));
        trial.agents = Agents { count: 1, decision_ms: 3_600_000, ..trial.agents };
        let world = trial.run(&[incident(60, &fail(1, 0, 5.0))]);
        assert_eq!(world.fate(VmId(0)), Some(Fate::Ended { at: minute(90), reason: Reason::Failed }));
        assert_eq!(counts(&world), (1, 0, 0));
    }

    #[test]
    fn a_vm_whose_time_is_over_when_no_machine_was_found_is_not_lost() {
        // The agent knows of the failure immediately and takes five minutes to find that no machine is valid.
        for (end, lost) in [(64, 0), (66, 1)] {
            let mut trial = Trial::new(1, 1).vms(1, 2, (0, end));
            trial.agents = Agents { count: 1, decision_ms: 300_000, publish_ms: 0, ..trial.agents };
            let world = trial.run(&[incident(60, &fail(1, 0, 600.0))]);
            assert_eq!(counts(&world), (1, 0, lost), "a VM until {end}");
            assert_eq!(matches!(world.fate(VmId(0)), Some(Fate::Ended { .. })), lost == 0, "a VM until {end}");
        }
    }

    #[test]
    fn an_agent_that_does_not_know_yet_is_refused_and_told() {
        let mut trial = Trial::new(1, 1).vms(1, 1, (60, 200));
        trial.agents = Agents { count: 1, decision_ms: 60_000, publish_ms: 3_600_000, ..trial.agents };
        let world = trial.run(&[incident(60, &fail(1, 0, 600.0))]);
        let summary = world.summary();
        assert_eq!((summary.conflicts, summary.placements, summary.rejections), (1, 0, 1));
        assert_eq!(world.rejection(world.plan().workload().request_of(VmId(0))), Some(Rejection::Refused(VmId(0))));
    }

    #[test]
    fn where_a_vm_stood_before_is_remembered() {
        let trial = Trial::new(2, 1).vms(1, 1, (0, 2_000));
        let incidents = [incident(60, &fail(1, 0, 60.0)), incident(200, &fail(2, 0, 60.0))];
        let world = trial.run(&incidents);
        for Disruption { vm, from, since, time, .. } in world.disruptions() {
            let there = |at| world.vms_on(*from, at).any(|stay| stay == (*vm, *since));
            assert!(there(*since) && !there(*time), "VM {vm} stood on {from}");
        }
        assert_eq!(world.fate(VmId(0)).map(|fate| matches!(fate, Fate::Lost { .. })), Some(true));
    }

    #[test]
    fn what_makes_no_sense_harms_nothing() {
        let trial = Trial::new(2, 1).vms(3, 2, (0, 2_000)).vms(3, 2, (100, 300));
        let without = trial.run(&[]).summary().digest;
        for (at, terms) in [(-5, fail(2, 0, 60.0)), (1_441, fail(2, 0, 60.0)), (99_999_999, fail(2, 0, 60.0))] {
            assert_eq!(trial.run(&[incident(at, &terms)]).summary().digest, without, "minute {at}");
        }
        for (at, terms) in [
            (0, fail(2, 0, 60.0)),
            (1_440, fail(1, 0, 60.0)),
            (60, fail(1_000_000, 0, 0.0)),
            (60, fail(1, 1_000_000, 100_000.0)),
        ] {
            let incidents = [incident(at, &terms), incident(at, &terms)];
            assert!(!trial.run(&incidents).disruptions().is_empty(), "minute {at}, {terms:?}");
        }
    }
}
