//! Protean Table 5: the effect of BestFit's buckets on packing, on the number of remaining candidates, and on
//! conflicts between agents. (Protean section 6.3; docs/results/protean.md holds our full table.)

use serde::Serialize;
use tiebreak_scenario::Variant;
use tiebreak_sim::{Summary, World};

use super::figure::Scale;
use super::verdict::{Check, Tally, Verdict, paired};
use super::{Exhibit, Spread, judged};
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::scenario::{preset, set_fields};
use tiebreak_console::shown::table;
use tiebreak_console::trace::{Source, source};

const NAME: &str = "protean-table5";
const RULE: &str = "BestFit";

/// A row of the paper: buckets, density and share in percent, conflicts per minute.
struct Paper {
    buckets: Option<u32>,
    density_pct: f64,
    share_pct: f64,
    conflicts_p99: f64,
}

const fn paper(buckets: Option<u32>, density_pct: f64, share_pct: f64, conflicts_p99: f64) -> Paper {
    Paper { buckets, density_pct, share_pct, conflicts_p99 }
}

static PAPER: [Paper; 6] = [
    paper(Some(1), 83.5, 27.6, 13.4),
    paper(Some(2), 84.3, 25.0, 13.5),
    paper(Some(3), 86.3, 21.0, 11.6),
    paper(Some(4), 87.3, 16.5, 12.0),
    paper(Some(5), 87.8, 13.7, 10.7),
    paper(None, 89.1, 2.3, 18.0),
];

/// The paper's value and ours.
#[derive(Serialize)]
struct PaperAndOurs {
    paper: f64,
    ours: Spread,
}

#[derive(Serialize)]
struct BucketsRow {
    buckets: Option<u32>,
    packing_density_pct: PaperAndOurs,
    post_best_fit_share_pct: PaperAndOurs,
    conflicts_per_minute_p99: PaperAndOurs,
    conflicts: Spread,
    rejections: Spread,
    /// Of these, VMs of requests whose last retry ended in a conflict.
    rejected_out_of_retries: Spread,
    /// One for each seed.
    #[serde(skip)]
    runs: Vec<Summary>,
}

#[derive(Serialize)]
struct Reproduction {
    name: &'static str,
    source: &'static str,
    trace: String,
    machines: u32,
    agents: u32,
    seeds: Vec<u64>,
    rows: Vec<BucketsRow>,
    verdict: Verdict,
    checks: Vec<Check>,
    /// Steps of ours that differ from the paper's, beyond the checked directions.
    remarks: Vec<String>,
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    let name = if given.has("trace") { "packing-400" } else { "default" };
    if given.has("out") && given.words.first().is_some_and(|word| word == NAME) {
        return Err(Failure(format!("expected no --out for {NAME}, which is a table; remove it")));
    }
    let mut variant = preset(name)?.active_variant().clone();
    variant.agents.count = 4;
    set_fields(&mut variant, given)?;
    let source = source(&variant, given)?;
    let seeds = Scale::of(given)?.seeds_of(2, 5);
    let rows = PAPER.iter().map(|paper| row(paper, &variant, &source, &seeds)).collect::<Result<Vec<_>, _>>()?;
    let (checks, remarks) = (checks(&rows), remarks(&rows));
    let reproduction = Reproduction {
        name: NAME,
        source: "Hadary et al., Protean, OSDI 2020, Table 5",
        trace: source.trace.map_or_else(String::new, |trace| trace.name),
        machines: variant.clusters.iter().map(|cluster| cluster.settings.machines).sum(),
        agents: variant.agents.count,
        seeds,
        rows,
        verdict: Tally::of(&checks).verdict(),
        checks,
        remarks,
    };
    Ok(Exhibit::new(given, &reproduction, &reproduction.checks, || reproduction.text()))
}

fn row(paper: &Paper, variant: &Variant, source: &Source, seeds: &[u64]) -> Result<BucketsRow, Failure> {
    let runs =
        seeds.iter().map(|seed| outcome(variant, paper.buckets, *seed, source)).collect::<Result<Vec<_>, _>>()?;
    let spread = |value: fn(&Summary) -> f64| Spread::of(runs.iter().map(value));
    let pair = |paper, value| PaperAndOurs { paper, ours: spread(value) };
    Ok(BucketsRow {
        buckets: paper.buckets,
        packing_density_pct: pair(paper.density_pct, |run| run.packing_density_pct_mean),
        post_best_fit_share_pct: pair(paper.share_pct, share_pct),
        conflicts_per_minute_p99: pair(paper.conflicts_p99, |run| run.conflicts_per_minute_p99),
        conflicts: spread(|run| run.conflicts as f64),
        rejections: spread(|run| run.rejections as f64),
        rejected_out_of_retries: spread(|run| run.counters.rejected_out_of_retries as f64),
        runs,
    })
}

