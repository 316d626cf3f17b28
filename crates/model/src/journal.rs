//! The change journal: which machines changed since a revision, newest first.
//!
//! A global revision number grows with every change and each machine remembers its
//! latest. Per cluster the machines form a list ordered by revision, so reading what
//! changed costs as much as what changed, however large the fleet is. Source:
//! Protean section 5.2.4.

use alloc::vec;
use alloc::vec::Vec;

use crate::fleet::Fleet;
use crate::ids::{ClusterId, MachineId};

const NONE: u32 = u32::MAX;

/// Counts changes; 0 is the state the journal began with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(pub u64);

/// Who changed when, one list per cluster.
#[derive(Clone, Debug)]
pub struct Journal {
    revision: Revision,
    latest: Vec<Revision>,
    newer: Vec<u32>,
    older: Vec<u32>,
    newest: Vec<u32>,
}

impl Journal {
    /// A journal in which nothing has changed yet.
    #[must_use]
    pub fn new(fleet: &Fleet) -> Self {
        let machines = fleet.machine_count() as usize;
        Self {
            revision: Revision(0),
            latest: vec![Revision(0); machines],
            newer: vec![NONE; machines],
            older: vec![NONE; machines],
            newest: vec![NONE; fleet.clusters().len()],
        }
    }

    /// The latest revision of all.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// When a machine last changed.
    #[must_use]
    pub fn revision_of(&self, machine: MachineId) -> Revision {
        self.latest[machine.index()]
    }

    /// When any machine of a cluster last changed.
    #[inline]
    #[must_use]
    pub fn revision_of_cluster(&self, cluster: ClusterId) -> Revision {
        match self.newest[cluster.index()] {
            NONE => Revision(0),
            newest => self.latest[newest as usize],
        }
    }

    /// Notes that a machine of this cluster changed just now.
    pub fn record(&mut self, cluster: ClusterId, machine: MachineId) {
        self.revision.0 += 1;
        let front = self.newest[cluster.index()];
        if front != machine.0 {
            self.unlink(machine);
            self.push_front(cluster, machine, front);
        }
        self.latest[machine.index()] = self.revision;
    }

    fn unlink(&mut self, machine: MachineId) {
        if self.latest[machine.index()] == Revision(0) {
            return;
        }
        let (newer, older) = (self.newer[machine.index()], self.older[machine.index()]);
        self.older[newer as usize] = older;
        if older != NONE {
            self.newer[older as usize] = newer;
        }
    }

    fn push_front(&mut self, cluster: ClusterId, machine: MachineId, front: u32) {
        if front != NONE {
            self.newer[front as usize] = machine.0;
        }
        self.newer[machine.index()] = NONE;
        self.older[machine.index()] = front;
        self.newest[cluster.index()] = machine.0;
    }

    /// The machines of a cluster that changed after `since`, newest first, each once.
    #[inline]
    pub fn changed_since(&self, cluster: ClusterId, since: Revision) -> impl Iterator<Item = MachineId> + '_ {
        let mut next = self.newest[cluster.index()];
        core::iter::from_fn(move || {
            if next == NONE || self.latest[next as usize] <= since {
                return None;
            }
            let machine = MachineId(next);
            next = self.older[machine.index()];
            Some(machine)
        })
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
        };
        let fleet = Fleet::build(&[cluster(5), cluster(3)]).expect("a fleet");
        let mut journal = Journal::new(&fleet);
        let mut log: BTreeMap<u64, MachineId> = BTreeMap::new();
        let stream = Seed(3).stream("journal test");
        for step in 0..500 {
            let machine = MachineId(pick(stream.draw(step, 0), 8));
            journal.record(fleet.cluster_of(machine), machine);
            log.insert(journal.revision().0, machine);
            let since = u64::from(pick(stream.draw(step, 1), step as u32 + 1));
            let expected: BTreeSet<_> = log.range(since + 1..).map(|(_, machine)| *machine).collect();
            let seen: Vec<_> = (0..2).flat_map(|c| journal.changed_since(ClusterId(c), Revision(since))).collect();
            assert_eq!(seen.iter().copied().collect::<BTreeSet<_>>(), expected, "step {step}, since {since}");
            assert_eq!(seen.len(), expected.len(), "each once");
        }
    }
}
