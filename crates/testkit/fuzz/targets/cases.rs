#![no_main]

use tiebreak_testkit::{Case, laws};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    if let Err(broken) = laws::check(&Case::of_bytes(input)) {
        panic!("{broken}");
    }
});
