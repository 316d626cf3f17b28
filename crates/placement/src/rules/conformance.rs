//! What the engine requires of every rule, checked against random zones and requests: a verdict depends only on the
//! rule's key and on what its reach shows, and scores are valid.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use tiebreak_model::random::{Seed, Stream, pick};
use tiebreak_model::{
    ClusterId, ClusterSpec, Expected, Fleet, Footprint, Growth, HostLife, HostView, LastUse, Load, MachineId,
    MachineLoad, MachineRecord, Newcomer, Occupancy, Phase, PredictedLife, RackId, Readiness, Resource, Resources,
    Scene, Scope, ShapeMix, TenantSize, TenantTerms, Time, VmAffinity, VmRequest, VmRow, VmShape, WorkloadBuilder,
};

use super::{AnyRule, RULES, RuleEntry};
use crate::lifetime::Steps;
use crate::power::chassis::{AnyChassis, Asker};
use crate::rule::erased::{AnyPreference, AnyValidator};
use crate::rule::quantize::Quantizer;

/// A sequence of random draws.
struct Draws {
    stream: Stream,
    next: u64,
}

impl Draws {
    fn of(what: &str) -> Self {
        Self { stream: Seed(3).stream(what), next: 0 }
    }

    fn below(&mut self, count: u32) -> u32 {
        self.next += 1;
        pick(self.stream.draw(self.next, 0), count)
    }

    fn share(&mut self) -> f64 {
        f64::from(self.below(1_001)) / 1_000.0
    }

    fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }

    /// A part of an amount, often all or nothing.
    fn part_of(&mut self, whole: Resources) -> Resources {
        let mut part = whole;
        for resource in Resource::ALL {
            part[resource] = [0, whole[resource], self.below(whole[resource] + 1)][self.below(3) as usize];
        }
        part
    }
}

/// A kind of place that rules judge.
trait Spot: Copy + core::fmt::Debug {
    fn all(fleet: &Fleet) -> Vec<Self>;
    fn machines(self, fleet: &Fleet) -> Range<u32>;

    /// The machines of its chassis, if it is one machine.
    fn chassis(self, fleet: &Fleet) -> Range<u32> {
        self.machines(fleet)
    }
}

impl Spot for MachineId {
    fn all(fleet: &Fleet) -> Vec<Self> {
        (0..fleet.machine_count()).map(MachineId).collect()
    }

    fn machines(self, _: &Fleet) -> Range<u32> {
        self.0..self.0 + 1
    }

    fn chassis(self, fleet: &Fleet) -> Range<u32> {
        fleet.machines_of_chassis(fleet.chassis_of(self))
    }
}

impl Spot for RackId {
    fn all(fleet: &Fleet) -> Vec<Self> {
        (0..fleet.rack_count()).map(RackId).collect()
    }

    fn machines(self, fleet: &Fleet) -> Range<u32> {
        fleet.machines_of_rack(self)
    }
}

impl Spot for ClusterId {
    fn all(fleet: &Fleet) -> Vec<Self> {
        (0..fleet.clusters().len()).map(ClusterId::of).collect()
    }

    fn machines(self, fleet: &Fleet) -> Range<u32> {
        fleet.cluster(self).machines()
    }
}

/// A flag, or the bits of a score.
type Verdict<'a, Id> = dyn Fn(&VmRequest, Scene<'_>, Id) -> u64 + 'a;
type Words<'a> = dyn Fn(&VmRequest) -> Vec<u64> + 'a;

/// A rule, as these checks need it.
struct Subject<'a, Id> {
    id: &'static str,
    verdict: Box<Verdict<'a, Id>>,
    words: Box<Words<'a>>,
    sees_tenant: bool,
    sees_what_stays: bool,
    sees_host_alone: bool,
    sees_chassis: bool,
}

fn fleet() -> Arc<Fleet> {
    let cluster = |datacenter, machines, racks, capacity, chassis| ClusterSpec {
        name: "c".into(),
        machines,
        racks,
        capacity,
        unready: 0,
        datacenter,
        chassis,
    };
    let specs = [
        cluster(0, 5, 2, Resources::new(16, 64, 0, 10), 1),
        cluster(1, 4, 3, Resources::new(24, 0, 40, 0), 1),
        cluster(0, 5, 1, Resources::new(8, 32, 10, 5), 2),
    ];
    Arc::new(Fleet::build(&specs).expect("a fleet"))
}

