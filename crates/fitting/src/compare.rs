//! The similarity of two workloads: a trace and one generated from its fit, or any others.

use alloc::vec::Vec;

use serde::Serialize;
use tiebreak_lifetime::Survived;
use tiebreak_model::phrase::mark;
use tiebreak_model::{RequestId, Resource, Resources, VmId, Workload};
use tiebreak_profile::{Profile, Tenants};

use crate::numbers::HOUR_MS;
use crate::requests::arriving;

/// The number of points kept for drawing a distribution.
const POINTS: usize = 80;
/// The number of shares at which lifetimes are compared.
const LIFE_STEPS: u32 = 500;

/// The same value for both workloads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Both<T> {
    /// For the first, usually the trace.
    pub first: T,
    /// For the second.
    pub second: T,
}

/// The distance between two distributions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distance {
    /// The quantity, with its unit.
    pub what: &'static str,
    /// The largest difference of the shares up to any value, 0 to 1 (Kolmogorov and Smirnov, two samples).
    pub kolmogorov_smirnov: f64,
    /// The mean of that difference squared over both samples, 0 to 1: the Cramer-von Mises statistic without its
    /// factor of the sample sizes.
    pub cramer_von_mises: f64,
    /// The numbers of observations.
    pub seen: Both<usize>,
    /// Some values, ascending, and the shares up to each.
    pub points: Vec<[f64; 3]>,
}

/// Arrivals per hour.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hourly {
    /// The mean.
    pub mean: f64,
    /// The variance over the mean: 1 for independent arrivals.
    pub dispersion: f64,
    /// The correlation with the next hour, -1 to 1; 0 if it is undefined.
    pub after_1_h: f64,
    /// The correlation with the same hour of the next day.
    pub after_24_h: f64,
    /// Each whole hour.
    pub counts: Vec<u32>,
}

/// The load over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InUse {
    /// The mean number of VMs.
    pub vms_mean: f64,
    /// The mean number of cores.
    pub cores_mean: f64,
    /// The most cores at once.
    pub cores_peak: f64,
    /// The least number of machines of [`Comparison::machine`] for it; `None` if a machine cannot hold the largest
    /// VM.
    pub machines: Option<u64>,
    /// The mean number of VMs in each hour.
    pub vms: Vec<f64>,
    /// The mean number of cores in each hour.
    pub cores: Vec<f64>,
}

/// A comparison of two workloads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Sizes, lifetimes, requests, and times between them.
    pub distances: Vec<Distance>,
    /// Of the VMs whose size had been requested before, the share with fewer than 1, 2, 4, 8 and so on other sizes in
    /// between.
    pub reuse: Both<Vec<f64>>,
    /// Requests in each hour.
    pub requests: Both<Hourly>,
    /// VMs in each hour.
    pub vms: Both<Hourly>,
    /// The tenants and their VMs.
    pub tenants: Both<Tenants>,
    /// The load over time.
    pub in_use: Both<InUse>,
    /// Cores and GiB of the machine suggested for the first one.
    pub machine: (u32, u32),
}

impl Comparison {
    /// Compares two workloads. Sizes, requests and times between them cover arrivals after the start; lifetimes are
    /// Kaplan-Meier estimates, over the shorter of both traces.
    #[must_use]
    pub fn of(first: &Workload, second: &Workload) -> Self {
        let sizes = |resource: Resource| move |workload: &Workload| amounts(workload, resource);
        let distances = alloc::vec![
            distance(mark("cores of a VM"), both(first, second, sizes(Resource::Cores))),
            distance(mark("memory of a VM, GiB"), both(first, second, sizes(Resource::Memory))),
            lives(first, second),
            distance(mark("VMs of a request"), both(first, second, batches)),
            distance(mark("time between requests, s"), both(first, second, gaps)),
        ];
        let profiles = both(first, second, Profile::of);
        let suggested = profiles.first.load.suggested();
        let gib = |gib: u32| gib.saturating_mul(1_024);
        let largest = profiles.first.load.largest;
        let machine = Resources::new(
            suggested.cores.saturating_mul(1_000),
            gib(suggested.memory_gib),
            largest[Resource::Ssd],
            largest[Resource::Network],
        );
        Self {
            distances,
            reuse: profiles.map(|profile| profile.reuse.shares()),
            requests: both(first, second, |workload| Hourly::of(hourly_requests(workload))),
            vms: profiles.map(|profile| Hourly::of(profile.arrivals.hourly.clone())),
            tenants: profiles.map(|profile| profile.tenants),
            in_use: profiles.map(|profile| InUse::of(profile, machine)),
            machine: (suggested.cores, suggested.memory_gib),
        }
    }
}

