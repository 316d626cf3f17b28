#![no_main]

use tiebreak_import::{File, import};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = import(&[File { name: "file", bytes }]) {
        assert!(error.to_string().contains("expected"), "{error}");
    }
});
