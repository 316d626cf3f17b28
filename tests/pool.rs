//! A small pool on which every preference makes a different choice, and a small zone on which every validator rejects
//! what it should.
//!
//! The pool: three racks of three machines with 16 cores and 64 GiB each; a VM of 2 cores and 8 GiB arrives, of a
//! tenant with VMs on machines 1, 2, 5 and 8. Machine 0 has room only if a spot VM of 4 cores and 4 GiB is evicted.
//! An uplink carries 20 Mbit/s, and a link takes 1 for each core.
//!
//! | machine | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |
//! |---|---|---|---|---|---|---|---|---|---|
//! | free cores | 1 | 4 | 15 | 16 | 8 | 11 | 16 | 16 | 0 |
//! | free GiB | 60 | 40 | 60 | 64 | 8 | 40 | 64 | 64 | 8 |
//! | VMs | 1 | 1 | 1 | 0 | 1 | 1 | 0 | 0 | 2 |
//! | risk, % | 20 | 60 | 5 | 20 | 50 | 5 | 20 | 5 | 0 |
//! | host version | 0 | 3 | 0 | 1 | 3 | 0 | 2 | 2 | 4 |
//! | free at, h | 11 | 13 | 12 | - | 30 | 10.2 | - | - | 40 |
//! | free at, h, by first predictions | 11.9 | 11.5 | 14 | - | 12.5 | 14.5 | - | - | 12 |
//! | longest life, h | 1 | 5 | 1 | - | 1 | 1 | - | - | 9 |
//! | uplink, Mbit/s | 9 | 5 | 3 | 4 | 8 | 2 | 6 | 7 | 1 |
//! | busy cores, user-facing | 8 | 6 | 0 | 0 | 6 | 1 | 0 | 0 | 10 |
//! | busy cores, others | 4 | 6 | 1 | 0 | 1 | 1 | 0 | 0 | 6 |
//! | last use | 3 | 7 | 4 | - | 1 | 7 | - | - | 9 |
//! | affinity class | 2 | 3 | 1 | - | 2 | 6 | - | - | 4 |
//! | class | open 1 | recycling 3 | recycling 2 | - | recycling 1 | open 2 | - | - | recycling 2 |
//!
//! Each rack is one chassis. The VM is user-facing. It arrives 10 hours after the start of the trace and is predicted
//! to live 2 hours: class 1, and affinity class 2 of 6.

use std::collections::BTreeSet;
use std::sync::Arc;

use tiebreak_model::{
    ClusterId, ClusterSpec, Expected, Fleet, Footprint, Growth, HostLife, LastUse, Links, Load, MachineId, MachineLoad,
    MachineRecord, Needs, Newcomer, Occupancy, Peer, Phase, PredictedLife, Readiness, Resources, Scene, Scope,
    ShapeMix, TenantSize, TenantTerms, Time, Topology, Uplinks, VmAffinity, VmRequest, VmRow, VmShape, WorkloadBuilder,
};
use tiebreak_placement::reference::funnel;
use tiebreak_placement::{Group, Policy, RULES, RuleUse};

/// Free cores, free GiB, VMs, risk in percent, version of the host environment.
const POOL: [(u32, u32, u32, u8, u16); 9] = [
    (1, 60, 1, 20, 0),
    (4, 40, 1, 60, 3),
    (15, 60, 1, 5, 0),
    (16, 64, 0, 20, 1),
    (8, 8, 1, 50, 3),
    (11, 40, 1, 5, 0),
    (16, 64, 0, 20, 2),
    (16, 64, 0, 5, 2),
    (0, 8, 2, 0, 4),
];

/// Free at, the same by first predictions, longest lifetime, all in hours; phase and class.
const LIVES: [(f64, f64, f64, Phase, u8); 9] = [
    (11.0, 11.9, 1.0, Phase::Open, 1),
    (13.0, 11.5, 5.0, Phase::Recycling, 3),
    (12.0, 14.0, 1.0, Phase::Recycling, 2),
    (0.0, 0.0, 0.0, Phase::Empty, 0),
    (30.0, 12.5, 1.0, Phase::Recycling, 1),
    (10.2, 14.5, 1.0, Phase::Open, 2),
    (0.0, 0.0, 0.0, Phase::Empty, 0),
    (0.0, 0.0, 0.0, Phase::Empty, 0),
    (40.0, 12.0, 9.0, Phase::Recycling, 2),
];

