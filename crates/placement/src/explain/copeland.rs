//! Manual weights, compared directly: every candidate with every other.
//!
//! Of two candidates, the better one is favoured by preferences with the larger total weight (Protean section 3.3).
//! First, every candidate is excluded that another one matches or beats under every preference. Of the rest, the best
//! are those with the most wins minus losses (Copeland's rule). `fast` makes fewer comparisons and must find the
//! same.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::policy::Weight;

/// A candidate's buckets and its id.
pub(crate) type Row<Id> = (Vec<u64>, Id);

/// What identifies the best candidates.
pub(crate) struct Winners {
    pub(super) buckets: BTreeSet<Vec<u64>>,
    /// Whether another candidate beats one of them: the comparison is cyclic.
    pub(crate) circular: bool,
}

impl Winners {
    /// The winners among these candidates.
    pub(crate) fn among<Id>(weights: &[Weight], rows: &[Row<Id>]) -> Self {
        let mut alike: BTreeMap<&[u64], i64> = BTreeMap::new();
        rows.iter().for_each(|(buckets, _)| *alike.entry(buckets).or_default() += 1);
        let is_covered = |one: &[u64]| alike.keys().any(|other| *other != one && covers(other, one));
        let rivals: Vec<(&[u64], i64)> =
            alike.iter().filter(|(one, _)| !is_covered(one)).map(|(one, count)| (*one, *count)).collect();
        let wins = |one: &[u64]| -> i64 {
            rivals.iter().map(|(other, count)| count * favour(weights, one, other).signum() as i64).sum()
        };
        let wins: Vec<i64> = rivals.iter().map(|(one, _)| wins(one)).collect();
        let most = wins.iter().max();
        let best = || rivals.iter().zip(&wins).filter(move |(_, wins)| Some(*wins) == most).map(|((one, _), _)| *one);
        let is_beaten = |one: &[u64]| rivals.iter().any(|(other, _)| favour(weights, other, one) > 0);
        Self { circular: best().any(is_beaten), buckets: best().map(<[u64]>::to_vec).collect() }
    }

    /// Whether a candidate with these buckets is among the best.
    pub(crate) fn have(&self, buckets: &[u64]) -> bool {
        self.buckets.contains(buckets)
    }
}

/// This many candidates, or all: the best, then the best of the rest, and so on. Ties are ordered by buckets, then by
/// id.
pub(crate) fn best_first<Id: Copy + Ord>(weights: &[Weight], mut rows: Vec<Row<Id>>, many: usize) -> Vec<Id> {
    rows.sort_unstable();
    let mut ordered = Vec::new();
    while !rows.is_empty() && ordered.len() < many {
        let winners = Winners::among(weights, &rows);
        let (best, rest): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(buckets, _)| winners.have(buckets));
        ordered.extend(best.into_iter().map(|(_, id)| id));
        rows = rest;
    }
    ordered.truncate(many);
    ordered
}

/// Whether one is at least as good as the other under every preference.
fn covers(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).all(|(one, other)| one <= other)
}

/// The weights that favour one, minus those that favour the other.
fn favour(weights: &[Weight], one: &[u64], other: &[u64]) -> i128 {
    let sum = |better: &[u64], worse: &[u64]| -> i128 {
        let pairs = weights.iter().zip(better.iter().zip(worse));
        pairs.filter(|(_, (better, worse))| better < worse).map(|(weight, _)| i128::from(weight.thousandths())).sum()
    };
    sum(one, other) - sum(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use tiebreak_model::random::{Seed, pick};

    fn weights(all: &[f64]) -> Vec<Weight> {
        all.iter().map(|weight| Weight::new(*weight).expect("a weight")).collect()
    }

    /// The best of these candidates, one machine each, and whether they form a cycle.
    fn best_of(all: &[f64], candidates: &[Vec<u64>]) -> (Vec<Vec<u64>>, bool) {
        let rows: Vec<_> = candidates.iter().map(|buckets| (buckets.clone(), ())).collect();
        let winners = Winners::among(&weights(all), &rows);
        (winners.buckets.into_iter().collect(), winners.circular)
    }

    #[test]
    fn weights_exponentially_apart_are_the_strict_order() {
        let rows: Vec<_> = (0..27).rev().map(|n| (vec![n / 9 % 3, n / 3 % 3, n % 3], n)).collect();
        assert!(best_first(&weights(&[4.0, 2.0, 1.0]), rows, 27).into_iter().eq(0..27));
        let apart: Vec<_> = (0..9).map(|n| vec![n / 3, 2 - n % 3]).collect();
        assert_eq!(best_of(&[2.0, 1.0], &apart), (vec![vec![0, 0]], false));
    }

    #[test]
    fn a_majority_of_small_weights_beats_a_large_one() {
        assert_eq!(best_of(&[3.0, 2.0, 2.0], &[vec![0, 1, 1], vec![1, 0, 0]]), (vec![vec![1, 0, 0]], false));
    }

    #[test]
    fn a_circle_is_seen_and_everyone_in_it_is_best() {
        let circle = [vec![0, 1, 2], vec![1, 2, 0], vec![2, 0, 1]];
        assert_eq!(best_of(&[1.0, 1.0, 1.0], &circle), (circle.to_vec(), true));
        let with_worse = [circle.to_vec(), vec![vec![3, 3, 3]]].concat();
        assert_eq!(best_of(&[1.0, 1.0, 1.0], &with_worse), (circle.to_vec(), true));
    }

    #[test]
    fn who_beats_more_machines_wins() {
        // The first beats the second, the second the third, and the third the first.
        let circle = [vec![0, 1, 2], vec![1, 2, 0], vec![2, 0, 1]];
        for (members, winner) in [([5, 1, 1], 2), ([1, 5, 1], 0), ([1, 1, 5], 1), ([5, 2, 1], 2), ([2, 5, 2], 0)] {
            let rows = circle.iter().zip(members).flat_map(|(one, members)| vec![(one.clone(), ()); members]);
            let winners = Winners::among(&weights(&[1.0; 3]), &rows.collect::<Vec<_>>());
            assert!(winners.circular && winners.buckets.into_iter().eq([circle[winner].clone()]), "{members:?}");
        }
    }

    #[test]
    fn nobody_outside_beats_the_best() {
        let stream = Seed(4).stream("weights test");
        for case in 0..300 {
            let draw = |what: u64, below| u64::from(pick(stream.draw(case, what), below));
            let rows: Vec<Vec<u64>> = (0..12).map(|row| (0..4).map(|at| draw(row * 4 + at, 4)).collect()).collect();
            let all = [1.0, 1.5, 2.0, 2.5];
            let (best, circular) = best_of(&all, &rows);
            let beaten = |one: &Vec<u64>| rows.iter().any(|rival| favour(&weights(&all), rival, one) > 0);
            assert_eq!(circular, best.iter().any(beaten), "case {case}: {rows:?}");
        }
    }

    #[test]
    fn level_candidates_stand_by_id_and_no_more_come_than_are_wanted() {
        let rows = vec![(vec![1], 4), (vec![0], 9), (vec![0], 2), (vec![2], 1)];
        for (many, expected) in [(0, vec![]), (1, vec![2]), (3, vec![2, 9, 4]), (9, vec![2, 9, 4, 1])] {
            assert_eq!(best_first(&weights(&[1.0]), rows.clone(), many), expected);
        }
        assert!(best_first::<u32>(&weights(&[1.0]), vec![], 3).is_empty());
    }
}
