//! Sweep plans: which runs they mean, and the messages for invalid ones.

use serde_json::{Value, json};
use tiebreak_scenario::sweep::{RUNS_MAX, SweepSeeds, every_measure};
use tiebreak_scenario::{
    Document, SWEEP_MEASURES, Sweep, SweepError, SweepPlan, SweepScenario, SweepSubject, Variant, presets,
};

fn small() -> Document {
    (presets::find("small").expect("a preset").make)()
}

/// The sweep of a plan over the preset `small`, or its errors.
fn sweep(plan: &Value) -> Result<Sweep, String> {
    let plan = SweepPlan::read(&plan.to_string()).map_err(|error| error.to_string())?;
    plan.over(&small()).map_err(|error| error.to_string())
}

fn over(parameters: &Value) -> Value {
    json!({ "scenario": "small", "parameters": parameters })
}

#[test]
fn runs_are_numbered_with_the_seeds_fastest() {
    let plan = json!({
        "scenario": "small",
        "parameters": [
            { "path": "rules.BestFit.buckets", "values": [2, "none"] },
            { "path": "agents.count", "from": 1, "to": 3, "step": 1 },
        ],
        "seeds": [7, 5],
    });
    let sweep = sweep(&plan).expect("a sweep");
    let runs: Vec<_> = sweep.runs().map(|run| (run.number, run.values.join(" "), run.seed)).collect();
    let told: Vec<_> = runs.iter().map(|(number, values, seed)| format!("{number}: {values}, {seed}")).collect();
    assert_eq!(
        told,
        [
            "0: 2 1, 7",
            "1: 2 1, 5",
            "2: 2 2, 7",
            "3: 2 2, 5",
            "4: 2 3, 7",
            "5: 2 3, 5",
            "6: none 1, 7",
            "7: none 1, 5",
            "8: none 2, 7",
            "9: none 2, 5",
            "10: none 3, 7",
            "11: none 3, 5",
        ]
    );
    assert_eq!((sweep.count(), sweep.run(12)), (12, None));
    let run = sweep.run(9).expect("a run");
    let variant: &Variant = run.document.active_variant();
    let mut expected = Variant { seed: 5, ..small().active_variant().clone() };
    expected.set("rules.BestFit.buckets", "none").expect("a field");
    expected.set("agents.count", "2").expect("a field");
    assert_eq!((variant, run.document.variants.len()), (&expected, 1));
}

#[test]
fn parameters_vary_one_at_a_time_where_that_is_wanted() {
    let buckets = json!({ "path": "rules.BestFit.buckets", "values": [1, "none"] });
    let agents = json!({ "path": "agents.count", "values": [2, 3] });
    let mut plan = over(&json!([buckets, agents]));
    plan["one_at_a_time"] = true.into();
    let sweep = sweep(&plan).expect("a sweep");
    let values: Vec<String> = sweep.runs().map(|run| run.values.join("|")).collect();
    assert_eq!(values, ["|", "1|", "none|", "|2", "|3"]);
    assert_eq!(sweep.run(0).expect("a run").document.active_variant(), small().active_variant());
    let mut expected = small().active_variant().clone();
    expected.set("agents.count", "3").expect("a field");
    assert_eq!(sweep.run(4).expect("a run").document.active_variant(), &expected);
    assert_eq!(sweep.run(5), None);

    let read = SweepPlan::read(&plan.to_string()).expect("a plan");
    assert_eq!(SweepPlan::read(&read.to_json()), Ok(read), "it is written as it was read");
    plan["one_at_a_time"] = "yes".into();
    assert!(SweepPlan::read(&plan.to_string()).is_err_and(|error| error.to_string().contains("true or false")));
}

#[test]
fn a_range_gives_whole_numbers_where_the_field_wants_them() {
    let values = |path: &str, from: f64, to: f64, scale: &str| {
        let parameter = json!({ "path": path, "from": from, "to": to, "count": 6, "scale": scale });
        sweep(&over(&json!([parameter]))).expect("a sweep").values()[0].join(" ")
    };
    assert_eq!(values("agents.count", 1.0, 64.0, "log"), "1 2 5 12 28 64");
    assert_eq!(values("agents.count", 1.0, 3.0, "linear"), "1 2 3", "each once");
    assert_eq!(values("rules.BestFit.position", 0.0, 3.0, "linear"), "0 1 2 3");
    assert_eq!(values("agents.avoidance", 0.0, 1.0, "linear"), "0 0.2 0.4 0.6 0.8 1");
    assert_eq!(values("rules.BestFit.buckets", 1.0, 1000.0, "log"), "1 4 16 63 251 1000");
}

