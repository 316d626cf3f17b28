//! Manual weights, for each way of combining them, computed directly on whole rows. `fast` must find the same.

use alloc::vec::Vec;

use super::copeland::{self, Row, Winners};
use crate::policy::{Combining, Weights};

/// The weighted score sum of each candidate; the lowest is best. A score is the position between the best and the
/// worst possible bucket or, if normalised, between the best and the worst bucket among the candidates.
pub(crate) fn sums<Id>(weights: &Weights, rows: &[Row<Id>]) -> Vec<f64> {
    let range = |at: usize| {
        let all = || rows.iter().map(|(buckets, _)| buckets[at]);
        match weights.combining {
            Combining::NormalisedSum => (all().fold(u64::MAX, u64::min), all().fold(0, u64::max)),
            Combining::Majority | Combining::Sum => (0, weights.worst[at]),
        }
    };
    let ranges: Vec<_> = (0..weights.each.len()).map(range).collect();
    let of_row = |buckets: &[u64]| {
        let mut sum = 0.0;
        for ((bucket, weight), (low, high)) in buckets.iter().zip(&weights.each).zip(&ranges) {
            let share = if high > low { (bucket - low) as f64 / (high - low) as f64 } else { 0.0 };
            sum += weight.get() * share;
        }
        sum
    };
    rows.iter().map(|(buckets, _)| of_row(buckets)).collect()
}

/// The best of these candidates.
pub(crate) fn winners<Id>(weights: &Weights, rows: &[Row<Id>]) -> Winners {
    if weights.combining == Combining::Majority {
        return Winners::among(&weights.each, rows);
    }
    let sums = sums(weights, rows);
    let least = sums.iter().copied().fold(f64::INFINITY, f64::min);
    let is_best = |at: &usize| sums[*at] == least;
    Winners { buckets: (0..rows.len()).filter(is_best).map(|at| rows[at].0.clone()).collect(), circular: false }
}

/// This many candidates, or all, best first; ties are ordered by buckets, then by id.
pub(crate) fn best_first<Id: Copy + Ord>(weights: &Weights, rows: Vec<Row<Id>>, many: usize) -> Vec<Id> {
    if weights.combining == Combining::Majority {
        return copeland::best_first(&weights.each, rows, many);
    }
    let mut ordered: Vec<_> = sums(weights, &rows).into_iter().zip(rows).collect();
    ordered.sort_by(|(one, first), (other, second)| one.total_cmp(other).then_with(|| first.cmp(second)));
    ordered.into_iter().take(many).map(|(_, (_, id))| id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Weight;
    use alloc::vec;

    fn weights(combining: Combining, each: &[f64], worst: &[u64]) -> Weights {
        let each = each.iter().map(|weight| Weight::new(*weight).expect("a weight")).collect();
        Weights { combining, each, worst: worst.to_vec() }
    }

    #[test]
    fn a_sum_counts_by_how_much_a_majority_only_for_whom() {
        // The first is slightly worse under two preferences, and much better under one.
        let rows = vec![(vec![0, 11, 11], 1), (vec![100, 10, 10], 2)];
        for (combining, best) in [(Combining::Majority, 2), (Combining::Sum, 1), (Combining::NormalisedSum, 2)] {
            let weights = weights(combining, &[1.0; 3], &[100; 3]);
            assert_eq!(best_first(&weights, rows.clone(), 1), [best], "{combining:?}");
        }
    }

    #[test]
    fn normalised_over_the_candidates_a_third_one_changes_who_is_best() {
        let weights = weights(Combining::NormalisedSum, &[1.0, 1.5], &[100, 100]);
        let two = vec![(vec![0, 60], 1), (vec![50, 50], 2)];
        assert_eq!(best_first(&weights, two.clone(), 1), [2]);
        let three = [two, vec![(vec![50, 100], 3)]].concat();
        assert_eq!(best_first(&weights, three, 1), [1], "the third is nobody's choice");
    }

    #[test]
    fn what_is_alike_everywhere_counts_nothing() {
        let weights = weights(Combining::NormalisedSum, &[9.0, 1.0], &[100, 100]);
        let rows = vec![(vec![70, 3], 1), (vec![70, 2], 2), (vec![70, 2], 3)];
        assert_eq!(sums(&weights, &rows), [1.0, 0.0, 0.0]);
        assert!(winners(&weights, &rows).have(&[70, 2]) && !winners(&weights, &rows).have(&[70, 3]));
    }
}
