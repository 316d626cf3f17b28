//! Protean sections 4 and 5.3: conflicts with coarse and with fine-grained detection, and how many retries requests
//! need.

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::Millis;
use tiebreak_scenario::Variant;
use tiebreak_sim::{Outcome, World};

use super::Exhibit;
use super::demand::{Spikes, in_spikes};
use super::figure::{About, Figure, Findings, Measure, Row, Scale, of_agents, without_trace};
use super::rates::Rates;
use super::verdict::{Check, paired};
use super::zone::{as_simulated, at_once, machines, plan, requests, simulated, workload, zone};
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::scenario::set_fields;
use tiebreak_console::shown::count;

const NAME: &str = "protean-conflicts";

const AGENTS: u32 = 5;

/// Each hour's requests within this many seconds, so that all agents are busy: the paper's 25 % are of "one of our
/// busiest zones".
const SPIKES: Spikes = Spikes { of: Millis::HOUR, width: Millis(30_000), every: Millis::MINUTE };

/// "The 99.9-percentile allocations succeed after three retries." (Protean section 4)
const RETRIES: u32 = 3;

/// The demands.
static DEMANDS: [(&str, bool); 2] = [("as it arrives", false), ("in spikes", true)];

/// The ways to detect conflicts, by whether they are fine-grained.
static WAYS: [(&str, bool, Role); 2] = [("coarse", false, Role::Variant(0)), ("fine-grained", true, Role::Live)];

const COARSE: usize = 0;
const FINE: usize = 1;

/// One run.
struct ConflictRun {
    /// Refused commits, in percent of all.
    conflicts_pct: f64,
    /// Requests placed within [`RETRIES`] retries, in percent of those placed.
    soon_pct: f64,
    /// The 99.9th percentile of the placed requests' retries.
    retries_p999: f64,
    out_of_retries: f64,
}

/// The runs of all seeds, per demand and way.
type ByDemand = Vec<[Vec<ConflictRun>; WAYS.len()]>;

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let mut variant = zone(scale.pick(5_000, 25_000))?;
    as_simulated(&mut variant);
    variant.agents.count = AGENTS;
    let settings = workload(&mut variant);
    (settings.days, settings.longest_life) = (scale.pick(2.0, 12.0) / 24.0, scale.pick(1.0, settings.longest_life));
    set_fields(&mut variant, given)?;
    let seeds = scale.seeds(4);
    let jobs = DEMANDS.iter().flat_map(|demand| WAYS.iter().map(|way| (demand.1, way.1)));
    let jobs: Vec<_> = jobs.flat_map(|(spikes, fine)| seeds.iter().map(move |seed| (spikes, fine, *seed))).collect();
    let mut runs = at_once(&jobs, |(spikes, fine, seed)| one(&variant, *spikes, *fine, *seed))?.into_iter();
    let mut next = || runs.by_ref().take(seeds.len()).collect::<Vec<_>>();
    let found: ByDemand = DEMANDS.iter().map(|_| std::array::from_fn(|_| next())).collect();
    let setting = format!(
        "{} h of requests in a zone of {} machines, as they arrive, and with each hour's requests within {} s. {}. {}",
        24.0 * workload(&mut variant).days,
        count(machines(&variant).into()),
        SPIKES.width.0 / 1_000,
        of_agents(variant.agents.count),
        simulated(&variant.agents),
    );
    let about = About { name: NAME, source: "Protean (OSDI 2020), sections 4 and 5.3", setting, seeds };
    let findings = Findings { rows: rows(&found), checks: checks(&found), remarks: Vec::new(), panels: panels(&found) };
    Figure::answer(given, about, findings)
}

fn one(variant: &Variant, spikes: bool, fine: bool, seed: u64) -> Result<ConflictRun, Failure> {
    let mut variant = variant.clone();
    variant.agents.fine_grained = fine;
    let workload = requests(&variant, seed);
    let workload = if spikes { in_spikes(&workload, SPIKES).into() } else { workload };
    let mut world = World::new(plan(&variant, seed, workload)?);
    world.keep_decisions();
    world.run();
    Ok(ConflictRun::of(&world))
}

