//! Protean Figure 9: hit ratios of four caches over a day, and how often each is used. (Protean section 6.2)

use tiebreak_chart::Panel;
use tiebreak_placement::{CacheCounters, Uses};
use tiebreak_scenario::Variant;
use tiebreak_sim::World;

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, Scale, without_trace};
use super::hourly::{Hours, chart};
use super::verdict::Check;
use super::zone::{at_once, machines, plan, requests, workload, zone};
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::scenario::set_fields;
use tiebreak_console::shown::count;

const NAME: &str = "protean-fig9";

/// The generator has 18 VM sizes, production has hundreds. With pools this small, a class is evicted about as often
/// as in the paper.
const EVALUATION_POOL: u32 = 16;
const OBJECT_POOL: u32 = 32;

/// A kind of cached object.
struct Layer {
    name: &'static str,
    /// Its name in the chart.
    short: &'static str,
    paper: Option<&'static str>,
    uses: fn(&CacheCounters) -> Uses,
}

const EVALUATION: usize = 0;
const SHARED: usize = 3;

static LAYERS: [Layer; 4] = [
    Layer {
        name: "RuleEvaluation",
        short: "Evaluation",
        paper: Some("hits about 90 %, always used"),
        uses: |counters| Uses { hits: counters.hits, misses: counters.misses },
    },
    Layer {
        name: "BestFit",
        short: "BestFit",
        paper: Some("used less often"),
        uses: |counters| of_rule(counters, "BestFit"),
    },
    Layer {
        name: "AreNodeResourcesValid",
        short: "Resources",
        paper: None,
        uses: |counters| of_rule(counters, "AreNodeResourcesValid"),
    },
    Layer {
        name: "Shared state",
        short: "Shared",
        paper: Some("NodeResources: hits about 20 %, asked 0.16 %"),
        uses: |counters| counters.shared,
    },
];

fn of_rule(counters: &CacheCounters, rule: &str) -> Uses {
    let found = counters.objects.iter().find(|counters| counters.rule == rule);
    found.map_or_else(Uses::default, |counters| counters.by_decisions)
}

/// The counters of a run when the day begins, and after each hour.
type Run = Vec<CacheCounters>;

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let size = scale.pick(1_000, 10_000);
    let hours = scale.pick(Hours { before: 2, measured: 4 }, Hours { before: 6, measured: 24 });
    let variant = variant(size, hours, given)?;
    let seeds = scale.seeds(3);
    let runs = at_once(&seeds, |seed| {
        let mut world = World::new(plan(&variant, *seed, requests(&variant, *seed))?);
        Ok(hours.run(&mut world))
    })?;
    let setting = format!(
        "{} hours, after a warm-up of {} for the caches, in a zone of {} machines. {} agents refresh their caches \
        while idle and keep {EVALUATION_POOL} evaluations and {OBJECT_POOL} rule objects.",
        hours.measured,
        hours.before,
        count(machines(&variant).into()),
        variant.agents.count,
    );
    let about = About { name: NAME, source: "Protean (OSDI 2020), Figure 9", setting, seeds };
    let remarks = remarks(&variant, &runs);
    let findings = Findings { rows: rows(&runs), checks: checks(&runs), remarks, panels: panels(&runs[0]) };
    Figure::answer(given, about, findings)
}

fn variant(machines: u32, hours: Hours, given: &Given) -> Result<Variant, Failure> {
    let mut variant = zone(machines)?;
    workload(&mut variant).days = hours.days();
    variant.rules.iter_mut().filter(|row| row.id == "FdEmptyNodes").for_each(|row| row.on = true);
    variant.caches.rule_objects = true;
    variant.caches.background = true;
    (variant.caches.evaluation_pool, variant.caches.object_pool) = (EVALUATION_POOL, OBJECT_POOL);
    set_fields(&mut variant, given)?;
    Ok(variant)
}

/// A layer's uses by decisions between two moments.
fn between(layer: usize, from: &CacheCounters, to: &CacheCounters) -> Uses {
    let (from, to) = ((LAYERS[layer].uses)(from), (LAYERS[layer].uses)(to));
    Uses { hits: to.hits - from.hits, misses: to.misses - from.misses }
}

fn of_run(layer: usize, run: &Run) -> Uses {
    between(layer, &run[0], &run[run.len() - 1])
}

fn asked(uses: Uses) -> f64 {
    (uses.hits + uses.misses) as f64
}

fn hit_pct(uses: Uses) -> f64 {
    100.0 * uses.hits as f64 / asked(uses)
}

