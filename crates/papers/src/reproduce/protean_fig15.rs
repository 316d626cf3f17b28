//! Protean Figure 15: demand sped up a thousandfold: throughput, conflicts and rejections by the number of agents.
//! (Protean section 6.2)

use std::sync::Arc;

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::{VmId, Workload};
use tiebreak_scenario::Variant;
use tiebreak_sim::World;

use super::Exhibit;
use super::demand::{one_by_one, sped_up};
use super::figure::{About, Figure, Findings, Measure, Row, Scale, of_agents, without_trace};
use super::rates::Rates;
use super::verdict::{Check, paired};
use super::zone::{as_simulated, at_once, cores, machines, plan, requests, simulated, workload, zone};
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::scenario::set_fields;
use tiebreak_console::shown::count;

const NAME: &str = "protean-fig15";

const SPEEDS: [i64; 5] = [1, 10, 100, 1_000, 3_000];
const AGENTS: [u32; 4] = [1, 4, 16, 64];

/// Lifetimes are at most two days, so that VMs come and go as quickly as a small trace allows.
const LONGEST_LIFE_DAYS: f64 = 2.0;

/// The constant share of cores in use, in percent.
const LOAD_PCT: f64 = 75.0;

/// The runs with one speed and one number of agents.
struct ThroughputRuns {
    speed: i64,
    agents: u32,
    seeds: Vec<Throughput>,
}

/// The result of one run.
struct Throughput {
    /// Requests that arrived per second.
    asked: f64,
    answered: f64,
    conflicts: f64,
    rejected_pct: f64,
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let (size, vms) = scale.pick((1_000, 1_500.0), (2_500, 30_000.0));
    let mut variant = zone(size)?;
    as_simulated(&mut variant);
    fill(&mut variant, vms);
    set_fields(&mut variant, given)?;
    let seeds = scale.seeds(4);
    let workloads: Vec<_> = seeds.iter().map(|seed| (*seed, requests(&variant, *seed))).collect();
    let cells: Vec<_> = SPEEDS.iter().flat_map(|speed| AGENTS.iter().map(|agents| (*speed, *agents))).collect();
    let jobs: Vec<_> = cells.iter().flat_map(|cell| workloads.iter().map(|workload| (*cell, workload))).collect();
    let runs = at_once(&jobs, |((speed, agents), (seed, workload))| one(&variant, (*seed, workload), *speed, *agents))?;
    let mut runs = runs.into_iter();
    let mut of_seeds = || runs.by_ref().take(seeds.len()).collect();
    let runs: Vec<_> = cells
        .iter()
        .map(|(speed, agents)| ThroughputRuns { speed: *speed, agents: *agents, seeds: of_seeds() })
        .collect();
    let workload = &workloads[0].1;
    let setting = format!(
        "{} VMs in single-VM requests, with arrivals and lifetimes sped up, in a zone of {} machines, {} retries. {}",
        count((workload.vm_count() - workload.warm_count()).into()),
        count(machines(&variant).into()),
        variant.agents.retries,
        simulated(&variant.agents),
    );
    let about = About { name: NAME, source: "Protean (OSDI 2020), Figure 15", setting, seeds };
    let findings = Findings {
        rows: rows(&runs),
        checks: checks(&runs),
        remarks: remarks(&runs, machines(&variant)),
        panels: panels(&runs),
    };
    Figure::answer(given, about, findings)
}

/// Sets requests for about this many VMs that keep the zone as full as the paper's.
fn fill(variant: &mut Variant, vms: f64) {
    let settings = workload(variant);
    (settings.longest_life, settings.spikes_per_day) = (LONGEST_LIFE_DAYS, 0.0);
    settings.days = 0.01;
    let share = 100.0 * cores_alive(&requests(variant, 1)) / cores(variant);
    let settings = workload(variant);
    settings.requests_per_hour *= LOAD_PCT / share;
    // A request asks for about 1.8 VMs.
    settings.days = (vms / 1.8 / settings.requests_per_hour / 24.0).max(0.01);
}

fn cores_alive(workload: &Workload) -> f64 {
    let cores = |vm| f64::from(workload.shape_of_vm(VmId(vm)).demand.cores_milli()) / 1_000.0;
    (0..workload.warm_count()).map(cores).sum()
}

fn one(variant: &Variant, (seed, requests): (u64, &Workload), speed: i64, agents: u32) -> Result<Throughput, Failure> {
    let mut variant = variant.clone();
    variant.agents.count = agents;
    let workload = Arc::new(one_by_one(&sped_up(requests, speed)));
    let asked = f64::from(workload.request_count() - workload.warm_count()) * 1_000.0 / workload.horizon().0 as f64;
    let mut world = World::new(plan(&variant, seed, workload)?);
    world.keep_decisions();
    world.run();
    let rates = Rates::of(&world);
    let (answered, conflicts, rejected_pct) = (rates.answered_mean(), rates.conflicts_p99(), rates.rejected_pct);
    Ok(Throughput { asked, answered, conflicts, rejected_pct })
}

