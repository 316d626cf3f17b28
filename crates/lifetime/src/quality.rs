//! How good predictions are, on VMs that were not learned from.
//!
//! Source: LAVA, Table 4 and Figures 9, 11 and 12 (section 6.5, appendices A to C). Judged are the
//! VMs that come after the instant up to which the predictor learned. Their true ends are read
//! wherever the trace knows them, even past its last arrival.

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

/// How good predictions are. What a trace cannot answer is `None`, and [`Quality::unanswered`]
/// says why. No number is ever NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// How many VMs there were to learn from and to judge on.
    pub counts: Counts,
    /// C-index: of two VMs, how often the one that was predicted to live longer did; 0.5 is by
    /// chance, 1 is always.
    pub c_index: Option<f64>,
    /// How well long lives are told from short ones.
    pub long_lives: Option<LongLives>,
    /// Errors of the predictions made at uptime 0 (LAVA Fig. 12).
    pub first_errors: Option<Errors>,
    /// Errors at 0, 5, 10, ... 95 % of each life together (LAVA Fig. 12, with repredictions).
    pub reprediction_errors: Option<Errors>,
    /// Judged VMs with a known end in ten groups of equal size, from the shortest predictions to the longest; empty
    /// with fewer than ten.
    pub calibration: Vec<Tenth>,
    /// How much each feature counts, the most important first; empty where a predictor cannot say.
    pub influence: Vec<Influence>,
    /// A sentence for everything that is `None`.
    pub unanswered: Vec<&'static str>,
}

/// Numbers of VMs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Learned from.
    pub trained_on: u32,
    /// Of those, still alive at the cut.
    pub trained_censored: u32,
    /// Judged on.
    pub tested_on: u32,
    /// Of those, with an end that the trace does not know.
    pub tested_censored: u32,
}

/// A tenth of the judged VMs, those of similar predictions: a good predictor's halves of each tenth live longer and
/// shorter than it said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenth {
    /// The middle one of what was predicted at uptime 0, in seconds.
    pub predicted_s: u32,
    /// The middle one of their true lives, in seconds: half of them lived at least so long.
    pub lived_s: u32,
}

/// How well long lives are told from short ones.
#[derive(Clone, Debug, PartialEq)]
pub struct LongLives {
    /// A life is long if it lasts at least so many hours.
    pub threshold_h: f64,
    /// Judged VMs that are known to live long, and those known to live shorter.
    pub long: u32,
    /// See `long`.
    pub short: u32,
    /// A VM counts as predicted long if its prediction at uptime 0 reaches the threshold.
    pub at_threshold: Detection,
    /// The same if it reaches `best_cut_h` instead: where F1 is largest, chosen with hindsight.
    pub at_best_cut: Detection,
    /// Hours that a prediction must reach there.
    pub best_cut_h: f64,
    /// F1 by uptime, at 0, 5, 10, ... 95 % of each life, of uptime and remaining life together
    /// against the threshold (LAVA Fig. 9). `None` where nothing is long and nothing is called so.
    pub f1_by_share: Vec<Option<f64>>,
}

/// How well a yes or no was told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Detection {
    /// Of those called long, the share that is; `None` if none was called so.
    pub precision: Option<f64>,
    /// Of those that are long, the share that was called so; `None` if none is.
    pub recall: Option<f64>,
    /// Their harmonic mean; `None` if none is long and none was called so.
    pub f1: Option<f64>,
}

/// A histogram of |log10 predicted - log10 true| of remaining lives (LAVA Appendix C).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    /// Bins of [`Errors::BIN`] each, from 0; the last one has all that is larger.
    pub counts: Vec<u32>,
}

impl Errors {
    /// The width of a bin, in decades.
    pub const BIN: f64 = 0.1;
    pub(crate) const BINS: usize = 50;

    pub(crate) fn add(&mut self, predicted_s: u32, true_s: u32) {
        self.counts.resize(Self::BINS, 0);
        let decades = libm::fabs(libm::log10(f64::from(predicted_s)) - libm::log10(f64::from(true_s)));
        self.counts[((decades / Self::BIN) as usize).min(Self::BINS - 1)] += 1;
    }

    /// The share of errors in the first `bins` bins: ten of them are a factor of 10.
    #[must_use]
    pub fn share_within(&self, bins: u32) -> f64 {
        let sum = |counts: &[u32]| counts.iter().map(|count| u64::from(*count)).sum::<u64>() as f64;
        sum(&self.counts[..self.counts.len().min(bins as usize)]) / sum(&self.counts).max(1.0)
    }
}

/// How much one feature counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// Its name as people read it.
    pub feature: &'static str,
    /// Its share of what all splits of all trees gained, 0 to 1.
    pub share: f64,
}
