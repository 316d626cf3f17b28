//! The warm start: the first agent places the VMs alive when the trace began, in order, before anything else (LAVA
//! section 6.1).

use tiebreak_model::{MachineId, PredictedLife, RequestId, Time, VmId};
use tiebreak_placement::CacheUse;

use super::World;
use super::lists::Rules;
use crate::agents::agent::{Agent, Assignment};
use crate::agents::job::Job;
use crate::record::{Cause, Decision, Outcome, Rejected, Rejection};

/// The progress of the warm start.
#[derive(Default)]
pub(super) struct WarmStart {
    /// The next request; after the last one, all agents start.
    next: u32,
    pub(super) placements: u64,
    pub(super) rejections: u64,
}

impl World {
    /// Places the VMs alive when the trace began, if that has not happened yet.
    pub fn warm_up(&mut self) {
        while self.is_warming() {
            self.warm_up_one();
        }
    }

    pub(super) fn is_warming(&self) -> bool {
        self.warm_start.next <= self.plan.workload.warm_count()
    }

    pub(super) fn warm_up_one(&mut self) {
        self.events += 1;
        let request = RequestId(self.warm_start.next);
        self.warm_start.next += 1;
        if request.0 == self.plan.workload.warm_count() {
            return self.begin_agents();
        }
        for vm in self.plan.workload.vms_of(request).map(VmId) {
            self.place_warm(request, vm);
        }
    }

    /// All agents start with the first one's view and with their own caches.
    fn begin_agents(&mut self) {
        let view = self.team[0].allocator.view().clone();
        self.rules = Rules::new(0, self.plan.policy_after_start(), &self.plan.workload);
        let agent = |_| self.plan.allocator(self.rules.policy.clone(), view.clone());
        let lifetimes = self.plan.lifetimes().filter(|_| self.shows_lives());
        let agents = (0..self.plan.agents.count).map(agent).map(|it| Agent::new(it, &self.store, lifetimes));
        self.team.agents = agents.collect();
    }

    fn place_warm(&mut self, request: RequestId, vm: VmId) {
        self.ask(Job::Place(request));
        self.ask_for(vm);
        let life = self.predicted_life(vm);
        let choice = self.choose(0, (vm, life), 0, None);
        let cache = choice.map_or_else(|refusal| refusal.cache, |choice| choice.cache);
        let winner = choice.ok().map(|choice| choice.machine);
        if self.is_probed(vm) {
            self.explain(None, Cause::Request, 0, vm, winner, cache);
        }
        let outcome = match winner {
            Some(machine) => {
                self.settle_warm((vm, life), machine);
                Outcome::Placed
            }
            None => {
                self.warm_start.rejections += 1;
                self.note_blocked(0, vm);
                let had_room = self.has_room(0, vm);
                let rejected = Rejected { at: Time::ZERO, why: Rejection::Refused(vm), had_room };
                self.record.reject(request, rejected);
                Outcome::Refused
            }
        };
        self.record.add(Decision {
            time: Time::ZERO,
            request,
            vm,
            cause: Cause::Request,
            outcome,
            machine: winner,
            best_set: choice.map_or(0, |choice| choice.best_set),
            cache: Some(cache),
            agent: None,
            attempt: 0,
        });
    }

    fn settle_warm(&mut self, (vm, life): (VmId, PredictedLife), machine: MachineId) {
        let mut demands = core::mem::take(&mut self.team.spare.demands);
        let shape = *self.plan.workload.shape_of_vm(vm);
        let seen = self.store.revision_of(machine);
        let assignment = Assignment { vm, machine, seen, shape, life, best_set: 0, cache: CacheUse::Off };
        demands.add_up(&[assignment], &self.rules.policy, self.store.occupancy(), &self.places.evictable);
        let victims = core::mem::take(&mut demands.victims);
        for (_, victim) in &victims {
            self.put_out(*victim);
        }
        demands.victims = victims;
        let mut after = *demands.after(machine);
        self.settle(vm, machine, &after);
        self.rate(machine, &mut after);
        self.store.set_unpublished(machine, after);
        self.team[0].allocator.view_mut().set(machine, after);
        self.warm_start.placements += 1;
        self.team.spare.demands = demands;
    }
}
