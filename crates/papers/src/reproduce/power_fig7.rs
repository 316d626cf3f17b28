//! Power oversubscription Figure 7: the effect of balancing power on failures, empty servers and balance, by alpha
//! and by predictor. (Power oversubscription, section IV-E, row W6)
//!
//! The paper weights its rules and gives no weights. So there are two figures: rules in strict order, with
//! PowerBalance last, and all preferences with a weight of 1.

use std::sync::Arc;

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::Workload;
use tiebreak_scenario::lifetime_rules::put_above;
use tiebreak_scenario::{Variant, WorkloadRef};
use tiebreak_sim::{CappingKind, LoadLabels, LoadPredictor, Plan, World};

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, Scale, without_trace};
use super::verdict::Check;
use super::zone::at_once;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::scenario::{preset, set_fields};

/// How preferences decide together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Strict,
    Weighted,
}

const SEEDS: usize = 5;

/// Requests per hour: about nine tenths of the cores are in use, so that some requests find no room.
const REQUESTS_PER_HOUR: f64 = 5.6;

/// The small size has a fifth of the racks.
const QUICK_RACKS: u32 = 4;

/// The alphas, and the names of their columns after that of the existing scheduler.
const ALPHAS: [(f64, &str); 6] = [(0.0, "alpha 0"), (0.2, "0.2"), (0.4, "0.4"), (0.6, "0.6"), (0.8, "0.8"), (1.0, "1")];
const BEST: usize = 4;

const NO_RULE: &str = "no rule";

/// The predictors, in the figure's order, and what forests learn from.
const WAYS: [(LoadPredictor, LoadLabels, &str); 4] = [
    (LoadPredictor::Forests, LoadLabels::Truth, "predictions"),
    (LoadPredictor::Oracle, LoadLabels::Truth, "oracle"),
    (LoadPredictor::CriticalityOnly, LoadLabels::Truth, "criticality only"),
    (LoadPredictor::Forests, LoadLabels::Templates, "predictions, labels of templates"),
];
const FORESTS: usize = 0;
const ORACLE: usize = 1;
const CRITICALITY: usize = 2;
const TEMPLATES: usize = 3;

/// Hours after which forests have learned from templates, which classify no VM before its fifth weekday has passed.
const TEMPLATES_LEARN_HOURS: f64 = 240.0;

/// The measures: name and decimals.
const MEASURES: [(&str, usize); 4] =
    [("failures, % of VMs", 2), ("empty servers, %", 2), ("over chassis, %", 2), ("over servers, %", 2)];
const FAILED: usize = 0;
const EMPTY: usize = 1;
const CHASSIS: usize = 2;
const SERVERS: usize = 3;

/// Other positions of the rule in the policy: just above which rule, with how many buckets.
const PLACES: [(&str, Option<u32>); 3] =
    [("PreferNonEmptyMachines", Some(10)), ("BestFit", Some(20)), ("BestFit", Some(10))];

/// The measures of one run.
type Seen = [f64; MEASURES.len()];

/// The runs of one seed.
struct SeedRuns {
    no_rule: Seen,
    /// By way and alpha.
    with_rule: [[Seen; ALPHAS.len()]; WAYS.len()],
    /// With predictions and the best alpha, at other positions; empty in the small size.
    places: Vec<Seen>,
}

pub(super) fn strict(given: &Given) -> Result<Exhibit, Failure> {
    run(given, "power-fig7", Mode::Strict)
}

pub(super) fn weighted(given: &Given) -> Result<Exhibit, Failure> {
    run(given, "power-fig7-weights", Mode::Weighted)
}

fn run(given: &Given, name: &'static str, mode: Mode) -> Result<Exhibit, Failure> {
    without_trace(given, name)?;
    let scale = Scale::of(given)?;
    let variant = variant(given, scale, mode)?;
    let seeds = scale.seeds(SEEDS);
    let with_places = mode == Mode::Strict && !scale.is_quick;
    let tried = at_once(&seeds, |seed| one(&variant, *seed, with_places))?;
    let cluster = &variant.clusters[0].settings;
    let setting = format!(
        "{} servers in {} chassis under Table I's requests for {}. Failures are VMs of refused requests; deviations \
        are those of the mean scores, computed from real utilization. {} Means over seeds.",
        cluster.machines,
        cluster.racks * cluster.chassis,
        scale.pick("5 days", "30 days"),
        match mode {
            Mode::Strict => "PowerBalance breaks the ties that the default list leaves.",
            Mode::Weighted => "All preferences of the default list and PowerBalance have a weight of 1.",
        },
    );
    let about = About { name, source: "Power oversubscription, Figure 7", setting, seeds };
    let findings = Findings {
        rows: (0..MEASURES.len()).flat_map(|measure| rows(measure, &tried)).collect(),
        checks: checks(&tried),
        remarks: remarks(&tried, mode),
        panels: (0..MEASURES.len()).map(|measure| panel(measure, &tried)).collect(),
    };
    Figure::answer(given, about, findings)
}

