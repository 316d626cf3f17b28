//! The cache layers by Protean's names: which ones are on, their sizes, and their counters (Protean section 5.2).
//!
//! Caches never change a decision, only how much is recomputed.

use alloc::vec::Vec;

use tiebreak_model::declare;

declare! {
    /// The caches that an agent keeps between decisions. Every layer can be switched off to see its effect; none
    /// changes where a VM goes. (Protean section 5.2)
    pub struct Caches as "Caches" {
        /// Keep rule evaluations: the ranked machines for one class of requests. Without them, every decision ranks
        /// all candidates again. (Protean section 5.2.2)
        evaluations: bool = true, 0 => 1, "";
        /// Keep rule objects: one rule's verdicts on all machines for one key of the request, shared by all
        /// evaluations that need them. They pay off where a verdict costs more than a lookup. The rules here are
        /// cheap, and a large zone runs about 15 % faster without them. (Protean section 5.2.1)
        rule_objects: bool = false, 0 => 1, "";
        /// Keep the verdicts of all rules that do not depend on the request as one state that every evaluation
        /// reads. (Protean section 5.2.3)
        shared_state: bool = true, 0 => 1, "";
        /// Read from the journal which machines changed. Without it, every cache checks all machines again before
        /// each use. (Protean section 5.2.4)
        journal: bool = true, 0 => 1, "";
        /// Rank the machines of each rack separately if a rule scores whole racks. Without cells, one placement
        /// changes the keys of all machines of its rack. (Protean section 5.2.5)
        cells: bool = true, 0 => 1, "";
        /// Let idle agents update their rule evaluations. Then updates happen in the background, and decisions are
        /// faster if latency follows updates. (Protean section 5.2.4)
        background: bool = false, 0 => 1, "";
        /// Rule evaluations that an agent keeps; the least recently used is replaced. A larger value hits more
        /// often and uses more memory. (Protean section 5.2.2)
        evaluation_pool: u32 = 256, 0 => 100000, "";
        /// Rule objects that an agent keeps; the least recently used is replaced. (Protean section 5.2.1)
        object_pool: u32 = 1024, 0 => 100000, "";
        /// Drop entries that were not used for this many decisions; 0 never drops them. A smaller value frees
        /// memory sooner and misses more often. (Protean section 5.2.1)
        age: u32 = 10000, 0 => 1000000000, "decisions";
    }
}

impl Caches {
    /// No caches: every decision takes the uncached path.
    pub const OFF: Self = Self {
        evaluations: false,
        rule_objects: false,
        shared_state: false,
        journal: false,
        cells: false,
        background: false,
        evaluation_pool: 0,
        object_pool: 0,
        age: 0,
    };

    /// Whether any layer is on, so that the cached path is taken.
    #[must_use]
    pub const fn any(&self) -> bool {
        self.evaluations || self.rule_objects || self.shared_state
    }

    /// Whether rule objects are on and there is room for any.
    #[must_use]
    pub(crate) const fn keeps_objects(&self) -> bool {
        self.rule_objects && self.object_pool > 0
    }
}

/// How the caches served a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheUse {
    /// The class had an evaluation.
    Hit,
    /// The evaluation had to be created.
    Miss,
    /// Caches are switched off.
    Off,
}

impl CacheUse {
    /// The word in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Miss => "miss",
            Self::Off => "off",
        }
    }
}

/// Cache counters of one agent so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheCounters {
    /// Decisions whose class had an evaluation.
    pub hits: u64,
    /// Decisions whose evaluation had to be created.
    pub misses: u64,
    /// Evaluations evicted, for space or age.
    pub evictions: u64,
    /// Machines ranked again when a decision needed them.
    pub refreshed: u64,
    /// Machines ranked again while the agent was idle.
    pub refreshed_in_background: u64,
    /// Cells whose best machines were compared.
    pub cells_compared: u64,
    /// Machines whose shared verdicts were recomputed.
    pub shared_updates: u64,
    /// Machines judged again by rule objects.
    pub object_updates: u64,
    /// Rule objects evicted, for space or age.
    pub object_evictions: u64,
    /// Decisions that found an evaluation but had to rank some of its machines again.
    pub stale_hits: u64,
    /// Updates for decisions that found an evaluation.
    pub on_hits: Updates,
    /// Updates for decisions that had to create one.
    pub on_misses: Updates,
    /// Updates while the agent was idle.
    pub in_background: Updates,
    /// Reads of the shared state by decisions: all fresh (hits) or not (misses).
    pub shared: Uses,
    /// For every machine rule that depends on the request, the counters of its rule objects.
    pub objects: Vec<ObjectCounters>,
}

