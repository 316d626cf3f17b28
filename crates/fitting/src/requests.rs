//! What requests ask for, how soon it is requested again, and by which tenants.
//!
//! The flavours of consecutive requests are a discrete autoregressive process (Jacobs and Lewis, 1983): a request
//! repeats the flavour of one of the last few, or else draws any flavour by its frequency. Its correlations obey the
//! Yule-Walker equations, by which it is fitted.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use serde::{Deserialize, Serialize};
use tiebreak_model::{RequestId, Resource, Resources, Time, VmId, VmShape, Workload};

use crate::numbers::{Counts, HOUR_MS, Sharing, by_size, rounded, within};

/// The largest lag, in requests, of a repeated flavour.
const LAGS: usize = 12;
/// Steps between the quantiles of the time since a tenant's previous request.
const GAP_STEPS: usize = 16;

/// What a VM asks for, and the sizes of its requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flavour {
    /// Thousandths of a core.
    pub cores_milli: u32,
    /// Memory in MiB.
    pub memory_mib: u32,
    /// Local SSD in GiB.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ssd_gib: u32,
    /// Bandwidth in Mbit/s.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub network_mbps: u32,
    /// 0 is the highest; spot VMs have 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub priority: u32,
    /// VMs of requests whose first VM is of this flavour.
    #[serde(default, skip_serializing_if = "nothing")]
    pub requests: Counts,
    /// VMs of it that follow one of another flavour in the same request.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: u32,
    /// VMs of it that are running at the start.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub start: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "so serde asks")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn nothing(counts: &Counts) -> bool {
    counts.0.is_empty()
}

impl Flavour {
    /// The shape of such a VM, as rules see it.
    #[must_use]
    pub fn shape(&self) -> VmShape {
        let demand = Resources::new(self.cores_milli, self.memory_mib, self.ssd_gib, self.network_mbps);
        VmShape { priority: self.priority.min(255) as u8, ..VmShape::plain(demand) }
    }

    fn of(demand: Resources, priority: u8) -> Self {
        Self {
            cores_milli: demand.cores_milli(),
            memory_mib: demand[Resource::Memory],
            ssd_gib: demand[Resource::Ssd],
            network_mbps: demand[Resource::Network],
            priority: priority.into(),
            requests: Counts::default(),
            others: 0,
            start: 0,
        }
    }
}

/// Requests after the start, up to the horizon.
pub(crate) fn arriving(workload: &Workload) -> impl Iterator<Item = RequestId> + '_ {
    let all = (workload.warm_count()..workload.request_count()).map(RequestId);
    all.take_while(|request| workload.at(*request) <= workload.horizon())
}

/// VMs that were running at the start.
pub(crate) fn warm(workload: &Workload) -> impl Iterator<Item = (RequestId, VmId)> + '_ {
    let vms = (0..workload.warm_count()).map(RequestId).flat_map(|request| {
        let vms = workload.vms_of(request).map(VmId);
        vms.map(move |vm| (request, vm))
    });
    vms.filter(|(_, vm)| workload.end(*vm) > Time::ZERO)
}

/// All flavours, by number of requests, and the flavour of each shape.
pub(crate) fn flavours(workload: &Workload) -> (Vec<Flavour>, Vec<usize>) {
    let mut places = BTreeMap::new();
    let place_of = |shape: &VmShape| {
        let next = places.len();
        *places.entry((shape.demand, shape.priority)).or_insert(next)
    };
    let of_shape: Vec<usize> = workload.shapes().iter().map(place_of).collect();
    let mut flavours: Vec<_> = alloc::vec![(Vec::new(), 0, 0); places.len()];
    let of = |vm: VmId| of_shape[workload.shape_of(vm).index()];
    for request in arriving(workload) {
        let vms = workload.vms_of(request);
        flavours[of(VmId(vms.start))].0.push(vms.len() as u32);
        for vm in vms.start + 1..vms.end {
            flavours[of(VmId(vm))].1 += u32::from(of(VmId(vm)) != of(VmId(vm - 1)));
        }
    }
    warm(workload).for_each(|(_, vm)| flavours[of(vm)].2 += 1);
    let mut told: Vec<(usize, Flavour)> = Vec::with_capacity(flavours.len());
    for ((demand, priority), place) in places {
        let (sizes, others, start) = core::mem::take(&mut flavours[place]);
        told.push((place, Flavour { requests: Counts::of(sizes), others, start, ..Flavour::of(demand, priority) }));
    }
    told.sort_by_key(|(_, flavour)| Reverse((flavour.requests.total(), flavour.start)));
    let mut rank = alloc::vec![0; told.len()];
    told.iter().enumerate().for_each(|(at, (place, _))| rank[*place] = at);
    (told.into_iter().map(|(_, flavour)| flavour).collect(), of_shape.into_iter().map(|place| rank[place]).collect())
}

