//! Protean Figure 11: latency by zone size, on hits, on misses, and without caches and cluster selection. (Protean
//! section 6.2)

use std::time::Instant;

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_scenario::Variant;
use tiebreak_sim::{Latency, World};

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, Scale, without_trace};
use super::verdict::{Check, paired};
use super::zone::{machines, plan, requests, workload, zone};
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::scenario::set_fields;
use tiebreak_console::shown::count;

const NAME: &str = "protean-fig11";

/// Few enough requests that hardly any waits, and few enough VMs that the start without caches takes seconds. Latency
/// depends on the number of machines, not on what they hold.
const REQUESTS_PER_MACHINE_HOUR: f64 = 0.02;
const LONGEST_LIFE_DAYS: f64 = 0.25;

/// The number of candidate clusters without cluster selection: more than any zone here has.
const ALL_CLUSTERS: u32 = 64;

/// A way to decide.
struct Way {
    name: &'static str,
    ms: &'static str,
    us: &'static str,
    /// Requests per zone. Caches must fill before most decisions hit; the other ways have the same latency from the
    /// first request on.
    requests: f64,
    change: fn(&mut Variant),
}

static WAYS: [Way; 3] = [
    Way { name: "hit", ms: "hit, ms", us: "hit, µs here", requests: 6_000.0, change: |_| {} },
    Way {
        name: "miss",
        ms: "miss, ms",
        us: "miss, µs here",
        requests: 800.0,
        // A pool of size 0: every decision builds its evaluation from the lower layers.
        change: |variant| variant.caches.evaluation_pool = 0,
    },
    Way {
        name: "without",
        ms: "without caches, ms",
        us: "without, µs here",
        requests: 400.0,
        change: |variant| {
            variant.agents.caches = false;
            variant.best_clusters = ALL_CLUSTERS;
        },
    },
];

const HIT: usize = 0;
const MISS: usize = 1;
const WITHOUT: usize = 2;

/// One zone under all ways.
struct ZoneLatency {
    machines: u32,
    /// Median latency by the model, per seed.
    ms: [Vec<f64>; WAYS.len()],
    /// The mean measured decision time with the first seed.
    us: [f64; WAYS.len()],
    /// The hit rate with caches, in percent.
    hit_pct: f64,
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let sizes = scale.pick(&[1_000, 2_000, 4_000][..], &[1_000, 2_000, 5_000, 10_000, 20_000, 50_000]);
    // Sequential, because decision times are measured.
    let seeds = scale.seeds(3);
    let sizes = sizes.iter().map(|machines| of_size(*machines, scale, &seeds, given)).collect::<Result<Vec<_>, _>>()?;
    let setting =
        "Median latency of some hundred to thousand requests to each zone. A decision takes 12 ms plus 38 µs per \
        reranked machine. Agents refresh their caches while idle. Without caches there is no cluster selection \
        either."
            .into();
    let about = About { name: NAME, source: "Protean (OSDI 2020), Figure 11", setting, seeds };
    let findings = Findings {
        rows: rows(&sizes, scale),
        checks: checks(&sizes),
        remarks: remarks(&sizes),
        panels: panels(&sizes, scale),
    };
    Figure::answer(given, about, findings)
}

fn of_size(size: u32, scale: Scale, seeds: &[u64], given: &Given) -> Result<ZoneLatency, Failure> {
    let mut variant = zone(size)?;
    variant.agents.latency = Latency::Updates;
    variant.caches.rule_objects = true;
    set_fields(&mut variant, given)?;
    let mut all = ZoneLatency { machines: machines(&variant), ms: Default::default(), us: [0.0; 3], hit_pct: 0.0 };
    for (index, way) in WAYS.iter().enumerate() {
        let mut variant = variant.clone();
        (way.change)(&mut variant);
        asked(&mut variant, size, way.requests / scale.pick(4.0, 1.0));
        variant.caches.background = true;
        for seed in seeds {
            let run = decide(&variant, *seed)?;
            all.ms[index].push(run.ms);
            if index == HIT {
                all.hit_pct += run.hit_pct / seeds.len() as f64;
            }
        }
        // Background refreshes take real time here that the model does not charge, so the measurement omits them.
        variant.caches.background = false;
        all.us[index] = if scale.is_quick { f64::NAN } else { decide(&variant, seeds[0])?.us };
    }
    Ok(all)
}

/// Sets this many requests to a zone of this size.
fn asked(variant: &mut Variant, machines: u32, requests: f64) {
    let settings = workload(variant);
    settings.requests_per_hour = REQUESTS_PER_MACHINE_HOUR * f64::from(machines);
    settings.days = requests / settings.requests_per_hour / 24.0;
    (settings.longest_life, settings.spikes_per_day) = (LONGEST_LIFE_DAYS, 0.0);
}

