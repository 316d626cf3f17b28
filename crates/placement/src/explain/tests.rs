use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::fleet::ClusterSpec;
use tiebreak_model::{
    ClusterId, Fleet, HostLife, MachineRecord, Occupancy, PredictedLife, RackView, Resource, Resources, VmShape,
    declare,
};

use super::*;
use crate::policy::ranked::RankedValidator;
use crate::policy::{RuleUse, Weight};
use crate::rule::{OfRack, Validator};

const CORE: u32 = 1_000;
const GIB: u32 = 1_024;

fn cluster(name: &str, machines: u32, cores: u32, unready: u32) -> ClusterSpec {
    let capacity = Resources::new(cores * CORE, 4 * cores * GIB, 0, 0);
    ClusterSpec { name: name.into(), machines, racks: 1, capacity, unready, datacenter: 0, chassis: 1 }
}

fn amount(cores: u32, gib: u32) -> Resources {
    Resources::new(cores * CORE, gib * GIB, 0, 0)
}

/// These clusters, with these amounts in use on some machines.
fn zone(clusters: &[ClusterSpec], used: &[(u32, Resources)]) -> Occupancy {
    let mut zone = Occupancy::empty(Arc::new(Fleet::build(clusters).expect("a fleet")));
    for (machine, used) in used {
        let machine = MachineId(*machine);
        zone.set(machine, zone.record(machine).with(&VmShape::plain(*used)).expect("it fits"));
    }
    zone
}

fn policy(rules: &[&str], best_clusters: u32) -> Policy {
    let rules: Vec<_> = rules.iter().map(|id| RuleUse::plain(id, None)).collect();
    Policy::new(&rules, best_clusters).expect("a policy")
}

fn weighted(rules: &[(&str, f64)], best_clusters: u32) -> Policy {
    let rule = |(id, weight): &(&str, f64)| RuleUse { weight: Weight::new(*weight), ..RuleUse::plain(id, None) };
    Policy::new(&rules.iter().map(rule).collect::<Vec<_>>(), best_clusters).expect("a policy")
}

fn ask(policy: &Policy, zone: &Occupancy, demand: Resources, question: Question) -> Explanation {
    explain(policy, Scene::of(zone), &VmRequest::alone(VmShape::plain(demand)), question)
}

const VALIDATORS: [&str; 4] = ["IsTypeSupported", "IsClusterBelowLimit", "AreNodeResourcesValid", "IsMachineReady"];

/// Machines excluded, excluded first and excluded alone, for each validator.
fn counts(refusal: &RefusalByRule) -> Vec<(u32, u32, u32)> {
    refusal.rules.iter().map(|rule| (rule.machines, rule.first, rule.alone)).collect()
}

