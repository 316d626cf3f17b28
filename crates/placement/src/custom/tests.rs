use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::{
    ClusterSpec, Fleet, Footprint, MachineId, Occupancy, PredictedLife, Resources, Scene, VmRequest, VmShape,
};

use super::*;
use crate::explain::{Question, Verdict, explain};
use crate::policy::{Policy, PolicyError, RuleUse};

fn definition(of: Subject, expression: &str, bounds: Option<(f64, f64)>) -> Definition {
    let bounds = bounds.map(|(from, to)| Bounds { from, to, higher_is_better: false });
    let parameters = vec![Parameter {
        name: "limit".into(),
        help: String::new(),
        unit: String::new(),
        default: 0.5,
        min: 0.0,
        max: 1.0,
    }];
    Definition { help: String::new(), of, parameters, expression: expression.into(), bounds }
}

fn used(definition: Definition) -> RuleUse {
    let entry = entry_of("Own", &definition);
    RuleUse { custom: Some(Custom::new(definition, entry)), ..RuleUse::plain("Own", None) }
}

fn policy(of: Subject, expression: &str, bounds: Option<(f64, f64)>) -> Policy {
    let rules = [RuleUse::plain("AreNodeResourcesValid", None), used(definition(of, expression, bounds))];
    Policy::new(&rules, 1).unwrap_or_else(|error| panic!("{expression}: {error}"))
}

/// Three machines of 8 cores in one rack, with these numbers of cores in use.
fn zone(used_cores: &[u32]) -> Occupancy {
    let spec = ClusterSpec {
        name: "c".into(),
        machines: used_cores.len() as u32,
        racks: 1,
        capacity: Resources::new(8_000, 8_192, 0, 0),
        unready: 0,
        datacenter: 0,
        chassis: 1,
    };
    let mut zone = Occupancy::empty(Arc::new(Fleet::build(&[spec]).expect("a fleet")));
    for (machine, cores) in (0..).map(MachineId).zip(used_cores) {
        let vm = VmShape::plain(Resources::new(cores * 1_000, cores * 1_024, 0, 0));
        zone.set(
            machine,
            if *cores > 0 { zone.record(machine).with(&vm).expect("it fits") } else { zone.record(machine) },
        );
    }
    zone
}

fn vm(cores: u32) -> VmRequest {
    VmRequest::alone(VmShape::plain(Resources::new(cores * 1_000, cores * 1_024, 0, 0)))
}

/// The names that an expression reads determine its key and its reach.
#[test]
fn what_is_read_gives_key_and_reach() {
    let narrow = "let w = if limit > 0.7 then vm.memory else 0; machine.vms + w";
    for (of, expression, key, sees_tenant, asks) in [
        (Subject::Machine, "machine.vms", 0, false, ""),
        (Subject::Machine, "machine.cores_free - vm.cores", 1, false, ""),
        (Subject::Machine, "machine.cores_free - vm.cores + 0 * vm.cores + vm.memory", 2, false, ""),
        (Subject::Machine, narrow, 0, false, ""),
        (Subject::Machine, "tenant.vms + tenant.vms_on_machine", 1, true, ""),
        (Subject::Machine, "vm.life / 24 + machine.vms", 1, false, "lifetimes"),
        (Subject::Machine, "if vm.user_facing then machine.vms else vm.expected_use", 2, false, "loads"),
        (Subject::Rack, "rack.empty * tenant.vms_in_rack", 0, true, "racks"),
        (Subject::Cluster, "cluster.cores_used * vm.cores", 1, false, ""),
        (Subject::Cluster, "tenant.vms_in_cluster + tenant.vms_in_datacenter", 0, true, ""),
    ] {
        let policy = policy(of, expression, Some((0.0, 1.0)));
        let words = |policy: &Policy| {
            let mut words = Vec::new();
            policy.write_key(&vm(2), &mut words);
            words.len()
        };
        let above = Policy::new(&[RuleUse::plain("AreNodeResourcesValid", None)], 1).expect("a policy");
        assert_eq!((words(&policy) - words(&above), policy.sees_tenant), (key, sees_tenant), "{expression}");
        let asked = [
            ("lifetimes", policy.asks_for_lifetimes()),
            ("loads", policy.asks_for_loads()),
            ("racks", policy.sees_racks()),
        ];
        let asked: Vec<_> = asked.into_iter().filter(|(_, asks)| *asks).map(|(what, _)| what).collect();
        assert_eq!(asked.join(" "), asks, "{expression}");
    }
}

