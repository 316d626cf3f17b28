//! Power: the draw of servers, how capping keeps a chassis within its budget, and how far power can be
//! oversubscribed.
//!
//! Source: "Prediction-Based Power Oversubscription in Cloud Platforms" (Kumbhare et al.). Choices that the paper
//! leaves open are marked as ours.
//!
//! A server's draw depends on the frequency and utilization of its cores ([`watts`]). A chassis has a budget,
//! enforced by its manager, the controllers of its servers and, as the last resort, RAPL ([`capping`]). [`slowdown`]
//! estimates the effect of slower cores on workloads. A history of draws shows how low budgets may be, so that more
//! servers fit ([`oversubscription`], [`approaches`]).
//!
//! Start with [`watts`], then [`capping`].

#![no_std]

extern crate alloc;

pub mod approaches;
pub mod capping;
pub mod oversubscription;
pub mod slowdown;
pub mod watts;

pub use approaches::{APPROACHES, Approach, Site, Treated};
pub use capping::{Capping, Chassis, Part, PartReport, PolledChassis, PowerFault, SpanReport, simulate};
pub use oversubscription::{
    Budget, BudgetFault, Candidate, History, Limit, Limits, Mix, Stop, Terms, TreatedShares, curve,
};
pub use watts::{P_STATES, ServerPower, frequency};
