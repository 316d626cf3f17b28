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

/// Candidates in groups of equal buckets, in ascending order of buckets.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Groups {
    /// The buckets of every group, group by group.
    buckets: Vec<u64>,
    /// The number of candidates in each.
    members: Vec<u32>,
}

impl Groups {
    /// Adds a group whose buckets are above those of all groups so far.
    pub(crate) fn push(&mut self, buckets: impl Iterator<Item = u64>, members: u32) {
        self.buckets.extend(buckets);
        self.members.push(members);
    }

    /// The groups of ascending rows of buckets.
    fn of_rows<T>(rows: &[(Vec<u64>, T)]) -> Self {
        let mut groups = Self::default();
        for equal in rows.chunk_by(|(one, _), (next, _)| one == next) {
            groups.push(equal[0].0.iter().copied(), equal.len() as u32);
        }
        groups
    }

    fn of(&self, group: usize) -> &[u64] {
        let width = self.buckets.len() / self.members.len();
        &self.buckets[group * width..(group + 1) * width]
    }

    fn all(&self) -> core::ops::Range<usize> {
        0..self.members.len()
    }
}

/// The best of these groups, ascending.
fn best_by_majority(weights: &[Weight], groups: &Groups, among: impl Iterator<Item = usize>) -> Vec<usize> {
    let front = front(groups, among);
    let mut wins = alloc::vec![0_i64; front.len()];
    for (one, at) in front.iter().enumerate() {
        for (other, rival) in front.iter().enumerate().skip(one + 1) {
            let sign = match compare(weights, groups.of(*at), groups.of(*rival)) {
                Ordering::Less => 1,
                Ordering::Equal => continue,
                Ordering::Greater => -1,
            };
            wins[one] += sign * i64::from(groups.members[*rival]);
            wins[other] -= sign * i64::from(groups.members[*at]);
        }
    }
    let most = wins.iter().max().copied().unwrap_or(0);
    let best = (0..front.len()).filter(|index| wins[*index] == most);
    best.map(|index| front[index]).collect()
}

/// The groups that no other matches or beats under every preference. Such a dominating group beats whatever the
/// dominated one beats, so the dominated ones cannot be best.
fn front(groups: &Groups, among: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut front: Vec<usize> = Vec::new();
    for group in among {
        let mine = groups.of(group);
        let covers = |other: &usize| groups.of(*other).iter().zip(mine).all(|(theirs, mine)| theirs <= mine);
        if !front.iter().any(covers) {
            front.push(group);
        }
    }
    front
}

/// The weighted score sum of each group; the lowest is best.
fn sums(weights: &Weights, groups: &Groups) -> Vec<f64> {
    let mut sums = alloc::vec![0.0; groups.members.len()];
    for (at, weight) in weights.each.iter().enumerate() {
        let column = || groups.all().map(|group| groups.of(group)[at]);
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

/// The groups that are tied for best, ascending.
pub(crate) fn best(weights: &Weights, groups: &Groups) -> Vec<usize> {
    if weights.combining == Combining::Majority {
        return best_by_majority(&weights.each, groups, groups.all());
    }
    let sums = sums(weights, groups);
    let least = sums.iter().copied().min_by(f64::total_cmp);
    groups.all().filter(|group| Some(sums[*group]) == least).collect()
}

/// The best groups, then the best of the rest, and so on, until they have `many` members; groups that tie are in
/// ascending order.
pub(crate) fn in_order(weights: &Weights, groups: &Groups, many: usize) -> Vec<(usize, u32)> {
    let mut order: Vec<usize> = Vec::new();
    if weights.combining == Combining::Majority {
        let (mut rest, mut members): (Vec<_>, _) = (groups.all().collect(), 0);
        while !rest.is_empty() && members < many {
            let best = best_by_majority(&weights.each, groups, rest.iter().copied());
            rest.retain(|group| best.binary_search(group).is_err());
            members += best.iter().map(|group| groups.members[*group] as usize).sum::<usize>();
            order.extend(best);
        }
    } else {
        let sums = sums(weights, groups);
        order.extend(groups.all());
        order.sort_by(|one, other| sums[*one].total_cmp(&sums[*other]));
    }
    order.into_iter().map(|group| (group, groups.members[group])).collect()
}

/// Orders rows of buckets with their owners: the best, then the best of the rest, and so on. The input is ascending;
/// rows with equal buckets keep their order.
pub(crate) fn best_first<T: Copy>(weights: &Weights, rows: &mut Vec<(Vec<u64>, T)>) {
    let groups = Groups::of_rows(rows);
    let begins = groups.members.iter().scan(0, |next, members| {
        let begin = *next;
        *next += *members as usize;
        Some(begin)
    });
    let begins: Vec<usize> = begins.collect();
    let order = in_order(weights, &groups, usize::MAX);
    *rows = order.into_iter().flat_map(|(group, members)| rows[begins[group]..][..members as usize].to_vec()).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::weighted;
    use alloc::vec;
    use tiebreak_model::MachineId;
    use tiebreak_model::random::{Seed, pick};

    #[test]
    fn equal_rows_are_one_group() {
        let rows =
            [vec![0, 1], vec![0, 1], vec![0, 1], vec![2, 0], vec![3, 0], vec![3, 0]].map(|buckets| (buckets, ()));
        let groups = Groups::of_rows(&rows);
        assert_eq!(groups, Groups { buckets: vec![0, 1, 2, 0, 3, 0], members: vec![3, 1, 2] });
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
            let groups = Groups::of_rows(&rows);
            let tied = super::best(&weights, &groups);
            let is_tied = |buckets: &[u64]| tied.iter().any(|group| groups.of(*group) == buckets);
            let mut found: Vec<_> = rows.iter().filter(|(one, _)| is_tied(one)).map(|(_, id)| *id).collect();
            found.sort_unstable();
            assert_eq!(found, best, "case {case}: {combining:?}, {:?}, {rows:?}", weights.each);
            for many in [1, 7, 50] {
                let mut found = Vec::new();
                for (group, _) in in_order(&weights, &groups, many) {
                    found.extend(rows.iter().filter(|(one, _)| one == groups.of(group)).map(|(_, id)| *id));
                }
                found.truncate(many);
                let expected = weighted::best_first(&weights, rows.clone(), many);
                assert_eq!(found, expected, "case {case}, {many} best");
            }
            let mut ordered = rows.clone();
            best_first(&weights, &mut ordered);
            let expected = weighted::best_first(&weights, rows, machines as usize);
            assert!(ordered.into_iter().map(|(_, id)| id).eq(expected), "case {case}");
        }
        assert!(circles.min(shared).min(covered) > 30, "{circles} circles, {shared} ties, {covered} alone");
    }
}
