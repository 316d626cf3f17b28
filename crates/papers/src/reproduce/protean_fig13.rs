//! Protean Figure 13: a spike of requests, and how long agents take to handle it. (Protean section 6.2)

use std::sync::Arc;

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::{Millis, RequestId, Workload};
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

const NAME: &str = "protean-fig13";

const AGENTS: [u32; 6] = [1, 2, 3, 5, 8, 12];
/// The numbers of agents that are drawn.
const DRAWN: [u32; 4] = [1, 2, 5, 12];

/// One run.
struct Spike {
    rates: Rates,
    /// Requests that arrived in each second.
    asked: Vec<u32>,
    /// When 95 % were answered with requests placed as a whole, in seconds.
    whole_95_s: f64,
}

/// The runs with one number of agents, one per seed.
struct SpikeLine {
    agents: u32,
    spikes: Vec<Spike>,
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let (size, spike) = scale.pick((5_000, 500.0), (25_000, 3_000.0));
    let width = Millis(scale.pick(4_000, 20_000));
    let mut variant = zone(size)?;
    as_simulated(&mut variant);
    let settings = workload(&mut variant);
    // Some hours of the zone's requests are compressed into the spike.
    settings.days = spike / settings.requests_per_hour / 24.0;
    (settings.spikes_per_day, settings.longest_life) = (0.0, scale.pick(1.0, settings.longest_life));
    set_fields(&mut variant, given)?;
    let seeds = scale.seeds(5);
    let jobs: Vec<_> = AGENTS.iter().flat_map(|agents| seeds.iter().map(|seed| (*agents, *seed))).collect();
    let spikes = at_once(&jobs, |(agents, seed)| one(&variant, *agents, *seed, width))?;
    let mut spikes = spikes.into_iter();
    let lines: Vec<_> = AGENTS
        .iter()
        .map(|agents| SpikeLine { agents: *agents, spikes: spikes.by_ref().take(seeds.len()).collect() })
        .collect();
    let setting = format!(
        "{} requests for one VM each within {} s in a zone of {} machines. {}",
        count(lines[0].spikes[0].asked.iter().map(|asked| u64::from(*asked)).sum()),
        width.0 / 1_000,
        count(machines(&variant).into()),
        simulated(&variant.agents),
    );
    let about = About { name: NAME, source: "Protean (OSDI 2020), Figure 13", setting, seeds };
    let findings =
        Findings { rows: rows(&lines), checks: checks(&lines), remarks: remarks(&lines), panels: panels(&lines) };
    Figure::answer(given, about, findings)
}

fn one(variant: &Variant, agents: u32, seed: u64, width: Millis) -> Result<Spike, Failure> {
    let mut variant = variant.clone();
    variant.agents.count = agents;
    let requests = requests(&variant, seed);
    let of = Millis(requests.horizon().0 as u64);
    let whole = in_spikes(&requests, Spikes { of, width, every: width });
    let (alone, whole) = (Arc::new(one_by_one(&whole)), Arc::new(whole));
    let rates = |workload: &Arc<Workload>| -> Result<Rates, Failure> {
        let mut world = World::new(plan(&variant, seed, workload.clone())?);
        world.keep_decisions();
        world.run();
        Ok(Rates::of(&world))
    };
    let whole_95_s = answered_s(&asked(&whole), &rates(&whole)?);
    Ok(Spike { rates: rates(&alone)?, asked: asked(&alone), whole_95_s })
}

/// Requests that arrived in each second.
fn asked(workload: &Workload) -> Vec<u32> {
    let mut seconds = Vec::new();
    for request in (workload.warm_count()..workload.request_count()).map(RequestId) {
        let second = (workload.at(request).0 / 1_000) as usize;
        seconds.resize(seconds.len().max(second + 1), 0);
        seconds[second] += 1;
    }
    seconds
}

/// The second by which 95 % of the requests were answered.
fn answered_s(asked: &[u32], rates: &Rates) -> f64 {
    let all: u32 = asked.iter().sum();
    let mut so_far = 0;
    let second = rates.seconds.iter().position(|second| {
        so_far += second.answered;
        f64::from(so_far) >= 0.95 * f64::from(all)
    });
    second.map_or(f64::NAN, |second| second as f64 + 1.0)
}

