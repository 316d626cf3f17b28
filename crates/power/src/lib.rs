//! Power: what servers draw, how capping holds a chassis to its budget, and how far power can be oversubscribed.
//!
//! Source: "Prediction-Based Power Oversubscription in Cloud Platforms" (Kumbhare et al.). What the paper does
//! not say is said to be ours where it stands.
//!
//! A server's draw follows from the frequency and utilization of its cores ([`watts`]). A chassis has a budget,
//! which its manager, the controllers of its servers and, as the last resort, RAPL hold ([`capping`]). What
//! slower cores do to what runs on them is guessed by [`slowdown`]. And from a history of draws follows how low
//! budgets may be, so that more servers fit ([`oversubscription`], [`approaches`]).
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
pub use oversubscription::{Budget, BudgetFault, Candidate, History, Limit, Limits, Mix, Stop, Terms, curve};
pub use watts::{P_STATES, ServerPower, frequency};
