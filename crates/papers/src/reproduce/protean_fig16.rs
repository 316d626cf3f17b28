//! Protean Figure 16: utilization and packing density when the limit of every cluster is raised by one point and
//! fragmented machines are emptied. (Protean section 6.3, "Adapting to COVID-19 capacity crunch")

use std::sync::Arc;

use tiebreak_chart::{Panel, Role, Series, Style, TimeChart};
use tiebreak_model::{Millis, Time, Workload};
use tiebreak_scenario::Variant;
use tiebreak_sim::incidents::IncidentUse;
use tiebreak_sim::metrics::index_of;
use tiebreak_sim::{METRICS, World};

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, Scale, without_trace};
use super::verdict::Check;
use super::zone::{at_once, machines, plan, requests, workload, zone};
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::scenario::set_fields;
use tiebreak_console::shown::count;

const NAME: &str = "protean-fig16";

/// The initial utilization limit of every cluster, in percent of its cores.
const LIMIT_PCT: f64 = 75.0;

/// By how much it is raised, in points.
const POINTS: f64 = 1.0;

/// Demand relative to what the limit allows, so that the limit binds.
const PRESSURE: f64 = 1.2;

/// Maximum migrations per daily recommendation and 1,000 machines.
const MOVES_PER_1000: u32 = 100;

/// The schedule.
#[derive(Clone, Copy)]
struct Days {
    /// Days until the limit is raised.
    before: u64,
    /// Days after that.
    after: u64,
    /// How many days at the end of each part to compare.
    compared: u64,
}

/// The samples of one metric in one run.
type Samples = Vec<(f64, f64)>;

/// One run: utilization, packing density, and VMs placed and rejected per minute.
struct ThinnedRun {
    utilization: Samples,
    density: Samples,
    placed: Samples,
    rejected: Samples,
    migrations: u64,
}

/// Three runs of the same seed.
struct Trio {
    unchanged: ThinnedRun,
    /// Only the limit is raised.
    limit: ThinnedRun,
    /// The limit is raised and VMs migrate.
    both: ThinnedRun,
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let size = scale.pick(500, 4_000);
    let days = scale.pick(Days { before: 2, after: 2, compared: 1 }, Days { before: 6, after: 4, compared: 2 });
    let variant = variant(size, days, given)?;
    let seeds = scale.seeds(5);
    let trios = at_once(&seeds, |seed| {
        let requests = requests(&variant, *seed);
        let incidents = incidents(days, machines(&variant));
        let one = |incidents| one(&variant, *seed, &requests, incidents);
        Ok(Trio { unchanged: one(&[])?, limit: one(&incidents[..1])?, both: one(&incidents)? })
    })?;
    let setting = format!(
        "A zone of {} machines whose clusters sell {LIMIT_PCT} % of their cores and receive requests for more. \
        After {} days the limit rises by {POINTS} point. Each day until the end, {} days later, up to {} VMs \
        migrate from fragmented machines. Before and after are the last {} of each part.",
        count(machines(&variant).into()),
        days.before,
        days.after,
        moves(machines(&variant)),
        if days.compared == 1 { "day".into() } else { format!("{} days", days.compared) },
    );
    let about = About { name: NAME, source: "Protean (OSDI 2020), Figure 16", setting, seeds };
    let found = MigrationStudy { trios: &trios, days };
    let findings =
        Findings { rows: found.rows(), checks: found.checks(), remarks: found.remarks(), panels: found.panels() };
    Figure::answer(given, about, findings)
}

fn variant(size: u32, days: Days, given: &Given) -> Result<Variant, Failure> {
    let mut variant = zone(size)?;
    let settings = workload(&mut variant);
    settings.days = (days.before + days.after) as f64;
    settings.requests_per_hour *= PRESSURE;
    variant.set("rules.IsClusterBelowLimit.limit", &LIMIT_PCT.to_string())?;
    set_fields(&mut variant, given)?;
    Ok(variant)
}

fn moves(machines: u32) -> u32 {
    (MOVES_PER_1000 * machines).div_ceil(1_000)
}

/// The limit is raised once; migrations are recommended then and daily after that.
fn incidents(days: Days, machines: u32) -> Vec<IncidentUse> {
    let at = |day: u64| Time::ZERO + Millis(day * Millis::DAY.0);
    let moves = vec![f64::from(moves(machines))];
    let migrate = |day| IncidentUse { id: "MigrateRecommended".into(), at: at(day), values: moves.clone() };
    let raise = IncidentUse { id: "RaiseClusterLimit".into(), at: at(days.before), values: vec![POINTS] };
    std::iter::once(raise).chain((days.before..days.before + days.after).map(migrate)).collect()
}

fn one(
    variant: &Variant,
    seed: u64,
    requests: &Arc<Workload>,
    incidents: &[IncidentUse],
) -> Result<ThinnedRun, Failure> {
    let mut world = World::new(plan(variant, seed, requests.clone())?.with_incidents(incidents)?);
    world.run();
    let of = |id: &str| {
        let metric = index_of(id).expect("a metric of the list");
        let times = world.series().times().iter().map(|time| time.0 as f64);
        times.zip(world.series().values(metric).iter().copied()).collect()
    };
    Ok(ThinnedRun {
        utilization: of("CoreUtilization"),
        density: of("PackingDensity"),
        placed: of("Placements"),
        rejected: of("Rejections"),
        migrations: world.summary().counters.migrations,
    })
}

