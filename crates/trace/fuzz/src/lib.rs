//! The functions that the fuzzer calls; `crates/trace/tests/corpus.rs` and `crates/tables/tests/corpus.rs` check the
//! kept inputs with the same invariants.

pub mod laws;
pub mod tables;
