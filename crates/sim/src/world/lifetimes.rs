//! What the world does with predicted lifetimes: shows them to agents, and has them thought over in time.

use tiebreak_model::{MachineId, MachineRecord, PredictedLife, Time, VmId};

use super::World;
use crate::lifetimes::{DueNotice, HostCard, LifeCounts};
use crate::system::System;

impl World {
    /// A machine as lifetime rules saw it at a moment of the run so far, and why; none where no
    /// rule had asked for lifetimes by then, or what it was is forgotten.
    #[must_use]
    pub fn host_card(&self, machine: MachineId, at: Time) -> Option<HostCard> {
        let lives = self.systems.lives.as_ref().filter(|lives| lives.is_shown(at))?;
        if at >= self.now { Some(lives.card(machine)) } else { lives.card_at(machine, at, self.vms_on(machine, at)) }
    }

    /// What predicting lifetimes took and led to so far.
    #[must_use]
    pub fn life_counts(&self) -> LifeCounts {
        self.systems.lives.summary().unwrap_or_default()
    }

    /// What is predicted of a VM now.
    pub(super) fn predicted_life(&self, vm: VmId) -> PredictedLife {
        let lives = self.systems.lives.as_ref();
        lives.map_or(PredictedLife::NONE, |lives| lives.predicted_life(vm, self.now))
    }

    /// How long a VM on a machine is predicted to live on, in seconds, whether any rule asks or
    /// not; none where nothing is predicted.
    pub(super) fn predicted_s(&self, vm: VmId) -> Option<u32> {
        let by_rules = self.shows_lives().then(|| self.predicted_life(vm).remaining_s);
        let life_predictions =
            || self.plan.life_predictions().map(|it| it.remaining_s(&self.plan.workload, vm, self.now));
        by_rules.or_else(life_predictions)
    }

    /// Whether agents are shown what is predicted by now.
    pub(super) fn shows_lives(&self) -> bool {
        self.systems.lives.as_ref().is_some_and(|lives| lives.is_shown(self.now))
    }

    /// A machine's state with what is predicted of it now, where agents are shown that; what has to
    /// be thought over later is scheduled.
    pub(super) fn rated(&mut self, machine: MachineId, record: MachineRecord) -> MachineRecord {
        let Some(lives) = &mut self.systems.lives else { return record };
        let (life, due) = lives.rate(machine, self.now);
        if let Some(due) = due {
            self.queue.schedule_life(due, machine);
        }
        if self.shows_lives() { MachineRecord { life, ..record } } else { record }
    }

    /// What is predicted of a machine may be out of date.
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

    /// Publishes what is predicted of a machine by now, if that is something else.
    fn rate_again(&mut self, machine: MachineId) {
        let before = self.store.occupancy().record(machine);
        let after = self.rated(machine, before);
        if after != before {
            self.store.set(self.now, machine, after);
        }
    }

    /// From now on what is predicted of machines is published, first of all of them as they stand.
    pub(super) fn show_lifetimes(&mut self) {
        for agent in &mut self.team.agents {
            agent.lifetimes = self.plan.lifetimes();
        }
        (0..self.plan.fleet.machine_count()).map(MachineId).for_each(|machine| self.rate_again(machine));
    }
}