const HOUR: u32 = 3_600;

const LIFE: PredictedLife = PredictedLife {
    now_s: 10 * HOUR,
    remaining_s: 2 * HOUR,
    first_s: 2 * HOUR,
    first_exit_s: 12 * HOUR,
    class: 1,
    affinity: VmAffinity { class: 2, classes: 6, omega_pct: 80 },
};

/// Affinity classes.
const AFFINITIES: [u8; 9] = [2, 3, 1, 0, 2, 6, 0, 0, 4];

fn life((exit, first_exit, longest, phase, class): (f64, f64, f64, Phase, u8)) -> HostLife {
    let seconds = |hours: f64| (hours * f64::from(HOUR)).round() as u32;
    let (exit_s, first_exit_s, longest_s) = (seconds(exit), seconds(first_exit), seconds(longest));
    HostLife { exit_s, first_exit_s, longest_s, class, phase, ..HostLife::EMPTY }
}

const TENANT_ON: [u32; 4] = [1, 2, 5, 8];

/// The reserved bandwidth of each machine's uplinks, in Mbit/s.
const UPLINKS: [u64; 9] = [9, 5, 3, 4, 8, 2, 6, 7, 1];

/// The number of the last placement on each machine.
const LAST_USE: [u32; 9] = [3, 7, 4, 0, 1, 7, 0, 0, 9];

/// Cores that user-facing and other VMs keep busy at their 95th percentile.
const BUSY: [(u32, u32); 9] = [(8, 4), (6, 6), (0, 1), (0, 0), (6, 1), (1, 1), (0, 0), (0, 0), (10, 6)];

fn busy((user_facing, other): (u32, u32)) -> MachineLoad {
    let load = |cores: u32| Load { user_facing: true, p95_pct: 100 }.of_cores(cores * 1_000) as u32;
    MachineLoad { user_facing: load(user_facing), other: load(other) }
}

const LINKS: Links = Links { topology: Topology::AllToAll, stage_vms: 1, bpc_mbps: 1 };

const CAPACITY: Resources = gib(16, 64);

const fn gib(cores: u32, gib: u32) -> Resources {
    Resources::new(cores * 1_000, gib * 1_024, 0, 0)
}

fn cluster(machines: u32, racks: u32, datacenter: u32) -> ClusterSpec {
    ClusterSpec { name: "pool".into(), machines, racks, capacity: CAPACITY, unready: 0, datacenter, chassis: 1 }
}

fn pool() -> Occupancy {
    let mut pool = Occupancy::empty(Arc::new(Fleet::build(&[cluster(9, 3, 0)]).expect("a fleet")));
    pool.count_uses();
    let states = POOL.into_iter().zip(LIVES).zip(BUSY);
    for (id, (((cores, memory, vms, risk, host_version), lives), cores_busy)) in states.enumerate() {
        let (free, empty) = (gib(cores, memory), MachineRecord::empty(CAPACITY, Readiness::Ready));
        let evictable = if id == 0 { gib(4, 4) } else { Resources::NONE };
        let life = HostLife { affinity: AFFINITIES[id], ..life(lives) };
        let (load, last_use) = (busy(cores_busy), LastUse::nth(LAST_USE[id]));
        let record = MachineRecord { free, evictable, vms, load, risk, host_version, life, last_use, ..empty };
        pool.set(MachineId::of(id), record);
    }
    let mut pool =
        pool.with_mix(mix()).with_network(&[Uplinks { machine_kbps: 20_000, rack_kbps: 60_000, cluster_kbps: 60_000 }]);
    let network = pool.network_mut().expect("it has one");
    (0..).zip(UPLINKS).for_each(|(machine, mbps)| network.set_used(machine, mbps * 1_000));
    pool
}

/// Most VMs ask for a core, some for four, few for a whole machine.
fn mix() -> ShapeMix {
    let mut builder = WorkloadBuilder::new();
    for (name, size) in (0..).zip([gib(1, 8), gib(1, 8), gib(4, 8), gib(1, 8), CAPACITY, gib(1, 8), gib(4, 8)]) {
        builder.push(VmRow { name, tenant: 1, shape: VmShape::plain(size), start: Time(1), end: Time::NEVER });
    }
    ShapeMix::of(&builder.finish(Time(2)).expect("a workload"))
}

