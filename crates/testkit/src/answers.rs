//! Laws about the store's answers, independent of placement: every VM has its answers, in time, in order, from an
//! agent that could give them, and each is counted once.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tiebreak_model::{RequestId, Time, VmId};
use tiebreak_sim::{Agents, Cause, Decision, Latency, Outcome, Reason};

use crate::ledger::{Ledger, is_homeless};
use crate::promises::Promises;

/// Checks all of them.
pub(crate) fn are_lawful(ledger: &Ledger) -> Result<(), String> {
    nothing_lost(ledger)?;
    let jobs = jobs(ledger);
    jobs.iter().try_for_each(|(job, tries)| whole_or_not_at_all(ledger, *job, tries))?;
    jobs.iter().try_for_each(|(job, tries)| tries_in_order(ledger, *job, tries))?;
    agents_take_their_time(ledger)?;
    conflicts_need_a_stale_view(ledger)?;
    drawn_from_ties_or_the_best_few(ledger)?;
    counted_once(ledger)
}

/// Every VM has one final outcome for its request (or none if that came after the horizon), and one more for each
/// machine that it lost, unless its lifetime had ended.
fn nothing_lost(ledger: &Ledger) -> Result<(), String> {
    let workload = &ledger.workload;
    let mut seen = vec![(0_u32, 0_u32); workload.vm_count() as usize];
    for decision in ledger.decisions.iter().filter(|it| it.outcome != Outcome::Conflict) {
        let (first, again) = &mut seen[decision.vm.index()];
        *(if decision.cause == Cause::Request { first } else { again }) += 1;
    }
    let mut lost = vec![0_u32; workload.vm_count() as usize];
    ledger.disruptions.iter().filter(|it| is_homeless(it.reason)).for_each(|it| lost[it.vm.index()] += 1);
    for request in (0..workload.request_count()).map(RequestId) {
        let expected = u32::from(workload.at(request) <= workload.horizon());
        for vm in workload.vms_of(request) {
            let ((first, again), lost) = (seen[vm as usize], lost[vm as usize]);
            if first != expected {
                return Err(format!("VM {vm} has {first} final outcomes, expected {expected}"));
            }
            if again != lost && (again + 1 != lost || !ends(ledger, VmId(vm))) {
                return Err(format!("VM {vm} lost {lost} machines and has {again} outcomes for that"));
            }
        }
    }
    Ok(())
}

/// Whether a VM's lifetime ends before the record does.
fn ends(ledger: &Ledger, vm: VmId) -> bool {
    ledger.workload.end(vm) <= ledger.workload.horizon()
}

/// A task of an agent: a request, or a VM that lost its machine, with the number of machines it had lost before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct AgentTask {
    request: RequestId,
    lost: Option<(VmId, usize)>,
}

impl AgentTask {
    fn vms(self, ledger: &Ledger) -> Range<u32> {
        self.lost.map_or_else(|| ledger.workload.vms_of(self.request), |(vm, _)| vm.0..vm.0 + 1)
    }

    /// When the task was requested; `None` if the VM never lost a machine.
    fn asked_at(self, ledger: &Ledger) -> Option<Time> {
        let Some((vm, times)) = self.lost else { return Some(ledger.workload.at(self.request).max(Time::ZERO)) };
        let mut losses = ledger.disruptions.iter().filter(|it| it.vm == vm && is_homeless(it.reason));
        losses.nth(times).map(|it| it.time)
    }

    /// Whether the VM's lifetime was over, so that the task may have been dropped.
    fn may_be_dropped(self, ledger: &Ledger) -> bool {
        self.lost.is_some_and(|(vm, _)| ends(ledger, vm))
    }
}

type Tries<'a> = BTreeMap<u32, Vec<&'a Decision>>;

/// The decisions of each task, attempt by attempt.
fn jobs(ledger: &Ledger) -> BTreeMap<AgentTask, Tries<'_>> {
    let mut answered: BTreeMap<VmId, usize> = BTreeMap::new();
    let mut all: BTreeMap<AgentTask, Tries<'_>> = BTreeMap::new();
    for decision in &ledger.decisions {
        let times = answered.entry(decision.vm).or_default();
        let again = decision.cause == Cause::Reallocation;
        let job = AgentTask { request: decision.request, lost: again.then_some((decision.vm, *times)) };
        all.entry(job).or_default().entry(decision.attempt).or_default().push(decision);
        *times += usize::from(again && decision.outcome != Outcome::Conflict);
    }
    all
}

