//! Power oversubscription Figure 7: what balancing power does to failures, empty servers and balance, by
//! alpha and by who predicts. (Power oversubscription, section IV-E, row W6)

use std::sync::Arc;

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::Workload;
use tiebreak_scenario::{Variant, WorkloadRef};
use tiebreak_sim::{CappingKind, LoadPredictor, Plan, World};

use super::Check;
use super::figure::{About, Figure, Findings, Measure, Row, Scale, without_trace};
use super::pools::put_above;
use super::zone::at_once;
use tiebreak_console::answer::Answer;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::scenario::{preset, set_fields};

const NAME: &str = "power-fig7";

const SEEDS: u64 = 5;

/// Requests an hour: about nine tenths of the cores are in use, so that some requests find no room.
const REQUESTS_PER_HOUR: f64 = 5.6;

/// The small size has a fifth of the racks.
const QUICK_RACKS: u32 = 4;

/// The alphas, and the names of their columns behind that of the existing scheduler.
const ALPHAS: [(f64, &str); 6] = [(0.0, "alpha 0"), (0.2, "0.2"), (0.4, "0.4"), (0.6, "0.6"), (0.8, "0.8"), (1.0, "1")];
const BEST: usize = 4;

const NO_RULE: &str = "no rule";

/// Who predicts, in the figure's order.
const WAYS: [(LoadPredictor, &str); 3] = [
    (LoadPredictor::Forests, "predictions"),
    (LoadPredictor::Oracle, "oracle"),
    (LoadPredictor::CriticalityOnly, "criticality only"),
];
const FORESTS: usize = 0;
const ORACLE: usize = 1;
const CRITICALITY: usize = 2;

/// What is measured: name and decimals.
const MEASURES: [(&str, usize); 4] =
    [("failures, % of VMs", 2), ("empty servers, %", 2), ("over chassis, %", 2), ("over servers, %", 2)];
const FAILED: usize = 0;
const EMPTY: usize = 1;
const CHASSIS: usize = 2;
const SERVERS: usize = 3;

/// Other places of the rule in the list: above which rule, with how many buckets.
const PLACES: [(&str, Option<u32>); 3] =
    [("PreferNonEmptyMachines", Some(10)), ("BestFit", Some(20)), ("BestFit", Some(10))];

/// The measures of one run.
type Seen = [f64; MEASURES.len()];

/// The runs of one seed.
struct SeedRuns {
    no_rule: Seen,
    /// By way and alpha.
    with_rule: [[Seen; ALPHAS.len()]; WAYS.len()],
    /// With predictions and the best alpha, at other places; none in the small size.
    places: Vec<Seen>,
}

pub(super) fn run(given: &Given) -> Result<Answer, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given);
    let variant = variant(given, scale)?;
    let seeds = scale.seeds(SEEDS);
    let tried = at_once(&seeds, |seed| one(&variant, *seed, scale))?;
    let cluster = &variant.clusters[0].settings;
    let setting = format!(
        "{} servers in {} chassis under Table I's requests for {}. Failures are VMs of refused requests; deviations \
        are those of the mean scores, computed from real utilization. PowerBalance breaks the ties that the default \
        list leaves. Means over seeds.",
        cluster.machines,
        cluster.racks * cluster.chassis,
        scale.pick("5 days", "30 days"),
    );
    let about = About { name: NAME, source: "Power oversubscription, Figure 7", setting, seeds };
    let findings = Findings {
        rows: (0..MEASURES.len()).flat_map(|measure| rows(measure, &tried)).collect(),
        checks: checks(&tried),
        remarks: remarks(&tried),
        panels: (0..MEASURES.len()).map(|measure| panel(measure, &tried)).collect(),
    };
    Figure::answer(given, about, findings)
}

/// The preset's cluster, nearly full, without capping: where VMs stand does not depend on it.
fn variant(given: &Given, scale: Scale) -> Result<Variant, Failure> {
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
    set_fields(&mut variant, given)?;
    Ok(variant)
}

