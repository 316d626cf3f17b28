//! Generated workloads that resemble the zones in the papers.

pub mod generate;
mod habits;
mod lives;
mod tenants;