#[test]
fn a_document_may_stand_in_the_plan() {
    let document: Value = serde_json::from_str(&small().to_json()).expect("JSON");
    let plan = json!({ "scenario": document, "variant": "A", "parameters": [{ "path": "agents.count", "values": [1] }],
        "seeds": 3, "measures": ["conflicts", "vms"] });
    let plan = SweepPlan::read(&plan.to_string()).expect("a plan");
    let SweepScenario::Inline(inline) = &plan.scenario else { panic!("a document") };
    assert_eq!((**inline).clone(), small());
    assert_eq!((plan.seeds.clone(), plan.measures.join(" ")), (SweepSeeds::Count(3), "conflicts vms".into()));
    let sweep = plan.over(inline).expect("a sweep");
    let seed = small().active_variant().seed;
    assert_eq!(sweep.runs().map(|run| run.seed).collect::<Vec<_>>(), [seed, seed + 1, seed + 2]);
    let every =
        SweepPlan::read(&over(&json!([{ "path": "agents.count", "values": [1] }])).to_string()).expect("a plan");
    assert_eq!(
        (every.seeds, every.measures.len()),
        (SweepSeeds::Count(1), every_measure(SweepSubject::Workload).len())
    );
}

#[test]
fn a_plan_may_be_about_the_admission_lab() {
    let mut of_lab = over(&json!([{ "path": "admission_lab.cores", "values": [500, 1000] }]));
    of_lab["of"] = json!("admission_lab");
    let plan = SweepPlan::read(&of_lab.to_string()).expect("a plan");
    assert_eq!((plan.subject, plan.measures.len()), (SweepSubject::AdmissionLab, 6));
    assert_eq!(SweepPlan::read(&plan.to_json()).expect("the same"), plan);
    let both = every_measure(SweepSubject::Workload).len() + plan.measures.len();
    assert_eq!(both, SWEEP_MEASURES.len(), "each is about one of them");
    for (field, value, expected) in [
        ("of", json!("luck"), "of: expected workload or admission_lab, got \"luck\""),
        ("measures", json!(["vms"]), "measures[0]: expected a measure: utilization_pct, failed_pct"),
    ] {
        let mut wrong = of_lab.clone();
        wrong[field] = value;
        let told = SweepPlan::read(&wrong.to_string()).expect_err("no plan").to_string();
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn what_is_no_sweep_says_which_field() {
    let one = json!([{ "path": "agents.count", "values": [1, 2] }]);
    let with = |name: &str, value: Value| {
        let mut plan = over(&one);
        plan[name] = value;
        plan
    };
    let parameter = |parameter: Value| over(&json!([parameter]));
    let tens = |path: &str| json!({ "path": path, "from": 1, "to": 1000, "step": 1 });
    for (plan, expected) in [
        (json!([1]), "document: expected an object, got a list of 1"),
        (json!({ "parameters": one }), "expected a field scenario: a document, a preset or a file"),
        (json!({ "scenario": "small" }), "expected a field parameters"),
        (with("scenario", json!(3)), "scenario: expected a document, or the name of a preset or a file, got 3"),
        (
            with("scenario", json!({ "version": 3, "variants": [{ "seed": -1 }] })),
            "scenario.variants[0].seed: expected a whole number from 0 to 9007199254740991, got -1",
        ),
        (
            with("colour", json!("red")),
            "expected scenario, variant, of, parameters, one_at_a_time, seeds or measures, got field \"colour\"",
        ),
        (with("variant", json!("Z")), "variant: expected a variant of the scenario: A, got \"Z\""),
        (with("parameters", json!([])), "parameters: expected at least 1 parameter, got a list of 0"),
        (with("parameters", json!([{}, {}, {}, {}, {}])), "parameters: expected at most 4, got a list of 5"),
        (parameter(json!({ "values": [1] })), "parameters[0]: expected a field path"),
        (parameter(json!({ "path": 7, "values": [1] })), "parameters[0].path: expected a path as after --set, got 7"),
        (
            parameter(json!({ "path": "seed", "values": [1] })),
            "parameters[0].path: expected a field other than the seed",
        ),
        (parameter(json!({ "path": "agents.cont", "values": [1] })), "parameters[0].path: expected count, decision_ms"),
        (
            parameter(json!({ "path": "rules.Luck.on", "values": ["true"] })),
            "parameters[0].path: expected IsTypeSupported",
        ),
        (
            parameter(json!({ "path": "agents.count", "values": [1, 65] })),
            "parameters[0].values[1]: expected a whole number from 1 to 64, got agents.count=65",
        ),
        (
            over(&json!([
                { "path": "inventory.clusters.0.machines", "values": [400, 8] },
                { "path": "inventory.clusters.0.racks", "values": [1, 9] },
            ])),
            "parameters[1].values[1]: expected at most one rack per machine (here 9 racks, 8 machines), \
             got inventory.clusters.0.racks=9 with inventory.clusters.0.machines=8",
        ),
        (
            over(&json!([{ "path": "agents.count", "values": [1] }, { "path": "agents[count]", "values": [2] }])),
            "parameters[1]: expected each path once",
        ),
        (
            parameter(json!({ "path": "agents.count", "from": 1, "to": 9, "step": 0 })),
            "parameters[0].step: expected a step other than 0, got 0",
        ),
        (
            over(&json!([tens("agents.publish_ms"), tens("agents.decision_ms")])),
            "parameters: expected at most 100000 runs: fewer values or seeds, or several plans, got 1000000 runs",
        ),
        (with("seeds", json!(0)), "seeds: expected from 1 to 100000 seeds, or a list of them, got 0"),
        (with("seeds", json!([])), "seeds: expected at least 1 seed"),
        (with("seeds", json!([1, 2, 1])), "seeds[2]: expected each seed once, got 1"),
        (with("seeds", json!([1.5])), "seeds[0]: expected a whole number from 0 to 9007199254740991, got 1.5"),
        (with("seeds", json!("many")), "seeds: expected a list of seeds, or how many, got \"many\""),
        (with("measures", json!(["wall_ms"])), "measures[0]: expected a measure: placements, rejections"),
        (with("measures", json!(["vms", "vms"])), "measures[1]: expected each measure once"),
        (with("measures", json!("vms")), "measures: expected a list, got \"vms\""),
    ] {
        let told = sweep(&plan).expect_err("no sweep");
        assert!(told.contains(expected), "{plan}: {told}");
    }
    assert!(SweepPlan::read("{").expect_err("no JSON").to_string().starts_with("expected JSON"));
    let most = over(&json!([tens("agents.publish_ms"), { "path": "agents.count", "from": 1, "to": 50, "step": 1 }]));
    let mut most = most;
    most["seeds"] = json!(2);
    assert_eq!(sweep(&most).expect("as many as there may be").count(), RUNS_MAX);
}

#[test]
fn a_plan_is_read_again_as_it_was_written() {
    let scenario: Value = serde_json::from_str(&small().to_json()).expect("JSON");
    for plan in [
        json!({ "scenario": "small", "parameters": [{ "path": "agents.count", "values": [1, 2] }] }),
        json!({
            "scenario": scenario,
            "variant": "A",
            "parameters": [
                { "path": "rules.BestFit.buckets", "values": [1, 2.5, null, "-0", "1e3", "0x1", true, "a, b"] },
                { "path": "agents.publish_ms", "from": 0.1, "to": 2, "step": 0.1 },
                { "path": "agents.decision_ms", "from": 1, "to": 1e15, "count": 4, "scale": "log" },
                { "path": "agents.commit_ms", "from": -1, "to": 1, "count": 3 },
            ],
            "seeds": [7, 9007199254740991_u64],
            "measures": ["vms", "cache_hits_pct"],
        }),
    ] {
        let text = plan.to_string();
        assert!(SweepPlan::is_meant(&text));
        let plan = SweepPlan::read(&text).expect("a plan");
        assert_eq!(SweepPlan::read(&plan.to_json()), Ok(plan));
    }
    assert!(!SweepPlan::is_meant(&small().to_json()) && !SweepPlan::is_meant("{") && !SweepPlan::is_meant("[]"));
}

#[test]
fn who_makes_few_runs_is_told_before_any_value_is_tried() {
    let no_field = |values: Value| over(&json!([{ "path": "no.field", "values": [1] }, values]));
    for (plan, asked) in [
        (no_field(json!({ "path": "agents.count", "from": 1, "to": 100_000, "step": 1 })), 100_000),
        (no_field(json!({ "path": "agents.count", "from": 1, "to": 401, "step": 1 })), 401),
        (
            over(&json!([
                { "path": "no.field", "from": 1, "to": 30, "step": 1 }, { "path": "agents.count", "from": 1, "to": 30, "step": 1 },
            ])),
            900,
        ),
    ] {
        let plan = SweepPlan::read(&plan.to_string()).expect("a plan");
        assert_eq!(plan.over_at_most(&small(), 400), Err(SweepError::TooMany { runs: asked, most: 400 }));
    }
    let mut seeds = over(&json!([{ "path": "agents.count", "values": [1, 2] }]));
    seeds["seeds"] = json!(201);
    let plan = SweepPlan::read(&seeds.to_string()).expect("a plan");
    assert_eq!(plan.over_at_most(&small(), 400), Err(SweepError::TooMany { runs: 402, most: 400 }));
    assert_eq!(plan.over_at_most(&small(), 402).map(|sweep| sweep.count()), Ok(402));
}
