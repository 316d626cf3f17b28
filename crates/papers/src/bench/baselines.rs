//! Plain programs to compare with the engine: the same requests, one VM at a time, on machines that only have cores.
//! They show the cost of a replay without rules, caches and agents.
//!
//! One program takes any machine. The others are best fit in one dimension: the machine with the fewest free cores
//! that still fit, and among these the lowest id. They differ only in how they find it, so they must agree on every
//! VM.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::hint::black_box;
use std::time::Instant;

use tiebreak_model::{RequestId, Time, VmId, Workload};

use super::case::ms_since;

/// One plain program.
pub(super) struct Baseline {
    pub(super) name: &'static str,
    /// Replays a workload on this many machines with this many cores.
    pub(super) replay: fn(&Workload, u32, u16) -> Replayed,
}

/// The plain programs that are always measured; all but the first make decisions.
pub(super) static BASELINES: [Baseline; 4] = [
    Baseline { name: "no decision", replay: replay::<AnyMachine> },
    Baseline { name: "best fit, buckets", replay: replay::<Buckets> },
    ORDERED_SET,
    Baseline { name: "best fit, tight scan", replay: replay::<TightScan> },
];

/// Best fit as one would program it; engines are compared with it.
pub(super) const ORDERED_SET: Baseline = Baseline { name: "best fit, ordered set", replay: replay::<OrderedSet> };

/// Best fit in the most obvious way; much slower than the others.
pub(super) static NAIVE_SCAN: Baseline = Baseline { name: "best fit, naive scan", replay: replay::<NaiveScan> };

/// The result, with the VMs alive at the start timed separately, as for the engine.
pub(super) struct Replayed {
    pub(super) placed_on: Vec<u32>,
    pub(super) warm_start_ms: f64,
    pub(super) run_ms: f64,
}

/// Marks in `placed_on` a VM for which no machine had room.
pub(super) const NOWHERE: u32 = u32::MAX;

impl Replayed {
    /// A digest that programs share only if they placed every VM on the same machine (FNV-1a).
    pub(super) fn digest(&self) -> u64 {
        let bytes = self.placed_on.iter().flat_map(|machine| machine.to_le_bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }
}

/// The machines of a plain program.
trait Machines {
    /// Creates empty machines with this many cores each.
    fn new(machines: u32, cores: u16) -> Self;

    /// Takes this many cores from the machine that it chooses; `None` if no machine has them.
    fn place(&mut self, cores: u16) -> Option<u32>;

    /// Returns cores to a machine.
    fn leave(&mut self, machine: u32, cores: u16);
}

fn replay<M: Machines>(workload: &Workload, machines: u32, machine_cores: u16) -> Replayed {
    let start = Instant::now();
    let mut replay = Replay::new(workload, M::new(machines, machine_cores));
    (0..workload.warm_count()).map(RequestId).for_each(|request| replay.arrive(request));
    let warm_start_ms = ms_since(start);
    let start = Instant::now();
    replay.run();
    let run_ms = ms_since(start);
    // Otherwise a compiler may see that the machines' state is unused and remove its updates.
    black_box(&replay.machines);
    Replayed { placed_on: replay.placed_on, warm_start_ms, run_ms }
}

/// A replay in progress. Placed VMs wait for their end in a heap: a program that learns of each VM only on arrival
/// cannot do better.
struct Replay<'a, M> {
    workload: &'a Workload,
    machines: M,
    cores: Vec<u16>,
    placed_on: Vec<u32>,
    ends: BinaryHeap<Reverse<(Time, u32)>>,
}

impl<'a, M: Machines> Replay<'a, M> {
    fn new(workload: &'a Workload, machines: M) -> Self {
        let cores = |vm| workload.shape(workload.shape_of(VmId(vm))).demand.cores_milli().div_ceil(1_000) as u16;
        let cores: Vec<_> = (0..workload.vm_count()).map(cores).collect();
        Self { workload, machines, placed_on: vec![NOWHERE; cores.len()], cores, ends: BinaryHeap::new() }
    }

    /// Everything after the start; within one instant, departures precede arrivals.
    fn run(&mut self) {
        for request in (self.workload.warm_count()..self.workload.request_count()).map(RequestId) {
            self.leave_until(self.workload.at(request));
            self.arrive(request);
        }
        self.leave_until(self.workload.horizon());
    }

