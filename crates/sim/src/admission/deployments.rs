//! Tracks every deployment during a run, and decides admissions.
//!
//! A deployment begins with a tenant's first VM in a cluster and ends with the last. The VMs of one request are a
//! block. A VM that loses its machine or moves is no observation of deployment lifetimes.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_admission::{Deaths, Seen};
use tiebreak_model::{ClusterForecast, ClusterId, Growth, Occupancy, RequestId, Resource, Time, VmId, Workload};

use super::Terms;
use super::forecasts::Forecasts;
use crate::system::{Arrival, Stay, System};

/// A tenant in a cluster.
type Key = (u64, ClusterId);

/// The VMs of one request in one cluster.
struct Block {
    request: RequestId,
    cores: f64,
    vms: u32,
}

/// Every deployment of a run.
pub(crate) struct Deployments {
    terms: Arc<Terms>,
    book: Forecasts<Key>,
    blocks: BTreeMap<Key, Vec<Block>>,
    /// Each cluster's current cores and forecast, except for stale entries.
    growth: Growth,
}

impl Deployments {
    /// For this many clusters, without deployments.
    pub(crate) fn new(terms: Arc<Terms>, clusters: usize) -> Self {
        Self { growth: terms.growth(clusters), terms, book: Forecasts::new(), blocks: BTreeMap::new() }
    }

    /// Each cluster's current cores and forecast, and the last newcomer met.
    pub(crate) fn growth(&self) -> &Growth {
        &self.growth
    }

    /// Called before a request is decided: updates the forecasts, and the newcomer's in case the request starts a
    /// deployment.
    pub(crate) fn meet(&mut self, request: RequestId, workload: &Workload, now: Time) {
        self.bring_up_to_date(now);
        let cores = cores_of(workload, request);
        let at_home = self.homes(workload.tenant(request)).collect();
        self.growth.newcomer = self.terms.newcomer(cores, &[Seen::started(cores)]);
        self.growth.newcomer.at_home = at_home;
    }

    /// Called when a request is answered. Returns whether it was a scale-out of an existing deployment.
    pub(crate) fn answer(&mut self, request: RequestId, placed: bool, workload: &Workload, now: Time) -> bool {
        let tenant = workload.tenant(request);
        let homes: Vec<_> = self.homes(tenant).collect();
        if !placed {
            let cores = cores_of(workload, request);
            for cluster in &homes {
                let asked = |seen: &mut Seen| seen.scale_out(cores, false);
                self.book.see((tenant, *cluster), now.0, &self.terms, &mut self.growth, asked);
            }
        }
        !homes.is_empty()
    }

    fn bring_up_to_date(&mut self, now: Time) {
        let expected = |_, seen: &[Seen]| self.terms.expected(seen);
        self.book.bring_up_to_date(now.0, &self.terms, &mut self.growth, expected);
    }

