//! Weights set by hand: preferences compared all together, pair by pair.
//!
//! Of two candidates the better one is that for which the weights of the preferences that
//! favour it add up to more (Protean section 3.3). With weights exponentially apart this
//! is the strict order; with any others it need not be an order at all: A may beat B, B
//! beat C and C beat A. So candidates are ordered by how many they beat less how many beat
//! them (Copeland's rule), which agrees with the strict order where there is one, always
//! chooses from the smallest set that nobody outside beats, and needs no luck.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// How much a preference weighs, in thousandths, so that sums are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weight(u64);

impl Weight {
    /// The smallest and the largest weight.
    pub const MIN: f64 = 0.001;
    /// The largest weight; sixteen of them are far below 64 bits.
    pub const MAX: f64 = 1e15;

    /// A weight, to a thousandth; none outside the range or when it is no number.
    #[must_use]
    pub fn new(weight: f64) -> Option<Self> {
        (Self::MIN..=Self::MAX).contains(&weight).then_some(Self((weight * 1_000.0 + 0.5) as u64))
    }

    /// The weight as people set it.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0 as f64 / 1_000.0
    }

    /// The weight in thousandths, so that sums are exact.
    pub(crate) const fn thousandths(self) -> u64 {
        self.0
    }
}

impl Default for Weight {
    fn default() -> Self {
        Self(1_000)
    }
}

/// Which of two candidates is better: `Less` when the first is.
pub(crate) fn compare(weights: &[Weight], first: &[u64], second: &[u64]) -> Ordering {
    let signed = |weight: &Weight, order: Ordering| match order {
        Ordering::Less => i128::from(weight.0),
        Ordering::Equal => 0,
        Ordering::Greater => -i128::from(weight.0),
    };
    let pairs = first.iter().zip(second);
    let favour: i128 = weights.iter().zip(pairs).map(|(weight, (one, other))| signed(weight, one.cmp(other))).sum();
    0.cmp(&favour)
}

/// The best of a set of candidates.
pub(crate) struct Best {
    /// Their places in the list, in order.
    pub(crate) at: Vec<usize>,
    /// Whether one of them is beaten by another candidate: the comparison goes in a circle.
    pub(crate) circular: bool,
}

/// The best of distinct candidates, each a list of buckets, in ascending order. `members` says
/// how many machines each stands for.
pub(crate) fn best(weights: &[Weight], candidates: &[Vec<u64>], members: &[u32]) -> Best {
    let front = front(candidates);
    let mut wins = alloc::vec![0_i64; front.len()];
    let mut beaten = alloc::vec![false; front.len()];
    for (one, at) in front.iter().enumerate() {
        for (other, rival) in front.iter().enumerate().skip(one + 1) {
            let (loser, winner, sign) = match compare(weights, &candidates[*at], &candidates[*rival]) {
                Ordering::Less => (other, one, 1),
                Ordering::Equal => continue,
                Ordering::Greater => (one, other, -1),
            };
            debug_assert_ne!(loser, winner);
            beaten[loser] = true;
            wins[one] += sign * i64::from(members[*rival]);
            wins[other] -= sign * i64::from(members[*at]);
        }
    }
    let most = wins.iter().max().copied().unwrap_or(0);
    let best: Vec<_> = (0..front.len()).filter(|index| wins[*index] == most).collect();
    let circular = best.iter().any(|index| beaten[*index]);
    Best { at: best.into_iter().map(|index| front[index]).collect(), circular }
}

/// The candidates that no other is at least as good as under every preference. Whatever a
/// candidate beats, one that is nowhere worse beats too, so the others cannot be best.
fn front(candidates: &[Vec<u64>]) -> Vec<usize> {
    let mut front: Vec<usize> = Vec::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let covers = |other: &usize| candidates[*other].iter().zip(candidate).all(|(theirs, mine)| theirs <= mine);
        if !front.iter().any(covers) {
            front.push(at);
        }
    }
    front
}