    fn arrive(&mut self, request: RequestId) {
        for vm in self.workload.vms_of(request) {
            if let Some(machine) = self.machines.place(self.cores[vm as usize]) {
                self.placed_on[vm as usize] = machine;
                self.ends.push(Reverse((self.workload.end(VmId(vm)), vm)));
            }
        }
    }

    fn leave_until(&mut self, now: Time) {
        while let Some(Reverse((_, vm))) = self.ends.peek().copied().filter(|Reverse((end, _))| *end <= now) {
            self.ends.pop();
            self.machines.leave(self.placed_on[vm as usize], self.cores[vm as usize]);
        }
    }
}

/// The machines in turn, regardless of room: it only counts what is in use.
struct AnyMachine {
    used: Vec<u32>,
    next: usize,
}

impl Machines for AnyMachine {
    fn new(machines: u32, _: u16) -> Self {
        Self { used: vec![0; machines as usize], next: 0 }
    }

    fn place(&mut self, cores: u16) -> Option<u32> {
        let machine = self.next;
        self.next = if machine + 1 < self.used.len() { machine + 1 } else { 0 };
        self.used[machine] += u32::from(cores);
        Some(machine as u32)
    }

    fn leave(&mut self, machine: u32, cores: u16) {
        self.used[machine as usize] -= u32::from(cores);
    }
}

/// For each number of free cores, the machines that have it.
struct Buckets {
    free: Vec<u16>,
    with_free: Vec<IdSet>,
}

impl Buckets {
    fn set_free(&mut self, machine: u32, free: u16) {
        let before = std::mem::replace(&mut self.free[machine as usize], free);
        self.with_free[usize::from(before)].remove(machine);
        self.with_free[usize::from(free)].insert(machine);
    }
}

impl Machines for Buckets {
    fn new(machines: u32, cores: u16) -> Self {
        let mut with_free = vec![IdSet::empty(machines); usize::from(cores) + 1];
        (0..machines).for_each(|machine| with_free[usize::from(cores)].insert(machine));
        Self { free: vec![cores; machines as usize], with_free }
    }

    fn place(&mut self, cores: u16) -> Option<u32> {
        let machine = self.with_free.get(usize::from(cores)..)?.iter().find_map(IdSet::lowest)?;
        self.set_free(machine, self.free[machine as usize] - cores);
        Some(machine)
    }

    fn leave(&mut self, machine: u32, cores: u16) {
        self.set_free(machine, self.free[machine as usize] + cores);
    }
}

/// Ids as bits; a second level has one bit for each non-zero word of the first.
#[derive(Clone)]
struct IdSet {
    words: Vec<u64>,
    filled: Vec<u64>,
}

impl IdSet {
    fn empty(ids: u32) -> Self {
        let words = (ids as usize).div_ceil(64);
        Self { words: vec![0; words], filled: vec![0; words.div_ceil(64)] }
    }

    fn insert(&mut self, id: u32) {
        let word = id as usize / 64;
        self.words[word] |= 1 << (id % 64);
        self.filled[word / 64] |= 1 << (word % 64);
    }

    fn remove(&mut self, id: u32) {
        let word = id as usize / 64;
        self.words[word] &= !(1 << (id % 64));
        if self.words[word] == 0 {
            self.filled[word / 64] &= !(1 << (word % 64));
        }
    }

    fn lowest(&self) -> Option<u32> {
        let (index, filled) = self.filled.iter().enumerate().find(|(_, filled)| **filled != 0)?;
        let word = index * 64 + filled.trailing_zeros() as usize;
        Some((word * 64) as u32 + self.words[word].trailing_zeros())
    }
}

/// All machines ordered by free cores, then id.
struct OrderedSet {
    free: Vec<u16>,
    by_free: BTreeSet<(u16, u32)>,
}

impl OrderedSet {
    fn set_free(&mut self, machine: u32, free: u16) {
        let before = std::mem::replace(&mut self.free[machine as usize], free);
        self.by_free.remove(&(before, machine));
        self.by_free.insert((free, machine));
    }
}

impl Machines for OrderedSet {
    fn new(machines: u32, cores: u16) -> Self {
        let by_free = (0..machines).map(|machine| (cores, machine)).collect();
        Self { free: vec![cores; machines as usize], by_free }
    }

    fn place(&mut self, cores: u16) -> Option<u32> {
        let (free, machine) = *self.by_free.range((cores, 0)..).next()?;
        self.set_free(machine, free - cores);
        Some(machine)
    }