    /// The clusters where a tenant has VMs.
    fn homes(&self, tenant: u64) -> impl Iterator<Item = ClusterId> + '_ {
        self.blocks
            .range((tenant, ClusterId::of(0))..)
            .take_while(move |(key, _)| key.0 == tenant)
            .map(|(key, _)| key.1)
    }

    /// Adds a VM to a deployment: a newly requested one, or one that moved here, which is not a scale-out.
    fn join(&mut self, key: Key, (request, cores): (RequestId, f64), (times, is_asked): ((i64, i64), bool)) {
        let Some(blocks) = self.blocks.get_mut(&key) else {
            self.blocks.insert(key, vec![Block { request, cores, vms: 1 }]);
            return self.book.begin(key, key.1, vec![Seen::started(cores)], times, &mut self.growth);
        };
        if let Some(block) = blocks.iter_mut().find(|block| block.request == request) {
            let before = block.cores;
            (block.cores, block.vms) = (before + cores, block.vms + 1);
            let squares = block.cores * block.cores - before * before;
            self.book.see(key, times.1, &self.terms, &mut self.growth, |seen| {
                seen.cores += cores;
                seen.extra += if is_asked { cores } else { 0.0 };
                seen.squares += squares;
            });
            return;
        }
        blocks.push(Block { request, cores, vms: 1 });
        self.book.see(key, times.1, &self.terms, &mut self.growth, |seen| {
            if is_asked {
                return seen.scale_out(cores, true);
            }
            seen.cores += cores;
            seen.squares += cores * cores;
            seen.blocks += 1.0;
        });
    }

    /// Removes a VM from a deployment, because it ends or moves.
    fn part(&mut self, key: Key, (request, cores): (RequestId, f64), (now_ms, ends): (i64, bool)) {
        let blocks = self.blocks.get_mut(&key).expect("its VMs are counted");
        let at = blocks.iter().position(|block| block.request == request).expect("its request is counted");
        let block = &mut blocks[at];
        let before = block.cores;
        (block.cores, block.vms) = (before - cores, block.vms - 1);
        let (squares, is_last) = (before * before - block.cores * block.cores, block.vms == 0);
        if is_last {
            blocks.swap_remove(at);
        }
        if blocks.is_empty() {
            self.blocks.remove(&key);
            return self.book.end(key, &mut self.growth);
        }
        let deaths = match self.terms.model().deaths {
            Deaths::Blocks => f64::from(u8::from(is_last && ends)),
            Deaths::Cores if ends => cores,
            Deaths::Cores => 0.0,
        };
        self.book.see(key, now_ms, &self.terms, &mut self.growth, |seen| {
            seen.cores -= cores;
            seen.squares -= squares;
            seen.blocks -= f64::from(u8::from(is_last));
            seen.deaths += deaths;
        });
    }
}

/// The total cores of a request's VMs.
fn cores_of(workload: &Workload, request: RequestId) -> f64 {
    let demand = |vm: u32| workload.shape_of_vm(VmId(vm)).demand[Resource::Cores];
    let milli: u64 = workload.vms_of(request).map(|vm| u64::from(demand(vm))).sum();
    milli as f64 / Resource::Cores.unit().1
}

/// The deployment that a VM belongs to, and its part of it.
fn deployed(stay: &Stay<'_>) -> (Key, (RequestId, f64)) {
    let key = (stay.tenant(), stay.fleet().cluster_of(stay.machine));
    let milli = stay.shape().demand[Resource::Cores];
    (key, (stay.request(), f64::from(milli) / Resource::Cores.unit().1))
}

impl System for Deployments {
    /// The largest expected share of any cluster's cores at any future moment; 0 to 1, or more.
    type Sample = f64;
    type Summary = ();

    fn come(&mut self, Arrival { stay, is_first, .. }: &Arrival<'_>) {
        let (key, what) = deployed(stay);
        let came = stay.workload.at(what.0).min(stay.now);
        self.join(key, what, ((came.0, stay.now.0), *is_first));
    }

    fn leave(&mut self, stay: &Stay<'_>) {
        let (key, what) = deployed(stay);
        self.part(key, what, (stay.now.0, stay.workload.end(stay.vm) <= stay.now));
    }

    fn sample(&mut self, now: Time, zone: &Occupancy) -> f64 {
        self.bring_up_to_date(now);
        let share = |(cluster, forecast): (usize, &ClusterForecast)| {
            let milli = zone.fleet().cluster(ClusterId::of(cluster)).total(Resource::Cores);
            let cores = milli as f64 / Resource::Cores.unit().1;
            forecast.sums().iter().map(|sum| sum.mean() / cores).fold(0.0, f64::max)
        };
        self.growth.clusters.iter().enumerate().map(share).fold(0.0, f64::max)
    }

