//! The inputs that fuzzing kept, and those that once broke a law, keep the laws (`trace/fuzz/src/tables.rs`).

use std::path::Path;

#[allow(unreachable_pub, reason = "shared with the tests of another crate")]
#[path = "../../trace/fuzz/src/corpus.rs"]
mod corpus;
#[allow(unreachable_pub, reason = "the fuzzer calls them from outside")]
#[path = "../../trace/fuzz/src/tables.rs"]
mod tables;

/// All of them above this are too large to keep.
const CORPUS_BYTES_MAX: usize = 20_000;

#[test]
fn every_input_that_was_kept_keeps_its_law() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/fuzz/corpus");
    let bytes = corpus::replay(&folder, &tables::LAWS, 5);
    assert!(bytes <= CORPUS_BYTES_MAX, "{bytes} bytes");
}