fn asked_pct(layer: usize, from: &CacheCounters, to: &CacheCounters) -> f64 {
    100.0 * asked(between(layer, from, to)) / asked(between(EVALUATION, from, to))
}

/// Decisions whose evaluation was missing or stale, in percent of all.
fn stale_pct(run: &Run) -> f64 {
    let stale = |counters: &CacheCounters| counters.misses + counters.stale_hits;
    100.0 * (stale(&run[run.len() - 1]) - stale(&run[0])) as f64 / asked(of_run(EVALUATION, run))
}

fn rows(runs: &[Run]) -> Vec<Row> {
    let row = |layer: usize| Row {
        what: LAYERS[layer].name.into(),
        paper: LAYERS[layer].paper,
        ours: vec![
            Measure::of("hits, %", 1, runs.iter().map(|run| hit_pct(of_run(layer, run)))),
            Measure::of(
                "used, % of decisions",
                1,
                runs.iter().map(|run| asked_pct(layer, &run[0], &run[run.len() - 1])),
            ),
        ],
    };
    (0..LAYERS.len()).map(row).collect()
}

fn checks(runs: &[Run]) -> Vec<Check> {
    let over = |value: &dyn Fn(&Run) -> f64| runs.iter().map(value).collect::<Vec<_>>();
    let hits = |layer: usize, run: &Run| hit_pct(of_run(layer, run));
    let asked = |layer: usize, run: &Run| asked_pct(layer, &run[0], &run[run.len() - 1]);
    let lower = || (1..LAYERS.len()).map(|layer| (layer, format!("{}:", LAYERS[layer].name)));
    let between = [("above 85 %:", 85.0, 1.0), ("below 99 %:", 99.0, -1.0)]
        .map(|(name, bound, sign)| (name.to_owned(), over(&|run| sign * (hits(EVALUATION, run) - bound))));
    vec![
        Check::each_above("RuleEvaluation hits on 85 to 99 % of the decisions", "points", between),
        Check::each_above(
            "every layer below is used for fewer decisions",
            "points",
            lower().map(|(layer, name)| (name, over(&|run| 100.0 - asked(layer, run)))),
        ),
        // A decision whose evaluation is neither missing nor stale uses no other layer, so it suffices that the
        // shares are equal.
        Check::each_above(
            "they are used only if the evaluation is missing or stale",
            "points",
            lower().map(|(layer, name)| (name, over(&|run| stale_pct(run) - asked(layer, run) + ROUNDING))),
        ),
        Check::above(
            "the shared state hits less than half as often as RuleEvaluation",
            "points",
            over(&|run| hits(EVALUATION, run) - 2.0 * hits(SHARED, run)),
        ),
    ]
}

/// Shares of the same decisions differ by less than this.
const ROUNDING: f64 = 1e-9;

fn mean(runs: &[Run], value: impl Fn(&Run) -> f64) -> f64 {
    runs.iter().map(value).sum::<f64>() / runs.len() as f64
}

fn remarks(variant: &Variant, runs: &[Run]) -> Vec<String> {
    let requests = requests(variant, 1);
    let fresh = requests.vm_count() - requests.warm_count();
    let later = 100.0 * (1.0 - f64::from(requests.request_count() - requests.warm_count()) / f64::from(fresh));
    let asked = |layer| mean(runs, |run: &Run| asked_pct(layer, &run[0], &run[run.len() - 1]));
    vec![
        format!(
            "the layers below are used more often than the paper's 0.16 %: BestFit in {:.1} % and the shared state \
            in {:.1} % of the decisions. Here a decision is one VM; {later:.1} % of the VMs are not the first of \
            their request, and each changes a machine that must be reranked for the next",
            asked(1),
            asked(SHARED),
        ),
        "FdEmptyNodes does not depend on the request, so its verdicts are in the shared state here; node resources \
        depend on the VM's size, so they are rule objects"
            .into(),
    ]
}

fn panels(run: &Run) -> Vec<Panel> {
    let lines = |value: &dyn Fn(usize, &CacheCounters, &CacheCounters) -> f64| {
        let line = |layer: usize| run.windows(2).map(|pair| value(layer, &pair[0], &pair[1])).collect();
        LAYERS.iter().enumerate().map(|(layer, it)| (it.short, line(layer))).collect()
    };
    vec![
        chart("Cache hits", "%", lines(&|layer, from, to| hit_pct(between(layer, from, to)))),
        chart("Used, of all decisions", "%", lines(&asked_pct)),
    ]
}