/// The results.
struct MigrationStudy<'a> {
    trios: &'a [Trio],
    days: Days,
}

/// A part of a run.
#[derive(Clone, Copy)]
enum RunPart {
    Before,
    After,
}

impl MigrationStudy<'_> {
    /// The mean of samples over the compared days of a part.
    fn mean(&self, samples: &Samples, part: RunPart) -> f64 {
        let Days { before, after, compared } = self.days;
        let end = match part {
            RunPart::Before => before,
            RunPart::After => before + after,
        };
        let [from, to] = [end - compared, end].map(|day| (day * Millis::DAY.0) as f64);
        let inside = samples.iter().filter(|(time, value)| (from..to).contains(time) && value.is_finite());
        let (sum, count) = inside.fold((0.0, 0.0), |(sum, count), (_, value)| (sum + value, count + 1.0));
        sum / count
    }

    /// VMs placed, in percent of those requested.
    fn fulfilled(&self, run: &ThinnedRun, part: RunPart) -> f64 {
        let (placed, rejected) = (self.mean(&run.placed, part), self.mean(&run.rejected, part));
        100.0 * placed / (placed + rejected)
    }

    fn row(&self, what: &str, paper: &'static str, value: impl Fn(&ThinnedRun, RunPart) -> f64) -> Row {
        let over = |name, of: &dyn Fn(&Trio) -> f64| Measure::of(name, 2, self.trios.iter().map(of));
        Row {
            what: what.into(),
            paper: Some(paper),
            ours: vec![
                over("before", &|trio| value(&trio.both, RunPart::Before)),
                over("after", &|trio| value(&trio.both, RunPart::After)),
                over("limit alone", &|trio| value(&trio.limit, RunPart::After)),
                over("unchanged", &|trio| value(&trio.unchanged, RunPart::After)),
            ],
        }
    }

    fn rows(&self) -> Vec<Row> {
        vec![
            self.row("utilization, %", "a sizeable rise", |run, part| self.mean(&run.utilization, part)),
            self.row("packing density, %", "a significant rise", |run, part| self.mean(&run.density, part)),
            self.row("VMs placed, %", "a slight dip, then higher", |run, part| self.fulfilled(run, part)),
        ]
    }

    /// The final difference between two of the runs, seed by seed.
    fn gains(&self, of: fn(&Trio) -> [&ThinnedRun; 2], value: impl Fn(&ThinnedRun) -> f64) -> Vec<f64> {
        self.trios.iter().map(of).map(|[run, other]| value(run) - value(other)).collect()
    }

    fn checks(&self) -> Vec<Check> {
        let all: fn(&Trio) -> [&ThinnedRun; 2] = |trio| [&trio.both, &trio.unchanged];
        let used = self.gains(all, |run| self.mean(&run.utilization, RunPart::After));
        let dense = self.gains(all, |run| self.mean(&run.density, RunPart::After));
        let moved = self.gains(|trio| [&trio.both, &trio.limit], |run| self.mean(&run.density, RunPart::After));
        let placed = self.gains(all, |run| self.fulfilled(run, RunPart::After));
        vec![
            Check::above(
                "utilization rises by half a point or more",
                "points, above 0.5",
                used.into_iter().map(|gain| gain - 0.5),
            ),
            Check::above("packing density rises", "points", dense),
            Check::above("part of that is due to the migrations", "points", moved),
            Check::above("a larger share of the VMs is placed", "points", placed),
        ]
    }

    fn remarks(&self) -> Vec<String> {
        let moved = self.trios.iter().map(|trio| trio.both.migrations as f64).sum::<f64>() / self.trios.len() as f64;
        vec![
            format!(
                "{} VMs migrated, on average over the seeds; machines of tenants with placement terms are excluded, \
                as Azure moved only its own VMs",
                count(moved as u64)
            ),
            "before and after are different days with different demand; unchanged is the same days without any \
            change"
                .into(),
        ]
    }

    fn panels(&self) -> Vec<Panel> {
        let trio = &self.trios[0];
        let panel = |metric: &str, of: fn(&ThinnedRun) -> &Samples| {
            let metric = &METRICS[index_of(metric).expect("a metric of the list")];
            Panel::Time(TimeChart {
                title: metric.declaration.title.into(),
                unit: metric.unit.into(),
                series: vec![
                    Series::new("unchanged", Role::Ghost, Style::Steps, of(&trio.unchanged).clone()),
                    Series::new("changed", Role::Live, Style::Steps, of(&trio.both).clone()),
                ],
                time_range: (0.0, ((self.days.before + self.days.after) * Millis::DAY.0) as f64),
                y_from_zero: false,
                y_max: Some(100.0),
                moments: Vec::new(),
            })
        };
        vec![panel("CoreUtilization", |run| &run.utilization), panel("PackingDensity", |run| &run.density)]
    }
}
