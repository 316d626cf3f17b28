//! Caches never change a decision, even in edge cases: more classes than the pool holds, keys of every width, and
//! rack rules at every position of the list.
//!
//! Two allocators, one with caches and one without, make the same decisions for a small zone side by side.

use std::sync::Arc;

use tiebreak_model::random::{Seed, Stream, pick};
use tiebreak_model::{
    ClusterSpec, Fleet, Footprint, MachineId, MachineRecord, Needs, Occupancy, Readiness, Resources, Scope, ShapeId,
    TenantSize, TenantTerms, VmRequest, VmShape,
};
use tiebreak_placement::{
    Allocator, CacheCounters, CacheSizes, CacheUse, Caches, Choice, Draw, Group, ObjectCounters, Policy, RULES,
    Request, RuleUse, Updates, Uses, Weight,
};

const POOL_SIZE: usize = 256;

/// The preferences that are tried in every order: both reaches, with and without a key.
const MACHINE_PREFERENCES: [&str; 5] =
    ["PreferNonEmptyMachines", "BestFit", "PreferLeastUsedRack", "WorstFit", "FirstFit"];

fn rule(id: &str, buckets: Option<u32>) -> RuleUse {
    RuleUse::plain(id, buckets)
}

fn ids(wanted: impl Fn(Group) -> bool) -> impl Iterator<Item = &'static str> {
    RULES.iter().filter(move |entry| wanted(entry.group)).map(|entry| entry.declaration.id)
}

/// All rules except machine preferences, followed by these preferences in this order.
fn list(preferences: &[(&str, Option<u32>)]) -> Vec<RuleUse> {
    let others = ids(|group| group != Group::MachinePreferences).map(|id| rule(id, None));
    others.chain(preferences.iter().map(|(id, buckets)| rule(id, *buckets))).collect()
}

/// Three clusters of 24 machines in 8 racks, in two datacenters.
fn zone() -> Occupancy {
    let cluster = |datacenter, machines, racks, cores: u32, gib: u32| ClusterSpec {
        name: "c".into(),
        machines,
        racks,
        capacity: Resources::new(cores * 1_000, gib * 1_024, 0, 0),
        unready: 1,
        datacenter,
        chassis: 1,
    };
    let specs = [cluster(0, 9, 4, 16, 64), cluster(1, 10, 3, 24, 96), cluster(0, 5, 1, 8, 64)];
    Occupancy::empty(Arc::new(Fleet::build(&specs).expect("a fleet")))
}

/// A VM in the zone.
#[derive(Clone, Copy)]
struct Living {
    machine: MachineId,
    shape: VmShape,
    tenant: usize,
}

/// A zone with and without caches, and its VMs.
struct CachedAndNot {
    cached: Allocator,
    uncached: Allocator,
    living: Vec<Living>,
    /// The machines of each tenant's VMs; the first has no terms, and its footprint is unknown.
    footprints: Vec<Footprint>,
    evictions: u32,
}

impl CachedAndNot {
    fn new(rules: &[RuleUse], best_clusters: u32) -> Self {
        Self::with_caches(rules, best_clusters, Caches::default())
    }

    fn with_caches(rules: &[RuleUse], best_clusters: u32, caches: Caches) -> Self {
        let policy = Arc::new(Policy::new(rules, best_clusters).expect("a policy"));
        let allocator = |caches| Allocator::new(policy.clone(), zone(), caches, usize::MAX);
        let footprints = vec![Footprint::default(); TENANTS];
        Self {
            cached: allocator(caches),
            uncached: allocator(Caches::OFF),
            living: Vec::new(),
            footprints,
            evictions: 0,
        }
    }

    fn set(&mut self, machine: MachineId, record: MachineRecord) {
        self.cached.view_mut().set(machine, record);
        self.uncached.view_mut().set(machine, record);
    }

    /// Places a VM without a particular tenant, and returns the use of the cache.
    fn place(&mut self, shape: u32, vm: &VmShape, draw: u64) -> CacheUse {
        self.place_of(0, shape, &VmRequest::alone(*vm), Draw { number: draw, among: None }).0
    }

    /// Places a VM of a tenant; returns the use of the cache, and its machine.
    fn place_of(&mut self, tenant: usize, shape: u32, vm: &VmRequest, draw: Draw) -> (CacheUse, Option<MachineId>) {
        let footprint = &self.footprints[tenant];
        let request = Request { shape: ShapeId(shape), vm, footprint, needs: Needs::NONE, growth: None, draw };
        let cached = self.cached.choose(&request);
        let uncached = self.uncached.choose(&request);
        let what = |choice: Option<Choice>| choice.map(|it| (it.machine, it.best_set));
        assert_eq!(what(cached.ok()), what(uncached.ok()), "{vm:?}, {footprint:?}, {:?}", self.cached.policy());
        match cached {
            Ok(choice) => {
                self.settle(Living { machine: choice.machine, shape: vm.shape, tenant });
                (choice.cache, Some(choice.machine))
            }
            Err(refusal) => (refusal.cache, None),
        }
    }

