//! What is known of a VM when it is requested: the request, the hour, and what its tenant's VMs, those of its type and
//! all VMs have done so far.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;

use tiebreak_model::phrase::mark;
use tiebreak_model::{Millis, RequestId, Resource, ShapeId, Time, VmId, Workload};

use crate::moments::{Moment, Moments, is_seen};
use crate::spells::seconds_between;

/// The features, in the order of [`Known`].
pub(crate) const TITLES: [&str; FEATURES] = [
    mark("cores"),
    mark("memory"),
    mark("VMs in the request"),
    mark("hour of day"),
    mark("minute"),
    mark("VM type: mean lifetime"),
    mark("VM type: latest lifetimes"),
    mark("all VMs: latest lifetimes"),
    mark("VM type: requests in the last hour"),
    mark("VM type: requests in the last 5 minutes"),
    mark("tenant: latest lifetimes"),
    mark("tenant: median of the latest lifetimes"),
    mark("tenant: shortest of the latest lifetimes"),
    mark("tenant: last lifetime"),
    mark("tenant and VM type: latest lifetimes"),
    mark("tenant: running time per ended VM"),
    mark("tenant: running VMs"),
    mark("tenant: age of the oldest running VM"),
    mark("tenant: time since the first request"),
    mark("tenant: ended VMs"),
];

/// The number of features.
pub(crate) const FEATURES: usize = 20;

/// The features of a VM: times as scaled logarithms, numbers up to the largest; 0 where nothing is known.
pub(crate) type Known = [u16; FEATURES];

/// How many of the latest lifetimes count: of a tenant, of a VM type, and of all.
const OF_TENANT: usize = 10;
const OF_TYPE: usize = 30;
const OF_ALL: usize = 500;

/// How many of the youngest running VMs of a tenant count for its running time.
const RUNNING: usize = 20;

/// A positive number on a logarithmic scale: 1 for 1, 6,000 more for every decade.
pub(crate) fn scaled(number: u32) -> u16 {
    1 + libm::round(6_000.0 * libm::log10(f64::from(number.max(1)))) as u16
}

fn count(number: usize) -> u16 {
    number.min(usize::from(u16::MAX)) as u16
}

/// The latest lifetimes of a group, scaled, and their sum.
#[derive(Default)]
struct Latest {
    lives: VecDeque<u16>,
    sum: u32,
}

impl Latest {
    fn add(&mut self, life: u16, most: usize) {
        if self.lives.len() == most {
            self.sum -= u32::from(self.lives.pop_front().unwrap_or_default());
        }
        self.lives.push_back(life);
        self.sum += u32::from(life);
    }

    /// Their mean, or 0.
    fn mean(&self) -> u16 {
        self.sum.checked_div(self.lives.len() as u32).unwrap_or_default() as u16
    }
}

/// What a tenant's VMs have done.
struct Tenant {
    first: Time,
    /// The request times of its running VMs, ascending.
    running: Vec<Time>,
    ended: u32,
    /// Its latest lifetimes, in seconds.
    latest: VecDeque<u32>,
    by_type: BTreeMap<ShapeId, Latest>,
}

/// What VMs of one type have done.
#[derive(Default)]
struct OfType {
    sum: u64,
    ended: u32,
    latest: Latest,
    /// When those of the last hour were requested.
    asked: VecDeque<Time>,
}

/// The features of all VMs of a workload, collected event by event.
pub(crate) struct Circumstances {
    moments: Moments,
    tenants: BTreeMap<u64, Tenant>,
    types: Vec<OfType>,
    all: Latest,
    known: Vec<Known>,
}

impl Circumstances {
    pub(crate) fn of(workload: &Workload) -> Self {
        Self {
            moments: Moments::of(workload),
            tenants: BTreeMap::new(),
            types: workload.shapes().iter().map(|_| OfType::default()).collect(),
            all: Latest::default(),
            known: Vec::with_capacity(workload.vm_count() as usize),
        }
    }

