//! What must hold in every run.
//!
//! Each law is checked against the record of decisions alone, by a second and much
//! simpler book-keeping than the simulator's own.

use std::collections::BTreeMap;

use tiebreak_model::{MachineId, RequestId, Resources, Workload};
use tiebreak_sim::{Decision, Outcome, Plan, World};

use crate::case::Case;

/// Checks every law on one case.
///
/// # Errors
/// The first law that is broken, in a sentence.
pub fn check(case: &Case) -> Result<(), String> {
    let cached = run(case.plan(true), u32::MAX);
    book_keeping(&cached)?;
    let uncached = run(case.plan(false), u32::MAX);
    same("cached and uncached runs", &cached, &uncached)?;
    same("the same run twice", &cached, &run(case.plan(true), u32::MAX))?;
    same("one slice and many", &cached, &run(case.plan(true), 7))
}

fn run(plan: Plan, slice: u32) -> World {
    let mut world = World::new(plan);
    world.keep_decisions();
    while !world.advance(slice).done {}
    world
}

fn same(what: &str, left: &World, right: &World) -> Result<(), String> {
    let strip = |decision: &Decision| Decision { cache: None, ..*decision };
    let pairs = left.decisions().iter().zip(right.decisions());
    for (index, (one, other)) in pairs.enumerate() {
        if strip(one) != strip(other) {
            return Err(format!("{what} differ at decision {index}: {one:?} and {other:?}"));
        }
    }
    let (one, other) = (left.summary(), right.summary());
    if one.digest != other.digest || left.decisions().len() != right.decisions().len() {
        return Err(format!("{what} end differently: {one:?} and {other:?}"));
    }
    if one.empty_hosts_pct_mean.to_bits() != other.empty_hosts_pct_mean.to_bits() {
        return Err(format!("{what} measure differently: {one:?} and {other:?}"));
    }
    Ok(())
}

/// No over-commitment, whole or not at all, nothing lost or counted twice.
fn book_keeping(world: &World) -> Result<(), String> {
    let workload = world.plan().workload();
    let finals: Vec<_> = world.decisions().iter().filter(|it| it.outcome != Outcome::Conflict).copied().collect();
    nothing_lost(workload, &finals)?;
    whole_or_not_at_all(workload, world.decisions())?;
    never_over_committed(world, &finals)
}

fn nothing_lost(workload: &Workload, finals: &[Decision]) -> Result<(), String> {
    let mut seen = vec![0_u32; workload.vm_count() as usize];
    for decision in finals {
        seen[decision.vm.index()] += 1;
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
    let mut attempts: BTreeMap<(RequestId, u32), Vec<Outcome>> = BTreeMap::new();
    for decision in decisions {
        attempts.entry((decision.request, decision.attempt)).or_default().push(decision.outcome);
    }
    for ((request, attempt), outcomes) in attempts {
        let whole = outcomes.len() == workload.vms_of(request).len();
        if !whole || outcomes.iter().any(|outcome| *outcome != outcomes[0]) {
            return Err(format!("request {request}, attempt {attempt} was split: {outcomes:?}"));
        }
    }
    Ok(())
}

/// Replays placements and departures by time and adds up what each machine holds.
fn never_over_committed(world: &World, finals: &[Decision]) -> Result<(), String> {
    let workload = world.plan().workload();
    let mut changes = Vec::new();
    for decision in finals.iter().filter(|it| it.outcome == Outcome::Placed) {
        let Some((machine, at)) = world.placement(decision.vm) else {
            return Err(format!("VM {} was placed but is nowhere", decision.vm));
        };
        if decision.machine != Some(machine) || at != decision.time {
            return Err(format!("VM {} was decided for another machine or moment", decision.vm));
        }
        let end = workload.end(decision.vm);
        if end > at {
            changes.push((at, 1, machine, decision.vm));
            if end <= workload.horizon() {
                changes.push((end, 0, machine, decision.vm));
            }
        }
    }
    changes.sort();
    let fleet = world.plan().fleet();
    let mut used: BTreeMap<MachineId, (Resources, u32)> = BTreeMap::new();
    for (at, arrives, machine, vm) in changes {
        let demand = workload.shape(workload.shape_of(vm)).demand;
        let (sum, vms) = used.entry(machine).or_default();
        if arrives == 1 {
            *sum = sum.checked_add(demand).ok_or("overflow")?;
            *vms += 1;
        } else {
            *sum = sum.checked_sub(demand).ok_or("a VM left that was not there")?;
            *vms -= 1;
        }
        if !fleet.capacity(machine).covers(*sum) {
            return Err(format!("machine {machine} is over-committed at {} ms", at.0));
        }
    }
    for machine in (0..fleet.machine_count()).map(MachineId) {
        let (sum, vms) = used.get(&machine).copied().unwrap_or_default();
        let record = world.occupancy().record(machine);
        if record.vms != vms || Some(record.free) != fleet.capacity(machine).checked_sub(sum) {
            return Err(format!("machine {machine} ends with {record:?}, the record says {vms} VMs and {sum:?}"));
        }
    }
    Ok(())
}
