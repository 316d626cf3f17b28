//! Protean Figure 14: conflicts and throughput by the number of agents, with and without conflict avoidance. (Protean
//! sections 5.3 and 6.2)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::Millis;
use tiebreak_scenario::Variant;
use tiebreak_sim::World;

use super::Exhibit;
use super::demand::{Spikes, in_spikes, one_by_one};
use super::figure::{About, Figure, Findings, Measure, Row, Scale, of_agents, without_trace};
use super::rates::Rates;
use super::verdict::{Check, paired};
use super::zone::{as_simulated, at_once, machines, plan, requests, simulated, workload, zone};
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::scenario::set_fields;
use tiebreak_console::shown::count;

const NAME: &str = "protean-fig14";

const AGENTS: [u32; 6] = [1, 2, 4, 8, 12, 16];

const SPIKES: Spikes = Spikes { of: Millis::HOUR, width: Millis(4_000), every: Millis::MINUTE };

/// How often agents avoid conflicts, as a multiple of the share of recent commits that failed. The paper says
/// "proportional to" that share, without the factor.
static WAYS: [(&str, f64, Role); 3] = [
    ("without avoidance", 0.0, Role::Variant(0)),
    ("avoiding", 1.0, Role::Live),
    ("avoiding 4 times as often", 4.0, Role::Variant(1)),
];

const WITHOUT: usize = 0;
const WITH: usize = 1;
const OFTEN: usize = 2;

/// One run.
struct ConflictRun {
    conflicts: f64,
    answered: f64,
    density_pct: f64,
}

/// One number of agents: the runs of all seeds, per way.
struct ConflictLine {
    agents: u32,
    ways: [Vec<ConflictRun>; WAYS.len()],
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let (size, spikes) = scale.pick((5_000, 2), (25_000, 6));
    let mut variant = zone(size)?;
    as_simulated(&mut variant);
    let settings = workload(&mut variant);
    (settings.days, settings.longest_life) = (f64::from(spikes) / 24.0, scale.pick(1.0, settings.longest_life));
    settings.spikes_per_day = 0.0;
    set_fields(&mut variant, given)?;
    let seeds = scale.seeds(4);
    let jobs = AGENTS.iter().flat_map(|agents| WAYS.iter().map(|way| (*agents, way.1)));
    let jobs: Vec<_> = jobs.flat_map(|(agents, times)| seeds.iter().map(move |seed| (agents, times, *seed))).collect();
    let runs = at_once(&jobs, |(agents, times, seed)| one(&variant, *agents, *times, *seed))?;
    let mut runs = runs.into_iter();
    let mut next = || runs.by_ref().take(seeds.len()).collect::<Vec<_>>();
    let lines: Vec<_> =
        AGENTS.iter().map(|agents| ConflictLine { agents: *agents, ways: std::array::from_fn(|_| next()) }).collect();
    let setting = format!(
        "{spikes} spikes a minute apart, each an hour's VMs within {} s, in a zone of {} machines. {}",
        SPIKES.width.0 / 1_000,
        count(machines(&variant).into()),
        simulated(&variant.agents),
    );
    let about = About { name: NAME, source: "Protean (OSDI 2020), Figure 14", setting, seeds };
    let findings =
        Findings { rows: rows(&lines), checks: checks(&lines), remarks: remarks(&lines), panels: panels(&lines) };
    Figure::answer(given, about, findings)
}

fn one(variant: &Variant, agents: u32, times: f64, seed: u64) -> Result<ConflictRun, Failure> {
    let mut variant = variant.clone();
    (variant.agents.count, variant.agents.avoidance) = (agents, times);
    let workload = one_by_one(&in_spikes(&requests(&variant, seed), SPIKES));
    let mut world = World::new(plan(&variant, seed, workload.into())?);
    world.keep_decisions();
    world.run();
    let rates = Rates::of(&world);
    let density_pct = world.summary().packing_density_pct_mean;
    Ok(ConflictRun { conflicts: rates.conflicts_p99(), answered: rates.answered_p99(), density_pct })
}

