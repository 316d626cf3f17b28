//! Which machine a VM goes to: rules in one ordered list, and the engine that
//! applies them. Decisions at one moment; nothing here knows that time passes.
//!
//! Source: Protean (Hadary et al., OSDI 2020), sections 3 and 5.
//!
//! Read [`rule`] for what a rule is, any file below [`rules`] for one rule's whole
//! story, [`policy`] for the ordered list, [`reference`](mod@reference) for what a decision means, and
//! [`allocator`] for how the same decision is made quickly.

#![no_std]

extern crate alloc;

pub mod admission;
mod ahead;
pub mod allocator;
mod batch;
pub mod caches;
pub mod chassis;
mod cluster_order;
mod erased;
mod evaluation;
pub mod explain;
mod gate;
mod judges;
pub mod lifetime;
pub mod migrate;
mod objects;
mod packed;
pub mod policy;
mod pool;
mod quantize;
mod ranking;
pub mod reference;
mod refusal;
pub mod rule;
pub mod rules;
mod shared;
pub mod temporal;
mod ties;
pub mod uplink;
pub mod weights;
mod why_not;
pub mod words;

pub use admission::{AdmissionPolicy, Objection, Weighed};
pub use allocator::{Allocator, CacheUse, Choice, Draw, Refusal, Request};
pub use caches::{CacheCounters, CacheEvent, CacheSizes, Caches, ObjectCounters, Updates, Uses};
pub use explain::{Explanation, Scorecard};
pub use gate::{Blocked, Full};
pub use lifetime::Lifetimes;
pub use migrate::{Evacuation, MigrationLimits, Move, Placed};
pub use policy::{Policy, PolicyError, RuleUse};
pub use reference::{Funnel, Step};
pub use rules::{Group, RULES, RuleEntry};
pub use weights::Weight;