#[test]
fn a_refusal_says_who_is_to_blame_and_what_was_missing() {
    type Case<'a> = (&'a str, Occupancy, Resources, &'a [(u32, u32, u32)], Option<(u32, Resources)>, &'a str);
    let two = |unready| cluster("b", 2, 8, unready);
    let nothing = (0, 0, 0);
    let cases: [Case<'_>; 8] = [
        (
            "the only cluster has machines that are too small",
            zone(&[two(0)], &[]),
            amount(10, 8),
            &[(2, 2, 0), nothing, (2, 0, 0), nothing],
            None,
            "No machine could take it: even an empty machine lacks 2 cores.",
        ),
        (
            "room alone is to blame; machine 1 lacks 1/4 of the cores, machine 0 all of the memory",
            zone(&[two(0)], &[(0, amount(1, 32)), (1, amount(5, 2))]),
            amount(4, 8),
            &[nothing, nothing, (2, 2, 2), nothing],
            Some((1, amount(1, 0))),
            "No machine could take it: AreNodeResourcesValid refuses all 2 machines.",
        ),
        (
            "both lack as much: the lower id is named",
            zone(&[two(0)], &[(0, amount(6, 2)), (1, amount(6, 2))]),
            amount(4, 8),
            &[nothing, nothing, (2, 2, 2), nothing],
            Some((0, amount(2, 0))),
            "No machine could take it: AreNodeResourcesValid refuses all 2 machines.",
        ),
        (
            "two rules refuse one machine each",
            zone(&[two(1)], &[(0, amount(8, 0))]),
            amount(4, 8),
            &[nothing, nothing, (1, 1, 1), (1, 1, 1)],
            Some((0, amount(4, 0))),
            "No machine could take it: only room is missing on 1 of 2 machines.",
        ),
        (
            "two rules refuse the same machine: neither is alone",
            zone(&[cluster("a", 1, 8, 1)], &[(0, amount(5, 0))]),
            amount(4, 8),
            &[nothing, nothing, (1, 1, 0), (1, 0, 0)],
            None,
            "No machine could take it: at least two rules refuse the only machine.",
        ),
        (
            "a full cluster is over its limit and a small one supports no such size",
            zone(&[cluster("a", 3, 2, 0), two(0)], &[(3, amount(8, 0)), (4, amount(8, 0))]),
            amount(4, 8),
            &[(3, 3, 0), (2, 2, 0), (5, 0, 0), nothing],
            None,
            "No machine could take it: at least two rules refuse each of the 5 machines.",
        ),
        (
            "two clusters suit it as well as each other: the first is named",
            zone(&[cluster("a", 2, 8, 0), cluster("b", 3, 8, 0)], &[]),
            amount(10, 8),
            &[(5, 5, 0), nothing, (5, 0, 0), nothing],
            None,
            "No machine could take it: even an empty machine of a, the best match, lacks 2 cores.",
        ),
        (
            "no cluster fits",
            zone(&[cluster("a", 3, 2, 0), two(0)], &[]),
            amount(10, 33),
            &[(5, 5, 0), nothing, (5, 0, 0), nothing],
            None,
            "No machine could take it: even an empty machine of b, the best match, lacks 2 cores and 1 GiB.",
        ),
    ];
    for (what, zone, demand, expected, closest, sentence) in cases {
        let explanation = ask(&policy(&VALIDATORS, 1), &zone, demand, Question::default());
        let refusal = explanation.refusal.as_ref().expect(what);
        assert_eq!(counts(refusal), expected, "{what}");
        assert_eq!(refusal.closest.map(|it| (it.machine.0, it.short)), closest, "{what}");
        assert_eq!(explanation.sentence(zone.fleet()).to_string(), sentence, "{what}");
        let firsts: u32 = refusal.rules.iter().map(|rule| rule.first).sum();
        assert_eq!(firsts, refusal.machines, "{what}: every machine is refused first by one rule");
    }
}

/// The count of machines excluded alone equals the effect of removing the rule.
#[test]
fn alone_to_blame_is_what_the_list_without_the_rule_would_take() {
    let clusters = [cluster("a", 3, 2, 0), cluster("b", 5, 8, 2), cluster("c", 4, 8, 1)];
    let used: Vec<_> = (3..12).map(|machine| (machine, amount(if machine < 8 { 8 } else { 5 }, 1))).collect();
    let zone = zone(&clusters, &used);
    let refusal = ask(&policy(&VALIDATORS, 9), &zone, amount(4, 8), Question::default()).refusal.expect("refused");
    for rule in &refusal.rules {
        let others: Vec<_> = VALIDATORS.into_iter().filter(|id| *id != rule.rule).collect();
        let funnel = ask(&policy(&others, 9), &zone, amount(4, 8), Question::default()).funnel;
        assert_eq!(rule.alone as usize, funnel.best.len(), "{}", rule.rule);
    }
    assert_eq!(refusal.most_to_blame().map(|rule| (rule.rule, rule.alone)), Some(("AreNodeResourcesValid", 3)));
    let without = refusal.most_to_blame().and_then(Refuser::without_words).map(|told| told.to_string());
    assert_eq!(without.as_deref(), Some("only room is missing on 3 machines"));
    assert_eq!(
        refusal.closest_sentence().map(|told| told.to_string()).as_deref(),
        Some("Machine 8 comes closest: it lacks 1 core.")
    );
}

/// Machines with these expected exits.
fn zone_free_at(exits_s: &[u32]) -> Occupancy {
    let mut zone = zone(&[cluster("a", exits_s.len() as u32, 8, 0)], &[]);
    for (machine, exit_s) in (0..).map(MachineId).zip(exits_s) {
        let record = zone.record(machine);
        zone.set(machine, MachineRecord { vms: 1, life: HostLife { exit_s: *exit_s, ..record.life }, ..record });
    }
    zone
}

