//! Generated workloads: a zone like those that the papers report.

pub mod generate;
mod habits;
mod lives;
mod tenants;