    fn leave(&mut self, machine: u32, cores: u16) {
        self.set_free(machine, self.free[machine as usize] + cores);
    }
}

/// Scans every machine, in branchless loops that the compiler vectorizes. It does so for exactly this form; with
/// `min` or with 32-bit numbers, a scan takes several times as long.
struct TightScan {
    free: Vec<i16>,
}

impl Machines for TightScan {
    fn new(machines: u32, cores: u16) -> Self {
        Self { free: vec![cores as i16; machines as usize] }
    }

    fn place(&mut self, cores: u16) -> Option<u32> {
        const WIDE: usize = 64;
        let cores = cores as i16;
        let mut least = i16::MAX;
        for free in &self.free {
            let fitting = if *free >= cores { *free } else { i16::MAX };
            least = if fitting < least { fitting } else { least };
        }
        let has_it = |piece: &[i16]| piece.iter().fold(false, |any, free| any | (*free == least));
        let piece = self.free.chunks(WIDE).position(has_it)? * WIDE;
        let machine = piece + self.free[piece..].iter().position(|free| *free == least)?;
        self.free[machine] -= cores;
        Some(machine as u32)
    }

    fn leave(&mut self, machine: u32, cores: u16) {
        self.free[machine as usize] += cores as i16;
    }
}

/// Scans every machine, as in the definition.
struct NaiveScan {
    machines: Vec<Machine>,
}

struct Machine {
    id: u32,
    cores: u32,
    used: u32,
}

impl Machine {
    fn free(&self) -> u32 {
        self.cores - self.used
    }
}

impl Machines for NaiveScan {
    fn new(machines: u32, cores: u16) -> Self {
        Self { machines: (0..machines).map(|id| Machine { id, cores: cores.into(), used: 0 }).collect() }
    }

    fn place(&mut self, cores: u16) -> Option<u32> {
        let fitting = self.machines.iter_mut().filter(|machine| machine.free() >= cores.into());
        let best = fitting.min_by_key(|machine| (machine.free(), machine.id))?;
        best.used += u32::from(cores);
        Some(best.id)
    }

    fn leave(&mut self, machine: u32, cores: u16) {
        self.machines[machine as usize].used -= u32::from(cores);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::zone::Zone;
    use tiebreak_sim::World;

    #[test]
    fn every_way_to_find_the_best_fit_finds_the_same() {
        // The load of 300 machines on fewer of them: room for all VMs, for most, for the fewest.
        let zone = Zone::of((300, 0.5)).expect("a zone");
        for (machines, refuses) in [(300, false), (200, true), (1, true)] {
            let replayed = |it: &Baseline| (it.name, (it.replay)(&zone.workload, machines, zone.machine_cores()));
            let results: Vec<_> = BASELINES[1..].iter().chain([&NAIVE_SCAN]).map(replayed).collect();
            let (_, first) = &results[0];
            assert_eq!(first.placed_on.contains(&NOWHERE), refuses, "{machines} machines");
            for (name, result) in &results {
                assert_eq!(result.placed_on, first.placed_on, "{name}, {machines} machines");
                assert_eq!(result.digest(), first.digest(), "{name}, {machines} machines");
            }
        }
    }

    #[test]
    fn the_engine_decides_the_same_where_its_rules_leave_nothing_to_chance() {
        let zone = Zone::of((300, 0.5)).expect("a zone");
        let mut zone = zone.under_best_fit(0).expect("its rules");
        zone.variant.set("rules.FirstFit.on", "true").expect("a rule");
        zone.variant.set("rules.FirstFit.buckets", "none").expect("a preference");
        let mut world = World::new(zone.variant.plan(zone.workload.clone()).expect("a plan"));
        world.run();
        let engine = |vm| world.placement(vm).map_or(NOWHERE, |(machine, _)| machine.0);
        let engine: Vec<_> = (0..zone.workload.vm_count()).map(|vm| engine(VmId(vm))).collect();
        let plain = (BASELINES[1].replay)(&zone.workload, zone.machines(), zone.machine_cores());
        assert_eq!(engine, plain.placed_on);
    }

    #[test]
    fn whoever_decides_nothing_refuses_nobody() {
        let zone = Zone::of((100, 0.1)).expect("a zone");
        let result = (BASELINES[0].replay)(&zone.workload, 1, zone.machine_cores());
        assert!(result.placed_on.iter().all(|machine| *machine == 0));
    }
}