/// The result of one run.
struct CacheRun {
    /// The median latency in simulated ms.
    ms: f64,
    /// The mean measured decision time, in µs.
    us: f64,
    hit_pct: f64,
}

fn decide(variant: &Variant, seed: u64) -> Result<CacheRun, Failure> {
    let mut world = World::new(plan(variant, seed, requests(variant, seed))?);
    world.warm_up();
    let start = Instant::now();
    world.run();
    let us = start.elapsed().as_secs_f64() * 1e6;
    let summary = world.summary();
    let counters = summary.counters;
    let (hits, looked) = (counters.cache_hits as f64, (counters.cache_hits + counters.cache_misses) as f64);
    let decisions = (counters.placements + counters.rejections) as f64;
    Ok(CacheRun { ms: summary.answers.p50_ms, us: us / decisions, hit_pct: 100.0 * hits / looked })
}

fn rows(sizes: &[ZoneLatency], scale: Scale) -> Vec<Row> {
    let one = |what, decimals, value: f64| Measure::of(what, decimals, std::iter::once(value));
    let last = sizes.len() - 1;
    let row = |(index, size): (usize, &ZoneLatency)| {
        let mut ours: Vec<_> =
            WAYS.iter().zip(&size.ms).map(|(way, ms)| Measure::of(way.ms, 0, ms.iter().copied())).collect();
        // Measured times vary between runs, so the small size omits them.
        if !scale.is_quick {
            ours.extend(WAYS.iter().zip(size.us).map(|(way, us)| one(way.us, 1, us)));
        }
        let paper = (index == last).then_some("large zones: about 1,000 ms without caches");
        Row { what: format!("{} machines", count(size.machines.into())), paper, ours }
    };
    sizes.iter().enumerate().map(row).collect()
}

fn checks(sizes: &[ZoneLatency]) -> Vec<Check> {
    let of = |size: &ZoneLatency| format!("{} machines", count(size.machines.into()));
    let (first, last) = (&sizes[0], &sizes[sizes.len() - 1]);
    let steps = sizes.windows(2).map(|pair| {
        let name = format!("{} over {}:", of(&pair[1]), of(&pair[0]));
        (name, paired(&pair[1].ms[WITHOUT], &pair[0].ms[WITHOUT], |large, small| large - small))
    });
    let over_hits = sizes
        .iter()
        .map(|size| (of(size) + ", over a hit:", paired(&size.ms[MISS], &size.ms[HIT], |miss, hit| miss - hit)));
    // If a zone has no more clusters than are candidates, a miss ranks as many machines as a decision without caches.
    let below = |miss: &f64, without: &f64| without - miss + ROUNDING_MS;
    let under =
        sizes.iter().map(|size| (of(size) + ", under no caches:", paired(&size.ms[MISS], &size.ms[WITHOUT], below)));
    vec![
        Check::each_above("without caches latency grows with every step", "ms", steps),
        Check::above(
            "on a hit it does not even double",
            "ms, below twice",
            paired(&last.ms[HIT], &first.ms[HIT], |last, first| 2.0 * first - last),
        ),
        Check::each_above("on a miss it lies between the two in every zone", "ms", over_hits.chain(under)),
    ]
}

/// Latencies are whole milliseconds.
const ROUNDING_MS: f64 = 1.0;

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn remarks(sizes: &[ZoneLatency]) -> Vec<String> {
    let last = &sizes[sizes.len() - 1];
    vec![
        format!(
            "hits are the median of runs in which {:.1} to {:.1} % of the decisions hit",
            sizes.iter().map(|size| size.hit_pct).fold(f64::INFINITY, f64::min),
            sizes.iter().map(|size| size.hit_pct).fold(0.0, f64::max),
        ),
        format!(
            "a miss ranks all machines of the best clusters, {:.0} ms in the largest zone; the paper measures 70 to 88",
            mean(&last.ms[MISS])
        ),
    ]
}

fn panels(sizes: &[ZoneLatency], scale: Scale) -> Vec<Panel> {
    const ROLES: [Role; 3] = [Role::Live, Role::Variant(0), Role::Variant(1)];
    let plot = |title: &str, unit: &str, value: fn(&ZoneLatency) -> [f64; 3]| {
        let line = |way: usize| sizes.iter().map(|size| (f64::from(size.machines), value(size)[way])).collect();
        let series = WAYS.iter().enumerate().zip(ROLES);
        Panel::Plot(Plot {
            title: title.into(),
            unit: unit.into(),
            across: "machines".into(),
            across_is_log: true,
            up_is_log: true,
            series: series.map(|((way, it), role)| Series::new(it.name, role, Style::Line, line(way))).collect(),
        })
    };
    let mut panels = vec![plot("Median latency", "ms", |size| [HIT, MISS, WITHOUT].map(|way| mean(&size.ms[way])))];
    if !scale.is_quick {
        panels.push(plot("A decision on this computer", "µs", |size| size.us));
    }
    panels
}