    /// The next event; false when there is none left.
    pub(crate) fn step(&mut self, workload: &Workload) -> bool {
        match self.moments.next(workload) {
            Some(Moment::Asked(request)) => self.asked(workload, request),
            Some(Moment::Left(vm)) => self.left(workload, vm),
            None => return false,
        }
        true
    }

    pub(crate) fn share_done(&self, workload: &Workload) -> f32 {
        self.moments.share_done(workload)
    }

    /// One for each VM, in order.
    pub(crate) fn finish(self) -> Vec<Known> {
        self.known
    }

    fn asked(&mut self, workload: &Workload, request: RequestId) {
        let (now, vms) = (workload.at(request), workload.vms_of(request));
        let tenant = self.tenants.get(&workload.tenant(request));
        let of_tenant = tenant.map_or([0; 9], |tenant| tenant.features(now));
        let minutes = now.0.max(0) as u64 / Millis::MINUTE.0;
        let [hour, minute] = [1 + minutes / 60 % 24, 1 + minutes % 60].map(|number| number as u16);
        let request_vms = count(vms.len());
        for vm in vms.clone().map(VmId) {
            let shape = workload.shape_of(vm);
            let demand = workload.shape(shape).demand;
            let [cores, memory] = [Resource::Cores, Resource::Memory].map(|resource| scaled(demand[resource]));
            let of_both = tenant.and_then(|tenant| tenant.by_type.get(&shape)).map_or(0, Latest::mean);
            let [mean, latest, hourly, lately] = self.types[shape.index()].features(now);
            let [usual, median, shortest, last, per_end, running, oldest, since, ended] = of_tenant;
            self.known.push([
                cores,
                memory,
                request_vms,
                hour,
                minute,
                mean,
                latest,
                self.all.mean(),
                hourly,
                lately,
                usual,
                median,
                shortest,
                last,
                of_both,
                per_end,
                running,
                oldest,
                since,
                ended,
            ]);
        }
        for vm in vms.map(VmId).filter(|vm| is_seen(workload, *vm)) {
            let fresh = || Tenant {
                first: now,
                running: Vec::new(),
                ended: 0,
                latest: VecDeque::new(),
                by_type: BTreeMap::new(),
            };
            self.tenants.entry(workload.tenant(request)).or_insert_with(fresh).running.push(now);
            if now > Time::ZERO {
                self.types[workload.shape_of(vm).index()].asked.push_back(now);
            }
        }
    }

    fn left(&mut self, workload: &Workload, vm: VmId) {
        let request = workload.request_of(vm);
        let (start, shape) = (workload.at(request), workload.shape_of(vm));
        let life_s = seconds_between(start, workload.end(vm)).max(1);
        let life = scaled(life_s);
        if let Some(tenant) = self.tenants.get_mut(&workload.tenant(request)) {
            tenant.running.remove(tenant.running.partition_point(|other| *other < start));
            tenant.ended += 1;
            if tenant.latest.len() == OF_TENANT {
                tenant.latest.pop_front();
            }
            tenant.latest.push_back(life_s);
            tenant.by_type.entry(shape).or_default().add(life, OF_TENANT);
        }
        // The ends of VMs that were running at first say most about long lifetimes, so they count for tenants only.
        if start > Time::ZERO {
            let of_type = &mut self.types[shape.index()];
            (of_type.sum, of_type.ended) = (of_type.sum + u64::from(life), of_type.ended + 1);
            of_type.latest.add(life, OF_TYPE);
            self.all.add(life, OF_ALL);
        }
    }
}