pub(crate) fn check(flavours: &[Flavour]) -> Result<(), String> {
    flavours.iter().try_for_each(|flavour| flavour.requests.check("VMs of a request"))?;
    if flavours.iter().any(|flavour| flavour.priority > 255) {
        return Err("expected priorities from 0 to 255, got a larger one".into());
    }
    Ok(())
}

/// How often the VMs of a request have one flavour, for each size class.
pub(crate) fn same_flavour(workload: &Workload) -> Vec<Sharing> {
    let same = |vm: u32| {
        let [one, before] = [vm, vm - 1].map(|vm| workload.shape_of_vm(VmId(vm)));
        (one.demand, one.priority) == (before.demand, before.priority)
    };
    by_size(arriving(workload).map(|request| {
        let vms = workload.vms_of(request);
        (vms.len() as u32, (vms.start + 1..vms.end).map(same).collect())
    }))
}

/// Requests of more VMs than this are large.
pub(crate) const LARGE_ABOVE: u32 = 16;

/// The times of large requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Large {
    /// The share of requests of more than 16 VMs in each hour of a day: programs make large requests at night too.
    /// Constant if the trace is shorter than two days or shows no significant difference between hours.
    pub of_day: Vec<f64>,
}

impl Large {
    pub(crate) fn of(workload: &Workload) -> Self {
        let mut of_day = [(0.0, 0.0); 24];
        for request in arriving(workload) {
            let hour = &mut of_day[((workload.at(request).0 - 1) / HOUR_MS % 24) as usize];
            hour.0 += f64::from(u8::from(workload.vms_of(request).len() as u32 > LARGE_ABOVE));
            hour.1 += 1.0;
        }
        let (large, all) = of_day.iter().fold((0.0, 0.0), |sum, hour| (sum.0 + hour.0, sum.1 + hour.1));
        let mean = if all > 0.0 { large / all } else { 0.0 };
        // The 99.9th percentile of chi squared with 23 degrees of freedom.
        const TOLD_APART: f64 = 49.7;
        let off = |(large, all): &(f64, f64)| (large - mean * all) * (large - mean * all) / f64::max(mean * all, 1e-9);
        let days = workload.horizon().0 / (24 * HOUR_MS);
        let told_apart = days >= 2 && of_day.iter().map(off).sum::<f64>() > TOLD_APART;
        let share = |(large, all): &(f64, f64)| rounded(if told_apart && *all > 0.0 { large / all } else { mean });
        Self { of_day: of_day.iter().map(share).collect() }
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        if self.of_day.len() != 24 {
            return Err("expected 24 shares of large requests, got another number".into());
        }
        self.of_day.iter().try_for_each(|share| within("a share of large requests", *share, 0.0, 1.0))
    }
}

/// How soon a flavour is requested again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeats {
    /// The share of requests that repeat the flavour of the previous request, of the one before that and so on; the
    /// others draw any flavour.
    pub of_lag: Vec<f64>,
}

impl Repeats {
    pub(crate) fn of(workload: &Workload, of_shape: &[usize], flavours: &[Flavour]) -> Self {
        let asked: Vec<usize> = arriving(workload)
            .map(|request| of_shape[workload.shape_of(VmId(workload.vms_of(request).start)).index()])
            .collect();
        let all = asked.len() as f64;
        let share = |flavour: &Flavour| flavour.requests.total() as f64 / all;
        // The probability that two requests far apart have the same flavour.
        let by_chance: f64 = flavours.iter().map(|flavour| share(flavour) * share(flavour)).sum();
        if asked.len() <= 2 * LAGS || by_chance >= 1.0 {
            return Self { of_lag: Vec::new() };
        }
        let correlation = |lag: usize| {
            let same = asked.windows(lag + 1).filter(|requests| requests[0] == requests[lag]).count() as f64;
            (same / (all - lag as f64) - by_chance) / (1.0 - by_chance)
        };
        // Correlations within twice the random deviation are ignored.
        let noise = 2.0 * libm::sqrt(by_chance / ((1.0 - by_chance) * all));
        let found: Vec<f64> = (1..=LAGS).map(correlation).collect();
        let found: Vec<f64> = found.into_iter().map(|it| if it < noise { 0.0 } else { it }).collect();
        Self { of_lag: yule_walker(&found).into_iter().map(|weight| rounded(weight.max(0.0))).collect() }.bounded()
    }

    /// With a sum of at most 0.98, so that the flavour eventually changes.
    fn bounded(self) -> Self {
        let sum: f64 = self.of_lag.iter().sum();
        let scale = f64::min(1.0, 0.98 / f64::max(sum, 1e-9));
        Self { of_lag: self.of_lag.into_iter().map(|weight| weight * scale).collect() }
    }

    /// The lag of the request whose flavour is repeated, if any, for a number from 0 to 1.
    pub(crate) fn lag(&self, unit: f64) -> Option<usize> {
        let mut below = 0.0;
        let at = self.of_lag.iter().position(|weight| {
            below += weight;
            unit < below
        })?;
        Some(at + 1)
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        self.of_lag.iter().try_for_each(|weight| within("a share of of_lag", *weight, 0.0, 1.0))?;
        within("the sum of of_lag", self.of_lag.iter().sum(), 0.0, 0.99)
    }
}

