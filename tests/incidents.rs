//! Incidents in random scenarios: whatever happens to a zone, no machine is over-committed, no VM is lost, and
//! caches, slices and repetition change nothing.
//!
//! A failure prints its number; this replays it alone:
//! `TIEBREAK_CASE=<number> cargo test -p tiebreak-tests incidents::`.

use std::collections::BTreeMap;

use tiebreak_model::random::{Seed, pick};
use tiebreak_model::{MachineId, Millis, Param, Readiness, Time, VmId};
use tiebreak_sim::{Cause, Decision, Disruption, Fate, INCIDENTS, IncidentUse, Outcome, Plan, Reason, World};
use tiebreak_testkit::Case;

/// One to five incidents of any kind at any time, some of them before or after the trace.
fn incidents(number: u64) -> Vec<IncidentUse> {
    let stream = Seed(number).stream("random incidents");
    let below = |what: u64, attempt: u64, count: u32| pick(stream.draw(what, attempt), count);
    let incident = |index: u32| {
        let what = u64::from(index);
        let entry = &INCIDENTS[below(what, 0, INCIDENTS.len() as u32) as usize];
        let small = [0.0, 0.05, 0.2, 1.0, 2.0, 5.0, 20.0, 500.0];
        let value = |(at, param): (u64, &Param)| {
            let value = small[below(what, 10 + at, small.len() as u32) as usize];
            if param.allows(value) { value } else { param.default }
        };
        let minute = i64::from(below(what, 1, 70)) - 5;
        let values = (0..).zip(entry.declaration.params).map(value).collect();
        IncidentUse { values, ..IncidentUse::plain(entry.declaration.id, Time(minute * Millis::MINUTE.0 as i64)) }
    };
    (0..1 + below(99, 0, 5)).map(incident).collect()
}

fn plan(number: u64, caches: bool) -> Plan {
    Case::random(number).plan(caches).with_incidents(&incidents(number)).expect("incidents that there are")
}

fn run(number: u64, caches: bool, slice: u32) -> World {
    let mut world = World::new(plan(number, caches));
    world.keep_decisions();
    while !world.advance(slice).done {}
    world
}

/// One VM's time on one machine; to the end if it never left.
#[derive(Clone, Copy, Debug)]
struct Stay {
    machine: MachineId,
    from: Time,
    to: Option<Time>,
}

/// The machines of a VM, from the record of decisions and disruptions alone.
fn stays(world: &World, vm: VmId, decisions: &[Decision], disruptions: &[Disruption]) -> Result<Vec<Stay>, String> {
    let workload = world.plan().workload();
    let placed = decisions.iter().filter(|it| it.outcome == Outcome::Placed);
    let mut begun: Vec<_> = placed.filter_map(|it| Some((it.time, it.machine?))).collect();
    begun.extend(disruptions.iter().filter_map(|it| match it.reason {
        Reason::Migrated(to) => Some((it.time, to)),
        _ => None,
    }));
    begun.sort_by_key(|(time, _)| *time);
    let mut left = disruptions.iter();
    let mut next = left.next();
    let mut stays = Vec::new();
    for (from, machine) in begun {
        let cut = next.filter(|it| it.since == from && it.from == machine);
        if cut.is_some() {
            next = left.next();
        }
        let end = workload.end(vm);
        let ends = end <= workload.horizon().max(from);
        let to = cut.map(|it| it.time).or(ends.then_some(end.max(from)));
        stays.push(Stay { machine, from, to });
    }
    // What a migrating VM leaves behind stays until the copy is complete.
    let copies = disruptions.iter().filter(|it| it.held_until > it.time);
    let until = |it: &Disruption| Some(it.held_until).filter(|until| *until < Time::NEVER);
    stays.extend(copies.map(|it| Stay { machine: it.from, from: it.time, to: until(it) }));
    match next {
        None => Ok(stays),
        Some(left) => Err(format!("VM {vm} left a machine on which it was not: {left:?}")),
    }
}

/// Everything held on a machine fits at each moment, and at the end it is what the world says.
fn check_machine(world: &World, machine: MachineId, stays: &[(VmId, Stay)]) -> Result<(), String> {
    let demand = |vm: VmId| world.plan().workload().shape_of_vm(vm).demand;
    let mut changes = Vec::new();
    for (vm, stay) in stays.iter().filter(|(_, stay)| stay.to != Some(stay.from)) {
        changes.push((stay.from, true, *vm));
        changes.extend(stay.to.map(|to| (to, false, *vm)));
    }
    changes.sort_unstable();
    let (mut free, mut vms) = (world.plan().fleet().capacity(machine), 0);
    for (time, comes, vm) in changes {
        free = if comes { free.checked_sub(demand(vm)) } else { free.checked_add(demand(vm)) }
            .ok_or_else(|| format!("machine {machine} is over-committed at {} ms by VM {vm}", time.0))?;
        vms = if comes { vms + 1 } else { vms - 1 };
    }
    let record = world.occupancy().record(machine);
    let ends_empty = record.readiness != Readiness::Failed || record.vms == 0;
    if (record.free, record.vms) != (free, vms) || !ends_empty {
        return Err(format!("machine {machine} ends as {record:?}, the record says {vms} VMs and {free:?}"));
    }
    Ok(())
}

