//! LAVA Table 2: migrations avoided when the VMs of a drained machine leave in the order of their remaining
//! lifetimes, longest first. (LAVA sections 4.4 and 6.3, appendix H)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::{Millis, Time};
use tiebreak_sim::IncidentUse;
use tiebreak_sim::metrics::Counters;

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row};
use super::pools::{
    Cases, MADE_UP, NOBODY_STAYS, PoolOrigin, PoolRuns, RunsByPool, TRACE, Trial, WARM_UP_DAYS, Whole, baseline, cut,
    in_cases, oracle, over_all, trained, tried,
};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "lava-table2";

/// Pools of a trace combined into one here: machines are drained a few at a time, so pools must be large.
const POOLS_TOGETHER: usize = 4;

/// The pools whose VMs migrate, and the paper's rows.
static CASES: [PoolOrigin; 3] = [TRACE, NOBODY_STAYS, MADE_UP];
const PAPER: [Option<&str>; CASES.len()] =
    [Some("48,239: 37,108, 35,505 (4.32 %)"), None, Some("53,597: 36,307, 34,655 (4.55 %)")];

/// Machines drained at the same time; the more, the longer their VMs wait.
const MACHINES_AT_ONCE: [f64; 2] = [10.0, 40.0];

/// The order in which VMs migrate: in order of placement, which uses that old VMs often run much longer; random,
/// which uses nothing; in the order of the trace; or by prediction, the longest remaining lifetime first. The paper's
/// baseline is the order of migrations in its trace.
const AS_PLACED: usize = 0;
const RANDOM: usize = 1;
const IN_TRACE: usize = 2;
const LONGEST_BY_ORACLE: usize = 3;
const LONGEST_BY_PREDICTOR: usize = 4;
const ORDERS: usize = 5;

/// The indexes of these orders among the incident's choices, except those by prediction.
const CHOICES: [f64; 3] = [0.0, 2.0, 3.0];
const LONGEST_FIRST: f64 = 1.0;

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    let Cases { trace, seeds, found } = in_cases(given, &CASES, |whole| one(whole, given))?;
    let setting = format!(
        "Machines of {} pools cut from {trace}, and of {} generated, are emptied by live migration from day \
        {WARM_UP_DAYS}: 10 or 40 machines at a time, with 3 concurrent migrations per pool, 20 minutes each. Nobody \
        stays: without the VMs alive at the start whose end is not in the trace. The list is the default with an \
        exact BestFit, without lifetime rules. Migrations are totals over all pools of a seed.",
        found[0][0].len(),
        found[2][0].len(),
    );
    let about = About { name: NAME, source: "LAVA, Table 2", setting, seeds };
    let findings =
        Findings { rows: rows(&found), checks: checks(&found), remarks: remarks(&found), panels: panels(&found) };
    Figure::answer(given, about, findings)
}

fn one(whole: &Whole, given: &Given) -> Result<Vec<PoolRuns>, Failure> {
    let Whole { workload, pools, seed, is_generated } = whole;
    let list = baseline(workload, given)?;
    let (model, _) = trained(&list.predictor, workload, *seed);
    let (oracle, _) = trained(&oracle(), workload, *seed);
    let incidents = MACHINES_AT_ONCE
        .map(|machines| (CHOICES.map(|order| [emptied(machines, order)]), [emptied(machines, LONGEST_FIRST)]));
    let mut trials = Vec::new();
    for (unknowing, longest_first) in &incidents {
        let trial = |incidents, predictions| Trial { incidents, ..Trial::new(list.clone(), predictions) };
        trials.extend(unknowing.iter().map(|incidents| trial(incidents, None)));
        trials.extend([&oracle, &model].map(|predictions| trial(longest_first, Some(predictions))));
    }
    let pools = if *is_generated { *pools } else { pools.div_ceil(POOLS_TOGETHER) };
    tried(&cut(workload, pools, *seed), &trials)
}

/// Drains machines, this many at a time, with VMs in this order.
fn emptied(machines: f64, order: f64) -> IncidentUse {
    let at = Time::ZERO + Millis((WARM_UP_DAYS * Millis::DAY.0 as f64) as u64);
    IncidentUse { id: "MaintainByMigration".into(), at, values: vec![100.0, machines, order] }
}

/// A count over all pools of a seed, for this number of machines at once (by index) and this order.
fn sum(pools: &[PoolRuns], at_once: usize, order: usize, of: fn(&Counters) -> u64) -> f64 {
    pools.iter().map(|pool| of(&pool.seen[at_once * ORDERS + order].counters)).sum::<u64>() as f64
}

fn scheduled(counters: &Counters) -> u64 {
    counters.migrations_scheduled
}

fn made(counters: &Counters) -> u64 {
    counters.migrations
}

/// The share of scheduled migrations that are made, in percent.
fn made_pct(pools: &[PoolRuns], at_once: usize, order: usize) -> f64 {
    100.0 * sum(pools, at_once, order, made) / sum(pools, at_once, order, scheduled)
}

/// How many fewer migrations are made than in another order, per scheduled migration, in percent. In the paper the
/// scheduled migrations are a fixed list; here they depend on earlier migrations.
fn fewer_pct(pools: &[PoolRuns], at_once: usize, (order, than): (usize, usize)) -> f64 {
    100.0 - 100.0 * made_pct(pools, at_once, order) / made_pct(pools, at_once, than)
}

