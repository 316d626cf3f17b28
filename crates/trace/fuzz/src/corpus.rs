//! The kept inputs: those of the fuzzer that reach code of their own, and those that once violated an invariant.

use std::fs;
use std::path::Path;

/// Larger inputs are not kept.
const INPUT_BYTES_MAX: usize = 4 << 10;

/// An invariant for every input.
type Law = fn(&[u8]);

/// Checks the invariant of each target with every input in its folder of the corpus, at least `inputs_min`. Returns
/// their total size in bytes.
pub fn replay(corpus: &Path, laws: &[(&str, Law)], inputs_min: usize) -> usize {
    let mut bytes = 0;
    for (name, law) in laws {
        let files = fs::read_dir(corpus.join(name)).expect("a folder for each target");
        let mut inputs: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        inputs.sort();
        assert!(inputs.len() >= inputs_min, "{name} has {} inputs", inputs.len());
        for input in inputs {
            let content = fs::read(&input).expect("an input");
            assert!(content.len() <= INPUT_BYTES_MAX, "{input:?} has {} bytes", content.len());
            bytes += content.len();
            // Print the name of the input before a possible panic.
            println!("{}", input.display());
            law(&content);
        }
    }
    bytes
}
