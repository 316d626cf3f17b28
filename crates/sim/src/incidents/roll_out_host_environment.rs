//! `RollOutHostEnvironment` (Protean section 3.1, "latest host environment").

use alloc::boxed::Box;

use tiebreak_model::{MachineId, Millis, Time, declare};

use super::zone::Zone;
use super::{Incident, Kind};

declare! {
    /// A new host environment is rolled out machine by machine, under the running VMs.
    ///
    /// Machines are updated in the order of their numbers, so the zone runs both versions for a while. A preference
    /// for the newest one then sends new VMs to updated machines, away from where they would pack best. (Protean
    /// section 3.1)
    pub struct RollOutHostEnvironment as "Host environment rolled out" {
        /// How many machines are updated per hour.
        machines_per_hour: u32 = 100, 1 => 1000000, "machines/h";
    }
}

impl Kind for RollOutHostEnvironment {
    fn begin(self) -> Box<dyn Incident> {
        Box::new(RollOut { terms: self, began: None, next: 0 })
    }
}

struct RollOut {
    terms: RollOutHostEnvironment,
    began: Option<Time>,
    /// The next machine.
    next: u32,
}

impl Incident for RollOut {
    fn happen(&mut self, zone: &mut dyn Zone) -> Option<Time> {
        let began = *self.began.get_or_insert(zone.now());
        let per_hour = u64::from(self.terms.machines_per_hour);
        let turn = |machine: u32| began + Millis(u64::from(machine) * Millis::HOUR.0 / per_hour);
        let machines = zone.fleet().machine_count();
        while self.next < machines && turn(self.next) <= zone.now() {
            zone.renew_host(MachineId(self.next));
            self.next += 1;
        }
        (self.next < machines).then(|| turn(self.next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::trial::{Trial, counts, incident};
    use alloc::vec::Vec;

    #[test]
    fn machines_get_it_one_after_the_other() {
        let trial = Trial::new(5, 1).vms(3, 1, (0, 2_000));
        let incidents = [incident(60, &RollOutHostEnvironment { machines_per_hour: 2 })];
        for (at, renewed) in [(55, 0), (65, 1), (85, 1), (95, 2), (125, 3), (200, 5), (300, 5)] {
            let world = trial.at(at, &incidents);
            let versions: Vec<_> = (0..5).map(|id| world.occupancy().record(MachineId(id)).host_version).collect();
            assert_eq!(versions.iter().filter(|version| **version == 1).count(), renewed, "minute {at}: {versions:?}");
            assert!(versions.is_sorted_by(|one, next| one >= next), "minute {at}: {versions:?}");
        }
        let world = trial.run(&incidents);
        assert_eq!((counts(&world), world.summary().digest), ((0, 0, 0), trial.run(&[]).summary().digest));
    }

    #[test]
    fn a_zone_can_be_done_within_one_instant() {
        let trial = Trial::new(3, 1).vms(1, 1, (0, 2_000));
        let world = trial.run(&[incident(1_440, &RollOutHostEnvironment { machines_per_hour: 1_000_000 })]);
        assert_eq!(world.occupancy().record(MachineId(0)).host_version, 1);
    }
}