#[test]
fn a_rule_that_has_words_says_them_of_both() {
    let life = PredictedLife { now_s: 1_000, remaining_s: 7_200, ..PredictedLife::NONE };
    let vm = VmRequest { life, ..VmRequest::alone(VmShape::plain(amount(1, 1))) };
    let zone = zone_free_at(&[10_000, 2_000, 1_500]);
    let policy = policy(&["AreNodeResourcesValid", "TemporalCost"], 1);
    let question = Question { winner: Some(MachineId(0)), asked: Some(MachineId(1)), ..Question::default() };
    let told = explain(&policy, Scene::of(&zone), &vm, question);
    let said = "it would not be busy longer (step 0), machine 1 would be busy 1.7 h longer (step 3)";
    let sentence = format!("Machine 0 was chosen; TemporalCost ranked it above machine 1: {said}.");
    assert_eq!(told.sentence(zone.fleet()).to_string(), sentence);
    let why_not = "Not machine 1: TemporalCost ranks machine 0 above it.";
    assert_eq!(told.why_not_sentence(zone.fleet()).map(|told| told.to_string()).as_deref(), Some(why_not));
}

#[test]
fn a_rule_without_words_is_named_alone() {
    let zone = zone(&[cluster("full", 1, 8, 0), cluster("b", 2, 8, 0)], &[(0, amount(8, 0))]);
    let question = Question { winner: Some(MachineId(1)), asked: Some(MachineId(0)), ..Question::default() };
    let told = ask(&policy(&["IsClusterBelowLimit"], 2), &zone, amount(0, 1), question);
    let why_not = "Not machine 0: IsClusterBelowLimit refuses it.";
    assert_eq!(told.why_not_sentence(zone.fleet()).map(|told| told.to_string()).as_deref(), Some(why_not));
}

/// By weight, machines tie that the first rule alone would separate.
#[test]
fn among_equals_by_weight_chance_decides() {
    let list = [("AreNodeResourcesValid", 1.0), ("FirstFit", 1.0), ("WorstFit", 1.0)];
    let zone = zone(&[cluster("a", 2, 8, 0)], &[(0, amount(2, 8))]);
    let question = Question { winner: Some(MachineId(1)), ..Question::default() };
    let told = ask(&weighted(&list, 1), &zone, amount(1, 1), question);
    let level = "Machine 1 was picked at random among 2 machines that the weights rank equally.";
    assert_eq!((told.sentence(zone.fleet()).to_string().as_str(), told.weighed.is_none()), (level, true));
    // During conflict avoidance the best few are chosen by weight: WorstFit counts more than FirstFit.
    let list = [("AreNodeResourcesValid", 1.0), ("FirstFit", 1.0), ("WorstFit", 2.0)];
    let policy = weighted(&list, 1);
    let near = near_best(&policy, Scene::of(&zone), &VmRequest::alone(VmShape::plain(amount(1, 1))), Some(1));
    assert_eq!(near, [MachineId(1)]);
    assert_eq!(told.funnel.candidates(), 2);
    assert_eq!(ask(&policy, &zone, amount(9, 1), Question::default()).funnel.candidates(), 2);
}

declare! {
    /// A rule about racks: it refuses the first one.
    struct NotInTheFirstRack as "NotInTheFirstRack" {}
}

impl Validator for NotInTheFirstRack {
    type Reach = OfRack;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    fn is_valid(&self, (): &(), rack: RackView<'_>) -> bool {
        rack.id.0 != 0
    }
}

#[test]
fn rules_of_all_three_reaches_are_counted_each_as_its_own() {
    let mut policy = policy(&VALIDATORS, 9);
    let rule = Box::new(NotInTheFirstRack {});
    policy.rack_validators.push(RankedValidator {
        id: "NotInTheFirstRack",
        rule,
        sees_tenant: false,
        concerns_all: true,
        asks_nothing: true,
        is_common: true,
    });
    let racks = ClusterSpec { racks: 2, ..cluster("b", 4, 8, 1) };
    let zone = zone(&[racks, cluster("a", 3, 2, 0)], &[(2, amount(5, 0)), (3, amount(8, 0))]);
    let refusal = ask(&policy, &zone, amount(4, 8), Question::default()).refusal.expect("refused");
    let expected = [
        ("IsTypeSupported", (3, 3, 0)),
        ("IsClusterBelowLimit", (0, 0, 0)),
        ("NotInTheFirstRack", (2, 2, 2)),
        ("AreNodeResourcesValid", (5, 2, 1)),
        ("IsMachineReady", (1, 0, 0)),
    ];
    let rules: Vec<_> = refusal.rules.iter().map(|rule| rule.rule).zip(counts(&refusal)).collect();
    assert_eq!(rules, expected);
}

