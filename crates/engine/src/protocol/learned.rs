//! The training result of a lifetime predictor, and its quality.

use serde::{Deserialize, Serialize};

/// The training result of a lifetime predictor, and its quality on VMs that arrived later: as in
/// `tiebreak_lifetime::Quality`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// The predictor.
    pub predictor: String,
    /// VMs it was trained on, and those of them still alive at the cut.
    pub trained_on: (u32, u32),
    /// VMs it was tested on, and those of them without a known end.
    pub tested_on: (u32, u32),
    /// Of two VMs, how often the one predicted to live longer did.
    pub c_index: Option<f64>,
    /// How well it distinguishes long lifetimes from short ones.
    pub long_lives: Option<LongLives>,
    /// Errors of first predictions: the count in each tenth of a decade, from 0.
    pub first_errors: Vec<u32>,
    /// The same for repredictions at 0, 5, ... 95 % of each lifetime.
    pub reprediction_errors: Vec<u32>,
    /// By tenths of the tested VMs with a known end, from the shortest predictions: the median first prediction and the
    /// median lifetime, in seconds; empty with fewer than ten.
    pub calibration: Vec<(u32, u32)>,
    /// Features and their shares of the gain of all splits, 0 to 1, the largest first.
    pub influence: Vec<(String, f64)>,
    /// A sentence for each question that the trace cannot answer.
    pub unanswered: Vec<String>,
}

/// How well a predictor distinguishes long lifetimes from short ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LongLives {
    /// The threshold of a long lifetime, in hours.
    pub threshold_h: f64,
    /// Tested VMs with long lifetimes, and the others.
    pub vms: (u32, u32),
    /// Precision, recall and F1 if a VM counts as predicted long when its first prediction reaches the threshold.
    pub at_threshold: [Option<f64>; 3],
    /// The same if it must reach `best_cut_h`, which is chosen with hindsight.
    pub at_best_cut: [Option<f64>; 3],
    /// See `at_best_cut`.
    pub best_cut_h: f64,
    /// F1 after 0, 5, ... 95 % of each lifetime.
    pub f1_by_share: Vec<Option<f64>>,
}
