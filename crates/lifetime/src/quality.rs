//! The quality of predictions, on VMs outside of the training set.
//!
//! Source: LAVA, Table 4 and Figures 9, 11 and 12 (section 6.5, appendices A to C). The test set is the VMs that
//! arrive after the instant up to which the predictor learned. Their true ends are used whenever the trace contains
//! them, even past its last arrival.

use alloc::vec::Vec;

use tiebreak_model::declare;

declare! {
    /// What predictions of lifetimes are judged by: the ordering of all lives (C-index), and
    /// whether long lives are told from short ones. (LAVA section 6.4, Table 4)
    pub struct QualityTerms as "Judging predictions" {
        /// A life is long if it lasts at least so many hours. The paper takes 168. Predictions
        /// that are capped at the threshold or below it never call a life long.
        threshold: f64 = 24, 0.1 => 10000, "h";
    }
}

/// The quality of predictions. Values that a trace cannot provide are `None`, and [`Quality::unanswered`] says why.
/// No number is ever NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// The sizes of the training set and the test set.
    pub counts: Counts,
    /// C-index: how often, of two VMs, the one with the longer prediction lived longer; 0.5 is chance, 1 is always.
    pub c_index: Option<f64>,
    /// How well long lifetimes are distinguished from short ones.
    pub long_lives: Option<LongLives>,
    /// Errors of the predictions made at uptime 0 (LAVA Fig. 12).
    pub first_errors: Option<Errors>,
    /// Errors at 0, 5, 10, ... 95 % of each lifetime together (LAVA Fig. 12, with repredictions).
    pub reprediction_errors: Option<Errors>,
    /// Test VMs with a known end in ten groups of equal size, from the shortest predictions to the longest; empty
    /// with fewer than ten.
    pub calibration: Vec<Tenth>,
    /// The importance of each feature, the most important first; empty if the predictor does not provide it.
    pub influence: Vec<Influence>,
    /// A sentence for each value that is `None`.
    pub unanswered: Vec<&'static str>,
}

/// Numbers of VMs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// VMs in the training set.
    pub trained_on: u32,
    /// Of those, still running at the cut.
    pub trained_censored: u32,
    /// VMs in the test set.
    pub tested_on: u32,
    /// Of those, with an end that is not in the trace.
    pub tested_censored: u32,
}

/// A tenth of the test VMs, with similar predictions. With a good predictor, half of each tenth live longer than
/// predicted, and half shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenth {
    /// The median prediction at uptime 0, in seconds.
    pub predicted_s: u32,
    /// The median of their true lifetimes, in seconds: half of them lived at least this long.
    pub lived_s: u32,
}

/// How well long lifetimes are distinguished from short ones.
#[derive(Clone, Debug, PartialEq)]
pub struct LongLives {
    /// A lifetime is long if it is at least this many hours.
    pub threshold_h: f64,
    /// Test VMs that are known to live long, and those known to live shorter.
    pub long: u32,
    /// See `long`.
    pub short: u32,
    /// A VM counts as predicted long if its prediction at uptime 0 reaches the threshold.
    pub at_threshold: Detection,
    /// The same with `best_cut_h` as the threshold, where F1 is largest, chosen with hindsight.
    pub at_best_cut: Detection,
    /// The threshold for predictions there, in hours.
    pub best_cut_h: f64,
    /// F1 by uptime, at 0, 5, 10, ... 95 % of each lifetime, comparing the sum of uptime and remaining lifetime with
    /// the threshold (LAVA Fig. 9). `None` if nothing is long and nothing is predicted long.
    pub f1_by_share: Vec<Option<f64>>,
}

/// The quality of a binary prediction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Detection {
    /// The share of VMs predicted long that are long; `None` if none is predicted long.
    pub precision: Option<f64>,
    /// The share of long VMs that are predicted long; `None` if none is long.
    pub recall: Option<f64>,
    /// Their harmonic mean; `None` if none is long and none is predicted long.
    pub f1: Option<f64>,
}

/// A histogram of |log10 predicted - log10 true| of remaining lifetimes (LAVA Appendix C).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    /// Bins of width [`Errors::BIN`], from 0; the last one holds everything larger.
    pub counts: Vec<u32>,
}

impl Errors {
    /// The width of a bin, in decades.
    pub const BIN: f64 = 0.1;
    pub(crate) const BINS: usize = 50;

    pub(crate) fn add(&mut self, predicted_s: u32, true_s: u32) {
        self.counts.resize(Self::BINS, 0);
        // Oracles are always right: no logarithms for them.
        let decades = if predicted_s == true_s {
            0.0
        } else {
            libm::fabs(libm::log10(f64::from(predicted_s)) - libm::log10(f64::from(true_s)))
        };
        self.counts[((decades / Self::BIN) as usize).min(Self::BINS - 1)] += 1;
    }

    /// The share of errors in the first `bins` bins: ten of them are a factor of 10.
    #[must_use]
    pub fn share_within(&self, bins: u32) -> f64 {
        let sum = |counts: &[u32]| counts.iter().map(|count| u64::from(*count)).sum::<u64>() as f64;
        sum(&self.counts[..self.counts.len().min(bins as usize)]) / sum(&self.counts).max(1.0)
    }
}

/// The importance of one feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// Its name for readers.
    pub feature: &'static str,
    /// Its share of the total gain of all splits of all trees, 0 to 1.
    pub share: f64,
}
