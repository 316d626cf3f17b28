//! Inputs that fuzzing kept, and those that once violated an invariant, keep the invariants
//! (`trace/fuzz/src/tables.rs`).

use std::path::Path;

#[allow(unreachable_pub, reason = "shared with the tests of another crate")]
#[path = "../../trace/fuzz/src/corpus.rs"]
mod corpus;
#[allow(unreachable_pub, reason = "the fuzzer calls them from outside")]
#[path = "../../trace/fuzz/src/tables.rs"]
mod tables;

/// Files above this size are not kept.
const CORPUS_BYTES_MAX: usize = 20_000;

#[test]
fn every_input_that_was_kept_keeps_its_law() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/fuzz/corpus");
    let bytes = corpus::replay(&folder, &tables::LAWS, 5);
    assert!(bytes <= CORPUS_BYTES_MAX, "{bytes} bytes");
}