fn mean(runs: &ThroughputRuns, value: fn(&Throughput) -> f64) -> f64 {
    runs.seeds.iter().map(value).sum::<f64>() / runs.seeds.len() as f64
}

fn rows(runs: &[ThroughputRuns]) -> Vec<Row> {
    let paper = |run: &ThroughputRuns| (run.speed, run.agents) == (1_000, AGENTS[AGENTS.len() - 1]);
    let row = |runs: &ThroughputRuns| {
        let over =
            |what, decimals, value: fn(&Throughput) -> f64| Measure::of(what, decimals, runs.seeds.iter().map(value));
        Row {
            what: format!("{}x, {}", count(runs.speed as u64), of_agents(runs.agents)),
            paper: paper(runs).then_some("over 10,000 requests/s, with rejections"),
            ours: vec![
                over("asked/s", 1, |run| run.asked),
                over("answered/s", 1, |run| run.answered),
                over("P99 conflicts/s", 0, |run| run.conflicts),
                over("rejected, %", 2, |run| run.rejected_pct),
            ],
        }
    };
    runs.iter().map(row).collect()
}

fn of(runs: &[ThroughputRuns], speed: i64, agents: u32) -> &ThroughputRuns {
    runs.iter().find(|run| (run.speed, run.agents) == (speed, agents)).expect("a run of the table")
}

fn checks(runs: &[ThroughputRuns]) -> Vec<Check> {
    let (few, many) = (AGENTS[AGENTS.len() - 2], AGENTS[AGENTS.len() - 1]);
    let fastest = SPEEDS[SPEEDS.len() - 1];
    let pairs = |one: &ThroughputRuns, other: &ThroughputRuns, of: fn(&Throughput, &Throughput) -> f64| {
        paired(&one.seeds, &other.seeds, of)
    };
    let steps = AGENTS.windows(2).map(|pair| {
        let [fewer, more] = [pair[0], pair[1]].map(|agents| of(runs, fastest, agents));
        let name = format!("{} against {}:", pair[1], of_agents(pair[0]));
        (name, pairs(more, fewer, |more, fewer| more.answered - fewer.answered))
    });
    let (slow, fast) = (of(runs, SPEEDS[0], many), of(runs, 1_000, many));
    vec![
        Check::each_above("at the highest speed throughput grows with the agents", "a second", steps),
        Check::above(
            "but more slowly than they do: less than 3.5 times with 4 times the agents",
            "times, below 3.5",
            pairs(of(runs, fastest, many), of(runs, fastest, few), |many, few| 3.5 - many.answered / few.answered),
        ),
        Check::above(
            "1,000 times the demand brings at least 10 times the conflicts",
            "a second, above 10 times",
            pairs(fast, slow, |fast, slow| fast.conflicts - 10.0 * slow.conflicts),
        ),
        Check::above("and rejections", "points", pairs(fast, slow, |fast, slow| fast.rejected_pct - slow.rejected_pct)),
    ]
}

fn remarks(runs: &[ThroughputRuns], machines: u32) -> Vec<String> {
    const PAPER_MACHINES: f64 = 25_000.0;
    let many = AGENTS[AGENTS.len() - 1];
    let (scale, most) = (PAPER_MACHINES / f64::from(machines), mean(of(runs, 1_000, many), |run| run.answered));
    let fails = |runs: &ThroughputRuns| mean(runs, |run| 100.0 * run.conflicts / (run.conflicts + run.answered));
    let worst = runs.iter().filter(|run| run.speed >= 1_000).map(fails).fold(0.0, f64::max);
    vec![
        format!(
            "the paper's zone has {scale:.0} times the machines; {many} agents are the maximum here, and their \
            {most:.0} answers per second at 1,000x correspond to {scale:.0} times as many there"
        ),
        format!("even if {worst:.0} % of the commits fail, hardly any VM fails 21 times in a row"),
    ]
}

fn panels(runs: &[ThroughputRuns]) -> Vec<Panel> {
    const ROLES: [Role; SPEEDS.len()] = [Role::Ghost, Role::Variant(0), Role::Variant(1), Role::Variant(2), Role::Live];
    let plot = |title: &str, unit: &str, value: fn(&Throughput) -> f64, up_is_log| {
        let line = |speed: i64| {
            AGENTS.iter().map(|agents| (f64::from(*agents), mean(of(runs, speed, *agents), value))).collect()
        };
        let series = SPEEDS.iter().zip(ROLES);
        let series = series.map(|(speed, role)| Series::new(format!("{speed}x"), role, Style::Line, line(*speed)));
        Panel::Plot(Plot {
            title: title.into(),
            unit: unit.into(),
            across: "agents".into(),
            across_is_log: true,
            up_is_log,
            series: series.collect(),
        })
    };
    vec![
        plot("Requests answered", "a second", |run| run.answered, true),
        plot("Conflicts, 99th percentile", "a second", |run| run.conflicts, false),
    ]
}