fn mean(line: &SpikeLine, value: fn(&Spike) -> f64) -> f64 {
    line.spikes.iter().map(value).sum::<f64>() / line.spikes.len() as f64
}

fn done_s(spike: &Spike) -> f64 {
    spike.rates.done_s
}

fn rows(lines: &[SpikeLine]) -> Vec<Row> {
    let row = |line: &SpikeLine| {
        let over =
            |what, decimals, value: fn(&Spike) -> f64| Measure::of(what, decimals, line.spikes.iter().map(value));
        Row {
            what: of_agents(line.agents),
            paper: match line.agents {
                5 => Some("more than 3 times as fast as 1"),
                8 | 12 => Some("like 5"),
                _ => None,
            },
            ours: vec![
                over("last answer, s", 1, done_s),
                over("95 %, s", 1, |spike| answered_s(&spike.asked, &spike.rates)),
                over("whole requests: 95 %, s", 1, |spike| spike.whole_95_s),
                over("answers per second", 1, |spike| spike.rates.answered_mean()),
                over("peak per second", 0, |spike| spike.rates.answered_most()),
                over("conflicts", 0, |spike| spike.rates.conflicts()),
            ],
        }
    };
    lines.iter().map(row).collect()
}

fn with(lines: &[SpikeLine], agents: u32) -> &SpikeLine {
    lines.iter().find(|line| line.agents == agents).expect("a number of agents that was run")
}

fn checks(lines: &[SpikeLine]) -> Vec<Check> {
    let pairs = |one: &SpikeLine, other: &SpikeLine, of: fn(f64, f64) -> f64| {
        paired(&one.spikes, &other.spikes, |one, other| of(done_s(one), done_s(other)))
    };
    let steps = lines.windows(2).map(|pair| {
        let name = format!("{} against {}:", pair[1].agents, of_agents(pair[0].agents));
        (name, pairs(&pair[1], &pair[0], |more, fewer| 1.05 * fewer - more))
    });
    vec![
        Check::above(
            "5 agents need less than a third of the time of 1",
            "s, below a third",
            pairs(with(lines, 5), with(lines, 1), |five, one| one / 3.0 - five),
        ),
        Check::each_above("more agents never need longer, but for 5 %", "s, below 105 %", steps),
        Check::above(
            "beyond 5 agents the time changes by less than half",
            "s, above half",
            pairs(with(lines, 12), with(lines, 5), |twelve, five| twelve - 0.5 * five),
        ),
    ]
}

fn remarks(lines: &[SpikeLine]) -> Vec<String> {
    let seconds = |agents| mean(with(lines, agents), |spike| spike.whole_95_s);
    vec![format!(
        "with requests of several VMs placed all or nothing, 5 agents answer 95 % of them in {:.1} s and 1 agent in \
        {:.1} s; the others are large and start over when one of their VMs collides",
        seconds(5),
        seconds(1)
    )]
}

fn panels(lines: &[SpikeLine]) -> Vec<Panel> {
    const ROLES: [Role; 4] = [Role::Live, Role::Variant(0), Role::Variant(1), Role::Variant(2)];
    let points = |values: &mut dyn Iterator<Item = u32>| {
        (0_u32..).zip(values).map(|(second, value)| (f64::from(second), f64::from(value))).collect()
    };
    let asked = &lines[0].spikes[0].asked;
    let mut series = vec![Series::new("asked", Role::Ghost, Style::Bars, points(&mut asked.iter().copied()))];
    for (agents, role) in DRAWN.into_iter().zip(ROLES) {
        let seconds = &with(lines, agents).spikes[0].rates.seconds;
        let answered = points(&mut seconds.iter().map(|second| second.answered));
        series.push(Series::new(of_agents(agents), role, Style::Steps, answered));
    }
    vec![Panel::Plot(Plot {
        title: "Requests answered".into(),
        unit: "a second".into(),
        across: "seconds".into(),
        across_is_log: false,
        up_is_log: false,
        series,
    })]
}
