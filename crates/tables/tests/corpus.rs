//! The inputs that fuzzing kept, and those that once broke a law, keep the laws (`trace/fuzz/src/tables.rs`).

use std::fs;
use std::path::Path;

#[allow(unreachable_pub, reason = "the fuzzer calls them from outside")]
#[path = "../../trace/fuzz/src/tables.rs"]
mod tables;

/// All of them above this are too large to keep.
const CORPUS_BYTES_MAX: usize = 20_000;

#[test]
fn every_input_that_was_kept_keeps_its_law() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/fuzz/corpus");
    let mut bytes = 0;
    for (name, law) in tables::LAWS {
        let files = fs::read_dir(corpus.join(name)).expect("a folder for each target");
        let mut inputs: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        inputs.sort();
        assert!(inputs.len() >= 5, "{name} has {} inputs", inputs.len());
        for input in inputs {
            let content = fs::read(&input).expect("an input");
            bytes += content.len();
            // Where a law breaks, the panic comes after the name of the input.
            println!("{}", input.display());
            law(&content);
        }
    }
    assert!(bytes <= CORPUS_BYTES_MAX, "{bytes} bytes");
}
