//! What is asked of the world about power.

use tiebreak_model::{ChassisId, Time, VmId};

use super::World;
use crate::power::PowerSettings;
use crate::power::book::PowerBook;
use crate::power::events::{CappingEvent, Throttled};

impl World {
    /// How power is dealt with; none where nobody asks.
    #[must_use]
    pub fn power_settings(&self) -> Option<PowerSettings> {
        self.plan.power().map(|terms| terms.settings)
    }

    /// Whether draws of chassis are measured.
    #[must_use]
    pub fn measures_draws(&self) -> bool {
        self.systems.power.as_ref().is_some_and(PowerBook::measures)
    }

    /// Capping events so far, those that are over first.
    pub fn capping_events(&self) -> impl Iterator<Item = &CappingEvent> {
        self.systems.power.iter().flat_map(PowerBook::events)
    }

    /// VMs that were slowed down so far, and how much.
    pub fn throttled(&self) -> impl Iterator<Item = (VmId, Throttled)> + '_ {
        let throttled = self.systems.power.iter().flat_map(PowerBook::throttled);
        throttled.map(|(vm, throttled)| (*vm, *throttled))
    }

    /// What each chassis would have drawn at the beginnings of slots if nobody had been slowed down, in watts: the
    /// history that a budget is found from. Empty where draws are not measured.
    pub fn power_readings(&self) -> impl Iterator<Item = &[f32]> {
        self.systems.power.iter().flat_map(PowerBook::readings)
    }

    /// What every server would draw unslowed, chassis by chassis, and when that was; and what its chassis does draw.
    pub fn chassis_draws(&self) -> impl Iterator<Item = (Time, &[f64], f64)> {
        let all = (0..self.plan.fleet.chassis_count()).map(ChassisId);
        self.systems.power.iter().flat_map(move |book| all.clone().map(|id| book.chassis_draw(id)))
    }

    /// The share of its cores that a VM uses at a moment, whether it stands anywhere or not, from 0 to 1; none where power is
    /// no part of the run.
    #[must_use]
    pub fn utilization(&self, vm: VmId, at: Time) -> Option<f64> {
        let book = self.systems.power.as_ref()?;
        Some(book.utilization((vm, self.plan.luck(vm)), &self.plan.workload, at))
    }
}
