//! What the fuzzer calls; `crates/trace/tests/corpus.rs` and `crates/tables/tests/corpus.rs` hold the inputs that were kept to the
//! same laws.

pub mod laws;
pub mod tables;
