//! `MigrateRecommended` (Protean section 6.3, "recommend migration targets").

use alloc::boxed::Box;

use tiebreak_model::{Time, declare};
use tiebreak_placement::migrate::MigrationLimits;

use super::zone::Zone;
use super::{Incident, Kind};

declare! {
    /// VMs of fragmented machines migrate to fuller machines with room.
    ///
    /// The list of rules itself recommends which machines to empty and where their VMs go, for the true state of
    /// the zone at that moment. Azure did this when it raised its limits in March 2020, to keep capacity for
    /// failures. (Protean section 6.3)
    pub struct MigrateRecommended as "Recommended migrations" {
        /// How many VMs may move; a larger value packs more densely and disturbs more VMs.
        moves: u32 = 100, 0 => 1000000, "VMs";
        /// A machine is fragmented while at most this share of its cores is allocated. A larger value also empties
        /// fuller machines, with more moves for the same gain.
        fragmented: f64 = 50, 0 => 100, "%";
    }
}

impl Kind for MigrateRecommended {
    fn begin(self) -> Box<dyn Incident> {
        Box::new(self)
    }
}

impl Incident for MigrateRecommended {
    fn happen(&mut self, zone: &mut dyn Zone) -> Option<Time> {
        zone.migrate_recommended(&MigrationLimits { moves: self.moves, fragmented: self.fragmented });
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::trial::{Trial, counts, incident};

    #[test]
    fn fragmented_machines_become_empty() {
        // Pairs of VMs fill four machines, then one of each pair leaves: four halves fit on two.
        let trial = Trial::new(4, 2).rule("IsClusterBelowLimit", &[100.0]);
        let mut trial = trial.vms(8, 2, (10, 2_000)).vms(1, 4, (90, 2_000)).vms(1, 4, (91, 2_000));
        trial.agents.count = 1;
        let before = trial.at(50, &[]);
        let mut gone = alloc::collections::BTreeSet::new();
        for vm in 0..8 {
            let (machine, _) = before.placement(tiebreak_model::VmId(vm)).expect("there is room for eight");
            if gone.insert(machine) {
                trial.vms[vm as usize].end = crate::world::trial::minute(60);
            }
        }
        for (moves, moved, empty, placed) in [(0, 0, 0, 8), (1, 1, 1, 9), (100, 2, 2, 10)] {
            let terms = MigrateRecommended { moves, fragmented: 50.0 };
            let incidents = [incident(80, &terms)];
            let world = trial.run(&incidents);
            assert_eq!((counts(&world), world.summary().counters.migrations), ((moved, 0, 0), moved as u64));
            assert_eq!(trial.at(85, &incidents).occupancy().zone().busy, 4 - empty, "{moves} moves");
            assert_eq!(world.summary().placements, placed, "{moves} moves make room for VMs of whole machines");
        }
    }
}
