//! LAVA Figure 16: NILAS without repredictions, with a predictor, with an oracle and under ideal
//! conditions, between the baseline and the bound. (LAVA appendix G.2)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_placement::Group;
use tiebreak_scenario::Variant;
use tiebreak_scenario::lifetime_rules::{LifetimeRules, put_above};

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row};
use super::pools::{
    BASELINE, Cases, EMPTY_AT_FIRST, MADE_UP, PoolOrigin, PoolRuns, RunsByPool, TRACE, Trial, Whole, baseline, cut,
    in_cases, oracle, over_all, over_pools, trained, tried,
};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "lava-fig16";

/// The pools.
static CASES: [PoolOrigin; 3] = [TRACE, EMPTY_AT_FIRST, MADE_UP];

/// The trials in order, with what limits each of them.
static STEPS: [&str; 7] = [
    "baseline",
    "NILAS without repredictions",
    "NILAS",
    "NILAS, oracle",
    "NILAS, oracle, cold start, at the top",
    "all VMs repacked",
    "bound",
];

const ONE_SHOT: usize = 1;
const MODEL: usize = 2;
const ORACLE: usize = 3;
const IDEAL: usize = 4;
const REPACKED: usize = 5;
const BOUND: usize = 6;

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    let Cases { trace, seeds, found } = in_cases(given, &CASES, |whole| one(whole, given))?;
    let setting = format!(
        "Mean share of empty hosts in {} pools cut from {trace}, in as many with only the VMs that arrive after the \
        start, and in {} generated, as in Figure 6. The bound is the free share of the scarcer of cores and memory. \
        Repacking places the VMs alive, largest first, every 12 hours. {BASELINE} In a cold start the rule places \
        these too.",
        found[0][0].len(),
        found[2][0].len(),
    );
    let about = About { name: NAME, source: "LAVA, Figure 16", setting, seeds };
    let findings =
        Findings { rows: rows(&found), checks: checks(&found), remarks: remarks(&found), panels: panels(&found) };
    Figure::answer(given, about, findings)
}

fn one(whole: &Whole, given: &Given) -> Result<Vec<PoolRuns>, Failure> {
    let Whole { workload, pools, seed, .. } = whole;
    let baseline = baseline(workload, given)?;
    let (model, _) = trained(&baseline.predictor, workload, *seed);
    let (oracle, _) = trained(&oracle(), workload, *seed);
    let nilas = LifetimeRules::Nilas.list(&baseline);
    let (mut one_shot, mut ideal) = (nilas.clone(), at_top(&nilas));
    one_shot.lifetimes.repredict = false;
    ideal.lifetimes.baseline_start = false;
    let trials = [
        Trial::new(baseline, None),
        Trial::new(one_shot, &model),
        Trial::new(nilas.clone(), &model),
        Trial::new(nilas, &oracle),
        Trial::new(ideal, &oracle),
    ];
    tried(&cut(workload, *pools, *seed), &trials)
}

/// The policy with NILAS above every other preference.
fn at_top(list: &Variant) -> Variant {
    let mut list = list.clone();
    let first = list.rules_of(Group::MachinePreferences).next().map(|row| row.id.clone());
    put_above(&mut list, "TemporalCost", &first.expect("there are machine preferences"));
    list
}

/// Empty hosts at a step.
fn empty_pct(pool: &PoolRuns, step: usize) -> f64 {
    match step {
        REPACKED => pool.repacked_pct,
        BOUND => pool.seen[0].bound_pct,
        trial => pool.seen[trial].empty_pct,
    }
}

fn mean(found: &RunsByPool, step: usize) -> f64 {
    over_all(found, |pool| empty_pct(pool, step))
}

/// How much of the gap between the baseline and the bound a step closes, in percent.
fn way_pct(found: &RunsByPool, step: usize) -> f64 {
    100.0 * (mean(found, step) - mean(found, 0)) / (mean(found, BOUND) - mean(found, 0))
}

