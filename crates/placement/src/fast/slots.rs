//! A list that is written block by block: within a block, adding a machine is a write and nothing else.

use alloc::vec::Vec;
use core::ops::Deref;

use tiebreak_model::MachineId;

/// The length of a block.
pub(crate) const BLOCK: usize = 32;

/// Machines, and room for more behind them, which stays when the list is cleared.
#[derive(Default)]
pub(crate) struct Slots {
    machines: Vec<MachineId>,
    taken: usize,
}

impl Slots {
    pub(crate) fn clear(&mut self) {
        self.taken = 0;
    }

    /// Adds machines to the end.
    pub(crate) fn extend(&mut self, machines: impl Iterator<Item = MachineId>) {
        self.machines.truncate(self.taken);
        self.machines.extend(machines);
        self.taken = self.machines.len();
    }

    /// Keeps the first machines.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.taken = self.taken.min(len);
    }

    /// The block behind the machines, to be written from its start; see [`Self::written`].
    #[inline]
    pub(crate) fn block(&mut self) -> &mut [MachineId; BLOCK] {
        let end = self.taken + BLOCK;
        if self.machines.len() < end {
            self.machines.resize(2 * end, MachineId(0));
        }
        self.machines[self.taken..].first_chunk_mut().expect("it has room for a block")
    }

    /// Adds the first machines of the block to the list.
    #[inline]
    pub(crate) fn written(&mut self, machines: usize) {
        self.taken += machines;
    }
}

impl Deref for Slots {
    type Target = [MachineId];

    #[inline]
    fn deref(&self) -> &[MachineId] {
        &self.machines[..self.taken]
    }
}
