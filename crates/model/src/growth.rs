//! Forecasts of deployments: the cores of each cluster at future moments, as mean and variance.
//!
//! A deployment is the VMs of one tenant in one cluster. Its forecast has two numbers per moment: the mean and the
//! variance of its cores. Deployments are independent given their observations, so a cluster's forecast is the sum.
//! The sums are kept as integers, so that removing what was added leaves exactly nothing, in any order. Source: "On
//! the cluster admission problem for cloud computing", section 4.

use alloc::vec;
use alloc::vec::Vec;

use crate::ids::ClusterId;

/// Units per core of a mean.
const MEAN_PARTS: f64 = (1_u64 << 20) as f64;
/// Units per squared core of a variance.
const VARIANCE_PARTS: f64 = (1_u64 << 10) as f64;
/// Stands for infinity: small enough that thousands of them can be summed.
const MOST: i64 = 1 << 52;

/// Expected cores at one future moment, in integer units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    mean: i64,
    variance: i64,
}

impl Expected {
    /// From a mean in cores and a variance in squared cores.
    #[must_use]
    pub fn new(mean: f64, variance: f64) -> Self {
        let parts = |value: f64, parts: f64| (value.max(0.0) * parts) as i64;
        Self { mean: parts(mean, MEAN_PARTS).min(MOST), variance: parts(variance, VARIANCE_PARTS).min(MOST) }
    }

    /// The mean, in cores.
    #[must_use]
    pub fn mean(self) -> f64 {
        self.mean as f64 / MEAN_PARTS
    }

    /// The variance, in squared cores.
    #[must_use]
    pub fn variance(self) -> f64 {
        self.variance as f64 / VARIANCE_PARTS
    }

    fn plus(self, other: Self) -> Self {
        Self { mean: self.mean + other.mean, variance: self.variance + other.variance }
    }

    fn minus(self, other: Self) -> Self {
        Self { mean: self.mean - other.mean, variance: self.variance - other.variance }
    }
}

/// The forecast of a cluster: the sum over its deployments, moment by moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterForecast {
    sums: Vec<Expected>,
}

impl ClusterForecast {
    /// Without deployments, at this many moments.
    #[must_use]
    pub fn empty(moments: usize) -> Self {
        Self { sums: vec![Expected::default(); moments] }
    }

    /// The sums.
    #[must_use]
    pub fn sums(&self) -> &[Expected] {
        &self.sums
    }

    /// Replaces a deployment's forecast by another; `before` is empty for a new deployment.
    pub fn replace(&mut self, before: &[Expected], after: &[Expected]) {
        for (sum, before) in self.sums.iter_mut().zip(before) {
            *sum = sum.minus(*before);
        }
        for (sum, after) in self.sums.iter_mut().zip(after) {
            *sum = sum.plus(*after);
        }
    }
}

/// A deployment that requests admission.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Newcomer {
    /// Cores requested now.
    pub cores: f64,
    /// Its forecast, moment by moment.
    pub expected: Vec<Expected>,
    /// Clusters that have already admitted it.
    pub at_home: Vec<ClusterId>,
}

/// The input of admission rules: every cluster's forecast, and the newcomer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Growth {
    /// The moments, in hours from now, ascending; the first is now.
    pub hours: Vec<f64>,
    /// Cluster by cluster.
    pub clusters: Vec<ClusterForecast>,
    /// The newcomer.
    pub newcomer: Newcomer,
}

/// A cluster at one future moment, if it admits the newcomer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ahead {
    /// Hours from now.
    pub hours: f64,
    /// Cores of the whole cluster.
    pub capacity: f64,
    /// Current cores of its deployments plus those the newcomer requests.
    pub cores_now: f64,
    /// Cores expected then.
    pub mean: f64,
    /// Their variance, in squared cores.
    pub variance: f64,
    /// Cores expected of the newcomer alone.
    pub newcomer: f64,
}

impl Growth {
    /// For clusters without deployments.
    #[must_use]
    pub fn empty(hours: Vec<f64>, clusters: usize) -> Self {
        let clusters = vec![ClusterForecast::empty(hours.len()); clusters];
        Self { hours, clusters, newcomer: Newcomer::default() }
    }

    /// A cluster of this many cores with the newcomer, moment by moment; empty if it has already admitted the
    /// newcomer.
    pub fn ahead(&self, cluster: ClusterId, capacity: f64) -> impl Iterator<Item = Ahead> + '_ {
        let is_new = !self.newcomer.at_home.contains(&cluster);
        let sums = self.clusters[cluster.index()].sums();
        let cores_now = sums.first().map_or(0.0, |now| now.mean()) + self.newcomer.cores;
        let moments = self.hours.iter().zip(sums).zip(&self.newcomer.expected).filter(move |_| is_new);
        moments.map(move |((hours, sum), newcomer)| {
            let both = sum.plus(*newcomer);
            let (mean, variance) = (both.mean(), both.variance());
            Ahead { hours: *hours, capacity, cores_now, mean, variance, newcomer: newcomer.mean() }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_out_in_any_order_leaves_nothing() {
        let told: Vec<Vec<Expected>> = (1..40)
            .map(|at| (0..3).map(|step| Expected::new(0.1 * f64::from(at), 1e3 / f64::from(at + step))).collect())
            .collect();
        let mut forecast = ClusterForecast::empty(3);
        told.iter().for_each(|told| forecast.replace(&[], told));
        told.iter().rev().for_each(|told| forecast.replace(told, &[]));
        assert_eq!(forecast, ClusterForecast::empty(3));
    }

    #[test]
    fn what_is_no_number_or_too_large_is_kept_within_bounds() {
        for (mean, variance) in [(f64::NAN, f64::INFINITY), (-1.0, f64::NAN), (f64::INFINITY, -0.0)] {
            let expected = Expected::new(mean, variance);
            assert!((0.0..1e10).contains(&expected.mean()) && (0.0..1e13).contains(&expected.variance()));
        }
        let mut forecast = ClusterForecast::empty(1);
        (0..1_000).for_each(|_| forecast.replace(&[], &[Expected::new(f64::MAX, f64::MAX)]));
        assert!(forecast.sums()[0].variance() > 4e15 / VARIANCE_PARTS);
    }

    #[test]
    fn a_newcomer_is_weighed_only_where_it_is_new() {
        let mut growth = Growth::empty(vec![0.0, 1.0], 2);
        growth.clusters[0].replace(&[], &[Expected::new(5.0, 0.0), Expected::new(6.0, 4.0)]);
        growth.newcomer = Newcomer {
            cores: 2.0,
            expected: vec![Expected::new(2.0, 0.0), Expected::new(3.0, 1.0)],
            at_home: vec![ClusterId::of(1)],
        };
        let ahead: Vec<_> = growth.ahead(ClusterId::of(0), 10.0).collect();
        assert_eq!(
            ahead.iter().map(|it| (it.mean, it.variance, it.newcomer)).collect::<Vec<_>>(),
            [(7.0, 0.0, 2.0), (9.0, 5.0, 3.0)]
        );
        assert!(ahead.iter().all(|it| it.cores_now == 7.0 && it.capacity == 10.0));
        assert_eq!(growth.ahead(ClusterId::of(1), 10.0).count(), 0);
    }
}
