//! How soon a size is requested again: how many other sizes were requested in between.
//!
//! Caches of rule evaluations depend on this locality (Protean section 5.2), and a generated workload must have it to
//! be like a cloud (Bergsma et al., SOSP 2021, on flavors).

use tiebreak_model::{VmId, Workload};

/// VMs that arrived after the start, by the number of other shapes since the last VM of their shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reuse {
    /// VMs whose shape had not been requested before.
    pub first: u32,
    /// VMs by their distance: 0, 1, 2 to 3, 4 to 7, 8 to 15 and so on.
    pub counts: Vec<u32>,
}

impl Reuse {
    /// Of the VMs whose shape had been requested before, the share with a distance below 1, 2, 4, 8 and so on.
    #[must_use]
    pub fn shares(&self) -> Vec<f64> {
        let all = self.counts.iter().sum::<u32>().max(1);
        let mut below = 0;
        let add = |count: &u32| {
            below += count;
            f64::from(below) / f64::from(all)
        };
        self.counts.iter().map(add).collect()
    }

    /// In O(n log n): a tree counts the shapes last requested since a moment.
    pub(crate) fn of(workload: &Workload) -> Self {
        let vms = crate::arriving(workload);
        let mut latest = Latest::new(vms.len());
        let mut last: Vec<Option<u32>> = vec![None; workload.shapes().len()];
        let mut reuse = Self { first: 0, counts: Vec::new() };
        for (at, vm) in (0..).zip(vms) {
            let place = &mut last[workload.shape_of(VmId(vm)).index()];
            match place.replace(at) {
                None => reuse.first += 1,
                Some(before) => {
                    latest.add(before, -1);
                    reuse.count(latest.from(before));
                }
            }
            latest.add(at, 1);
        }
        reuse
    }

    fn count(&mut self, distance: u32) {
        let bin = (u32::BITS - distance.leading_zeros()) as usize;
        if bin >= self.counts.len() {
            self.counts.resize(bin + 1, 0);
        }
        self.counts[bin] += 1;
    }
}

/// The moments at which shapes were last requested, as a Fenwick tree.
struct Latest {
    sums: Vec<i32>,
    all: i32,
}

impl Latest {
    fn new(moments: usize) -> Self {
        Self { sums: vec![0; moments + 1], all: 0 }
    }

    fn add(&mut self, at: u32, change: i32) {
        self.all += change;
        let mut place = at as usize + 1;
        while place < self.sums.len() {
            self.sums[place] += change;
            place += place & place.wrapping_neg();
        }
    }

    /// How many were last requested at this moment or later.
    fn from(&self, at: u32) -> u32 {
        let (mut place, mut before) = (at as usize, 0);
        while place > 0 {
            before += self.sums[place];
            place &= place - 1;
        }
        (self.all - before) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::workload;
    use tiebreak_model::random::{Seed, pick};

    fn of(cores: &[u32]) -> Reuse {
        let vms: Vec<_> = (1..).zip(cores).map(|(at, cores)| (at, None, *cores, 0)).collect();
        Reuse::of(&workload(&vms, 10_000))
    }

    #[test]
    fn between_two_of_a_size_others_count_once() {
        // Distances of the second to last row: 1 for 1, 2 for 2, 0 for 2, 2 for 1.
        let reuse = of(&[1, 2, 1, 3, 3, 2, 2, 1]);
        assert_eq!(reuse, Reuse { first: 3, counts: vec![2, 1, 2] });
        assert_eq!(reuse.shares(), [0.4, 0.6, 1.0]);
        assert_eq!(of(&[7]).shares(), [0.0; 0]);
    }

    #[test]
    fn it_agrees_with_counting_one_by_one() {
        let stream = Seed(3).stream("reuse test");
        let cores: Vec<u32> = (0..600).map(|at| 1 + pick(stream.draw(at, 0), 40)).collect();
        let mut counted = Reuse { first: 0, counts: Vec::new() };
        for (at, size) in cores.iter().enumerate() {
            match cores[..at].iter().rposition(|other| other == size) {
                None => counted.first += 1,
                Some(before) => {
                    let between: std::collections::BTreeSet<_> = cores[before + 1..at].iter().collect();
                    counted.count(between.len() as u32);
                }
            }
        }
        assert_eq!(of(&cores), counted);
    }
}
