//! `Constant`: the baseline that tells no VM from another.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::declare;

use super::mean_by_type::Means;
use super::{AtOnce, Kind, Lesson, seconds};
use crate::predictions::{Curves, Predictions};
use crate::training::Learner;

declare! {
    /// Predicts for every VM the mean life of those that came and went in the first part of the
    /// trace, and the same again when that is over.
    ///
    /// What everybody who looks at a dashboard knows. VMs that were still alive are not in the mean,
    /// so it is too short. The survival table and the trees count them.
    pub struct Constant as "Mean of all" {
        /// Share of the trace's time that is learned from.
        train_share: f64 = 50, 0 => 100, "%";
        /// Longer lives count as this long.
        cap: f64 = 168, 1 => 10000, "h";
    }
}

impl Kind for Constant {
    fn begin(self, Lesson { workload, .. }: Lesson) -> Box<dyn Learner> {
        AtOnce::boxed(move || {
            let means = Means::of(&workload, self.train_share, seconds(self.cap));
            let curve_of = alloc::vec![0; workload.vm_count() as usize];
            let curves = Vec::from([means.of_all()]);
            means.learned(Predictions::of_curves(Curves { curves, curve_of }))
        })
    }
}
