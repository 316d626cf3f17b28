//! Lifetime predictions: what an allocator may know of a VM's lifetime in advance, and how good that is.
//!
//! Source: "LAVA: Lifetime-Aware VM Allocation with Learned Distributions and Adaptation to
//! Mispredictions", sections 3, 6.4, 6.5 and appendices A, B, C, G.1.
//!
//! A predictor of the list [`PREDICTORS`] learns from the first part of a workload, in slices ([`start`],
//! [`Training`]). It returns [`Predictions`], which give a VM's remaining lifetime at any uptime, and their
//! [`Quality`] on the later part, which was not used for training. The same workload, predictor and seed give the
//! same bits with any slices.
//!
//! Start with [`curve`] (one prediction for every uptime), then [`predictors::kaplan_meier`](predictors) for the
//! shortest complete predictor.

#![no_std]

extern crate alloc;

mod boosting;
mod circumstances;
mod concordance;
pub mod curve;
mod curves;
mod forest;
mod hazards;
mod history;
mod judging;
mod lives;
mod moments;
mod noise;
mod order;
pub mod predictions;
pub mod predictors;
pub mod quality;
mod spells;
mod survival;
mod survived;
pub mod training;
mod traits;
mod uptimes;

#[cfg(test)]
mod trial;

pub use curve::{Curve, Prediction};
pub use curves::CurvePlace;
pub use predictions::Predictions;
pub use predictors::{PREDICTORS, PredictorEntry, PredictorUse, find, start};
pub use quality::{Counts, Detection, Errors, Influence, LongLives, Quality, QualityTerms, Tenth};
pub use survived::Survived;
pub use training::{Trained, Training};
