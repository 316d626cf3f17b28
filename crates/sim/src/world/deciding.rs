//! Agents decide, each on its own view of the zone (Protean sections 4 and 5, Algorithm 1).

use alloc::vec::Vec;

use tiebreak_model::{MachineId, Millis, PredictedLife, VmId, VmRequest};
use tiebreak_placement::reference::funnel;
use tiebreak_placement::{CacheUse, Choice, Draw, Refusal};

use super::World;
use crate::agents::agent::{Assignment, InFlight};
use crate::agents::job::{Job, Waiting};
use crate::agents::settings::Agents;
use crate::world::choosing::Candidates;

impl World {
    /// Gives waiting requests to idle agents, the longest idle first.
    pub(super) fn dispatch(&mut self) {
        while let Some((agent, waiting)) = self.team.next() {
            self.decide(agent, waiting);
        }
    }

    /// An agent decides a job on its current view (Protean Algorithm 1).
    fn decide(&mut self, agent: u32, Waiting { job, attempt, since }: Waiting) {
        self.take_up(agent);
        self.observed.queued(since, self.now);
        let request = job.request(&self.plan.workload);
        let mut flight = InFlight::begin(self.team.spare.flights.pop(), job, request, attempt);
        let mut order = core::mem::take(&mut self.team.spare.order);
        self.order(job, &mut order);
        self.ask(job);
        self.meet(job);
        if let Job::Reallocate(vm) = job {
            self.tell_what_it_gave_back(agent, vm);
        }
        let mut took_us = 0;
        for vm in &order {
            let found = self.decide_vm(agent, &mut flight, *vm, &mut took_us);
            if !found {
                self.team[agent].drop_all(&flight);
                // Nothing of it is sent to the store, and nothing stays in the agent's view until the store answers.
                flight.assignments.clear();
                flight.links.clear();
                break;
            }
        }
        let took_us = self.plan.agents.request_us(took_us, order.len(), self.plan.vms_a_request());
        self.team.spare.order = order;
        self.team[agent].send(flight);
        let (commit_ms, pipelined) =
            (self.plan.agents.slowed_ms(self.plan.agents.commit_ms), self.plan.agents.pipelined);
        let decided = self.now + Millis(took_us.div_ceil(1_000));
        self.queue.schedule_commit(decided + Millis(commit_ms), agent);
        if pipelined && commit_ms > 0 {
            self.queue.schedule_free(decided, agent);
        }
    }

    /// An agent reads the visible changes. If it was idle, it has kept its caches fresh as far as its time allowed
    /// (Protean section 5.2.4).
    fn take_up(&mut self, agent: u32) {
        let one = &mut self.team[agent];
        one.catch_up(&self.store, self.now);
        let idle = one.idle_since.take().map_or(0, |since| self.now.since(since).0);
        if self.plan.caches.background && idle > 0 {
            one.allocator.refresh_in_background(self.plan.agents.updates_in(idle));
        }
    }

    /// `ORDER`: the VMs of a request, largest first, so that the hardest to place are placed while most capacity is
    /// free.
    fn order(&self, job: Job, order: &mut Vec<VmId>) {
        let workload = &self.plan.workload;
        order.clear();
        order.extend(job.vms(workload).map(VmId));
        order.sort_by_key(|vm| core::cmp::Reverse(workload.shape_of_vm(*vm).demand));
    }

    /// Decides one VM. Returns whether a machine was found.
    fn decide_vm(&mut self, agent: u32, flight: &mut InFlight, vm: VmId, took_us: &mut u64) -> bool {
        self.ask_for(vm);
        let life = self.predicted_life(vm);
        if flight.attempt == 0 && self.observed.shares.wants(vm) {
            let occupancy = self.team[agent].allocator.view();
            let shape = *self.plan.workload.shape_of_vm(vm);
            let scene = self.asking.scene(occupancy, &shape, self.systems.growth());
            let asked = VmRequest { life, ..self.asking.request(shape) };
            self.observed.shares.add(&funnel(&self.rules.policy, scene, &asked));
        }
        let avoided = self.avoids(vm, flight.attempt);
        let choice = self.choose(agent, (vm, life), flight.attempt, avoided);
        let (cache, refreshed) =
            choice.map_or_else(|refusal| (refusal.cache, refusal.refreshed), |choice| (choice.cache, choice.refreshed));
        let coin = || self.team.chance.coin(self.plan.luck(vm), flight.attempt);
        *took_us = took_us.saturating_add(self.plan.agents.decision_us(cache, refreshed, coin));
        self.team[agent].decided += 1;
        self.observed.counters.refreshed += u64::from(refreshed);
        self.observed.counters.avoided += u64::from(avoided.is_some() && choice.is_ok());
        self.observed.counters.cache_hits += u64::from(cache == CacheUse::Hit);
        self.observed.counters.cache_misses += u64::from(cache == CacheUse::Miss);
        if self.is_probed(vm) {
            let machine = choice.ok().map(|choice| choice.machine);
            self.explain(Some(agent), flight.job.cause(), flight.attempt, vm, machine, cache);
        }
        match choice {
            Ok(choice) => {
                let (machine, best_set, shape) = (choice.machine, choice.best_set, *self.plan.workload.shape_of_vm(vm));
                let seen = self.team[agent].seen(machine);
                let assignment = Assignment { vm, machine, seen, shape, life, best_set, cache };
                self.team[agent].assign(flight, assignment);
                let cuts = self.cuts(machine);
                self.team[agent].reserve(flight, &cuts);
                self.asking.assign(machine, &shape);
                true
            }
            Err(_) => {
                flight.refused = Some((vm, cache));
                flight.had_room = self.has_room(agent, vm);
                self.note_blocked(agent, vm);
                false
            }
        }
    }

    /// The number of best machines to draw from, if conflicts are being avoided (Protean section 5.3).
    pub(super) fn avoids(&self, vm: VmId, attempt: u32) -> Option<u32> {
        let Agents { avoidance, avoidance_best, .. } = self.plan.agents;
        let chance = avoidance * self.team.window.failed_share();
        self.team.chance.avoids(chance, self.plan.luck(vm), attempt).then_some(avoidance_best)
    }

    /// An agent looks for a machine for one VM.
    pub(super) fn choose(
        &mut self,
        agent: u32,
        (vm, life): (VmId, PredictedLife),
        attempt: u32,
        among: Option<u32>,
    ) -> Result<Choice, Refusal> {
        let number = self.team.chance.tie_break(self.plan.luck(vm), attempt);
        let (shape, asked) = self.asked(vm, life);
        let request = self.asking.to_place(shape, &asked, Draw { number, among }, self.systems.growth());
        let choice = self.team[agent].allocator.choose(&request)?;
        let Some(chooser) = &mut self.chooser else { return Ok(choice) };
        let allocator = &self.team[agent].allocator;
        let machines = allocator.candidates(&request);
        let scene = self.asking.scene(allocator.view(), &asked.shape, self.systems.growth());
        let candidates = Candidates { time: self.now, vm, attempt, machines: &machines, drawn: choice.machine };
        let machine = candidates.chosen_by(&mut **chooser, &asked, scene);
        Ok(Choice { machine, ..choice })
    }

    /// Whether any machine has room for a VM in this agent's view, whatever other rules say.
    pub(super) fn has_room(&self, agent: u32, vm: VmId) -> bool {
        let (view, demand) = (self.team[agent].allocator.view(), self.plan.workload.shape_of_vm(vm).demand);
        (0..self.plan.fleet.machine_count()).any(|id| view.machine(MachineId(id)).free().covers(demand))
    }
}