/// With another reserved amount on a machine's uplinks.
fn loaded(mut pool: Occupancy, machine: u32, mbps: u64) -> Occupancy {
    pool.network_mut().expect("it has one").set_used(machine, mbps * 1_000);
    pool
}

fn changed(mut pool: Occupancy, machine: u32, change: impl FnOnce(&mut MachineRecord)) -> Occupancy {
    let mut record = pool.record(MachineId(machine));
    change(&mut record);
    pool.set(MachineId(machine), record);
    pool
}

fn rule(id: &str) -> RuleUse {
    RuleUse::plain(id, None)
}

fn with_value(id: &str, value: f64) -> RuleUse {
    RuleUse { values: vec![value], ..rule(id) }
}

/// The best machines for the VM, if its tenant has VMs on these machines and asks for `wanted` more.
fn best_for(
    (terms, tenant_on, wanted): (TenantTerms, &[u32], u32),
    pool: &Occupancy,
    rules: &[RuleUse],
    best_clusters: u32,
) -> Vec<u32> {
    let (mut footprint, mut needs) = (Footprint::default(), Needs::default());
    let peer = |slot| Peer { slot, cores_milli: 2_000 };
    (1..).zip(tenant_on).for_each(|(slot, machine)| footprint.join(MachineId(*machine), peer(slot)));
    needs.fill(pool.fleet(), &LINKS, peer(0), footprint.members());
    let placed = footprint.total();
    let shape = VmShape { terms, ..VmShape::plain(gib(2, 8)) };
    let tenant = TenantSize { placed, wanted: placed + wanted };
    let vm = VmRequest { shape, tenant, life: LIFE };
    let policy = Policy::new(rules, best_clusters).expect("a policy");
    let scene = Scene { occupancy: pool, footprint: &footprint, needs: &needs, growth: None };
    funnel(&policy, scene, &vm).best.iter().map(|id| id.0).collect()
}

fn best(pool: &Occupancy, rules: &[RuleUse]) -> Vec<u32> {
    best_for((TenantTerms::NONE, &TENANT_ON, 1), pool, rules, 1)
}

/// The rules of these stages that are missing in a test's table.
fn without_a_line(groups: [Group; 2], named: &[&str]) -> Vec<&'static str> {
    let of_stage = RULES.iter().filter(|entry| groups.contains(&entry.group));
    of_stage.map(|entry| entry.declaration.id).filter(|id| !named.contains(id)).collect()
}

#[test]
fn every_preference_chooses_differently() {
    let expected = [
        ("BestFit", vec![4]),
        ("WorstFit", vec![3, 6, 7]),
        ("FirstFit", vec![0]),
        ("PreferNonEmptyMachines", vec![0, 1, 2, 4, 5]),
        ("PreferLeastUsedRack", vec![3, 4, 5]),
        ("PreferHealthierMachines", vec![2, 5, 7]),
        ("PreferNewestHostEnvironment", vec![1, 4]),
        ("AvoidEvictions", vec![1, 2, 3, 4, 5, 6, 7]),
        ("FdEmptyNodes", vec![6, 7]),
        ("SpreadTenantOverRacks", vec![3, 4, 5, 6, 7]),
        ("TemporalCost", vec![1, 2, 4]),
        ("LifetimeAlignment", vec![0, 1]),
        ("LifetimeAlignmentBinary", vec![2, 4, 5]),
        ("LavaHostClass", vec![2]),
        ("WasteMinimization", vec![2, 3, 6, 7]),
        ("ColocateVdc", vec![1, 2, 5]),
        ("KeepVdcClose", vec![0, 1, 2]),
        ("SpreadVdc", vec![0, 3, 4, 6, 7]),
        ("LeastLoadedUplink", vec![5]),
        ("PowerBalance", vec![3, 5]),
        ("FragmentationGradient", vec![2, 5]),
        ("MoveToFront", vec![1, 5]),
        ("DebtAwareAffinity", vec![0, 4]),
    ];
    let may_evict = with_value("AreNodeResourcesValid", 1.0);
    for (id, machines) in &expected {
        assert_eq!(best(&pool(), &[may_evict.clone(), rule(id)]), *machines, "{id}");
    }
    let by_first_lifetime = RuleUse { values: vec![2.0, 1.0], ..rule("LifetimeAlignmentBinary") };
    assert_eq!(best(&pool(), &[may_evict, by_first_lifetime]), [1]);
    let different: BTreeSet<_> = expected.iter().map(|(_, machines)| machines).collect();
    assert_eq!(different.len(), expected.len(), "two rules choose alike");
    let named = expected.map(|(id, _)| id);
    assert_eq!(without_a_line([Group::MachinePreferences; 2], &named), [""; 0]);
}