impl<T> Both<T> {
    fn map<U>(&self, of: impl Fn(&T) -> U) -> Both<U> {
        Both { first: of(&self.first), second: of(&self.second) }
    }
}

fn both<T>(first: &Workload, second: &Workload, of: impl Fn(&Workload) -> T) -> Both<T> {
    Both { first: of(first), second: of(second) }
}

fn amounts(workload: &Workload, resource: Resource) -> Vec<f64> {
    let vms = arriving(workload).flat_map(|request| workload.vms_of(request));
    vms.map(|vm| f64::from(workload.shape_of_vm(VmId(vm)).demand[resource]) / resource.unit().1).collect()
}

fn batches(workload: &Workload) -> Vec<f64> {
    arriving(workload).map(|request| workload.vms_of(request).len() as f64).collect()
}

fn gaps(workload: &Workload) -> Vec<f64> {
    let at = |request: RequestId| workload.at(request);
    let requests: Vec<_> = arriving(workload).collect();
    requests.windows(2).map(|pair| at(pair[1]).since(at(pair[0])).0 as f64 / 1_000.0).collect()
}

fn hourly_requests(workload: &Workload) -> Vec<u32> {
    let mut hours = alloc::vec![0; (workload.horizon().0.max(0) / HOUR_MS) as usize];
    for request in arriving(workload) {
        if let Some(hour) = hours.get_mut((workload.at(request).0 / HOUR_MS) as usize) {
            *hour += 1;
        }
    }
    hours
}

/// From two samples.
fn distance(what: &'static str, mut samples: Both<Vec<f64>>) -> Distance {
    samples.first.sort_unstable_by(f64::total_cmp);
    samples.second.sort_unstable_by(f64::total_cmp);
    let up_to = |sample: &[f64], value: f64| {
        let many = sample.partition_point(|other| *other <= value);
        many as f64 / sample.len().max(1) as f64
    };
    let mut values = [samples.first.as_slice(), samples.second.as_slice()].concat();
    values.sort_unstable_by(f64::total_cmp);
    let all = values.len().max(1) as f64;
    let steps = values.chunk_by(|one, next| one == next).map(|same| {
        let value = same[0];
        (value, up_to(&samples.first, value), up_to(&samples.second, value), same.len() as f64 / all)
    });
    told(what, samples.map(Vec::len), &steps.collect::<Vec<_>>())
}

/// Of lifetimes, as far as both were observed.
fn lives(first: &Workload, second: &Workload) -> Distance {
    let survived = both(first, second, Survived::of);
    let longest = first.horizon().min(second.horizon()).0.max(0) / 1_000;
    let shares = (0..=LIFE_STEPS).map(|step| f64::from(step) / f64::from(LIFE_STEPS));
    let ages = shares.flat_map(|share| [survived.first.age_at(share), survived.second.age_at(share)]).flatten();
    let mut ages: Vec<u32> = ages.filter(|age| i64::from(*age) <= longest).collect();
    ages.sort_unstable();
    ages.dedup();
    let mut before = 0.0;
    let steps = ages.into_iter().map(|age| {
        let [one, other] = [&survived.first, &survived.second].map(|it| 1.0 - it.alive_after(age));
        let weight = f64::midpoint(one, other) - before;
        before += weight;
        (f64::from(age) / 3_600.0, one, other, weight)
    });
    let seen = survived.map(|it| (it.ended + it.outlived - it.began_before) as usize);
    told(mark("lifetime of a VM, h"), seen, &steps.collect::<Vec<_>>())
}