fn rows(found: &[RunsByPool]) -> Vec<Row> {
    let row = |case: usize, at_once: usize| {
        let found = &found[case];
        let over = |what, decimals, value: &dyn Fn(&[PoolRuns]) -> f64| {
            Measure::of(what, decimals, found.iter().map(|pools| value(pools)))
        };
        let ended = |order| move |pools: &[PoolRuns]| 100.0 - made_pct(pools, at_once, order);
        let fewer = |order, than| move |pools: &[PoolRuns]| fewer_pct(pools, at_once, (order, than));
        let ours = vec![
            over("scheduled", 0, &|pools| sum(pools, at_once, AS_PLACED, scheduled)),
            over("oldest first", 0, &|pools| sum(pools, at_once, AS_PLACED, made)),
            over("ended before, %", 1, &ended(AS_PLACED)),
            over("random, %", 1, &ended(RANDOM)),
            over("in trace, %", 1, &ended(IN_TRACE)),
            over("longest first, %", 1, &ended(LONGEST_BY_ORACLE)),
            over("fewer than oldest, %", 2, &fewer(LONGEST_BY_ORACLE, AS_PLACED)),
            over("than random, %", 2, &fewer(LONGEST_BY_ORACLE, RANDOM)),
            over("than in trace, %", 2, &fewer(LONGEST_BY_ORACLE, IN_TRACE)),
            over("predictor, oldest, %", 2, &fewer(LONGEST_BY_PREDICTOR, AS_PLACED)),
            over("predictor, random, %", 2, &fewer(LONGEST_BY_PREDICTOR, RANDOM)),
        ];
        let what = format!("{}, {} at once", CASES[case].name, MACHINES_AT_ONCE[at_once]);
        Row { what, paper: PAPER[case].filter(|_| at_once == 0), ours }
    };
    (0..found.len()).flat_map(|case| (0..MACHINES_AT_ONCE.len()).map(move |at_once| row(case, at_once))).collect()
}

fn fewer(found: &RunsByPool, at_once: usize, orders: (usize, usize)) -> Vec<f64> {
    found.iter().map(|pools| fewer_pct(pools, at_once, orders)).collect()
}

fn checks(found: &[RunsByPool]) -> Vec<Check> {
    let all = |what, orders: (usize, usize)| {
        let lines = CASES.iter().zip(found);
        let lines = lines.flat_map(|(case, found)| (0..MACHINES_AT_ONCE.len()).map(move |at| (case, found, at)));
        let gains = lines.map(|(case, found, at)| {
            (format!("{}, {} at once:", case.name, MACHINES_AT_ONCE[at]), fewer(found, at, orders))
        });
        Check::each_above(what, "points", gains)
    };
    let size = |what, found: &RunsByPool, than: usize| {
        let pairs = fewer(found, 0, (LONGEST_BY_ORACLE, than));
        let bounds = [
            ("above 2.2 %:".to_owned(), pairs.iter().map(|fewer| fewer - 2.2).collect::<Vec<_>>()),
            ("below 8.8 %:".into(), pairs.iter().map(|fewer| 8.8 - fewer).collect()),
        ];
        Check::each_above(what, "points", bounds)
    };
    vec![
        all(
            "longest first with the oracle needs fewer migrations than oldest first in every row",
            (LONGEST_BY_ORACLE, AS_PLACED),
        ),
        all("and than in random order", (LONGEST_BY_ORACLE, RANDOM)),
        all("longest first by the predictor needs fewer than oldest first", (LONGEST_BY_PREDICTOR, AS_PLACED)),
        all("and than in random order", (LONGEST_BY_PREDICTOR, RANDOM)),
        size(
            "the reduction is half to twice the paper's in the pools of the trace, from oldest first",
            &found[0],
            AS_PLACED,
        ),
        size("and from random order", &found[0], RANDOM),
        size("and in the generated pools, from oldest first", &found[2], AS_PLACED),
        size("and from random order", &found[2], RANDOM),
    ]
}

fn remarks(found: &[RunsByPool]) -> Vec<String> {
    let ending = found.iter().map(|found| over_all(found, |pool| pool.ending_pct)).collect::<Vec<_>>();
    let refused = found.iter().flatten().flatten().flat_map(|pool| &pool.seen).map(|seen| seen.refused).max();
    vec![
        "ended before: the share of scheduled VMs that ended before their migration: oldest first, in random order, \
        in the order of the trace, and longest first with the oracle; in the paper 23 and 32 % in the order of its \
        trace of migrations. Fewer: longest first with the oracle, or the predictor, than in these orders, for the \
        same number scheduled. The paper's rows: scheduled, its baseline, longest first with an oracle (fewer)"
            .into(),
        format!(
            "{:.1} % of the concurrent VMs of the trace end within 8 hours, the time in which two dozen VMs of a \
            machine would migrate; {:.1} % without those that stay, and {:.1} % in the generated pools",
            ending[0], ending[1], ending[2],
        ),
        format!("the most VMs refused in any run of a pool: {}", refused.unwrap_or(0)),
    ]
}

fn panels(found: &[RunsByPool]) -> Vec<Panel> {
    let line = |found: &RunsByPool, than: usize| {
        let seeds = found.iter().enumerate();
        seeds.map(|(seed, pools)| ((seed + 1) as f64, fewer_pct(pools, 0, (LONGEST_BY_ORACLE, than)))).collect()
    };
    vec![Panel::Plot(Plot {
        title: "Migrations saved by the longest first, with the oracle".into(),
        unit: "%".into(),
        across: "seed".into(),
        across_is_log: false,
        up_is_log: false,
        series: vec![
            Series::new("trace, from oldest first", Role::Live, Style::Line, line(&found[0], AS_PLACED)),
            Series::new("trace, from random order", Role::Ghost, Style::Line, line(&found[0], RANDOM)),
            Series::new("generated, from oldest first", Role::Variant(0), Style::Line, line(&found[2], AS_PLACED)),
            Series::new("generated, from random order", Role::Variant(1), Style::Line, line(&found[2], RANDOM)),
        ],
    })]
}
