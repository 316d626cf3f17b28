//! Fixtures and laws for tests.
//!
//! [`Case::random`] draws a whole scenario from one number, and [`laws`] says what
//! must hold in every one of them, by the [`Ledger`] of its run.

mod answers;
mod books;
pub mod case;
mod deployments;
mod draws;
pub mod expressions;
pub mod laws;
pub mod ledger;
mod promises;
mod replay;
mod samples;
mod stand;
pub mod watts;
mod wires;

pub use case::Case;
pub use ledger::Ledger;
