//! Decisions reach the store, which accepts or rejects each as a whole (Protean section 5.3).

use alloc::vec::Vec;

use tiebreak_model::{MachineId, MachineRecord, Time, VmId, VmRequest};
use tiebreak_placement::CacheUse;

use super::World;
use crate::agents::agent::{Assignment, InFlight};
use crate::agents::demand::Demands;
use crate::agents::job::Job;
use crate::agents::settings::Agents;
use crate::record::{Decision, Outcome, Rejected, Rejection};

impl World {
    /// A decision reaches the store, which accepts or rejects it as a whole.
    pub(super) fn commit(&mut self, agent: u32) {
        let mut flight = self.team[agent].arrive();
        if flight.refused.is_some() {
            self.reject(agent, &flight, Outcome::Refused);
        } else {
            self.observed.counters.commits += 1;
            let mut demands = core::mem::take(&mut self.team.spare.demands);
            demands.add_up(&flight.assignments, &self.rules.policy, self.store.occupancy(), &self.places.evictable);
            let conflicts = self.in_the_way(agent, &flight, &demands);
            if conflicts.is_empty() {
                self.take(agent, &flight, &mut demands);
            } else {
                self.note_collision(agent, &flight, &conflicts, &demands);
                self.refuse_commit(agent, &mut flight, &conflicts);
            }
            self.team.spare.demands = demands;
        }
        self.team.spare.flights.push(flight);
        let Agents { commit_ms, pipelined, .. } = self.plan.agents;
        if !pipelined || commit_ms == 0 {
            self.team.free(agent, self.now);
        }
    }

    /// The machines whose part of a decision the store cannot accept (Protean section 5.3).
    fn in_the_way(&mut self, agent: u32, flight: &InFlight, demands: &Demands) -> Vec<MachineId> {
        let fine_grained = self.plan.agents.fine_grained;
        let outdated = |it: &&Assignment| it.seen != self.store.revision_of(it.machine);
        let is_outdated = |machine| flight.assignments.iter().filter(outdated).any(|it| it.machine == machine);
        let stands = |machine, after: &Option<_>| after.is_none() || (!fine_grained && is_outdated(machine));
        let machines = demands.machines.iter().filter(|(machine, after)| stands(*machine, after));
        let mut conflicts: Vec<_> = machines.map(|(machine, _)| machine).collect();
        if conflicts.is_empty() {
            conflicts.extend(self.broken_promise(agent, flight));
        }
        conflicts
    }

    /// The first machine on which a decision would violate a tenant's placement terms, because another request of
    /// that tenant or of another one came first. Every VM is judged with those of its request before it in place, as
    /// its agent judged it.
    fn broken_promise(&mut self, agent: u32, flight: &InFlight) -> Option<MachineId> {
        if !self.rules.make_promises {
            return None;
        }
        self.ask(flight.job);
        let (mut reserved, mut replaced) = (Vec::new(), Vec::new());
        let broken = (1..).zip(&flight.assignments).find_map(|(nth, it)| {
            self.ask_for(it.vm);
            let scene = self.asking.scene(self.store.occupancy(), &it.shape, self.systems.growth());
            let asked = VmRequest { life: it.life, ..self.asking.request(it.shape) };
            let kept = self.rules.policy.may_commit(&asked, scene, it.machine);
            // No VM is judged after the last one.
            if kept && nth < flight.assignments.len() {
                let cuts = self.cuts(it.machine);
                self.store.shift_unpublished(&cuts, true);
                reserved.extend(cuts);
                let before = self.store.occupancy().record(it.machine);
                if let Some(after) = self.team[agent].place(before, it) {
                    self.store.set_unpublished(it.machine, MachineRecord { last_use: before.last_use, ..after });
                    replaced.push((it.machine, before));
                }
                self.asking.assign(it.machine, &it.shape);
            }
            (!kept).then_some(it.machine)
        });
        self.store.shift_unpublished(&reserved, false);
        for (machine, before) in replaced.into_iter().rev() {
            self.store.set_unpublished(machine, before);
        }
        broken
    }

    /// The store accepts a decision.
    fn take(&mut self, agent: u32, flight: &InFlight, demands: &mut Demands) {
        if let Job::Place(request) = flight.job {
            self.note_answer(request, true);
        }
        for (_, victim) in demands.victims.drain(..) {
            self.put_out(victim);
        }
        for assignment in &flight.assignments {
            self.settle(assignment.vm, assignment.machine, demands.after(assignment.machine));
        }
        for (machine, after) in demands.machines.iter() {
            self.publish(machine, after.expect("checked to fit"));
        }
        self.note_arrivals(agent, flight);
        if !self.plan.agents.fine_grained {
            self.team[agent].count_in(&self.store, flight);
        }
        self.team[agent].accepted(&self.store, flight);
        self.answered(flight.job);
        match flight.job {
            Job::Place(_) => self.observed.counters.placements += flight.assignments.len() as u64,
            Job::Reallocate(vm) => self.note_reallocated(vm),
        }
        self.committed(false);
        self.record_flight(agent, flight, Outcome::Placed);
        for assignment in &flight.assignments {
            if self.plan.workload.end(assignment.vm) <= self.now {
                self.observed.counters.ended_before_placed += u64::from(matches!(flight.job, Job::Place(_)));
                self.depart(assignment.vm, self.plan.workload.shape_of(assignment.vm));
            }
        }
    }

