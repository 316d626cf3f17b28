//! The world's queries about power.

use tiebreak_model::{ChassisId, Time, VmId};

use super::World;
use crate::power::PowerSettings;
use crate::power::book::PowerBook;
use crate::power::events::{CappingEvent, Throttled};

impl World {
    /// The power settings; `None` if power is not part of the run.
    #[must_use]
    pub fn power_settings(&self) -> Option<PowerSettings> {
        self.plan.power().map(|terms| terms.settings)
    }

    /// Whether draws of chassis are measured.
    #[must_use]
    pub fn measures_draws(&self) -> bool {
        self.systems.power.as_ref().is_some_and(PowerBook::measures)
    }

    /// Capping events so far, finished ones first.
    pub fn capping_events(&self) -> impl Iterator<Item = &CappingEvent> {
        self.systems.power.iter().flat_map(PowerBook::events)
    }

    /// VMs throttled so far, and by how much.
    pub fn throttled(&self) -> impl Iterator<Item = (VmId, Throttled)> + '_ {
        let throttled = self.systems.power.iter().flat_map(PowerBook::throttled);
        throttled.map(|(vm, throttled)| (*vm, *throttled))
    }

    /// The draw of each chassis at the start of each slot without throttling, in watts: the history for choosing a
    /// budget. Empty if draws are not measured.
    pub fn power_readings(&self) -> impl Iterator<Item = &[f32]> {
        self.systems.power.iter().flat_map(PowerBook::readings)
    }

    /// The unthrottled draw of every server, chassis by chassis, with its time, and the actual draw of its chassis.
    pub fn chassis_draws(&self) -> impl Iterator<Item = (Time, &[f64], f64)> {
        let all = (0..self.plan.fleet.chassis_count()).map(ChassisId);
        self.systems.power.iter().flat_map(move |book| all.clone().map(|id| book.chassis_draw(id)))
    }

    /// The share of its cores that a VM uses at a moment, placed or not, from 0 to 1; `None` if power is not part of
    /// the run.
    #[must_use]
    pub fn utilization(&self, vm: VmId, at: Time) -> Option<f64> {
        let book = self.systems.power.as_ref()?;
        Some(book.utilization((vm, self.plan.luck(vm)), &self.plan.workload, at))
    }
}
