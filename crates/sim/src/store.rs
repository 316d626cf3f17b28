//! The authoritative store: what is really in use, and the changes on their way to
//! the agents (Protean section 4).

use alloc::collections::VecDeque;

use tiebreak_model::journal::Revision;
use tiebreak_model::{MachineId, MachineRecord, Millis, Occupancy, Time};

/// One machine's new state, visible to agents from a moment on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Published {
    pub(crate) visible_at: Time,
    pub(crate) machine: MachineId,
    pub(crate) revision: Revision,
    pub(crate) record: MachineRecord,
}

/// The truth, and the log that agents follow.
#[derive(Clone)]
pub(crate) struct Store {
    occupancy: Occupancy,
    delay: Millis,
    log: VecDeque<Published>,
    /// The log position of the first entry still kept.
    first: u64,
}

impl Store {
    pub(crate) fn new(occupancy: Occupancy, delay: Millis) -> Self {
        Self { occupancy, delay, log: VecDeque::new(), first: 0 }
    }

    pub(crate) fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    /// Changes a machine and publishes it.
    pub(crate) fn set(&mut self, now: Time, machine: MachineId, record: MachineRecord) {
        self.occupancy.set(machine, record);
        let revision = self.revision_of(machine);
        self.log.push_back(Published { visible_at: now + self.delay, machine, revision, record });
    }

    /// Changes a machine before any agent has looked.
    pub(crate) fn set_unpublished(&mut self, machine: MachineId, record: MachineRecord) {
        self.occupancy.set(machine, record);
    }

    /// When a machine last changed.
    pub(crate) fn revision_of(&self, machine: MachineId) -> Revision {
        self.occupancy.journal().revision_of(machine)
    }

    /// What became visible up to `now`, from a log position on.
    pub(crate) fn published(&self, from: u64, now: Time) -> impl Iterator<Item = &Published> {
        let skip = (from - self.first) as usize;
        self.log.range(skip..).take_while(move |entry| entry.visible_at <= now)
    }

    /// The position after the last entry.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.log.len() as u64
    }

    /// Forgets entries that every agent has read.
    pub(crate) fn forget_before(&mut self, position: u64) {
        while self.first < position && self.log.pop_front().is_some() {
            self.first += 1;
        }
    }

    /// How many entries are kept.
    pub(crate) fn backlog(&self) -> usize {
        self.log.len()
    }
}
