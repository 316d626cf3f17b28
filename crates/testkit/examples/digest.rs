//! A digest of random scenarios that must be the same on every platform:
//! `cargo run -p tiebreak-testkit --example digest -- 0 30` prints that of the first 30. Without arguments, as in
//! WebAssembly, where the program cannot print, it compares this digest with the known one and reports the result in
//! its exit code.

use std::process::ExitCode;

use tiebreak_testkit::laws;

const GOLDEN: &str = include_str!("../../../tests/golden/random-cases.txt");

fn main() -> ExitCode {
    let words: Vec<u64> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let cases = if let [from, to] = words[..] { from..to } else { 0..30 };
    let digest = format!("{:016x}", laws::digest(cases.clone()));
    println!("{digest}");
    ExitCode::from(u8::from(cases == (0..30) && digest != GOLDEN.trim()))
}
