//! Converts trees to curves: the prediction for each VM at every uptime, so that a query costs as little as with a
//! table.

use alloc::vec::Vec;

use tiebreak_model::Workload;

use super::DECADE;
use super::binning::Binning;
use super::booster::Model;
use super::rows::Key;
use crate::curve::Curve;
use crate::predictions::Predictions;
use crate::{order, traits};

/// Predictions are rounded to this fraction of a decade (3.7 %), so that curves have fewer steps and hosts are
/// repredicted less often.
const ROUNDING: f64 = 1.0 / 64.0;

/// The number of VMs whose curves are computed in one step.
const CURVES_A_STEP: usize = 64;

/// Computes a curve for each distinct VM.
pub(crate) struct Application {
    pub(crate) model: Model,
    cap_s: u32,
    grid: Vec<u32>,
    keys: Vec<u64>,
    next: usize,
    /// The curve of each key, once it is computed.
    curve_of_key: Vec<u32>,
    curves: Vec<Curve>,
    key_of: Vec<u32>,
}

impl Application {
    /// `average` is the curve of VMs outside of the workload.
    pub(crate) fn new(workload: &Workload, binning: Binning, model: Model, average: Curve, cap_s: u32) -> Self {
        let keys_of_vms: Vec<u64> = traits::of(workload).map(|traits| binning.key(&traits).0).collect();
        let mut keys = order::sorted(keys_of_vms.clone());
        keys.dedup();
        let key_of = keys_of_vms.iter().map(|key| keys.partition_point(|other| other < key) as u32).collect();
        Self {
            model,
            cap_s,
            grid: binning.grid,
            curve_of_key: Vec::with_capacity(keys.len()),
            keys,
            next: 0,
            curves: Vec::from([average]),
            key_of,
        }
    }

    pub(crate) fn step(&mut self) -> Option<u32> {
        let until = self.keys.len().min(self.next + CURVES_A_STEP);
        for place in self.next..until {
            let curve = self.curve(Key(self.keys[place]));
            // Neighbours differ least, and often in no feature that a tree uses.
            if self.curves.last() != Some(&curve) {
                self.curves.push(curve);
            }
            self.curve_of_key.push(self.curves.len() as u32 - 1);
        }
        let made = until - core::mem::replace(&mut self.next, until);
        (made > 0).then_some(made as u32 * 10)
    }

    fn curve(&self, key: Key) -> Curve {
        let predicted = self.model.over_uptimes(key);
        Curve::of((0..self.grid.len()).map(|bin| {
            let decades = libm::round(f64::from(predicted[bin]) / DECADE / ROUNDING) * ROUNDING;
            let remaining_s = libm::ceil(libm::pow(10.0, decades)).clamp(1.0, f64::from(self.cap_s)) as u32;
            (self.grid[bin], (remaining_s + self.until_middle_s(bin).min(remaining_s)).min(self.cap_s))
        }))
    }

    /// The time from the start of a bin to its middle. A prediction for a bin holds for its middle, but a curve
    /// decreases from its start; so this time is added, and the mean of the curve over the bin equals the prediction.
    /// The first bin is about uptime 0 itself.
    fn until_middle_s(&self, bin: usize) -> u32 {
        match (bin, self.grid.get(bin + 1)) {
            (0, _) | (_, None) => 0,
            (_, Some(next_s)) => (next_s - self.grid[bin]) / 2,
        }
    }

    pub(crate) fn share_done(&self) -> f32 {
        self.next as f32 / self.keys.len().max(1) as f32
    }

    pub(crate) fn predictions(self) -> Predictions {
        let curve_of = self.key_of.iter().map(|key| self.curve_of_key[*key as usize]).collect();
        Predictions::of_curves(self.curves, curve_of)
    }
}
