//! Caches never change a decision, at their edges too: more classes than the pool holds,
//! keys of every width, and rules about racks at every place of the list.
//!
//! Two allocators, one with caches and one without, go through the same life of one
//! small zone side by side.

use std::sync::Arc;

use tiebreak_model::random::{Seed, Stream, pick};
use tiebreak_model::{
    ClusterSpec, Fleet, Footprint, MachineId, MachineRecord, Occupancy, Readiness, Resources, ShapeId, VmRequest,
    VmShape,
};
use tiebreak_placement::{Allocator, CacheUse, Caches, Choice, Draw, Policy, RULES, Request, RuleUse};

const POOL_SIZE: usize = 256;

const MACHINE_PREFERENCES: [&str; 5] =
    ["PreferNonEmptyMachines", "BestFit", "PreferLeastUsedRack", "WorstFit", "FirstFit"];

fn rule(id: &str, buckets: Option<u32>) -> RuleUse {
    RuleUse::plain(id, buckets)
}

/// All rules that are no machine preference, then these preferences in this order.
fn list(preferences: &[(&str, Option<u32>)]) -> Vec<RuleUse> {
    let others = RULES.iter().map(|entry| entry.declaration.id).filter(|id| !MACHINE_PREFERENCES.contains(id));
    others.map(|id| rule(id, None)).chain(preferences.iter().map(|(id, buckets)| rule(id, *buckets))).collect()
}

/// Three clusters of 24 machines in 8 racks.
fn zone() -> Occupancy {
    let cluster = |machines, racks, cores: u32, gib: u32| ClusterSpec {
        name: "c".into(),
        machines,
        racks,
        capacity: Resources::new(cores * 1_000, gib * 1_024, 0, 0),
        unready: 1,
        datacenter: 0,
    };
    let specs = [cluster(9, 4, 16, 64), cluster(10, 3, 24, 96), cluster(5, 1, 8, 64)];
    Occupancy::empty(Arc::new(Fleet::build(&specs).expect("a fleet")))
}

/// A zone with and without caches, and who lives there.
struct Pair {
    cached: Allocator,
    uncached: Allocator,
    living: Vec<(MachineId, VmShape)>,
}

impl Pair {
    fn new(rules: &[RuleUse], best_clusters: u32) -> Self {
        let policy = Arc::new(Policy::new(rules, best_clusters).expect("a policy"));
        let allocator = |caches| Allocator::new(policy.clone(), zone(), caches, usize::MAX);
        Self { cached: allocator(Caches::default()), uncached: allocator(Caches::OFF), living: Vec::new() }
    }

    fn set(&mut self, machine: MachineId, record: MachineRecord) {
        self.cached.view_mut().set(machine, record);
        self.uncached.view_mut().set(machine, record);
    }

    /// Places a VM, and tells what the cache did.
    fn place(&mut self, shape: u32, vm: &VmShape, draw: u64) -> CacheUse {
        let asked = VmRequest::alone(*vm);
        let draw = Draw { number: draw, among: None };
        let request = Request { shape: ShapeId(shape), vm: &asked, footprint: Footprint::NONE, draw };
        let cached = self.cached.choose(&request);
        let uncached = self.uncached.choose(&request);
        let what = |choice: Option<Choice>| choice.map(|it| (it.machine, it.best_set));
        assert_eq!(what(cached.ok()), what(uncached.ok()), "shape {shape}, {:?}", self.cached.policy());
        if let Ok(choice) = cached {
            let record = self.cached.view().record(choice.machine).with(vm).expect("it fits");
            self.set(choice.machine, record);
            self.living.push((choice.machine, *vm));
        }
        cached.map_or_else(|refusal| refusal.cache, |choice| choice.cache)
    }