#[test]
fn what_can_be_had_by_eviction_is_not_lacking() {
    let spot = VmShape { priority: 1, ..VmShape::plain(amount(3, 4)) };
    let mut zone = zone(&[cluster("a", 1, 8, 0)], &[(0, amount(5, 4))]);
    zone.set(MachineId(0), zone.record(MachineId(0)).with(&spot).expect("it fits"));
    for (evict, lacks) in [(0.0, 4), (1.0, 1)] {
        let rule = RuleUse { values: [evict].into(), ..RuleUse::plain("AreNodeResourcesValid", None) };
        let policy = Policy::new(&[rule], 1).expect("a policy");
        let refusal = ask(&policy, &zone, amount(4, 4), Question::default()).refusal.expect("refused");
        assert_eq!(refusal.closest.expect("only room is missing").short[Resource::Cores], lacks * CORE, "{evict}");
    }
}

fn why_not(policy: &Policy, zone: &Occupancy, winner: u32, asked: u32, avoided: Option<u32>) -> String {
    let question = Question { winner: Some(MachineId(winner)), asked: Some(MachineId(asked)), avoided };
    let explanation = ask(policy, zone, amount(4, 8), question);
    explanation.why_not_sentence(zone.fleet()).expect("it was asked about").to_string()
}

#[test]
fn why_not_that_machine_is_answered_by_what_stands_against_it() {
    let clusters = [cluster("old", 4, 8, 1), cluster("new", 2, 8, 0), cluster("newer", 2, 8, 0)];
    let zone = zone(&clusters, &[(0, amount(2, 4)), (1, amount(2, 4)), (2, amount(6, 4)), (6, amount(1, 1))]);
    let list = [&VALIDATORS[..], &["PreferEmptierClusters", "PreferNonEmptyMachines"]].concat();
    let strict = policy(&list, 2);
    for (winner, asked, sentence) in [
        (6, 6, "Machine 6 was chosen."),
        (6, 4, "Not machine 4: PreferNonEmptyMachines ranks machine 6 above it."),
        (6, 2, "Not machine 2: AreNodeResourcesValid refuses it; it lacks 2 cores."),
        (6, 3, "Not machine 3: IsMachineReady refuses it."),
        (
            6,
            0,
            "Not machine 0: old was not among the best clusters, the last of which is newer; PreferEmptierClusters ranks newer above old.",
        ),
    ] {
        assert_eq!(why_not(&strict, &zone, winner, asked, None), sentence);
    }
    let no_order = policy(&VALIDATORS, 2);
    assert_eq!(
        why_not(&no_order, &zone, 0, 7, None),
        "Not machine 7: newer was not among the best clusters, the last of which is new; the rules score them equally, and new comes before newer in the list."
    );
    assert_eq!(
        why_not(&no_order, &zone, 0, 5, None),
        "Machine 5 was tied for best; machine 0 was drawn at random, 1 in 4 for each."
    );
}

#[test]
fn a_choice_that_avoids_conflicts_does_not_claim_to_be_the_best() {
    let zone = zone(&[cluster("a", 5, 8, 0)], &[(3, amount(1, 1)), (4, amount(1, 1))]);
    let policy = policy(&["AreNodeResourcesValid", "PreferNonEmptyMachines"], 1);
    let question = Question { winner: Some(MachineId(0)), asked: None, avoided: Some(3) };
    let explanation = ask(&policy, &zone, amount(4, 8), question);
    assert_eq!((explanation.avoided, explanation.decided_by), (Some(3), None));
    assert_eq!(explanation.runner_up.as_ref().map(|card| card.machine), Some(MachineId(3)));
    assert_eq!(
        explanation.sentence(zone.fleet()).to_string(),
        "Machine 0 was drawn at random from the best 3: the agent was avoiding conflicts."
    );
    for (asked, avoided, sentence) in [
        (4, 3, "Machine 4 was among the 3 best; machine 0 was drawn at random, 1 in 3 for each."),
        (
            1,
            3,
            "Not machine 1: it was not among the best 3, the last of which is machine 0; the rules score them equally, and machine 0 comes before it in the list.",
        ),
        (
            1,
            2,
            "Not machine 1: it was not among the best 2, the last of which is machine 4; PreferNonEmptyMachines ranks machine 4 above it.",
        ),
        (1, 100, "Machine 1 was among the 5 best; machine 0 was drawn at random, 1 in 5 for each."),
    ] {
        assert_eq!(why_not(&policy, &zone, 0, asked, Some(avoided)), sentence);
    }
}

fn by_weights(rules: &[(&str, f64)], best_clusters: u32) -> Policy {
    weighted(&[&[("AreNodeResourcesValid", 1.0)], rules].concat(), best_clusters)
}

