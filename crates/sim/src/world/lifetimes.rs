//! How the world uses predicted lifetimes: publishes them to agents, and schedules repredictions.

use tiebreak_model::{HostLife, MachineId, MachineRecord, PredictedLife, Time, VmId};

use super::World;
use crate::lifetimes::{DueNotice, HostCard, LifeCounts};
use crate::system::System;

impl World {
    /// A machine's lifetime state at a past moment of the run, with its history; `None` if no rule had read predicted
    /// lifetimes by then, or the history is no longer stored.
    #[must_use]
    pub fn host_card(&self, machine: MachineId, at: Time) -> Option<HostCard> {
        let lives = self.systems.lives.as_ref().filter(|lives| lives.is_shown(at))?;
        if at >= self.now { Some(lives.card(machine)) } else { lives.card_at(machine, at, self.vms_on(machine, at)) }
    }

    /// Counts of repredictions and of their effects so far.
    #[must_use]
    pub fn life_counts(&self) -> LifeCounts {
        self.systems.lives.summary().unwrap_or_default()
    }

    /// The current prediction for a VM.
    pub(super) fn predicted_life(&self, vm: VmId) -> PredictedLife {
        let lives = self.systems.lives.as_ref();
        let life = lives.map_or(PredictedLife::NONE, |lives| lives.predicted_life(vm, self.now));
        let affinity = self.shown_affinity().map(|it| it.of_vm(life.remaining_s));
        PredictedLife { affinity: affinity.unwrap_or_default(), ..life }
    }

    /// The predicted remaining lifetime of a VM on a machine, in seconds, whether or not any rule reads it; `None`
    /// without predictions.
    pub(super) fn predicted_s(&self, vm: VmId) -> Option<u32> {
        let by_rules = self.shows_lives().then(|| self.predicted_life(vm).remaining_s);
        let life_predictions =
            || self.plan.life_predictions().map(|it| it.remaining_s(&self.plan.workload, vm, self.now));
        by_rules.or_else(life_predictions)
    }

    /// Whether agents see predictions now.
    pub(super) fn shows_lives(&self) -> bool {
        self.systems.lives.as_ref().is_some_and(|lives| lives.is_shown(self.now))
    }

    /// Gives a machine's state its current predictions, if agents see them. Schedules the next reprediction.
    pub(super) fn rate(&mut self, machine: MachineId, record: &mut MachineRecord) {
        let Some(lives) = &mut self.systems.lives else { return };
        let (life, due) = lives.rate(machine, self.now);
        if let Some(due) = due {
            self.queue.schedule_life(due, machine);
        }
        let affinity = self.shown_affinity().map_or(0, |it| it.class(machine));
        if self.shows_lives() {
            record.life = HostLife { affinity, ..life };
        }
    }

    /// The predictions for a machine may be out of date.
    pub(super) fn think_over(&mut self, machine: MachineId) {
        let Some(lives) = &mut self.systems.lives else { return };
        match lives.told(machine, self.now) {
            DueNotice::Nothing => {}
            DueNotice::Later(at) => self.queue.schedule_life(at, machine),
            DueNotice::Due => {
                lives.wait(machine, self.now);
                self.rate_again(machine);
            }
        }
    }

    /// Publishes a machine's current predictions, if they have changed.
    pub(super) fn rate_again(&mut self, machine: MachineId) {
        let before = self.store.occupancy().record(machine);
        let mut after = before;
        self.rate(machine, &mut after);
        if after != before {
            self.store.set(self.now, machine, after);
        }
    }

    /// Publishes predictions from now on, starting with all machines in their current state.
    pub(super) fn show_lifetimes(&mut self) {
        for agent in &mut self.team.agents {
            agent.lifetimes = self.plan.lifetimes();
        }
        self.rate_all_again();
    }

    /// Publishes the current predictions of all machines, where they have changed.
    pub(super) fn rate_all_again(&mut self) {
        (0..self.plan.fleet.machine_count()).map(MachineId).for_each(|machine| self.rate_again(machine));
    }
}
