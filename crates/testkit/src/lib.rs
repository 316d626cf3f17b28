//! Fixtures and laws for tests.
//!
//! [`Case::random`] draws a whole scenario from one number, and [`laws`] says what
//! must hold in every one of them.

pub mod case;
pub mod laws;

pub use case::Case;