fn mean(line: &ConflictLine, way: usize, value: fn(&ConflictRun) -> f64) -> f64 {
    line.ways[way].iter().map(value).sum::<f64>() / line.ways[way].len() as f64
}

fn conflicts(line: &ConflictLine, way: usize) -> f64 {
    mean(line, way, |run| run.conflicts)
}

fn answered(line: &ConflictLine, way: usize) -> f64 {
    mean(line, way, |run| run.answered)
}

fn rows(lines: &[ConflictLine]) -> Vec<Row> {
    let row = |line: &ConflictLine, way: usize| {
        let over = |what, decimals, value: fn(&ConflictRun) -> f64| {
            Measure::of(what, decimals, line.ways[way].iter().map(value))
        };
        Row {
            what: format!("{}, {}", of_agents(line.agents), WAYS[way].0),
            paper: None,
            ours: vec![
                over("P99 conflicts/s", 0, |run| run.conflicts),
                over("P99 answers/s", 0, |run| run.answered),
                over("packing density, %", 2, |run| run.density_pct),
            ],
        }
    };
    lines.iter().flat_map(|line| (0..WAYS.len()).map(move |way| row(line, way))).collect()
}

fn checks(lines: &[ConflictLine]) -> Vec<Check> {
    let (first, last) = (&lines[0], &lines[lines.len() - 1]);
    let each = |value: fn(&ConflictRun, &ConflictRun) -> f64| {
        lines.iter().filter(|line| line.agents > 2).map(move |line| {
            (format!("{}:", of_agents(line.agents)), paired(&line.ways[WITH], &line.ways[WITHOUT], value))
        })
    };
    vec![
        Check::each_above(
            "with more than 2 agents, avoidance reduces conflicts",
            "a second",
            each(|with, without| without.conflicts - with.conflicts),
        ),
        Check::each_above(
            "and increases throughput",
            "a second",
            each(|with, without| with.answered - without.answered),
        ),
        Check::above(
            "with avoidance, 16 agents answer at least 5 times as many requests as 1",
            "a second, above 5 times",
            paired(&last.ways[WITH], &first.ways[WITH], |many, one| many.answered - 5.0 * one.answered),
        ),
        Check::above(
            "with avoidance, more agents hardly collide more: under a tenth of the commits fail",
            "points, below 10 %",
            last.ways[WITH].iter().map(|run| 10.0 - 100.0 * run.conflicts / (run.conflicts + run.answered)),
        ),
    ]
}

/// Conflicts divided by commits, both 99th percentiles, in percent.
fn share(line: &ConflictLine, way: usize) -> f64 {
    100.0 * conflicts(line, way) / (conflicts(line, way) + answered(line, way))
}

fn remarks(lines: &[ConflictLine]) -> Vec<String> {
    let last = &lines[lines.len() - 1];
    vec![format!(
        "avoidance limits itself because it follows the share of failures: the fewer commits fail, the less it is \
        used; with 16 agents {:.0} % fail without it, {:.0} % with it, and {:.0} % if it is used 4 times as often",
        share(last, WITHOUT),
        share(last, WITH),
        share(last, OFTEN),
    )]
}

fn panels(lines: &[ConflictLine]) -> Vec<Panel> {
    const NAMES: [&str; WAYS.len()] = ["without", "avoiding", "4x as often"];
    let plot = |title: &str, value: fn(&ConflictLine, usize) -> f64| {
        let line = |way: usize| lines.iter().map(|line| (f64::from(line.agents), value(line, way))).collect();
        let series = NAMES.iter().enumerate();
        Panel::Plot(Plot {
            title: title.into(),
            unit: "a second".into(),
            across: "agents".into(),
            across_is_log: false,
            up_is_log: false,
            series: series.map(|(way, name)| Series::new(*name, WAYS[way].2, Style::Line, line(way))).collect(),
        })
    };
    vec![plot("Conflicts, 99th percentile", conflicts), plot("Requests answered, 99th percentile", answered)]
}
