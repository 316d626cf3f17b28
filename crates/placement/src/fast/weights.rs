//! Manual weights: preferences compared together, in pairs or by sums.
//!
//! Of two candidates, the better one is favoured by preferences with the larger total weight (Protean section 3.3).
//! With exponentially growing weights this is the strict order. With other weights it may not be an order: A may beat
//! B, B beat C, and C beat A. So candidates are ordered by wins minus losses (Copeland's rule). This agrees with the
//! strict order if there is one, always chooses from the smallest set that no outside candidate beats, and needs no
//! random draw.
//!
//! Sums of weight times score are always an order. If scores are normalised over the candidates, the sums hold for
//! this decision only, so they are computed here from buckets and never cached.

use alloc::vec::Vec;
use core::cmp::Ordering;

use tiebreak_model::MachineId;

use crate::policy::{Combining, Weight, Weights};

/// Which of two candidates is better: `Less` when the first is.
fn compare(weights: &[Weight], first: &[u64], second: &[u64]) -> Ordering {
    let signed = |weight: &Weight, order: Ordering| match order {
        Ordering::Less => i128::from(weight.thousandths()),
        Ordering::Equal => 0,
        Ordering::Greater => -i128::from(weight.thousandths()),
    };
    let pairs = first.iter().zip(second);
    let favour: i128 = weights.iter().zip(pairs).map(|(weight, (one, other))| signed(weight, one.cmp(other))).sum();
    0.cmp(&favour)
}

/// The best of distinct candidates, each a list of buckets, in ascending order. Returns their indices, ascending.
/// `members` says how many machines each represents.
fn best(weights: &[Weight], candidates: &[Vec<u64>], members: &[u32]) -> Vec<usize> {
    let front = front(candidates);
    let mut wins = alloc::vec![0_i64; front.len()];
    for (one, at) in front.iter().enumerate() {
        for (other, rival) in front.iter().enumerate().skip(one + 1) {
            let sign = match compare(weights, &candidates[*at], &candidates[*rival]) {
                Ordering::Less => 1,
                Ordering::Equal => continue,
                Ordering::Greater => -1,
            };
            wins[one] += sign * i64::from(members[*rival]);
            wins[other] -= sign * i64::from(members[*at]);
        }
    }
    let most = wins.iter().max().copied().unwrap_or(0);
    let best = (0..front.len()).filter(|index| wins[*index] == most);
    best.map(|index| front[index]).collect()
}

/// The candidates that no other matches or beats under every preference. Such a dominating candidate beats whatever
/// the dominated one beats, so the dominated ones cannot be best.
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

/// The weighted score sums of distinct candidates in ascending order; the lowest is best.
fn sums(weights: &Weights, candidates: &[Vec<u64>]) -> Vec<f64> {
    let mut sums = alloc::vec![0.0; candidates.len()];
    for (at, weight) in weights.each.iter().enumerate() {
        let column = || candidates.iter().map(|candidate| candidate[at]);
        let (low, high) = match weights.combining {
            Combining::NormalisedSum => (column().min().unwrap_or(0), column().max().unwrap_or(0)),
            Combining::Sum | Combining::Majority => (0, weights.worst[at]),
        };
        if low < high {
            let span = (high - low) as f64;
            sums.iter_mut()
                .zip(column())
                .for_each(|(sum, bucket)| *sum += weight.get() * ((bucket - low) as f64 / span));
        }
    }
    sums
}

/// Orders rows of buckets with their owners: the best, then the best of the rest, and so on. The input is ascending;
/// rows with equal buckets keep their order.
pub(crate) fn best_first<T: Copy>(weights: &Weights, rows: &mut [(Vec<u64>, T)]) {
    if weights.combining == Combining::Majority {
        return best_by_majority(&weights.each, rows);
    }
    let (vectors, members) = distinct(rows.iter().map(|(buckets, _)| buckets));
    let each =
        sums(weights, &vectors).into_iter().zip(members).flat_map(|(sum, members)| (0..members).map(move |_| sum));
    let mut ordered: Vec<(f64, (Vec<u64>, T))> = each.zip(rows.iter().cloned()).collect();
    ordered.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    rows.iter_mut().zip(ordered).for_each(|(row, (_, next))| *row = next);
}

fn best_by_majority<T: Copy>(weights: &[Weight], rows: &mut [(Vec<u64>, T)]) {
    let mut rest: Vec<_> = rows.to_vec();
    let mut next = 0;
    while !rest.is_empty() {
        let (vectors, members) = distinct(rest.iter().map(|(buckets, _)| buckets));
        let best = best(weights, &vectors, &members);
        let (first, others): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|(buckets, _)| best.iter().any(|at| vectors[*at] == *buckets));
        for row in first {
            rows[next] = row;
            next += 1;
        }
        rest = others;
    }
}