#[test]
fn keys_tell_apart_what_expressions_read() {
    let policy = policy(Subject::Machine, "vm.life + machine.vms + vm.priority", Some((0.0, 1.0)));
    let key = |vm: &VmRequest| {
        let mut words = Vec::new();
        policy.write_key(vm, &mut words);
        words
    };
    let life = |remaining_s| VmRequest { life: PredictedLife { remaining_s, ..PredictedLife::NONE }, ..vm(1) };
    assert_ne!(key(&life(3_600)), key(&life(7_200)));
    assert_eq!(key(&life(36_000)), key(&life(36_001)), "nearly the same life is one class");
    let spot = VmRequest { shape: VmShape { priority: 1, ..vm(1).shape }, ..vm(1) };
    assert_ne!(key(&spot), key(&vm(1)));
}

#[test]
fn values_become_scores_by_their_bounds() {
    let bounds = |from, to, higher_is_better| Bounds { from, to, higher_is_better };
    for (bounds, value, score) in [
        (bounds(0.0, 1.0, false), 0.3, 0.3),
        (bounds(0.0, 1.0, true), 0.25, 0.75),
        (bounds(-10.0, 30.0, false), 0.0, 0.25),
        (bounds(0.0, 1.0, false), 7.0, 1.0),
        (bounds(0.0, 1.0, false), -7.0, 0.0),
        (bounds(0.0, 1.0, true), 7.0, 0.0),
        (bounds(0.0, 1.0, true), f64::NAN, 1.0),
        (bounds(0.0, 1.0, false), f64::NAN, 1.0),
    ] {
        assert_eq!(bounds.score(value), score, "{value}");
    }
}

/// The words about machine 0, and its verdict.
fn told(of: Subject, expression: &str, bounds: Option<(f64, f64)>) -> (String, Verdict) {
    let (policy, zone) = (policy(of, expression, bounds), zone(&[2, 0, 8]));
    let question = Question { asked: Some(MachineId(0)), ..Question::default() };
    let card = explain(&policy, Scene::of(&zone), &vm(2), question).asked.expect("it was asked about");
    let verdict = card.verdicts.iter().find(|(id, _)| *id == "Own").expect("a verdict").1;
    (card.said_by("Own").expect("words").to_string(), verdict)
}

#[test]
fn explanations_tell_values() {
    let bounds = Some((0.0, 1.0));
    let left =
        "let cores_left = machine.cores_free - vm.cores; let share = cores_left / 6; if share > 0.9 then 1 else share";
    for (of, expression, bounds, words) in [
        (Subject::Machine, left, bounds, "has cores_left = 4, share = 0.667, score 0.667"),
        (Subject::Machine, "machine.vms / 4", bounds, "has machine.vms = 1, score 0.25"),
        (Subject::Machine, "1 / (machine.vms - 1)", bounds, "has machine.vms = 1, not a number, so the worst score, 1"),
        (Subject::Machine, "let odd = machine.vms % 2 == 1; odd", None, "has odd = true"),
        (
            Subject::Machine,
            "1 / (machine.vms - 1) > 2",
            None,
            "has machine.vms = 1, an answer that is neither true nor false, which counts as false",
        ),
        (Subject::Machine, "0.5", bounds, "has score 0.5"),
        (Subject::Machine, "true", None, "answers without reading anything"),
        (Subject::Rack, "rack.cores_free / 100", bounds, "has rack.cores_free = 14, score 0.14"),
        (Subject::Cluster, "cluster.empty", bounds, "has cluster.empty = 0.333, score 0.333"),
    ] {
        assert_eq!(told(of, expression, bounds).0, words, "{expression}");
    }
}

