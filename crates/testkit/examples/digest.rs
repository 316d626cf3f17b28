//! One number for random scenarios, in which platforms must agree: `cargo run -p tiebreak-testkit --example digest -- 30`.
//! Of 30 it is known; a program that cannot speak, as in WebAssembly, says by its exit code whether it is that.

use std::process::ExitCode;

use tiebreak_testkit::laws;

const CASES: u64 = 30;
const GOLDEN: &str = include_str!("../../../tests/golden/random-cases.txt");

fn main() -> ExitCode {
    let cases = std::env::args().nth(1).map_or(CASES, |word| word.parse().expect("a number of cases"));
    let digest = format!("{:016x}", laws::digest(0..cases));
    println!("{digest}");
    ExitCode::from(u8::from(cases == CASES && digest != GOLDEN.trim()))
}
