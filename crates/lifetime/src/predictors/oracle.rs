//! `Oracle` (LAVA Appendix G.2, oracular lifetimes).

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::{Millis, declare};

use super::{AtOnce, Kind, Lesson};
use crate::lives::TrueLives;
use crate::predictions::Predictions;
use crate::training::{Learned, Learner};

declare! {
    /// Knows when every VM will exit. No real allocator can; it shows what the best possible prediction is worth.
    ///
    /// The end of a VM that outlives the trace is unknown: it is assumed to exit a fixed time after the end of the
    /// trace. (LAVA Appendix G.2)
    pub struct Oracle as "Oracle" {
        /// How long after the end of the trace a VM exits whose end the trace does not contain.
        cap: f64 = 168, 1 => 10000, "h";
    }
}

/// The part of a trace, in %, that oracles leave out of the evaluation, so that they are evaluated on the same VMs as
/// predictors that learn from their default part.
pub(super) const UNJUDGED_PCT: f64 = 50.0;

impl Kind for Oracle {
    fn begin(self, lesson: Lesson) -> Box<dyn Learner> {
        let (cut, workload) = (lesson.cut(UNJUDGED_PCT), lesson.workload);
        AtOnce::boxed(move || Learned {
            predictions: Predictions::of_true(TrueLives::of(&workload, beyond(self.cap))),
            cut,
            trained_on: 0,
            trained_censored: 0,
            influence: Vec::new(),
        })
    }
}

/// This many hours, to the millisecond.
pub(super) fn beyond(hours: f64) -> Millis {
    Millis((hours * Millis::HOUR.0 as f64) as u64)
}
