//! Fixtures and laws for tests.
//!
//! [`Case::random`] derives a whole scenario from one number, and [`laws`] checks what must hold in every run, using
//! its [`Ledger`].

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
