//! Protean Figure 10: decision latency in a large zone, on hits and misses, and the number of machines updated.
//! (Protean section 6.2)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_placement::CacheCounters;
use tiebreak_scenario::Variant;
use tiebreak_sim::{Agents, Latency, World};

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, Scale, without_trace};
use super::hourly::Hours;
use super::verdict::Check;
use super::zone::{at_once, machines, plan, requests, workload, zone};
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::scenario::set_fields;
use tiebreak_console::shown::count;

const NAME: &str = "protean-fig10";

/// Updates and times between two moments of a run.
struct RunSpan {
    /// Machines reranked per decision that hit, and per decision that missed.
    on_hit: f64,
    on_miss: f64,
    /// Machines judged again by the lower layers, per decision that missed.
    judged_on_miss: f64,
    /// Updates done while idle, in percent of all updates.
    background_pct: f64,
    hit_ms: f64,
    miss_ms: f64,
    mean_ms: f64,
    hit_pct: f64,
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let size = scale.pick(6_000, 30_000);
    let hours = scale.pick(Hours { before: 3, measured: 3 }, Hours { before: 6, measured: 24 });
    let variant = variant(size, hours, given)?;
    let seeds = scale.seeds(4);
    let runs = at_once(&seeds, |seed| {
        let mut world = World::new(plan(&variant, *seed, requests(&variant, *seed))?);
        let counters = hours.run(&mut world);
        Ok(counters.windows(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect::<Vec<_>>())
    })?;
    let whole = |run: &Vec<[CacheCounters; 2]>| span(&variant.agents, &run[0][0], &run[run.len() - 1][1]);
    let spans: Vec<_> = runs.iter().map(whole).collect();
    let first: Vec<_> = runs[0].iter().map(|[from, to]| span(&variant.agents, from, to)).collect();
    let Agents { base_ms, update_us, count: agents, .. } = variant.agents;
    let setting = format!(
        "{} hours, after a warm-up of {} for the caches, in a zone of {} machines: {agents} agents, the best {} \
        clusters. A decision takes {base_ms} ms plus {update_us} µs per reranked machine.",
        hours.measured,
        hours.before,
        count(machines(&variant).into()),
        variant.best_clusters,
    );
    let about = About { name: NAME, source: "Protean (OSDI 2020), Figure 10", setting, seeds };
    let findings =
        Findings { rows: rows(&spans), checks: checks(&spans), remarks: remarks(&spans), panels: panels(&first) };
    Figure::answer(given, about, findings)
}

fn variant(machines: u32, hours: Hours, given: &Given) -> Result<Variant, Failure> {
    let mut variant = zone(machines)?;
    workload(&mut variant).days = hours.days();
    variant.agents.latency = Latency::Updates;
    variant.caches.rule_objects = true;
    variant.caches.background = true;
    set_fields(&mut variant, given)?;
    Ok(variant)
}

fn span(agents: &Agents, from: &CacheCounters, to: &CacheCounters) -> RunSpan {
    let (hits, misses) = ((to.hits - from.hits) as f64, (to.misses - from.misses) as f64);
    let ranked_on_hits = (to.on_hits.ranked - from.on_hits.ranked) as f64;
    let ranked_on_misses = (to.on_misses.ranked - from.on_misses.ranked) as f64;
    let in_background = (to.in_background.ranked - from.in_background.ranked) as f64;
    let all = ranked_on_hits + ranked_on_misses + in_background;
    let ms = |machines: f64| agents.base_ms as f64 + machines * agents.update_us / 1_000.0;
    RunSpan {
        on_hit: ranked_on_hits / hits,
        on_miss: ranked_on_misses / misses,
        judged_on_miss: (to.on_misses.judged - from.on_misses.judged) as f64 / misses,
        background_pct: 100.0 * in_background / all,
        hit_ms: ms(ranked_on_hits / hits),
        miss_ms: ms(ranked_on_misses / misses),
        mean_ms: ms((ranked_on_hits + ranked_on_misses) / (hits + misses)),
        hit_pct: 100.0 * hits / (hits + misses),
    }
}

/// A row of the table.
struct TableLine {
    what: &'static str,
    paper: Option<&'static str>,
    decimals: usize,
    value: fn(&RunSpan) -> f64,
}

const fn line(
    what: &'static str,
    paper: Option<&'static str>,
    decimals: usize,
    value: fn(&RunSpan) -> f64,
) -> TableLine {
    TableLine { what, paper, decimals, value }
}

static LINES: [TableLine; 8] = [
    line("decision on a hit, ms", Some("14"), 1, |span| span.hit_ms),
    line("decision on a miss, ms", Some("70 to 88"), 1, |span| span.miss_ms),
    line("all decisions, ms", Some("about 20"), 1, |span| span.mean_ms),
    line("hits, %", Some("about 90"), 1, |span| span.hit_pct),
    line("machines ranked again on a hit", Some("about 50"), 1, |span| span.on_hit),
    line("machines ranked again on a miss", Some("about 2,000"), 0, |span| span.on_miss),
    line("machines judged again on a miss", None, 0, |span| span.judged_on_miss),
    line("updates in the background, %", Some("80 to 96"), 1, |span| span.background_pct),
];

fn rows(spans: &[RunSpan]) -> Vec<Row> {
    let row = |line: &TableLine| Row {
        what: line.what.into(),
        paper: line.paper,
        ours: vec![Measure::of("ours", line.decimals, spans.iter().map(line.value))],
    };
    LINES.iter().map(row).collect()
}

fn checks(spans: &[RunSpan]) -> Vec<Check> {
    let over = |value: fn(&RunSpan) -> f64| spans.iter().map(value);
    vec![
        Check::above(
            "a miss takes at least 4 times as long as a hit",
            "times, above 4",
            over(|span| span.miss_ms / span.hit_ms - 4.0),
        ),
        Check::above(
            "a miss updates at least 20 times as many machines",
            "times, above 20",
            over(|span| span.on_miss / span.on_hit - 20.0),
        ),
        Check::above(
            "the average stays within 10 ms of a hit",
            "ms, below 10",
            over(|span| span.hit_ms + 10.0 - span.mean_ms),
        ),
        Check::above(
            "most of the updates happen while idle",
            "points, above 50 %",
            over(|span| span.background_pct - 50.0),
        ),
    ]
}

fn remarks(spans: &[RunSpan]) -> Vec<String> {
    let mean = |value: fn(&RunSpan) -> f64| spans.iter().map(value).sum::<f64>() / spans.len() as f64;
    vec![format!(
        "a miss ranks every machine of the best clusters, {:.0} in all, and each costs the same in this model; the \
        layers below evaluate {:.0} again, counting a machine once per layer",
        mean(|span| span.on_miss),
        mean(|span| span.judged_on_miss),
    )]
}

fn panels(hours: &[RunSpan]) -> Vec<Panel> {
    let line = |name: &str, role, value: fn(&RunSpan) -> f64| {
        let points = (1_u32..).zip(hours).map(|(hour, span)| (f64::from(hour), value(span)));
        Series::new(name, role, Style::Line, points.collect())
    };
    vec![Panel::Plot(Plot {
        title: "A decision takes, on average".into(),
        unit: "ms".into(),
        across: "hours".into(),
        across_is_log: false,
        up_is_log: true,
        series: vec![
            line("all", Role::Live, |span| span.mean_ms),
            line("miss", Role::Variant(0), |span| span.miss_ms),
            line("hit", Role::Variant(1), |span| span.hit_ms),
        ],
    })]
}
