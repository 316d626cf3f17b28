//! Keeps the forecasts of all deployments, so that a decision need not evaluate each.
//!
//! Every deployment's forecast is part of its cluster's sums. An observation immediately changes the deployment's
//! belief and its current cores. The rest of its forecast is recomputed before the next decision, once enough has
//! changed or enough time has passed. So a decision costs the number of future moments and changes, not the number of
//! deployments.

use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::vec::Vec;
use core::cmp::Reverse;

use tiebreak_admission::Seen;
use tiebreak_model::{ClusterId, Expected, Growth, Millis};

use super::Terms;

/// One hour, in ms.
pub(super) const HOUR_MS: f64 = 60.0 * Millis::MINUTE.0 as f64;

/// Deployments by key.
pub(super) struct Forecasts<K> {
    entries: BTreeMap<K, KnownDeployment>,
    /// Deployments to recompute before the next decision.
    stale: Vec<K>,
    /// When to recompute deployments without changes, in ms.
    due: BinaryHeap<Reverse<(i64, K)>>,
}

struct KnownDeployment {
    cluster: ClusterId,
    /// The observations of it, for each belief.
    beliefs: Vec<Seen>,
    /// The time of the last observation and the time of its start, in ms.
    seen_ms: i64,
    came_ms: i64,
    /// Its part of the cluster's sums.
    expected: Vec<Expected>,
    /// Its cores when that was computed.
    cores: f64,
    due_ms: i64,
    is_stale: bool,
}

impl KnownDeployment {
    /// Time passes.
    fn pass(&mut self, now_ms: i64, terms: &Terms) {
        let hours = (now_ms - self.seen_ms) as f64 / HOUR_MS;
        if hours > 0.0 {
            self.beliefs.iter_mut().for_each(|seen| seen.pass(hours, terms.model.deaths));
            self.seen_ms = now_ms;
        }
    }

    /// Its cores; the same in every belief.
    fn cores_now(&self) -> f64 {
        self.beliefs.first().map_or(0.0, |seen| seen.cores)
    }
}

impl<K: Ord + Copy> Forecasts<K> {
    pub(super) fn new() -> Self {
        Self { entries: BTreeMap::new(), stale: Vec::new(), due: BinaryHeap::new() }
    }

    /// A deployment starts with these beliefs. Its current cores count immediately.
    pub(super) fn begin(
        &mut self,
        key: K,
        cluster: ClusterId,
        beliefs: Vec<Seen>,
        (came_ms, now_ms): (i64, i64),
        growth: &mut Growth,
    ) {
        let cores = beliefs.first().map_or(0.0, |seen| seen.cores);
        let expected = Vec::from([Expected::new(cores, 0.0)]);
        growth.clusters[cluster.index()].replace(&[], &expected);
        let entry = KnownDeployment {
            cluster,
            beliefs,
            seen_ms: came_ms,
            came_ms,
            expected,
            cores: 0.0,
            due_ms: now_ms,
            is_stale: true,
        };
        self.entries.insert(key, entry);
        self.stale.push(key);
    }

    /// Records an observation of a deployment.
    pub(super) fn see(&mut self, key: K, now_ms: i64, terms: &Terms, growth: &mut Growth, what: impl Fn(&mut Seen)) {
        let Some(entry) = self.entries.get_mut(&key) else { return };
        entry.pass(now_ms, terms);
        entry.beliefs.iter_mut().for_each(what);
        let cores = entry.cores_now();
        // The current cores count immediately.
        if let Some(now) = entry.expected.first_mut() {
            let after = Expected::new(cores, 0.0);
            growth.clusters[entry.cluster.index()].replace(&[*now], &[after]);
            *now = after;
        }
        if !entry.is_stale && (cores - entry.cores).abs() > terms.tolerance * entry.cores {
            entry.is_stale = true;
            self.stale.push(key);
        }
    }

    /// A deployment ended.
    pub(super) fn end(&mut self, key: K, growth: &mut Growth) {
        if let Some(entry) = self.entries.remove(&key) {
            growth.clusters[entry.cluster.index()].replace(&entry.expected, &[]);
        }
    }

