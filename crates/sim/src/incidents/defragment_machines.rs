//! `DefragmentMachines` (LAVA section 4.4 and appendix H).

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, Readiness, Time, declare};

use super::evacuation::{Evacuation, EvacuationTerms, MigrationOrder};
use super::zone::Zone;
use super::{Incident, Kind, hours, minutes};

declare! {
    /// While too few machines are empty, some are emptied by live migration: those with few VMs and much free
    /// capacity first.
    ///
    /// A machine that is being emptied takes no new VMs. Its VMs migrate one at a time to where the rules would
    /// place them now, and both machines are busy until the copy is complete. A VM that ends before its turn saves
    /// a migration: migrating the longest-lived VMs first saves most (LARS). Once empty, the machine takes VMs of
    /// any lifetime again. (LAVA section 4.4 and appendix H)
    pub struct DefragmentMachines as "Defragmentation" {
        /// Machines are emptied while fewer than this share of the zone's machines are empty. A larger value keeps
        /// more of them empty and migrates more VMs.
        empty_below: f64 = 10, 0 => 100, "%";
        /// How many machines are emptied together.
        machines_at_once: u32 = 3, 1 => 1000000, "machines";
        /// How often the number of empty machines is checked.
        check_minutes: f64 = 60, 1 => 100000, "minutes";
        /// Duration. Machines that are not empty by then stay as they are.
        for_hours: f64 = 720, 0 => 10000, "h";
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

impl Kind for DefragmentMachines {
    fn begin(self) -> Box<dyn Incident> {
        let (order, approved_pct) = (self.order, self.approved);
        let (at_once, each) = (self.migrations_at_once, minutes(self.migration_minutes));
        let evacuation = Evacuation::new(EvacuationTerms { order, approved_pct, at_once, each });
        Box::new(Defragmentation { terms: self, evacuation, until: None, check_at: Time::ZERO })
    }
}

struct Defragmentation {
    terms: DefragmentMachines,
    evacuation: Evacuation,
    /// When it ends, once it has begun.
    until: Option<Time>,
    check_at: Time,
}

impl Incident for Defragmentation {
    fn happen(&mut self, zone: &mut dyn Zone) -> Option<Time> {
        let now = zone.now();
        let until = *self.until.get_or_insert(now + hours(self.terms.for_hours));
        self.release_empty(zone);
        if now >= until {
            self.evacuation.give_up(zone);
            return self.evacuation.next(zone, None);
        }
        if now >= self.check_at {
            self.check_at = now + minutes(self.terms.check_minutes);
            self.choose(zone);
            self.release_empty(zone);
        }
        self.evacuation.go_on(zone);
        self.evacuation.next(zone, Some(self.check_at.min(until)))
    }

    fn asks_for_lifetimes(&self) -> bool {
        self.evacuation.asks_for_lifetimes()
    }
}

impl Defragmentation {
    /// Machines that are empty accept VMs again.
    fn release_empty(&mut self, zone: &mut dyn Zone) {
        self.evacuation.look(zone).into_iter().for_each(|machine| zone.release(machine));
    }

    /// Starts emptying machines while too few are empty and few enough are being emptied.
    fn choose(&mut self, zone: &mut dyn Zone) {
        let more = self.terms.machines_at_once.saturating_sub(self.evacuation.machines());
        if more == 0 || zone.empty_share_pct() >= self.terms.empty_below {
            return;
        }
        let mut candidates = candidates(zone);
        candidates.retain(|(_, _, machine)| self.evacuation.is_approved(zone, *machine));
        candidates.sort_by(|one, other| one.partial_cmp(other).expect("shares are numbers"));
        for (_, _, machine) in candidates.into_iter().take(more as usize) {
            self.evacuation.take_up(zone, machine);
        }
    }
}

/// Machines that can be emptied: their number of VMs, the share of their cores or memory in use, and their id. None
/// of their VMs is migrating.
fn candidates(zone: &dyn Zone) -> Vec<(u32, f64, MachineId)> {
    let candidate = |machine: MachineId| {
        let (record, vms) = (zone.record(machine), zone.residents(machine));
        let is_settled = vms.len() == record.vms as usize && !vms.iter().any(|vm| zone.is_migrating(*vm));
        let can = record.readiness == Readiness::Ready && record.vms > 0 && is_settled;
        can.then(|| (record.vms, record.used_share(zone.fleet().capacity(machine)), machine))
    };
    (0..zone.fleet().machine_count()).map(MachineId).filter_map(candidate).collect()
}
