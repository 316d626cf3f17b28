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

pub mod allocator;
mod erased;
mod evaluation;
pub mod explain;
mod packed;
pub mod policy;
mod quantize;
mod ranking;
pub mod reference;
pub mod rule;
pub mod rules;

pub use allocator::{Allocator, CacheCounters, CacheUse, Caching, Choice, Refusal};
pub use explain::{Explanation, Scorecard};
pub use policy::{Policy, PolicyError, RuleUse};
pub use reference::{Funnel, Step};
pub use rules::{Group, RULES, RuleEntry};