    /// One of the living leaves, and now and then a machine's readiness changes.
    fn disturb(&mut self, bits: u64) {
        if !self.living.is_empty() && bits.is_multiple_of(2) {
            let (machine, vm) = self.living.swap_remove(pick(bits, self.living.len() as u32) as usize);
            let record = self.cached.view().record(machine).without(&vm);
            self.set(machine, record);
        }
        if bits.is_multiple_of(7) {
            let machine = MachineId(pick(bits.rotate_left(32), 24));
            let record = self.cached.view().record(machine);
            let readiness = if record.readiness == Readiness::Ready { Readiness::Unready } else { Readiness::Ready };
            self.set(machine, MachineRecord { readiness, ..record });
        }
    }
}

fn stream(name: &str) -> Stream {
    Seed(11).stream(name)
}

fn vm(shape: u32) -> VmShape {
    VmShape::plain(Resources::new(500 * (1 + shape % 9), 512 + 16 * shape, 0, 0))
}

fn permutations<T: Copy>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let with_first = |first: usize| {
        let rest: Vec<T> = items.iter().enumerate().filter(|(index, _)| *index != first).map(|(_, it)| *it).collect();
        permutations(&rest).into_iter().map(move |tail| [vec![items[first]], tail].concat())
    };
    (0..items.len()).flat_map(with_first).collect()
}

#[test]
fn a_pool_that_overflows_decides_the_same() {
    let shapes = POOL_SIZE as u32 + 150;
    let rules = list(&[("PreferNonEmptyMachines", None), ("BestFit", Some(3)), ("PreferLeastUsedRack", Some(4))]);
    let mut pair = Pair::new(&rules, 2);
    let draws = stream("overflow");
    for step in 0..6_000 {
        let bits = draws.draw(step, 0);
        let shape = pick(bits, shapes);
        pair.place(shape, &vm(shape), draws.draw(step, 1));
        pair.disturb(draws.draw(step, 2));
    }
    let counters = pair.cached.counters();
    assert!(counters.evictions > 1_000, "{counters:?}");
    assert_eq!(counters.misses, counters.evictions + POOL_SIZE as u64, "whoever comes in a full pool puts one out");
}

#[test]
fn the_class_used_longest_ago_makes_room() {
    let mut pair = Pair::new(&list(&[("BestFit", None)]), 2);
    for shape in 0..3 * POOL_SIZE as u32 {
        pair.place(shape + 1, &vm(shape + 1), 0);
        let used_all_the_time = pair.place(0, &vm(0), 0);
        assert_eq!(used_all_the_time == CacheUse::Hit, shape > 0, "after {shape} others");
    }
    let newest = 3 * POOL_SIZE as u32;
    assert_eq!(pair.place(newest, &vm(newest), 0), CacheUse::Hit);
    assert_eq!(pair.place(1, &vm(1), 0), CacheUse::Miss);
}

#[test]
fn shapes_that_no_rule_tells_apart_share_an_evaluation() {
    let mut pair = Pair::new(&list(&[("BestFit", None)]), 2);
    let spot = VmShape { priority: 1, ..vm(0) };
    assert_eq!(pair.place(0, &vm(0), 0), CacheUse::Miss);
    assert_eq!(pair.place(1, &spot, 0), CacheUse::Hit);
    assert_eq!(pair.place(2, &vm(2), 0), CacheUse::Miss);
}

/// Every order of the five machine preferences, so that the rule about racks stands at every
/// place, with keys of one word, of two and of more.
#[test]
fn every_order_and_key_width_decides_the_same() {
    let widths: [fn(&str) -> Option<u32>; 4] =
        [|_| Some(3), |id| (id != "BestFit").then_some(2), |id| (id != "PreferLeastUsedRack").then_some(5), |_| None];
    let draws = stream("orders");
    for (order, preferences) in (0..).zip(permutations(&MACHINE_PREFERENCES)) {
        for (width, buckets) in (0..).zip(widths) {
            let rules: Vec<_> = preferences.iter().map(|id| (*id, buckets(id))).collect();
            let mut pair = Pair::new(&list(&rules), 1 + order % 3);
            for step in 0..60 {
                let what = u64::from(order * 4 + width) << 8 | step;
                let shape = pick(draws.draw(what, 0), 12);
                pair.place(shape, &vm(shape), draws.draw(what, 1));
                pair.disturb(draws.draw(what, 2));
            }
        }
    }
}
