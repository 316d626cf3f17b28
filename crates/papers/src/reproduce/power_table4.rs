//! Power Table IV: how much lower chassis budgets can be with each way of capping, and what that saves.
//! (Prediction-Based Power Oversubscription, sections III-E and IV-F)
//!
//! The history of draws is what the simulator's own chassis draw in the cluster of Figure 7. A second one is fitted:
//! its highest draws are those that the paper's own numbers imply, so they come out again and are no evidence.

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_power::{APPROACHES, Budget, Candidate, History, Mix, Site, Terms};
use tiebreak_scenario::{Variant, WorkloadRef};
use tiebreak_sim::{CappingKind, World};

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, Scale, without_trace};
use super::verdict::Check;
use super::zone::at_once;
use crate::shares::{ALLOCATED, treated_shares};
use tiebreak_console::answer::Failure;
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::scenario::{preset, set_fields};

const NAME: &str = "power-table4";

/// The option for the power that is provisioned. The paper publishes no draws; its numbers imply the default.
pub(crate) const P99: Opt = Opt {
    name: "p99",
    value: Some("%"),
    help: "power-table4: the draw that 1 % of the readings exceed, in percent of the provisioned power; 80",
};

const PAPER: [&str; APPROACHES.len()] = [
    "0 %, $0",
    "6.2 %, $79.4M",
    "11.0 %, $140.8M",
    "12.1 %, $154.9M",
    "8.4 %, $107.5M",
    "10.3 %, $131.8M",
    "10.6 %, $135.7M",
    "12.1 %, $154.9M",
];

/// Clusters of 60 chassis whose draws make one history: 1,440 chassis, as in the paper.
const CLUSTERS: u64 = 24;

/// Indexes of approaches in the list.
const FULL_SERVER: usize = 1;
const ALL: [usize; 2] = [2, 3];
const INTERNAL: [usize; 2] = [4, 5];
const NON_PREMIUM: [usize; 2] = [6, 7];

/// The fitted history: shares of the readings, and the draw that they exceed, as a share of the provisioned power. The
/// upper three follow from the paper's budgets; the lower ones affect no budget.
const FITTED: [(f64, f64); 5] = [(0.0, 0.87), (0.001, 0.853), (0.01, 0.80), (0.5, 0.65), (1.0, 0.45)];

/// The number of its readings.
const FITTED_READINGS: u32 = 100_000;

/// The utilization of batch cores with which the fitted history gives the paper's numbers; the paper says 44 %.
const FITTED_BATCH_BUSY: f64 = 0.22;

/// The power that 1 % of the readings exceed, as a share of what is provisioned, and the shares of cores.
#[derive(Clone, Copy)]
struct Asked {
    p99: f64,
    terms: Terms,
}

impl Asked {
    fn of(given: &Given) -> Result<Self, Failure> {
        let p99 = given.decimal(P99.name, 1.0..=100.0)?.map_or(0.8, |percent| percent / 100.0);
        let allocated = given.share(ALLOCATED.name)?.unwrap_or(1.0);
        let terms = Terms { treated: treated_shares(given)?, ..Terms::default() };
        Ok(Self { p99, terms: Terms { mix: Mix { allocated, ..terms.mix }, ..terms } })
    }
}

/// The budgets for one history, one per approach.
struct Budgets {
    budgets: Vec<Option<Budget>>,
    readings: f64,
    provisioned_w: f64,
    /// The draws that 0, 0.1, 1 and 50 % of the readings exceed, in percent of the third of them.
    of_p99_pct: [f64; 4],
}

impl Budgets {
    fn of(history: &History, asked: Asked) -> Result<Self, Failure> {
        let p99_w = history.exceeded_by(0.01);
        let terms = Terms { provisioned_w: p99_w / asked.p99, ..asked.terms };
        let budgets = APPROACHES.iter().map(|approach| approach.budget(history, &terms));
        Ok(Self {
            budgets: budgets.collect::<Result<_, _>>()?,
            readings: history.readings() as f64,
            provisioned_w: terms.provisioned_w,
            of_p99_pct: [0.0, 0.001, 0.01, 0.5].map(|share| 100.0 * history.exceeded_by(share) / p99_w),
        })
    }

