//! The results of the presets, to the last bit: `tests/golden/summaries.txt` for reading, and
//! `tests/browser/golden.json` with the digests that every browser must give too; `tests/browser/expressions.json`
//! holds links with one random rule each, and the digests that every browser must give;
//! `tests/golden/random-cases.txt` is the digest of thirty random scenarios, which `web/tests/engine.rs` reproduces
//! in wasm.
//!
//! A changed golden means a changed simulator, and the commit says why. This rewrites them:
//! `UPDATE=1 cargo test -p tiebreak-tests goldens::`.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use tiebreak_lifetime::PREDICTORS;
use tiebreak_model::Workload;
use tiebreak_scenario::custom::custom;
use tiebreak_scenario::presets::{self, PACKING_CUT_FINGERPRINT};
use tiebreak_scenario::{Document, RuleRow, Variant, WorkloadRef};
use tiebreak_sim::{Agents, Summary, World};
use tiebreak_testkit::{expressions, laws};
use tiebreak_trace::TraceParser;

const PRESETS: [&str; 2] = ["default", "small"];

fn path(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Compares with a file next to this one.
fn golden(name: &str, text: &str) {
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path(name).parent().expect("a folder")).expect("the folder of goldens");
        std::fs::write(path(name), text).expect("a golden is written");
    }
    let kept = std::fs::read_to_string(path(name)).unwrap_or_default();
    assert!(kept == text, "tests/{name} says\n{kept}\nand this run gives\n{text}\nsee the head of tests/goldens.rs");
}

fn packing_cut() -> Workload {
    let bytes = std::fs::read(path("../crates/trace/fixtures/packing-cut.csv.gz")).expect("the trace of the page");
    let mut parser = TraceParser::new("packing-cut.csv.gz");
    bytes.chunks(10_000).for_each(|chunk| parser.push(chunk).expect("a piece of the trace"));
    parser.finish().expect("a trace").workload
}

fn workload(variant: &Variant) -> Arc<Workload> {
    match &variant.workload {
        WorkloadRef::Generated(_) => Arc::new(variant.generate().expect("a generated workload")),
        WorkloadRef::Trace { fingerprint, .. } => {
            let cut = packing_cut();
            assert_eq!((cut.fingerprint(), *fingerprint), (PACKING_CUT_FINGERPRINT, PACKING_CUT_FINGERPRINT));
            Arc::new(cut)
        }
    }
}

fn variant(preset: &str) -> Variant {
    (presets::find(preset).expect(preset).make)().active_variant().clone()
}

fn run(variant: &Variant) -> Summary {
    let mut world = World::new(variant.plan(workload(variant)).expect("a preset is a plan"));
    world.run();
    world.summary()
}

/// Floats in Rust's exact round-trip format, so that rounding hides nothing.
fn shown(preset: &str, summary: &Summary) -> String {
    let Summary { digest, placements, rejections, warm_rejections, conflicts, counters, rule_shares, .. } = summary;
    let mut text = format!("{preset}\n");
    let mut line = |name: &str, value: &dyn std::fmt::Display| writeln!(text, "  {name:<32} {value}").expect("text");
    line("digest", &format!("{digest:016x}"));
    line("placements", placements);
    line("rejections", rejections);
    line("warm rejections", warm_rejections);
    line("commits", &counters.commits);
    line("conflicts", conflicts);
    line("conflicts a minute, p99", &summary.conflicts_per_minute_p99);
    line("empty hosts %, mean", &summary.empty_hosts_pct_mean);
    line("packing density %, mean", &summary.packing_density_pct_mean);
    line("cache hits", &counters.cache_hits);
    line("cache misses", &counters.cache_misses);
    for share in rule_shares {
        line(&format!("left by {}", share.rule), &format!("{} of {}", share.after, share.before));
    }
    text
}

#[test]
fn presets_give_what_they_gave() {
    let summaries = PRESETS.map(|preset| (preset, run(&variant(preset))));
    let texts: Vec<_> = summaries.iter().map(|(preset, summary)| shown(preset, summary)).collect();
    golden("golden/summaries.txt", &texts.join("\n"));
    let named = |name: &str, summary: &Summary| format!("  \"{name}\": \"{:016x}\"", summary.digest);
    let mut digests: Vec<_> = summaries.iter().map(|(preset, summary)| named(preset, summary)).collect();
    // And every predictor, with the small preset with TemporalCost on.
    digests.extend(PREDICTORS.iter().map(|predictor| {
        let (id, mut variant) = (predictor.declaration.id, variant("small"));
        variant.set("rules.TemporalCost.on", "true").expect("a rule");
        variant.set("predictor", id).expect("a predictor");
        named(&format!("small {id}"), &run(&variant))
    }));
    golden("browser/golden.json", &format!("{{\n{}\n}}\n", digests.join(",\n")));
}

#[test]
fn presets_give_the_same_without_caches() {
    for preset in PRESETS {
        let cached = variant(preset);
        let uncached = Variant { agents: Agents { caches: false, ..cached.agents }, ..cached.clone() };
        let (with, without) = (run(&cached), run(&uncached));
        assert_eq!(with.digest, without.digest, "{preset}");
        assert_eq!(with.empty_hosts_pct_mean.to_bits(), without.empty_hosts_pct_mean.to_bits(), "{preset}");
        assert_eq!(with.rule_shares, without.rule_shares, "{preset}");
    }
}

#[test]
fn random_cases_give_what_they_gave() {
    golden("golden/random-cases.txt", &format!("{:016x}\n", laws::digest(0..30)));
}

/// Random expressions that decide something, each something else: most random ones decide nothing here.
const EXPRESSIONS: [u64; 20] =
    [10, 21, 25, 29, 32, 35, 78, 91, 93, 98, 114, 126, 136, 164, 167, 169, 170, 189, 200, 204];

/// The small preset with a random rule; the tie-breaks above it leave it something to decide.
fn with_expression(number: u64) -> Document {
    let mut document = (presets::find("small").expect("small").make)();
    document.name = format!("Random expression {number}");
    let variant = &mut document.variants[0];
    let name = format!("Random{number}");
    let row = RuleRow::of_custom(custom(&name, expressions::definition(number)));
    assert!(variant.put_custom(&name, &row), "expression {number} stands");
    assert!(variant.move_rule(&name, 0));
    document
}

#[test]
fn random_expressions_give_browsers_what_they_give_here() {
    let mut digests = std::collections::BTreeSet::new();
    let mut lines = Vec::new();
    for number in EXPRESSIONS {
        let document = with_expression(number);
        let digest = format!("{:016x}", run(document.active_variant()).digest);
        let link = tiebreak_scenario::encode(&document, None);
        lines.push(format!("  {{ \"link\": \"{link}\", \"digest\": \"{digest}\" }}"));
        digests.insert(digest);
    }
    assert_eq!(digests.len(), EXPRESSIONS.len(), "each of them decides something else");
    golden("browser/expressions.json", &format!("[\n{}\n]\n", lines.join(",\n")));
}