/// The sizes in these checks' requests.
fn mix() -> ShapeMix {
    let (mut draws, mut builder) = (Draws::of("sizes"), WorkloadBuilder::new());
    for name in 0..40 {
        let shape = request(&mut draws, Footprint::NONE).shape;
        builder.push(VmRow { name, tenant: 1, shape, start: Time(1), end: Time::NEVER });
    }
    ShapeMix::of(&builder.finish(Time(2)).expect("a workload"))
}

fn record(draws: &mut Draws, capacity: Resources) -> MachineRecord {
    let free = draws.part_of(capacity);
    let vms = if free == capacity { 0 } else { 1 + draws.below(4) };
    MachineRecord {
        free,
        evictable: draws.part_of(capacity.saturating_sub(free)),
        vms,
        load: if vms > 0 { machine_load(draws, capacity) } else { MachineLoad::NONE },
        host_version: draws.below(20) as u16,
        risk: draws.below(101) as u8,
        readiness: [Readiness::Ready, Readiness::Unready, Readiness::Failed][draws.below(3) as usize],
        isolated: vms > 0 && draws.one_in(3),
        life: if vms > 0 { life(draws) } else { HostLife::EMPTY },
        last_use: LastUse::nth(if vms > 0 { draws.below(5) } else { 0 }),
    }
}

fn machine_load(draws: &mut Draws, capacity: Resources) -> MachineLoad {
    let user_facing = draws.below(capacity.cores_milli() * 100 + 1);
    MachineLoad { user_facing, other: draws.below(capacity.cores_milli() * 100 + 1 - user_facing) }
}

fn load(draws: &mut Draws) -> Load {
    Load { user_facing: draws.one_in(2), p95_pct: 25 * draws.below(5) as u8 }
}

fn life(draws: &mut Draws) -> HostLife {
    HostLife {
        exit_s: draws.below(40) * 3_600,
        first_exit_s: draws.below(40) * 3_600,
        longest_s: draws.below(40) * 3_600,
        class: draws.below(5) as u8,
        phase: [Phase::Open, Phase::Recycling][draws.below(2) as usize],
        affinity: draws.below(7) as u8,
    }
}

fn affinity(draws: &mut Draws) -> VmAffinity {
    let classes = 1 + draws.below(6);
    VmAffinity { class: draws.below(classes + 1) as u8, classes: classes as u8, omega_pct: draws.below(101) as u8 }
}

fn predicted_life(draws: &mut Draws) -> PredictedLife {
    let (now_s, remaining_s) = (draws.below(20) * 3_600, draws.below(20) * 3_600);
    let first_s = draws.below(20) * 3_600;
    let (first_exit_s, class) = (now_s + first_s, draws.below(5) as u8);
    PredictedLife { now_s, remaining_s, first_s, first_exit_s, class, affinity: affinity(draws) }
}

/// The zone with all other machines redrawn.
fn redrawn(zone: &Occupancy, but: &Range<u32>, draws: &mut Draws) -> Occupancy {
    let mut other = zone.clone();
    for machine in (0..zone.fleet().machine_count()).filter(|id| !but.contains(id)).map(MachineId) {
        other.set(machine, record(draws, zone.fleet().capacity(machine)));
    }
    other
}

/// The zone with all machines changed.
fn changed(zone: &Occupancy, change: impl Fn(MachineId, MachineRecord) -> MachineRecord) -> Occupancy {
    let mut other = zone.clone();
    for machine in MachineId::all(zone.fleet()) {
        other.set(machine, change(machine, zone.record(machine)));
    }
    other
}

fn footprint(draws: &mut Draws, machines: u32) -> Footprint {
    let mut footprint = Footprint::default();
    for _ in 0..draws.below(4) {
        footprint.add(MachineId(draws.below(machines)));
    }
    footprint
}

