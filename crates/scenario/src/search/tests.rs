//! The search on made-up figures, which a test computes from the list.

use super::race::Search;
use super::*;
use crate::document::{Document, Variant};
use tiebreak_model::random::Seed;

fn plan(text: &str) -> Result<SearchPlan, String> {
    SearchPlan::read(text).map_err(|error| error.lines().join("\n"))
}

const PLAN: &str = r#"{"scenario": "small", "objectives": [{"measure": "empty_hosts_pct_mean"}], "runs": 3000}"#;

/// Runs a search on a law that gives the figures of a list, by their ids; all others are 0.
fn run(plan: &SearchPlan, law: impl Fn(&Variant) -> Vec<(&'static str, f64)>, order: usize) -> Search {
    let mut search = Search::new(plan, &Document::default()).expect("a plan that fits");
    while !search.is_over() {
        let mut wanted: Vec<_> = search.wanted().collect();
        let turn = order % wanted.len();
        wanted.rotate_left(turn);
        for run in wanted {
            let figures = law(&search.variant(run));
            let value = |id| figures.iter().find(|(other, _)| *other == id).map_or(0.0, |(_, value)| *value);
            let told = search.measures().iter().map(|measure| Some(value(measure.id))).collect();
            search.tell(run, Ok(told));
        }
    }
    search
}

/// A number from 0 to 1 for each seed.
fn noise(variant: &Variant) -> f64 {
    luck(variant.seed, 0)
}

fn luck(seed: u64, of: u64) -> f64 {
    (Seed(of).stream("luck").draw(seed, 0) >> 40) as f64 / f64::from(1 << 24)
}

fn on(variant: &Variant, id: &str) -> f64 {
    f64::from(u8::from(variant.rules.iter().any(|row| row.id == id && row.on)))
}

fn buckets(variant: &Variant, id: &str) -> Option<u32> {
    variant.rules.iter().find(|row| row.id == id).and_then(|row| row.buckets)
}

/// WasteMinimization helps, exact best fit helps, and FirstFit rejects VMs where it helps.
fn law(variant: &Variant) -> Vec<(&'static str, f64)> {
    let exact = f64::from(u8::from(buckets(variant, "BestFit").is_none()));
    let empty = 20.0 + noise(variant) + 2.0 * on(variant, "WasteMinimization") + exact + 3.0 * on(variant, "WorstFit");
    vec![("empty_hosts_pct_mean", empty), ("rejections", 10.0 + on(variant, "WorstFit"))]
}

#[test]
fn what_helps_is_found_and_what_misses_a_limit_is_not() {
    let plan = plan(PLAN).expect("a plan");
    let search = run(&plan, law, 0);
    let report = search.report().expect("a result");
    assert!(report.found, "{}", report.sentence);
    let found = report.document.active_variant();
    assert_eq!([on(found, "WasteMinimization"), on(found, "WorstFit")], [1.0, 0.0]);
    assert_eq!(buckets(found, "BestFit"), None);
    let figure = &report.held_out[0];
    assert!((figure.difference.mean - 3.0).abs() < 1e-9 && figure.difference.low > 2.9, "{figure:?}");
    let changes: Vec<_> = report.changes.iter().map(|it| (it.set.as_str(), (it.brings.mean * 10.0).round())).collect();
    assert_eq!(changes, [("rules.WasteMinimization.on=true", 20.0), ("rules.BestFit.buckets=none", 10.0)]);
    assert_eq!(
        report.sentence.to_string(),
        "+3.0 points of empty hosts, 95 % interval 3.0 to 3.0 on 16 unseen seeds; VMs rejected unchanged."
    );
    let [searched, held_out] = &report.seeds;
    assert!(searched.len() == 16 && held_out.len() == 16 && searched.iter().all(|seed| !held_out.contains(seed)));
    for order in [1, 7] {
        assert_eq!(run(&plan, law, order).report().as_ref(), Some(&report), "the order of answers changes nothing");
    }
}

#[test]
fn where_nothing_helps_nothing_is_found() {
    let plan = plan(PLAN).expect("a plan");
    // Every list has luck of its own.
    let law = |variant: &Variant| {
        let own = variant
            .rules
            .iter()
            .filter(|row| row.on)
            .map(|row| row.id.len() as u64 * 31 + u64::from(row.buckets.unwrap_or(0)));
        vec![("empty_hosts_pct_mean", 20.0 + luck(variant.seed, own.sum()))]
    };
    let report = run(&plan, law, 0).report().expect("a result");
    assert!(!report.found, "{}", report.sentence);
    assert!(report.lists > 50 && report.runs > 400);
}

#[test]
fn two_objectives_give_a_frontier() {
    let text = PLAN.replace(
        "}], ",
        r#"}, {"measure": "conflicts", "goal": "less"}], "limits": [], "change": ["on"], "rules": ["WasteMinimization", "WorstFit", "FirstFit"], "#,
    );
    let law = |variant: &Variant| {
        let [waste, worst] = [on(variant, "WasteMinimization"), on(variant, "WorstFit")];
        vec![("empty_hosts_pct_mean", 20.0 + noise(variant) + waste), ("conflicts", 50.0 + 10.0 * waste - 5.0 * worst)]
    };
    let report = run(&plan(&text).expect("a plan"), law, 0).report().expect("a result");
    let points: Vec<_> = report
        .frontier
        .iter()
        .map(|point| (on(&point.variant, "WasteMinimization"), on(&point.variant, "WorstFit")))
        .collect();
    assert_eq!(points, [(0.0, 1.0), (1.0, 1.0)], "neither is better in both");
}

#[test]
fn a_list_that_fails_is_dropped_and_a_scenario_that_fails_is_told() {
    let plan = plan(PLAN).expect("a plan");
    let mut search = Search::new(&plan, &Document::default()).expect("a plan that fits");
    let first = search.wanted().next().expect("a run");
    search.tell(first, Err("no machine".into()));
    assert!(search.is_over() && search.failure() == Some("no machine") && search.report().is_none());
}

#[test]
fn a_bad_plan_is_told_field_by_field() {
    for (from, to, told) in [
        (r#""runs": 3000"#, r#""runs": 0"#, "runs: expected a whole number from 1 to 1000000, got 0"),
        (r#""runs": 3000"#, r#""seeds": 9"#, "seeds: expected an even number: half is held out, got 9"),
        (
            r#""runs": 3000"#,
            r#""limits": [{"measure": "rejections"}]"#,
            "limits[0]: expected either at_most or at_least",
        ),
        (r#""runs": 3000"#, r#""change": ["colour"]"#, "change[0]: expected order, on, buckets, parameters, weights"),
        ("empty_hosts_pct_mean", "empty", "objectives[0].measure: expected a measure: placements"),
        (r#""scenario": "small", "#, "", "expected a field scenario"),
        (r#""runs": 3000"#, r#""run": 3"#, "expected scenario, variant"),
    ] {
        let text = PLAN.replace(from, to);
        let error = plan(&text).expect_err(&text);
        assert!(error.contains(told), "{error}\nfor {text}");
    }
    let unknown = plan(&PLAN.replace(r#""runs": 3000"#, r#""rules": ["IsMachineReady"]"#)).expect("readable");
    let error = Search::new(&unknown, &Document::default()).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("rules[0]: expected a preference of the list: PreferEmptierClusters"), "{error}");
}

#[test]
fn a_figure_that_nothing_limits_is_mentioned_where_it_gets_worse() {
    let law = |variant: &Variant| {
        let mut figures = law(variant);
        figures.push(("conflicts", 120.0 + 220.0 * on(variant, "WasteMinimization")));
        figures
    };
    let worse = |plan: &SearchPlan| {
        let report = run(plan, law, 0).report().expect("a result");
        report.worse.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let free = plan(PLAN).expect("a plan");
    assert_eq!(worse(&free), ["Worse, and nothing limits it: conflicts, from 120 to 340."]);
    let limits = ["conflicts", "rejections"].map(|id| format!(r#"{{"measure": "{id}", "at_most": "now"}}"#)).join(", ");
    let limited = PLAN.replace(r#""runs""#, &format!(r#""limits": [{limits}], "runs""#));
    assert_eq!(worse(&plan(&limited).expect("a plan")), [""; 0]);
}

#[test]
fn a_search_that_is_finished_early_judges_what_it_has() {
    let plan = plan(PLAN).expect("a plan");
    let told = |search: &mut Search, runs: usize| {
        for run in search.wanted().take(runs).collect::<Vec<_>>() {
            let figures = law(&search.variant(run));
            let value = |id| figures.iter().find(|(other, _)| *other == id).map_or(0.0, |(_, value)| *value);
            let all = search.measures().iter().map(|measure| Some(value(measure.id))).collect();
            search.tell(run, Ok(all));
        }
    };
    let mut search = Search::new(&plan, &Document::default()).expect("a plan that fits");
    while search.lead() == 0.0 {
        told(&mut search, usize::MAX);
    }
    // In the middle of a race.
    told(&mut search, 3);
    search.finish();
    let (spent, budget) = search.progress();
    while !search.is_over() {
        told(&mut search, usize::MAX);
    }
    let report = search.report().expect("a result");
    assert!(report.found && spent < budget / 2, "{} after {spent}", report.sentence);
    let mut none = Search::new(&plan, &Document::default()).expect("a plan that fits");
    told(&mut none, 3);
    none.finish();
    assert!(none.is_over() && none.report().is_none() && none.failure().is_some());
}
