//! LAVA Figure 16: NILAS without repredictions, with a predictor, with an oracle and under ideal
//! conditions, between the baseline and the bound. (LAVA appendix G.2)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_placement::Group;
use tiebreak_scenario::Variant;

use super::Check;
use super::figure::{About, Figure, Findings, Measure, Row};
use super::pools::{
    BASELINE, Both, Found, Origin, Trial, Tried, Way, baseline, cut, in_both, oracle, over_all, over_pools, put_above,
    trained, tried,
};
use crate::answer::{Answer, Failure};
use crate::given::Given;

const NAME: &str = "lava-fig16";

/// The trials in their order, and the bound behind them.
static STEPS: [&str; 6] = [
    "baseline",
    "NILAS without repredictions",
    "NILAS",
    "NILAS, oracle",
    "NILAS, oracle, cold start, at the top",
    "bound",
];

const ONE_SHOT: usize = 1;
const MODEL: usize = 2;
const ORACLE: usize = 3;
const IDEAL: usize = 4;
const BOUND: usize = 5;

pub(super) fn run(given: &Given) -> Result<Answer, Failure> {
    let Both { trace, seeds, found } = in_both(given, |origin, seed| one(origin, seed, given))?;
    let setting = format!(
        "Mean share of empty hosts in {} pools cut from {trace} and in {} made up, as in Figure 6; the bound is what \
         nobody has of the scarcer of cores and memory. {BASELINE} In a cold start the rule places these too.",
        found[0][0].len(),
        found[1][0].len(),
    );
    let about = About { name: NAME, source: "LAVA, Figure 16", setting, seeds };
    let findings =
        Findings { rows: rows(&found), checks: checks(&found), remarks: remarks(&found), panels: panels(&found) };
    Figure::answer(given, about, findings)
}

fn one(origin: &Origin, seed: u64, given: &Given) -> Result<Vec<Tried>, Failure> {
    let whole = origin.whole(seed, |_| true);
    let baseline = baseline(&whole, given)?;
    let (model, _) = trained(&baseline.predictor, &whole, seed);
    let (oracle, _) = trained(&oracle(), &whole, seed);
    let nilas = Way::Nilas.list(&baseline);
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
    tried(&cut(&whole, origin.pools(), seed), &trials)
}

/// The list with NILAS above every other preference.
fn at_top(list: &Variant) -> Variant {
    let mut list = list.clone();
    let first = list.rules_of(Group::MachinePreferences).next().map(|row| row.id.clone());
    put_above(&mut list, "TemporalCost", &first.expect("there are machine preferences"));
    list
}

/// Empty hosts at a step, or the bound.
fn empty_pct(pool: &Tried, step: usize) -> f64 {
    if step == BOUND { pool.seen[0].bound_pct } else { pool.seen[step].empty_pct }
}

fn mean(found: &Found, step: usize) -> f64 {
    over_all(found, |pool| empty_pct(pool, step))
}

/// How much of what lies between the baseline and the bound a step has, in percent.
fn way_pct(found: &Found, step: usize) -> f64 {
    100.0 * (mean(found, step) - mean(found, 0)) / (mean(found, BOUND) - mean(found, 0))
}

fn rows(found: &[Found; 2]) -> Vec<Row> {
    let row = |(step, what): (usize, &&str)| {
        let empty = |name, found: &Found| {
            Measure::of(name, 1, found.iter().map(|pools| over_pools(pools, |pool| empty_pct(pool, step))))
        };
        let way = |name, found: &Found| Measure::of(name, 0, std::iter::once(way_pct(found, step)));
        let ours = vec![
            empty("empty hosts, %", &found[0]),
            way("of the way, %", &found[0]),
            empty("made up, %", &found[1]),
            way("of the way, made up, %", &found[1]),
        ];
        Row { what: (*what).into(), paper: None, ours }
    };
    STEPS.iter().enumerate().map(row).collect()
}

fn checks(found: &[Found; 2]) -> Vec<Check> {
    let [trace, made_up] = found;
    let more = |what, found: &Found, step: usize, other: usize| {
        let [one, before] = [step, other].map(|step| mean(found, step));
        Check::so(what, one > before, || format!("{one:.2} against {before:.2} %"))
    };
    let near = |what, found: &Found| {
        let way = way_pct(found, IDEAL);
        Check::so(what, way >= 75.0, || format!("{way:.0} % of it"))
    };
    vec![
        more("NILAS leaves more hosts empty with repredictions than without", trace, MODEL, ONE_SHOT),
        more("more with the oracle", trace, ORACLE, MODEL),
        more("and more under ideal conditions", trace, IDEAL, ORACLE),
        more("in the made-up pools more with the oracle", made_up, ORACLE, MODEL),
        more("and more under ideal conditions there", made_up, IDEAL, ORACLE),
        near("ideal conditions come near the bound: three quarters of the way from the baseline", trace),
        near("also in the made-up pools", made_up),
    ]
}

fn remarks(found: &[Found; 2]) -> Vec<String> {
    let room = |found: &Found| mean(found, BOUND) - mean(found, 0);
    vec![format!(
        "between the baseline and the bound there are {:.1} points in the pools of the trace and {:.1} in the made-up \
         ones; part of it nobody can have, for VMs are not small against machines",
        room(&found[0]),
        room(&found[1]),
    )]
}

fn panels(found: &[Found; 2]) -> Vec<Panel> {
    let line = |found: &Found| (0..STEPS.len()).map(|step| ((step + 1) as f64, mean(found, step))).collect();
    vec![Panel::Plot(Plot {
        title: "Empty hosts from the baseline (1) to the bound (6)".into(),
        unit: "%".into(),
        across: "step, in the order of the table".into(),
        across_is_log: false,
        up_is_log: false,
        series: vec![
            Series::new("trace", Role::Live, Style::Line, line(&found[0])),
            Series::new("made up", Role::Variant(0), Style::Line, line(&found[1])),
        ],
    })]
}
