//! `MeanByType`: the baseline that uses only a VM's shape.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::{Time, VmId, Workload, declare};

use super::{AtOnce, Kind, Lesson, seconds};
use crate::curve::Curve;
use crate::predictions::Predictions;
use crate::spells;
use crate::training::{Learned, Learner};

declare! {
    /// Predicts for every VM the mean lifetime of the VMs of its shape that arrived and exited in the first part of
    /// the trace, and the same again once that has passed.
    ///
    /// A shape with fewer than 10 such VMs gets the mean of all. VMs that were still running are not in the mean,
    /// so it is too short.
    pub struct MeanByType as "Mean by VM type" {
        /// Share of the trace's time used for training.
        train_share: f64 = 50, 0 => 100, "%";
        /// Maximum lifetime; longer lifetimes count as this long.
        cap: f64 = 168, 1 => 10000, "h";
    }
}

/// Shapes with fewer examples have no mean of their own (LAVA Appendix A).
pub(super) const EXAMPLES_MIN: u32 = 10;

impl Kind for MeanByType {
    fn begin(self, lesson: Lesson) -> Box<dyn Learner> {
        let (cut, workload) = (lesson.cut(self.train_share), lesson.workload);
        AtOnce::boxed(move || {
            let means = Means::of(&workload, cut, seconds(self.cap));
            let by_shape = means.by_shape.iter().map(|mean| mean.curve(EXAMPLES_MIN).unwrap_or(means.of_all()));
            let curves: Vec<Curve> = core::iter::once(means.of_all()).chain(by_shape).collect();
            let shapes = (0..workload.vm_count()).map(|vm| workload.shape_of(VmId(vm)));
            let curve_of = shapes.map(|shape| shape.0 + 1).collect();
            means.learned(Predictions::of_curves(curves, curve_of))
        })
    }
}

/// The mean lifetimes of VMs that arrived and ended before a cut.
pub(super) struct Means {
    all: Mean,
    by_shape: Vec<Mean>,
    cut: Time,
    cap_s: u32,
    alive: u32,
}

#[derive(Clone, Copy, Default)]
struct Mean {
    sum_s: u64,
    count: u32,
}

impl Means {
    pub(super) fn of(workload: &Workload, cut: Time, cap_s: u32) -> Self {
        let by_shape = alloc::vec![Mean::default(); workload.shapes().len()];
        let mut means = Self { all: Mean::default(), by_shape, cut, cap_s, alive: 0 };
        for spell in spells::spells(workload, cut).iter().filter(|spell| spell.entry_s == 0) {
            if spell.ended {
                let shape = workload.shape_of(spell.vm);
                means.all.add(spell.exit_s.min(cap_s));
                means.by_shape[shape.index()].add(spell.exit_s.min(cap_s));
            } else {
                means.alive += 1;
            }
        }
        means
    }

    /// The mean of all; the cap if none has ended.
    pub(super) fn of_all(&self) -> Curve {
        self.all.curve(1).unwrap_or_else(|| Curve::constant(self.cap_s))
    }

    pub(super) fn learned(&self, predictions: Predictions) -> Learned {
        Learned {
            predictions,
            cut: self.cut,
            trained_on: self.all.count + self.alive,
            trained_censored: self.alive,
            influence: Vec::new(),
        }
    }
}

impl Mean {
    fn add(&mut self, life_s: u32) {
        self.sum_s += u64::from(life_s);
        self.count += 1;
    }

    fn curve(self, least: u32) -> Option<Curve> {
        (self.count >= least).then(|| Curve::constant(self.sum_s.div_ceil(u64::from(self.count)) as u32))
    }
}