impl ConflictRun {
    fn of(world: &World) -> Self {
        let rates = Rates::of(world);
        let answered: f64 = rates.seconds.iter().map(|second| f64::from(second.answered)).sum();
        let decided = world.decisions().iter().filter(|decision| decision.agent.is_some());
        let placed = decided.clone().filter(|decision| decision.outcome == Outcome::Placed);
        // The VMs of a request are placed in one attempt, so the first of each speaks for it.
        let mut requests: Vec<_> = placed.map(|decision| (decision.request, decision.attempt)).collect();
        requests.dedup();
        let mut retries: Vec<_> = requests.into_iter().map(|(_, retries)| retries).collect();
        retries.sort_unstable();
        let soon = retries.partition_point(|retries| *retries <= RETRIES);
        let slow = (retries.len() * 999).div_ceil(1_000).checked_sub(1).map_or(0, |place| retries[place]);
        Self {
            conflicts_pct: 100.0 * rates.conflicts() / (rates.conflicts() + answered).max(1.0),
            soon_pct: 100.0 * soon as f64 / retries.len().max(1) as f64,
            retries_p999: f64::from(slow),
            out_of_retries: decided.filter(|decision| decision.outcome == Outcome::OutOfRetries).count() as f64,
        }
    }
}

fn rows(found: &ByDemand) -> Vec<Row> {
    let row = |demand: usize, way: usize| {
        let over = |what, decimals, value: fn(&ConflictRun) -> f64| {
            Measure::of(what, decimals, found[demand][way].iter().map(value))
        };
        Row {
            what: format!("{}, {}", DEMANDS[demand].0, WAYS[way].0),
            paper: (way == FINE).then_some("25 % fewer conflicts"),
            ours: vec![
                over("refused commits, %", 2, |run| run.conflicts_pct),
                over("placed within 3 retries, %", 3, |run| run.soon_pct),
                over("retries, 99.9th percentile", 0, |run| run.retries_p999),
                over("VMs out of retries", 0, |run| run.out_of_retries),
            ],
        }
    };
    (0..DEMANDS.len()).flat_map(|demand| (0..WAYS.len()).map(move |way| row(demand, way))).collect()
}

fn checks(found: &ByDemand) -> Vec<Check> {
    let each = |value: fn(&ConflictRun, &ConflictRun) -> f64| {
        let demands = DEMANDS.iter().zip(found);
        demands.map(move |((name, _), ways)| (format!("{name}:"), paired(&ways[FINE], &ways[COARSE], value)))
    };
    vec![
        Check::each_above(
            "fine-grained detection refuses fewer commits",
            "points",
            each(|fine, coarse| coarse.conflicts_pct - fine.conflicts_pct),
        ),
        Check::each_above(
            "by at least a quarter, as in one of the paper's busiest zones",
            "points, below three quarters",
            each(|fine, coarse| 0.75 * coarse.conflicts_pct - fine.conflicts_pct),
        ),
        Check::above(
            "as they arrive, 99.9 % of the placed requests need at most 3 retries, with fine-grained detection",
            "points, above 99.9 %",
            found[0][FINE].iter().map(|run| run.soon_pct - 99.9),
        ),
    ]
}

fn panels(found: &ByDemand) -> Vec<Panel> {
    let line = |way: usize| {
        let mean = |runs: &[ConflictRun]| runs.iter().map(|run| run.conflicts_pct).sum::<f64>() / runs.len() as f64;
        found.iter().enumerate().map(|(demand, ways)| (1.0 + demand as f64, mean(&ways[way]))).collect()
    };
    vec![Panel::Plot(Plot {
        title: "Refused commits".into(),
        unit: "%".into(),
        across: "demand: 1 as it arrives, 2 in spikes".into(),
        across_is_log: false,
        up_is_log: false,
        series: WAYS
            .iter()
            .enumerate()
            .map(|(way, (name, _, role))| Series::new(*name, *role, Style::Line, line(way)))
            .collect(),
    })]
}