    fn summary(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::{AdmissionSettings, DeathUnit};
    use crate::incidents::fail_machines::FailMachines;
    use crate::incidents::maintain_by_migration::MaintainByMigration;
    use crate::observation::metrics::index_of;
    use crate::world::World;
    use crate::world::trial::{Trial, incident, minute};
    use tiebreak_model::Declared;

    /// A cluster of this many machines of 4 cores, filled completely, with an admission rule.
    fn zone(machines: u32, (rule, value): (&str, f64)) -> Trial {
        Trial::new(machines, 1).rule("IsClusterBelowLimit", &[100.0]).rule(rule, &[value])
    }

    const ZEROTH: &str = "ZerothMomentAdmission";

    /// Every rule, with a value that admits no deployment.
    const NOBODY: [(&str, f64); 3] = [(ZEROTH, 0.0), ("FirstMomentAdmission", 0.0), ("SecondMomentAdmission", 0.0001)];

    /// Deployments admitted and refused; their scale-outs placed and failed.
    fn counts(world: &World) -> [u64; 4] {
        let counters = world.summary().counters;
        [counters.deployments, counters.deployments_refused, counters.scale_outs, counters.scale_outs_failed]
    }

    /// Cores of each cluster's deployments now.
    fn cores(world: &World) -> Vec<f64> {
        world.growth().expect("a rule asks").clusters.iter().map(|it| it.sums()[0].mean()).collect()
    }

    /// The observations of a tenant in a cluster; tenants are numbered as in [`Trial::vdc`].
    fn seen(world: &World, tenant: u64, cluster: usize) -> Option<Seen> {
        let book = &world.systems.deployments.as_ref().expect("a rule asks").book;
        book.seen((u64::MAX - tenant, ClusterId::of(cluster))).copied()
    }

    #[test]
    fn a_first_request_is_a_newcomer_and_later_ones_are_scale_outs() {
        // A newcomer may bring the use to 10 of 20 cores: the second tenant's 4 are too many.
        let trial = zone(5, (ZEROTH, 50.0)).vdc(1, 2, 4, (1, 600)).vdc(2, 1, 4, (10, 600));
        let trial = trial.vdc(1, 1, 4, (20, 600)).vdc(1, 1, 4, (30, 600)).vdc(1, 1, 4, (40, 600));
        assert_eq!(counts(&trial.run(&[])), [1, 1, 3, 0]);
        // The next one finds no free core. That is not an admission decision, but it is observed.
        let trial = trial.vdc(1, 1, 4, (50, 600));
        let world = trial.at(60, &[]);
        assert_eq!((counts(&world), cores(&world)), ([1, 1, 3, 1], Vec::from([20.0])));
        let one = seen(&world, 1, 0).expect("it is in");
        assert_eq!((one.scale_outs, one.requests, one.cores), (4.0, 5.0, 20.0));
        assert_eq!(seen(&world, 2, 0), None);
        // A tenant whose VMs have all ended is new again.
        let world = trial.vdc(1, 2, 4, (700, 800)).run(&[]);
        assert_eq!(counts(&world), [2, 1, 3, 1]);
        assert_eq!(cores(&world), [0.0]);
    }

    #[test]
    fn nobody_who_is_in_is_refused_by_an_admission_rule() {
        for rule in NOBODY {
            let trial = zone(5, rule).vdc(1, 1, 4, (-60, 2_000)).vdc(2, 1, 4, (10, 600)).vdc(1, 2, 4, (20, 600));
            assert_eq!(counts(&trial.run(&[])), [0, 1, 1, 0], "{rule:?}");
        }
    }

    #[test]
    fn the_vms_of_one_request_are_one_deployment_of_all_their_cores() {
        for (vms, placed) in [(2, true), (3, false)] {
            let world = zone(5, (ZEROTH, 50.0)).vdc(1, vms, 4, (1, 600)).at(10, &[]);
            assert_eq!(counts(&world), [u64::from(placed), u64::from(!placed), 0, 0], "{vms} VMs of 4 cores");
            let one = seen(&world, 1, 0);
            let told = one.map(|it| (it.cores, it.blocks, it.squares, it.requests, it.extra, it.scale_outs));
            assert_eq!(told, placed.then_some((8.0, 1.0, 64.0, 1.0, 7.0, 0.0)), "{vms} VMs of 4 cores");
        }
    }

    #[test]
    fn a_block_ends_when_its_last_vm_does_and_cores_end_with_each() {
        let mut trial = zone(5, (ZEROTH, 100.0)).vdc(1, 2, 1, (1, 60)).vdc(1, 1, 3, (10, 600));
        trial.vms[1].end = minute(120);
        for (deaths, [after_one, after_both]) in [(Deaths::Blocks, [0.0, 1.0]), (Deaths::Cores, [1.0, 2.0])] {
            trial.admission = AdmissionSettings { deaths: DeathUnit(deaths), ..AdmissionSettings::default() };
            for (at, expected) in
                [(50, (0.0, 5.0, 2.0, 13.0)), (61, (after_one, 4.0, 2.0, 10.0)), (121, (after_both, 3.0, 1.0, 9.0))]
            {
                let one = seen(&trial.at(at, &[]), 1, 0).expect("it is in");
                assert_eq!((one.deaths, one.cores, one.blocks, one.squares), expected, "{deaths:?}, minute {at}");
            }
            assert_eq!(seen(&trial.at(601, &[]), 1, 0), None, "{deaths:?}");
        }
    }

    #[test]
    fn who_loses_a_machine_or_moves_has_neither_ended_nor_grown() {
        let fail = incident(60, &FailMachines { machines: 3, racks: 0, down_minutes: 2_000.0 });
        let all = MaintainByMigration { share: 100.0, machines_at_once: 1, ..MaintainByMigration::from_values(&[]) };
        for incident in [fail, incident(60, &all)] {
            // Four requests of one VM that fills a machine, and four spare machines.
            let from = zone(8, (ZEROTH, 100.0));
            let trial = (1..=4).fold(from, |trial, at| trial.vdc(1, 1, 4, (at, 2_000)));
            let incident = core::slice::from_ref(&incident);
            let world = trial.at(600, incident);
            assert!(!world.disruptions().is_empty(), "some VM had to go");
            let one = seen(&world, 1, 0).expect("it is in");
            let told = (one.cores, one.blocks, one.squares, one.deaths, one.scale_outs, one.requests, one.extra);
            assert_eq!(told, (16.0, 4.0, 64.0, 0.0, 3.0, 4.0, 12.0));
            assert_eq!(counts(&trial.run(incident)), [1, 0, 3, 0]);
        }
    }

    #[test]
    fn a_tenant_in_two_clusters_is_two_deployments() {
        let both = |limit| {
            let mut trial = zone(1, (ZEROTH, limit));
            trial.add_cluster(1, 1);
            trial.vdc(1, 1, 4, (-60, 2_000)).vdc(1, 1, 4, (10, 600)).vdc(1, 1, 4, (20, 600))
        };
        // The tenant already has VMs in one cluster, which is full; in the other one it would be new.
        let world = both(99.0).at(30, &[]);
        assert_eq!((counts(&world), cores(&world).iter().sum()), ([0, 0, 0, 2], 4.0));
        let world = both(100.0).at(30, &[]);
        assert_eq!((counts(&world), cores(&world)), ([0, 0, 1, 1], Vec::from([4.0, 4.0])));
        let asked = [0, 1].map(|cluster| seen(&world, 1, cluster).expect("it is in both").scale_outs);
        assert_eq!(asked, [1.0, 1.0], "the request that failed is seen of both");
    }

    #[test]
    fn vms_that_were_there_before_count_from_their_start() {
        let mut trial = zone(5, (ZEROTH, 100.0)).vdc(1, 1, 4, (-600, 2_000)).vdc(2, 1, 4, (60, 600));
        trial.admission.tolerance = 0.0;
        let one = seen(&trial.at(61, &[]), 1, 0).expect("it is in");
        for hours in [one.hours, one.exposure] {
            assert!((hours - 11.0).abs() < 0.01, "{hours}");
        }
    }

    #[test]
    fn where_no_rule_asks_nothing_is_seen() {
        let (peak, failed) = (index_of("ExpectedPeak"), index_of("ScaleOutsFailed"));
        let samples = |world: &World, at: Option<usize>| world.series().values(at.expect("a metric")).to_vec();
        let trial = Trial::new(5, 1).vdc(1, 1, 4, (1, 600));
        let world = trial.run(&[]);
        assert!(world.growth().is_none() && counts(&world) == [0; 4]);
        assert!([peak, failed].iter().all(|at| samples(&world, *at).iter().all(|sample| sample.is_nan())));
        let world = trial.rule("FirstMomentAdmission", &[100.0]).run(&[]);
        let most = samples(&world, peak).into_iter().fold(0.0, f64::max);
        assert!(most >= 100.0 * 4.0 / 20.0, "as much as it has now: {most}");
        assert!(samples(&world, failed).iter().all(|sample| *sample == 0.0));
    }
}
