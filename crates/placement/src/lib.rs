//! Decides which machine a VM is placed on: rules in one ordered list, and the engine that applies them. Each
//! decision is made at one moment; nothing here tracks time.
//!
//! Source: Protean (Hadary et al., OSDI 2020), sections 3 and 5.
//!
//! Read [`rule`] for what a rule is, any file below [`rules`] for one rule in full, [`policy`] for the ordered list,
//! [`reference`](mod@reference) for what a decision means, and [`allocator`] for how the same decision is made fast.
//!
//! Dependencies between these modules go one way: each imports only from those above it. `cargo xtask floors` checks
//! every import.
//!
//! ```text
//! rule                                     what a rule is; how its score becomes a whole number
//! lifetime  admission  power  network      what rules read of them, and kinds of rules of their own
//! rules                                    every rule, one file each
//! custom                                   rules of one's own: expressions in place of files
//! policy                                   the ordered list, weights, which requests it tells apart
//! explain                    fast          the plain decision and its reasons | the same, packed, ranked and kept
//! allocator                                one agent: fast with caches, the reference without
//! migrate                                  what-if: machines to empty
//! ```
//!
//! `explain` and `fast` do not depend on each other, so that each can check the other.

#![no_std]

extern crate alloc;

pub mod admission;
pub mod allocator;
pub mod custom;
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
pub use allocator::Allocator;
pub use custom::Custom;
pub use explain::{Explanation, Funnel, Scorecard, Step, reference, words};
pub use fast::{
    CacheCounters, CacheEvent, CacheSizes, CacheUse, Caches, Choice, Draw, ObjectCounters, Refusal, Request, Updates,
    Uses,
};
pub use lifetime::Lifetimes;
pub use migrate::{Evacuation, MigrationLimits, Move, Placed};
pub use network::{Blocked, Full};
pub use policy::{Combining, Policy, PolicyError, RuleUse, Weight};
pub use rules::{Group, RULES, RuleEntry};
