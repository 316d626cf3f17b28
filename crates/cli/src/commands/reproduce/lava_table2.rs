//! LAVA Table 2: migrations that are saved when the VMs of a machine that is emptied go in the order
//! of their remaining lives, the longest first. (LAVA sections 4.4 and 6.3, appendix H)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::{Millis, Time};
use tiebreak_sim::IncidentUse;
use tiebreak_sim::metrics::Counters;

use super::Check;
use super::figure::{About, Figure, Findings, Measure, Row};
use super::pools::{Both, Found, Origin, Trial, Tried, WARM_UP_DAYS, baseline, cut, in_both, oracle, trained, tried};
use crate::answer::{Answer, Failure};
use crate::given::Given;

const NAME: &str = "lava-table2";

/// Pools of a trace for each pool here: machines are emptied a few at a time, so pools are large.
const POOLS_TOGETHER: usize = 4;

/// Machines that are being emptied together; the more, the longer their VMs wait.
const MACHINES_AT_ONCE: [f64; 2] = [10.0, 40.0];

/// In which order VMs go: the one that was placed first, or by predictions the one that will live
/// longest.
const AS_PLACED: usize = 0;
const LONGEST_BY_ORACLE: usize = 1;
const LONGEST_BY_PREDICTOR: usize = 2;
const ORDERS: usize = 3;

/// The paper's rows.
const PAPER: [&str; 2] = ["48,239: 37,108, 35,505 (4.32 %)", "53,597: 36,307, 34,655 (4.55 %)"];

pub(super) fn run(given: &Given) -> Result<Answer, Failure> {
    let Both { trace, seeds, found } = in_both(given, |origin, seed| one(origin, seed, given))?;
    let setting = format!(
        "All machines of {} pools cut from {trace}, and of {} made up, are emptied by live migration from day \
         {WARM_UP_DAYS} on, 10 or 40 at a time, 3 VMs of each pool at a time, 20 minutes each. The list is the default \
         with an exact BestFit, without lifetime rules. Migrations of all pools of a seed.",
        found[0][0].len(),
        found[1][0].len(),
    );
    let about = About { name: NAME, source: "LAVA, Table 2", setting, seeds };
    let findings =
        Findings { rows: rows(&found), checks: checks(&found), remarks: remarks(&found), panels: panels(&found) };
    Figure::answer(given, about, findings)
}

fn one(origin: &Origin, seed: u64, given: &Given) -> Result<Vec<Tried>, Failure> {
    let whole = origin.whole(seed, |_| true);
    let list = baseline(&whole, given)?;
    let (model, _) = trained(&list.predictor, &whole, seed);
    let (oracle, _) = trained(&oracle(), &whole, seed);
    let incidents = MACHINES_AT_ONCE.map(|machines| [0.0, 1.0].map(|order| [emptied(machines, order)]));
    let mut trials = Vec::new();
    for [as_placed, longest_first] in &incidents {
        let trial = |incidents, forecasts| Trial { incidents, ..Trial::new(list.clone(), forecasts) };
        trials.extend([
            trial(as_placed, None),
            trial(longest_first, Some(&oracle)),
            trial(longest_first, Some(&model)),
        ]);
    }
    let pools = match origin {
        Origin::Trace(_) => origin.pools().div_ceil(POOLS_TOGETHER),
        Origin::Generated(_) => origin.pools(),
    };
    tried(&cut(&whole, pools, seed), &trials)
}

/// All machines are emptied, so many together, with VMs in this order.
fn emptied(machines: f64, order: f64) -> IncidentUse {
    let at = Time::ZERO + Millis((WARM_UP_DAYS * Millis::DAY.0 as f64) as u64);
    IncidentUse { id: "MaintainByMigration".into(), at, values: vec![100.0, machines, order] }
}

/// A count of all pools of a seed, with so many machines at once (by place) and in this order.
fn sum(pools: &[Tried], at_once: usize, order: usize, of: fn(&Counters) -> u64) -> f64 {
    pools.iter().map(|pool| of(&pool.seen[at_once * ORDERS + order].counters)).sum::<u64>() as f64
}

fn scheduled(counters: &Counters) -> u64 {
    counters.migrations_scheduled
}

fn made(counters: &Counters) -> u64 {
    counters.migrations
}

fn saved(counters: &Counters) -> u64 {
    counters.migrations_saved
}

