//! What deployments are expected to grow to: cores of each cluster at moments ahead, and how far
//! they may be off.
//!
//! A deployment is the VMs of one tenant in one cluster. Its forecast is two numbers for each
//! moment: the mean of its cores then, and their variance. Deployments are independent given what
//! was seen of them, so a cluster's are the sums. These are kept as whole numbers, so that taking out
//! what was put in leaves nothing behind, in any order. Source: "On the cluster admission problem for
//! cloud computing", section 4.

use alloc::vec;
use alloc::vec::Vec;

use crate::ids::ClusterId;

/// Parts of a core that a mean is kept in.
const MEAN_PARTS: f64 = (1_u64 << 20) as f64;
/// Parts of a squared core that a variance is kept in.
const VARIANCE_PARTS: f64 = (1_u64 << 10) as f64;
/// What is as good as infinite: so much that thousands of them still have a sum.
const MOST: i64 = 1 << 52;

/// Expected cores at one moment ahead, as whole parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    mean: i64,
    variance: i64,
}

impl Expected {
    /// Of a mean in cores and a variance in squared cores.
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

/// What all deployments of a cluster are expected to have, moment by moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterForecast {
    sums: Vec<Expected>,
}

impl ClusterForecast {
    /// Of no deployment, at so many moments.
    #[must_use]
    pub fn empty(moments: usize) -> Self {
        Self { sums: vec![Expected::default(); moments] }
    }

    /// The sums.
    #[must_use]
    pub fn sums(&self) -> &[Expected] {
        &self.sums
    }

    /// Puts another forecast in the place of what was expected of a deployment; of one that was not
    /// counted before, nothing was.
    pub fn replace(&mut self, before: &[Expected], after: &[Expected]) {
        for (sum, before) in self.sums.iter_mut().zip(before) {
            *sum = sum.minus(*before);
        }
        for (sum, after) in self.sums.iter_mut().zip(after) {
            *sum = sum.plus(*after);
        }
    }
}

/// A deployment that asks to be let in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Newcomer {
    /// Cores it asks for now.
    pub cores: f64,
    /// What it is expected to have, moment by moment.
    pub expected: Vec<Expected>,
    /// Clusters that have let it in before.
    pub at_home: Vec<ClusterId>,
}

/// What rules about admission see: every cluster's forecast, and who asks to be let in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Growth {
    /// The moments, in hours from now, ascending; the first is now.
    pub hours: Vec<f64>,
    /// Cluster by cluster.
    pub clusters: Vec<ClusterForecast>,
    /// Who asks.
    pub newcomer: Newcomer,
}

/// A cluster at one moment ahead, with the newcomer let in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ahead {
    /// Hours from now.
    pub hours: f64,
    /// Cores of the whole cluster.
    pub capacity: f64,
    /// Cores that its deployments have now, and the newcomer asks for.
    pub cores_now: f64,
    /// Cores expected then.
    pub mean: f64,
    /// Their variance, in squared cores.
    pub variance: f64,
    /// Cores expected of the newcomer alone.
    pub newcomer: f64,
}

impl Growth {
    /// Of clusters without deployments.
    #[must_use]
    pub fn empty(hours: Vec<f64>, clusters: usize) -> Self {
        let clusters = vec![ClusterForecast::empty(hours.len()); clusters];
        Self { hours, clusters, newcomer: Newcomer::default() }
    }

    /// A cluster of so many cores with the newcomer in it, moment by moment; nothing where it is in
    /// already.
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