/// Orders rows of buckets and who has them: the best, then the best of the rest, and so on.
/// They come in ascending order; rows with equal buckets keep theirs.
pub(crate) fn best_first<T: Copy>(weights: &[Weight], rows: &mut [(Vec<u64>, T)]) {
    let mut rest: Vec<_> = rows.to_vec();
    let mut next = 0;
    while !rest.is_empty() {
        let (vectors, members) = distinct(rest.iter().map(|(buckets, _)| buckets));
        let best = best(weights, &vectors, &members).at;
        let (first, others): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|(buckets, _)| best.iter().any(|at| vectors[*at] == *buckets));
        for row in first {
            rows[next] = row;
            next += 1;
        }
        rest = others;
    }
}

/// Ascending rows of buckets without repeats, and how often each was there.
pub(crate) fn distinct<'a>(rows: impl Iterator<Item = &'a Vec<u64>>) -> (Vec<Vec<u64>>, Vec<u32>) {
    let (mut vectors, mut members): (Vec<Vec<u64>>, Vec<u32>) = (Vec::new(), Vec::new());
    for row in rows {
        match (vectors.last(), members.last_mut()) {
            (Some(last), Some(count)) if last == row => *count += 1,
            _ => {
                vectors.push(row.clone());
                members.push(1);
            }
        }
    }
    (vectors, members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn weights(all: &[f64]) -> Vec<Weight> {
        all.iter().map(|weight| Weight::new(*weight).expect("a weight")).collect()
    }

    fn best_of(all: &[f64], candidates: &[Vec<u64>]) -> (Vec<Vec<u64>>, bool) {
        let mut sorted = candidates.to_vec();
        sorted.sort_unstable();
        let best = best(&weights(all), &sorted, &vec![1; sorted.len()]);
        (best.at.iter().map(|at| sorted[*at].clone()).collect(), best.circular)
    }

    #[test]
    fn weights_exponentially_apart_are_the_strict_order() {
        let mut rows: Vec<_> = (0..27).map(|n| (vec![n / 9 % 3, n / 3 % 3, n % 3], n)).collect();
        best_first(&weights(&[4.0, 2.0, 1.0]), &mut rows);
        assert!(rows.iter().is_sorted_by_key(|(_, n)| n), "{rows:?}");
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
            let best = best(&weights(&[1.0; 3]), &circle, &members);
            assert_eq!((best.at, best.circular), (vec![winner], true), "{members:?}");
        }
    }

    #[test]
    fn equal_rows_are_counted_together() {
        let rows = [vec![0, 1], vec![0, 1], vec![0, 1], vec![2, 0], vec![3, 0], vec![3, 0]];
        let (vectors, members) = distinct(rows.iter());
        assert_eq!((vectors, members), (vec![vec![0, 1], vec![2, 0], vec![3, 0]], vec![3, 1, 2]));
    }

    #[test]
    fn nobody_outside_beats_the_best() {
        let stream = tiebreak_model::random::Seed(4).stream("weights test");
        for case in 0..300 {
            let draw = |what: u64, below| u64::from(tiebreak_model::random::pick(stream.draw(case, what), below));
            let mut rows: Vec<_> = (0..12).map(|row| (0..4).map(|at| draw(row * 4 + at, 4)).collect()).collect();
            rows.sort_unstable();
            rows.dedup();
            let all = weights(&[1.0, 1.5, 2.0, 2.5]);
            let best = best(&all, &rows, &vec![1; rows.len()]);
            let beaten = |at: &usize| rows.iter().any(|rival: &Vec<u64>| compare(&all, rival, &rows[*at]).is_lt());
            assert_eq!(best.circular, best.at.iter().any(beaten), "case {case}: {rows:?}");
        }
    }

    #[test]
    fn what_is_no_weight_is_refused() {
        for weight in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e16] {
            assert_eq!(Weight::new(weight), None, "{weight}");
        }
        assert_eq!(Weight::new(2.5).map(Weight::get), Some(2.5));
    }
}