/// Each time a VM lost its machine it was decided again, with one final outcome, or its lifetime was over.
fn check_vm(world: &World, vm: VmId, decisions: &[Decision], disruptions: &[Disruption]) -> Result<(), String> {
    let workload = world.plan().workload();
    let came = workload.at(workload.request_of(vm)) <= workload.horizon();
    let ended = |cause| decisions.iter().filter(|it| it.cause == cause && it.outcome != Outcome::Conflict).count();
    let homeless = disruptions.iter().filter(|it| !matches!(it.reason, Reason::Evicted | Reason::Migrated(_))).count();
    let (first, again) = (ended(Cause::Request), ended(Cause::Reallocation));
    let forgone = matches!(world.fate(vm), Some(Fate::Ended { .. })) && again + 1 == homeless;
    if first != usize::from(came) || again != homeless && !forgone {
        return Err(format!("VM {vm} lost {homeless} machines and was decided {first} and {again} times"));
    }
    let stands = world.placement(vm).is_some();
    let fitting = match world.fate(vm) {
        None => disruptions.is_empty(),
        Some(Fate::Waiting { .. }) => false,
        Some(Fate::Reallocated { .. } | Fate::Migrated { .. }) => stands,
        Some(Fate::Evicted { .. } | Fate::Lost { .. } | Fate::Ended { .. }) => !stands,
    };
    if fitting { Ok(()) } else { Err(format!("VM {vm} has the fate {:?}, stands: {stands}", world.fate(vm))) }
}

fn of_vms<T: Copy>(all: &[T], vm: impl Fn(&T) -> VmId) -> BTreeMap<VmId, Vec<T>> {
    let mut by_vm: BTreeMap<VmId, Vec<T>> = BTreeMap::new();
    all.iter().for_each(|it| by_vm.entry(vm(it)).or_default().push(*it));
    by_vm
}

fn check_record(world: &World) -> Result<(), String> {
    let (decisions, disruptions) =
        (of_vms(world.decisions(), |it| it.vm), of_vms(world.disruptions(), |it: &Disruption| it.vm));
    let mut on: BTreeMap<MachineId, Vec<(VmId, Stay)>> = BTreeMap::new();
    for vm in (0..world.plan().workload().vm_count()).map(VmId) {
        let of = |vm| (decisions.get(&vm).map_or(&[][..], |all| all), disruptions.get(&vm).map_or(&[][..], |all| all));
        let (decisions, disruptions) = of(vm);
        check_vm(world, vm, decisions, disruptions)?;
        for stay in stays(world, vm, decisions, disruptions)? {
            on.entry(stay.machine).or_default().push((vm, stay));
        }
    }
    (0..world.plan().fleet().machine_count())
        .map(MachineId)
        .try_for_each(|machine| check_machine(world, machine, on.get(&machine).map_or(&[], |stays| stays)))
}

fn check_counters(world: &World) -> Result<(), String> {
    let counters = world.summary().counters;
    let left = |is: fn(Reason) -> bool| world.disruptions().iter().filter(|it| is(it.reason)).count() as u64;
    let lost = |it: &Decision| {
        let ended = matches!(it.outcome, Outcome::Refused | Outcome::OutOfRetries);
        it.cause == Cause::Reallocation && ended && it.time < world.plan().workload().end(it.vm)
    };
    let found = |it: &&Decision| it.cause == Cause::Reallocation && it.outcome == Outcome::Placed;
    for (what, counted, expected) in [
        ("migrations", counters.migrations, left(|it| matches!(it, Reason::Migrated(_)))),
        ("evictions", counters.evictions, left(|it| it == Reason::Evicted)),
        ("lost VMs", counters.lost_vms, world.decisions().iter().filter(|it| lost(it)).count() as u64),
        ("reallocations", counters.reallocations, world.decisions().iter().filter(found).count() as u64),
    ] {
        if counted != expected {
            return Err(format!("{counted} {what} are counted, the record says {expected}"));
        }
    }
    Ok(())
}

fn check(number: u64) -> Result<(), String> {
    let world = run(number, true, u32::MAX);
    check_record(&world)?;
    check_counters(&world)?;
    for (what, other) in [("caches", run(number, false, u32::MAX)), ("slices", run(number, true, 1))] {
        let same = (world.summary().digest, world.disruptions()) == (other.summary().digest, other.disruptions());
        if !same {
            return Err(format!("{what} change what happens"));
        }
    }
    Ok(())
}

#[test]
fn whatever_happens_to_a_zone_its_books_are_right() {
    let number = |variable: &str| std::env::var(variable).ok().and_then(|value| value.parse().ok());
    let cases = match number("TIEBREAK_CASE") {
        Some(number) => number..number + 1,
        None => 0..number("TIEBREAK_CASES").unwrap_or(300),
    };
    for number in cases {
        if let Err(broken) = check(number) {
            let asked = incidents(number);
            panic!("{broken}\n{asked:?}\nreplay: TIEBREAK_CASE={number} cargo test -p tiebreak-tests incidents::");
        }
    }
}

#[test]
fn random_incidents_are_not_all_harmless() {
    let mut counts = BTreeMap::new();
    for number in 0..500 {
        let world = run(number, true, u32::MAX);
        let counters = world.summary().counters;
        *counts.entry("reallocations").or_insert(0) += counters.reallocations;
        *counts.entry("lost VMs").or_insert(0) += counters.lost_vms;
        for it in world.disruptions() {
            *counts.entry(it.reason.word()).or_insert(0) += 1;
        }
    }
    for what in ["reallocations", "lost VMs", "failed", "maintenance", "decommissioned", "migrated"] {
        assert!(counts.get(what).is_some_and(|count| *count > 10), "{what}: {counts:?}");
    }
}
