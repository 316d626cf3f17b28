//! Protean's example of a cache timeline, Table 4 and Figure 8 of section 5.2.1, event by event; and how objects
//! leave the pools: by capacity, by age, and at once if the capacity is zero.
//!
//! The paper's two rules correspond to two of ours: R1, which depends on traits X and Y, is `AreNodeResourcesValid`
//! with evictions allowed, which depends on the demand (X) and whether the VM has high priority (Y); R2, which
//! depends on X alone, is `BestFit`.

use std::sync::Arc;

use tiebreak_model::{
    ClusterSpec, Fleet, Footprint, MachineId, MachineRecord, Needs, Occupancy, Resources, ShapeId, VmRequest, VmShape,
};
use tiebreak_placement::CacheEvent::{
    EvaluationCreated, EvaluationEvicted, EvaluationHit, ObjectCreated, ObjectEvicted, ObjectHit,
};
use tiebreak_placement::{Allocator, CacheCounters, CacheEvent, Caches, Draw, Policy, Request, RuleUse, Uses};

const R1: &str = "AreNodeResourcesValid";
const R2: &str = "BestFit";

/// Decisions between two sweeps for old objects.
const SWEEP: usize = 256;

/// All layers, as in the paper, without expiry by age.
fn protean() -> Caches {
    Caches { rule_objects: true, age: 0, ..Caches::default() }
}

/// A request given by its traits: (1, 2) is X = x1 and Y = y2.
type Traits = (u32, u8);

fn vm((x, y): Traits) -> VmShape {
    VmShape { priority: y - 1, ..VmShape::plain(Resources::new(1_000 * x, 1_024, 0, 0)) }
}

fn allocator(caches: Caches) -> Allocator {
    let capacity = Resources::new(16_000, 65_536, 0, 0);
    let spec = ClusterSpec { name: "c".into(), machines: 4, racks: 2, capacity, unready: 0, datacenter: 0, chassis: 1 };
    let view = Occupancy::empty(Arc::new(Fleet::build(&[spec]).expect("a fleet")));
    let may_evict = RuleUse { values: vec![1.0], ..RuleUse::plain(R1, None) };
    let policy = Policy::new(&[may_evict, RuleUse::plain(R2, None)], 1).expect("a policy");
    let mut allocator = Allocator::new(Arc::new(policy), view, caches, usize::MAX);
    allocator.keep_log();
    allocator
}

/// Serves a request; returns the cache events.
fn serve(allocator: &mut Allocator, traits: Traits) -> Vec<CacheEvent> {
    let (shape, draw) = (ShapeId(10 * traits.0 + u32::from(traits.1)), Draw { number: 0, among: None });
    let vm = VmRequest::alone(vm(traits));
    allocator
        .choose(&Request { shape, vm: &vm, footprint: Footprint::NONE, needs: Needs::NONE, growth: None, draw })
        .expect("there is room");
    allocator.take_log()
}

/// Changes a machine, so that everything cached needs an update.
fn disturb(allocator: &mut Allocator) {
    let record = allocator.view().record(MachineId(1));
    let after = MachineRecord { risk: record.risk ^ 1, ..record };
    allocator.view_mut().set(MachineId(1), after);
}

fn check(caches: Caches, timeline: &[(Traits, &[CacheEvent])], changes: bool) {
    let mut allocator = allocator(caches);
    for (at, (traits, expected)) in (1..).zip(timeline) {
        if changes && at > 1 {
            disturb(&mut allocator);
        }
        assert_eq!(serve(&mut allocator, *traits), *expected, "T{at}, {traits:?}, {caches:?}, changes: {changes}");
    }
}

#[test]
fn table_4_of_the_paper() {
    // | time | request  | evaluation | R1      | R2      |
    // | T1   | (x1, y1) | created    | created | created |
    // | T2   | (x1, y2) | created    | created | hit     |
    // | T3   | (x1, y1) | hit        |         |         |
    let timeline: [(Traits, &[CacheEvent]); 3] = [
        ((1, 1), &[EvaluationCreated, ObjectCreated(R1), ObjectCreated(R2)]),
        ((1, 2), &[EvaluationCreated, ObjectCreated(R1), ObjectHit(R2)]),
        ((1, 1), &[EvaluationHit]),
    ];
    check(protean(), &timeline, false);
    // If Eval(x1, y1) needs an update, it requests R1(x1, y1) and R2(x1) too, which are hits.
    let [first, second, _] = timeline;
    let updated: (Traits, &[CacheEvent]) = ((1, 1), &[EvaluationHit, ObjectHit(R1), ObjectHit(R2)]);
    check(protean(), &[first, second, updated], true);
}

#[test]
fn a_full_pool_throws_out_what_was_used_longest_ago() {
    let evaluations = Caches { evaluation_pool: 2, ..protean() };
    check(
        evaluations,
        &[
            ((1, 1), &[EvaluationCreated, ObjectCreated(R1), ObjectCreated(R2)]),
            ((1, 2), &[EvaluationCreated, ObjectCreated(R1), ObjectHit(R2)]),
            ((1, 1), &[EvaluationHit]),
            ((2, 2), &[EvaluationEvicted, EvaluationCreated, ObjectCreated(R1), ObjectCreated(R2)]),
            ((1, 1), &[EvaluationHit]),
            ((1, 2), &[EvaluationEvicted, EvaluationCreated, ObjectHit(R1), ObjectHit(R2)]),
        ],
        false,
    );
    let objects = Caches { object_pool: 3, ..protean() };
    check(
        objects,
        &[
            ((1, 1), &[EvaluationCreated, ObjectCreated(R1), ObjectCreated(R2)]),
            ((1, 2), &[EvaluationCreated, ObjectCreated(R1), ObjectHit(R2)]),
            // R1(x1, y1) was used at T1, R1(x1, y2) and R2(x1) at T2.
            ((2, 2), &[EvaluationCreated, ObjectCreated(R1), ObjectEvicted(R1), ObjectCreated(R2), ObjectEvicted(R2)]),
            ((1, 2), &[EvaluationHit]),
        ],
        false,
    );
}