fn terms(draws: &mut Draws) -> TenantTerms {
    TenantTerms {
        fault_domains: draws.below(4) as u16,
        scope: Scope::ALL[draws.below(4) as usize],
        per_machine: draws.below(3) as u16,
        per_rack: draws.below(3) as u16,
        isolated: draws.one_in(2),
    }
}

fn request(draws: &mut Draws, footprint: &Footprint) -> VmRequest {
    let terms = if draws.one_in(3) { TenantTerms::NONE } else { terms(draws) };
    let shape = VmShape {
        demand: draws.part_of(Resources::new(20, 40, 8, 4)),
        priority: draws.below(2) as u8,
        terms,
        load: load(draws),
    };
    let placed = footprint.total();
    let tenant = TenantSize { placed, wanted: placed + 1 + draws.below(3) };
    VmRequest { shape, tenant, life: predicted_life(draws) }
}

/// Another request that differs from this one in one property.
fn near(vm: &VmRequest, draws: &mut Draws) -> VmRequest {
    let (mut near, other) = (*vm, terms(draws));
    let later = predicted_life(draws);
    match draws.below(16) {
        0 => near.shape.demand[Resource::ALL[draws.below(4) as usize]] += 1,
        1 => near.shape.priority ^= 1,
        2 => near.shape.terms.fault_domains = other.fault_domains,
        3 => near.shape.terms.scope = other.scope,
        4 => near.shape.terms.per_machine = other.per_machine,
        5 => near.shape.terms.per_rack = other.per_rack,
        6 => near.shape.terms.isolated = other.isolated,
        7 => near.life.now_s = later.now_s,
        8 => near.life.remaining_s = later.remaining_s,
        9 => near.life.first_s = later.first_s,
        10 => near.life.first_exit_s = later.first_exit_s,
        11 => near.life.class = later.class,
        12 => near.shape.load.user_facing ^= true,
        13 => near.life.affinity = later.affinity,
        14 => near.shape.load.p95_pct = load(draws).p95_pct,
        _ => near.tenant.wanted += 1,
    }
    near
}

/// Default values and the ends of the ranges.
fn values(entry: &RuleEntry, draws: &mut Draws) -> Vec<f64> {
    let mut value = |(min, max, default)| [min, max, default, default][draws.below(4) as usize];
    entry.declaration.params.iter().map(|param| value((param.min, param.max, param.default))).collect()
}