    /// Puts a VM on its machine, and evicts spot VMs if it needs their room.
    fn settle(&mut self, vm: Living) {
        let record = loop {
            if let Some(record) = self.cached.view().record(vm.machine).with(&vm.shape) {
                break record;
            }
            let spot = |other: &Living| other.machine == vm.machine && other.shape.is_evictable();
            let at = self.living.iter().position(spot).expect("it fits when spot VMs are put out");
            self.leave(at);
            self.evictions += 1;
        };
        self.set(vm.machine, record);
        self.living.push(vm);
        if !vm.shape.terms.is_none() {
            self.footprints[vm.tenant].add(vm.machine);
        }
    }

    fn leave(&mut self, at: usize) {
        let Living { machine, shape, tenant } = self.living.swap_remove(at);
        let record = self.cached.view().record(machine).without(&shape);
        self.set(machine, record);
        if !shape.terms.is_none() {
            self.footprints[tenant].remove(machine);
        }
    }

    /// One of the VMs ends, and sometimes a machine changes.
    fn disturb(&mut self, bits: u64) {
        if !self.living.is_empty() && bits.is_multiple_of(2) {
            self.leave(pick(bits, self.living.len() as u32) as usize);
        }
        let machine = MachineId(pick(bits.rotate_left(32), 24));
        let record = self.cached.view().record(machine);
        if bits.is_multiple_of(7) {
            let readiness = if record.readiness == Readiness::Ready { Readiness::Unready } else { Readiness::Ready };
            self.set(machine, MachineRecord { readiness, ..record });
        }
        if bits.is_multiple_of(5) {
            let (risk, host_version) = (pick(bits.rotate_left(8), 70) as u8, pick(bits.rotate_left(16), 20) as u16);
            self.set(machine, MachineRecord { risk, host_version, ..record });
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
    let mut pair = CachedAndNot::new(&rules, 2);
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
    let mut pair = CachedAndNot::new(&list(&[("BestFit", None)]), 2);
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
    let mut pair = CachedAndNot::new(&list(&[("BestFit", None)]), 2);
    let spot = VmShape { priority: 1, ..vm(0) };
    assert_eq!(pair.place(0, &vm(0), 0), CacheUse::Miss);
    assert_eq!(pair.place(1, &spot, 0), CacheUse::Hit);
    assert_eq!(pair.place(2, &vm(2), 0), CacheUse::Miss);
}

/// Every order of the five machine preferences, so that the rack rule is at every position, with keys of a quarter of a
/// word, of half a word, of one, of two and of more.
#[test]
fn every_order_and_key_width_decides_the_same() {
    let widths: [fn(&str) -> Option<u32>; 5] = [
        |_| Some(3),
        |_| Some(30),
        |id| (id != "BestFit").then_some(2),
        |id| (id != "PreferLeastUsedRack").then_some(5),
        |_| None,
    ];
    let draws = stream("orders");
    for (order, preferences) in (0..).zip(permutations(&MACHINE_PREFERENCES)) {
        for (width, buckets) in (0..).zip(widths) {
            let rules: Vec<_> = preferences.iter().map(|id| (*id, buckets(id))).collect();
            let mut pair = CachedAndNot::new(&list(&rules), 1 + order % 3);
            for step in 0..60 {
                let what = u64::from(order * 5 + width) << 8 | step;
                let shape = pick(draws.draw(what, 0), 12);
                pair.place(shape, &vm(shape), draws.draw(what, 1));
                pair.disturb(draws.draw(what, 2));
            }
        }
    }
}

const TENANTS: usize = 9;

/// The first tenant has no terms, the others have any.
fn terms(tenant: usize, draws: Stream, case: u64) -> TenantTerms {
    let below = |what: u64, count| pick(draws.draw(case << 16 | (tenant as u64) << 8 | what, 9), count) as u16;
    let drawn = TenantTerms {
        fault_domains: below(0, 2) * below(1, 5),
        scope: Scope::ALL[below(2, 4) as usize],
        per_machine: below(3, 2) * below(4, 4),
        per_rack: below(5, 2) * below(6, 5),
        isolated: below(7, 4) == 0,
    };
    if tenant == 0 { TenantTerms::NONE } else { drawn }
}

/// Any machine preferences in any order, after all other rules; every third list is weighted, and every other one is
/// short, with buckets for all, so that its keys are narrow.
fn random_list(case: u64) -> Vec<RuleUse> {
    let draw = |id: &str, what: u64| Seed(case).stream(id).draw(0, what);
    let mut preferences: Vec<_> = ids(|group| group == Group::MachinePreferences).collect();
    preferences.retain(|id| draw(id, 0).is_multiple_of(2));
    preferences.sort_by_key(|id| draw(id, 1));
    let is_short = case % 2 == 1;
    if is_short {
        preferences.truncate(4);
    }
    let buckets = |id: &str| (is_short || draw(id, 2).is_multiple_of(2)).then(|| 1 + pick(draw(id, 3), 6));
    let mut rules = list(&preferences.iter().map(|id| (*id, buckets(id))).collect::<Vec<_>>());
    for rule in &mut rules {
        if rule.id == "AreNodeResourcesValid" {
            rule.values = vec![(case % 2) as f64];
        }
        if rule.id == "CapsColocation" {
            rule.values = vec![3.0 + (case % 3) as f64];
        }
        if case.is_multiple_of(3) {
            rule.weight = Weight::new(f64::from(1 + pick(draw(&rule.id, 4), 4)));
        }
    }
    rules
}

/// All layers, and each of them switched off.
fn cache_layers() -> Vec<Caches> {
    let all = Caches::default();
    vec![
        all,
        Caches { evaluations: false, ..all },
        Caches { rule_objects: false, ..all },
        Caches { shared_state: false, ..all },
        Caches { journal: false, ..all },
        Caches { cells: false, ..all },
        Caches { evaluation_pool: 3, object_pool: 4, age: 20, ..all },
    ]
}

/// Promises to a tenant hold on the machine chosen for its VM.
fn check_promises(pair: &CachedAndNot, tenant: usize, vm: &VmRequest, machine: MachineId) {
    let (fleet, footprint) = (pair.cached.view().fleet(), &pair.footprints[tenant]);
    let (terms, rack, cluster) = (vm.shape.terms, fleet.rack_of(machine), fleet.cluster_of(machine));
    let told = format!("tenant {tenant} on machine {machine}: {vm:?}, {footprint:?}");
    let on_rack = footprint.on_rack(fleet, rack);
    assert!(terms.per_machine == 0 || footprint.on_machine(machine) <= u32::from(terms.per_machine), "{told}");
    assert!(terms.rack_cap(vm.tenant.wanted).is_none_or(|cap| on_rack <= cap), "{told}");
    let together = match terms.scope {
        Scope::Zone => footprint.total(),
        Scope::Datacenter => footprint.on_datacenter(fleet, cluster),
        Scope::Cluster => footprint.on_cluster(fleet, cluster),
        Scope::Rack => on_rack,
    };
    assert_eq!(together, footprint.total(), "{told}");
    let here: Vec<_> = pair.living.iter().filter(|other| other.machine == machine).collect();
    let isolated = here.iter().any(|other| other.shape.terms.isolated);
    assert!(!isolated || here.iter().all(|other| other.tenant == tenant), "{told}");
}

/// Events while tenants were served.
#[derive(Debug, Default)]
struct Served {
    placed: u32,
    refused: u32,
    /// Hits of tenants that had VMs, for which no cache entry was made.
    hits_beside_own: u32,
    shared_machines: u32,
    evictions: u32,
}

/// Tenants make requests of one to four VMs.
fn serve_tenants(pair: &mut CachedAndNot, draws: Stream, case: u64, served: &mut Served) {
    for step in 0..70 {
        let what = case << 16 | step;
        let tenant = pick(draws.draw(what, 0), TENANTS as u32) as usize;
        let terms = terms(tenant, draws, case);
        let (size, kind) = (1 + pick(draws.draw(what, 1), 4), pick(draws.draw(what, 2), 3));
        let shape = VmShape { priority: u8::from(tenant % 3 == 2), terms, ..vm(kind * 4) };
        let wanted = pair.footprints[tenant].total() + size;
        for nth in 0..u64::from(size) {
            let placed = pair.footprints[tenant].total();
            let tenant_size = if tenant == 0 { TenantSize::default() } else { TenantSize { placed, wanted } };
            let asked = VmRequest { tenant: tenant_size, ..VmRequest::alone(shape) };
            let bits = draws.draw(what, 16 + nth);
            let draw = Draw { number: bits, among: bits.is_multiple_of(6).then_some(4) };
            let (cache, machine) = pair.place_of(tenant, tenant as u32 * 3 + kind, &asked, draw);
            served.placed += u32::from(machine.is_some());
            served.refused += u32::from(machine.is_none());
            served.hits_beside_own += u32::from(placed > 0 && cache == CacheUse::Hit);
            if let Some(machine) = machine {
                let vms = pair.cached.view().record(machine).vms;
                served.shared_machines += u32::from(vms > pair.footprints[tenant].on_machine(machine));
                check_promises(pair, tenant, &asked, machine);
            }
        }
        pair.disturb(draws.draw(what, 3));
    }
}

#[test]
fn tenants_with_any_terms_are_served_the_same_whatever_is_cached() {
    let draws = stream("tenants");
    for (caches, layers) in (0..).zip(cache_layers()) {
        let mut served = Served::default();
        for case in 0..24 {
            let number = caches * 100 + case;
            let mut pair = CachedAndNot::with_caches(&random_list(number), 1 + (case % 3) as u32, layers);
            serve_tenants(&mut pair, draws, number, &mut served);
            served.evictions += pair.evictions;
        }
        let Served { placed, refused, hits_beside_own, shared_machines, evictions } = served;
        assert!(placed > 1_000 && refused > 300 && shared_machines > 300 && evictions > 30, "{layers:?}: {served:?}");
        assert_eq!(hits_beside_own > 300, layers.evaluations, "{layers:?}: {served:?}");
    }
}

/// Counters that all differ: the first, and each larger than the previous one by `step`.
fn counts(first: u64, step: u64, objects: Vec<ObjectCounters>) -> CacheCounters {
    let at = |place: u64| first + place * step;
    CacheCounters {
        hits: at(0),
        misses: at(1),
        evictions: at(2),
        refreshed: at(3),
        refreshed_in_background: at(4),
        cells_compared: at(5),
        shared_updates: at(6),
        object_updates: at(7),
        object_evictions: at(8),
        stale_hits: at(9),
        on_hits: Updates { ranked: at(10), judged: at(11) },
        on_misses: Updates { ranked: at(12), judged: at(13) },
        in_background: Updates { ranked: at(14), judged: at(15) },
        shared: Uses { hits: at(16), misses: at(17) },
        objects,
    }
}

#[test]
fn counts_of_agents_add_up() {
    let object = |rule, first: u64, step: u64| {
        let by_decisions = Uses { hits: first + 2 * step, misses: first + 3 * step };
        ObjectCounters { rule, hits: first, misses: first + step, by_decisions }
    };
    let mut all = counts(2, 1, vec![object("BestFit", 3, 1)]);
    all.add(&counts(50, 1, vec![object("WorstFit", 90, 1), object("BestFit", 70, 1)]));
    assert_eq!(all, counts(52, 2, vec![object("BestFit", 73, 2), object("WorstFit", 90, 1)]));
}

fn sizes([evaluations, evaluation_bytes, objects, object_bytes, shared_bytes, journal_bytes]: [u64; 6]) -> CacheSizes {
    CacheSizes { evaluations, evaluation_bytes, objects, object_bytes, shared_bytes, journal_bytes }
}

#[test]
fn sizes_of_agents_add_up() {
    let mut all = sizes([2, 3, 4, 5, 6, 7]);
    all.add(&sizes([20, 30, 40, 50, 60, 70]));
    assert_eq!(all, sizes([22, 33, 44, 55, 66, 77]));
    assert_eq!(all.bytes(), 33 + 55 + 66 + 77);
}

/// What each layer holds after three decisions about two classes, on a processor of 64 bits. A change in what is kept of a
/// machine, a cell or a cluster shows here.
#[cfg(target_pointer_width = "64")]
#[test]
fn layers_hold_so_many_bytes() {
    let narrow = list(&[("BestFit", Some(4))]);
    let wide = list(&MACHINE_PREFERENCES.map(|id| (id, None)));
    let later = list(&[("TemporalCost", None), ("PowerBalance", None), ("BestFit", None)]);
    let held = [narrow, wide, later].map(|rules| {
        let caches = Caches { rule_objects: true, ..Caches::default() };
        let mut pair = CachedAndNot::with_caches(&rules, 3, caches);
        for (shape, cores) in [(0, 1), (1, 3), (0, 1)] {
            pair.place(shape, &VmShape::plain(Resources::new(cores * 1_000, 1_024, 0, 0)), 0);
        }
        pair.cached.sizes()
    });
    let expected = [
        // Keys of 16 bits.
        [2, 400, 4, 96, 492, 448],
        // Keys of more than 128 bits, and scores that a byte does not hold.
        [2, 10_544, 6, 816, 4_524, 448],
        // Ties broken by rules that move with the clock or look at a chassis.
        [2, 3_312, 4, 432, 940, 448],
    ];
    assert_eq!(held, expected.map(sizes));
}
