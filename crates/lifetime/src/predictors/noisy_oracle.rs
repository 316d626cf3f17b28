//! `NoisyOracle` (LAVA Appendix G.1, Figure 15).

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::declare;

use super::oracle::{UNJUDGED_PCT, beyond};
use super::{AtOnce, Kind, Lesson, seconds};
use crate::lives::TrueLives;
use crate::noise::{Noise, NoiseReading, NoisyLives};
use crate::predictions::Predictions;
use crate::training::{Learned, Learner};

declare! {
    /// Knows when every VM will exit, but answers with an error: a small one for some VMs, orders of magnitude for
    /// the others. It shows how much accuracy an allocator needs.
    ///
    /// Each VM is assigned an accurate or an inaccurate prediction once, at random. The error is Gaussian in log10
    /// of the remaining lifetime, which is what the paper's models are trained on. So a VM that is predicted a tenth
    /// of what remains is predicted a tenth of less and less while it runs. (LAVA section 3 and Appendix G.1)
    pub struct NoisyOracle as "Noisy oracle" {
        /// Share of VMs with accurate predictions.
        accuracy: f64 = 80, 0 => 100, "%";
        /// Standard deviation of the error of accurate predictions, in powers of ten.
        sigma_right: f64 = 0.001, 0 => 3, "decades";
        /// The same for the other predictions; 3 means a factor of 1,000.
        sigma_wrong: f64 = 3, 0 => 6, "decades";
        /// The longest lifetime that is predicted. A VM whose end is not in the trace is assumed to exit this long
        /// after the end of the trace.
        cap: f64 = 336, 24 => 10000, "h";
        /// How a VM is predicted again: with its one factor on what truly remains (one_factor), as the paper
        /// describes its label; or a prediction stays until the VM outlives it, then another error is drawn
        /// (drawn_again), which is harsher.
        error: NoiseReading = 0, 0 => 1, "";
    }
}

impl Kind for NoisyOracle {
    fn begin(self, lesson: Lesson) -> Box<dyn Learner> {
        let cut = lesson.cut(UNJUDGED_PCT);
        let Lesson { workload, seed, .. } = lesson;
        let noise = Noise {
            reading: self.error,
            accuracy: self.accuracy / 100.0,
            sigma_right: self.sigma_right,
            sigma_wrong: self.sigma_wrong,
            cap_s: seconds(self.cap),
        };
        AtOnce::boxed(move || {
            let lives = TrueLives::of(&workload, beyond(self.cap));
            Learned {
                predictions: Predictions::of_noisy(NoisyLives::of(&workload, lives, noise, seed)),
                cut,
                trained_on: 0,
                trained_censored: 0,
                influence: Vec::new(),
            }
        })
    }
}
