//! What a predictor of lifetimes learned, and how good it is.

use serde::{Deserialize, Serialize};

/// What a predictor of lifetimes learned, and how good it is on VMs that came later: as
/// `tiebreak_lifetime::Quality` has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// The predictor.
    pub predictor: String,
    /// VMs learned from, and those of them still alive at the cut.
    pub trained_on: (u32, u32),
    /// VMs judged on, and those of them whose end the trace does not know.
    pub tested_on: (u32, u32),
    /// Of two VMs, how often the one that was predicted to live longer did.
    pub c_index: Option<f64>,
    /// How well long lives are told from short ones.
    pub long_lives: Option<LongLives>,
    /// Errors of first predictions: how many in each tenth of a decade, from 0.
    pub first_errors: Vec<u32>,
    /// The same of predictions made again at 0, 5, ... 95 % of each life.
    pub reprediction_errors: Vec<u32>,
    /// Features and their share of what all splits gained, 0 to 1, the largest first.
    pub influence: Vec<(String, f64)>,
    /// A sentence for everything that the trace cannot answer.
    pub unanswered: Vec<String>,
}

/// How well long lives are told from short ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LongLives {
    /// A life is long from so many hours on.
    pub threshold_h: f64,
    /// Judged VMs that live long, and those that do not.
    pub vms: (u32, u32),
    /// Precision, recall and F1 where a VM counts as predicted long whose first prediction reaches
    /// the threshold.
    pub at_threshold: [Option<f64>; 3],
    /// The same where it must reach `best_cut_h`, which is chosen with hindsight.
    pub at_best_cut: [Option<f64>; 3],
    /// See `at_best_cut`.
    pub best_cut_h: f64,
    /// F1 when 0, 5, ... 95 % of each life are over.
    pub f1_by_share: Vec<Option<f64>>,
}