/// The weights of an autoregressive process with these correlations at lags 1, 2 and so on (Levinson-Durbin).
fn yule_walker(correlations: &[f64]) -> Vec<f64> {
    let (mut weights, mut rest): (Vec<f64>, f64) = (Vec::new(), 1.0);
    for (order, correlation) in correlations.iter().enumerate() {
        let told: f64 = weights.iter().zip(correlations[..order].iter().rev()).map(|(one, other)| one * other).sum();
        let last = (correlation - told) / rest;
        weights = (0..order).map(|at| weights[at] - last * weights[order - 1 - at]).collect();
        weights.push(last);
        rest *= 1.0 - last * last;
    }
    weights
}

/// Returning tenants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Returns {
    /// The share of requests by a tenant with an earlier request in the trace.
    pub share: f64,
    /// Hours since its previous request, as quantiles in equal steps from the least to the most.
    pub gaps_h: Vec<f64>,
    /// How often it requests the same flavour again.
    pub same_flavour: f64,
    /// How often it requests the same number of VMs again.
    pub same_size: f64,
}

impl Returns {
    pub(crate) fn of(workload: &Workload) -> Self {
        let mut last: BTreeMap<u64, (Time, VmShape, usize)> = BTreeMap::new();
        let (mut gaps, mut requests, mut flavours, mut sizes) = (Vec::new(), 0.0, 0.0, 0.0);
        for request in arriving(workload) {
            let vms = workload.vms_of(request);
            let now = (workload.at(request), *workload.shape_of_vm(VmId(vms.start)), vms.len());
            requests += 1.0;
            if let Some((at, shape, vms)) = last.insert(workload.tenant(request), now) {
                gaps.push(now.0.since(at).0);
                let same = (shape.demand, shape.priority) == (now.1.demand, now.1.priority);
                flavours += f64::from(u8::from(same));
                sizes += f64::from(u8::from(vms == now.2));
            }
        }
        if gaps.is_empty() {
            return Self { share: 0.0, gaps_h: Vec::new(), same_flavour: 1.0, same_size: 1.0 };
        }
        gaps.sort_unstable();
        let many = gaps.len();
        let gap = |step: usize| rounded(gaps[(many - 1) * step / GAP_STEPS] as f64 / HOUR_MS as f64);
        let share = |part: f64, all: f64| rounded(part / all);
        Self {
            share: share(many as f64, requests),
            gaps_h: (0..=GAP_STEPS).map(gap).collect(),
            same_flavour: share(flavours, many as f64),
            same_size: share(sizes, many as f64),
        }
    }

    /// The time since a returning tenant's previous request, for a number from 0 to 1, in hours.
    pub(crate) fn gap_h(&self, unit: f64) -> f64 {
        at_quantile(&self.gaps_h, unit)
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        within("share", self.share, 0.0, 1.0)?;
        within("same_flavour", self.same_flavour, 0.0, 1.0)?;
        within("same_size", self.same_size, 0.0, 1.0)?;
        if self.share > 0.0 && self.gaps_h.is_empty() {
            return Err("expected gaps_h where tenants return, got none".into());
        }
        self.gaps_h.iter().try_for_each(|gap| within("an hour of gaps_h", *gap, 0.0, 1e6))?;
        ascending("gaps_h", &self.gaps_h)
    }
}

/// Linear interpolation between quantiles in equal steps; 0 if there are none.
pub(crate) fn at_quantile(quantiles: &[f64], unit: f64) -> f64 {
    let Some(last) = quantiles.len().checked_sub(1) else { return 0.0 };
    let at = unit * last as f64;
    let below = (at as usize).min(last);
    let above = (below + 1).min(last);
    quantiles[below] + (quantiles[above] - quantiles[below]) * (at - below as f64)
}

pub(crate) fn ascending<T: PartialOrd>(what: &str, numbers: &[T]) -> Result<(), String> {
    if numbers.is_sorted() { Ok(()) } else { Err(format!("expected {what} in rising order, got another")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yule_and_walker_find_the_weights_of_a_process() {
        // For weights 0.3 and 0.2: correlations 0.3 / 0.8, then 0.3 of the first and 0.2.
        let first = 0.3 / 0.8;
        let second = 0.3 * first + 0.2;
        let third = 0.3 * second + 0.2 * first;
        let weights = yule_walker(&[first, second, third]);
        assert!(weights.iter().zip([0.3, 0.2, 0.0]).all(|(one, other)| (one - other).abs() < 1e-12), "{weights:?}");
    }

    #[test]
    fn quantiles_are_read_on_a_straight_line() {
        assert_eq!([0.0, 0.25, 0.75, 1.0].map(|unit| at_quantile(&[1.0, 3.0, 7.0], unit)), [1.0, 2.0, 5.0, 7.0]);
        assert_eq!(at_quantile(&[], 0.5), 0.0);
    }
}
