//! Lifetimes in complete runs: no host breaks the invariants of its state, whatever happens to it (LAVA section 4.3).

use std::collections::BTreeSet;
use std::sync::Arc;

use tiebreak_model::{MachineId, Phase, Time, VmId};
use tiebreak_placement::lifetime::{CLASS_MAX, Turn};
use tiebreak_scenario::presets;
use tiebreak_sim::{Disruption, World, metrics};
use tiebreak_testkit::Case;

/// What is wrong with a machine, if anything.
fn wrong(world: &World, machine: MachineId) -> Option<String> {
    let card = world.host_card(machine, world.progress().time)?;
    let (host, record) = (card.host, world.occupancy().record(machine));
    // The machine does not wait for what migrating VMs still hold here.
    let leave = |it: &&Disruption| it.from == machine && it.held_until == Time::NEVER;
    let copies = world.disruptions().iter().filter(leave).count() as u32;
    let residual = card.vms.iter().filter(|vm| vm.residual).count() as u32;
    let latest = |exit: fn(&tiebreak_sim::ExpectedVm) -> u32| card.vms.iter().map(exit).max().unwrap_or(0);
    let says = [
        (host.vms + copies == record.vms && host.vms == card.vms.len() as u32, "counts its VMs"),
        (host.residual == residual, "counts its residual VMs"),
        ((host.phase == Phase::Empty) == (host.vms == 0), "is empty when it has no VM"),
        (host.phase != Phase::Open || residual == 0, "waits for nobody while open"),
        (host.phase != Phase::Recycling || residual > 0, "waits for somebody while recycling"),
        (host.class <= CLASS_MAX && (host.phase != Phase::Empty || host.class == 0), "has a class that there is"),
        (host.phase == Phase::Empty || host.deadline_s > 0, "has a deadline"),
        ((record.life.phase, record.life.class) == (host.phase, host.class), "tells its state"),
        (record.life.exit_s == latest(|vm| vm.exit_s), "is busy until its last VM is expected to leave"),
        (record.life.first_exit_s == latest(|vm| vm.first_exit_s), "and so by the first predictions"),
    ];
    let broken = says.iter().find(|(holds, _)| !holds)?;
    Some(format!("machine {machine} no longer {}: {host:?}, {:?}, {:?}", broken.1, record.life, card.vms))
}

/// Whether the sample that was just taken has the open and the recycling machines.
fn counts_phases(world: &World) -> bool {
    let at = |machine| world.host_card(MachineId(machine), world.progress().time).map(|card| card.host.phase);
    let phases: Option<Vec<_>> = (0..world.plan().fleet().machine_count()).map(at).collect();
    [("OpenMachines", Phase::Open), ("RecyclingMachines", Phase::Recycling)].into_iter().all(|(id, phase)| {
        let sampled = world.series().values(metrics::index_of(id).expect("a metric")).last().copied();
        let found = phases.as_ref().map(|phases| phases.iter().filter(|it| **it == phase).count() as f64);
        sampled.filter(|sampled| !sampled.is_nan()) == found
    })
}

#[test]
fn no_host_breaks_its_invariants_in_random_runs() {
    let (mut turns, mut asked) = ([0; Turn::ALL.len()], 0);
    for number in 0..150 {
        let case = Case::random(number);
        let mut world = World::new(case.plan(true));
        loop {
            let samples = world.series().times().len();
            let done = world.advance(1).done;
            if world.series().times().len() > samples {
                assert!(counts_phases(&world), "case {number} at {} ms", world.progress().time.0);
            }
            for machine in (0..world.plan().fleet().machine_count()).map(MachineId) {
                if let Some(wrong) = wrong(&world, machine) {
                    panic!("case {number} at {} ms: {wrong}", world.progress().time.0);
                }
            }
            if done {
                break;
            }
        }
        let counts = world.life_counts();
        asked += u32::from(world.plan().asks_for_lifetimes());
        turns.iter_mut().zip(counts.turns).for_each(|(all, more)| *all += more);
    }
    assert!(asked > 100, "{asked} cases ask for lifetimes");
    for (turn, times) in Turn::ALL.iter().zip(turns) {
        assert!(times > 100, "{turn:?} happened {times} times");
    }
}

