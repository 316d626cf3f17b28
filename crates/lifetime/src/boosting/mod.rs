//! Gradient-boosted regression trees on binned features, grown best first.
//!
//! Source: LAVA Appendix B (what is learned); the method is the histogram-based one of LightGBM (Ke et al., NeurIPS
//! 2017) without its sampling. All sums are of integers, so the order of rows and slices cannot change a bit.

mod application;
mod binning;
mod bins;
mod booster;
mod rows;
mod tree;

pub(crate) use application::Application;
pub(crate) use binning::Binning;
pub(crate) use bins::{Amounts, BINS};
pub(crate) use booster::{BoostTerms, Booster};
pub(crate) use rows::{FEATURES, Rows, UPTIME};

/// A decade in the fixed-point numbers of labels, predictions and leaves.
pub(crate) const DECADE: f64 = (1 << 20) as f64;
