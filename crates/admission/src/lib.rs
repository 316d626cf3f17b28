//! Beliefs about deployments, and forecasts of their cores.
//!
//! Source: "On the Cluster Admission Problem for Cloud Computing" (Dierks, Kash, Seuken), sections 2.1 and 4 and
//! Appendix C. The formulas are missing from our copy of the paper, so all of them here are our own derivation,
//! checked by simulation, and not the paper's own equations.
//!
//! A deployment has a rate at which its cores end, a rate at which it scales out, a size of its requests, and a
//! maximum lifetime. None of these can be observed; a [`Prior`] gives their distribution over all deployments, and
//! [`Seen`] the observations of one. A [`Belief`] follows from both, and gives the mean and variance of its cores at
//! any horizon.
//!
//! A [`Fit`] finds the prior under which the deployments of a workload are most likely.
//!
//! Assumptions of the model: rates do not change with time, the forecast assumes that all scale-outs are granted,
//! deployments are independent, and one without cores for a while still exists. In the paper such a deployment is
//! gone for good (section 2.1), so forecasts of small deployments are too high here: in one simulation by 41 % for a
//! deployment of one core, by 11 % for three, by 2 % for ten. A newcomer is one block, so this is the worst case for
//! every newcomer. [`Emptied`] corrects it for deployments of a few blocks; [`paper`] has the paper's own approximation.
//!
//! Start with [`prior`], then [`seen`], then [`belief`].

#![no_std]

extern crate alloc;

pub mod ahead;
pub mod belief;
pub mod closed;
mod density;
pub mod emptied;
pub mod fit;
pub mod gamma;
pub mod horizons;
mod line;
pub mod paper;
mod path;
pub mod prior;
pub mod seen;

#[cfg(test)]
mod tests;

pub use ahead::{Ahead, Moments};
pub use belief::Belief;
pub use emptied::Emptied;
pub use fit::{Fit, FitFault, Fitted, Histories, History, histories};
pub use gamma::{Gamma, SizeMoments};
pub use prior::{Deaths, Model, Prior, PriorFault, Stop};
pub use seen::Seen;
