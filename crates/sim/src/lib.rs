//! What happens over time: requests come, agents decide, the store commits, VMs
//! leave, and metrics are taken. It knows no files, browsers or documents.
//!
//! Source: Protean (Hadary et al., OSDI 2020), sections 4, 5.3 and 6.
//!
//! A [`Plan`] says what to run; a [`World`] runs it, in slices as long as the caller
//! likes. A run is a function of plan and seed alone: the same digest natively and in
//! every browser, with any cache setting, in any number of slices.

#![no_std]

extern crate alloc;

pub mod admission;
mod agent;
mod avoidance;
mod calendar;
mod conflict_rate;
mod copies;
mod demand;
mod digest;
pub mod disruptions;
mod event;
mod evictions;
mod fates;
pub mod figures;
pub mod frames;
pub mod generate;
mod habits;
mod histogram;
mod holds;
pub mod incidents;
mod job;
pub mod latency;
pub mod life_byte;
pub mod links;
pub mod lists;
pub mod lives;
pub mod machine_byte;
pub mod measures;
pub mod metrics;
mod migrations;
pub mod plan;
pub mod power;
pub mod record;
mod residents;
mod rule_shares;
mod share_byte;
mod store;
pub mod story;
mod stranding;
pub mod summary;
pub mod vdc;
pub mod world;
mod zone;

pub use admission::AdmissionSettings;
pub use admission::years::ClusterYears;
pub use disruptions::{Disruption, Fate, Reason};
pub use fates::Fates;
pub use figures::{FIGURES, Figure};
pub use frames::{Failed, Frames, Layers};
pub use generate::GeneratedWorkload;
pub use incidents::{INCIDENTS, IncidentEntry, IncidentUse};
pub use latency::Latency;
pub use life_byte::LifeByte;
pub use links::LinkSample;
pub use lists::RulesUntil;
pub use lives::{ExpectedVm, HostCard, LifeCounts, TurnAt};
pub use machine_byte::MachineByte;
pub use measures::Measures;
pub use metrics::{METRICS, Metric, Series};
pub use plan::{Agents, Plan, PlanError};
pub use power::{CappingKind, Foretelling, PowerSettings};
pub use record::{Cause, Decision, Outcome};
pub use rule_shares::{Circles, RuleHint, RuleShare, hints};
pub use share_byte::ShareByte;
pub use story::Turn;
pub use summary::Summary;
pub use vdc::{Linking, NetworkSettings, Vdcs};
pub use world::{AgentState, Probe, Probed, Progress, Rejection, World};