fn rows(found: &[RunsByPool]) -> Vec<Row> {
    const WAYS: [&str; CASES.len()] = ["of the way", "of the way, empty at first", "of the way, generated"];
    let row = |(step, what): (usize, &&str)| {
        let empty = |(case, found): (&PoolOrigin, &RunsByPool)| {
            Measure::of(case.name, 1, found.iter().map(|pools| over_pools(pools, |pool| empty_pct(pool, step))))
        };
        let way =
            |(what, found): (&&'static str, &RunsByPool)| Measure::of(what, 0, std::iter::once(way_pct(found, step)));
        let ours = CASES.iter().zip(found).map(empty).chain(WAYS.iter().zip(found).map(way)).collect();
        Row { what: format!("{what}, %"), paper: None, ours }
    };
    STEPS.iter().enumerate().map(row).collect()
}

fn checks(found: &[RunsByPool]) -> Vec<Check> {
    const ALL: [&PoolOrigin; CASES.len()] = [&TRACE, &EMPTY_AT_FIRST, &MADE_UP];
    let in_pools = |what, unit, cases: &[&PoolOrigin], value: &dyn Fn(&PoolRuns) -> f64| {
        let are_meant = |case: &PoolOrigin| cases.iter().any(|other| other.name == case.name);
        let meant = CASES.iter().zip(found).filter(|(case, _)| are_meant(case));
        let pairs = |found: &RunsByPool| found.iter().map(|pools| over_pools(pools, value)).collect::<Vec<_>>();
        Check::each_above(what, unit, meant.map(|(case, found)| (format!("{}:", case.name), pairs(found))))
    };
    let more = |what, cases: &[&PoolOrigin], step: usize, other: usize| {
        in_pools(what, "points", cases, &|pool| empty_pct(pool, step) - empty_pct(pool, other))
    };
    vec![
        more("NILAS leaves more hosts empty with repredictions than without, in all pools", &ALL, MODEL, ONE_SHOT),
        more("more with the oracle", &ALL, ORACLE, MODEL),
        more("and more under ideal conditions, if VMs are alive at the start", &[&TRACE, &MADE_UP], IDEAL, ORACLE),
        in_pools(
            "ideal conditions come near the bound: three quarters of the way from the baseline",
            "points, above three quarters",
            &ALL,
            &|pool| {
                let [first, ideal, bound] = [0, IDEAL, BOUND].map(|step| empty_pct(pool, step));
                ideal - first - 0.75 * (bound - first)
            },
        ),
    ]
}

fn remarks(found: &[RunsByPool]) -> Vec<String> {
    let words = |(case, found): (&PoolOrigin, &RunsByPool)| {
        let [bound, repacked, ideal] = [BOUND, REPACKED, IDEAL].map(|step| mean(found, step) - mean(found, 0));
        format!(
            "{}: the bound is {bound:.1} points above the baseline; repacking all VMs, which moves running VMs, \
            would gain {repacked:.1}, and ideal conditions achieve {:.0} % of that",
            case.name,
            100.0 * ideal / repacked,
        )
    };
    CASES.iter().zip(found).map(words).collect()
}

fn panels(found: &[RunsByPool]) -> Vec<Panel> {
    let line = |found: &RunsByPool| (0..STEPS.len()).map(|step| ((step + 1) as f64, mean(found, step))).collect();
    vec![Panel::Plot(Plot {
        title: "Empty hosts from the baseline (1) to the bound (7)".into(),
        unit: "%".into(),
        across: "step, in the order of the table".into(),
        across_is_log: false,
        up_is_log: false,
        series: CASES
            .iter()
            .zip([Role::Live, Role::Variant(0), Role::Variant(1)])
            .zip(found)
            .map(|((case, role), found)| Series::new(case.name, role, Style::Line, line(found)))
            .collect(),
    })]
}