    fn delta_pct(&self, approach: usize) -> f64 {
        self.of_budget(approach, |budget| 100.0 * budget.delta)
    }

    /// 0 without oversubscription.
    fn of_budget(&self, approach: usize, of: impl Fn(&Budget) -> f64) -> f64 {
        self.budgets[approach].as_ref().map_or(0.0, of)
    }
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let asked = Asked::of(given)?;
    let variant = variant(given, scale)?;
    let seeds = scale.seeds(5);
    let of_seed = |seed: &u64| Budgets::of(&history(&variant, *seed, scale)?, asked);
    let found = seeds.iter().map(of_seed).collect::<Result<Vec<_>, Failure>>()?;
    let mut balanced = variant.clone();
    balanced.set("rules.PowerBalance.on", "true")?;
    let balanced = Budgets::of(&history(&balanced, seeds[0], scale)?, asked)?;
    let fitted = [fitted(asked)?];
    let cluster = &variant.clusters[0].settings;
    let setting = format!(
        "Draws of {} chassis of 12 servers in simulated clusters of {} chassis under Table I's requests for {}, one \
        reading per chassis every five minutes, placed without PowerBalance; 1 % of them exceed {:.0} % of the \
        provisioned power. {:.0} % of the cores count as allocated, {:.0} % of the batch cores as the provider's own \
        and {:.0} % as those and others without a premium; {:.0} % buffer, 128 MW at $10/W.",
        clusters(scale) * u64::from(cluster.racks * cluster.chassis),
        cluster.racks * cluster.chassis,
        scale.pick("2 days", "30 days"),
        100.0 * asked.p99,
        100.0 * asked.terms.mix.allocated,
        100.0 * asked.terms.treated.internal,
        100.0 * asked.terms.treated.non_premium,
        100.0 * asked.terms.buffer,
    );
    let simulated = (0..APPROACHES.len()).map(|approach| row(&found, approach, ""));
    let rows = simulated.chain((FULL_SERVER..APPROACHES.len()).map(|approach| row(&fitted, approach, "fitted: ")));
    let findings = Findings {
        rows: rows.collect(),
        checks: checks(&found),
        remarks: remarks(&found, &balanced, asked),
        panels: vec![panel(&found[0])],
    };
    let about = About { name: NAME, source: "Power oversubscription, Table IV", setting, seeds };
    Figure::answer(given, about, findings)
}

/// The cluster of Figure 7, measured without capping. The paper's draws are of 2018, from before its rule.
fn variant(given: &Given, scale: Scale) -> Result<Variant, Failure> {
    let mut variant = preset("power-month")?.active_variant().clone();
    if scale.is_quick {
        let WorkloadRef::Generated(workload) = &mut variant.workload else { unreachable!("the preset is generated") };
        workload.days = 2.0;
    }
    variant.power.capping = CappingKind::Measured;
    variant.set("rules.PowerBalance.on", "false")?;
    set_fields(&mut variant, given)?;
    Ok(variant)
}

fn clusters(scale: Scale) -> u64 {
    scale.pick(1, CLUSTERS)
}

/// The draws of several clusters, each with its own requests.
fn history(variant: &Variant, seed: u64, scale: Scale) -> Result<History, Failure> {
    let each: Vec<_> = (0..clusters(scale)).map(|cluster| seed * CLUSTERS + cluster).collect();
    let draws = at_once(&each, |seed| {
        let variant = Variant { seed: *seed, ..variant.clone() };
        let workload = variant.generate().expect("the preset is a generated one");
        let mut world = World::new(variant.plan(workload.into())?);
        world.run();
        Ok(world.power_readings().flatten().map(|watts| f64::from(*watts)).collect::<Vec<_>>())
    })?;
    Ok(History::new(draws.concat())?)
}

