//! One number for random scenarios, in which platforms must agree: `cargo run -p tiebreak-testkit --example digest -- 0 30`
//! is that of the first 30. That one is known; a program that cannot speak, as in WebAssembly, is given no words and says by
//! its exit code whether it is that.

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