#[test]
fn weights_set_by_hand_are_told_side_by_side() {
    let zone = zone(&[cluster("a", 2, 8, 0)], &[(1, amount(2, 4))]);
    for (first_fit, winner, told) in [
        (
            0.75,
            0,
            "Machine 0 was chosen: weight 2.25 favours machine 0 (WorstFit and FirstFit), weight 2 for machine 1 \
             (PreferNonEmptyMachines).",
        ),
        (
            0.1,
            1,
            "Machine 1 was chosen: weight 2 favours machine 1 (PreferNonEmptyMachines), weight 1.6 for machine 0 \
             (WorstFit and FirstFit).",
        ),
        (0.5, 0, "Machine 0 was picked at random among 2 machines that the weights rank equally."),
    ] {
        let policy = by_weights(&[("PreferNonEmptyMachines", 2.0), ("WorstFit", 1.5), ("FirstFit", first_fit)], 1);
        let winner = Question { winner: Some(MachineId(winner)), ..Question::default() };
        assert_eq!(ask(&policy, &zone, amount(4, 8), winner).sentence(zone.fleet()).to_string(), told);
    }
    let policy = by_weights(&[("PreferNonEmptyMachines", 2.0), ("WorstFit", 1.5)], 1);
    assert_eq!(
        why_not(&policy, &zone, 1, 0, None),
        "Not machine 0: weight 2 favours machine 1 (PreferNonEmptyMachines), weight 1.5 for it (WorstFit)."
    );
}

/// Machine 0 is first and machine 1 has most free cores, so one rule favours each. But machine 1 beats machine 2,
/// which is healthier and so beats machine 0.
#[test]
fn of_two_that_weigh_the_same_the_one_that_beats_more_others_is_ahead() {
    let mut zone = zone(&[cluster("a", 3, 8, 0)], &[(0, amount(4, 8)), (2, amount(2, 4))]);
    for machine in [0, 1].map(MachineId) {
        let at_risk = MachineRecord { risk: 10, ..zone.record(machine) };
        zone.set(machine, at_risk);
    }
    let policy = by_weights(&[("FirstFit", 1.0), ("WorstFit", 1.0), ("PreferHealthierMachines", 1.0)], 1);
    assert_eq!(
        why_not(&policy, &zone, 1, 0, None),
        "Not machine 0: weight 1 favours machine 1 (WorstFit), weight 1 for it (FirstFit); machine 1 beats more of \
         the others."
    );
}

#[test]
fn clusters_too_are_weighed() {
    let zone = zone(&[cluster("a", 2, 8, 0), cluster("b", 2, 8, 0)], &[(0, amount(2, 4))]);
    let policy = by_weights(&[("PreferEmptierClusters", 3.0)], 1);
    assert_eq!(
        why_not(&policy, &zone, 2, 0, None),
        "Not machine 0: a was not among the best clusters, the last of which is b; weight 3 favours b \
         (PreferEmptierClusters), nothing for a."
    );
}

/// The order by id is 0, 2, 4; by free cores 4, 0, 2; by the rack's load 2, 4, 0: each beats another one.
#[test]
fn an_order_that_goes_in_a_circle_is_told() {
    let racks = ClusterSpec { racks: 4, ..cluster("a", 8, 8, 0) };
    let used = [2, 8, 3, 5, 1, 8, 4, 7].map(|cores| amount(cores, 0));
    let zone = zone(&[racks], &core::array::from_fn::<_, 8, _>(|at| (at as u32, used[at])));
    let policy = by_weights(&[("FirstFit", 1.0), ("WorstFit", 1.0), ("PreferLeastUsedRack", 1.0)], 1);
    let question = Question { winner: Some(MachineId(2)), ..Question::default() };
    assert_eq!(
        ask(&policy, &zone, amount(4, 8), question).sentence(zone.fleet()).to_string(),
        "Machine 2 was picked at random among 3 machines that beat each other in a cycle."
    );
    assert_eq!(
        why_not(&policy, &zone, 2, 6, None),
        "Not machine 6: weight 3 favours machine 2 (FirstFit, WorstFit and PreferLeastUsedRack), nothing for it; the best beat each other in a cycle."
    );
    assert_eq!(
        why_not(&policy, &zone, 0, 2, Some(1)),
        "Not machine 2: only machine 0 could be drawn; weight 2 favours machine 0 \
         (FirstFit and WorstFit), weight 1 for it (PreferLeastUsedRack); the best beat each other in a cycle."
    );
}

