//! Protean Figure 12: the memory of an agent's caches by zone size. (Protean section 6.2)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_sim::World;

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, Scale, without_trace};
use super::verdict::{Check, paired};
use super::zone::{at_once, machines, plan, requests, workload, zone};
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::scenario::set_fields;
use tiebreak_console::shown::count;

const NAME: &str = "protean-fig12";

const MIB: f64 = 1_048_576.0;

/// Two eviction settings: the default, and earlier eviction.
static WAYS: [(&str, Option<u32>); 2] = [("as by default, MiB", None), ("forgetting sooner, MiB", Some(500))];

/// One zone: MiB per agent, for each setting and seed.
struct ZoneMemory {
    machines: u32,
    mib: [Vec<f64>; WAYS.len()],
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let sizes = scale.pick(&[5_000, 10_000, 20_000][..], &[1_000, 2_000, 5_000, 10_000, 20_000, 50_000]);
    let asked = scale.pick(500.0, 10_000.0);
    let seeds = scale.seeds(4);
    let jobs: Vec<_> = sizes.iter().rev().flat_map(|size| seeds.iter().map(|seed| (*size, *seed))).collect();
    let results = at_once(&jobs, |(size, seed)| of_size(*size, *seed, (asked, scale), given))?;
    let sizes: Vec<_> = results.chunks(seeds.len()).rev().map(together).collect();
    let setting = format!(
        "The caches of one of 4 agents, after about {} requests to each zone. Rule objects are cached. Entries are \
        dropped after 10,000 decisions without use, and after 500 in the columns called sooner.",
        count(asked as u64)
    );
    let about = About { name: NAME, source: "Protean (OSDI 2020), Figure 12", setting, seeds };
    let findings =
        Findings { rows: rows(&sizes), checks: checks(&sizes), remarks: remarks(&sizes), panels: panels(&sizes) };
    Figure::answer(given, about, findings)
}

fn of_size(
    size: u32,
    seed: u64,
    (asked, scale): (f64, Scale),
    given: &Given,
) -> Result<(u32, [f64; WAYS.len()]), Failure> {
    let mut variant = zone(size)?;
    let settings = workload(&mut variant);
    // In the small size, few VMs are alive at the start.
    settings.longest_life = scale.pick(1.0, settings.longest_life);
    settings.days = asked / settings.requests_per_hour / 24.0;
    variant.caches.rule_objects = true;
    set_fields(&mut variant, given)?;
    let requests = requests(&variant, seed);
    let mut mib = [0.0; WAYS.len()];
    for (way, (_, age)) in WAYS.iter().enumerate() {
        variant.caches.age = age.unwrap_or(variant.caches.age);
        let mut world = World::new(plan(&variant, seed, requests.clone())?);
        world.run();
        mib[way] = world.summary().cache_bytes as f64 / f64::from(variant.agents.count) / MIB;
    }
    Ok((machines(&variant), mib))
}

fn together(seeds: &[(u32, [f64; WAYS.len()])]) -> ZoneMemory {
    let mib = std::array::from_fn(|way| seeds.iter().map(|(_, mib)| mib[way]).collect());
    ZoneMemory { machines: seeds[0].0, mib }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The slope of a straight line through the logarithms: the exponent with which memory grows with machines.
fn exponent(sizes: &[ZoneMemory], way: usize) -> f64 {
    exponent_of(sizes, |size| mean(&size.mib[way]))
}

fn exponent_of(sizes: &[ZoneMemory], mib: impl Fn(&ZoneMemory) -> f64) -> f64 {
    let points = sizes.iter().map(|size| (f64::from(size.machines).ln(), mib(size).ln()));
    let count = sizes.len() as f64;
    let (x, y) = points.clone().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (both, across) = points.fold((0.0, 0.0), |(both, across), point| {
        (both + (point.0 - x) * (point.1 - y), across + (point.0 - x).powi(2))
    });
    both / across
}

fn rows(sizes: &[ZoneMemory]) -> Vec<Row> {
    let row = |size: &ZoneMemory| Row {
        what: format!("{} machines", count(size.machines.into())),
        paper: None,
        ours: WAYS.iter().zip(&size.mib).map(|((name, _), mib)| Measure::of(name, 1, mib.iter().copied())).collect(),
    };
    let mut rows: Vec<_> = sizes.iter().map(row).collect();
    let exponents =
        WAYS.iter().enumerate().map(|(way, (name, _))| Measure::of(name, 2, std::iter::once(exponent(sizes, way))));
    rows.push(Row { what: "exponent".into(), paper: Some("0.73"), ours: exponents.collect() });
    rows
}

fn checks(sizes: &[ZoneMemory]) -> Vec<Check> {
    let seeds = 0..sizes[0].mib[0].len();
    let slopes = seeds.map(|seed| 1.0 - exponent_of(sizes, |size| size.mib[0][seed]));
    let steps = sizes.windows(2).map(|pair| {
        let more = paired(&pair[1].mib[0], &pair[0].mib[0], |large, small| large - small);
        (format!("{} over {} machines:", count(pair[1].machines.into()), count(pair[0].machines.into())), more)
    });
    vec![
        Check::each_above("a larger zone takes more memory", "MiB", steps),
        Check::above("memory grows more slowly than the zone", "below the power of 1", slopes),
    ]
}

fn remarks(sizes: &[ZoneMemory]) -> Vec<String> {
    let turn = sizes.iter().position(|size| size.machines >= 10_000).unwrap_or(0);
    let (small, large) = (exponent(&sizes[..=turn], 0), exponent(&sizes[turn..], 0));
    vec![format!(
        "the slope has two regimes: {small:.2} up to 10,000 machines, where cluster selection considers all \
        clusters, and {large:.2} above, where it excludes most of them"
    )]
}

fn panels(sizes: &[ZoneMemory]) -> Vec<Panel> {
    const NAMES: [(&str, Role); WAYS.len()] = [("default", Role::Live), ("sooner", Role::Variant(0))];
    let line = |way: usize| sizes.iter().map(|size| (f64::from(size.machines), mean(&size.mib[way]))).collect();
    let series = NAMES.iter().enumerate().map(|(way, (name, role))| Series::new(*name, *role, Style::Line, line(way)));
    vec![Panel::Plot(Plot {
        title: "Caches of one agent".into(),
        unit: "MiB".into(),
        across: "machines".into(),
        across_is_log: true,
        up_is_log: true,
        series: series.collect(),
    })]
}