/// Budgets for the history that the paper's numbers imply.
fn fitted(asked: Asked) -> Result<Budgets, Failure> {
    let provisioned_w = Terms::default().provisioned_w;
    let draw_w = |reading: u32| {
        let share = (f64::from(reading) + 0.5) / f64::from(FITTED_READINGS);
        let at = FITTED.partition_point(|(end, _)| *end < share);
        let [(from, high), (to, low)] = [FITTED[at - 1], FITTED[at]];
        provisioned_w * (high + (low - high) * (share - from) / (to - from))
    };
    let history = History::new((0..FITTED_READINGS).map(draw_w).collect())?;
    let mix = Mix { batch_busy: FITTED_BATCH_BUSY, allocated: 1.0, ..asked.terms.mix };
    Budgets::of(&history, Asked { p99: 0.8, terms: Terms { mix, ..asked.terms } })
}

fn row(found: &[Budgets], approach: usize, way: &str) -> Row {
    let measure = |what, decimals, of: &dyn Fn(&Budgets) -> f64| {
        let values: Vec<_> = found.iter().map(of).collect();
        Measure::of(what, decimals, values.into_iter())
    };
    let budget = |what, decimals, of: &dyn Fn(&Budgets, &Budget) -> f64| {
        measure(what, decimals, &|found| found.of_budget(approach, |budget| of(found, budget)))
    };
    let saved = |it: &Budgets| Site::default().saved_dollars(it.delta_pct(approach) / 100.0) / 1e6;
    Row {
        what: format!("{way}{}", APPROACHES[approach].title),
        paper: Some(PAPER[approach]),
        ours: vec![
            measure("reduction, %", 1, &|it| it.delta_pct(approach)),
            measure("saved, $M", 1, &saved),
            budget("lowest, % of provisioned", 1, &|found, it| 100.0 * it.lowest.budget_w / found.provisioned_w),
            budget("events, %", 2, &|found, it| 100.0 * it.lowest.events as f64 / found.readings),
            budget("user-facing, %", 3, &|found, it| 100.0 * it.lowest.user_facing as f64 / found.readings),
            budget("capping saves, W", 0, &|_, it| it.batch_w + it.user_facing_w),
        ],
    }
}

/// Directions that compare levels are fitted: these follow from the provisioned power, which was chosen. The order of
/// approaches does not.
fn checks(found: &[Budgets]) -> Vec<Check> {
    let pairs = |of: &dyn Fn(&Budgets) -> f64| found.iter().map(of).collect::<Vec<_>>();
    let over = |more: usize, less: usize| pairs(&|it| it.delta_pct(more) - it.delta_pct(less));
    let above = |what, more: usize, less: usize| Check::above(what, "points", over(more, less));
    let approaches = [ALL, INTERNAL, NON_PREMIUM].concat();
    let named = approaches.iter().map(|it| (format!("{}:", APPROACHES[*it].title), over(*it, FULL_SERVER)));
    let gain = |it: &Budgets| it.delta_pct(ALL[1]) / it.delta_pct(FULL_SERVER);
    let bounds = [
        ("above 1.5 times:".to_owned(), pairs(&|it| gain(it) - 1.5)),
        ("below 2.5 times:".into(), pairs(&|it| 2.5 - gain(it))),
    ];
    vec![
        Check::above("full-server capping already lowers the budget", "points", pairs(&|it| it.delta_pct(FULL_SERVER)))
            .fitted(),
        Check::each_above("every approach with predictions lowers it more", "points", named),
        Check::each_above("predictions for all VMs lower it 1.5 to 2.5 times as much", "times", bounds).fitted(),
        above("some impact on user-facing VMs lowers it more than none", ALL[1], ALL[0]),
        above("so it does for internal VMs", INTERNAL[1], INTERNAL[0]),
        above("and without premium ones", NON_PREMIUM[1], NON_PREMIUM[0]),
        above("internal VMs alone lower it less than all VMs", ALL[0], INTERNAL[0]),
        above("all but premium VMs lower it more than internal ones", NON_PREMIUM[0], INTERNAL[0]),
        Check::above(
            "and, with some impact, as much as all VMs, but for a tenth of a point",
            "points, within 0.1",
            pairs(&|it| it.delta_pct(NON_PREMIUM[1]) - it.delta_pct(ALL[1]) + 0.1),
        ),
    ]
}

