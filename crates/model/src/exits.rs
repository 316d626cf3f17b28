//! When machines are expected to be free, as columns, with the latest exit of small blocks of machines: bounds that
//! let a search skip most of them.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::ids::MachineId;
use crate::life::HostLife;

/// Machines in a block.
const BLOCK: usize = 16;

/// The number of changes that are remembered. Whoever reads them at every decision misses none, even if dozens of
/// agents decide in between.
const RECENT: usize = 1024;

/// When a machine is expected to be free, in seconds since the start of the trace; 0 if it is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExpectedExit {
    /// By the newest predictions.
    pub newest_s: u32,
    /// By the first prediction of each VM.
    pub first_s: u32,
}

impl ExpectedExit {
    /// From the predictions for a machine.
    #[inline]
    #[must_use]
    pub const fn of(life: &HostLife) -> Self {
        Self { newest_s: life.exit_s, first_s: life.first_exit_s }
    }

    fn later(self, other: Self) -> Self {
        Self { newest_s: self.newest_s.max(other.newest_s), first_s: self.first_s.max(other.first_s) }
    }
}

/// The expected exits of all machines.
#[derive(Clone, Debug)]
pub struct Exits {
    newest_s: Vec<u32>,
    first_s: Vec<u32>,
    /// The latest exits of each block, by id.
    blocks: Vec<ExpectedExit>,
    /// The number of changes, and the machines of the last ones: of the `n`th change at `n % RECENT`.
    changes: u64,
    recent: Vec<MachineId>,
}

impl Exits {
    /// For this many empty machines.
    pub(crate) fn new(machines: u32) -> Self {
        let all = machines as usize;
        let blocks = vec![ExpectedExit::default(); all.div_ceil(BLOCK)];
        Self { newest_s: vec![0; all], first_s: vec![0; all], blocks, changes: 0, recent: vec![MachineId(0); RECENT] }
    }

    /// Changes a machine's expected exit.
    #[inline]
    pub(crate) fn set(&mut self, machine: MachineId, after: ExpectedExit) {
        let (before, at) = (self.of(machine), machine.index());
        if before != after {
            (self.newest_s[at], self.first_s[at]) = (after.newest_s, after.first_s);
            self.lift(at / BLOCK, before, after);
            self.recent[self.changes as usize % RECENT] = machine;
            self.changes += 1;
        }
    }

    fn lift(&mut self, block: usize, before: ExpectedExit, after: ExpectedExit) {
        let latest = self.blocks[block];
        let sinks = (before.newest_s == latest.newest_s && after.newest_s < before.newest_s)
            || (before.first_s == latest.first_s && after.first_s < before.first_s);
        self.blocks[block] = if sinks {
            let those = block * BLOCK..self.newest_s.len().min((block + 1) * BLOCK);
            let latest = |column: &[u32]| column.iter().copied().max().unwrap_or(0);
            ExpectedExit { newest_s: latest(&self.newest_s[those.clone()]), first_s: latest(&self.first_s[those]) }
        } else {
            latest.later(after)
        };
    }

    /// The expected exit of one machine.
    #[inline]
    #[must_use]
    pub fn of(&self, machine: MachineId) -> ExpectedExit {
        let at = machine.index();
        ExpectedExit { newest_s: self.newest_s[at], first_s: self.first_s[at] }
    }

    /// The exits of these machines by the newest predictions, in order of id.
    #[inline]
    #[must_use]
    pub fn newest(&self, machines: Range<u32>) -> &[u32] {
        &self.newest_s[machines.start as usize..machines.end as usize]
    }

    /// The exits of these machines by the first predictions, in order of id.
    #[inline]
    #[must_use]
    pub fn first(&self, machines: Range<u32>) -> &[u32] {
        &self.first_s[machines.start as usize..machines.end as usize]
    }

    /// How often the exit of any machine has changed.
    #[inline]
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// The machines whose exit changed after that many changes, once for each change; `None` if there were too many to
    /// remember.
    #[inline]
    pub fn changed_since(&self, changes: u64) -> Option<impl Iterator<Item = MachineId> + '_> {
        let are_known = self.changes.checked_sub(changes).is_some_and(|many| many <= RECENT as u64);
        are_known.then(|| (changes..self.changes).map(|change| self.recent[change as usize % RECENT]))
    }

    /// The latest exit of each kind among these machines, or among slightly more.
    #[inline]
    #[must_use]
    pub fn latest(&self, machines: Range<u32>) -> ExpectedExit {
        let blocks = machines.start as usize / BLOCK..(machines.end as usize).div_ceil(BLOCK);
        self.blocks[blocks].iter().copied().fold(ExpectedExit::default(), ExpectedExit::later)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Seed, pick};

    #[test]
    fn no_machine_of_a_range_is_expected_later() {
        let mut exits = Exits::new(100);
        let stream = Seed(1).stream("exits test");
        for step in 0..5_000 {
            let machine = MachineId(pick(stream.draw(step, 0), 100));
            let [newest_s, first_s] = [1, 2].map(|draw| pick(stream.draw(step, draw), 50));
            exits.set(machine, ExpectedExit { newest_s, first_s });
            let latest = |machines: Range<u32>| {
                machines.map(|id| exits.of(MachineId(id))).fold(ExpectedExit::default(), ExpectedExit::later)
            };
            assert_eq!(exits.latest(0..100), latest(0..100), "step {step}");
            let block = machine.0 / BLOCK as u32 * BLOCK as u32;
            assert_eq!(exits.latest(machine.0..machine.0 + 1), latest(block..(block + BLOCK as u32).min(100)));
        }
    }

    #[test]
    fn recent_changes_are_known_and_older_ones_are_not() {
        let mut exits = Exits::new(100);
        let stream = Seed(2).stream("exits test");
        let mut changed = Vec::new();
        for step in 0..3 * RECENT as u64 {
            let machine = MachineId(pick(stream.draw(step, 0), 100));
            let after = ExpectedExit { newest_s: pick(stream.draw(step, 1), 3), first_s: 0 };
            if exits.of(machine) != after {
                changed.push(machine);
            }
            exits.set(machine, after);
            assert_eq!(exits.changes(), changed.len() as u64, "a change to the same is none");
            let since = changed.len().saturating_sub(pick(stream.draw(step, 2), 2 * RECENT as u32) as usize);
            let seen = exits.changed_since(since as u64).map(|machines| machines.collect::<Vec<_>>());
            let known = Some(changed[since..].to_vec()).filter(|machines| machines.len() <= RECENT);
            assert_eq!(seen, known, "step {step}, since {since}");
        }
        assert!(changed.len() > 3 * RECENT / 2, "{} changes", changed.len());
    }
}
