//! Discrete-time hazards: a lifetime is a sequence of logarithmic steps, and a VM that reaches a step ends in it with a
//! probability. VMs that are still running count with the steps that they have passed. (Discrete-time survival: Singer
//! and Willett, Journal of Educational Statistics 1993)

use alloc::vec::Vec;

use crate::curve::Curve;
use crate::uptimes;

/// Every second uptime of the grid starts a step, so each starts about half again as late as the one before.
pub(crate) const STEPS: usize = Curve::STEPS_MAX / 2;

/// The starts of the steps, in seconds.
pub(crate) fn grid() -> Vec<u32> {
    uptimes::grid().into_iter().step_by(2).collect()
}

/// Probabilities of ending, step by step.
pub(crate) type Hazards = [f64; STEPS];

/// Ends and VMs at risk, step by step.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) ended: [u32; STEPS],
    /// VMs that were observed from the start of the step to its end, or to their own.
    pub(crate) at_risk: [u32; STEPS],
}

impl Seen {
    pub(crate) const NOTHING: Self = Self { ended: [0; STEPS], at_risk: [0; STEPS] };

    /// Adds a lifetime, observed from one uptime to another.
    pub(crate) fn add(&mut self, grid: &[u32], entry_s: u32, exit_s: u32, ended: bool) {
        let last = uptimes::place(grid, exit_s);
        // It counts from the first step that was observed from its start.
        let first = grid.partition_point(|from_s| *from_s < entry_s);
        (first..last).for_each(|step| self.at_risk[step] += 1);
        if ended && first <= last {
            self.at_risk[last] += 1;
            self.ended[last] += 1;
        }
    }

    /// Adds what was seen elsewhere.
    pub(crate) fn add_all(&mut self, other: &Self) {
        self.ended.iter_mut().zip(other.ended).for_each(|(sum, more)| *sum += more);
        self.at_risk.iter_mut().zip(other.at_risk).for_each(|(sum, more)| *sum += more);
    }

    /// The hazards, with those of the group above counting as `prior` VMs.
    pub(crate) fn hazards(&self, above: &Hazards, prior: f64) -> Hazards {
        core::array::from_fn(|step| {
            (f64::from(self.ended[step]) + prior * above[step]) / (f64::from(self.at_risk[step]) + prior)
        })
    }

    /// The hazards alone. Where no VM was at risk, none ends.
    pub(crate) fn alone(&self) -> Hazards {
        self.hazards(&[0.0; STEPS], 1e-9)
    }
}

/// What is predicted from hazards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    /// Longer remaining lifetimes count as this long.
    pub(crate) cap_s: u32,
    /// The remaining lifetime that this share of VMs does not exceed, in percent; the mean with 0.
    pub(crate) quantile: f64,
}

impl Told {
    /// The remaining lifetime at the start of each step.
    pub(crate) fn curve(&self, grid: &[u32], hazards: &Hazards) -> Curve {
        let cap_s = f64::from(self.cap_s);
        let remaining_s = |step: usize| {
            if self.quantile > 0.0 {
                quantile_s(grid, hazards, step, 1.0 - self.quantile / 100.0, cap_s)
            } else {
                mean_s(grid, hazards, step, cap_s)
            }
        };
        Curve::of((0..STEPS).map(|step| (grid[step], libm::ceil(remaining_s(step)).clamp(1.0, cap_s) as u32)))
    }
}

/// The mean remaining lifetime, counting at most the cap: of those running at a step's start, the share running at each
/// later moment, integrated over time.
fn mean_s(grid: &[u32], hazards: &Hazards, from: usize, cap_s: f64) -> f64 {
    let (mut alive, mut mean_s) = (1.0, 0.0);
    for (step, hazard) in hazards.iter().enumerate().skip(from) {
        let begins_s = f64::from(grid[step] - grid[from]);
        let width_s = end_s(grid, step, from).min(cap_s) - begins_s;
        if width_s <= 0.0 {
            break;
        }
        mean_s += alive * width_s * (1.0 - hazard / 2.0);
        alive *= 1.0 - hazard;
    }
    mean_s
}

/// The time at which at most this share of those running at a step's start is left.
fn quantile_s(grid: &[u32], hazards: &Hazards, from: usize, left: f64, cap_s: f64) -> f64 {
    let mut alive = 1.0;
    for (step, hazard) in hazards.iter().enumerate().skip(from) {
        let begins_s = f64::from(grid[step] - grid[from]);
        let after = alive * (1.0 - hazard);
        if after <= left {
            let part = (alive - left) / (alive - after);
            return begins_s + part * (end_s(grid, step, from) - begins_s);
        }
        alive = after;
    }
    cap_s
}

/// The end of a step, in seconds after the start of another; the last one never ends.
fn end_s(grid: &[u32], step: usize, from: usize) -> f64 {
    grid.get(step + 1).map_or(f64::from(u32::MAX), |end_s| f64::from(end_s - grid[from]))
}