/// The best of machines in ascending order of buckets: those tied for best, by id, or the best few overall.
pub(crate) fn best_machines(
    weights: &Weights,
    mut rows: Vec<(Vec<u64>, MachineId)>,
    among: Option<u32>,
) -> Vec<MachineId> {
    if let Some(among) = among {
        best_first(weights, &mut rows);
        return rows.into_iter().take(among as usize).map(|(_, machine)| machine).collect();
    }
    let (vectors, members) = distinct(rows.iter().map(|(buckets, _)| buckets));
    let tied = match weights.combining {
        Combining::Majority => best(&weights.each, &vectors, &members),
        Combining::Sum | Combining::NormalisedSum => lowest(&sums(weights, &vectors)),
    };
    let is_best = |buckets: &Vec<u64>| tied.iter().any(|at| vectors[*at] == *buckets);
    let mut best: Vec<_> = rows.iter().filter(|(buckets, _)| is_best(buckets)).map(|(_, machine)| *machine).collect();
    best.sort_unstable();
    best
}

/// The indices of the lowest.
fn lowest(sums: &[f64]) -> Vec<usize> {
    let least = sums.iter().copied().min_by(f64::total_cmp);
    (0..sums.len()).filter(|at| Some(sums[*at]) == least).collect()
}

/// Ascending rows of buckets without repeats, and the count of each.
fn distinct<'a>(rows: impl Iterator<Item = &'a Vec<u64>>) -> (Vec<Vec<u64>>, Vec<u32>) {
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
    use crate::explain::weighted;
    use alloc::vec;
    use tiebreak_model::random::{Seed, pick};

    #[test]
    fn equal_rows_are_counted_together() {
        let rows = [vec![0, 1], vec![0, 1], vec![0, 1], vec![2, 0], vec![3, 0], vec![3, 0]];
        let (vectors, members) = distinct(rows.iter());
        assert_eq!((vectors, members), (vec![vec![0, 1], vec![2, 0], vec![3, 0]], vec![3, 1, 2]));
    }

    /// The reference compares all pairs, with its own code.
    #[test]
    fn it_finds_what_the_reference_finds() {
        let stream = Seed(6).stream("reference test");
        let (mut circles, mut shared, mut covered) = (0, 0, 0);
        for case in 0..1_800 {
            let draw = |what: u64, below: u32| pick(stream.draw(case, what), below);
            let (machines, preferences, kinds) = (draw(0, 40), 2 + draw(1, 5), 2 + draw(2, 8));
            let each: Vec<_> = (0..preferences)
                .map(|at| Weight::new(f64::from(1 + draw(10 + u64::from(at), 6)) / 2.0).expect("a weight"))
                .collect();
            let combining = Combining::ALL[case as usize % 3];
            let worst = (0..preferences).map(|at| u64::from(kinds - 1 + draw(500 + u64::from(at), 3))).collect();
            let weights = Weights { combining, each, worst };
            let bucket = |machine: u32, at: u32| u64::from(draw(u64::from(100 + 8 * machine + at), kinds));
            let buckets = |machine: u32| (0..preferences).map(|at| bucket(machine, at)).collect();
            let mut rows: Vec<(Vec<u64>, MachineId)> =
                (0..machines).map(|machine| (buckets(machine), MachineId(machine))).collect();
            let winners = weighted::winners(&weights, &rows);
            let best: Vec<_> = rows.iter().filter(|(one, _)| winners.have(one)).map(|(_, id)| *id).collect();
            circles += u32::from(winners.circular);
            shared += u32::from(best.len() > 1 && !winners.circular);
            covered += u32::from(best.len() == 1);
            rows.sort_unstable();
            assert_eq!(
                best_machines(&weights, rows.clone(), None),
                best,
                "case {case}: {combining:?}, {:?}, {rows:?}",
                weights.each
            );
            for among in [1, 7, 50] {
                let expected = weighted::best_first(&weights, rows.clone(), among as usize);
                assert_eq!(best_machines(&weights, rows.clone(), Some(among)), expected, "case {case}, {among} best");
            }
            let mut ordered = rows.clone();
            best_first(&weights, &mut ordered);
            let expected = weighted::best_first(&weights, rows, machines as usize);
            assert!(ordered.into_iter().map(|(_, id)| id).eq(expected), "case {case}");
        }
        assert!(circles.min(shared).min(covered) > 30, "{circles} circles, {shared} ties, {covered} alone");
    }
}