/// From each value, the shares up to it, and its weight.
fn told(what: &'static str, seen: Both<usize>, steps: &[(f64, f64, f64, f64)]) -> Distance {
    let apart = |step: &(f64, f64, f64, f64)| libm::fabs(step.1 - step.2);
    let thin = steps.len().div_ceil(POINTS).max(1);
    let kept = steps.iter().enumerate().filter(|(at, _)| at % thin == 0 || at + 1 == steps.len());
    Distance {
        what,
        kolmogorov_smirnov: steps.iter().map(apart).fold(0.0, f64::max),
        cramer_von_mises: steps.iter().map(|step| apart(step) * apart(step) * step.3).sum(),
        seen,
        points: kept.map(|(_, step)| [step.0, step.1, step.2]).collect(),
    }
}

impl Hourly {
    fn of(counts: Vec<u32>) -> Self {
        let many = counts.len().max(1) as f64;
        let mean = counts.iter().map(|count| f64::from(*count)).sum::<f64>() / many;
        let off: Vec<f64> = counts.iter().map(|count| f64::from(*count) - mean).collect();
        let squares: f64 = off.iter().map(|off| off * off).sum();
        let after = |lag: usize| {
            let products = off.iter().zip(off.iter().skip(lag)).map(|(one, other)| one * other).sum::<f64>();
            if squares > 0.0 { products / squares } else { 0.0 }
        };
        let dispersion = if mean > 0.0 { squares / many / mean } else { 0.0 };
        Self { mean, dispersion, after_1_h: after(1), after_24_h: after(24), counts }
    }
}

impl InUse {
    fn of(profile: &Profile, machine: Resources) -> Self {
        let load = &profile.load;
        let vms: Vec<f64> = load.hourly.iter().map(|hour| hour.vms).collect();
        let cores: Vec<f64> = load.hourly.iter().map(|hour| hour.cores).collect();
        let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len().max(1) as f64;
        Self {
            vms_mean: mean(&vms),
            cores_mean: mean(&cores),
            cores_peak: load.peak[Resource::Cores as usize] as f64 / 1_000.0,
            machines: load.machines_at_least(machine),
            vms,
            cores,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_counted_by_hand() {
        // Shares up to 1, 2, 3, 4: for the first 1/4, 2/4, 3/4, 1; for the second 0, 0, 1/2, 1.
        let samples = Both { first: alloc::vec![4.0, 2.0, 3.0, 1.0], second: alloc::vec![4.0, 3.0] };
        let it = distance("numbers", samples);
        assert_eq!((it.kolmogorov_smirnov, it.seen.first, it.seen.second), (0.5, 4, 2));
        let expected = (0.25 * 0.25 + 0.5 * 0.5 + 2.0 * 0.25 * 0.25) / 6.0;
        assert!((it.cramer_von_mises - expected).abs() < 1e-12, "{it:?}");
        assert_eq!(it.points[1], [2.0, 0.5, 0.0]);
        let nothing = distance("numbers", Both { first: Vec::new(), second: Vec::new() });
        assert_eq!((nothing.kolmogorov_smirnov, nothing.points.len()), (0.0, 0));
    }

    #[test]
    fn counts_that_swing_are_correlated() {
        let swing = Hourly::of((0..240).map(|hour| if hour % 24 < 12 { 10 } else { 20 }).collect());
        assert_eq!((swing.mean, swing.dispersion), (15.0, 25.0 / 15.0));
        assert!(swing.after_1_h > 0.8 && swing.after_24_h > 0.85, "{swing:?}");
        assert_eq!(Hourly::of(Vec::new()).mean, 0.0);
    }
}