/// The preset's cluster, nearly full, without capping, which does not affect placement.
fn variant(given: &Given, scale: Scale, mode: Mode) -> Result<Variant, Failure> {
    let mut variant = preset("power-month")?.active_variant().clone();
    let cluster = &mut variant.clusters[0].settings;
    let WorkloadRef::Generated(workload) = &mut variant.workload else { unreachable!("the preset is a generated one") };
    workload.requests_per_hour = REQUESTS_PER_HOUR;
    if scale.is_quick {
        workload.requests_per_hour *= f64::from(QUICK_RACKS) / f64::from(cluster.racks);
        workload.days = 5.0;
        cluster.machines = cluster.machines / cluster.racks * QUICK_RACKS;
        cluster.racks = QUICK_RACKS;
        (variant.power.trees, variant.power.learn_hours) = (12, 24.0);
    }
    variant.power.capping = CappingKind::Measured;
    variant.hand_weights = mode == Mode::Weighted;
    set_fields(&mut variant, given)?;
    Ok(variant)
}

/// All runs of one seed; each predictor learns once.
fn one(variant: &Variant, seed: u64, with_places: bool) -> Result<SeedRuns, Failure> {
    let variant = Variant { seed, ..variant.clone() };
    let workload = Arc::new(variant.generate().expect("the preset is a generated one"));
    let mut without = variant.clone();
    without.set("rules.PowerBalance.on", "false")?;
    let no_rule = seen(without.untrained_plan(workload.clone())?);
    let (mut with_rule, mut places) = ([[Seen::default(); ALPHAS.len()]; WAYS.len()], Vec::new());
    for ((predictor, labels, _), seen_of_way) in WAYS.iter().zip(&mut with_rule) {
        let mut variant = variant.clone();
        (variant.power.foretelling, variant.power.labels) = (*predictor, *labels);
        if *labels == LoadLabels::Templates {
            variant.power.learn_hours = variant.power.learn_hours.max(TEMPLATES_LEARN_HOURS);
        }
        let plan = variant.untrained_plan(workload.clone())?;
        let loads = variant.predict_loads(&plan).expect("the rule asks for it").finish().loads;
        let run = |variant: &Variant| Ok::<_, Failure>(seen(planned(variant, &workload)?.with_loads(&loads)));
        for ((alpha, _), seen) in ALPHAS.iter().zip(seen_of_way) {
            variant.set("rules.PowerBalance.alpha", &alpha.to_string())?;
            *seen = run(&variant)?;
        }
        if with_places && (*predictor, *labels) == (WAYS[FORESTS].0, WAYS[FORESTS].1) {
            variant.set("rules.PowerBalance.alpha", &ALPHAS[BEST].0.to_string())?;
            for place in PLACES {
                places.push(run(&placed(&variant, place))?);
            }
        }
    }
    Ok(SeedRuns { no_rule, with_rule, places })
}

fn planned(variant: &Variant, workload: &Arc<Workload>) -> Result<Plan, Failure> {
    Ok(variant.untrained_plan(workload.clone())?)
}

fn placed(variant: &Variant, (above, buckets): (&str, Option<u32>)) -> Variant {
    let mut variant = variant.clone();
    put_above(&mut variant, "PowerBalance", above);
    variant.rules.iter_mut().filter(|row| row.id == "PowerBalance").for_each(|row| row.buckets = buckets);
    variant
}

fn seen(plan: Plan) -> Seen {
    let mut world = World::new(plan);
    world.run();
    let summary = world.summary();
    let [chassis, servers] = summary.power.as_ref().expect("draws are measured").deviations;
    let vms = (summary.placements + summary.rejections).max(1) as f64;
    let failed = 100.0 * summary.rejections as f64 / vms;
    [failed, summary.empty_hosts_pct_mean, 100.0 * chassis, 100.0 * servers]
}

