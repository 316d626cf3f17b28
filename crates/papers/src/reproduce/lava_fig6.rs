//! LAVA Figure 6: empty hosts over the baseline for LA-Binary, NILAS and LAVA in many pools, with a trained predictor
//! and with an oracle, and how our pools affect the result. (LAVA section 6.1)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::{Millis, Time, VmRow};
use tiebreak_scenario::Variant;
use tiebreak_scenario::lifetime_rules::put_above;
use tiebreak_scenario::predictor::PredictorRow;

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, Scale};
use super::pools::{
    BASELINE, NOBODY_STAYS, Origin, PoolRuns, REQUEST_VMS_MAX, RunsByPool, SEEDS, Trial, WARM_UP_DAYS, WAYS, baseline,
    cut, oracle, over_all, over_pools, shares, trained, tried, vms,
};
use super::verdict::Check;
use super::zone::at_once;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "lava-fig6";

/// Each way with the predictor and with the oracle.
const RUNS: usize = 2 * WAYS.len();

static PAPER: [Option<&str>; RUNS] = [Some("+5.0"), Some("+6.1"), Some("+6.5"), Some("+7.5"), Some("+9.5"), None];

/// The pools unchanged, and with one change each: the causes of our differences from the paper.
struct PoolColumn {
    name: &'static str,
    is_generated: bool,
    wanted: fn(&VmRow) -> bool,
    /// The number of pools to use, given the number available.
    pools: fn(usize) -> usize,
    change: fn(&mut Variant),
}

const AS_IT_IS: PoolColumn =
    PoolColumn { name: "trace", is_generated: false, wanted: |_| true, pools: |count| count, change: |_| () };

static CASES: [PoolColumn; 8] = [
    AS_IT_IS,
    PoolColumn { name: "start too", change: |variant| variant.lifetimes.baseline_start = false, ..AS_IT_IS },
    PoolColumn { name: NOBODY_STAYS.name, wanted: NOBODY_STAYS.wanted, ..AS_IT_IS },
    PoolColumn { name: "larger pools", pools: |count| count.div_ceil(4), ..AS_IT_IS },
    PoolColumn { name: "3 buckets", change: |variant| buckets(variant, Some(3)), ..AS_IT_IS },
    PoolColumn { name: "waste", change: minimize_waste, ..AS_IT_IS },
    PoolColumn { name: "one mean", change: |variant| variant.predictor = one_mean(variant), ..AS_IT_IS },
    PoolColumn { name: "generated", is_generated: true, ..AS_IT_IS },
];

const TRACE: usize = 0;

fn buckets(variant: &mut Variant, buckets: Option<u32>) {
    variant.rules.iter_mut().filter(|row| row.id == "BestFit").for_each(|row| row.buckets = buckets);
}

fn minimize_waste(variant: &mut Variant) {
    put_above(variant, "WasteMinimization", "BestFit");
    variant.rules.iter_mut().filter(|row| row.id == "BestFit").for_each(|row| row.on = false);
}

/// One predicted lifetime for all VMs: the mean over the same part of the trace.
fn one_mean(variant: &Variant) -> PredictorRow {
    let mut row = PredictorRow::plain("Constant").expect("it is listed");
    row.values[0] = variant.predictor.values[0];
    row
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    let scale = Scale::of(given)?;
    let (origin, trace) = Origin::of_trace(given)?;
    let made_up = Origin::generated(scale);
    let seeds = scale.seeds(SEEDS);
    let cases = &CASES[..scale.pick(2, CASES.len())];
    let jobs: Vec<_> = cases.iter().flat_map(|case| seeds.iter().map(move |seed| (case, *seed))).collect();
    let lines =
        at_once(&jobs, |(case, seed)| one(case, if case.is_generated { &made_up } else { &origin }, *seed, given))?;
    let mut lines = lines.into_iter();
    let found: Vec<RunsByPool> = cases.iter().map(|_| lines.by_ref().take(seeds.len()).collect()).collect();
    let setting = format!(
        "{} pools of {} to {} machines cut from {trace} by tenant, different for each seed, 60 to 85 % full at \
        their peak. Requests of more than {REQUEST_VMS_MAX} VMs are excluded. {BASELINE} Trees learn from the first \
        two days, which are not measured. Percentage points over the baseline; below, with one change each.",
        found[TRACE][0].len(),
        machines(&found[TRACE]).min().unwrap_or(0),
        machines(&found[TRACE]).max().unwrap_or(0),
    );
    let about = About { name: NAME, source: "LAVA, Figure 6", setting, seeds };
    let findings = Findings {
        rows: rows(cases, &found),
        checks: checks(&found[TRACE]),
        remarks: remarks(&origin, &found),
        panels: panels(&found[TRACE]),
    };
    Figure::answer(given, about, findings)
}