/// Pairs of machines in four racks, two of them in one cluster of the first datacenter, one in
/// the second datacenter, and one in another cluster of the first.
fn zone() -> Occupancy {
    Occupancy::empty(Arc::new(Fleet::build(&[cluster(4, 2, 1), cluster(2, 1, 2), cluster(2, 1, 1)]).expect("a fleet")))
}

#[test]
fn validators_refuse_what_they_say() {
    let usual = pool();
    let all: Vec<u32> = (0..9).collect();
    let but = |refused: &[u32]| all.iter().copied().filter(|id| !refused.contains(id)).collect::<Vec<_>>();
    let used = 100.0 * (1.0 - 87.0 / 144.0);
    let mut small = zone();
    for machine in 0..8 {
        let record = small.record(MachineId(machine)).with(&VmShape::plain(gib(4, 4))).expect("it fits");
        small = changed(small, machine, |now| *now = record);
    }
    let (none, nobody) = (TenantTerms::NONE, &[][..]);
    let scope = |scope| TenantTerms { scope, ..none };
    let spread = |fault_domains, per_rack| TenantTerms { fault_domains, per_rack, ..none };
    let (capped, isolated) = (TenantTerms { per_machine: 2, ..none }, TenantTerms { isolated: true, ..none });
    // Machine 3 has 5 of 6 Mbit/s left; machine 8 has 3, and two VMs there need 4 for a link each.
    let (narrow, crowded) = (loaded(pool(), 3, 15), loaded(pool(), 8, 17));
    let unready = changed(pool(), 5, |record| record.readiness = Readiness::Unready);
    let failed = changed(pool(), 5, |record| record.readiness = Readiness::Failed);
    let closed = changed(changed(pool(), 2, |record| record.isolated = true), 4, |record| record.isolated = true);
    let too_small = Occupancy::empty(Arc::new(
        Fleet::build(&[ClusterSpec { capacity: gib(2, 4), ..cluster(1, 1, 0) }, cluster(1, 1, 0)]).expect("a fleet"),
    ));
    type Case<'a> = (RuleUse, &'a Occupancy, (TenantTerms, &'a [u32], u32), Vec<u32>);
    let cases: Vec<Case<'_>> = vec![
        (rule("AreNodeResourcesValid"), &usual, (none, nobody, 1), but(&[0, 8])),
        (with_value("AreNodeResourcesValid", 1.0), &usual, (none, nobody, 1), but(&[8])),
        (rule("IsMachineReady"), &unready, (none, nobody, 1), but(&[5])),
        (rule("IsMachineReady"), &failed, (none, nobody, 1), but(&[5])),
        (rule("IsTypeSupported"), &too_small, (none, nobody, 1), vec![1]),
        (with_value("IsClusterBelowLimit", used + 0.1), &usual, (none, nobody, 1), all.clone()),
        (with_value("IsClusterBelowLimit", used - 0.1), &usual, (none, nobody, 1), vec![]),
        (rule("IsNotAtRisk"), &usual, (none, nobody, 1), but(&[1, 4])),
        (with_value("IsNotAtRisk", 20.0), &usual, (none, nobody, 1), vec![2, 5, 7, 8]),
        (rule("SharesTenantDatacenter"), &small, (scope(Scope::Zone), &[4], 1), (0..8).collect()),
        (rule("SharesTenantDatacenter"), &small, (scope(Scope::Datacenter), nobody, 2), (0..8).collect()),
        (rule("SharesTenantDatacenter"), &small, (scope(Scope::Datacenter), &[6], 1), vec![0, 1, 2, 3, 6, 7]),
        (rule("SharesTenantDatacenter"), &small, (scope(Scope::Rack), &[6], 1), vec![0, 1, 2, 3, 6, 7]),
        (rule("SharesTenantCluster"), &small, (scope(Scope::Datacenter), &[3], 1), (0..8).collect()),
        (rule("SharesTenantCluster"), &small, (scope(Scope::Cluster), nobody, 2), (0..8).collect()),
        (rule("SharesTenantCluster"), &small, (scope(Scope::Cluster), &[3], 1), vec![0, 1, 2, 3]),
        (rule("SharesTenantCluster"), &small, (scope(Scope::Rack), &[3], 1), vec![0, 1, 2, 3]),
        (rule("SharesTenantRack"), &small, (scope(Scope::Cluster), &[3], 1), (0..8).collect()),
        (rule("SharesTenantRack"), &small, (scope(Scope::Rack), nobody, 2), (0..8).collect()),
        (rule("SharesTenantRack"), &small, (scope(Scope::Rack), &[3], 1), vec![2, 3]),
        (rule("SpreadsOverFaultDomains"), &usual, (spread(1, 0), &[4, 8, 8], 9), all.clone()),
        (rule("SpreadsOverFaultDomains"), &usual, (spread(2, 0), &[4, 8, 8], 1), but(&[6, 7, 8])),
        (rule("SpreadsOverFaultDomains"), &usual, (spread(2, 0), &[4, 8, 8], 2), all.clone()),
        (rule("SpreadsOverFaultDomains"), &usual, (spread(0, 1), &[4, 8, 8], 9), vec![0, 1, 2]),
        (rule("CapsTenantPerMachine"), &usual, (capped, &[4, 8, 8], 1), but(&[8])),
        (rule("CapsTenantPerMachine"), &usual, (none, &[4, 8, 8], 1), all.clone()),
        (rule("CapsColocation"), &usual, (none, &[4, 8, 8], 1), but(&[4, 8])),
        (with_value("CapsColocation", 2.0), &usual, (none, &[4, 8, 8], 1), but(&[8])),
        (rule("BandwidthAvailable"), &usual, (none, &[4, 8, 8], 1), all.clone()),
        (rule("BandwidthAvailable"), &narrow, (none, &[4, 8, 8], 1), but(&[3])),
        (rule("BandwidthAvailable"), &narrow, (none, nobody, 1), all.clone()),
        (rule("BandwidthAvailable"), &crowded, (none, &[4, 8, 8], 1), vec![8]),
        (rule("RespectsIsolation"), &usual, (isolated, nobody, 1), vec![3, 6, 7]),
        (rule("RespectsIsolation"), &usual, (isolated, &[4, 8], 1), vec![3, 4, 6, 7]),
        (rule("RespectsIsolation"), &usual, (isolated, &[4, 8, 8], 1), vec![3, 4, 6, 7, 8]),
        (rule("RespectsIsolation"), &closed, (none, nobody, 1), but(&[2, 4])),
        (rule("RespectsIsolation"), &closed, (capped, &[4], 1), but(&[2])),
    ];
    for (rule, pool, tenant, expected) in &cases {
        assert_eq!(best_for(*tenant, pool, std::slice::from_ref(rule), 3), *expected, "{rule:?}, {tenant:?}");
    }
    let mut named: Vec<_> = cases.iter().map(|(rule, ..)| rule.id.as_str()).collect();
    named.extend(ADMISSION.map(|(id, ..)| id));
    assert_eq!(without_a_line([Group::ClusterValidators, Group::MachineValidators], &named), [""; 0]);
}

