#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tiebreak_trace_fuzz::tables::of_parquet(input));
