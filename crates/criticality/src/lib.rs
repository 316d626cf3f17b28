//! Which VMs must not be slowed down when power runs short, and how much of their cores they will use.
//!
//! [`template`] tells from a VM's CPU readings whether people wait for what it does; [`rivals`] do the same by the
//! Fourier transform and by autocorrelation, and [`labelled`] makes series of which the answer is known.
//! [`learning`] predicts both when a VM arrives, by forests over what is known of its tenant by then; [`habits`]
//! makes tenants to learn from. [`quality`] says how often either is right.
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

pub use learning::{Arrival, ForestSettings, Learning, LoadPredictions, LoadPredictor, Method};
pub use quality::{AtRecall, Confusion, ModelQuality, Quality};
pub use series::{Series, Unclassified};
pub use template::{Scores, Template};
