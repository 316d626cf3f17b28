//! The simulation over time: requests arrive, agents decide, the store commits, VMs leave, and metrics are sampled.
//! It does not depend on files, browsers or documents.
//!
//! Source: Protean (Hadary et al., OSDI 2020), sections 4, 5.3 and 6.
//!
//! A [`Plan`] says what to run; a [`World`] runs it, in slices as long as the caller likes. A run is a function of
//! plan and seed alone: it has the same digest natively and in every browser, with any cache setting, in any number
//! of slices.
//!
//! Each folder depends only on those below it:
//!
//! ```text
//! world          the loop, and what happens at each event
//! plan           what to run, checked
//! observation    counters, series, frames          summary    what came out
//! agents         agents, their queue, the store
//! lifetimes  affinity  admission  power  network  incidents      beside the core, each a System
//! system         what such a system is told and asked
//! record         what was decided       queue      what is still to happen
//! workload       generated workloads
//! ```

#![no_std]

extern crate alloc;

pub mod admission;
pub mod affinity;
mod agents;
pub mod figures;
pub mod incidents;
mod lifetimes;
mod network;
mod observation;
pub mod plan;
pub mod power;
mod queue;
pub mod record;
pub mod summary;
mod system;
mod workload;
pub mod world;

pub use admission::AdmissionSettings;
pub use admission::years::ClusterYears;
pub use affinity::settings::AffinitySettings;
pub use affinity::{AffinityCounts, AffinityDay};
pub use agents::AgentState;
pub use agents::latency::Latency;
pub use figures::{FIGURES, Figure};
pub use incidents::{INCIDENTS, IncidentEntry, IncidentUse};
pub use lifetimes::life_byte::LifeByte;
pub use lifetimes::{ExpectedVm, HostCard, LifeCounts, TurnAt};
pub use network::links::LinkSample;
pub use network::vdc::{self, Linking, NetworkSettings, Vdcs};
pub use observation::debt::Debt;
pub use observation::frames::{self, Failed, Frames, Layers};
pub use observation::machine_byte::MachineByte;
pub use observation::measures::Measures;
pub use observation::metrics::{self, METRICS, Metric, Series};
pub use observation::rule_shares::{Circles, RuleHint, RuleShare, hints};
pub use observation::share_byte::ShareByte;
pub use plan::lists::RulesUntil;
pub use plan::{Agents, Plan, PlanError};
pub use power::{CappingKind, LoadLabels, LoadPredictor, PowerSettings};
pub use record::disruption::{Disruption, Fate, Reason};
pub use record::{Cause, Decision, Outcome, Rejected, Rejection};
pub use summary::Summary;
pub use workload::generate::{self, GeneratedWorkload};
pub use world::collisions::{Collision, Obstacle, Rival};
pub use world::fates::Fates;
pub use world::story::Turn;
pub use world::tables::{Placements, Samples};
pub use world::{Candidates, Chooser, Probe, Probed, Progress, World};
