//! Rules written as expressions: they decide as built-in rules do, and caching changes nothing of what they decide.
//!
//! `TIEBREAK_CASES=10000` checks more of the laws, `TIEBREAK_FROM=5000` others, `TIEBREAK_CASE=<number>` one alone.

use tiebreak_placement::RuleUse;
use tiebreak_placement::custom::{Custom, Definition, Subject, entry_of};
use tiebreak_scenario::{GALLERY, RuleRow, gallery};
use tiebreak_sim::{Agents, Latency};
use tiebreak_testkit::{Case, expressions, laws};

fn cases(usual: u64) -> std::ops::Range<u64> {
    let number = |variable: &str| std::env::var(variable).ok().and_then(|value| value.parse().ok());
    match number("TIEBREAK_CASE") {
        Some(case) => case..case + 1,
        None => {
            let from = number("TIEBREAK_FROM").unwrap_or(0);
            from..from + number("TIEBREAK_CASES").unwrap_or(usual)
        }
    }
}

/// Printed and parsed, over the tree and compiled, for one and for many, known in advance or not.
#[test]
fn random_expressions_are_worked_out_alike_in_every_way() {
    for number in cases(3_000) {
        expressions::check(number).unwrap_or_else(|broken| panic!("{broken}"));
    }
}

/// Seeds and finds of a fuzzer, whole and cut anywhere.
#[test]
fn texts_that_fuzzing_kept_are_read_or_refused() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/testkit/fuzz/corpus/expressions");
    let inputs: Vec<_> =
        std::fs::read_dir(corpus).expect("a folder").map(|input| input.expect("an entry").path()).collect();
    assert!(inputs.len() >= 4, "{} inputs", inputs.len());
    for input in inputs {
        let text = String::from_utf8_lossy(&std::fs::read(&input).expect("an input")).into_owned();
        for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            expressions::check_text(&text[..cut]).unwrap_or_else(|broken| panic!("{}: {broken}", input.display()));
        }
    }
}

/// All laws, including any mix of caches.
#[test]
fn every_law_holds_with_random_expressions_in_the_list() {
    for number in cases(50) {
        let case = Case::random(number).with_expressions();
        laws::check(&case).unwrap_or_else(|broken| panic!("case {number}: {broken}\n{:#?}", expressions_of(&case)));
    }
}

fn expressions_of(case: &Case) -> Vec<&str> {
    case.rules.iter().filter_map(|rule| Some(rule.custom.as_ref()?.definition().expression.as_str())).collect()
}

/// The gallery's rule in place of the built-in one of the same name, with the values of their common parameters.
fn replaced(rule: &RuleUse, name: &str) -> Option<RuleUse> {
    let row = gallery::find(name).filter(|_| rule.id == name)?.row();
    let built_in = tiebreak_placement::rules::find(name)?.declaration.params;
    let params = row.entry()?.declaration.params;
    let value = |at: usize| rule.values.get(at).copied().unwrap_or(built_in[at].default);
    let values =
        params.iter().map(|param| value(built_in.iter().position(|it| it.name == param.name).expect("its twin")));
    Some(RuleUse { values: values.collect(), custom: row.custom, ..rule.clone() })
}

/// Rules of the gallery that are equivalent to the built-in rule of the same name.
const TWINS: [&str; 6] =
    ["BestFit", "WorstFit", "PreferNonEmptyMachines", "LavaHostClass", "PreferLeastUsedRack", "PreferEmptierClusters"];

#[test]
fn a_rule_as_an_expression_gives_the_digest_of_the_built_in_one() {
    for name in TWINS {
        let mut compared = 0;
        for number in cases(if name == "BestFit" { 300 } else { 60 }) {
            let case = Case::random(number);
            let Some(other) = case.clone().with_rules_replaced(|rule| replaced(rule, name)) else { continue };
            let [built_in, expression] = [&case, &other].map(|case| laws::record(case).summary.digest);
            assert_eq!(built_in, expression, "case {number}, {name}");
            compared += 1;
        }
        assert!(compared > 30 || std::env::var("TIEBREAK_CASE").is_ok(), "{name} was compared {compared} times");
    }
}

/// The store judges a VM as its agent did: with its predicted lifetime, and beside the earlier VMs of its request.
/// Agents that take no time then have no conflict, which is a law.
#[test]
fn the_store_and_the_agent_judge_a_vm_alike() {
    let no_time = Agents { decision_ms: 0, publish_ms: 0, commit_ms: 0, pipelined: false, ..Agents::default() };
    for expression in ["tenant.vms_on_machine <= machine.vms", "tenant.vms_on_machine >= 0 and vm.life > 0"] {
        let mut placed = 0;
        for number in cases(60) {
            let mut case = Case::random(number);
            case.incidents.clear();
            case.agents = Agents { latency: Latency::Fixed, avoidance: 0.0, count: 4, ..no_time };
            let definition = Definition {
                help: String::new(),
                of: Subject::Machine,
                parameters: Vec::new(),
                expression: expression.into(),
                bounds: None,
            };
            let custom = Some(Custom::new(definition.clone(), entry_of("Judge", &definition)));
            case.rules.push(RuleUse { custom, ..RuleUse::plain("Judge", None) });
            laws::check(&case).unwrap_or_else(|broken| panic!("case {number}, {expression}: {broken}"));
            placed += laws::record(&case).summary.placements;
        }
        assert!(placed > 100 || std::env::var("TIEBREAK_CASE").is_ok(), "{expression}: {placed} VMs placed");
    }
}

#[test]
fn every_rule_of_the_gallery_keeps_every_law() {
    for (number, rule) in (0..).zip(GALLERY) {
        let mut case = Case::random(1_000 + number);
        case.rules.retain(|it| it.id != rule.name);
        let RuleRow { id, values, custom, .. } = rule.row();
        case.rules.push(RuleUse { values, custom, ..RuleUse::plain(&id, Some(5)) });
        laws::check(&case).unwrap_or_else(|broken| panic!("{}: {broken}", rule.name));
    }
}
