//! Records the step of the funnel at which each machine dropped out.

use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::{ClusterId, Fleet, MachineId};

/// Marks a machine tied for best, instead of a step number.
pub const KEPT: u8 = u8::MAX;

/// Follows a decision and records at which step each machine drops out. Steps are counted from 0, starting with
/// cluster steps. A trail that is off records nothing and costs nothing.
pub(crate) struct Trail<'a> {
    fleet: Option<&'a Fleet>,
    /// The number of the next step.
    next: u8,
    /// For each machine, the step after the last one that kept it.
    dropped_at: Vec<u8>,
}

impl<'a> Trail<'a> {
    /// For callers that only need counts.
    pub(crate) const fn off() -> Self {
        Self { fleet: None, next: 0, dropped_at: Vec::new() }
    }

    /// Follows every machine of a fleet.
    pub(crate) fn of(fleet: &'a Fleet) -> Self {
        Self { fleet: Some(fleet), next: 0, dropped_at: vec![0; fleet.machine_count() as usize] }
    }

    /// Records that a step kept these clusters.
    pub(crate) fn leaves_clusters(&mut self, clusters: &[ClusterId]) {
        let Some(fleet) = self.fleet else { return };
        self.leave(clusters.iter().flat_map(|id| fleet.cluster(*id).machines()));
    }

    /// Records that a step kept these machines.
    pub(crate) fn leaves(&mut self, machines: &[MachineId]) {
        if self.fleet.is_some() {
            self.leave(machines.iter().map(|id| id.0));
        }
    }

    /// Goes back to the step with this number, because other clusters are searched next. Machines that got further
    /// dropped out here.
    pub(crate) fn back_to(&mut self, step: usize) {
        self.next = u8::try_from(step).map_or(KEPT - 1, |step| step.min(KEPT - 1));
        self.dropped_at.iter_mut().for_each(|byte| *byte = self.next.min(*byte));
    }

    /// The machines that dropped out at the step with this number, by id.
    pub(crate) fn dropped_at(&self, step: usize) -> Vec<MachineId> {
        let dropped = (0..).zip(&self.dropped_at).filter(|(_, at)| usize::from(**at) == step);
        dropped.map(|(machine, _)| MachineId(machine)).collect()
    }

    /// For each machine, by id: the step at which it dropped out, or [`KEPT`] for these.
    pub(crate) fn end(mut self, best: &[MachineId]) -> Vec<u8> {
        best.iter().for_each(|id| self.dropped_at[id.0 as usize] = KEPT);
        self.dropped_at
    }

    fn leave(&mut self, machines: impl Iterator<Item = u32>) {
        self.next = self.next.saturating_add(1).min(KEPT - 1);
        machines.for_each(|machine| self.dropped_at[machine as usize] = self.next);
    }
}
