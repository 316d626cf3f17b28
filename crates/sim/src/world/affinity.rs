//! How the world uses affinity groups: ends their days, and publishes the classes of machines.

use tiebreak_model::MachineId;

use super::World;
use crate::affinity::{Affinity, AffinityDay};

impl World {
    /// The days of all clusters' affinity groups so far; none if no rule reads them or groups do not change.
    #[must_use]
    pub fn affinity_days(&self) -> &[AffinityDay] {
        self.systems.affinity.as_ref().map_or(&[], Affinity::days)
    }

    /// The affinity groups, if agents see them now.
    pub(super) fn shown_affinity(&self) -> Option<&Affinity> {
        self.systems.affinity.as_ref().filter(|it| it.shown_from() <= self.now)
    }

    /// A day of affinity groups ends.
    pub(super) fn end_affinity_day(&mut self) {
        let Some(affinity) = &mut self.systems.affinity else { return };
        let changed = affinity.day(self.now, &self.plan.workload, &self.plan.fleet);
        changed.into_iter().for_each(|machine| self.rate_again(machine));
    }

    /// Whether a machine has any long-lived VM, by predictions.
    pub(super) fn has_long(&self, machine: MachineId) -> bool {
        self.systems.affinity.as_ref().is_some_and(|it| it.has_long(machine))
    }

    /// A VM has migrated away from a machine that had any long-lived VM before.
    pub(super) fn note_migrated_from(&mut self, machine: MachineId, had_long: bool) {
        if let Some(affinity) = &mut self.systems.affinity {
            affinity.migrated_from(machine, had_long, &self.plan.fleet);
        }
    }
}