impl Tenant {
    /// The mean, the median, the shortest and the last of the latest lifetimes; the running time per ended VM; running
    /// VMs, the age of the oldest, the time since the first request, and the number of ended VMs.
    fn features(&self, now: Time) -> [u16; 9] {
        let mut lives: Vec<u16> = self.latest.iter().map(|life_s| scaled(*life_s)).collect();
        let last = lives.last().copied().unwrap_or_default();
        let mean = lives.iter().map(|life| u32::from(*life)).sum::<u32>().checked_div(lives.len() as u32);
        lives.sort_unstable();
        let [median, shortest] = [lives.len() / 2, 0].map(|at| lives.get(at).copied().unwrap_or_default());
        let age_s = |start: &Time| u64::from(seconds_between((*start).max(Time::ZERO), now));
        let running_s: u64 = self.running.iter().rev().take(RUNNING).map(age_s).sum();
        let lived_s: u64 = self.latest.iter().map(|life_s| u64::from(*life_s)).sum();
        // Without any end, half of one.
        let per_end_s = 2 * (running_s + lived_s) / (2 * self.latest.len() as u64).max(1);
        let oldest = self.running.first().map_or(0, |start| scaled(seconds_between(*start, now)));
        [
            mean.unwrap_or_default() as u16,
            median,
            shortest,
            last,
            scaled(per_end_s.min(u64::from(u32::MAX)) as u32),
            count(self.running.len()),
            oldest,
            scaled(seconds_between(self.first.max(Time::ZERO), now)),
            count(self.ended as usize),
        ]
    }
}

impl OfType {
    /// The mean lifetime, that of the latest, and the requests of the last hour and of the last five minutes.
    fn features(&mut self, now: Time) -> [u16; 4] {
        let since = |start: &Time| now.since(*start);
        while self.asked.front().is_some_and(|start| since(start) > Millis::HOUR) {
            self.asked.pop_front();
        }
        let earlier = self.asked.partition_point(|start| since(start).0 > 5 * Millis::MINUTE.0);
        let mean = self.sum.checked_div(u64::from(self.ended)).unwrap_or_default() as u16;
        [mean, self.latest.mean(), count(self.asked.len()), count(self.asked.len() - earlier)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{Life, workload};

    #[test]
    fn a_vm_knows_what_was_before_it() {
        // Tenant 1: 100 s, then 1,000 s, then one that runs on; tenant 2 is new. One has two cores.
        let lives = [
            Life::new(1, 60, Some(160)).of_tenant(1),
            Life::new(1, 200, Some(1_200)).of_tenant(1),
            Life::new(2, 4_000, None).of_tenant(1),
            Life::new(1, 7_200 + 300, None).of_tenant(1),
            Life::new(1, 7_200 + 360, None).of_tenant(2),
        ];
        let workload = workload(&lives, 10_000);
        let mut circumstances = Circumstances::of(&workload);
        while circumstances.step(&workload) {}
        let known = circumstances.finish();
        let feature =
            |vm: usize, title: &str| known[vm][TITLES.iter().position(|other| *other == title).expect("a feature")];
        assert!(known[0][5..].iter().all(|value| *value == 0), "nothing was before the first: {:?}", known[0]);
        let of_100 = 1 + 12_000;
        for (vm, title, expected) in [
            (1, "tenant: last lifetime", of_100),
            (1, "VM type: mean lifetime", of_100),
            (1, "tenant: ended VMs", 1),
            (1, "tenant: running VMs", 0),
            (1, "VM type: requests in the last 5 minutes", 1),
            (2, "tenant: latest lifetimes", 1 + 15_000),
            (2, "tenant: shortest of the latest lifetimes", of_100),
            (2, "tenant and VM type: latest lifetimes", 0),
            (2, "VM type: mean lifetime", 0),
            (3, "tenant and VM type: latest lifetimes", 1 + 15_000),
            (3, "tenant: running VMs", 1),
            (3, "tenant: age of the oldest running VM", scaled(3_500)),
            (3, "tenant: time since the first request", scaled(7_440)),
            // Two ended after 100 and 1,000 s, one has been running for 3,500 s.
            (3, "tenant: running time per ended VM", scaled(2_300)),
            (3, "hour of day", 3),
            (3, "minute", 6),
            (4, "VM type: requests in the last hour", 1),
            (4, "all VMs: latest lifetimes", 1 + 15_000),
            (4, "tenant: ended VMs", 0),
        ] {
            assert_eq!(feature(vm, title), expected, "{title} of {vm}");
        }
    }
}
