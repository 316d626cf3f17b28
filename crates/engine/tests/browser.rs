//! The engine inside a browser: compares digests with the native program, and checks invariants.
#![cfg(target_arch = "wasm32")]

use tiebreak_engine::{Command, Engine, Reply};
use tiebreak_scenario::presets;
use tiebreak_testkit::{Case, laws};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// The native program's results.
const GOLDEN: &str = include_str!("../../../tests/browser/golden.json");

/// The trace included in the page.
const PACKING_CUT: &[u8] = include_bytes!("../../trace/fixtures/packing-cut.csv.gz");

fn golden(preset: &str) -> &'static str {
    let (_, rest) = GOLDEN.split_once(&format!("\"{preset}\": \"")).expect("a golden digest");
    &rest[..16]
}

/// Runs a preset as the page's worker does, and returns the digest.
fn digest(engine: &mut Engine, preset: &str) -> String {
    let document = (presets::find(preset).expect(preset).make)().to_json();
    let mut replies = engine.handle(Command::Run { run: 1, document, paused: false });
    while engine.is_running() {
        replies.extend(engine.work(true));
    }
    match replies.pop() {
        Some(Reply::Finished { result, .. }) => result.digest,
        other => panic!("the run did not finish: {other:?}"),
    }
}

#[wasm_bindgen_test]
fn a_made_up_workload_gives_the_native_digest() {
    assert_eq!(digest(&mut Engine::new(), "small"), golden("small"));
}

#[wasm_bindgen_test]
fn a_trace_gives_the_native_digest() {
    let mut engine = Engine::new();
    let (name, bytes) = ("packing-cut.csv.gz".into(), PACKING_CUT.len() as f64);
    engine.handle(Command::TraceBegin {
        name,
        bytes,
        sample: Vec::new(),
        is_sampled: false,
        columns: Vec::new(),
        decimal_commas: None,
    });
    PACKING_CUT.chunks(65_536).for_each(|chunk| assert!(engine.trace_bytes(chunk).is_empty()));
    assert!(matches!(engine.trace_end().as_slice(), [Reply::TraceLoaded(_)]));
    assert_eq!(digest(&mut engine, "default"), golden("default"));
}

#[wasm_bindgen_test]
fn every_law_holds_here_too() {
    for number in 0..30 {
        if let Err(broken) = laws::check(&Case::random(number)) {
            panic!("{broken}\ncase {number}: TIEBREAK_CASE={number} cargo test -p tiebreak-tests laws::");
        }
    }
}

#[wasm_bindgen_test]
fn random_cases_give_the_native_digests() {
    let all = format!("{:016x}", laws::digest(0..30));
    assert_eq!(all, include_str!("../../../tests/golden/random-cases.txt").trim());
}
