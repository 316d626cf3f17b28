//! One small pool on which every preference chooses differently.
//!
//! Two racks of three machines with 16 cores and 64 GiB each; a VM of 2 cores and
//! 8 GiB comes. Free (cores, GiB), rack by rack:
//!
//! | machine | 0 | 1 | 2 | 3 | 4 | 5 |
//! |---|---|---|---|---|---|---|
//! | cores | 1 | 4 | 15 | 16 | 8 | 3 |
//! | GiB | 60 | 40 | 62 | 64 | 8 | 40 |

use std::sync::Arc;

use tiebreak_model::{
    ClusterSpec, Fleet, MachineId, MachineRecord, Occupancy, Readiness, Resources, Scene, VmRequest, VmShape,
};
use tiebreak_placement::reference::funnel;
use tiebreak_placement::{Group, Policy, RULES, RuleUse};

const FREE: [(u32, u32); 6] = [(1, 60), (4, 40), (15, 62), (16, 64), (8, 8), (3, 40)];

fn pool() -> Occupancy {
    let capacity = Resources::new(16_000, 64 * 1_024, 0, 0);
    let cluster = ClusterSpec { name: "pool".into(), machines: 6, racks: 2, capacity, unready: 0, datacenter: 0 };
    let mut pool = Occupancy::empty(Arc::new(Fleet::build(&[cluster]).expect("a fleet")));
    for (id, (cores, gib)) in FREE.into_iter().enumerate() {
        let free = Resources::new(cores * 1_000, gib * 1_024, 0, 0);
        let vms = u32::from(free != capacity);
        pool.set(MachineId::of(id), MachineRecord { free, vms, ..MachineRecord::empty(capacity, Readiness::Ready) });
    }
    pool
}

fn rule(id: &str) -> RuleUse {
    RuleUse::plain(id, None)
}

fn best(pool: &Occupancy, rules: &[RuleUse]) -> Vec<u32> {
    let vm = VmRequest::alone(VmShape::plain(Resources::new(2_000, 8 * 1_024, 0, 0)));
    let policy = Policy::new(rules, 1).expect("a policy");
    funnel(&policy, Scene::of(pool), &vm).best.iter().map(|id| id.0).collect()
}

#[test]
fn every_preference_chooses_differently() {
    let expected = [
        ("BestFit", vec![4]),
        ("WorstFit", vec![3]),
        ("FirstFit", vec![1]),
        ("PreferNonEmptyMachines", vec![1, 2, 4, 5]),
        ("PreferLeastUsedRack", vec![3, 4, 5]),
    ];
    for (index, (id, machines)) in expected.iter().enumerate() {
        assert_eq!(best(&pool(), &[rule("AreNodeResourcesValid"), rule(id)]), *machines, "{id}");
        assert!(expected[..index].iter().all(|(_, others)| others != machines), "{id} chooses like another rule");
    }
    for entry in RULES.iter().filter(|entry| entry.group == Group::MachinePreferences) {
        let id = entry.declaration.id;
        assert!(expected.iter().any(|(known, _)| *known == id), "{id} has no line in this test");
    }
}

#[test]
fn validators_refuse_what_they_say() {
    let mut pool = pool();
    let record = pool.record(MachineId(5));
    pool.set(MachineId(5), MachineRecord { readiness: Readiness::Unready, ..record });
    assert_eq!(best(&pool, &[rule("AreNodeResourcesValid")]), [1, 2, 3, 4, 5], "machine 0 has one core");
    assert_eq!(best(&pool, &[rule("AreNodeResourcesValid"), rule("IsMachineReady")]), [1, 2, 3, 4]);
    let limit = |limit: f64| RuleUse { values: vec![limit], ..rule("IsClusterBelowLimit") };
    let used = 1.0 - 47.0 / 96.0;
    assert_eq!(best(&pool, &[limit(100.0 * used + 0.1)]).len(), 6);
    assert_eq!(best(&pool, &[limit(100.0 * used - 0.1)]).len(), 0);
}

#[test]
fn order_and_buckets_decide() {
    let list = |rules: &[(&str, Option<u32>)]| -> Vec<RuleUse> {
        let first = [rule("AreNodeResourcesValid")];
        first.into_iter().chain(rules.iter().map(|(id, buckets)| RuleUse { buckets: *buckets, ..rule(id) })).collect()
    };
    type Case<'a> = (&'a [(&'a str, Option<u32>)], &'a [u32]);
    let cases: [Case<'_>; 5] = [
        (&[("BestFit", Some(1)), ("FirstFit", None)], &[1]),
        (&[("BestFit", Some(4)), ("WorstFit", None)], &[4]),
        (&[("BestFit", Some(2)), ("WorstFit", None)], &[1]),
        (&[("PreferLeastUsedRack", None), ("BestFit", None)], &[4]),
        (&[("PreferNonEmptyMachines", None), ("WorstFit", None)], &[2]),
    ];
    for (rules, expected) in cases {
        assert_eq!(best(&pool(), &list(rules)), expected, "{rules:?}");
    }
}
