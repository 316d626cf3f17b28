//! Finds start times so far from all others that they are probably mistakes: one mistyped Unix time makes a run of
//! two centuries.

use alloc::vec::Vec;

use crate::time::{Millis, Time};

/// Rows closer to the others than this are not outliers.
const APART: Millis = Millis(365 * 24 * 3_600_000);

/// Nor are rows closer than this many times the span of all others.
const SPANS_APART: u64 = 10;

/// The starts that are separate from the largest group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outliers {
    /// The first and the last start of that group.
    pub others: (Time, Time),
    /// How many are before it, and the distance of the nearest one.
    pub before: (u64, Millis),
    /// How many are after it, and the distance of the nearest one.
    pub after: (u64, Millis),
}

impl Outliers {
    /// The outliers among these starts, in O(n log n) if there can be any; `None` if there are none. VMs that were
    /// there when the trace began are ignored, whenever they started.
    #[must_use]
    pub fn among(starts: impl Iterator<Item = Time> + Clone) -> Option<Self> {
        let starts = starts.map(from_the_beginning);
        let (first, last) = (starts.clone().min()?, starts.clone().max()?);
        if last.since(first) < APART {
            return None;
        }
        let mut sorted: Vec<Time> = starts.collect();
        sorted.sort_unstable();
        // Take the largest group between such gaps, and add the groups on both sides that are close enough for its
        // span.
        let parts: Vec<&[Time]> = sorted.chunk_by(|one, next| next.since(*one) < APART).collect();
        let is_larger = |one: &usize, other: &usize| parts[*one].len().cmp(&parts[*other].len()).then(other.cmp(one));
        let largest = (0..parts.len()).max_by(is_larger)?;
        let (mut from, mut to) = (largest, largest);
        let gap_before = |part: usize| parts[part][0].since(*parts[part - 1].last().expect("a part has a start"));
        let ends = |from: usize, to: usize| (parts[from][0], *parts[to].last().expect("a part has a start"));
        let is_near = |gap: Millis, (first, last): (Time, Time)| gap.0 < SPANS_APART * last.since(first).0;
        loop {
            let all = ends(from, to);
            if from > 0 && is_near(gap_before(from), all) {
                from -= 1;
            } else if to + 1 < parts.len() && is_near(gap_before(to + 1), all) {
                to += 1;
            } else {
                break;
            }
        }
        let vms = |parts: &[&[Time]]| parts.iter().map(|part| part.len() as u64).sum::<u64>();
        let none = (0, Millis(0));
        let found = Self {
            others: ends(from, to),
            before: if from > 0 { (vms(&parts[..from]), gap_before(from)) } else { none },
            after: if to + 1 < parts.len() { (vms(&parts[to + 1..]), gap_before(to + 1)) } else { none },
        };
        (found.before.0 + found.after.0 > 0).then_some(found)
    }

    /// Whether a start belongs to the group.
    #[must_use]
    pub fn has_not(&self, start: Time) -> bool {
        (self.others.0..=self.others.1).contains(&from_the_beginning(start))
    }
}

fn from_the_beginning(start: Time) -> Time {
    start.max(Time::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * 3_600_000;
    const YEAR: i64 = 365 * DAY;

    fn among(starts: &[i64]) -> Option<[u64; 4]> {
        let found = Outliers::among(starts.iter().map(|start| Time(*start)))?;
        let in_days = |gap: Millis| gap.0 / DAY as u64;
        Some([found.before.0, in_days(found.before.1), found.after.0, in_days(found.after.1)])
    }

    #[test]
    fn what_stands_apart_is_found_on_either_side() {
        assert_eq!(among(&[]), None);
        assert_eq!(among(&[0]), None);
        assert_eq!(among(&[0, 196 * YEAR]), Some([0, 0, 1, 196 * 365]), "of two, the last");
        assert_eq!(among(&[0, DAY, 2 * DAY, 30 * DAY]), None, "weeks apart");
        assert_eq!(among(&[0, DAY, 2 * DAY, YEAR + 2 * DAY]), Some([0, 0, 1, 365]));
        assert_eq!(among(&[0, YEAR / 2, YEAR, 5 * YEAR]), None, "four years behind a trace of a year");
        assert_eq!(among(&[0, 0, 50 * YEAR, 50 * YEAR + DAY, 50 * YEAR + 2 * DAY]), Some([2, 50 * 365, 0, 0]));
        let both = [0, 50 * YEAR, 50 * YEAR + DAY, 50 * YEAR + 2 * DAY, 60 * YEAR, 150 * YEAR];
        assert_eq!(among(&both), Some([1, 50 * 365, 2, 10 * 365 - 2]));
    }

    #[test]
    fn the_others_are_those_that_belong_together() {
        let starts = [0, 50 * YEAR, 50 * YEAR + DAY, 150 * YEAR].map(Time);
        let found = Outliers::among(starts.iter().copied()).expect("two stand apart");
        assert_eq!(starts.map(|start| found.has_not(start)), [false, true, true, false]);
    }
}
