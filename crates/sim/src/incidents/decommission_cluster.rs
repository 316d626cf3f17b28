//! `DecommissionCluster` (Protean section 2.1, "decommissioning of machines").

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, Time, declare};

use super::holds::Hold;
use super::zone::Zone;
use super::{Incident, Kind, hours};
use crate::record::disruption::Reason;

declare! {
    /// A cluster goes out of service: it takes no new VMs, and after some hours the VMs still on it are
    /// reallocated.
    ///
    /// This is how old hardware is retired. With longer notice, more VMs exit by themselves and need not be moved.
    /// (Protean section 2.1)
    pub struct DecommissionCluster as "Cluster decommissioned" {
        /// Which cluster, counting from 0. It has no effect if there is no such cluster.
        cluster: u32 = 0, 0 => 1000000, "";
        /// How long its VMs may stay before they are reallocated.
        hours: f64 = 24, 0 => 10000, "h";
    }
}

impl Kind for DecommissionCluster {
    fn begin(self) -> Box<dyn Incident> {
        Box::new(Farewell { terms: self, is_announced: false })
    }
}

struct Farewell {
    terms: DecommissionCluster,
    is_announced: bool,
}

impl Incident for Farewell {
    fn happen(&mut self, zone: &mut dyn Zone) -> Option<Time> {
        let cluster = zone.fleet().clusters().get(self.terms.cluster as usize)?;
        let machines: Vec<_> = cluster.machines().map(MachineId).collect();
        if self.is_announced {
            machines.into_iter().for_each(|machine| zone.clear(machine, Reason::Decommissioned));
            return None;
        }
        machines.into_iter().for_each(|machine| zone.hold(machine, Hold::UNREADY));
        self.is_announced = true;
        Some(zone.now() + hours(self.terms.hours))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::trial::{Trial, counts, incident, machines, minute};
    use tiebreak_model::Readiness;

    #[test]
    fn a_cluster_empties_and_stays_out_of_service() {
        // Six VMs are in the first cluster when it closes; two leave in time, four must move.
        for (others, reallocated, lost) in [(4, 4, 0), (2, 2, 2), (1, 1, 3)] {
            let mut trial = Trial::new(6, 2).vms(2, 4, (10, 90)).vms(4, 4, (10, 2_000));
            trial.add_cluster(others, 1);
            let trial = trial.rule("IsClusterBelowLimit", &[100.0]);
            let trial = Trial {
                rules: trial.rules.into_iter().filter(|it| it.id != "PreferEmptierClusters").collect(),
                ..trial
            };
            let incidents = [incident(60, &DecommissionCluster { cluster: 0, hours: 2.0 })];
            let world = trial.run(&incidents);
            assert_eq!(machines(&world, Readiness::Unready), [0, 1, 2, 3, 4, 5]);
            let (moved, found, gone) = counts(&world);
            assert_eq!((moved, found + gone), (4, 4), "the cluster hosts all at first");
            assert_eq!((found, gone), (reallocated, lost), "{others} machines in the other cluster");
            assert!(world.disruptions().iter().all(|it| it.time == minute(180) && it.reason == Reason::Decommissioned));
        }
    }

    #[test]
    fn a_cluster_that_is_not_there_does_nothing() {
        let trial = Trial::new(2, 1).vms(3, 2, (0, 2_000));
        let world = trial.run(&[incident(60, &DecommissionCluster { cluster: 7, hours: 0.0 })]);
        assert_eq!((counts(&world), machines(&world, Readiness::Ready).len()), ((0, 0, 0), 2));
    }

    #[test]
    fn where_no_rule_asks_for_ready_machines_vms_may_land_there_all_the_same() {
        let mut trial = Trial::new(2, 1).vms(3, 2, (90, 2_000));
        for (rule, placed) in [("none of these", 0), ("IsMachineReady", 3)] {
            trial.rules.retain(|it| it.id != rule);
            let world = trial.run(&[incident(60, &DecommissionCluster { cluster: 0, hours: 10_000.0 })]);
            assert_eq!(world.summary().placements, placed, "without {rule}");
        }
    }

    #[test]
    fn without_notice_all_move_at_once() {
        let trial = Trial::new(2, 1).vms(3, 2, (0, 2_000));
        let world = trial.run(&[incident(60, &DecommissionCluster { cluster: 0, hours: 0.0 })]);
        assert_eq!(counts(&world), (3, 0, 3));
    }
}
