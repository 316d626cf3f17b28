//! LAVA section 6.2: cores and memory that no VM can use, with lifetime rules and without. (LAVA sections 2.3 and 6.2,
//! appendix F)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_scenario::lifetime_rules::LifetimeRules;

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row};
use super::pools::{
    BASELINE, Cases, MADE_UP, NOBODY_STAYS, PoolOrigin, PoolRuns, RunsByPool, TRACE, Trial, WAYS, Whole, baseline, cut,
    in_cases, oracle, over_all, over_pools, trained, tried,
};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "lava-stranding";

/// The time between two fills, in hours.
const EVERY_H: f64 = 6.0;

/// A fill ends when less than this share of the mix fits, in percent. The paper fills "until capacity is exhausted".
/// If that meant until no VM fits, VMs of one core would use up all cores, and none would be stranded.
const WHILE_PCT: f64 = 50.0;

/// The pools.
static CASES: [PoolOrigin; 3] = [TRACE, NOBODY_STAYS, MADE_UP];

/// The resources, in the order of a run's stranded capacity, with the paper's values for NILAS.
static RESOURCES: [(&str, &str); 2] = [("cores", "-3 (-5.5 to -0.5)"), ("memory", "-2 (-3.8 to -0.2)")];

/// The trials after the baseline: each way with the predictor, then with the oracle.
fn runs() -> impl Iterator<Item = (usize, LifetimeRules, &'static str)> {
    let by = ["predictor", "oracle"].into_iter();
    by.flat_map(|by| WAYS.into_iter().map(move |way| (way, by))).zip(1..).map(|((way, by), at)| (at, way, by))
}

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    let Cases { trace, seeds, found } = in_cases(given, &CASES, |whole| one(whole, given))?;
    let setting = format!(
        "{} pools cut from {trace}, the same without permanent VMs, and {} generated pools, as in Figure 6. {BASELINE} \
        Every {EVERY_H} hours after the warm-up, a copy of the pool is filled with a mix of its VMs while {WHILE_PCT} \
        % of the mix still fits; what remains free is stranded. Percentage points of the pool over the baseline.",
        found[0][0].len(),
        found[2][0].len(),
    );
    let about = About { name: NAME, source: "LAVA, section 6.2", setting, seeds };
    let findings = Findings { rows: rows(&found), checks: checks(&found), remarks: Vec::new(), panels: panels(&found) };
    Figure::answer(given, about, findings)
}

fn one(whole: &Whole, given: &Given) -> Result<Vec<PoolRuns>, Failure> {
    let Whole { workload, pools, seed, .. } = whole;
    let mut baseline = baseline(workload, given)?;
    (baseline.measures.stranding_hours, baseline.measures.fill_while_pct) = (EVERY_H, WHILE_PCT);
    let (model, _) = trained(&baseline.predictor, workload, *seed);
    let (oracle, _) = trained(&oracle(), workload, *seed);
    let mut trials = vec![Trial::new(baseline.clone(), None)];
    for predictions in [&model, &oracle] {
        trials.extend(WAYS.map(|way| Trial::new(way.list(&baseline), predictions)));
    }
    tried(&cut(workload, *pools, *seed), &trials)
}

/// How many more percent of the pool a trial strands than the baseline.
fn over_baseline(pool: &PoolRuns, at: usize, resource: usize) -> f64 {
    pool.seen[at].stranded_pct[resource] - pool.seen[0].stranded_pct[resource]
}

fn rows(found: &[RunsByPool]) -> Vec<Row> {
    let row = |what: String, paper, decimals, value: &dyn Fn(&PoolRuns) -> f64| {
        let cases = CASES.iter().zip(found);
        let over_seeds = |(case, found): (&PoolOrigin, &RunsByPool)| {
            Measure::of(case.name, decimals, found.iter().map(|pools| over_pools(pools, value)))
        };
        Row { what, paper, ours: cases.map(over_seeds).collect() }
    };
    let of_resource = |(resource, (name, paper)): (usize, &(&str, &'static str))| {
        let mut rows = vec![row(format!("{name}: baseline, %"), None, 1, &|pool| pool.seen[0].stranded_pct[resource])];
        rows.extend(runs().map(|(at, way, by)| {
            let paper = (way == LifetimeRules::Nilas && by == "predictor").then_some(*paper);
            row(format!("{name}: {}, {by}", way.name()), paper, 2, &|pool| over_baseline(pool, at, resource))
        }));
        rows
    };
    RESOURCES.iter().enumerate().flat_map(of_resource).collect()
}

fn checks(found: &[RunsByPool]) -> Vec<Check> {
    let less = |what, case: usize, wanted: &str| {
        let (at, ..) =
            runs().find(|(_, way, by)| *way == LifetimeRules::Nilas && *by == wanted).expect("NILAS is tried");
        let saved = RESOURCES.iter().enumerate().map(|(resource, (name, _))| {
            let of_seed = move |pools: &Vec<PoolRuns>| -over_pools(pools, |pool| over_baseline(pool, at, resource));
            (format!("{name}:"), found[case].iter().map(of_seed))
        });
        Check::each_above(what, "points", saved)
    };
    vec![
        less("NILAS with the predictor strands fewer cores and less memory than the baseline", 0, "predictor"),
        less("also with the oracle", 0, "oracle"),
        less("without permanent VMs, with the predictor", 1, "predictor"),
        less("without permanent VMs, with the oracle", 1, "oracle"),
        less("in the generated pools, with the oracle", 2, "oracle"),
    ]
}

fn panels(found: &[RunsByPool]) -> Vec<Panel> {
    const ROLES: [Role; CASES.len()] = [Role::Live, Role::Variant(0), Role::Variant(1)];
    let plot = |(resource, (name, _)): (usize, &(&str, &str))| {
        let line = |found: &RunsByPool| {
            runs().map(|(at, ..)| (at as f64, over_all(found, |pool| over_baseline(pool, at, resource)))).collect()
        };
        let cases = CASES.iter().zip(found).zip(ROLES);
        Panel::Plot(Plot {
            title: format!("Stranded {name} over the baseline"),
            unit: "points".into(),
            across: "LA-Binary, NILAS, LAVA by the predictor, then by the oracle".into(),
            across_is_log: false,
            up_is_log: false,
            series: cases.map(|((case, found), role)| Series::new(case.name, role, Style::Line, line(found))).collect(),
        })
    };
    RESOURCES.iter().enumerate().map(plot).collect()
}
