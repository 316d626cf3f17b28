//! The authoritative store: what is actually in use, and the changes on their way to the agents (Protean section 4).

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::journal::Revision;
use tiebreak_model::{MachineId, MachineRecord, Millis, Network, Occupancy, Time};

/// A change that becomes visible to agents at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Published<T> {
    visible_at: Time,
    pub(crate) news: T,
}

/// One machine's new state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MachineNews {
    pub(crate) machine: MachineId,
    pub(crate) revision: Revision,
    pub(crate) record: MachineRecord,
}

/// The reserved bandwidth of a cut, by the cut's index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CutNews {
    pub(crate) place: u32,
    /// How often it had changed by then.
    pub(crate) revision: u32,
    pub(crate) used_kbps: u64,
}

/// What agents follow, in order.
#[derive(Clone)]
pub(crate) struct Log<T> {
    entries: VecDeque<Published<T>>,
    /// The position of the oldest entry.
    first: u64,
}

impl<T> Log<T> {
    const fn empty() -> Self {
        Self { entries: VecDeque::new(), first: 0 }
    }

    fn publish(&mut self, visible_at: Time, news: T) {
        self.entries.push_back(Published { visible_at, news });
    }

    /// The entries from a position on that are visible at `now`.
    pub(crate) fn published(&self, from: u64, now: Time) -> impl Iterator<Item = &Published<T>> {
        let skip = (from - self.first) as usize;
        self.entries.range(skip..).take_while(move |entry| entry.visible_at <= now)
    }

    /// The position after the last entry.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// Drops entries that every agent has read.
    pub(crate) fn forget_before(&mut self, position: u64) {
        let read = position.saturating_sub(self.first).min(self.entries.len() as u64);
        self.entries.drain(..read as usize);
        self.first += read;
    }

    /// The number of entries that it holds.
    pub(crate) fn backlog(&self) -> usize {
        self.entries.len()
    }
}

/// The true state, and the logs that agents follow: of machines, and of reserved bandwidth.
#[derive(Clone)]
pub(crate) struct Store {
    occupancy: Occupancy,
    delay: Millis,
    pub(crate) machines: Log<MachineNews>,
    pub(crate) cuts: Log<CutNews>,
    /// The number of changes of each cut.
    cut_revisions: Vec<u32>,
}

impl Store {
    pub(crate) fn new(occupancy: Occupancy, delay: Millis) -> Self {
        let cuts = occupancy.network().map_or(0, Network::cuts);
        let cut_revisions = vec![0; cuts as usize];
        let occupancy = occupancy.without_order();
        Self { occupancy, delay, machines: Log::empty(), cuts: Log::empty(), cut_revisions }
    }

    pub(crate) fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    /// Counts placements from now on.
    pub(crate) fn count_uses(&mut self) {
        self.occupancy.count_uses();
    }

    /// Changes a machine and publishes it.
    pub(crate) fn set(&mut self, now: Time, machine: MachineId, record: MachineRecord) {
        self.occupancy.set(machine, record);
        let (revision, record) = (self.revision_of(machine), self.occupancy.record(machine));
        self.machines.publish(now + self.delay, MachineNews { machine, revision, record });
    }

    /// The entries of the longer log.
    pub(crate) fn backlog(&self) -> usize {
        self.machines.backlog().max(self.cuts.backlog())
    }

    /// Reserves or releases bandwidth of these cuts (by index), and publishes it.
    pub(crate) fn shift_links(&mut self, now: Time, cuts: &[(u32, u64)], comes: bool) {
        self.shift_unpublished(cuts, comes);
        for (place, _) in cuts {
            self.cut_revisions[*place as usize] += 1;
            let news = self.cut(*place);
            self.cuts.publish(now + self.delay, news);
        }
    }

    /// The same without publishing.
    pub(crate) fn shift_unpublished(&mut self, cuts: &[(u32, u64)], comes: bool) {
        let Some(network) = self.occupancy.network_mut() else { return };
        for (place, kbps) in cuts {
            if comes { network.reserve(*place, *kbps) } else { network.release(*place, *kbps) }
        }
    }

    /// The current reserved bandwidth of a cut.
    pub(crate) fn cut(&self, place: u32) -> CutNews {
        let used_kbps = self.occupancy.network().map_or(0, |network| network.used_at(place));
        CutNews { place, revision: self.cut_revisions[place as usize], used_kbps }
    }

    /// The number of changes of each cut.
    pub(crate) fn cut_revisions(&self) -> &[u32] {
        &self.cut_revisions
    }

    /// Changes a machine unseen by agents: before any has looked, or to change it back.
    pub(crate) fn set_unpublished(&mut self, machine: MachineId, record: MachineRecord) {
        self.occupancy.set(machine, record);
    }

    /// The revision of a machine's last change.
    pub(crate) fn revision_of(&self, machine: MachineId) -> Revision {
        self.occupancy.journal().revision_of(machine)
    }
}