    /// Rolls back a failed commit, updates the agent's view, and queues the request again if it has retries left.
    fn refuse_commit(&mut self, agent: u32, flight: &mut InFlight, conflicts: &[MachineId]) {
        self.record.conflict(match flight.job {
            Job::Place(request) => self.plan.workload.vms_of(request).next().map(VmId),
            Job::Reallocate(vm) => Some(vm),
        });
        if let Job::Place(request) = flight.job {
            self.record.collide(request);
        }
        self.observed.failed_on(conflicts);
        self.committed(true);
        let one = &mut self.team[agent];
        one.conflicts += 1;
        one.release(&self.store, flight);
        for machine in conflicts {
            one.told(&self.store, *machine);
        }
        if flight.attempt < self.plan.agents.retries {
            self.observed.counters.retries += 1;
            self.team.enqueue(flight.job, flight.attempt + 1, self.now);
            self.record_flight(agent, flight, Outcome::Conflict);
        } else {
            self.reject(agent, flight, Outcome::OutOfRetries);
        }
    }

    /// Counts a commit that succeeded or failed.
    fn committed(&mut self, conflict: bool) {
        self.observed.committed(self.now, conflict);
        self.team.window.note(conflict);
    }

    /// Rejects a job, without another attempt.
    fn reject(&mut self, agent: u32, flight: &InFlight, outcome: Outcome) {
        self.answered(flight.job);
        let rejection = flight.refused.map_or(Rejection::OutOfRetries, |(vm, _)| Rejection::Refused(vm));
        match flight.job {
            Job::Place(request) => {
                let vms = self.plan.workload.vms_of(request).len() as u64;
                self.observed.counters.rejections += vms;
                let cause = match (rejection, flight.had_room) {
                    (Rejection::OutOfRetries, _) => &mut self.observed.counters.rejected_out_of_retries,
                    (Rejection::Refused(_), true) => &mut self.observed.counters.rejected_by_terms,
                    (Rejection::Refused(_), false) => &mut self.observed.counters.rejected_by_room,
                };
                *cause += vms;
                self.note_answer(request, false);
                if let (Some(book), Rejection::Refused(vm)) = (&self.systems.network, rejection) {
                    self.observed.counters.count_refusals(book.bottleneck(vm), vms);
                }
                let rejected = Rejected { at: self.now, why: rejection, had_room: flight.had_room };
                self.record.reject(request, rejected);
            }
            Job::Reallocate(vm) => self.note_lost(vm, rejection),
        }
        match flight.refused {
            Some((refused, cache)) => {
                for vm in flight.job.vms(&self.plan.workload).map(VmId) {
                    let cache = (vm == refused).then_some(cache);
                    self.record.add(decision(self.now, agent, flight, (vm, None, 0, cache), outcome));
                }
            }
            None => self.record_flight(agent, flight, outcome),
        }
    }

    /// A job is answered.
    fn answered(&mut self, job: Job) {
        let asked_at = match job {
            Job::Place(request) => self.plan.workload.at(request),
            Job::Reallocate(vm) => self.homeless_since(vm),
        };
        self.observed.answered(asked_at, self.now);
    }

    /// Records the same outcome for all VMs with an assignment.
    fn record_flight(&mut self, agent: u32, flight: &InFlight, outcome: Outcome) {
        for it in &flight.assignments {
            let about = (it.vm, Some(it.machine), it.best_set, Some(it.cache));
            self.record.add(decision(self.now, agent, flight, about, outcome));
        }
    }
}

type About = (VmId, Option<MachineId>, u32, Option<CacheUse>);

fn decision(time: Time, agent: u32, flight: &InFlight, about: About, outcome: Outcome) -> Decision {
    let (vm, machine, best_set, cache) = about;
    let (request, cause, attempt) = (flight.request, flight.job.cause(), flight.attempt);
    Decision { time, request, vm, cause, outcome, machine, best_set, cache, agent: Some(agent), attempt }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::trial::Trial;
    use alloc::vec::Vec;
    use tiebreak_model::Millis;

    /// Two agents on one large machine, whose commits take four minutes. The second one decides on a view without the
    /// first one's VM, learns of that VM while its own commit is under way, and continues deciding.
    fn when_outdated(fine_grained: bool) -> Vec<(u32, Outcome)> {
        let mut trial = Trial::new(1, 1).rule("IsClusterBelowLimit", &[100.0]);
        trial = trial.vms(1, 1, (1, 1_000)).vms(1, 1, (3, 1_000)).vms(2, 1, (6, 1_000));
        trial.agents.count = 2;
        trial.agents.fine_grained = fine_grained;
        (trial.agents.commit_ms, trial.agents.retries) = (4 * Millis::MINUTE.0, 0);
        trial.run(&[]).decisions().iter().map(|it| (it.vm.0, it.outcome)).collect()
    }

    #[test]
    fn what_an_agent_learns_after_deciding_does_not_bring_its_decision_up_to_date() {
        // The first agent decides the third VM, the second agent the fourth. Both know of the first VM by then, and
        // the second agent assumes that its own second VM is placed.
        let placed = |vm| (vm, Outcome::Placed);
        let late = |vm| (vm, Outcome::OutOfRetries);
        assert_eq!(when_outdated(false), [placed(0), late(1), placed(2), late(3)]);
        assert_eq!(when_outdated(true), [0, 1, 2, 3].map(placed));
    }
}
