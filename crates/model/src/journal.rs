//! The change journal: which machines changed since a revision, newest first.
//!
//! A global revision number grows with every change; each machine and each cluster remembers its latest. The machines
//! of a cluster form a list ordered by revision, and so do the clusters. So the cost of reading changes depends on
//! their number, not on the size of the fleet. Source: Protean section 5.2.4.
//!
//! The journal keeps each machine's free capacity beside its place in the list: whoever reads a change looks at that
//! next, and mostly finds it in the same cache line.

use alloc::vec;
use alloc::vec::Vec;
use core::iter::repeat_n;

use crate::fleet::Fleet;
use crate::ids::{ClusterId, MachineId};
use crate::resources::Resources;

const NONE: u32 = u32::MAX;

/// Counts changes; 0 is the initial state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(pub u64);

/// The changed machines in order.
#[derive(Clone, Debug)]
pub struct Journal {
    revision: Revision,
    /// One list per cluster.
    machines: Recency<Resources>,
    /// One list of all clusters.
    clusters: Recency<()>,
}

impl Journal {
    /// A journal without changes, of machines with this free capacity, by id.
    #[must_use]
    pub fn new(fleet: &Fleet, free: impl Iterator<Item = Resources>) -> Self {
        let clusters = fleet.clusters().len();
        Self {
            revision: Revision(0),
            machines: Recency::new(free, clusters),
            clusters: Recency::new(repeat_n((), clusters), 1),
        }
    }

    /// Counts changes from now on without the order of the machines, for an observer whose changes nobody reads.
    pub(crate) fn only_count(&mut self) {
        self.machines.newest.clear();
        self.clusters.newest.clear();
    }

    /// The latest revision.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// When a machine last changed.
    #[inline]
    #[must_use]
    pub fn revision_of(&self, machine: MachineId) -> Revision {
        self.machines.latest(machine.index())
    }

    /// When any machine of a cluster last changed.
    #[inline]
    #[must_use]
    pub fn revision_of_cluster(&self, cluster: ClusterId) -> Revision {
        self.clusters.latest(cluster.index())
    }

    /// Records that a machine of this cluster has just changed, and what is free on it now.
    pub fn record(&mut self, cluster: ClusterId, machine: MachineId, free: Resources) {
        self.revision.0 += 1;
        self.machines.touch(cluster.index(), machine.0, (self.revision, free));
        self.clusters.touch(0, cluster.0, (self.revision, ()));
    }

    /// A machine's free capacity.
    #[inline]
    pub(crate) fn free(&self, machine: MachineId) -> Resources {
        self.machines.items[machine.index()].beside
    }

    /// The machines of a cluster that changed after `since`, newest first, each once, with what is free on them.
    #[inline]
    pub fn changed_since(
        &self,
        cluster: ClusterId,
        since: Revision,
    ) -> impl Iterator<Item = (MachineId, Resources)> + '_ {
        self.machines.since(cluster.index(), since).map(|(machine, free)| (MachineId(machine), free))
    }

    /// The clusters with a machine that changed after `since`, newest first, each once.
    #[inline]
    pub fn clusters_changed_since(&self, since: Revision) -> impl Iterator<Item = ClusterId> + '_ {
        self.clusters.since(0, since).map(|(cluster, ())| ClusterId(cluster))
    }

    /// Bytes it holds, without the free capacities, which are part of the state.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.machines.bytes() + self.clusters.bytes()
    }
}

/// Lists of items, each ordered by last change. Each item has something `beside` its place that readers look at.
#[derive(Clone, Debug)]
struct Recency<T> {
    items: Vec<Item<T>>,
    /// The newest of each list; empty if there are no lists, only the items' last changes.
    newest: Vec<u32>,
}

/// An item's last change, its neighbours, and what readers look at, together because readers follow them from item to
/// item.
#[derive(Clone, Copy, Debug)]
struct Item<T> {
    latest: Revision,
    newer: u32,
    older: u32,
    beside: T,
}

impl<T: Copy> Recency<T> {
    /// This many items in this many lists, all unchanged.
    fn new(things: impl Iterator<Item = T>, lists: usize) -> Self {
        let unchanged = |beside| Item { latest: Revision(0), newer: NONE, older: NONE, beside };
        Self { items: things.map(unchanged).collect(), newest: vec![NONE; lists] }
    }

    /// When an item last changed.
    #[inline]
    fn latest(&self, thing: usize) -> Revision {
        self.items[thing].latest
    }