fn remarks(found: &[Budgets], balanced: &Budgets, asked: Asked) -> Vec<String> {
    let first = &found[0];
    let shape = |[highest, thousandth, _, half]: [f64; 4]| {
        format!("at most {highest:.1} %, one in a thousand above {thousandth:.1} %, and the median is {half:.1} %")
    };
    let [highest, thousandth, hundredth] = [0, 1, 2].map(|at| FITTED[at].1);
    let mut remarks = vec![
        format!(
            "the paper publishes neither draws nor provisioned power; in percent of the draw that one reading in a \
            hundred exceeds, ours are {}; its numbers imply at most {:.1} % and one in a thousand above {:.1} %",
            shape(first.of_p99_pct),
            100.0 * highest / hundredth,
            100.0 * thousandth / hundredth,
        ),
        format!(
            "power is provisioned so that one reading in a hundred exceeds {:.0} % of it, so an approach that the rate of \
            1 % limits gains {:.1} % whatever the draws are",
            100.0 * asked.p99,
            100.0 * (1.0 - asked.p99 * (1.0 + asked.terms.buffer)),
        ),
        format!(
            "the fitted rows are no evidence: their history was chosen so that one reading in a hundred exceeds {:.0} \
            %, one in a thousand {:.1} % and none {:.0} % of the provisioned power, and batch cores are {:.0} % busy \
            in place of the paper's 44 %, because the paper's numbers come out with these",
            100.0 * hundredth,
            100.0 * thousandth,
            100.0 * highest,
            100.0 * FITTED_BATCH_BUSY,
        ),
        format!(
            "placed with PowerBalance and provisioned alike, draws are {}; full-server capping gains {:.1} %, \
            predictions for all VMs gain {:.1} and {:.1} % (first seed)",
            shape(balanced.of_p99_pct),
            balanced.delta_pct(FULL_SERVER),
            balanced.delta_pct(ALL[0]),
            balanced.delta_pct(ALL[1]),
        ),
        "the shares of internal and premium VMs are not published either: --internal and --non-premium change them"
            .into(),
    ];
    let stops = APPROACHES.iter().zip(&first.budgets).filter_map(|(approach, budget)| {
        let words = budget.as_ref()?.stop.words();
        Some(format!("{}: no lower, because {words}", approach.title))
    });
    remarks.extend(stops);
    remarks
}

/// The effects of ever lower budgets, down to the lowest of all approaches, with the points at which some approaches
/// stop.
fn panel(found: &Budgets) -> Panel {
    const STOPS: [(usize, Role); 3] =
        [(FULL_SERVER, Role::Ghost), (INTERNAL[0], Role::Variant(0)), (ALL[0], Role::Variant(1))];
    let share_pct = |it: &Candidate| 100.0 * it.events as f64 / found.readings;
    let lowest =
        found.budgets.iter().flatten().min_by(|one, other| one.lowest.budget_w.total_cmp(&other.lowest.budget_w));
    let walked = lowest.map_or(&[][..], |budget| &budget.walked);
    let curve = walked.iter().map(|it| (it.budget_w, share_pct(it))).rev().collect();
    let mut series = vec![Series::new("events", Role::Live, Style::Steps, curve)];
    for (approach, role) in STOPS {
        let stop = found.budgets[approach].as_ref().map(|budget| budget.lowest);
        let line = stop.map_or(Vec::new(), |it| vec![(it.budget_w, 0.0), (it.budget_w, share_pct(&it).max(0.1))]);
        series.push(Series::new(APPROACHES[approach].id, role, Style::Line, line));
    }
    Panel::Plot(Plot {
        title: "Events by budget, and where approaches stop".into(),
        unit: "% of readings".into(),
        across: "W, the budget".into(),
        across_is_log: false,
        up_is_log: false,
        series,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fit is what it claims to be: it gives the paper's numbers.
    #[test]
    fn the_fitted_history_gives_the_papers_numbers() {
        let found = fitted(Asked { p99: 0.8, terms: Terms::default() }).expect("sound terms");
        for (approach, one) in APPROACHES.iter().enumerate() {
            let (ours, paper) = (found.delta_pct(approach), one.paper_delta_pct);
            assert!((ours - paper).abs() < 0.8, "{}: {ours:.2} in place of {paper}", one.id);
        }
    }
}
