//! The digest of a run: one number that two runs have in common only if they made the same decisions.

use xxhash_rust::xxh3::Xxh3;

use super::disruption::{Disruption, Reason};
use super::{Cause, Decision, Outcome};

#[derive(Clone)]
pub(crate) struct Digest(Xxh3);

impl Digest {
    pub(crate) fn new() -> Self {
        Self(Xxh3::new())
    }

    /// Adds everything about a decision except how the caches served it.
    pub(crate) fn add(&mut self, decision: &Decision) {
        let outcome = match decision.outcome {
            Outcome::Placed => 0_u32,
            Outcome::Conflict => 1,
            Outcome::Refused => 2,
            Outcome::OutOfRetries => 3,
        };
        let time = decision.time.0;
        let words = [
            time as u32,
            (time >> 32) as u32,
            decision.vm.0,
            outcome,
            decision.machine.map_or(u32::MAX, |machine| machine.0),
            decision.best_set,
            decision.agent.unwrap_or(u32::MAX),
            decision.attempt,
        ];
        // One update is faster than one for each word.
        self.0.update(words.map(u32::to_le_bytes).as_flattened());
        if decision.cause == Cause::Reallocation {
            self.0.update(b"reallocation");
        }
    }

    /// Adds that a VM left a machine.
    pub(crate) fn add_disruption(&mut self, disruption: &Disruption) {
        let Disruption { time, vm, from, since, reason, .. } = *disruption;
        let to = if let Reason::Migrated(to) = reason { to.0 } else { u32::MAX };
        self.0.update(reason.word().as_bytes());
        for moment in [time, since] {
            self.0.update(&moment.0.to_le_bytes());
        }
        for word in [vm.0, from.0, to] {
            self.0.update(&word.to_le_bytes());
        }
    }

    pub(crate) fn value(&self) -> u64 {
        self.0.digest()
    }
}
