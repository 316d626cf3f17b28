//! What must hold in every run.
//!
//! Each law is checked against the record of decisions alone, by a second and much
//! simpler book-keeping than the simulator's own. `tests/mutations.rs` spoils records to
//! show that every law can fail.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tiebreak_model::{MachineId, RequestId, Time, Workload};
use tiebreak_sim::{Agents, Decision, Latency, Outcome, Plan, World, metrics};

use crate::books::Books;
use crate::case::Case;
use crate::ledger::Ledger;

/// Checks every law on one case.
///
/// # Errors
/// The first law that is broken, in a sentence.
pub fn check(case: &Case) -> Result<(), String> {
    let cached = run(case, case.plan(true), u32::MAX);
    book_keeping(&cached)?;
    let uncached = run(case, case.plan(false), u32::MAX);
    same("cached and uncached runs", &cached, &uncached)?;
    same("the same run twice", &cached, &run(case, case.plan(true), u32::MAX))?;
    same("one slice and many", &cached, &run(case, case.plan(true), 7))
}

/// The record of a case's run with caches.
#[must_use]
pub fn record(case: &Case) -> Ledger {
    run(case, case.plan(true), u32::MAX)
}

/// One number for many random cases: two platforms share it only if they decide alike in all.
#[must_use]
pub fn digest(numbers: Range<u64>) -> u64 {
    let digests = numbers.map(|number| record(&Case::random(number)).summary.digest);
    digests.fold(0, |all, digest| all.rotate_left(5) ^ digest)
}

fn run(case: &Case, plan: Plan, slice: u32) -> Ledger {
    let mut world = World::new(plan);
    world.keep_decisions();
    while !world.advance(slice).done {}
    Ledger::of(&world, case.agents)
}

/// Two runs decided and measured alike, bit for bit, whatever their caches did.
///
/// # Errors
/// Where they first differ.
pub fn same(what: &str, left: &Ledger, right: &Ledger) -> Result<(), String> {
    let strip = |decision: &Decision| Decision { cache: None, ..*decision };
    let pairs = left.decisions.iter().zip(&right.decisions);
    for (index, (one, other)) in pairs.enumerate() {
        if strip(one) != strip(other) {
            return Err(format!("{what} differ at decision {index}: {one:?} and {other:?}"));
        }
    }
    let (one, other) = (&left.summary, &right.summary);
    if one.digest != other.digest || left.decisions.len() != right.decisions.len() {
        return Err(format!("{what} end differently: {one:?} and {other:?}"));
    }
    let measured = |ledger: &Ledger| {
        let of_caches = ["CacheHitRatio", "UpdatesPerDecision"].map(metrics::index_of);
        let all = (0..metrics::METRICS.len()).filter(|metric| !of_caches.contains(&Some(*metric)));
        let samples = all.flat_map(|metric| ledger.series.values(metric).to_vec());
        let means = [ledger.summary.empty_hosts_pct_mean, ledger.summary.packing_density_pct_mean];
        samples.chain(means).map(f64::to_bits).collect::<Vec<_>>()
    };
    if measured(left) != measured(right) {
        return Err(format!("{what} measure differently: {one:?} and {other:?}"));
    }
    Ok(())
}

/// Everything that one run's record must obey.
///
/// # Errors
/// The first law that is broken, in a sentence.
pub fn book_keeping(ledger: &Ledger) -> Result<(), String> {
    nothing_lost(ledger)?;
    whole_or_not_at_all(&ledger.workload, &ledger.decisions)?;
    tries_in_order(ledger)?;
    agents_take_their_time(ledger)?;
    conflicts_need_a_stale_view(ledger)?;
    counted_once(ledger)?;
    never_over_committed(ledger)
}

/// Every VM has one final outcome, or none when it came after the horizon; and a placed
/// VM is where the record says.
fn nothing_lost(ledger: &Ledger) -> Result<(), String> {
    let workload = &ledger.workload;
    let mut seen = vec![0_u32; workload.vm_count() as usize];
    for decision in ledger.decisions.iter().filter(|it| it.outcome != Outcome::Conflict) {
        seen[decision.vm.index()] += 1;
        let placed = decision.machine.map(|machine| (machine, decision.time));
        let expected = placed.filter(|_| decision.outcome == Outcome::Placed);
        if ledger.placements[decision.vm.index()] != expected {
            return Err(format!("VM {} was decided for another machine or moment", decision.vm));
        }
    }
    for request in (0..workload.request_count()).map(RequestId) {
        let expected = u32::from(workload.at(request) <= workload.horizon());
        for vm in workload.vms_of(request) {
            if seen[vm as usize] != expected {
                return Err(format!("VM {vm} has {} final outcomes, expected {expected}", seen[vm as usize]));
            }
        }
    }
    Ok(())
}