/// The pools of a case and seed: baseline, then each way with the predictor, then with the oracle.
fn one(case: &PoolColumn, origin: &Origin, seed: u64, given: &Given) -> Result<Vec<PoolRuns>, Failure> {
    let whole = origin.whole(seed, case.wanted);
    let mut baseline = baseline(&whole, given)?;
    (case.change)(&mut baseline);
    let (model, _) = trained(&baseline.predictor, &whole, seed);
    let (oracle, _) = trained(&oracle(), &whole, seed);
    let mut trials = vec![Trial::new(baseline.clone(), None)];
    for predictions in [&model, &oracle] {
        trials.extend(WAYS.map(|way| Trial::new(way.list(&baseline), predictions)));
    }
    tried(&cut(&whole, (case.pools)(origin.pools()), seed), &trials)
}

fn machines(found: &RunsByPool) -> impl Iterator<Item = u32> + Clone + '_ {
    found.iter().flatten().map(|pool| pool.machines)
}

fn name_of(run: usize) -> String {
    let by = if run < WAYS.len() { "predictor" } else { "oracle" };
    format!("{}, {by}", WAYS[run % WAYS.len()].name())
}

/// All rows for the unchanged pools, over seeds; only the mean for the others.
fn rows(cases: &[PoolColumn], found: &[RunsByPool]) -> Vec<Row> {
    let row = |what: String, paper, decimals, value: &dyn Fn(&PoolRuns) -> f64| {
        let measure = |(case, found): (&PoolColumn, &RunsByPool)| {
            if case.name == CASES[TRACE].name {
                Measure::of(case.name, decimals, found.iter().map(|pools| over_pools(pools, value)))
            } else {
                Measure::of(case.name, decimals, std::iter::once(over_all(found, value)))
            }
        };
        Row { what, paper, ours: cases.iter().zip(found).map(measure).collect() }
    };
    let mut rows = vec![
        row("machines of a pool".into(), None, 0, &|pool| f64::from(pool.machines)),
        row("baseline, empty %".into(), None, 1, &|pool| pool.seen[0].empty_pct),
    ];
    rows.extend((0..RUNS).map(|run| row(name_of(run), PAPER[run], 2, &|pool| pool.gain(1 + run))));
    rows
}

const LA_BINARY: usize = 0;
const NILAS: usize = 1;
const LAVA: usize = 2;
const ORACLE: usize = WAYS.len();

fn checks(found: &RunsByPool) -> Vec<Check> {
    let more = |what, run: usize, other: usize| {
        let gain = |pool: &PoolRuns| pool.gain(1 + run) - pool.gain(1 + other);
        Check::above(what, "points", found.iter().map(|pools| over_pools(pools, gain)))
    };
    vec![
        more("NILAS leaves more hosts empty than LA-Binary, with the predictor", NILAS, LA_BINARY),
        more("LAVA more than NILAS, with the predictor", LAVA, NILAS),
        more("NILAS more than LA-Binary, with the oracle", ORACLE + NILAS, ORACLE + LA_BINARY),
        more("LAVA more than NILAS, with the oracle", ORACLE + LAVA, ORACLE + NILAS),
        more("LA-Binary more with the oracle than with the predictor", ORACLE + LA_BINARY, LA_BINARY),
        more("NILAS more with the oracle than with the predictor", ORACLE + NILAS, NILAS),
        more("LAVA more with the oracle than with the predictor", ORACLE + LAVA, LAVA),
        above_baseline("with the predictor each leaves more than the baseline", found, 0),
        above_baseline("with the oracle each leaves more than the baseline", found, ORACLE),
    ]
}

