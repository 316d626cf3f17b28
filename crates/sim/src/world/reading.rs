//! Queries about a run: its progress, the location of VMs, its results.

use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, Occupancy, Readiness, RequestId, Resource, Time, VmId};

use super::World;
use crate::agents::AgentState;
use crate::lifetimes::Lives;
use crate::observation::Observation;
use crate::observation::debt::Debt;
use crate::observation::frames::{self, Frames, Layers};
use crate::observation::machine_byte::MachineByte;
use crate::observation::metrics::Series;
use crate::plan::Plan;
use crate::record::{Decision, Rejection};
use crate::summary::Summary;
use crate::system::System;

impl World {
    /// Keeps every decision from now on.
    pub fn keep_decisions(&mut self) {
        self.record.keep_decisions();
    }

    /// Keeps the state of every machine at each sample, for the fleet map, and enough lifetime history to look back
    /// ([`World::host_card`]).
    pub fn keep_frames(&mut self) {
        self.systems.lives.iter_mut().for_each(Lives::look_back);
        let ticks = self.plan.workload.horizon().since(Time::ZERO).0 / self.plan.tick.0 + 1;
        self.observed.frames =
            Some(Frames::new(self.plan.fleet.machine_count() as usize, ticks as usize, self.layers()));
    }

    /// What the frames contain in addition to machine states.
    fn layers(&self) -> Layers {
        let draws = self.measures_draws();
        Layers { lives: self.systems.lives.is_some(), uplinks: self.systems.network.is_some(), draws }
    }

    /// The plan of the run.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The authoritative state.
    #[must_use]
    pub fn occupancy(&self) -> &Occupancy {
        self.store.occupancy()
    }

    /// The samples so far.
    #[must_use]
    pub fn series(&self) -> &Series {
        &self.observed.series
    }

    /// The frames so far, if kept.
    #[must_use]
    pub fn frames(&self) -> Option<&Frames> {
        self.observed.frames.as_ref()
    }

    /// The decisions so far, if kept.
    #[must_use]
    pub fn decisions(&self) -> &[Decision] {
        self.record.decisions()
    }

    /// The last VM decided, if any.
    #[must_use]
    pub fn decided_last(&self) -> Option<VmId> {
        self.record.last()
    }

    /// The number of failed commits, and the first VM of the last one.
    #[must_use]
    pub fn conflicts(&self) -> (u64, Option<VmId>) {
        (self.observed.counters.conflicts, self.record.conflicted())
    }

    /// Where and when a VM was placed; `None` if it was not, or not yet.
    #[must_use]
    pub fn placement(&self, vm: VmId) -> Option<(MachineId, Time)> {
        self.places.machine(vm).map(|machine| (machine, self.places.since(vm)))
    }

    /// Why a request was not placed; `None` if it was placed or is not decided yet.
    #[must_use]
    pub fn rejection(&self, request: RequestId) -> Option<Rejection> {
        self.record.rejection(request)
    }

    /// The current state of every machine: one frame, as in [`Frames`].
    #[must_use]
    pub fn picture(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        frames::picture(self.store.occupancy(), self.layers(), self.systems.draws(), &mut bytes);
        bytes
    }

    /// The VMs on a machine at a past moment of the run, and since when each was there: first those that stayed, by
    /// id, then those that left it early.
    pub fn vms_on(&self, machine: MachineId, at: Time) -> impl Iterator<Item = (VmId, Time)> + '_ {
        let stayed = move |(vm, on): (VmId, MachineId)| (on == machine && self.stood_at(vm, at)).then_some(vm);
        let stayed = self.places.all().filter_map(stayed).map(|vm| (vm, self.places.since(vm)));
        stayed.chain(self.systems.incidents.once_on(machine, at))
    }

    /// Whether a VM was already on its current or last machine at that time, and had not ended.
    fn stood_at(&self, vm: VmId, at: Time) -> bool {
        self.places.since(vm) <= at && self.plan.workload.end(vm) > at
    }

    /// The state of every machine at a past moment of the run, one [`MachineByte`] each; empty if frames are not
    /// kept. Usage is computed for that moment; whether a machine accepted VMs is taken from the preceding frame.
    #[must_use]
    pub fn machines_at(&self, at: Time) -> Vec<u8> {
        let (fleet, workload) = (self.plan.fleet(), &self.plan.workload);
        let Some(frames) = &self.observed.frames else { return Vec::new() };
        let mut held = vec![(false, 0_u32); fleet.machine_count() as usize];
        let mut hold = |machine: u32, vm: VmId| {
            let (has_vms, used) = &mut held[machine as usize];
            *has_vms = true;
            *used += workload.shape(workload.shape_of(vm)).demand[Resource::Cores];
        };
        self.places.all().filter(|(vm, _)| self.stood_at(*vm, at)).for_each(|(vm, machine)| hold(machine.0, vm));
        for left in self.disruptions().iter().filter(|it| it.since <= at && at < it.held_until) {
            hold(left.from.0, left.vm);
        }
        let readiness = frames.at(at).iter().map(|byte| MachineByte(*byte).readiness());
        let machines = held.into_iter().zip(readiness).zip((0..).map(MachineId));
        let byte = |(((has_vms, used), readiness), id): (((bool, u32), Readiness), MachineId)| {
            MachineByte::new(has_vms, used, fleet.capacity(id)[Resource::Cores], readiness).0
        };
        machines.map(byte).collect()
    }

    /// The last measurement of placement debt; `None` if it is not measured.
    #[must_use]
    pub fn debt(&self) -> Option<Debt> {
        self.observed.debts.last()
    }

    /// The results so far.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let (lives, power) = self.systems.summary();
        let Observation { counters, shares, weighted, fills, debts, minutes, seconds, answered_at, .. } =
            &self.observed;
        Summary {
            digest: self.record.digest(),
            placements: counters.placements + self.warm_start.placements,
            rejections: counters.rejections + self.warm_start.rejections,
            warm_rejections: self.warm_start.rejections,
            conflicts: counters.conflicts,
            conflicts_per_minute_p99: minutes.p99(),
            conflicts_per_second_p99: seconds.p99(),
            answers: self.observed.answers(),
            answered_at: *answered_at,
            empty_hosts_pct_mean: weighted.empty_hosts_pct(),
            machine_hours: weighted.machine_hours(),
            packing_density_pct_mean: weighted.packing_density_pct(),
            empty_to_free_pct_mean: weighted.empty_to_free_pct(),
            stranded_pct_mean: fills.means(),
            debt_mean: debts.means(),
            affinity: self.systems.affinity.summary(),
            counters: *counters,
            cache_bytes: self.team.cache_sizes().bytes(),
            cache_sizes: self.team.cache_sizes(),
            caches: self.team.cache_counters(),
            rule_shares: shares.means(),
            circles: shares.circles(),
            lives,
            power,
        }
    }

    /// The current state of each agent.
    #[must_use]
    pub fn agents(&self) -> Vec<AgentState> {
        self.team.states(&self.store)
    }

    /// The fleet in an agent's view, including its own assignments that the store has not answered; `None` if there
    /// is no such agent. During the warm start there is only the first agent.
    #[must_use]
    pub fn view(&self, agent: u32) -> Option<&Occupancy> {
        self.team.agents.get(agent as usize).map(|agent| agent.allocator.view())
    }
}
