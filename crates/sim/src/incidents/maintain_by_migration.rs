//! `MaintainByMigration` (LAVA section 4.4 and appendix H).

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, Time, declare};

use super::evacuation::{Evacuation, EvacuationTerms, MigrationOrder};
use super::zone::Zone;
use super::{Incident, Kind, minutes};

declare! {
    /// A share of the zone's machines is emptied by live migration, a few at a time, and each is updated once it is
    /// empty.
    ///
    /// A machine that is being emptied takes no new VMs. Its VMs migrate one at a time to where the rules would
    /// place them now, and both machines are busy until the copy is complete. A VM that ends before its turn saves
    /// a migration: migrating the longest-lived VMs first saves most (LARS). (LAVA sections 4.4 and 6.3, appendix
    /// H)
    pub struct MaintainByMigration as "Maintenance by live migration" {
        /// Share of the zone's machines to update, drawn at random.
        share: f64 = 100, 0 => 100, "%";
        /// How many machines are emptied together, in the order of their numbers.
        machines_at_once: u32 = 10, 1 => 1000000, "machines";
        /// Which VM of a machine migrates next: the one placed first (as_placed), which knows that old VMs often
        /// live on; the one with the longest predicted remaining lifetime (longest_first, LARS), which needs a
        /// predictor; one by chance (random); or the one that the trace names first (in_trace).
        order: MigrationOrder = 0, 0 => 3, "";
        /// How many VMs migrate at the same time in the whole zone, one per machine.
        migrations_at_once: u32 = 3, 1 => 1000000, "VMs";
        /// How long a migration keeps both machines busy.
        migration_minutes: f64 = 20, 1 => 10000, "minutes";
        /// Share of the VMs whose migration is approved, drawn once for each VM. A machine with a VM that is not
        /// approved is left alone: "send all VMs for eviction approval". (LAVA Algorithm 1)
        approved: f64 = 100, 0 => 100, "%";
    }
}

impl Kind for MaintainByMigration {
    fn begin(self) -> Box<dyn Incident> {
        let (order, approved_pct) = (self.order, self.approved);
        let (at_once, each) = (self.migrations_at_once, minutes(self.migration_minutes));
        let evacuation = Evacuation::new(EvacuationTerms { order, approved_pct, at_once, each });
        Box::new(Maintenance { terms: self, evacuation, to_come: None })
    }
}

struct Maintenance {
    terms: MaintainByMigration,
    evacuation: Evacuation,
    /// The machines still to be emptied, once it has begun.
    to_come: Option<VecDeque<MachineId>>,
}

impl Incident for Maintenance {
    fn happen(&mut self, zone: &mut dyn Zone) -> Option<Time> {
        if self.to_come.is_none() {
            let share = f64::from(zone.fleet().machine_count()) * self.terms.share / 100.0;
            self.to_come = Some(zone.draw_machines(libm::ceil(share) as u32).into());
        }
        self.finish(zone);
        while self.take_up(zone) {
            self.finish(zone);
        }
        self.evacuation.go_on(zone);
        self.evacuation.next(zone, None)
    }

    fn asks_for_lifetimes(&self) -> bool {
        self.evacuation.asks_for_lifetimes()
    }
}

impl Maintenance {
    /// Updates empty machines and returns them to service.
    fn finish(&mut self, zone: &mut dyn Zone) {
        for machine in self.evacuation.look(zone) {
            zone.renew_host(machine);
            zone.release(machine);
        }
    }

    /// Starts emptying machines within the limit. Returns whether there were any.
    fn take_up(&mut self, zone: &mut dyn Zone) -> bool {
        let more = self.terms.machines_at_once.saturating_sub(self.evacuation.machines());
        let Some(to_come) = &mut self.to_come else { return false };
        let next: Vec<_> = to_come.drain(..to_come.len().min(more as usize)).collect();
        for machine in &next {
            if self.evacuation.is_approved(zone, *machine) {
                self.evacuation.take_up(zone, *machine);
            }
        }
        !next.is_empty()
    }
}
