//! Inputs that fuzzing kept, and those that once violated an invariant, keep the invariants (`fuzz/src/laws.rs`).

use std::path::Path;

#[allow(unreachable_pub, reason = "shared with the tests of another crate")]
#[path = "../fuzz/src/corpus.rs"]
mod corpus;
#[allow(unreachable_pub, reason = "the fuzzer calls them from outside")]
#[path = "../fuzz/src/laws.rs"]
mod laws;

/// Files above this total size are too large to keep.
const CORPUS_BYTES_MAX: usize = 300_000;

#[test]
fn every_input_that_was_kept_keeps_its_law() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let bytes = corpus::replay(&folder, &laws::LAWS, 10);
    assert!(bytes <= CORPUS_BYTES_MAX, "{bytes} bytes");
}
