//! Harrell's C-index: how often the VM with the longer prediction lived longer.

use alloc::vec::Vec;

use crate::order;

/// A predicted and a true lifetime. If the VM was still running when last observed, `ended` is false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) predicted_s: u32,
    pub(crate) lived_s: u32,
    pub(crate) ended: bool,
}

/// Of all pairs of VMs of which one is known to have outlived the other, the share with the correct predicted order;
/// equal predictions count half. `None` without such a pair. O(n log n).
pub(crate) fn index(vms: &[Pair]) -> Option<f64> {
    let mut ranks = order::sorted(vms.iter().map(|vm| vm.predicted_s.into()).collect());
    ranks.dedup();
    let rank = |vm: &Pair| ranks.partition_point(|other| *other < vm.predicted_s.into());
    // The longest lifetimes first; at the same age, VMs last observed running, which outlived those that ended.
    let places = order::rising(vms.iter().map(|vm| u128::from(!vm.lived_s) * 2 + u128::from(vm.ended)));
    let by_life: Vec<Pair> = places.iter().map(|place| vms[*place as usize]).collect();
    let mut longer = RankCounts::new(ranks.len());
    let (mut halves, mut pairs) = (0_u64, 0_u64);
    for same in by_life.chunk_by(|one, next| (one.lived_s, one.ended) == (next.lived_s, next.ended)) {
        if same[0].ended {
            for vm in same {
                let (below, up_to) = (longer.below(rank(vm)), longer.below(rank(vm) + 1));
                pairs += longer.total;
                halves += 2 * (longer.total - up_to) + (up_to - below);
            }
        }
        same.iter().for_each(|vm| longer.add(rank(vm)));
    }
    (pairs > 0).then(|| halves as f64 / (2 * pairs) as f64)
}

/// How many numbers of each rank were added so far: a binary indexed tree.
struct RankCounts {
    sums: Vec<u64>,
    total: u64,
}

impl RankCounts {
    fn new(ranks: usize) -> Self {
        Self { sums: alloc::vec![0; ranks + 1], total: 0 }
    }

    fn add(&mut self, rank: usize) {
        self.total += 1;
        let mut at = rank + 1;
        while at < self.sums.len() {
            self.sums[at] += 1;
            at += at & at.wrapping_neg();
        }
    }

    fn below(&self, rank: usize) -> u64 {
        let (mut at, mut sum) = (rank, 0);
        while at > 0 {
            sum += self.sums[at];
            at &= at - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::numbers;

    fn by_all_pairs(vms: &[Pair]) -> Option<f64> {
        let (mut right, mut pairs) = (0.0, 0.0);
        for one in vms.iter().filter(|vm| vm.ended) {
            for other in vms {
                if other.lived_s > one.lived_s || (other.lived_s == one.lived_s && !other.ended) {
                    pairs += 1.0;
                    right += match other.predicted_s.cmp(&one.predicted_s) {
                        core::cmp::Ordering::Greater => 1.0,
                        core::cmp::Ordering::Equal => 0.5,
                        core::cmp::Ordering::Less => 0.0,
                    };
                }
            }
        }
        (pairs > 0.0).then(|| right / pairs)
    }

    #[test]
    fn it_agrees_with_looking_at_all_pairs() {
        for seed in 0..200 {
            let mut draw = numbers(seed, 1 << 20);
            let mut next = |below| draw.next().expect("endless") % below;
            let vms: Vec<Pair> =
                (0..next(40)).map(|_| Pair { predicted_s: next(9), lived_s: next(12), ended: next(4) > 0 }).collect();
            assert_eq!(index(&vms), by_all_pairs(&vms), "seed {seed}: {vms:?}");
        }
    }

    #[test]
    fn order_is_all_that_counts() {
        let pair = |predicted_s, lived_s| Pair { predicted_s, lived_s, ended: true };
        assert_eq!(index(&[pair(1, 10), pair(2, 20), pair(9, 30)]), Some(1.0));
        assert_eq!(index(&[pair(9, 10), pair(2, 20), pair(1, 30)]), Some(0.0));
        assert_eq!(index(&[pair(5, 10), pair(5, 20)]), Some(0.5));
        assert_eq!(index(&[pair(5, 10)]), None);
        assert_eq!(index(&[Pair { ended: false, ..pair(5, 10) }, Pair { ended: false, ..pair(5, 20) }]), None);
    }
}
