//! `Constant`: the baseline that does not distinguish VMs.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::declare;

use super::mean_by_type::Means;
use super::{AtOnce, Kind, Lesson, seconds};
use crate::predictions::Predictions;
use crate::training::Learner;

declare! {
    /// Predicts for every VM the mean lifetime of the VMs that arrived and exited in the first part of the trace,
    /// and the same again once that has passed.
    ///
    /// A simple average, as on a dashboard. VMs that were still running are not included, so it is too short. The
    /// survival table and the trees include them.
    pub struct Constant as "Mean of all VMs" {
        /// Share of the trace's time used for training.
        train_share: f64 = 50, 0 => 100, "%";
        /// Maximum lifetime; longer lifetimes count as this long.
        cap: f64 = 168, 1 => 10000, "h";
    }
}

impl Kind for Constant {
    fn begin(self, lesson: Lesson) -> Box<dyn Learner> {
        let (cut, workload) = (lesson.cut(self.train_share), lesson.workload);
        AtOnce::boxed(move || {
            let means = Means::of(&workload, cut, seconds(self.cap));
            let curve_of = alloc::vec![0; workload.vm_count() as usize];
            let curves = Vec::from([means.of_all()]);
            means.learned(Predictions::of_curves(curves, curve_of))
        })
    }
}