fn whole_or_not_at_all(ledger: &Ledger, job: AgentTask, tries: &Tries<'_>) -> Result<(), String> {
    for (attempt, group) in tries {
        let vms: BTreeSet<_> = group.iter().map(|it| it.vm.0).collect();
        let whole = group.len() == vms.len() && vms.into_iter().eq(job.vms(ledger));
        let alike =
            |it: &&Decision| (it.outcome, it.time, it.agent) == (group[0].outcome, group[0].time, group[0].agent);
        if !whole || !group.iter().all(alike) {
            return Err(format!("request {}, attempt {attempt} was split: {group:?}", job.request));
        }
    }
    Ok(())
}

/// Attempts count up from 0, all but the last end in a conflict, and their number is within the agents' retry limit.
fn tries_in_order(ledger: &Ledger, job: AgentTask, tries: &Tries<'_>) -> Result<(), String> {
    let warm = job.request.0 < ledger.workload.warm_count() && job.lost.is_none();
    let last = tries.len() as u32 - 1;
    let asked_at = job.asked_at(ledger);
    let mut before = asked_at.ok_or_else(|| format!("{job:?} was decided and never asked for"))?;
    for (attempt, (number, group)) in (0..).zip(tries) {
        let one = group[0];
        let wrong = |what: &str| Err(format!("request {}, attempt {number} {what}: {one:?}", job.request));
        if *number != attempt || attempt > ledger.agents.retries {
            return wrong("is not the next one");
        }
        let is_final = one.outcome != Outcome::Conflict;
        if is_final && attempt < last || !is_final && attempt == last && !job.may_be_dropped(ledger) {
            return wrong("ends in the wrong place");
        }
        if one.outcome == Outcome::OutOfRetries && attempt != ledger.agents.retries {
            return wrong("gave up early");
        }
        let took = least_ms(&ledger.agents) * looked_at(one, group.len()) + ledger.agents.commit_ms;
        if !warm && one.time.since(before).0 < took || one.time < before {
            return wrong("was answered before it could be");
        }
        if warm != one.agent.is_none() || one.agent.is_some_and(|agent| agent >= ledger.agents.count) {
            return wrong("has the wrong agent");
        }
        let found = one.outcome != Outcome::Refused;
        if group.iter().any(|it| found != it.machine.is_some() || found != (it.best_set > 0)) {
            return wrong("names machines wrongly");
        }
        before = one.time;
    }
    Ok(())
}

/// An agent makes one decision at a time, and each VM takes its decision time. Unless its commits are pipelined, the
/// agent waits for the store's answer before the next decision.
fn agents_take_their_time(ledger: &Ledger) -> Result<(), String> {
    let mut free_at: BTreeMap<u32, Time> = BTreeMap::new();
    let waits_ms = if ledger.agents.pipelined { 0 } else { ledger.agents.commit_ms };
    for group in groups(&ledger.decisions) {
        let Some(agent) = group[0].agent else { continue };
        let took = least_ms(&ledger.agents) * looked_at(&group[0], group.len()) + waits_ms;
        let before = free_at.insert(agent, group[0].time);
        if before.is_some_and(|before| group[0].time < before || group[0].time.since(before).0 < took) {
            return Err(format!("agent {agent} decided two requests at once: {:?}", group[0]));
        }
    }
    Ok(())
}

/// The shortest time in which a VM can be decided.
fn least_ms(agents: &Agents) -> u64 {
    match agents.latency {
        Latency::Fixed => agents.decision_ms,
        Latency::Drawn | Latency::Caches => agents.hit_ms.min(agents.miss_ms),
        Latency::Updates => agents.base_ms,
    }
}

/// The least number of VMs that an agent evaluated for this answer: all of the request, or at least the one that was
/// refused.
fn looked_at(one: &Decision, vms: usize) -> u64 {
    if one.outcome == Outcome::Refused { 1 } else { vms as u64 }
}

/// Groups of decisions that share one answer of the store.
pub(crate) fn groups(decisions: &[Decision]) -> impl Iterator<Item = &[Decision]> {
    let key = |it: &Decision| (it.request, it.attempt, it.cause == Cause::Request);
    decisions.chunk_by(move |one, other| key(one) == key(other) && one.cause == Cause::Request)
}