    /// Moves an item to the front of its list (always the same one), because it changed now to this.
    #[inline]
    fn touch(&mut self, list: usize, thing: u32, (now, beside): (Revision, T)) {
        let Item { latest, newer, older, .. } = self.items[thing as usize];
        match self.newest.get_mut(list).map(|newest| core::mem::replace(newest, thing)) {
            Some(front) if front != thing => {
                if latest > Revision(0) {
                    self.items[newer as usize].older = older;
                }
                // There may be no older one, or no front.
                for (neighbour, newer) in [(older, newer), (front, thing)] {
                    if let Some(item) = self.items.get_mut(neighbour as usize) {
                        item.newer = newer;
                    }
                }
                self.items[thing as usize] = Item { latest: now, newer: NONE, older: front, beside };
            }
            _ => {
                let item = &mut self.items[thing as usize];
                (item.latest, item.beside) = (now, beside);
            }
        }
    }

    /// The items of a list that changed after `since`, newest first, each once.
    #[inline]
    fn since(&self, list: usize, since: Revision) -> impl Iterator<Item = (u32, T)> + '_ {
        let mut next = self.newest[list];
        core::iter::from_fn(move || {
            let item = self.items.get(next as usize).filter(|item| item.latest > since)?;
            Some((core::mem::replace(&mut next, item.older), item.beside))
        })
    }

    /// Without what is beside the places.
    fn bytes(&self) -> usize {
        self.items.capacity() * (size_of::<Item<T>>() - size_of::<T>()) + self.newest.capacity() * size_of::<u32>()
    }
}

/// The changes of some things, counted on their own.
#[derive(Clone, Debug)]
pub struct Changes {
    revision: Revision,
    things: Recency<()>,
}

impl Changes {
    /// This many things, all unchanged.
    #[must_use]
    pub fn new(things: usize) -> Self {
        Self { revision: Revision(0), things: Recency::new(repeat_n((), things), 1) }
    }

    /// The latest change.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Records that a thing has just changed.
    pub fn record(&mut self, thing: u32) {
        self.revision.0 += 1;
        self.things.touch(0, thing, (self.revision, ()));
    }

    /// The things that changed after `since`, newest first, each once.
    #[inline]
    pub fn since(&self, since: Revision) -> impl Iterator<Item = u32> + '_ {
        self.things.since(0, since).map(|(thing, ())| thing)
    }

    /// Bytes it holds.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.things.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::ClusterSpec;
    use crate::random::{Seed, pick};
    use crate::resources::Resources;
    use alloc::collections::BTreeMap;
    use alloc::collections::BTreeSet;

    #[test]
    fn what_changed_since_a_revision_is_exactly_what_changed() {
        let cluster = |machines| ClusterSpec {
            name: "c".into(),
            machines,
            racks: 1,
            capacity: Resources::new(1, 1, 0, 0),
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        let fleet = Fleet::build(&[cluster(5), cluster(3)]).expect("a fleet");
        let mut journal = Journal::new(&fleet, repeat_n(Resources::NONE, 8));
        let mut log: BTreeMap<u64, MachineId> = BTreeMap::new();
        let stream = Seed(3).stream("journal test");
        for step in 0..500 {
            let machine = MachineId(pick(stream.draw(step, 0), 8));
            let free = Resources::new(step as u32, 1, 0, 0);
            journal.record(fleet.cluster_of(machine), machine, free);
            assert_eq!(journal.free(machine), free);
            log.insert(journal.revision().0, machine);
            let since = u64::from(pick(stream.draw(step, 1), step as u32 + 1));
            let expected: BTreeSet<_> = log.range(since + 1..).map(|(_, machine)| *machine).collect();
            let changed = (0..2).flat_map(|c| journal.changed_since(ClusterId(c), Revision(since)));
            let (seen, free): (Vec<_>, Vec<_>) = changed.unzip();
            assert!(seen.iter().map(|machine| journal.free(*machine)).eq(free));
            assert_eq!(seen.iter().copied().collect::<BTreeSet<_>>(), expected, "step {step}, since {since}");
            assert_eq!(seen.len(), expected.len(), "each once");
            let clusters: BTreeSet<_> = expected.iter().map(|machine| fleet.cluster_of(*machine)).collect();
            let seen: Vec<_> = journal.clusters_changed_since(Revision(since)).collect();
            assert_eq!(seen.iter().copied().collect::<BTreeSet<_>>(), clusters, "step {step}, since {since}");
            assert_eq!(seen.len(), clusters.len(), "each once");
        }
    }
}
