//! What the fuzzer calls; `crates/trace/tests/corpus.rs` holds the inputs that were kept to the same laws.

pub mod laws;
