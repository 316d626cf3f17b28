//! The book of what deployments are expected to grow to, so that a decision need not ask each.
//!
//! Every deployment's expectation is in its cluster's sums. What is seen of it changes its belief at once,
//! and its cores now; the rest of its expectation is made anew before the next decision, once enough
//! has changed or enough time has passed. So a decision costs the moments ahead and what has changed, not
//! how many deployments there are.

use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::vec::Vec;
use core::cmp::Reverse;

use tiebreak_admission::Seen;
use tiebreak_model::{ClusterId, Expected, Growth, Millis};

use super::Terms;

/// One hour in the time of a run.
pub(super) const HOUR_MS: f64 = 60.0 * Millis::MINUTE.0 as f64;

/// Deployments by key.
pub(super) struct Expectations<K> {
    entries: BTreeMap<K, Entry>,
    /// Those to be thought over before the next decision.
    stale: Vec<K>,
    /// When quiet ones are to be, in ms.
    due: BinaryHeap<Reverse<(i64, K)>>,
}

struct Entry {
    cluster: ClusterId,
    /// What is seen of it, for each belief about it.
    beliefs: Vec<Seen>,
    /// Until when, and since when it is there, in ms.
    seen_ms: i64,
    came_ms: i64,
    /// What its cluster's sums have of it.
    expected: Vec<Expected>,
    /// Its cores when that was made.
    cores: f64,
    due_ms: i64,
    is_stale: bool,
}

impl Entry {
    /// Time passes.
    fn pass(&mut self, now_ms: i64, terms: &Terms) {
        let hours = (now_ms - self.seen_ms) as f64 / HOUR_MS;
        if hours > 0.0 {
            self.beliefs.iter_mut().for_each(|seen| seen.pass(hours, terms.model.deaths));
            self.seen_ms = now_ms;
        }
    }

    /// Its cores; every belief sees the same.
    fn cores_now(&self) -> f64 {
        self.beliefs.first().map_or(0.0, |seen| seen.cores)
    }
}

impl<K: Ord + Copy> Expectations<K> {
    pub(super) fn new() -> Self {
        Self { entries: BTreeMap::new(), stale: Vec::new(), due: BinaryHeap::new() }
    }

    /// A deployment comes, of which this is believed. What it has now is counted at once.
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
        let entry =
            Entry { cluster, beliefs, seen_ms: came_ms, came_ms, expected, cores: 0.0, due_ms: now_ms, is_stale: true };
        self.entries.insert(key, entry);
        self.stale.push(key);
    }

    /// Something is seen of a deployment.
    pub(super) fn see(&mut self, key: K, now_ms: i64, terms: &Terms, growth: &mut Growth, what: impl Fn(&mut Seen)) {
        let Some(entry) = self.entries.get_mut(&key) else { return };
        entry.pass(now_ms, terms);
        entry.beliefs.iter_mut().for_each(what);
        let cores = entry.cores_now();
        // What it has now is counted at once.
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

    /// A deployment is gone.
    pub(super) fn end(&mut self, key: K, growth: &mut Growth) {
        if let Some(entry) = self.entries.remove(&key) {
            growth.clusters[entry.cluster.index()].replace(&entry.expected, &[]);
        }
    }

    /// Thinks over those of which enough has changed, and those that were quiet long enough.
    pub(super) fn bring_up_to_date(&mut self, now_ms: i64, terms: &Terms, growth: &mut Growth) {
        while let Some(Reverse((due_ms, key))) = self.due.peek().copied().filter(|Reverse((due, _))| *due <= now_ms) {
            self.due.pop();
            let quiet = |entry: &&mut Entry| entry.due_ms == due_ms && !entry.is_stale;
            if let Some(entry) = self.entries.get_mut(&key).filter(quiet) {
                entry.is_stale = true;
                self.stale.push(key);
            }
        }
        for key in core::mem::take(&mut self.stale) {
            let Some(entry) = self.entries.get_mut(&key) else { continue };
            entry.pass(now_ms, terms);
            let expected = terms.expected(&entry.beliefs);
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
