#![no_main]

use tiebreak_testkit::expressions;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let number = input.iter().fold(0, |number: u64, byte| number.rotate_left(8) ^ u64::from(*byte));
    for checked in [expressions::check_text(&String::from_utf8_lossy(input)), expressions::check(number)] {
        if let Err(broken) = checked {
            panic!("{broken}");
        }
    }
});