#[test]
fn validators_refuse_what_is_not_true() {
    for (expression, verdict) in [
        ("machine.vms == 1", Verdict::Valid),
        ("machine.vms > 1", Verdict::Refused),
        ("1 / (machine.vms - 1) > 0", Verdict::Refused),
        ("not 1 / (machine.vms - 1) > 0", Verdict::Refused),
    ] {
        assert_eq!(told(Subject::Machine, expression, None).1, verdict, "{expression}");
    }
}

#[test]
fn a_rule_sees_the_tenants_vms_where_it_looks() {
    let (policy, zone) = (policy(Subject::Machine, "tenant.vms_on_machine / 4", Some((0.0, 1.0))), zone(&[0, 0, 0]));
    let mut footprint = Footprint::NONE.clone();
    (0..3).for_each(|_| footprint.add(MachineId(1)));
    let scene = Scene { footprint: &footprint, ..Scene::of(&zone) };
    let question = Question { asked: Some(MachineId(1)), winner: Some(MachineId(0)), avoided: None };
    let told = explain(&policy, scene, &vm(1), question);
    let said = told.asked.as_ref().and_then(|card| card.said_by("Own")).map(ToString::to_string);
    assert_eq!(said.as_deref(), Some("has tenant.vms_on_machine = 3, score 0.75"));
    let why_not = told.why_not_sentence(zone.fleet()).map(|said| said.to_string());
    assert_eq!(why_not.as_deref(), Some("Not machine 1: Own ranks machine 0 above it."));
}

#[test]
fn what_cannot_be_read_is_told() {
    for (of, expression, told) in [
        (
            Subject::Machine,
            "machine.core_free",
            "line 1, column 1: expected a parameter, a named value or a name that can be read, got `machine.core_free`; did you mean machine.cores_free?",
        ),
        (
            Subject::Machine,
            "limitt",
            "line 1, column 1: expected a parameter, a named value or a name that can be read, got `limitt`; did you mean limit?",
        ),
        (
            Subject::Machine,
            "memory_of_everything",
            "line 1, column 1: expected a parameter, a named value or a name that can be read, got `memory_of_everything`; `tiebreak list names` lists all names",
        ),
        (
            Subject::Machine,
            "1 + rack.empty",
            "line 1, column 5: expected a name that a rule of machines can read, got `rack.empty`; that belongs to a rack, which changes without this rule being evaluated; a rule of racks can read it",
        ),
        (
            Subject::Cluster,
            "machine.vms",
            "line 1, column 1: expected a name that a rule of clusters can read, got `machine.vms`; that belongs to a machine, which changes without this rule being evaluated; a rule of machines can read it",
        ),
        (
            Subject::Machine,
            "machine.free_in",
            "line 1, column 1: expected a name that changes only with what is placed, got `machine.free_in`; it moves with the clock; put TemporalCost or LifetimeAlignment above or below this rule",
        ),
        (
            Subject::Machine,
            "machine.uplink_left",
            "line 1, column 1: expected a name that changes only with what is placed, got `machine.uplink_left`; it changes with other machines' links; put LeastLoadedUplink above or below this rule",
        ),
        (
            Subject::Machine,
            "let limit = 1; limit",
            "line 1, column 5: expected a new name, got `limit`; it is a built-in name; choose another name",
        ),
    ] {
        let fault = definition(of, expression, Some((0.0, 1.0))).program().expect_err(expression);
        assert_eq!(fault.to_string(), told);
        let error = Policy::new(&[used(definition(of, expression, Some((0.0, 1.0))))], 1).expect_err("no policy");
        assert_eq!(error, PolicyError::Expression { id: "Own", fault });
    }
}

#[test]
fn parameters_have_the_values_of_the_list() {
    let zone = zone(&[2, 0, 8]);
    for (values, score) in [(vec![], 0.5), (vec![0.25], 0.25), (vec![9.0], 0.5)] {
        let rule = RuleUse { values, ..used(definition(Subject::Machine, "limit", Some((0.0, 1.0)))) };
        let policy = Policy::new(&[rule], 1).expect("a policy");
        let question = Question { asked: Some(MachineId(0)), ..Question::default() };
        let card = explain(&policy, Scene::of(&zone), &vm(1), question).asked.expect("it was asked about");
        let Verdict::Score { score: given, .. } = card.verdicts[0].1 else { panic!("a score") };
        assert_eq!(given, score);
    }
}
