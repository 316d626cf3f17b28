//! What one decision has to judge again, for all its clusters together, so that every rule is called once.

use alloc::vec::Vec;

use tiebreak_model::journal::Revision;
use tiebreak_model::{ClusterId, Fleet, MachineId, Occupancy, RackId};

use super::slots::Slots;

/// Machines to be judged, cluster by cluster.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) machines: Slots,
    pub(crate) parts: Vec<Part>,
}

/// The machines of one cluster in a batch.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) cluster: ClusterId,
    /// The revision after which these machines changed, newest first; `None` if the part is not such a list.
    pub(crate) since: Option<Revision>,
    start: u32,
    end: u32,
}

impl Part {
    /// Their range in the batch.
    pub(crate) fn range(&self) -> core::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Batch {
    pub(crate) fn clear(&mut self) {
        self.machines.clear();
        self.parts.clear();
    }

    /// Adds the machines of a cluster that changed after `since`, or all of them for `None`.
    pub(crate) fn add(&mut self, occupancy: &Occupancy, cluster: ClusterId, since: Option<Revision>) {
        match since {
            Some(since) => {
                self.machines.extend(occupancy.journal().changed_since(cluster, since).map(|(machine, _)| machine));
            }
            None => self.machines.extend(occupancy.fleet().cluster(cluster).machines().map(MachineId)),
        }
        self.end_part(cluster, since);
    }

    /// Adds some machines of a cluster, in any order.
    pub(crate) fn add_some(&mut self, cluster: ClusterId, machines: impl Iterator<Item = MachineId>) {
        self.machines.extend(machines);
        self.end_part(cluster, None);
    }

    /// Makes the machines added since the last part a part of this cluster; see [`Part::since`].
    #[inline]
    pub(crate) fn end_part(&mut self, cluster: ClusterId, since: Option<Revision>) {
        let start = self.parts.last().map_or(0, |part| part.end);
        self.parts.push(Part { cluster, since, start, end: self.machines.len() as u32 });
    }

    /// Widens the last part to all machines of its racks, by id.
    pub(crate) fn widen_to_racks(&mut self, fleet: &Fleet) {
        let Some(part) = self.parts.last_mut() else { return };
        let mut racks: Vec<_> = self.machines[part.range()].iter().map(|machine| fleet.rack_of(*machine).0).collect();
        racks.sort_unstable();
        racks.dedup();
        self.machines.truncate(part.start as usize);
        self.machines.extend(racks.into_iter().flat_map(|rack| fleet.machines_of_rack(RackId(rack))).map(MachineId));
        (part.since, part.end) = (None, self.machines.len() as u32);
    }
}