#[test]
fn a_deadline_that_passes_raises_the_class_at_that_moment() {
    let mut raised = 0;
    for number in 0..60 {
        let mut world = World::new(Case::random(number).plan(true));
        world.run();
        let until = world.progress().time;
        for machine in (0..world.plan().fleet().machine_count()).map(MachineId) {
            let Some(card) = world.host_card(machine, until) else { break };
            let overdue = card.host.phase != Phase::Empty && Time(i64::from(card.host.deadline_s) * 1_000) < until;
            assert!(!overdue, "case {number}, machine {machine} is past its deadline: {:?}", card.host);
            raised += card.turns.iter().filter(|turn| turn.turn == Turn::Raised).count();
        }
    }
    assert!(raised > 50, "{raised}");
}

/// Phase, class, deadline, and the VMs that the machine waits for and that never move, of every machine with any VM.
type Stood = Vec<(MachineId, Phase, u8, u32, Vec<VmId>)>;

fn stood(world: &World, at: Time, moved: &BTreeSet<VmId>) -> Stood {
    let of = |machine: MachineId| {
        let card = world.host_card(machine, at)?;
        let mut waits: Vec<_> = card.vms.iter().filter(|vm| vm.residual).map(|vm| vm.vm).collect();
        let host = card.host;
        assert_eq!(host.residual as usize, waits.len());
        waits.retain(|vm| !moved.contains(vm));
        waits.sort_unstable();
        (host.vms > 0).then_some((machine, host.phase, host.class, host.deadline_s, waits))
    };
    (0..world.plan().fleet().machine_count()).map(MachineId).filter_map(of).collect()
}

#[test]
fn a_run_that_is_over_tells_how_hosts_stood_before() {
    let mut compared = 0;
    for number in 0..60 {
        let case = Case::random(number);
        let mut world = World::new(case.plan(true));
        world.run();
        let moved: BTreeSet<_> = world.disruptions().iter().map(|it| it.vm).collect();
        let mut world = World::new(case.plan(true));
        world.keep_frames();
        let mut before: Vec<(Time, Stood)> = Vec::new();
        while !world.advance(1).done {
            let now = world.progress().time;
            let second = |time: Time| time.0 / 1_000;
            // The record has a resolution of a second: of each, the last observation.
            if before.last().is_some_and(|(at, _)| second(*at) == second(now)) {
                before.pop();
            }
            before.push((now, stood(&world, now, &moved)));
        }
        for (at, then) in before.into_iter().step_by(7) {
            compared += then.len();
            assert_eq!(stood(&world, at, &moved), then, "case {number} at {} ms", at.0);
        }
    }
    assert!(compared > 10_000, "{compared}");
}

/// The descriptions of the lifetime presets hold.
#[test]
fn presets_show_what_they_say() {
    let run = |id: &str, path: &str, value: &str| {
        let mut variant = (presets::find(id).expect(id).make)().active_variant().clone();
        variant.set(path, value).expect(path);
        let workload = Arc::new(variant.generate().expect("generated"));
        let mut world = World::new(variant.plan(workload).expect("a plan"));
        world.run();
        world.summary()
    };
    let empty = |id: &str, path: &str, value: &str| run(id, path, value).empty_hosts_pct_mean;
    let (once, again) = (empty("mispredictions", "name", "A"), empty("repredictions", "name", "A"));
    let off = empty("mispredictions", "rules.LifetimeAlignment.on", "false");
    let truth = empty("mispredictions", "predictor", "Oracle");
    assert!(
        once < off && truth > off + 4.0,
        "one word for good: {once:.1} % for {off:.1} %, {truth:.1} % if it is true"
    );
    assert!((2.5..4.5).contains(&(again - once)), "{again:.1} % after {once:.1} %");
    let first_words = empty("repredictions", "lifetimes.repredict", "false");
    assert!(first_words > again, "{first_words:.1} % without repredictions");

    let turns = run("recycling", "name", "A").lives.turns;
    let happened = |turn: Turn| turns[Turn::ALL.iter().position(|other| *other == turn).expect("a turn")];
    assert!(happened(Turn::Dropped) > 15 && happened(Turn::Filled) > 30, "{turns:?}");

    let migrations = |order: &str| {
        let counters = run("migrations-saved", "incidents.0.order", order).counters;
        (counters.migrations_saved, counters.migrations)
    };
    let (longest, as_placed) = (migrations("longest_first"), migrations("as_placed"));
    let share = |(saved, made): (u64, u64)| saved as f64 / (saved + made) as f64;
    assert!(
        longest.0 > as_placed.0 + 5 && share(longest) > 1.2 * share(as_placed),
        "saved, made: {longest:?} and {as_placed:?}"
    );
}