#[test]
fn a_pool_without_room_keeps_nothing() {
    let all: &[CacheEvent] = &[EvaluationCreated, ObjectCreated(R1), ObjectCreated(R2)];
    let kept: &[CacheEvent] = &[EvaluationCreated, ObjectHit(R1), ObjectHit(R2)];
    for caches in [Caches { evaluation_pool: 0, ..protean() }, Caches { evaluations: false, ..protean() }] {
        check(caches, &[((1, 1), all), ((1, 1), kept), ((1, 1), kept)], false);
    }
    for caches in [Caches { object_pool: 0, ..protean() }, Caches { rule_objects: false, ..protean() }] {
        check(
            caches,
            &[((1, 1), &[EvaluationCreated]), ((1, 2), &[EvaluationCreated]), ((1, 1), &[EvaluationHit])],
            true,
        );
    }
}

#[test]
fn what_was_not_used_for_long_is_thrown_out() {
    // (x1, y1) is served once, in the first decision, then (x2, y1) until the sweep.
    for (age, thrown_out) in [(0, false), (SWEEP, false), (SWEEP - 1, false), (SWEEP - 2, true), (1, true)] {
        let mut allocator = allocator(Caches { age: age as u32, ..protean() });
        serve(&mut allocator, (1, 1));
        for _ in 0..SWEEP - 2 {
            disturb(&mut allocator);
            assert!(!serve(&mut allocator, (2, 1)).contains(&EvaluationEvicted), "age {age}, before the sweep");
        }
        let at_the_sweep = serve(&mut allocator, (2, 1));
        let evicted = [EvaluationEvicted, ObjectEvicted(R1), ObjectEvicted(R2)];
        assert!(evicted.iter().all(|event| at_the_sweep.contains(event) == thrown_out), "age {age}: {at_the_sweep:?}");
        let after = if thrown_out { EvaluationCreated } else { EvaluationHit };
        assert_eq!(serve(&mut allocator, (1, 1))[0], after, "age {age}");
        assert_eq!(serve(&mut allocator, (2, 1))[0], EvaluationHit, "age {age}: whoever is used stays");
    }
}

#[test]
fn updates_are_counted_where_they_happen() {
    let mut allocator = allocator(protean());
    serve(&mut allocator, (1, 1));
    disturb(&mut allocator);
    assert_eq!(allocator.refresh_in_background(100), 1, "one machine changed");
    assert_eq!(allocator.refresh_in_background(100), 0, "and is fresh now");
    serve(&mut allocator, (1, 1));
    disturb(&mut allocator);
    serve(&mut allocator, (1, 1));
    let counters = allocator.counters();
    assert_eq!((counters.hits, counters.misses, counters.stale_hits), (2, 1, 1));
    let ranked = [counters.on_misses, counters.in_background, counters.on_hits].map(|updates| updates.ranked);
    assert_eq!(ranked, [4, 1, 1], "all machines when it is made, then the one that changed");
    // Both rules have an object, and there is no rule without a key.
    let judged = [counters.on_misses, counters.in_background, counters.on_hits].map(|updates| updates.judged);
    assert_eq!(judged, [4 * 3, 3, 3], "by two rule objects and the shared state");
    assert_eq!(counters.shared, Uses { hits: 0, misses: 2 });
    for rule in &counters.objects {
        assert_eq!((rule.hits, rule.misses), (2, 1), "{}", rule.rule);
        assert_eq!(rule.by_decisions, Uses { hits: 1, misses: 1 }, "{}", rule.rule);
    }
}

/// Two classes read one shared state: fresh for the second, and after a change a decision reads it as stale.
#[test]
fn the_shared_state_counts_its_readers_and_its_updates() {
    let mut allocator = allocator(protean());
    serve(&mut allocator, (1, 1));
    serve(&mut allocator, (1, 2));
    let counted = |counters: &CacheCounters| (counters.shared, counters.shared_updates);
    assert_eq!(counted(allocator.counters()), (Uses { hits: 1, misses: 1 }, 4));
    disturb(&mut allocator);
    serve(&mut allocator, (1, 1));
    serve(&mut allocator, (1, 2));
    assert_eq!(counted(allocator.counters()), (Uses { hits: 2, misses: 2 }, 5));
    let mut both = allocator.counters().clone();
    both.add(allocator.counters());
    assert_eq!(counted(&both), (Uses { hits: 4, misses: 4 }, 10), "two agents together");
}

#[test]
fn refreshing_ends_where_time_does() {
    let mut allocator = allocator(protean());
    for traits in [(1, 1), (2, 1), (3, 1)] {
        serve(&mut allocator, traits);
    }
    disturb(&mut allocator);
    assert_eq!(allocator.refresh_in_background(2), 2, "time for two of three evaluations");
    assert_eq!(allocator.refresh_in_background(2), 1);
}
