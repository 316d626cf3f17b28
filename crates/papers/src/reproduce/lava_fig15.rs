//! LAVA Figure 15: empty hosts over the baseline, by prediction accuracy. (LAVA appendix G.1)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row};
use super::pools::{
    BASELINE, Cases, MADE_UP, NoiseError, PoolOrigin, PoolRuns, RunsByPool, TRACE, Trial, WAYS, Whole, baseline, cut,
    in_cases, noisy_oracle, over_all, over_pools, trained, tried,
};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "lava-fig15";

/// Share of VMs with accurate predictions, in percent.
const ACCURACY_PCT: [f64; 6] = [50.0, 60.0, 70.0, 80.0, 90.0, 100.0];

/// Standard deviation of the error for the others, in decades.
const WRONG_DECADES: f64 = 3.0;

/// Both readings of the prediction error, the paper's text first, and the suffix of the other's rows.
const ERRORS: [(NoiseError, &str); 2] = [(NoiseError::OneFactor, ""), (NoiseError::DrawnAgain, ", errors drawn again")];

/// The pools.
static CASES: [PoolOrigin; 2] = [TRACE, MADE_UP];

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    let Cases { trace, seeds, found } = in_cases(given, &CASES, |whole| one(whole, given))?;
    let setting = format!(
        "An oracle that is right about the given share of VMs (an error of 0.001 decades) and wrong about the \
        others (3 decades), and predicts at most 14 days. Each VM has one factor on its true remaining lifetime; below, \
        a prediction stays until it is outlived, and then an error is drawn again. {} pools cut from {trace}, and {} generated, as in Figure \
        6. {BASELINE} Percentage points over the baseline.",
        found[0][0].len(),
        found[1][0].len(),
    );
    let about = About { name: NAME, source: "LAVA, Figure 15", setting, seeds };
    let findings = Findings { rows: rows(&found), checks: checks(&found), remarks: Vec::new(), panels: panels(&found) };
    Figure::answer(given, about, findings)
}

fn one(whole: &Whole, given: &Given) -> Result<Vec<PoolRuns>, Failure> {
    let Whole { workload, pools, seed, .. } = whole;
    let baseline = baseline(workload, given)?;
    let oracle = |accuracy, error| trained(&noisy_oracle(accuracy, WRONG_DECADES, error), workload, *seed).0;
    let oracles = ERRORS.map(|(error, _)| ACCURACY_PCT.map(|accuracy| oracle(accuracy, error)));
    let mut trials = vec![Trial::new(baseline.clone(), None)];
    for predictions in oracles.iter().flatten() {
        trials.extend(WAYS.map(|way| Trial::new(way.list(&baseline), predictions)));
    }
    tried(&cut(workload, *pools, *seed), &trials)
}

const NILAS: usize = 1;
const LAVA: usize = 2;

/// A trial by accuracy and way. The accuracies of the second reading follow those of the first.
fn trial(accuracy: usize, way: usize) -> usize {
    1 + accuracy * WAYS.len() + way
}

fn gain(found: &RunsByPool, accuracy: usize, way: usize) -> f64 {
    over_all(found, |pool| pool.gain(trial(accuracy, way)))
}

fn rows(found: &[RunsByPool]) -> Vec<Row> {
    const COLUMNS: [[&str; WAYS.len()]; 2] =
        [["LA-Binary", "NILAS", "LAVA"], ["LA-Binary, generated", "NILAS, generated", "LAVA, generated"]];
    let row = |(accuracy, (pct, again)): (usize, (f64, &str))| {
        let measure = |(origin, way): (usize, usize)| {
            let seeds = found[origin].iter();
            let value = |pools: &Vec<PoolRuns>| over_pools(pools, |pool| pool.gain(trial(accuracy, way)));
            Measure::of(COLUMNS[origin][way], 2, seeds.map(value))
        };
        let all = (0..2).flat_map(|origin| (0..WAYS.len()).map(move |way| (origin, way)));
        Row { what: format!("{pct:.0} % right{again}"), paper: None, ours: all.map(measure).collect() }
    };
    let lines = ERRORS.iter().flat_map(|(_, again)| ACCURACY_PCT.map(|pct| (pct, *again)));
    lines.enumerate().map(row).collect()
}

fn checks(found: &[RunsByPool]) -> Vec<Check> {
    let [trace, made_up] = found else { unreachable!("two cases") };
    let last = ACCURACY_PCT.len() - 1;
    let rises = |what, way: usize| {
        let more = |pool: &PoolRuns| pool.gain(trial(last, way)) - pool.gain(trial(0, way));
        Check::above(what, "points", trace.iter().map(|pools| over_pools(pools, more)))
    };
    vec![
        always("at every accuracy NILAS and LAVA leave more hosts empty than the baseline", trace),
        always("also in the generated pools", made_up),
        rises("NILAS leaves more with every VM predicted well than with half of them", NILAS),
        rises("and so does LAVA", LAVA),
        bears("where half are predicted wrong, LAVA leaves more than NILAS", trace),
        bears("also in the generated pools, where half are predicted wrong", made_up),
    ]
}

fn always(what: &'static str, found: &RunsByPool) -> Check {
    let all = (0..ACCURACY_PCT.len()).flat_map(|accuracy| [NILAS, LAVA].map(|way| (accuracy, way)));
    let gains = all.map(|(accuracy, way)| {
        let gain = move |pool: &PoolRuns| pool.gain(trial(accuracy, way));
        let name = format!("{}, {:.0} %:", WAYS[way].name(), ACCURACY_PCT[accuracy]);
        (name, found.iter().map(move |pools| over_pools(pools, gain)))
    });
    Check::each_above(what, "points", gains)
}

fn bears(what: &'static str, found: &RunsByPool) -> Check {
    let more = |pool: &PoolRuns| pool.gain(trial(0, LAVA)) - pool.gain(trial(0, NILAS));
    Check::above(what, "points", found.iter().map(|pools| over_pools(pools, more)))
}

fn panels(found: &[RunsByPool]) -> Vec<Panel> {
    const ROLES: [Role; WAYS.len()] = [Role::Variant(0), Role::Variant(1), Role::Live];
    let plot = |title: &str, reading: usize, found: &RunsByPool| {
        let first = reading * ACCURACY_PCT.len();
        let point = |(at, pct): (usize, &f64), way| (*pct, gain(found, first + at, way));
        let line = |way: usize| ACCURACY_PCT.iter().enumerate().map(|at| point(at, way)).collect();
        let series = WAYS.iter().zip(ROLES).enumerate();
        Panel::Plot(Plot {
            title: title.into(),
            unit: "points over the baseline".into(),
            across: "% of the VMs predicted well".into(),
            across_is_log: false,
            up_is_log: false,
            series: series.map(|(way, (it, role))| Series::new(it.name(), role, Style::Line, line(way))).collect(),
        })
    };
    vec![
        plot("Empty hosts, pools of the trace", 0, &found[0]),
        plot("Empty hosts, generated pools", 0, &found[1]),
        plot("Pools of the trace, errors drawn again", 1, &found[0]),
        plot("Generated pools, errors drawn again", 1, &found[1]),
    ]
}
