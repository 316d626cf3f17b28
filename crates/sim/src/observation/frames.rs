//! The state of every machine at sampled moments, for the fleet map: one byte per machine, a [`MachineByte`], plus a
//! [`LifeByte`] if lifetimes are predicted, and a [`ShareByte`] each if VMs are linked and if power draws are
//! measured. Also where commits failed between two moments (Protean section 5.3).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tiebreak_model::{Cut, MachineId, Occupancy, Time};

use super::machine_byte::MachineByte;
use super::share_byte::ShareByte;
use crate::lifetimes::life_byte::LifeByte;

/// The maximum size of all frames, in bytes.
const BYTES_MAX: usize = 16 << 20;

/// The maximum number of machines that one frame lists as places of failed commits.
pub const FAILED_MAX: usize = 200;

/// What frames contain in addition to machine states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// Lifetime states.
    pub lives: bool,
    /// Reserved shares of uplinks.
    pub uplinks: bool,
    /// Power draws as shares of the budget.
    pub draws: bool,
}

impl Layers {
    /// Bytes per machine in one frame.
    #[must_use]
    pub fn bytes(self) -> usize {
        1 + usize::from(self.lives) + usize::from(self.uplinks) + usize::from(self.draws)
    }
}

/// Where commits failed since the previous frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failed {
    /// The machines, by id: all of them, or the [`FAILED_MAX`] with most failed commits.
    pub machines: Vec<u32>,
    /// The number of further machines that are not listed.
    pub left_out: u32,
}

/// The frames of a run.
#[derive(Clone, Debug)]
pub struct Frames {
    machines: usize,
    layers: Layers,
    every: usize,
    ticks: usize,
    times: Vec<Time>,
    bytes: Vec<u8>,
    failed: Vec<Failed>,
    /// Failed commits per machine since the last frame.
    failing: BTreeMap<u32, u32>,
}

impl Frames {
    /// Frames for `ticks` samples of this many machines, thinned to fit into memory.
    pub(crate) fn new(machines: usize, ticks: usize, layers: Layers) -> Self {
        let fitting = (BYTES_MAX / (machines * layers.bytes()).max(1)).max(2);
        let every = ticks.div_ceil(fitting).max(1);
        let (times, bytes, failed) = (Vec::new(), Vec::new(), Vec::new());
        Self { machines, layers, every, ticks: 0, times, bytes, failed, failing: BTreeMap::new() }
    }

    /// A commit failed because of these machines.
    pub(crate) fn commit_failed(&mut self, on: &[MachineId]) {
        for machine in on {
            *self.failing.entry(machine.0).or_default() += 1;
        }
    }

    /// Takes a sample; `draws` are the servers' draws as shares of their limits, if that layer is on.
    pub(crate) fn tick(&mut self, now: Time, occupancy: &Occupancy, draws: impl Iterator<Item = f64>) {
        if self.ticks.is_multiple_of(self.every) {
            self.times.push(now);
            picture(occupancy, self.layers, draws, &mut self.bytes);
            self.failed.push(named(&self.failing));
            self.failing.clear();
        }
        self.ticks += 1;
    }

    /// The time of each frame.
    #[must_use]
    pub fn times(&self) -> &[Time] {
        &self.times
    }

    /// The frame at `time`: the last one not after it, or the first.
    #[must_use]
    pub fn at(&self, time: Time) -> &[u8] {
        let index = self.times.partition_point(|taken| *taken <= time).saturating_sub(1);
        let first = index * self.machines * self.layers.bytes();
        self.bytes.get(first..first + self.machines).unwrap_or(&[])
    }

    /// The reserved share of a machine's uplinks at `time`; `None` if VMs are not linked.
    #[must_use]
    pub fn uplink_at(&self, time: Time, machine: MachineId) -> Option<ShareByte> {
        let index = self.times.partition_point(|taken| *taken <= time).saturating_sub(1);
        let plane = index * self.layers.bytes() + 1 + usize::from(self.layers.lives);
        self.bytes
            .get(plane * self.machines + machine.index())
            .filter(|_| self.layers.uplinks)
            .map(|byte| ShareByte(*byte))
    }

    /// A server's draw as a share of its power budget at `time`; `None` if draws are not measured.
    #[must_use]
    pub fn draw_at(&self, time: Time, machine: MachineId) -> Option<ShareByte> {
        let index = self.times.partition_point(|taken| *taken <= time).saturating_sub(1);
        let planes = self.layers.bytes();
        let at = (index * planes + planes - 1) * self.machines + machine.index();
        self.bytes.get(at).filter(|_| self.layers.draws).map(|byte| ShareByte(*byte))
    }

    /// What the frames contain in addition to machine states.
    #[must_use]
    pub fn layers(&self) -> Layers {
        self.layers
    }

    /// Where commits failed between each frame and the one before it.
    #[must_use]
    pub fn failed(&self) -> &[Failed] {
        &self.failed
    }

    /// Where commits failed since the last frame.
    #[must_use]
    pub fn failing(&self) -> Failed {
        named(&self.failing)
    }

    /// All frames in sequence: for each, one byte per machine, then those of each layer.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The machines with most failed commits, by id. Ties are broken by the reversed bits of the id, so that the listed
/// machines are spread over the whole zone.
fn named(failing: &BTreeMap<u32, u32>) -> Failed {
    let place = |commits: u32, bits: u32| u64::from(!commits) << 32 | u64::from(bits);
    let mut all: Vec<_> = failing.iter().map(|(machine, commits)| place(*commits, machine.reverse_bits())).collect();
    all.sort_unstable();
    let left_out = all.len().saturating_sub(FAILED_MAX) as u32;
    let mut machines: Vec<_> = all.into_iter().take(FAILED_MAX).map(|place| (place as u32).reverse_bits()).collect();
    machines.sort_unstable();
    Failed { machines, left_out }
}

/// Appends one frame with the state of every machine.
pub(crate) fn picture(occupancy: &Occupancy, layers: Layers, draws: impl Iterator<Item = f64>, bytes: &mut Vec<u8>) {
    let fleet = occupancy.fleet();
    let records = || (0..fleet.machine_count()).map(MachineId).map(|id| (id, occupancy.record(id)));
    bytes.extend(records().map(|(id, record)| MachineByte::of(&record, fleet.capacity(id)).0));
    if layers.lives {
        bytes.extend(records().map(|(_, record)| LifeByte::of(&record.life).0));
    }
    if let Some(network) = occupancy.network().filter(|_| layers.uplinks) {
        bytes.extend(
            (0..fleet.machine_count()).map(|id| ShareByte::of(network.used_share(Cut::Machine(MachineId(id)))).0),
        );
    }
    if layers.draws {
        bytes.extend(draws.map(|share| ShareByte::of(share).0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn failed_on(machines: impl IntoIterator<Item = u32>) -> Failed {
        let mut frames = Frames::new(500, 1, Layers::default());
        machines.into_iter().for_each(|machine| frames.commit_failed(&[MachineId(machine)]));
        frames.failing()
    }

    #[test]
    fn machines_of_failed_commits_are_named_once_and_those_with_most_first() {
        assert_eq!(failed_on([]), Failed::default());
        assert_eq!(failed_on([7, 3, 7]), Failed { machines: vec![3, 7], left_out: 0 });
        let many = failed_on((0..300).chain(250..300));
        assert_eq!((many.machines.len(), many.left_out), (FAILED_MAX, 100));
        assert!((250..300).all(|machine| many.machines.contains(&machine)), "those with two failed commits are named");
        assert!((0..250).step_by(2).all(|machine| many.machines.contains(&machine)), "the others from everywhere");
    }
}