/// A single agent that merges its decisions never has a conflict, and neither do agents that take no time and learn
/// at once, as long as no incident changes the zone. Promises to tenants and VDCs are an exception: they may depend on
/// VMs that are not placed yet, or on the tenant's number of VMs.
fn conflicts_need_a_stale_view(ledger: &Ledger) -> Result<(), String> {
    let agents = &ledger.agents;
    let in_turn = !agents.pipelined || agents.commit_ms == 0;
    let promises = Promises::of(ledger);
    let certain = !promises.are_given() || in_turn && !promises.depend_on_size();
    let alone = agents.count == 1 && agents.fine_grained && certain;
    let instant = agents.latency == Latency::Fixed && agents.decision_ms + agents.commit_ms + agents.publish_ms == 0;
    if (alone || instant) && !ledger.eventful && ledger.summary.conflicts > 0 {
        return Err(format!("{} conflicts where there can be none: {agents:?}", ledger.summary.conflicts));
    }
    Ok(())
}

/// A VM goes to one of the machines tied for best or, with conflict avoidance, to one of the best few.
fn drawn_from_ties_or_the_best_few(ledger: &Ledger) -> Result<(), String> {
    let Agents { avoidance, avoidance_best, .. } = ledger.agents;
    for one in ledger.decisions.iter().filter(|it| it.machine.is_some()) {
        let Some(tied) = ledger.tied.get(&(one.vm, one.attempt)) else { continue };
        let few = avoidance > 0.0 && one.agent.is_some() && one.best_set <= avoidance_best;
        if one.best_set != *tied && !few {
            return Err(format!("drawn from another number than the {tied} that tie: {one:?}"));
        }
    }
    Ok(())
}

/// The counts in the summary match the record.
fn counted_once(ledger: &Ledger) -> Result<(), String> {
    let ended =
        |cause, outcome| ledger.decisions.iter().filter(|it| (it.cause, it.outcome) == (cause, outcome)).count() as u64;
    let answers = |outcomes: &[Outcome]| {
        groups(&ledger.decisions).filter(|it| it[0].agent.is_some() && outcomes.contains(&it[0].outcome)).count() as u64
    };
    let left = |is: fn(Reason) -> bool| ledger.disruptions.iter().filter(|it| is(it.reason)).count() as u64;
    let conflicts = answers(&[Outcome::Conflict, Outcome::OutOfRetries]);
    let (summary, counters) = (&ledger.summary, &ledger.summary.counters);
    let (first, again) = (Cause::Request, Cause::Reallocation);
    let is_late = |it: &&Decision| {
        it.agent.is_some()
            && (it.cause, it.outcome) == (first, Outcome::Placed)
            && ledger.workload.end(it.vm) <= it.time
    };
    let late = ledger.decisions.iter().filter(is_late).count() as u64;
    for (what, counted, expected) in [
        ("placements", summary.placements, ended(first, Outcome::Placed)),
        ("rejections", summary.rejections, ended(first, Outcome::Refused) + ended(first, Outcome::OutOfRetries)),
        ("VMs placed and rejected", summary.placements + summary.rejections, ledger.workload.vm_count().into()),
        ("conflicts", summary.conflicts, conflicts),
        ("retries", counters.retries, answers(&[Outcome::Conflict])),
        ("rejections for want of retries", counters.rejected_out_of_retries, ended(first, Outcome::OutOfRetries)),
        ("VMs that ended before they were placed", counters.ended_before_placed, late),
        ("commits", counters.commits, conflicts + answers(&[Outcome::Placed])),
        ("reallocations", counters.reallocations, ended(again, Outcome::Placed)),
        ("evictions", counters.evictions, left(|it| it == Reason::Evicted)),
        ("migrations", counters.migrations, left(|it| matches!(it, Reason::Migrated(_)))),
    ] {
        if counted != expected {
            return Err(format!("the summary counts {counted} {what}, the record {expected}"));
        }
    }
    let (made, saved, scheduled) = (counters.migrations, counters.migrations_saved, counters.migrations_scheduled);
    if made + saved > scheduled {
        return Err(format!("{made} migrations made and {saved} saved are more than the {scheduled} scheduled"));
    }
    Ok(())
}
