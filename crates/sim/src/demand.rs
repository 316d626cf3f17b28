//! What a decision asks of the store, machine by machine: a machine takes its part whole
//! or the commit fails (Protean section 5.3).

use alloc::vec::Vec;

use tiebreak_model::{MachineId, MachineRecord, Occupancy, Resources};

use crate::agent::Assignment;

/// What a decision asks of one machine.
#[derive(Clone, Copy)]
pub(crate) struct Demand {
    pub(crate) machine: MachineId,
    /// None when the sum passes 32 bits, and so fits nowhere.
    sum: Option<Resources>,
    vms: u32,
}

impl Demand {
    /// The machine's state with this taken, if it fits.
    pub(crate) fn on(&self, occupancy: &Occupancy) -> Option<MachineRecord> {
        occupancy.record(self.machine).with(self.sum?, self.vms)
    }
}

/// Sums what a decision asks, machine by machine.
pub(crate) fn sum_demands(assignments: &[Assignment], demands: &mut Vec<Demand>) {
    demands.clear();
    demands.extend(assignments.iter().map(|it| Demand { machine: it.machine, sum: Some(it.demand), vms: 1 }));
    demands.sort_unstable_by_key(|demand| demand.machine);
    demands.dedup_by(|next, first| {
        let same = next.machine == first.machine;
        if same {
            first.sum = first.sum.zip(next.sum).and_then(|(sum, more)| sum.checked_add(more));
            first.vms += next.vms;
        }
        same
    });
}