/// How many migrations fewer there are than in the order of placement, in percent.
fn fewer_pct(pools: &[Tried], at_once: usize, order: usize) -> f64 {
    let [before, after] = [AS_PLACED, order].map(|order| sum(pools, at_once, order, made));
    100.0 * (before - after) / before
}

fn rows(found: &[Found; 2]) -> Vec<Row> {
    let row = |origin: usize, at_once: usize| {
        let over = |what, decimals, value: &dyn Fn(&[Tried]) -> f64| {
            Measure::of(what, decimals, found[origin].iter().map(|pools| value(pools)))
        };
        let ended =
            |pools: &[Tried]| 100.0 * sum(pools, at_once, AS_PLACED, saved) / sum(pools, at_once, AS_PLACED, scheduled);
        let ours = vec![
            over("scheduled", 0, &|pools| sum(pools, at_once, AS_PLACED, scheduled)),
            over("as placed", 0, &|pools| sum(pools, at_once, AS_PLACED, made)),
            over("longest first", 0, &|pools| sum(pools, at_once, LONGEST_BY_ORACLE, made)),
            over("fewer, %", 2, &|pools| fewer_pct(pools, at_once, LONGEST_BY_ORACLE)),
            over("by the predictor, %", 2, &|pools| fewer_pct(pools, at_once, LONGEST_BY_PREDICTOR)),
            over("ended before, %", 1, &ended),
        ];
        let what = format!("{}, {} at once", ["trace", "made up"][origin], MACHINES_AT_ONCE[at_once]);
        Row { what, paper: (at_once == 0).then_some(PAPER[origin]), ours }
    };
    (0..found.len()).flat_map(|origin| (0..MACHINES_AT_ONCE.len()).map(move |at_once| row(origin, at_once))).collect()
}

fn mean(found: &Found, at_once: usize, order: usize) -> f64 {
    found.iter().map(|pools| fewer_pct(pools, at_once, order)).sum::<f64>() / found.len() as f64
}

fn checks(found: &[Found; 2]) -> Vec<Check> {
    let all = |what, order: usize| {
        let of_origin = |origin: usize| (0..MACHINES_AT_ONCE.len()).map(move |at_once| (origin, at_once));
        let gains = (0..2).flat_map(of_origin).map(|(origin, at_once)| mean(&found[origin], at_once, order));
        let least = gains.fold(f64::INFINITY, f64::min);
        Check::so(what, least > 0.0, || format!("{least:+.2} %"))
    };
    let size = |what, found: &Found| {
        let fewer = mean(found, 0, LONGEST_BY_ORACLE);
        Check::so(what, (2.2..=8.8).contains(&fewer), || format!("{fewer:.2} %"))
    };
    vec![
        all("longest first by the oracle makes fewer migrations, in every row", LONGEST_BY_ORACLE),
        all("longest first by the predictor too", LONGEST_BY_PREDICTOR),
        size("by half to twice as much as in the paper, in the pools of the trace", &found[0]),
        size("and in the made-up pools", &found[1]),
    ]
}

fn remarks(found: &[Found; 2]) -> Vec<String> {
    let refused = found.iter().flatten().flatten().flat_map(|pool| &pool.seen).map(|seen| seen.refused).max();
    vec![
        "ended before: of the VMs scheduled those that ended before it was their turn in the order of placement; in the \
         paper 23 and 32 %. The paper's rows: scheduled, as placed, longest first by an oracle (fewer)"
            .into(),
        format!("the most VMs that any run of a pool refused: {}", refused.unwrap_or(0)),
    ]
}

fn panels(found: &[Found; 2]) -> Vec<Panel> {
    let line = |found: &Found, order: usize| {
        let seeds = found.iter().enumerate();
        seeds.map(|(seed, pools)| ((seed + 1) as f64, fewer_pct(pools, 0, order))).collect()
    };
    vec![Panel::Plot(Plot {
        title: "Migrations fewer than in the order of placement".into(),
        unit: "%".into(),
        across: "seed".into(),
        across_is_log: false,
        up_is_log: false,
        series: vec![
            Series::new("trace, oracle", Role::Live, Style::Line, line(&found[0], LONGEST_BY_ORACLE)),
            Series::new("trace, predictor", Role::Ghost, Style::Line, line(&found[0], LONGEST_BY_PREDICTOR)),
            Series::new("made up, oracle", Role::Variant(0), Style::Line, line(&found[1], LONGEST_BY_ORACLE)),
            Series::new("made up, predictor", Role::Variant(1), Style::Line, line(&found[1], LONGEST_BY_PREDICTOR)),
        ],
    })]
}