/// Everything of one seed: each way learns once.
fn one(variant: &Variant, seed: u64, scale: Scale) -> Result<SeedRuns, Failure> {
    let variant = Variant { seed, ..variant.clone() };
    let workload = Arc::new(variant.generate().expect("the preset is a generated one"));
    let mut without = variant.clone();
    without.set("rules.PowerBalance.on", "false")?;
    let no_rule = seen(without.untrained_plan(workload.clone())?);
    let (mut with_rule, mut places) = ([[Seen::default(); ALPHAS.len()]; WAYS.len()], Vec::new());
    for ((predictor, _), seen_of_way) in WAYS.iter().zip(&mut with_rule) {
        let mut variant = variant.clone();
        variant.power.foretelling = *predictor;
        let plan = variant.untrained_plan(workload.clone())?;
        let loads = variant.predict_loads(&plan).expect("the rule asks for it").finish().loads;
        let run = |variant: &Variant| Ok::<_, Failure>(seen(planned(variant, &workload)?.with_loads(&loads)));
        for ((alpha, _), seen) in ALPHAS.iter().zip(seen_of_way) {
            variant.set("rules.PowerBalance.alpha", &alpha.to_string())?;
            *seen = run(&variant)?;
        }
        if *predictor == LoadPredictor::Forests && !scale.is_quick {
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

/// A line for each way, the existing scheduler first in all of them.
fn rows(measure: usize, tried: &[SeedRuns]) -> impl Iterator<Item = Row> {
    let (what, decimals) = MEASURES[measure];
    WAYS.iter().enumerate().map(move |(way, (_, name))| {
        let values = with_rule(tried, measure, way);
        let columns = ALPHAS.iter().zip(values).map(|((_, column), value)| (*column, value));
        let all = std::iter::once((NO_RULE, no_rule(tried, measure))).chain(columns);
        let ours = all.map(|(column, value)| Measure::of(column, decimals, std::iter::once(value))).collect();
        Row { what: format!("{what}, {name}"), paper: None, ours }
    })
}

/// A tenth of a point is no more than another draw among ties does.
const SAME_POINTS: f64 = 0.1;

/// Empty servers that are "slightly" fewer.
const SLIGHTLY_POINTS: f64 = 3.0;

/// "Only slightly better": as shares of one another.
const SLIGHTLY: f64 = 0.8;

/// "Much worse".
const MUCH: f64 = 1.25;

fn checks(tried: &[SeedRuns]) -> Vec<Check> {
    let plain = |measure| no_rule(tried, measure);
    let of = |measure, way| with_rule(tried, measure, way);
    let [failed, empty, chassis, servers] = [FAILED, EMPTY, CHASSIS, SERVERS].map(|measure| of(measure, FORESTS));
    let larger = |of: &[f64]| of.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smaller = |of: &[f64]| of.iter().copied().fold(f64::INFINITY, f64::min);
    let balanced = [chassis[BEST] < plain(CHASSIS), servers[BEST] < plain(SERVERS)];
    let worse = |measure| {
        let pairs = of(measure, CRITICALITY).into_iter().zip(of(measure, FORESTS));
        pairs.filter(|(without, with)| without > with).count()
    };
    vec![
        Check::so(
            "with a high alpha no more requests fail than without the rule",
            larger(&failed[3..]) <= plain(FAILED) + SAME_POINTS,
            || format!("{:.2} % against {:.2} %", larger(&failed[3..]), plain(FAILED)),
        ),
        Check::so("at most a few fewer servers are empty", smaller(&empty) >= plain(EMPTY) - SLIGHTLY_POINTS, || {
            format!("{:.2} % against {:.2} %", smaller(&empty), plain(EMPTY))
        }),
        Check::so("but some less, regardless of alpha", larger(&empty) < plain(EMPTY), || {
            format!("{:.2} to {:.2} % against {:.2} %", smaller(&empty), larger(&empty), plain(EMPTY))
        }),
        Check::so(
            "with alpha 0.8 chassis and servers are better balanced than without the rule",
            balanced == [true; 2],
            || {
                format!(
                    "chassis {:.2} against {:.2}, servers {:.2} against {:.2}",
                    chassis[BEST],
                    plain(CHASSIS),
                    servers[BEST],
                    plain(SERVERS)
                )
            },
        ),
        Check::so(
            "alpha 0 balances chassis much worse than any other",
            chassis[0] > MUCH * larger(&chassis[1..]),
            || format!("{:.2} against {:.2} to {:.2}", chassis[0], smaller(&chassis[1..]), larger(&chassis[1..])),
        ),
        Check::so("alpha 1 balances servers as badly as no rule", servers[5] >= SLIGHTLY * plain(SERVERS), || {
            format!("{:.2} against {:.2}", servers[5], plain(SERVERS))
        }),
        Check::so("every other alpha balances servers better than alpha 1", larger(&servers[..5]) < servers[5], || {
            format!("{:.2} to {:.2} against {:.2}", smaller(&servers[..5]), larger(&servers[..5]), servers[5])
        }),
        slightly(
            "an oracle balances chassis only slightly better than predictions",
            chassis[BEST],
            of(CHASSIS, ORACLE)[BEST],
        ),
        slightly(
            "an oracle balances servers only slightly better than predictions",
            servers[BEST],
            of(SERVERS, ORACLE)[BEST],
        ),
        Check::so("without utilization chassis are balanced worse, for most alphas", worse(CHASSIS) > 3, || {
            format!("for {} of {}", worse(CHASSIS), ALPHAS.len())
        }),
        Check::so("without utilization servers are balanced worse, for most alphas", worse(SERVERS) > 3, || {
            format!("for {} of {}", worse(SERVERS), ALPHAS.len())
        }),
    ]
}

fn slightly(what: &'static str, predicted: f64, oracle: f64) -> Check {
    let holds = oracle <= predicted && oracle >= SLIGHTLY * predicted;
    Check::so(what, holds, || format!("{oracle:.2} against {predicted:.2} with alpha 0.8"))
}

fn remarks(tried: &[SeedRuns]) -> Vec<String> {
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
    remarks.push(
        "the paper weights its rules but gives no weights; its policy uses a few more servers. Below the packing \
        rules of a strict list, the rule chooses only among the machines that they leave, which costs neither \
        capacity nor empty servers"
            .into(),
    );
    remarks.push(
        "the paper's forests were trained in advance on all of Azure; ours learn from the first days of one \
        cluster, and VMs that arrive in these days have no predictions. The predicted utilization is the upper end \
        of a bucket"
            .into(),
    );
    remarks
}

fn panel(measure: usize, tried: &[SeedRuns]) -> Panel {
    const ROLES: [Role; WAYS.len()] = [Role::Variant(0), Role::Variant(1), Role::Variant(2)];
    let points =
        |values: [f64; ALPHAS.len()]| ALPHAS.iter().zip(values).map(|((alpha, _), value)| (*alpha, value)).collect();
    let line = |name: &str, role, values| Series::new(name, role, Style::Line, points(values));
    let mut series = vec![line(NO_RULE, Role::Live, [no_rule(tried, measure); ALPHAS.len()])];
    series.extend(
        WAYS.iter()
            .zip(ROLES)
            .enumerate()
            .map(|(way, ((_, name), role))| line(name, role, with_rule(tried, measure, way))),
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
