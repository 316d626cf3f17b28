//! Runs the same random scenarios on platforms that differ in what could change a result: optimization, word size,
//! byte order, WebAssembly outside a browser. All must give the same number.

use std::process::Command;

use crate::tools::{BROWSER_TARGET, WASMTIME};
use crate::{Outcome, process, progress};

pub(crate) const HELP: &str =
    "one digest everywhere: optimized, 32-bit x86, wasmtime, big-endian; needs nightly with Miri and gcc-multilib";

/// Ranges of scenarios: those with a known digest, and a range that an interpreter completes in minutes.
type Cases = [&'static str; 2];
const ALL: Cases = ["0", "30"];
const SMALL: Cases = ["6", "7"];

/// Miri's other checks are irrelevant without unsafe code, and take most of its time.
const MIRI: &str = "-Zmiri-disable-isolation -Zmiri-disable-validation -Zmiri-disable-stacked-borrows";

const X86: &str = "i686-unknown-linux-gnu";
const BIG_ENDIAN: &str = "s390x-unknown-linux-gnu";
const PROGRAM: &[&str] = &["--quiet", "--package", "tiebreak-testkit", "--example", "digest"];

/// Returns the exit code of a program without imports.
const RUN_WASM: &str = "import sys, wasmtime as w
engine = w.Engine()
store = w.Store(engine)
program = w.Instance(store, w.Module.from_file(engine, sys.argv[1]), [])
sys.exit(program.exports(store)['main'](store, 0, 0))";

pub(crate) fn run(_: &[String]) -> Outcome {
    let [all, small] = [ALL, SMALL].map(|cases| digest("dev profile", native(&["run"], cases), cases));
    let (all, small) = (all?, small?);
    same(&all, &digest("release profile", native(&["run", "--release"], ALL), ALL)?)?;
    super::setup::targets(&[X86, BROWSER_TARGET])?;
    same(&all, &digest("32-bit x86", native(&["run", "--target", X86], ALL), ALL)?)?;
    in_wasmtime()?;
    let mut miri = process::command("rustup", &["run", "nightly", "cargo", "miri", "run", "--target", BIG_ENDIAN]);
    miri.args(PROGRAM).arg("--").args(SMALL).env("MIRIFLAGS", MIRI);
    same(&small, &digest("big-endian s390x under Miri", miri, SMALL)?)
}

fn native(words: &[&str], cases: Cases) -> Command {
    let mut program = process::cargo(words);
    program.args(PROGRAM).arg("--").args(cases);
    program
}

fn digest(platform: &str, mut program: Command, [from, to]: Cases) -> Result<String, String> {
    let said = progress::told(platform, || process::output(&mut program))?;
    println!("{platform}: {} of scenarios {from} to {to}", said.trim());
    Ok(said.trim().to_owned())
}

fn same(expected: &str, got: &str) -> Outcome {
    if expected == got { Ok(()) } else { Err(format!("expected the digest {expected}, got {got}")) }
}

/// The program cannot print: its exit code says whether the digest is the known one.
fn in_wasmtime() -> Outcome {
    process::run(process::cargo(&["build", "--target", BROWSER_TARGET]).args(PROGRAM))?;
    let python = super::setup::python(&WASMTIME)?;
    let program = format!("target/{BROWSER_TARGET}/debug/examples/digest.wasm");
    process::output(&mut process::command(python, &["-c", RUN_WASM, &program]))?;
    println!("{BROWSER_TARGET} in wasmtime: the same");
    Ok(())
}
