//! When machines are expected to be free, as columns, with the latest exit of small blocks of machines: bounds that
//! let a search skip most of them.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::ids::{MachineId, RackId};
use crate::life::HostLife;

/// Machines in a block.
const BLOCK: usize = 16;

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
    /// How often the exit of any machine of a rack has changed; wraps around.
    changes: Vec<u32>,
}

impl Exits {
    /// For empty machines in this many racks.
    pub(crate) fn new(machines: u32, racks: u32) -> Self {
        let all = machines as usize;
        let blocks = vec![ExpectedExit::default(); all.div_ceil(BLOCK)];
        Self { newest_s: vec![0; all], first_s: vec![0; all], blocks, changes: vec![0; racks as usize] }
    }

    /// Changes a machine's expected exit.
    #[inline]
    pub(crate) fn set(&mut self, machine: MachineId, rack: RackId, after: ExpectedExit) {
        let (before, at) = (self.of(machine), machine.index());
        if before != after {
            (self.newest_s[at], self.first_s[at]) = (after.newest_s, after.first_s);
            self.lift(at / BLOCK, before, after);
            let changes = &mut self.changes[rack.index()];
            *changes = changes.wrapping_add(1);
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

    /// For each rack, a number that changes whenever the exit of any of its machines changes.
    #[inline]
    #[must_use]
    pub fn changes_of_racks(&self) -> &[u32] {
        &self.changes
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
        let mut exits = Exits::new(100, 1);
        let stream = Seed(1).stream("exits test");
        for step in 0..5_000 {
            let machine = MachineId(pick(stream.draw(step, 0), 100));
            let [newest_s, first_s] = [1, 2].map(|draw| pick(stream.draw(step, draw), 50));
            exits.set(machine, RackId(0), ExpectedExit { newest_s, first_s });
            let latest = |machines: Range<u32>| {
                machines.map(|id| exits.of(MachineId(id))).fold(ExpectedExit::default(), ExpectedExit::later)
            };
            assert_eq!(exits.latest(0..100), latest(0..100), "step {step}");
            let block = machine.0 / BLOCK as u32 * BLOCK as u32;
            assert_eq!(exits.latest(machine.0..machine.0 + 1), latest(block..(block + BLOCK as u32).min(100)));
        }
    }
}