/// Machines updated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Updates {
    /// Ranked again by evaluations.
    pub ranked: u64,
    /// Judged again by the layers below, counted once per layer.
    pub judged: u64,
}

impl Updates {
    pub(crate) fn add(&mut self, other: Self) {
        self.ranked += other.ranked;
        self.judged += other.judged;
    }
}

/// How often decisions used a layer; excludes background work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Uses that found what they needed.
    pub hits: u64,
    /// Uses that did not.
    pub misses: u64,
}

impl Uses {
    fn add(&mut self, other: Self) {
        self.hits += other.hits;
        self.misses += other.misses;
    }
}

/// Counters of one rule's rule objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectCounters {
    /// The rule.
    pub rule: &'static str,
    /// Uses that found an object.
    pub hits: u64,
    /// Uses that had to create one.
    pub misses: u64,
    /// The uses by decisions.
    pub by_decisions: Uses,
}

impl CacheCounters {
    /// All updates so far, from decisions and background work.
    pub(crate) fn updates(&self) -> Updates {
        Updates { ranked: self.refreshed, judged: self.shared_updates + self.object_updates }
    }

    /// Adds the updates since `before` to a decision's counters. Returns how many machines it ranked again.
    pub(crate) fn decided(&mut self, cache: CacheUse, before: Updates) -> u32 {
        let now = self.updates();
        let since = Updates { ranked: now.ranked - before.ranked, judged: now.judged - before.judged };
        if cache == CacheUse::Hit {
            self.stale_hits += u64::from(since.ranked > 0);
            self.on_hits.add(since);
        } else {
            self.on_misses.add(since);
        }
        since.ranked as u32
    }

    /// Adds another agent's counts.
    pub fn add(&mut self, other: &Self) {
        let Self { objects, .. } = other;
        self.hits += other.hits;
        self.misses += other.misses;
        self.evictions += other.evictions;
        self.refreshed += other.refreshed;
        self.refreshed_in_background += other.refreshed_in_background;
        self.cells_compared += other.cells_compared;
        self.shared_updates += other.shared_updates;
        self.object_updates += other.object_updates;
        self.object_evictions += other.object_evictions;
        self.stale_hits += other.stale_hits;
        self.on_hits.add(other.on_hits);
        self.on_misses.add(other.on_misses);
        self.in_background.add(other.in_background);
        self.shared.add(other.shared);
        for theirs in objects {
            match self.objects.iter_mut().find(|mine| mine.rule == theirs.rule) {
                Some(mine) => {
                    mine.hits += theirs.hits;
                    mine.misses += theirs.misses;
                    mine.by_decisions.add(theirs.by_decisions);
                }
                None => self.objects.push(*theirs),
            }
        }
    }
}

/// Bytes and entries of each layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheSizes {
    /// Evaluations kept.
    pub evaluations: u64,
    /// Bytes of their rankings.
    pub evaluation_bytes: u64,
    /// Rule objects kept.
    pub objects: u64,
    /// Bytes of their verdicts.
    pub object_bytes: u64,
    /// Bytes of the shared state.
    pub shared_bytes: u64,
    /// Bytes of the journal.
    pub journal_bytes: u64,
}

impl CacheSizes {
    /// Adds another agent's sizes.
    pub fn add(&mut self, other: &Self) {
        self.evaluations += other.evaluations;
        self.evaluation_bytes += other.evaluation_bytes;
        self.objects += other.objects;
        self.object_bytes += other.object_bytes;
        self.shared_bytes += other.shared_bytes;
        self.journal_bytes += other.journal_bytes;
    }

    /// Bytes of all layers.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.evaluation_bytes + self.object_bytes + self.shared_bytes + self.journal_bytes
    }
}

/// A cache event, for tests and lessons; see `Allocator::keep_log`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CacheEvent {
    /// The request's class had an evaluation.
    EvaluationHit,
    /// An evaluation was created for the request's class.
    EvaluationCreated,
    /// An evaluation was evicted.
    EvaluationEvicted,
    /// A rule object of this rule was found.
    ObjectHit(&'static str),
    /// A rule object of this rule was created.
    ObjectCreated(&'static str),
    /// A rule object of this rule was evicted.
    ObjectEvicted(&'static str),
}