/// How many machines dropped out at each step, from the funnel's counts; cluster steps are converted to machines.
#[track_caller]
fn trail_agrees(told: &Explanation, zone: &Occupancy) {
    let funnel = &told.funnel;
    assert_eq!(told.dropped_at.len(), zone.fleet().machine_count() as usize);
    let at = |step: usize| told.dropped_at.iter().filter(|byte| usize::from(**byte) == step).count() as u32;
    let clusters = funnel.cluster_steps.len();
    for (step, counts) in funnel.steps.iter().enumerate() {
        assert_eq!(at(clusters + step), counts.before - counts.after, "{}", counts.rule);
    }
    let of_clusters: u32 = (0..clusters).map(at).sum();
    assert_eq!(of_clusters, zone.fleet().machine_count() - funnel.candidates());
    let kept: Vec<_> =
        (0..).zip(&told.dropped_at).filter(|(_, byte)| **byte == KEPT).map(|(id, _)| MachineId(id)).collect();
    assert_eq!(kept, funnel.best);
}

#[test]
fn every_machine_drops_out_at_the_step_that_counts_it() {
    let rules = [&VALIDATORS[..], &["PreferNonEmptyMachines", "BestFit"]].concat();
    let clusters = [cluster("small", 3, 2, 0), cluster("b", 5, 8, 2), cluster("c", 4, 8, 1)];
    let zone = zone(&clusters, &[(3, amount(8, 1)), (4, amount(3, 1)), (5, amount(2, 1)), (8, amount(1, 1))]);
    let told = ask(&policy(&rules, 9), &zone, amount(4, 8), Question::default());
    trail_agrees(&told, &zone);
    // First the small cluster drops out, then full or unready machines, then empty ones and those less full than
    // machine 4.
    let names = |step: u8| [&told.funnel.cluster_steps[..], &told.funnel.steps].concat()[usize::from(step)].rule;
    let dropped: Vec<_> = told.dropped_at.iter().map(|byte| if *byte == KEPT { "" } else { names(*byte) }).collect();
    let (small, full, empty) = ("IsTypeSupported", "AreNodeResourcesValid", "PreferNonEmptyMachines");
    let not_ready = "IsMachineReady";
    let expected = [small, small, small, full, "", "BestFit", not_ready, not_ready, "BestFit", empty, empty, not_ready];
    assert_eq!(dropped, expected);
}

#[test]
fn clusters_that_are_passed_over_drop_out_where_clusters_are_chosen() {
    // The first cluster is searched first and has no room, the second one has room, and the third is never searched.
    let clusters = [cluster("a", 2, 8, 0), cluster("b", 2, 8, 0), cluster("c", 2, 8, 0)];
    let zone = zone(&clusters, &[(0, amount(7, 1)), (1, amount(7, 1)), (2, amount(7, 1))]);
    let told = ask(&policy(&["AreNodeResourcesValid", "FirstFit"], 1), &zone, amount(4, 8), Question::default());
    trail_agrees(&told, &zone);
    assert_eq!(told.funnel.clusters, [ClusterId(1)]);
    let chosen = told.funnel.cluster_steps.len() as u8 - 1;
    assert_eq!(told.dropped_at, [chosen, chosen, chosen + 1, KEPT, chosen, chosen]);
}

#[test]
fn of_a_refused_vm_no_machine_is_left() {
    for best_clusters in [1, 9] {
        let zone = zone(&[cluster("a", 2, 8, 0), cluster("b", 3, 8, 1)], &[]);
        let told = ask(&policy(&VALIDATORS, best_clusters), &zone, amount(9, 8), Question::default());
        assert!(told.refusal.is_some() && !told.dropped_at.contains(&KEPT), "{:?}", told.dropped_at);
        trail_agrees(&told, &zone);
    }
}

#[test]
fn weights_set_by_hand_drop_machines_in_one_step() {
    let list = [("AreNodeResourcesValid", 1.0), ("FirstFit", 1.0), ("WorstFit", 2.0)];
    let zone = zone(&[cluster("a", 3, 8, 0)], &[(0, amount(2, 8)), (1, amount(8, 8))]);
    let told = ask(&weighted(&list, 1), &zone, amount(1, 1), Question::default());
    trail_agrees(&told, &zone);
    let last = (told.funnel.cluster_steps.len() + told.funnel.steps.len()) as u8 - 1;
    assert_eq!(told.dropped_at, [last, last - 1, KEPT]);
}
