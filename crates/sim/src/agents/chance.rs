//! The agents' random draws: each kind of draw has its own stream, indexed by VM and attempt.

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

    /// Which of several equal machines a VM goes to; `luck` is the VM's number in random streams.
    pub(crate) fn tie_break(&self, luck: u64, attempt: u32) -> u64 {
        self.tie_break.draw(luck, u64::from(attempt))
    }

    /// A draw from 0 up to 1 that decides whether its class had an evaluation.
    pub(crate) fn coin(&self, luck: u64, attempt: u32) -> f64 {
        share(self.coins.draw(luck, u64::from(attempt)))
    }

    /// Whether to avoid conflicts in this decision, with this probability (values above 1 mean always).
    pub(crate) fn avoids(&self, chance: f64, luck: u64, attempt: u32) -> bool {
        chance > 0.0 && share(self.avoiding.draw(luck, u64::from(attempt))) < chance
    }
}
