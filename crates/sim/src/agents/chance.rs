//! What agents draw by chance: each kind of draw from a stream of its own, named by VM and attempt.

use tiebreak_model::random::{Seed, Stream, share};

/// The streams of all agents.
pub(crate) struct Chance {
    tie_break: Stream,
    coins: Stream,
    avoiding: Stream,
}

impl Chance {
    pub(crate) fn new(seed: Seed) -> Self {
        Self {
            tie_break: seed.stream("tie-break"),
            coins: seed.stream("cache hits"),
            avoiding: seed.stream("conflict avoidance"),
        }
    }

    /// Which of several machines that are alike a VM goes to; `luck` is the number by which chance knows it.
    pub(crate) fn tie_break(&self, luck: u64, attempt: u32) -> u64 {
        self.tie_break.draw(luck, u64::from(attempt))
    }

    /// A coin for whether its class had an evaluation, from 0 up to 1.
    pub(crate) fn coin(&self, luck: u64, attempt: u32) -> f64 {
        share(self.coins.draw(luck, u64::from(attempt)))
    }

    /// Whether conflicts are avoided that are avoided with this chance, 0 to 1 and more.
    pub(crate) fn avoids(&self, chance: f64, luck: u64, attempt: u32) -> bool {
        chance > 0.0 && share(self.avoiding.draw(luck, u64::from(attempt))) < chance
    }
}