fn outcome(variant: &Variant, buckets: Option<u32>, seed: u64, source: &Source) -> Result<Summary, Failure> {
    let mut variant = variant.clone();
    variant.seed = seed;
    let row = variant.rules.iter_mut().find(|row| row.id == RULE).expect("the default list has BestFit");
    row.buckets = buckets;
    let mut world = World::new(variant.plan(source.workload.clone())?);
    world.run();
    Ok(world.summary())
}

/// Candidates that BestFit leaves, relative to the candidates of the machine stage.
fn share_pct(run: &Summary) -> f64 {
    run.rule_shares.iter().find(|share| share.rule == RULE).map_or(f64::NAN, |share| 100.0 * share.after)
}

fn density(row: &BucketsRow) -> f64 {
    row.packing_density_pct.ours.mean
}

fn checks(rows: &[BucketsRow]) -> Vec<Check> {
    let (last, others) = rows.split_last().expect("rows of the table");
    let steps = rows.windows(2).map(|pair| (step(&pair[0], &pair[1]), differences(&pair[1], &pair[0], share_pct)));
    let totals = others.iter().map(|row| (step(row, last), differences(row, last, |run| run.conflicts as f64)));
    let worst = others.iter().map(|row| (step(row, last), differences(row, last, |run| run.conflicts_per_minute_p99)));
    vec![
        Check::above(
            "density is higher without buckets than with 1",
            "points",
            differences(&rows[0], last, |run| run.packing_density_pct_mean),
        ),
        Check::each_above("the share of candidates left by BestFit falls with every step", "points", steps),
        Check::each_above("conflicts are highest without buckets, in total", "", totals),
        Check::each_above("and as P99 per minute", "", worst),
    ]
}

/// The difference of a value between two rows, seed by seed.
fn differences(from: &BucketsRow, to: &BucketsRow, value: fn(&Summary) -> f64) -> Vec<f64> {
    paired(&to.runs, &from.runs, |one, other| value(one) - value(other))
}

/// In the paper, density rises with every step.
fn remarks(rows: &[BucketsRow]) -> Vec<String> {
    let falls = rows.windows(2).filter(|pair| density(&pair[1]) <= density(&pair[0]));
    let remark = |pair: &[BucketsRow]| {
        let step = between("%", density, &pair[0], &pair[1]);
        format!("density does not rise with this step: {step}")
    };
    falls.map(remark).collect()
}

/// Two values with their rows.
fn between(unit: &str, value: fn(&BucketsRow) -> f64, from: &BucketsRow, to: &BucketsRow) -> String {
    format!("{:.2} {unit} {}, {:.2} {unit} {}", value(from), with(from), value(to), with(to))
}

fn with(row: &BucketsRow) -> String {
    match row.buckets {
        None => "without buckets".to_owned(),
        Some(1) => "with 1 bucket".into(),
        Some(buckets) => format!("with {buckets} buckets"),
    }
}

fn step(from: &BucketsRow, to: &BucketsRow) -> String {
    format!("{} over {}:", with(to), with(from))
}

fn label(buckets: Option<u32>) -> String {
    buckets.map_or("none".into(), |buckets| buckets.to_string())
}

impl Reproduction {
    fn text(&self) -> String {
        let Self { trace, machines, agents, seeds, .. } = self;
        let head = format!(
            "Protean Table 5: {trace} on {machines} machines, {agents} agents, {} seeds; ours: mean (least-most).\n\n",
            seeds.len()
        );
        format!("{head}{}\n{}", self.table(), judged(&self.checks, &self.remarks))
    }

    fn table(&self) -> String {
        let head = [
            "Buckets",
            "density %",
            "ours",
            "share %",
            "ours",
            "P99 conflicts/min",
            "ours",
            "conflicts",
            "rejected",
            "out of retries",
        ];
        let mut rows = vec![head.map(String::from).to_vec()];
        rows.extend(self.rows.iter().map(BucketsRow::cells));
        table(&rows)
    }
}

impl BucketsRow {
    fn cells(&self) -> Vec<String> {
        let pair = |pair: &PaperAndOurs, decimals| [format!("{:.1}", pair.paper), pair.ours.text(decimals)];
        let mut cells = vec![label(self.buckets)];
        cells.extend(pair(&self.packing_density_pct, 2));
        cells.extend(pair(&self.post_best_fit_share_pct, 2));
        cells.extend(pair(&self.conflicts_per_minute_p99, 1));
        cells.extend([&self.conflicts, &self.rejections, &self.rejected_out_of_retries].map(|it| it.text(0)));
        cells
    }
}
