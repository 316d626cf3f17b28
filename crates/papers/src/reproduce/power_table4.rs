//! Power Table IV: how much lower chassis budgets can be with each way of capping, and what that saves.
//! (Prediction-Based Power Oversubscription, sections III-E and IV-F)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_power::{APPROACHES, Budget, Candidate, Site, Terms};

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, Scale, without_trace};
use super::power_draws::PowerDraws;
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "power-table4";

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

/// Fault domains of a deployment. The paper does not publish how its VMs were spread; the remarks state the effect.
const DOMAINS: u32 = 5;

/// Indexes of approaches in the list.
const FULL_SERVER: usize = 1;
const ALL: [usize; 2] = [2, 3];
const INTERNAL: [usize; 2] = [4, 5];
const NON_PREMIUM: [usize; 2] = [6, 7];

/// The budgets for one seed's history, one per approach.
struct SeedBudgets {
    budgets: Vec<Option<Budget>>,
    readings: f64,
    highest_w: f64,
    /// The draws that 0.1 %, 1 % and 50 % of the readings exceed.
    exceeded_w: [f64; 3],
}

impl SeedBudgets {
    fn of(draws: PowerDraws, seed: u64) -> Result<Self, Failure> {
        let history = draws.history(seed)?;
        let budgets = APPROACHES.iter().map(|approach| approach.budget(&history, &Terms::default()));
        Ok(Self {
            budgets: budgets.collect::<Result<_, _>>()?,
            readings: history.readings() as f64,
            highest_w: history.highest_w(),
            exceeded_w: [0.001, 0.01, 0.5].map(|share| history.exceeded_by(share)),
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
    let draws = scale.pick(
        PowerDraws { chassis: 120, days: 14, domains: DOMAINS },
        PowerDraws { chassis: 1_440, days: 91, domains: DOMAINS },
    );
    let seeds = scale.seeds(4);
    let found = seeds.iter().map(|seed| SeedBudgets::of(draws, *seed)).collect::<Result<Vec<_>, _>>()?;
    let others = [1, 50].map(|domains| SeedBudgets::of(PowerDraws { domains, ..draws }, seeds[0]));
    let [whole, apart] = others;
    let terms = Terms::default();
    let setting = format!(
        "Hourly draws of {} chassis of 12 servers over {} days, generated from the sizes, lifetimes, kinds and \
        utilizations that the paper publishes, with deployments spread over {DOMAINS} fault domains; {:.0} W \
        provisioned for each chassis, {:.0} % buffer, 128 MW at $10/W.",
        draws.chassis,
        draws.days,
        terms.provisioned_w,
        100.0 * terms.buffer,
    );
    let findings = Findings {
        rows: (0..APPROACHES.len()).map(|approach| row(&found, approach)).collect(),
        checks: checks(&found),
        remarks: remarks(&found[0], &whole?, &apart?),
        panels: vec![panel(&found[0])],
    };
    let about = About { name: NAME, source: "Power oversubscription, Table IV", setting, seeds };
    Figure::answer(given, about, findings)
}

fn row(found: &[SeedBudgets], approach: usize) -> Row {
    let measure = |what, decimals, of: &dyn Fn(&SeedBudgets) -> f64| {
        let values: Vec<_> = found.iter().map(of).collect();
        Measure::of(what, decimals, values.into_iter())
    };
    let budget = |what, decimals, of: &dyn Fn(&SeedBudgets, &Budget) -> f64| {
        measure(what, decimals, &|found| found.of_budget(approach, |budget| of(found, budget)))
    };
    let saved = |it: &SeedBudgets| Site::default().saved_dollars(it.delta_pct(approach) / 100.0) / 1e6;
    Row {
        what: APPROACHES[approach].title.into(),
        paper: Some(PAPER[approach]),
        ours: vec![
            measure("reduction, %", 1, &|it| it.delta_pct(approach)),
            measure("saved, $M", 1, &saved),
            budget("lowest, W", 0, &|_, it| it.lowest.budget_w),
            budget("events, %", 2, &|found, it| 100.0 * it.lowest.events as f64 / found.readings),
            budget("user-facing, %", 3, &|found, it| 100.0 * it.lowest.user_facing as f64 / found.readings),
            budget("capping saves, W", 0, &|_, it| it.batch_w + it.user_facing_w),
        ],
    }
}

fn checks(found: &[SeedBudgets]) -> Vec<Check> {
    let pairs = |of: &dyn Fn(&SeedBudgets) -> f64| found.iter().map(of).collect::<Vec<_>>();
    let over = |more: usize, less: usize| pairs(&|it| it.delta_pct(more) - it.delta_pct(less));
    let above = |what, more: usize, less: usize| Check::above(what, "points", over(more, less));
    let approaches = [ALL, INTERNAL, NON_PREMIUM].concat();
    let named = approaches.iter().map(|it| (format!("{}:", APPROACHES[*it].title), over(*it, FULL_SERVER)));
    let gain = |it: &SeedBudgets| it.delta_pct(ALL[1]) / it.delta_pct(FULL_SERVER);
    let bounds = [
        ("above 1.5 times:".to_owned(), pairs(&|it| gain(it) - 1.5)),
        ("below 2.5 times:".into(), pairs(&|it| 2.5 - gain(it))),
    ];
    vec![
        Check::above("full-server capping already lowers the budget", "points", pairs(&|it| it.delta_pct(FULL_SERVER))),
        Check::each_above("every approach with predictions lowers it more", "points", named),
        Check::each_above("predictions for all VMs lower it 1.5 to 2.5 times as much", "times", bounds),
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

fn remarks(found: &SeedBudgets, whole: &SeedBudgets, apart: &SeedBudgets) -> Vec<String> {
    let [thousandth, hundredth, half] = found.exceeded_w;
    let mut remarks = vec![
        format!(
            "the paper publishes neither draws nor provisioned power; ours are at most {:.0} W, above \
            {thousandth:.0} W in one of a thousand readings, above {hundredth:.0} W in one of a hundred, with a \
            median of {half:.0} W; every server's full draw is provisioned, far above all of these, so every \
            approach gains more than in the paper, and they differ less",
            found.highest_w
        ),
        format!(
            "the placement of deployments determines the highest draws: with whole deployments on one chassis, \
            full-server capping gains {:.1} % and predictions gain {:.1} and {:.1} %; with each VM on its own \
            chassis {:.1}, {:.1} and {:.1} % (first seed, all VMs)",
            whole.delta_pct(FULL_SERVER),
            whole.delta_pct(ALL[0]),
            whole.delta_pct(ALL[1]),
            apart.delta_pct(FULL_SERVER),
            apart.delta_pct(ALL[0]),
            apart.delta_pct(ALL[1]),
        ),
        "the shares of internal and premium VMs are not published either: half of the batch cores and nine tenths \
        are assumed"
            .into(),
    ];
    let stops = APPROACHES.iter().zip(&found.budgets).filter_map(|(approach, budget)| {
        let words = budget.as_ref()?.stop.words();
        Some(format!("{}: no lower, because {words}", approach.title))
    });
    remarks.extend(stops);
    remarks
}

/// The effects of ever lower budgets, down to the lowest of all approaches, with the points at which some approaches
/// stop.
fn panel(found: &SeedBudgets) -> Panel {
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