fn above_baseline(what: &'static str, found: &RunsByPool, first: usize) -> Check {
    let runs = (first..first + WAYS.len()).map(|run| {
        let gains = found.iter().map(move |pools| over_pools(pools, |pool| pool.gain(1 + run)));
        (format!("{}:", name_of(run)), gains)
    });
    Check::each_above(what, "points", runs)
}

/// The gain of a run in one pool, over seeds.
fn of_pool(found: &RunsByPool, pool: usize, run: usize) -> f64 {
    found.iter().map(|pools| pools[pool].gain(1 + run)).sum::<f64>() / found.len() as f64
}

fn remarks(origin: &Origin, found: &[RunsByPool]) -> Vec<String> {
    let refused = found[TRACE].iter().flatten().flat_map(|pool| &pool.seen).map(|seen| seen.refused).max().unwrap_or(0);
    let mut remarks = vec![
        "start too: the lifetime rules also place the VMs alive at the start; no permanent VMs: without VMs alive at \
        the start whose end is not in the trace; larger pools: a quarter as many; 3 buckets: of BestFit, as in the \
        default list; waste: WasteMinimization instead of BestFit; one mean: the mean lifetime is predicted for \
        every VM; generated: pools of a generated workload, in which only uptime distinguishes long lifetimes from \
        short ones"
            .into(),
        format!("the most VMs refused in any run of a pool from the trace: {refused}"),
    ];
    if let Origin::Trace(_) = origin {
        let (at_start, stay) = held(origin);
        remarks.push(format!(
            "after the warm-up, VMs alive at the start hold {at_start:.0} % of the memory in use, and those whose \
            end is not in the trace {stay:.0} %: no rule decides where these are"
        ));
    }
    remarks
}

/// Shares of the memory in use after the warm-up, in percent: of VMs alive at the start, and of those among them that
/// never leave.
fn held(origin: &Origin) -> (f64, f64) {
    let whole = origin.whole(1, |_| true);
    let from = Time::ZERO + Millis((WARM_UP_DAYS * Millis::DAY.0 as f64) as u64);
    let mut sums = [0.0; 3];
    for (_, _, row) in vms(&whole) {
        let held = shares(&row)[1] * row.end.min(whole.horizon()).since(row.start.max(from)).0 as f64;
        let is_old = row.start <= Time::ZERO;
        for (sum, counts) in sums.iter_mut().zip([true, is_old, is_old && row.end == Time::NEVER]) {
            *sum += if counts { held } else { 0.0 };
        }
    }
    (100.0 * sums[1] / sums[0], 100.0 * sums[2] / sums[0])
}

fn panels(found: &RunsByPool) -> Vec<Panel> {
    const ROLES: [Role; WAYS.len()] = [Role::Variant(0), Role::Variant(1), Role::Live];
    let plot = |title: &str, first: usize| {
        let line =
            |way: usize| (0..found[0].len()).map(move |pool| ((pool + 1) as f64, of_pool(found, pool, first + way)));
        let series = WAYS.iter().zip(ROLES).enumerate();
        Panel::Plot(Plot {
            title: title.into(),
            unit: "points over the baseline".into(),
            across: "pool".into(),
            across_is_log: false,
            up_is_log: false,
            series: series
                .map(|(way, (it, role))| Series::new(it.name(), role, Style::Line, line(way).collect()))
                .collect(),
        })
    };
    vec![plot("Empty hosts with the predictor", 0), plot("Empty hosts with the oracle", ORACLE)]
}