/// How often each rule was evaluated and gave each verdict, so that no check is vacuous.
type Asked = BTreeMap<(&'static str, u64), u32>;

/// A verdict depends only on key and view.
fn depends_on_nothing_else<Id: Spot>(rule: &Subject<'_, Id>, zone: &Occupancy, draws: &mut Draws, asked: &mut Asked) {
    let fleet = zone.fleet();
    let (mine, others) = (footprint(draws, fleet.machine_count()), footprint(draws, fleet.machine_count()));
    let vm = request(draws, &mine);
    let near = near(&vm, draws);
    let alike = (rule.words)(&vm) == (rule.words)(&near);
    for at in Id::all(fleet) {
        let scene = Scene { footprint: &mine, ..Scene::of(zone) };
        let verdict = (rule.verdict)(&vm, scene, at);
        let told = alloc::format!("{} of {at:?}, {vm:?}", rule.id);
        *asked.entry((rule.id, verdict)).or_default() += 1;
        if alike {
            assert_eq!((rule.verdict)(&near, scene, at), verdict, "{told}: equal keys, {near:?}");
        }
        if !rule.sees_tenant {
            let elsewhere = Scene { footprint: &others, ..Scene::of(zone) };
            assert_eq!((rule.verdict)(&vm, elsewhere, at), verdict, "{told}: it sees no tenant");
        }
        let seen = match rule {
            Subject { sees_what_stays: true, .. } => 0..0,
            Subject { sees_chassis: true, .. } => at.chassis(fleet),
            _ => at.machines(fleet),
        };
        let other = redrawn(zone, &seen, draws);
        let scene = Scene { footprint: &mine, ..Scene::of(&other) };
        assert_eq!((rule.verdict)(&vm, scene, at), verdict, "{told}: what it cannot see has changed");
        if rule.sees_host_alone {
            let other = changed(&redrawn(zone, &(0..0), draws), |machine, other| {
                let HostView { readiness, host_version, risk } = zone.host(machine);
                MachineRecord { readiness, host_version, risk, ..other }
            });
            assert_eq!((rule.verdict)(&vm, Scene::of(&other), at), verdict, "{told}: its condition is the same");
        }
    }
}

/// A validator that does not concern a request refuses nothing, nor does one that serves no tenant, and it judges a
/// batch like single ids.
fn check_validator<Id: Spot>(
    id: &'static str,
    rule: &dyn AnyValidator<Id>,
    zone: &Occupancy,
    draws: &mut Draws,
    asked: &mut Asked,
) {
    let subject = Subject {
        id,
        verdict: Box::new(|vm, scene, at| u64::from(rule.check(vm, scene, at))),
        words: Box::new(|vm| words(|words| rule.write_key(vm, words))),
        sees_tenant: rule.sees_tenant(),
        sees_what_stays: rule.sees_what_stays(),
        sees_host_alone: rule.sees_host_alone(),
        sees_chassis: false,
    };
    depends_on_nothing_else(&subject, zone, draws, asked);
    let footprint = footprint(draws, zone.fleet().machine_count());
    let vm = request(draws, &footprint);
    let (scene, ids) = (Scene { footprint: &footprint, ..Scene::of(zone) }, Id::all(zone.fleet()));
    let (bound, mut valid) = (rule.bind(&vm), alloc::vec![true; ids.len()]);
    bound.judge(scene, &ids, &mut valid);
    for (at, valid) in ids.iter().zip(valid) {
        assert_eq!((rule.check(&vm, scene, *at), bound.is_valid(scene, *at)), (valid, valid), "{id} of {at:?}");
        assert!(valid || rule.concerns(&vm), "{id} refuses {at:?} to {vm:?}, which it says it does not concern");
    }
    let terms = vm.shape.terms;
    let alike = changed(zone, |_, record| MachineRecord { isolated: record.vms > 0 && terms.isolated, ..record });
    let refuses = ids.iter().any(|at| !rule.check(&vm, Scene { footprint: &footprint, ..Scene::of(&alike) }, *at));
    assert!(!refuses || rule.serves(&terms), "{id} refuses {vm:?}, although it serves no tenant with such terms");
}

/// An admission rule accepts every request that is not a newcomer's, does not distinguish classes, and never admits
/// with a larger forecast if it does not with a smaller one.
fn check_admission(id: &'static str, rule: &dyn AnyValidator<ClusterId>, draws: &mut Draws, asked: &mut Asked) {
    let capacity = Resources::new(16_000, 0, 0, 0);
    let spec = |machines| ClusterSpec {
        name: "c".into(),
        machines,
        racks: 1,
        capacity,
        unready: 0,
        datacenter: 0,
        chassis: 1,
    };
    let zone = &Occupancy::empty(Arc::new(Fleet::build(&[spec(5), spec(4), spec(10)]).expect("a fleet")));
    let (vm, hours) = (request(draws, Footprint::NONE), alloc::vec![0.0, 1.0, 30.0]);
    assert!(words(|words| rule.write_key(&vm, words)).is_empty(), "{id}");
    let mut growth = Growth::empty(hours, zone.fleet().clusters().len());
    let mut expected = |most: u32| -> Vec<Expected> {
        (0..3).map(|_| Expected::new(f64::from(draws.below(most)), f64::from(draws.below(2_000)))).collect()
    };
    growth.clusters.iter_mut().for_each(|cluster| cluster.replace(&[], &expected(250)));
    let (mine, more) = (expected(8), expected(40));
    let home = ClusterId::of(1);
    growth.newcomer = Newcomer { cores: mine[0].mean(), expected: mine, at_home: alloc::vec![home] };
    let mut later = growth.clone();
    let means: Vec<_> = more.iter().map(|more| Expected::new(more.mean(), 0.0)).collect();
    later.clusters.iter_mut().for_each(|cluster| cluster.replace(&[], &means));
    for at in ClusterId::all(zone.fleet()) {
        let ask = |growth| rule.check(&vm, Scene { growth, ..Scene::of(zone) }, at);
        let verdict = ask(Some(&growth));
        assert!(ask(None) && (at != home || verdict), "{id} refuses {at:?} to who is not new");
        assert!(verdict || !ask(Some(&later)), "{id} lets in where more is expected");
        let bound = rule.bind(&vm);
        let scene = Scene { growth: Some(&growth), ..Scene::of(zone) };
        assert_eq!((bound.is_valid(scene, at), bound.words(scene, at).is_none()), (verdict, verdict), "{id}");
        *asked.entry((id, u64::from(verdict))).or_default() += 1;
    }
}

/// The score of a place with room is from 0 to 1, one of the levels if there are few, and every score has a bucket.
fn check_preference<Id: Spot>(
    entry: &RuleEntry,
    (rule, words): (&dyn AnyPreference<Id>, &Words<'_>),
    zone: &Occupancy,
    draws: &mut Draws,
    asked: &mut Asked,
) {
    let id = entry.declaration.id;
    let subject = Subject {
        id,
        verdict: Box::new(|vm, scene, at| rule.bind(vm).score(scene, at).to_bits()),
        words: Box::new(words),
        sees_tenant: rule.sees_tenant(),
        sees_what_stays: rule.sees_what_stays(),
        sees_host_alone: rule.sees_host_alone(),
        sees_chassis: matches!(entry.build(&entry.declaration.defaults()), AnyRule::ChassisPreference(_)),
    };
    depends_on_nothing_else(&subject, zone, draws, asked);
    let footprint = footprint(draws, zone.fleet().machine_count());
    let vm = request(draws, &footprint);
    let (scene, ids) = (Scene { footprint: &footprint, ..Scene::of(zone) }, Id::all(zone.fleet()));
    let (bound, mut scores) = (rule.bind(&vm), Vec::new());
    bound.scores(scene, &ids, &mut scores);
    for (at, score) in ids.iter().zip(scores) {
        let told = alloc::format!("{id} of {at:?} is {score} for {vm:?}");
        assert_eq!(bound.score(scene, *at).to_bits(), score.to_bits(), "{told}");
        for quantizer in [Quantizer::of(None, entry.levels), Quantizer::of(Some(1 + draws.below(9)), entry.levels)] {
            assert!(quantizer.bucket(score) <= quantizer.largest(), "{told}, which has no bucket");
        }
        let room = |id: u32| zone.record(MachineId(id)).free.covers(vm.shape.demand);
        if at.machines(zone.fleet()).any(room) {
            assert!((0.0..=1.0).contains(&score), "{told}");
            let level =
                |levels: u32| (0..levels).any(|at| (score * f64::from(levels - 1) - f64::from(at)).abs() < 1e-9);
            assert!(entry.levels.is_none_or(level), "{told}, which is none of its levels");
        }
    }
}

/// The lowest bucket of some machines of a rack equals the minimum over single machines.
fn check_least(rule: &dyn AnyChassis, zone: &Occupancy, draws: &mut Draws) {
    let buckets = (draws.below(2) == 0).then(|| 1 + draws.below(9));
    let quantizer = Quantizer::of(buckets, None);
    for rack in RackId::all(zone.fleet()) {
        let machines = zone.fleet().machines_of_rack(rack);
        let asked = 1 + u64::from(draws.below((1 << machines.len()) - 1));
        let asker = Asker { quantizer, occupancy: zone, user_facing: draws.below(2) == 0 };
        let bucket = |at: &usize| rule.bucket(&asker, MachineId(machines.start + *at as u32));
        let ones = || (0..machines.len()).filter(move |at| asked >> at & 1 == 1);
        let least = ones().map(|at| bucket(&at)).min().expect("one at least");
        let those = ones().filter(|at| bucket(at) == least).fold(0, |bits, at| bits | 1 << at);
        assert_eq!(rule.least(&asker, rack, asked), (least, those), "{rack}");
    }
}

fn words_of(steps: &Steps) -> Vec<u64> {
    alloc::format!("{steps:?}").bytes().map(u64::from).collect()
}

fn words(write: impl Fn(&mut Vec<u64>)) -> Vec<u64> {
    let mut words = Vec::new();
    write(&mut words);
    words
}

#[test]
fn every_rule_keeps_to_its_key_and_its_reach() {
    let fleet = fleet();
    let mut empty = Occupancy::empty(fleet).with_mix(mix());
    empty.count_uses();
    let mut asked = Asked::new();
    for entry in RULES {
        let mut draws = Draws::of(entry.declaration.id);
        for _ in 0..300 {
            let zone = redrawn(&empty, &(0..0), &mut draws);
            let (id, draws, asked) = (entry.declaration.id, &mut draws, &mut asked);
            match entry.build(&values(entry, draws)) {
                AnyRule::ClusterValidator(rule) if rule.is_live() => check_admission(id, &*rule, draws, asked),
                AnyRule::ClusterValidator(rule) => check_validator(id, &*rule, &zone, draws, asked),
                AnyRule::RackValidator(rule) => check_validator(id, &*rule, &zone, draws, asked),
                AnyRule::MachineValidator(rule) => check_validator(id, &*rule, &zone, draws, asked),
                AnyRule::ClusterPreference(rule) => check_preference(
                    entry,
                    (&*rule, &|vm: &VmRequest| words(|words| rule.write_key(vm, words))),
                    &zone,
                    draws,
                    asked,
                ),
                AnyRule::RackPreference(rule) => check_preference(
                    entry,
                    (&*rule, &|vm: &VmRequest| words(|words| rule.write_key(vm, words))),
                    &zone,
                    draws,
                    asked,
                ),
                AnyRule::MachinePreference(rule) => check_preference(
                    entry,
                    (&*rule, &|vm: &VmRequest| words(|words| rule.write_key(vm, words))),
                    &zone,
                    draws,
                    asked,
                ),
                AnyRule::TemporalPreference(rule) => {
                    // It depends on the request only through its steps; it does not distinguish classes.
                    let steps = |vm: &VmRequest| words_of(&rule.steps(&vm.life));
                    let rule: &dyn AnyPreference<MachineId> = &*rule;
                    check_preference(entry, (rule, &steps), &zone, draws, asked);
                    let vm = request(draws, Footprint::NONE);
                    assert!(words(|words| rule.write_key(&vm, words)).is_empty());
                }
                AnyRule::ChassisPreference(rule) => {
                    check_least(&*rule, &zone, draws);
                    // It depends on the request only through the kind of VM; it does not distinguish classes.
                    let kind = |vm: &VmRequest| alloc::vec![u64::from(vm.shape.load.user_facing)];
                    let rule: &dyn AnyPreference<MachineId> = &*rule;
                    check_preference(entry, (rule, &kind), &zone, draws, asked);
                    let vm = request(draws, Footprint::NONE);
                    assert!(words(|words| rule.write_key(&vm, words)).is_empty());
                }
                AnyRule::UplinkPreference(rule) => {
                    let shares = [0.0, draws.share(), draws.share(), 1.0, 7.0];
                    let scores = shares.map(|share| rule.score(share));
                    assert!(scores[0] <= scores[1].min(scores[2]) && scores[1].max(scores[2]) <= scores[3], "{id}");
                    assert!((shares[1] <= shares[2]) == (scores[1] <= scores[2]) || scores[1] == scores[2], "{id}");
                    assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{id}: {scores:?}");
                    for score in scores {
                        *asked.entry((id, score.to_bits())).or_default() += 1;
                    }
                }
                // Its verdicts are tested with the gate.
                AnyRule::Bandwidth(_) => continue,
            }
        }
        if entry.declaration.id == "BandwidthAvailable" {
            continue;
        }
        let verdicts = asked.range((entry.declaration.id, 0)..=(entry.declaration.id, u64::MAX));
        let (often, rarely) = (verdicts.clone().map(|(_, times)| *times).max(), verdicts.count());
        assert!(often > Some(20) && rarely > 1, "{} gave no two verdicts", entry.declaration.id);
    }
}