fn whole_or_not_at_all(workload: &Workload, decisions: &[Decision]) -> Result<(), String> {
    for (request, tries) in tries(decisions) {
        for (attempt, group) in tries {
            let vms: BTreeSet<_> = group.iter().map(|it| it.vm.0).collect();
            let whole = group.len() == vms.len() && vms.into_iter().eq(workload.vms_of(request));
            let alike =
                |it: &&Decision| (it.outcome, it.time, it.agent) == (group[0].outcome, group[0].time, group[0].agent);
            if !whole || !group.iter().all(alike) {
                return Err(format!("request {request}, attempt {attempt} was split: {group:?}"));
            }
        }
    }
    Ok(())
}

/// Tries count up from 0, all but the last end in a conflict, and no request has more of
/// them than its agents' retries allow.
fn tries_in_order(ledger: &Ledger) -> Result<(), String> {
    for (request, tries) in tries(&ledger.decisions) {
        let warm = request.0 < ledger.workload.warm_count();
        let last = tries.len() as u32 - 1;
        let mut before = ledger.workload.at(request).max(Time::ZERO);
        for (attempt, (number, group)) in (0..).zip(&tries) {
            let one = group[0];
            let wrong = |what: &str| Err(format!("request {request}, attempt {number} {what}: {one:?}"));
            if *number != attempt || attempt > ledger.agents.retries {
                return wrong("is not the next one");
            }
            if (one.outcome == Outcome::Conflict) != (attempt < last) {
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
    }
    Ok(())
}

type Tries<'a> = BTreeMap<u32, Vec<&'a Decision>>;

/// The decisions of each request, try by try.
fn tries(decisions: &[Decision]) -> BTreeMap<RequestId, Tries<'_>> {
    let mut all: BTreeMap<RequestId, Tries<'_>> = BTreeMap::new();
    for decision in decisions {
        all.entry(decision.request).or_default().entry(decision.attempt).or_default().push(decision);
    }
    all
}

/// An agent decides one request at a time, each VM for as long as a decision takes.
fn agents_take_their_time(ledger: &Ledger) -> Result<(), String> {
    let mut free_at: BTreeMap<u32, Time> = BTreeMap::new();
    for group in groups(&ledger.decisions) {
        let Some(agent) = group[0].agent else { continue };
        let took = least_ms(&ledger.agents) * looked_at(&group[0], group.len());
        let before = free_at.insert(agent, group[0].time);
        if before.is_some_and(|before| group[0].time < before || group[0].time.since(before).0 < took) {
            return Err(format!("agent {agent} decided two requests at once: {:?}", group[0]));
        }
    }
    Ok(())
}

/// The least time that deciding a VM takes.
fn least_ms(agents: &Agents) -> u64 {
    match agents.latency {
        Latency::Fixed => agents.decision_ms,
        Latency::Drawn | Latency::Caches => agents.hit_ms.min(agents.miss_ms),
        Latency::Updates => agents.base_ms,
    }
}

/// The least number of VMs an agent looked at for this answer: all of the request, or at least
/// the one that was refused.
fn looked_at(one: &Decision, vms: usize) -> u64 {
    if one.outcome == Outcome::Refused { 1 } else { vms as u64 }
}

/// Runs of decisions that one answer of the store gave.
fn groups(decisions: &[Decision]) -> impl Iterator<Item = &[Decision]> {
    decisions.chunk_by(|one, other| (one.request, one.attempt) == (other.request, other.attempt))
}

/// One agent that merges its decisions, or agents that take no time and learn at once,
/// never collide.
fn conflicts_need_a_stale_view(ledger: &Ledger) -> Result<(), String> {
    let agents = &ledger.agents;
    let alone = agents.count == 1 && agents.fine_grained;
    let instant = agents.latency == Latency::Fixed && agents.decision_ms + agents.commit_ms + agents.publish_ms == 0;
    if (alone || instant) && ledger.summary.conflicts > 0 {
        return Err(format!("{} conflicts where there can be none: {agents:?}", ledger.summary.conflicts));
    }
    Ok(())
}

/// The summary's counts are the record's.
fn counted_once(ledger: &Ledger) -> Result<(), String> {
    let ended = |outcome| ledger.decisions.iter().filter(|it| it.outcome == outcome).count() as u64;
    let answers = |outcomes: &[Outcome]| {
        groups(&ledger.decisions).filter(|it| it[0].agent.is_some() && outcomes.contains(&it[0].outcome)).count() as u64
    };
    let conflicts = answers(&[Outcome::Conflict, Outcome::OutOfRetries]);
    let summary = &ledger.summary;
    for (what, counted, expected) in [
        ("placements", summary.placements, ended(Outcome::Placed)),
        ("rejections", summary.rejections, ended(Outcome::Refused) + ended(Outcome::OutOfRetries)),
        ("conflicts", summary.conflicts, conflicts),
        ("commits", summary.counters.commits, conflicts + answers(&[Outcome::Placed])),
    ] {
        if counted != expected {
            return Err(format!("the summary counts {counted} {what}, the record {expected}"));
        }
    }
    Ok(())
}

/// Replays the record: nothing is over-committed at any moment, a merging store refuses
/// only what does not fit, and samples, means and the last state are what the replay gives.
fn never_over_committed(ledger: &Ledger) -> Result<(), String> {
    let Ledger { workload, fleet, decisions, .. } = ledger;
    let mut books = Books::new(workload, fleet);
    let mut samples = Samples::new(ledger);
    for group in groups(decisions) {
        let one = group[0];
        samples.check_before(one.time, &mut books)?;
        books.advance(one.time);
        let chosen: Vec<_> = group.iter().filter_map(|it| Some((it.vm, it.machine?))).collect();
        if ledger.agents.fine_grained
            && matches!(one.outcome, Outcome::Conflict | Outcome::OutOfRetries)
            && books.fit(&chosen)
        {
            return Err(format!("a decision that fits was refused: {one:?}"));
        }
        if one.outcome == Outcome::Placed {
            chosen.iter().try_for_each(|(vm, machine)| books.place(*vm, *machine, one.time))?;
        }
    }
    samples.check_before(Time::NEVER, &mut books)?;
    books.advance(workload.horizon());
    ends_as_recorded(ledger, &books)
}

fn ends_as_recorded(ledger: &Ledger, books: &Books<'_>) -> Result<(), String> {
    for (machine, record) in (0..).map(MachineId).zip(&ledger.machines) {
        let (sum, vms) = books.on(machine);
        if record.vms != vms || Some(record.free) != ledger.fleet.capacity(machine).checked_sub(sum) {
            return Err(format!("machine {machine} ends with {record:?}, the record says {vms} VMs and {sum:?}"));
        }
    }
    let (empty, density) = books.means_pct();
    close("mean of empty hosts", ledger.summary.empty_hosts_pct_mean, empty)?;
    close("mean packing density", ledger.summary.packing_density_pct_mean, density)
}

/// The simulator adds the same terms in another order, so the last bits may differ.
fn close(what: &str, measured: f64, expected: f64) -> Result<(), String> {
    let near = (measured - expected).abs() <= 1e-9 * expected.abs().max(1.0);
    if near { Ok(()) } else { Err(format!("the {what} is {measured}, the record gives {expected}")) }
}

/// The samples that are still to be compared with the books.
struct Samples<'a> {
    times: &'a [Time],
    live: &'a [f64],
    empty: &'a [f64],
}

impl<'a> Samples<'a> {
    fn new(ledger: &'a Ledger) -> Self {
        let values = |id| ledger.series.values(metrics::index_of(id).expect("a metric of this id"));
        Self { times: ledger.series.times(), live: values("LiveVms"), empty: values("EmptyHostCount") }
    }

    /// Compares the samples taken before an instant; those of the instant itself are taken
    /// after all that happens in it.
    fn check_before(&mut self, instant: Time, books: &mut Books<'_>) -> Result<(), String> {
        while let Some(at) = self.times.first().filter(|at| **at < instant) {
            books.advance(*at);
            for (what, sampled, expected) in
                [("live VMs", self.live[0], books.live_vms()), ("empty hosts", self.empty[0], books.empty_hosts())]
            {
                if sampled.to_bits() != expected.to_bits() {
                    return Err(format!("{what} at {} ms were sampled as {sampled}, expected {expected}", at.0));
                }
            }
            (self.times, self.live, self.empty) = (&self.times[1..], &self.live[1..], &self.empty[1..]);
        }
        Ok(())
    }
}
