//! What must hold in every run.
//!
//! Each law is checked against the record of decisions alone, with a second and much simpler model than the
//! simulator's own. `tests/mutations.rs` corrupts records to show that every law can fail.

use std::ops::Range;

use tiebreak_model::Time;
use tiebreak_placement::Caches;
use tiebreak_sim::world::AgentState;
use tiebreak_sim::{Agents, Decision, MachineByte, Outcome, Plan, Probe, Summary, World, metrics};

use crate::case::Case;
use crate::ledger::Ledger;
use crate::{answers, replay, watts};

/// Mixes of cache switches under which every case runs, besides all on and all off.
const MIXES: u64 = 2;

/// Checks every law on one case.
///
/// # Errors
/// The first law that is broken, in a sentence.
pub fn check(case: &Case) -> Result<(), String> {
    let cached = record(case);
    book_keeping(&cached)?;
    same("the same run twice", &cached, &record(case))?;
    same("one slice and many", &cached, &watched(case)?)?;
    caches_decide_alike(case, &cached, 0..MIXES)?;
    avoidance_waits_for_a_conflict(case, &cached)?;
    a_fork_shares_its_past(case, &cached)?;
    watts::check(case, cached.summary.digest)?;
    any_moment_is_known(case)
}

/// A machine's state reconstructed for a past moment is the state that the frame of that moment shows.
///
/// # Errors
/// The first machine whose states differ.
pub fn any_moment_is_known(case: &Case) -> Result<(), String> {
    let mut world = World::new(case.plan(true));
    world.keep_frames();
    world.run();
    let frames = world.frames().ok_or("frames were asked for, and there are none")?;
    for time in frames.times() {
        let (then, told) = (frames.at(*time), world.machines_at(*time));
        if let Some(machine) = (0..then.len()).find(|at| told.get(*at) != Some(&then[*at])) {
            let (was, is) = (MachineByte(then[machine]), told.get(machine).map(|byte| MachineByte(*byte)));
            return Err(format!("at {time:?}, machine {machine} was {was:?} and is told as {is:?}"));
        }
    }
    Ok(())
}

/// The record of a case's run with the usual caches. With conflict avoidance it contains the number of tied machines
/// at each decision.
#[must_use]
pub fn record(case: &Case) -> Ledger {
    let mut world = world(case.plan(true));
    // The key would not be unique for a VM that is decided several times.
    if case.agents.avoidance > 0.0 && case.incidents.is_empty() {
        world.set_probe(Some(Probe { vm: None, asked: None }));
    }
    world.run();
    Ledger::of(&world, case)
}

/// A digest over many random cases: two platforms agree on it only if they make the same decisions in all of them.
#[must_use]
pub fn digest(numbers: Range<u64>) -> u64 {
    let digests = numbers.map(Case::random).map(|case| run(&case, case.plan(true)).summary.digest);
    digests.fold(0, |all, digest| all.rotate_left(5) ^ digest)
}

fn world(plan: Plan) -> World {
    let mut world = World::new(plan);
    world.keep_decisions();
    world
}

fn run(case: &Case, plan: Plan) -> Ledger {
    let mut world = world(plan);
    world.run();
    Ledger::of(&world, case)
}

/// A run in the smallest slices, with a check of the agents after each.
fn watched(case: &Case) -> Result<Ledger, String> {
    let mut world = world(case.plan(true));
    while !world.advance(1).done {
        one_thing_at_a_time(&case.agents, &world.agents())
            .map_err(|wrong| format!("{wrong} at {} ms", world.progress().time.0))?;
    }
    let conflicts: u64 = world.agents().iter().map(|agent| agent.conflicts).sum();
    if conflicts != world.summary().conflicts {
        return Err(format!("agents count {conflicts} conflicts, all in all {}", world.summary().conflicts));
    }
    Ok(Ledger::of(&world, case))
}

/// An agent has at most one decision on its way to the store, and none while it is idle, unless its commits are
/// pipelined.
///
/// # Errors
/// The agent that has more.
pub fn one_thing_at_a_time(terms: &Agents, agents: &[AgentState]) -> Result<(), String> {
    let pipelined = terms.pipelined && terms.commit_ms > 0;
    let busier = |agent: &&AgentState| agent.in_flight > u32::from(!agent.is_idle);
    match agents.iter().find(busier).filter(|_| !pipelined) {
        Some(agent) => Err(format!("an agent does two things at once: {agent:?}")),
        None => Ok(()),
    }
}

/// Every mix of cache switches, pool sizes and ages gives the same decisions and measurements, bit for bit.
///
/// # Errors
/// The mix that differs, and the first difference.
pub fn caches_decide_alike(case: &Case, cached: &Ledger, mixes: Range<u64>) -> Result<(), String> {
    let all = Caches { rule_objects: true, background: true, ..Caches::default() };
    same("the usual caches and all of them", cached, &run(case, case.plan(true).with_caches(all)))?;
    same("cached and uncached runs", cached, &run(case, case.plan(false)))?;
    let mixes = mixes.map(|mix| case.mix(mix));
    mixes.map(|caches| (caches, run(case, case.plan(true).with_caches(caches)))).try_for_each(|(caches, mixed)| {
        same("the usual caches and a mix", cached, &mixed).map_err(|differ| format!("{differ}\nwith {caches:?}"))
    })
}