fn mean(tried: &[SeedRuns], of: impl Fn(&SeedRuns) -> f64) -> f64 {
    tried.iter().map(of).sum::<f64>() / tried.len() as f64
}

fn no_rule(tried: &[SeedRuns], measure: usize) -> f64 {
    mean(tried, |tried| tried.no_rule[measure])
}

fn with_rule(tried: &[SeedRuns], measure: usize, way: usize) -> [f64; ALPHAS.len()] {
    core::array::from_fn(|alpha| mean(tried, |tried| tried.with_rule[way][alpha][measure]))
}

/// One row per predictor; all begin with the existing scheduler.
fn rows(measure: usize, tried: &[SeedRuns]) -> impl Iterator<Item = Row> {
    let (what, decimals) = MEASURES[measure];
    WAYS.iter().enumerate().map(move |(way, (.., name))| {
        let values = with_rule(tried, measure, way);
        let columns = ALPHAS.iter().zip(values).map(|((_, column), value)| (*column, value));
        let all = std::iter::once((NO_RULE, no_rule(tried, measure))).chain(columns);
        let ours = all.map(|(column, value)| Measure::of(column, decimals, std::iter::once(value))).collect();
        Row { what: format!("{what}, {name}"), paper: None, ours }
    })
}

/// The margin for "slightly" fewer empty servers.
const SLIGHTLY_POINTS: f64 = 3.0;

/// "Only slightly better": the ratio of the smaller to the larger.
const SLIGHTLY: f64 = 0.8;

/// "Much worse".
const MUCH: f64 = 1.25;

fn checks(tried: &[SeedRuns]) -> Vec<Check> {
    let each = |of: &dyn Fn(&SeedRuns) -> f64| tried.iter().map(of).collect::<Vec<_>>();
    // For a range of alphas: the runs with the rule and predictions compared with those without the rule.
    let alphas = |range: core::ops::Range<usize>, measure: usize, of: fn(f64, f64) -> f64| {
        range.map(move |alpha| {
            let pairs = tried.iter().map(move |it| of(it.with_rule[FORESTS][alpha][measure], it.no_rule[measure]));
            (format!("alpha {}:", ALPHAS[alpha].0), pairs)
        })
    };
    let all = || 0..ALPHAS.len();
    let last = ALPHAS.len() - 1;
    let at = |way: usize, alpha: usize, measure: usize| move |it: &SeedRuns| it.with_rule[way][alpha][measure];
    let to_others = |alpha: usize, others: core::ops::Range<usize>, measure: usize, of: fn(f64, f64) -> f64| {
        others.map(move |other| {
            let (one, other_of) = (at(FORESTS, alpha, measure), at(FORESTS, other, measure));
            (format!("alpha {}:", ALPHAS[other].0), tried.iter().map(move |it| of(one(it), other_of(it))))
        })
    };
    let balanced = [("chassis:", CHASSIS), ("servers:", SERVERS)]
        .map(|(name, measure)| (name.to_owned(), each(&|it| it.no_rule[measure] - at(FORESTS, BEST, measure)(it))));
    let slightly = |what, measure: usize| {
        let (model, oracle) = (at(FORESTS, BEST, measure), at(ORACLE, BEST, measure));
        let [no_worse, near] = [each(&|it| model(it) - oracle(it)), each(&|it| oracle(it) - SLIGHTLY * model(it))];
        Check::each_above(what, "points", [("better:".to_owned(), no_worse), ("by less than a fifth:".into(), near)])
    };
    let without_utilization = |what, measure: usize| {
        let over_alphas = |it: &SeedRuns, way: usize| all().map(|alpha| at(way, alpha, measure)(it)).sum::<f64>();
        let worse = each(&|it| (over_alphas(it, CRITICALITY) - over_alphas(it, FORESTS)) / ALPHAS.len() as f64);
        Check::above(what, "points", worse)
    };
    vec![
        Check::each_above(
            "with a high alpha no more requests fail than without the rule",
            "points",
            alphas(3..ALPHAS.len(), FAILED, |with, without| without - with),
        ),
        Check::each_above(
            "at most slightly fewer servers are empty, by 3 points",
            "points, within 3",
            alphas(all(), EMPTY, |with, without| with - without + SLIGHTLY_POINTS),
        ),
        Check::each_above(
            "but some fewer, regardless of alpha",
            "points",
            alphas(all(), EMPTY, |with, without| without - with),
        ),
        Check::each_above(
            "with alpha 0.8 chassis and servers are better balanced than without the rule",
            "points",
            balanced,
        ),
        Check::each_above(
            "alpha 0 balances chassis much worse than any other: by a quarter",
            "points, above a quarter",
            to_others(0, 1..ALPHAS.len(), CHASSIS, |first, other| first - MUCH * other),
        ),
        Check::above(
            "alpha 1 balances servers as badly as no rule, but for a fifth",
            "points, above four fifths",
            each(&|it| at(FORESTS, last, SERVERS)(it) - SLIGHTLY * it.no_rule[SERVERS]),
        ),
        Check::each_above(
            "every other alpha balances servers better than alpha 1",
            "points",
            to_others(last, 0..last, SERVERS, |last, other| last - other),
        ),
        slightly("an oracle balances chassis only slightly better than predictions", CHASSIS),
        slightly("an oracle balances servers only slightly better than predictions", SERVERS),
        without_utilization("without utilization chassis are balanced worse, on average over alphas", CHASSIS),
        without_utilization("without utilization servers are balanced worse, on average over alphas", SERVERS),
        Check::each_above(
            "forests that learn from templates still balance chassis and servers better than no rule, at alpha 0.8",
            "points",
            [("chassis:", CHASSIS), ("servers:", SERVERS)].map(|(name, measure)| {
                (name.to_owned(), each(&|it| it.no_rule[measure] - at(TEMPLATES, BEST, measure)(it)))
            }),
        ),
    ]
}

