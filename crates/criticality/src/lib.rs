//! Which VMs must not be throttled when power is short, and how much of their cores they will use.
//!
//! [`template`] decides from a VM's CPU readings whether it is user-facing; [`rivals`] do the same with the Fourier
//! transform and with autocorrelation, and [`labelled`] generates series with known answers. [`learning`] predicts
//! criticality and utilization when a VM arrives, with forests over what is known about its tenant by then;
//! [`habits`] generates tenants as training data. [`quality`] measures how often either is right.
//!
//! ```
//! use tiebreak_criticality::{Series, Template};
//!
//! let day = |slot: usize| if (16..36).contains(&(slot % 48)) { 60.0 } else { 10.0 };
//! let series = Series::new((0..240).map(day).collect());
//! assert!(Template::default().is_user_facing(&series));
//! ```
//!
//! Source: "Prediction-Based Power Oversubscription in Cloud Platforms", sections III-B and IV-B.

pub mod boosting;
pub mod features;
pub mod forest;
pub mod habits;
pub mod labelled;
pub mod learning;
pub mod quality;
pub mod rivals;
pub mod series;
pub mod template;

mod chance;

pub use learning::{Arrival, ForestSettings, Learning, LoadPredictions, LoadPredictor, Method, TelemetryLabel};
pub use quality::{AtRecall, Confusion, ModelQuality, Quality};
pub use series::{Series, Unclassified, readings_needed};
pub use template::{Scores, Template};
