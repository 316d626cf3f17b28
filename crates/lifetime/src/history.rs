//! The lifetimes of VMs that ended by a moment: by tenant, by VM type and of all.

use alloc::collections::{BTreeMap, VecDeque};

use tiebreak_model::{ShapeId, VmId, Workload};

use crate::spells::seconds_between;

/// How many of the latest lifetimes are used.
const LATEST: usize = 10;

/// The latest lifetimes of a group, as logarithms of seconds, and the sum of all.
#[derive(Debug, Default)]
struct Lives {
    latest: VecDeque<f64>,
    sum: f64,
    count: u32,
}

impl Lives {
    fn add(&mut self, log: f64) {
        if self.latest.len() == LATEST {
            self.latest.pop_front();
        }
        self.latest.push_back(log);
        (self.sum, self.count) = (self.sum + log, self.count + 1);
    }

    fn mean_of_latest(&self) -> Option<f64> {
        (!self.latest.is_empty()).then(|| self.latest.iter().sum::<f64>() / self.latest.len() as f64)
    }

    fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

/// All lifetimes so far.
#[derive(Debug, Default)]
pub(crate) struct Histories {
    tenants: BTreeMap<u64, Lives>,
    shapes: BTreeMap<ShapeId, Lives>,
    all: Lives,
}

impl Histories {
    /// Records the end of a VM.
    pub(crate) fn left(&mut self, workload: &Workload, vm: VmId) {
        let request = workload.request_of(vm);
        let life_s = seconds_between(workload.at(request), workload.end(vm)).max(1);
        let log = libm::log10(f64::from(life_s));
        let tenant = self.tenants.entry(workload.tenant(request)).or_default();
        let shape = self.shapes.entry(workload.shape_of(vm)).or_default();
        [tenant, shape, &mut self.all].into_iter().for_each(|lives| lives.add(log));
    }

    /// The mean logarithm, in seconds, of this tenant's latest lifetimes, or else of this shape's, or else of all;
    /// `None` if no VM has ended.
    pub(crate) fn usual(&self, tenant: u64, shape: ShapeId) -> Option<f64> {
        let of_tenant = self.tenants.get(&tenant).and_then(Lives::mean_of_latest);
        let of_shape = || self.shapes.get(&shape).and_then(Lives::mean);
        of_tenant.or_else(of_shape).or_else(|| self.all.mean())
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::trial::{Life, workload};

    #[test]
    fn the_tenants_latest_lives_count_then_those_of_the_type_then_all() {
        // Tenant 1: twice 10 s, then ten times 1,000 s. Tenant 2: 10 s with two cores.
        let of_one = |at: i64| Life::new(1, 1 + at, Some(1 + at + if at < 2 { 10 } else { 1_000 })).of_tenant(1);
        let mut lives: Vec<Life> = (0..12).map(of_one).collect();
        lives.push(Life::new(2, 20, Some(30)).of_tenant(2));
        lives.push(Life::new(4, 30, None).of_tenant(3));
        let workload = workload(&lives, 10_000);
        let mut histories = Histories::default();
        let shape = |vm| workload.shape_of(VmId(vm));
        assert_eq!(histories.usual(1, shape(0)), None);
        (0..13).for_each(|vm| histories.left(&workload, VmId(vm)));
        let usual = |tenant, vm| histories.usual(tenant, shape(vm)).expect("lives");
        assert!((usual(1, 12) - 3.0).abs() < 1e-9, "the last ten of the tenant's");
        assert!((usual(9, 12) - 1.0).abs() < 1e-9, "of its type");
        assert!((usual(9, 0) - (2.0 + 30.0) / 12.0).abs() < 1e-9, "all of its type");
        assert!((usual(9, 13) - (3.0 + 30.0) / 13.0).abs() < 1e-9, "all");
    }
}