/// Until a commit fails, a run with conflict avoidance equals one without; and if nothing is avoided, nothing is
/// counted as avoided.
///
/// # Errors
/// Where it avoided conflicts too early.
pub fn avoidance_waits_for_a_conflict(case: &Case, avoiding: &Ledger) -> Result<(), String> {
    if case.agents.avoidance == 0.0 {
        let avoided = avoiding.summary.counters.avoided;
        return if avoided == 0 { Ok(()) } else { Err(format!("{avoided} decisions avoided conflicts unasked")) };
    }
    let plain = Case { agents: Agents { avoidance: 0.0, ..case.agents }, ..case.clone() };
    same_until_a_conflict(avoiding, &run(&plain, plain.plan(true)))
}

/// Until its moment, a fork has the same decisions and disruptions as its parent, one by one; and if the rules do not
/// change at that moment, it is the same run.
///
/// # Errors
/// The first different decision.
pub fn a_fork_shares_its_past(case: &Case, fork: &Ledger) -> Result<(), String> {
    let Some((parent, until)) = case.parent() else { return Ok(()) };
    let vain = parent.forked_in_vain(until);
    let parent = run(&parent, parent.plan(true));
    same("a run and its fork with the same rules", &parent, &run(&vain, vain.plan(true)))?;
    same_until(fork, &parent, until)
}

/// Two runs have the same decisions and disruptions before a moment.
///
/// # Errors
/// The first difference.
pub fn same_until(left: &Ledger, right: &Ledger, until: Time) -> Result<(), String> {
    let past = |ledger: &Ledger| -> Vec<_> { ledger.decisions.iter().filter(|it| it.time < until).copied().collect() };
    let (ours, theirs) = (past(left), past(right));
    if let Some((one, other)) = ours.iter().zip(&theirs).find(|(one, other)| one != other) {
        return Err(format!("a fork at {} ms differs before: {one:?} and {other:?}", until.0));
    }
    let lost = |ledger: &Ledger| -> Vec<_> {
        let before = ledger.disruptions.iter().filter(|it| it.time < until);
        before.map(|it| (it.time, it.vm, it.from, it.reason)).collect()
    };
    if ours.len() != theirs.len() || lost(left) != lost(right) {
        return Err(format!("a fork at {} ms has another past", until.0));
    }
    Ok(())
}

/// Two runs have the same decisions until a commit fails.
///
/// # Errors
/// The first difference.
pub fn same_until_a_conflict(left: &Ledger, right: &Ledger) -> Result<(), String> {
    let failed = |it: &Decision| matches!(it.outcome, Outcome::Conflict | Outcome::OutOfRetries);
    let until = left.decisions.iter().position(failed).map_or(usize::MAX, |first| first + 1);
    let (ours, theirs) = (left.decisions.iter().take(until).map(strip), right.decisions.iter().take(until).map(strip));
    match ours.clone().zip(theirs.clone()).find(|(one, other)| one != other) {
        Some((one, other)) => Err(format!("runs differ before a commit failed: {one:?} and {other:?}")),
        None if ours.len() != theirs.len() => Err("one run is shorter although no commit failed".into()),
        None => Ok(()),
    }
}

/// A decision without its cache statistics.
fn strip(decision: &Decision) -> Decision {
    Decision { cache: None, ..*decision }
}

/// Two runs have the same decisions and measurements, bit for bit; their cache statistics may differ.
///
/// # Errors
/// The first difference.
pub fn same(what: &str, left: &Ledger, right: &Ledger) -> Result<(), String> {
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
    if left.disruptions != right.disruptions {
        return Err(format!("{what} disrupt differently"));
    }
    let measured = |ledger: &Ledger| {
        let of_caches = ["CacheHitRatio", "UpdatesPerDecision"].map(metrics::index_of);
        let all = (0..metrics::METRICS.len()).filter(|metric| !of_caches.contains(&Some(*metric)));
        let samples = all.flat_map(|metric| ledger.series.values(metric).to_vec());
        let Summary { empty_hosts_pct_mean, machine_hours, packing_density_pct_mean, empty_to_free_pct_mean, .. } =
            ledger.summary;
        let means = [empty_hosts_pct_mean, machine_hours, packing_density_pct_mean, empty_to_free_pct_mean];
        let stranded = ledger.summary.stranded_pct_mean.into_iter().flatten();
        samples.chain(means).chain(stranded).map(f64::to_bits).collect::<Vec<_>>()
    };
    if measured(left) != measured(right) {
        return Err(format!("{what} measure differently: {one:?} and {other:?}"));
    }
    Ok(())
}

/// The laws about the record of a single run.
///
/// # Errors
/// The first law that is broken, in a sentence.
pub fn book_keeping(ledger: &Ledger) -> Result<(), String> {
    answers::are_lawful(ledger)?;
    replay::holds_at_every_moment(ledger)
}