/// The forecasts of clusters of 64, 32 and 32 cores for now and in ten hours: cores, and their variance.
const AHEAD: [[(f64, f64); 2]; 3] =
    [[(40.0, 0.0), (20.0, 0.0)], [(10.0, 0.0), (24.0, 3.0)], [(4.0, 0.0), (10.0, 200.0)]];

/// An admission rule, its parameters, the cores forecast in ten hours for the newcomer of 2 cores, the cluster that
/// it already uses, and the allowed machines. Cantelli's bounds in ten hours are 0.1, 9 and 32 %.
type Admitted = (&'static str, &'static [f64], f64, Option<usize>, &'static [u32]);
const ADMISSION: [Admitted; 10] = [
    ("ZerothMomentAdmission", &[50.0], 1.5, None, &[4, 5, 6, 7]),
    ("ZerothMomentAdmission", &[50.0], 1.5, Some(0), &[0, 1, 2, 3, 4, 5, 6, 7]),
    ("ZerothMomentAdmission", &[20.0], 1.5, None, &[6, 7]),
    ("FirstMomentAdmission", &[60.0, 1.0], 1.5, None, &[6, 7]),
    ("FirstMomentAdmission", &[70.0, 1.0], 1.5, None, &[0, 1, 2, 3, 6, 7]),
    ("FirstMomentAdmission", &[60.0, 1.0], 0.5, None, &[4, 5, 6, 7]),
    ("FirstMomentAdmission", &[60.0, 0.0], 0.5, None, &[6, 7]),
    ("SecondMomentAdmission", &[10.0, 0.0, 1.0], 1.5, None, &[0, 1, 2, 3, 4, 5]),
    ("SecondMomentAdmission", &[5.0, 0.0, 1.0], 1.5, Some(2), &[0, 1, 2, 3, 6, 7]),
    ("SecondMomentAdmission", &[5.0, 1.0, 1.0], 1.5, None, &[0, 1, 2, 3, 4, 5]),
];

#[test]
fn admission_rules_let_in_whom_they_say() {
    let (zone, two) = (zone(), VmRequest::alone(VmShape::plain(gib(2, 8))));
    for (id, values, later, home, expected) in ADMISSION {
        let mut growth = Growth::empty(vec![0.0, 10.0], AHEAD.len());
        for (cluster, ahead) in growth.clusters.iter_mut().zip(AHEAD) {
            cluster.replace(&[], &ahead.map(|(mean, variance)| Expected::new(mean, variance)));
        }
        growth.newcomer = Newcomer {
            cores: 2.0,
            expected: vec![Expected::new(2.0, 0.0), Expected::new(later, 1.0)],
            at_home: home.map(ClusterId::of).into_iter().collect(),
        };
        let policy = Policy::new(&[RuleUse { values: values.into(), ..rule(id) }], 3).expect("a policy");
        for (growth, expected) in [(Some(&growth), expected), (None, &[0, 1, 2, 3, 4, 5, 6, 7])] {
            let left = funnel(&policy, Scene { growth, ..Scene::of(&zone) }, &two).best;
            let left: Vec<_> = left.iter().map(|id| id.0).collect();
            assert_eq!(left, expected, "{id} {values:?}, in ten hours {later}, at home {home:?}");
        }
    }
}

#[test]
fn as_little_as_possible_comes_from_evictions() {
    let list = [with_value("AreNodeResourcesValid", 1.0), rule("AvoidEvictions")];
    let mut full = pool();
    for machine in 0..9 {
        full = changed(full, machine, |record| record.free = Resources::NONE);
    }
    for (short, machine) in [(gib(0, 0), 0), (gib(1, 4), 1), (gib(1, 6), 2), (gib(2, 1), 3), (gib(1, 3), 4)] {
        full = changed(full, machine, |record| {
            record.free = gib(2, 8).saturating_sub(short);
            record.evictable = short;
        });
    }
    for expected in [&[0][..], &[1, 4], &[2], &[3], &[]] {
        assert_eq!(best(&full, &list), expected);
        for machine in expected {
            full = changed(full, *machine, |record| (record.free, record.evictable) = Default::default());
        }
    }
}

#[test]
fn order_and_buckets_decide() {
    let list = |rules: &[(&str, Option<u32>)]| -> Vec<RuleUse> {
        let first = [rule("AreNodeResourcesValid")];
        first.into_iter().chain(rules.iter().map(|(id, buckets)| RuleUse { buckets: *buckets, ..rule(id) })).collect()
    };
    type Case<'a> = (&'a [(&'a str, Option<u32>)], &'a [u32]);
    let cases: [Case<'_>; 10] = [
        (&[("BestFit", Some(1)), ("FirstFit", None)], &[1]),
        (&[("BestFit", Some(4)), ("WorstFit", None)], &[4]),
        (&[("BestFit", Some(2)), ("WorstFit", None)], &[1]),
        (&[("PreferLeastUsedRack", None), ("BestFit", None)], &[4]),
        (&[("PreferNonEmptyMachines", None), ("WorstFit", None)], &[2]),
        (&[("PreferHealthierMachines", Some(2)), ("PreferNewestHostEnvironment", None)], &[4]),
        (&[("PreferHealthierMachines", Some(10)), ("PreferNewestHostEnvironment", None)], &[7]),
        (&[("PreferNonEmptyMachines", None), ("FdEmptyNodes", None), ("FirstFit", None)], &[4]),
        (&[("SpreadVdc", Some(1)), ("PreferNewestHostEnvironment", None)], &[4]),
        (&[("LeastLoadedUplink", Some(5)), ("PreferNonEmptyMachines", None), ("FirstFit", None)], &[2]),
    ];
    for (rules, expected) in cases {
        assert_eq!(best(&pool(), &list(rules)), expected, "{rules:?}");
    }
}