    /// Recomputes deployments that changed enough or were unchanged for long enough; `expected` gives the forecast of a
    /// deployment, which is that of the terms.
    pub(super) fn bring_up_to_date(
        &mut self,
        now_ms: i64,
        terms: &Terms,
        growth: &mut Growth,
        mut expected: impl FnMut(K, &[Seen]) -> Vec<Expected>,
    ) {
        while let Some(Reverse((due_ms, key))) = self.due.peek().copied().filter(|Reverse((due, _))| *due <= now_ms) {
            self.due.pop();
            let quiet = |entry: &&mut KnownDeployment| entry.due_ms == due_ms && !entry.is_stale;
            if let Some(entry) = self.entries.get_mut(&key).filter(quiet) {
                entry.is_stale = true;
                self.stale.push(key);
            }
        }
        for key in core::mem::take(&mut self.stale) {
            let Some(entry) = self.entries.get_mut(&key) else { continue };
            entry.pass(now_ms, terms);
            let expected = expected(key, &entry.beliefs);
            growth.clusters[entry.cluster.index()].replace(&entry.expected, &expected);
            entry.expected = expected;
            entry.cores = entry.cores_now();
            entry.is_stale = false;
            let age_ms = (now_ms - entry.came_ms).max(Millis::MINUTE.0 as i64) as f64;
            entry.due_ms = now_ms.saturating_add((age_ms * terms.tolerance) as i64 + 1);
            self.due.push(Reverse((entry.due_ms, key)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::AdmissionSettings;
    use alloc::vec;
    use rand_core::Rng;
    use tiebreak_model::random::{Seed, pick};

    fn terms(tolerance: f64) -> Terms {
        Terms::new(&AdmissionSettings { tolerance, horizon_hours: 1_000.0, ..AdmissionSettings::default() }, true)
            .expect("a belief")
    }

    impl<K: Ord + Copy> Forecasts<K> {
        /// The observations of a deployment, if it exists.
        pub(in crate::admission) fn seen(&self, key: K) -> Option<&Seen> {
            self.entries.get(&key).and_then(|entry| entry.beliefs.first())
        }

        /// Every cluster's sums, recomputed from each deployment's observations.
        fn anew(&self, terms: &Terms, clusters: usize) -> Growth {
            let mut growth = terms.growth(clusters);
            for entry in self.entries.values() {
                growth.clusters[entry.cluster.index()].replace(&[], &terms.expected(&entry.beliefs));
            }
            growth
        }
    }

    const HOUR: i64 = HOUR_MS as i64;

    /// One deployment of 4 cores from the first millisecond.
    fn one(terms: &Terms) -> (Forecasts<u32>, Growth) {
        let (mut book, mut growth) = (Forecasts::new(), terms.growth(1));
        book.begin(7, ClusterId::of(0), vec![Seen::started(4.0)], (0, 0), &mut growth);
        book.bring_up_to_date(0, terms, &mut growth, |_, seen| terms.expected(seen));
        (book, growth)
    }

    #[test]
    fn sums_are_those_made_anew_whatever_has_happened() {
        const CLUSTERS: usize = 3;
        let terms = terms(0.0);
        let mut draws = Seed(1).stream("a book of expectations").generator();
        let mut below = |count| pick(draws.next_u64(), count);
        let (mut book, mut growth, mut now_ms) = (Forecasts::new(), terms.growth(CLUSTERS), 0);
        let mut ended = 0;
        for key in 0..400_u32 {
            now_ms += i64::from(1 + below(40 * 60_000));
            let beliefs = (0..=below(2)).map(|_| Seen::started(f64::from(1 + key % 9))).collect();
            let came_ms = now_ms - i64::from(below(1_000_000));
            book.begin(key, ClusterId::of(below(CLUSTERS as u32) as usize), beliefs, (came_ms, now_ms), &mut growth);
            for _ in 0..below(4) {
                let (other, cores, granted) = (below(key + 1), f64::from(1 + below(20)), below(3) > 0);
                match below(3) {
                    0 => book.see(other, now_ms, &terms, &mut growth, |seen| seen.scale_out(cores, granted)),
                    1 => book.see(other, now_ms, &terms, &mut growth, |seen| seen.death(1.0, terms.model.deaths)),
                    _ => {
                        ended += u32::from(book.seen(other).is_some());
                        book.end(other, &mut growth);
                    }
                }
            }
            let known = |growth: &Growth| -> Vec<_> { growth.clusters.iter().map(|it| it.sums()[0].mean()).collect() };
            assert_eq!(known(&growth), known(&book.anew(&terms, CLUSTERS)), "what they have now is known at once");
            if below(4) == 0 {
                book.bring_up_to_date(now_ms, &terms, &mut growth, |_, seen| terms.expected(seen));
                assert_eq!(growth, book.anew(&terms, CLUSTERS), "after {key}");
            }
        }
        assert!(ended > 50, "{ended}");
        (0..400).for_each(|key| book.end(key, &mut growth));
        assert_eq!(growth, terms.growth(CLUSTERS), "nothing is left of those that are gone");
    }

    #[test]
    fn quiet_deployments_are_thought_over_when_they_have_grown_older_by_so_much() {
        // A tenth of its age: after one hour, 6 minutes.
        let terms = terms(10.0);
        let (mut book, mut growth) = one(&terms);
        book.see(7, HOUR, &terms, &mut growth, |seen| seen.scale_out(4.0, true));
        book.bring_up_to_date(HOUR, &terms, &mut growth, |_, seen| terms.expected(seen));
        let before = growth.clone();
        let minute = HOUR / 60;
        for (at, renewed) in [(0, false), (5, false), (6, false), (7, true)] {
            book.bring_up_to_date(HOUR + at * minute, &terms, &mut growth, |_, seen| terms.expected(seen));
            assert_eq!(growth != before, renewed, "{at} minutes later");
        }
        assert_eq!(growth, book.anew(&terms, 1));
    }

    #[test]
    fn a_small_change_waits_and_a_large_one_does_not() {
        let terms = terms(50.0);
        for (cores, renewed) in [(1.0, false), (2.0, false), (3.0, true)] {
            let (mut book, mut growth) = one(&terms);
            book.see(7, 0, &terms, &mut growth, |seen| seen.scale_out(cores, true));
            assert_eq!(growth.clusters[0].sums()[0].mean(), 4.0 + cores, "at once");
            book.bring_up_to_date(0, &terms, &mut growth, |_, seen| terms.expected(seen));
            assert_eq!(growth == book.anew(&terms, 1), renewed, "{cores} cores more");
        }
    }

    #[test]
    fn what_is_said_of_one_that_is_gone_changes_nothing() {
        let terms = terms(0.0);
        let (mut book, mut growth) = one(&terms);
        book.end(7, &mut growth);
        book.end(7, &mut growth);
        book.see(7, HOUR, &terms, &mut growth, |seen| seen.scale_out(4.0, true));
        book.bring_up_to_date(2 * HOUR, &terms, &mut growth, |_, seen| terms.expected(seen));
        assert_eq!(growth, terms.growth(1));
    }
}
