//! How every machine stood at sampled moments, for the fleet map: one byte a machine, a
//! [`MachineByte`].

use alloc::vec::Vec;

use tiebreak_model::{MachineId, Occupancy, Time};

use crate::machine_byte::MachineByte;

/// Bytes all frames together may take.
const BYTES_MAX: usize = 16 << 20;

/// The frames of a run.
#[derive(Clone, Debug)]
pub struct Frames {
    machines: usize,
    every: usize,
    ticks: usize,
    times: Vec<Time>,
    bytes: Vec<u8>,
}

impl Frames {
    /// Frames for `ticks` samples of this many machines, thinned to fit in memory.
    pub(crate) fn new(machines: usize, ticks: usize) -> Self {
        let fitting = (BYTES_MAX / machines.max(1)).max(2);
        Self { machines, every: ticks.div_ceil(fitting).max(1), ticks: 0, times: Vec::new(), bytes: Vec::new() }
    }

    pub(crate) fn tick(&mut self, now: Time, occupancy: &Occupancy) {
        if self.ticks.is_multiple_of(self.every) {
            self.times.push(now);
            self.bytes.extend(fullness_of(occupancy));
        }
        self.ticks += 1;
    }

    /// When each frame was taken.
    #[must_use]
    pub fn times(&self) -> &[Time] {
        &self.times
    }

    /// The frame in force at `time`: the last one not after it, or the first.
    #[must_use]
    pub fn at(&self, time: Time) -> &[u8] {
        let index = self.times.partition_point(|taken| *taken <= time).saturating_sub(1);
        self.frame(index)
    }

    /// One frame: a byte per machine. Empty when there is none.
    #[must_use]
    pub fn frame(&self, index: usize) -> &[u8] {
        self.bytes.get(index * self.machines..(index + 1) * self.machines).unwrap_or(&[])
    }
}

/// How each machine stands.
pub(crate) fn fullness_of(occupancy: &Occupancy) -> impl Iterator<Item = u8> + '_ {
    occupancy.fleet().clusters().iter().flat_map(|cluster| {
        let records = cluster.machines().map(|id| occupancy.record(MachineId(id)));
        records.map(move |record| MachineByte::of(&record, cluster.capacity).0)
    })
}
