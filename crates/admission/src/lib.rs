//! What is believed of a deployment, and how many cores it will have.
//!
//! Source: "On the Cluster Admission Problem for Cloud Computing" (Dierks, Kash, Seuken), sections
//! 2.1 and 4 and Appendix C. Our copy of the paper has lost its formulas, so all of them here
//! are a derivation of our own, checked by simulation, and not the paper's own equations.
//!
//! A deployment has a rate at which its cores end, a rate at which it scales out, a size of its
//! requests, and a maximum lifetime. Nobody sees these; a [`Prior`] says how they are spread over
//! all deployments, and [`Seen`] what one of them has done. A [`Belief`] is what follows, and gives
//! the mean and variance of its cores at any horizon.
//!
//! A [`Fit`] finds the prior under which the deployments of a workload are likeliest.
//!
//! What the model assumes: rates do not change with time, scale-outs are all granted in the forecast,
//! deployments know nothing of each other, and one that has no core for a while is still alive. The paper's
//! are then gone for good (section 2.1), so forecasts of small deployments are too high here: in one
//! simulation by 41 % for a deployment of one core, by 11 % for three, by 2 % for ten.
//!
//! Start with [`prior`], then [`seen`], then [`belief`].

#![no_std]

extern crate alloc;

pub mod ahead;
pub mod belief;
pub mod closed;
mod density;
pub mod fit;
pub mod gamma;
pub mod horizons;
mod line;
mod path;
pub mod prior;
pub mod seen;

#[cfg(test)]
mod tests;

pub use ahead::{Ahead, Moments};
pub use belief::Belief;
pub use fit::{Fit, FitFault, Fitted, Histories, History, histories};
pub use gamma::{Gamma, SizeMoments};
pub use prior::{Deaths, Model, Prior, PriorFault, Stop};
pub use seen::Seen;
