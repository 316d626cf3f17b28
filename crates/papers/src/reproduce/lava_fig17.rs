//! LAVA Figure 17: the cost of caching machines' predictions. (LAVA appendix G.3)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_scenario::lifetime_rules::LifetimeRules;

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row};
use super::pools::{
    BASELINE, Cases, MADE_UP, PoolOrigin, PoolRuns, RunsByPool, TRACE, Trial, Whole, baseline, cut, in_cases, over_all,
    over_pools, trained, tried,
};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "lava-fig17";

/// The maximum age of a machine's cached predictions without changes, in minutes; 0 never keeps a prediction that
/// would differ now.
const MINUTES: [f64; 3] = [0.0, 1.0, 15.0];

const EXACT: usize = 0;
const LONGEST: usize = MINUTES.len() - 1;

/// The pools.
static CASES: [PoolOrigin; 2] = [TRACE, MADE_UP];

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    let Cases { trace, seeds, found } = in_cases(given, &CASES, |whole| one(whole, given))?;
    let setting = format!(
        "NILAS in {} pools cut from {trace} and in {} generated, as in Figure 6, with the trained predictor. \
        {BASELINE} A machine is always repredicted when a VM is placed or exits and when its expected exit passes. \
        Percentage points of empty hosts over predictions that are never stale.",
        found[0][0].len(),
        found[1][0].len(),
    );
    let about = About { name: NAME, source: "LAVA, Figure 17", setting, seeds };
    let findings = Findings { rows: rows(&found), checks: checks(&found), remarks: Vec::new(), panels: panels(&found) };
    Figure::answer(given, about, findings)
}

fn one(whole: &Whole, given: &Given) -> Result<Vec<PoolRuns>, Failure> {
    let Whole { workload, pools, seed, .. } = whole;
    let baseline = baseline(workload, given)?;
    let (model, _) = trained(&baseline.predictor, workload, *seed);
    let nilas = LifetimeRules::Nilas.list(&baseline);
    let trials = MINUTES.map(|minutes| {
        let mut list = nilas.clone();
        list.lifetimes.refresh_minutes = minutes;
        Trial::new(list, &model)
    });
    tried(&cut(workload, *pools, *seed), &trials)
}

/// Repredictions of running VMs, in thousands per pool.
fn repredictions(pool: &PoolRuns, at: usize) -> f64 {
    pool.seen[at].repredictions as f64 / 1_000.0
}

fn rows(found: &[RunsByPool]) -> Vec<Row> {
    let row = |(at, minutes): (usize, &f64)| {
        let over = |name, decimals, found: &RunsByPool, value: &dyn Fn(&PoolRuns) -> f64| {
            Measure::of(name, decimals, found.iter().map(|pools| over_pools(pools, value)))
        };
        let ours = vec![
            over("points", 2, &found[0], &|pool| pool.gain(at)),
            over("repredictions, 1000s", 1, &found[0], &|pool| repredictions(pool, at)),
            over("points, generated", 2, &found[1], &|pool| pool.gain(at)),
            over("repredictions, 1000s, generated", 1, &found[1], &|pool| repredictions(pool, at)),
        ];
        let what = if at == EXACT { "never old".into() } else { format!("{minutes:.0} min") };
        Row { what, paper: (at > EXACT).then_some("a small rise on average"), ours }
    };
    MINUTES.iter().enumerate().map(row).collect()
}

fn checks(found: &[RunsByPool]) -> Vec<Check> {
    let kept = |what, found: &RunsByPool| {
        let ages = (EXACT + 1..MINUTES.len()).map(|at| {
            let of_seed = |pools: &Vec<PoolRuns>| over_pools(pools, |pool| pool.gain(at)) + QUARTER_POINT;
            (format!("{:.0} min:", MINUTES[at]), found.iter().map(of_seed).collect::<Vec<_>>())
        });
        Check::each_above(what, "points, within 0.25", ages)
    };
    let fewer = |what, found: &RunsByPool| {
        let saved =
            |pools: &Vec<PoolRuns>| over_pools(pools, |it| repredictions(it, EXACT) - repredictions(it, LONGEST));
        Check::above(what, "thousand", found.iter().map(saved))
    };
    vec![
        kept("caching predictions costs less than a quarter of a point of empty hosts", &found[0]),
        kept("also in the generated pools", &found[1]),
        fewer("kept for 15 minutes, fewer are made", &found[0]),
        fewer("also there", &found[1]),
    ]
}

const QUARTER_POINT: f64 = 0.25;

fn panels(found: &[RunsByPool]) -> Vec<Panel> {
    let plot = |title: &str, unit: &str, value: fn(&PoolRuns, usize) -> f64| {
        let line = |found: &RunsByPool| {
            MINUTES
                .iter()
                .enumerate()
                .map(|(at, minutes)| (*minutes, over_all(found, |pool| value(pool, at))))
                .collect()
        };
        Panel::Plot(Plot {
            title: title.into(),
            unit: unit.into(),
            across: "minutes that predictions are kept".into(),
            across_is_log: false,
            up_is_log: false,
            series: vec![
                Series::new("trace", Role::Live, Style::Line, line(&found[0])),
                Series::new("generated", Role::Variant(0), Style::Line, line(&found[1])),
            ],
        })
    };
    vec![
        plot("Empty hosts over predictions that are never stale", "points", PoolRuns::gain),
        plot("Predictions for running VMs", "1000s", repredictions),
    ]
}