fn remarks(tried: &[SeedRuns], mode: Mode) -> Vec<String> {
    let at = |place: usize| {
        let (above, buckets) = PLACES[place];
        let [failed, empty, chassis, servers] =
            core::array::from_fn(|measure| mean(tried, |tried| tried.places[place][measure]));
        format!(
            "above {above} with {} buckets, predictions and alpha 0.8: {failed:.2} % fail, {empty:.2} % of servers are empty, \
             deviations {chassis:.2} over chassis and {servers:.2} over servers",
            buckets.unwrap_or(0),
        )
    };
    let mut remarks: Vec<String> = (0..tried[0].places.len()).map(at).collect();
    remarks.push(match mode {
        Mode::Strict => {
            "the paper weights its rules but gives no weights; its policy uses a few more servers. Below the \
            packing rules of a strict list, the rule chooses only among the machines that they leave, which costs \
            neither capacity nor empty servers; power-fig7-weights has the same with weights"
                .into()
        }
        Mode::Weighted => {
            "the paper gives no weights; here all are 1, and of two machines the one that wins more rules \
            is better"
                .into()
        }
    });
    remarks.push(
        "the paper's forests were trained in advance on all of Azure; ours learn from the first days of one \
        cluster, and VMs that arrive in these days have no predictions. The predicted utilization is the upper end \
        of a bucket"
            .into(),
    );
    remarks.push(format!(
        "forests that learn from templates, as the paper's do, learn after {TEMPLATES_LEARN_HOURS} hours, because a label \
        takes five weekdays; the others learn from true labels",
    ));
    remarks
}

fn panel(measure: usize, tried: &[SeedRuns]) -> Panel {
    const ROLES: [Role; WAYS.len()] = [Role::Variant(0), Role::Variant(1), Role::Variant(2), Role::Ghost];
    let points =
        |values: [f64; ALPHAS.len()]| ALPHAS.iter().zip(values).map(|((alpha, _), value)| (*alpha, value)).collect();
    let line = |name: &str, role, values| Series::new(name, role, Style::Line, points(values));
    let mut series = vec![line(NO_RULE, Role::Live, [no_rule(tried, measure); ALPHAS.len()])];
    series.extend(
        WAYS.iter()
            .zip(ROLES)
            .enumerate()
            .map(|(way, ((.., name), role))| line(name, role, with_rule(tried, measure, way))),
    );
    let title = ["Failures", "Empty servers", "Deviation of chassis scores", "Deviation of server scores"][measure];
    Panel::Plot(Plot {
        title: title.into(),
        unit: "%".into(),
        across: "alpha".into(),
        across_is_log: false,
        up_is_log: false,
        series,
    })
}
