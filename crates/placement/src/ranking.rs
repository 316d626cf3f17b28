//! The candidates of one cell in order: the sorted list of a rule evaluation
//! (Protean section 5.2.2), as a tournament.
//!
//! A tree over the cell's machines in order of id; every node holds the best key
//! below it and how many machines have it. Changing a machine costs O(log n) and
//! stops early where nothing changes above; the best set's size is at the root, and
//! the i-th of the best set *in order of id* is found by one walk down. So, unlike in
//! a sorted list or a hash of sets, the answer depends on the keys alone, never on the
//! history of insertions.

use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::packed::PackedKey;

/// A tournament over `leaves` machines, padded to a power of two.
#[derive(Clone, Debug)]
pub(crate) struct Ranking<K> {
    leaves: usize,
    keys: Vec<K>,
    counts: Vec<u32>,
}

impl<K: PackedKey> Ranking<K> {
    /// A ranking of these keys, one per machine of the cell.
    pub(crate) fn build(machines: &[K]) -> Self {
        let leaves = machines.len().next_power_of_two();
        let mut keys = vec![K::INVALID; 2 * leaves];
        keys[leaves..leaves + machines.len()].copy_from_slice(machines);
        let mut ranking = Self { leaves, keys, counts: vec![0; leaves] };
        for node in (1..leaves).rev() {
            ranking.refresh(node);
        }
        ranking
    }

    #[inline]
    fn count(&self, node: usize) -> u32 {
        if node < self.leaves { self.counts[node] } else { u32::from(self.keys[node] != K::INVALID) }
    }

    /// Recomputes a node from its children; whether it changed.
    #[inline]
    fn refresh(&mut self, node: usize) -> bool {
        let (left, right) = (2 * node, 2 * node + 1);
        let (left_key, right_key) = (self.keys[left], self.keys[right]);
        let (key, count) = match left_key.cmp(&right_key) {
            core::cmp::Ordering::Less => (left_key, self.count(left)),
            core::cmp::Ordering::Greater => (right_key, self.count(right)),
            core::cmp::Ordering::Equal => (left_key, self.count(left) + self.count(right)),
        };
        let changed = self.keys[node] != key || self.counts[node] != count;
        self.keys[node] = key;
        self.counts[node] = count;
        changed
    }

    /// Gives the `index`-th machine of the cell another key.
    #[inline]
    pub(crate) fn set(&mut self, index: usize, key: K) {
        let mut node = self.leaves + index;
        if self.keys[node] == key {
            return;
        }
        self.keys[node] = key;
        node /= 2;
        while node > 0 && self.refresh(node) {
            node /= 2;
        }
    }

    /// The best key and how many machines have it; invalid and 0 when no machine is valid.
    #[inline]
    pub(crate) fn best(&self) -> (K, u32) {
        (self.keys[1], self.count(1))
    }

    /// The `nth` machine of the best set, in order of id.
    pub(crate) fn nth_best(&self, mut nth: u32) -> usize {
        let best = self.keys[1];
        let mut node = 1;
        while node < self.leaves {
            let left = 2 * node;
            let there = if self.keys[left] == best { self.count(left) } else { 0 };
            if nth < there {
                node = left;
            } else {
                nth -= there;
                node = left + 1;
            }
        }
        node - self.leaves
    }

    /// The key of the `index`-th machine of the cell.
    pub(crate) fn key(&self, index: usize) -> K {
        self.keys[self.leaves + index]
    }

    /// The valid machines, in order of id, with their keys.
    pub(crate) fn valid(&self) -> impl Iterator<Item = (usize, K)> + '_ {
        let leaves = self.keys[self.leaves..].iter().copied().enumerate();
        leaves.filter(|(_, key)| *key != K::INVALID)
    }

    /// Bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<K>() + self.counts.capacity() * size_of::<u32>()
    }
}

/// The best few machines of several cells, in order of key and id. A cell comes with what its
/// rack adds to every key, and the id of its first machine.
pub(crate) fn best_keys<'a, K: PackedKey + 'a>(
    cells: impl Iterator<Item = (K, u32, &'a Ranking<K>)>,
    many: usize,
) -> impl Iterator<Item = u32> {
    let cells: Vec<_> = cells.collect();
    // A node stands for the machines below it; nodes of equal keys come in order of id.
    let mut nodes: BinaryHeap<Reverse<(K, u32, usize, usize)>> = BinaryHeap::new();
    for (cell, (rack, first, ranking)) in cells.iter().enumerate() {
        nodes.push(Reverse((rack.plus(ranking.keys[1]), *first, cell, 1)));
    }
    core::iter::from_fn(move || {
        loop {
            let Reverse((_, first, cell, node)) = nodes.pop()?;
            let (rack, _, ranking) = &cells[cell];
            if node >= ranking.leaves {
                return Some(first);
            }
            // Machines below a node at this height: as many as a full tree has there.
            let half = ranking.leaves >> (node.ilog2() + 1);
            for (child, first) in [(2 * node, first), (2 * node + 1, first + half as u32)] {
                if ranking.keys[child] != K::INVALID {
                    nodes.push(Reverse((rack.plus(ranking.keys[child]), first, cell, child)));
                }
            }
        }
    })
    .take(many)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::random::{Seed, pick};

    fn best_set(keys: &[u64]) -> Vec<usize> {
        let best = *keys.iter().min().expect("not empty");
        (0..keys.len()).filter(|i| keys[*i] == best && best != u64::MAX).collect()
    }

    #[test]
    fn it_agrees_with_looking_at_all_of_them() {
        let stream = Seed(5).stream("ranking test");
        for size in [1, 2, 3, 8, 13] {
            let mut keys = vec![u64::MAX; size];
            let mut ranking = Ranking::build(&keys);
            for step in 0..400 {
                let index = pick(stream.draw(step, 0), size as u32) as usize;
                let key = u64::from(pick(stream.draw(step, 1), 4));
                keys[index] = if key == 3 { u64::MAX } else { key };
                ranking.set(index, keys[index]);
                let expected = best_set(&keys);
                assert_eq!(ranking.best().1 as usize, expected.len());
                let seen: Vec<_> = (0..expected.len()).map(|nth| ranking.nth_best(nth as u32)).collect();
                assert_eq!(seen, expected, "size {size}, step {step}");
                assert_eq!(Ranking::build(&keys).best(), ranking.best(), "building gives the same");
                let mut sorted: Vec<_> =
                    (0..size).filter(|at| keys[*at] != u64::MAX).map(|at| (keys[at], at)).collect();
                sorted.sort_unstable();
                let near: Vec<_> =
                    best_keys([(0, 100, &ranking)].into_iter().filter(|it| it.2.best().1 > 0), 5).collect();
                let expected: Vec<_> = sorted.iter().take(5).map(|(_, at)| 100 + *at as u32).collect();
                assert_eq!(near, expected, "the best five, size {size}, step {step}");
            }
        }
    }
}
