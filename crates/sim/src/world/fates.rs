//! The fate of every VM, as a table.

use alloc::vec::Vec;
use core::ops::Range;

use tiebreak_model::table::{Column, Table, number, seconds, whole, word};
use tiebreak_model::{Bottleneck, VmId};

use super::World;
use crate::record::disruption::Fate;
use crate::record::{Outcome, Rejection};

/// Every VM of a run as a row: its data in the workload, its request, and its fate so far.
///
/// `outcome` is placed, refused, out of retries or undecided. For a VM that lost its machine for good it is evicted,
/// lost or ended; before that is known, waiting. `cluster` and `machine` are its current or last location, `placed_s`
/// is since when, in seconds, and `bottleneck` is what the network lacked although machines had room.
#[derive(Clone, Copy, Debug)]
pub struct Fates<'a>(pub &'a World);

impl Table for Fates<'_> {
    fn rows(&self) -> u32 {
        self.0.plan().workload().vm_count()
    }

    fn columns(&self, rows: Range<u32>) -> Vec<Column<'_>> {
        let Self(world) = self;
        let (workload, fleet) = (world.plan().workload(), world.plan().fleet());
        let rows = || rows.clone();
        let machine = |vm| world.placement(vm).map(|(machine, _)| machine);
        let cluster = |machine| fleet.cluster(fleet.cluster_of(machine)).name.as_str();
        let mut columns = Table::columns(&**workload, rows());
        columns.extend([
            whole("request", rows(), |vm| Some(workload.request_of(vm).0.into())),
            word("outcome", rows(), |vm| Some(world.outcome(vm))),
            word("cluster", rows(), |vm| machine(vm).map(cluster)),
            whole("machine", rows(), |vm| machine(vm).map(|machine| machine.0.into())),
            number("placed_s", rows(), |vm| world.placement(vm).and_then(|(_, since)| seconds(since))),
            word("bottleneck", rows(), |vm| world.bottleneck(vm).map(Bottleneck::word)),
        ]);
        columns
    }
}

impl World {
    /// The fate of a VM so far, as a word for files.
    fn outcome(&self, vm: VmId) -> &'static str {
        let refused = |why| match why {
            Rejection::Refused(_) => Outcome::Refused.word(),
            Rejection::OutOfRetries => Outcome::OutOfRetries.word(),
        };
        match (self.fate(vm), self.rejection(self.plan().workload().request_of(vm))) {
            (Some(Fate::Evicted { .. }), _) => "evicted",
            (Some(Fate::Waiting { .. }), _) => "waiting",
            (Some(Fate::Lost { .. }), _) => "lost",
            (Some(Fate::Ended { .. }), _) => "ended",
            (Some(Fate::Reallocated { .. } | Fate::Migrated { .. }), _) => Outcome::Placed.word(),
            (None, Some(why)) => refused(why),
            (None, None) if self.placement(vm).is_some() => Outcome::Placed.word(),
            (None, None) => "undecided",
        }
    }

    /// What blocked the links of a refused VM, or of the VM for which its request was refused.
    #[must_use]
    pub fn bottleneck(&self, vm: VmId) -> Option<Bottleneck> {
        let of_request = || match self.rejection(self.plan().workload().request_of(vm)) {
            Some(Rejection::Refused(vm)) => self.blocked(vm),
            _ => None,
        };
        self.blocked(vm).or_else(of_request).map(|blocked| blocked.by)
    }
}
