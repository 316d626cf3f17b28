//! Fixtures and laws for tests.
//!
//! [`Case::random`] draws a whole scenario from one number, and [`laws`] says what
//! must hold in every one of them, by the [`Ledger`] of its run.

mod books;
pub mod case;
pub mod laws;
pub mod ledger;

pub use case::Case;
pub use ledger::Ledger;
