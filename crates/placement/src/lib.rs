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
pub mod allocator;
pub mod explain;
mod fast;
pub mod lifetime;
pub mod migrate;
pub mod network;
pub mod policy;
pub mod power;
pub mod rule;
pub mod rules;

pub use admission::{AdmissionPolicy, Objection, Weighed};
pub use allocator::{Allocator, CacheUse, Choice, Draw, Refusal, Request};
pub use explain::{Explanation, Funnel, Scorecard, Step, reference, words};
pub use fast::{CacheCounters, CacheEvent, CacheSizes, Caches, ObjectCounters, Updates, Uses, Weight};
pub use lifetime::Lifetimes;
pub use migrate::{Evacuation, MigrationLimits, Move, Placed};
pub use network::{Blocked, Full};
pub use policy::{Policy, PolicyError, RuleUse};
pub use rules::{Group, RULES, RuleEntry};
