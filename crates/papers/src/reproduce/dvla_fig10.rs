//! DVLA Figure 10: what each part of DVLA is worth in density, with an oracle. (DVLA, OSDI 2026)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_scenario::lifetime_rules::LifetimeRules;

use super::Exhibit;
use super::dvla::{Cluster, Found, PD, PD_L, Setting, Tried, clusters, in_clusters, pairs};
use super::figure::{About, Figure, Findings, Measure, Row, without_trace};
use super::pools::{AfterWarmUp, oracle, trained};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "dvla-fig10";

/// A part of DVLA that a run goes without.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Groups,
    Migrations,
    DailyUpdate,
    EventUpdates,
}

static PARTS: [(Part, &str, &str); 4] = [
    (Part::Groups, "without dynamic groups", "-0.34"),
    (Part::Migrations, "without migrations", "-0.31"),
    (Part::DailyUpdate, "without the daily update", "-0.21"),
    (Part::EventUpdates, "without event updates", "-0.14"),
];

const BASELINE: usize = 0;
const WHOLE: usize = 1;

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let (seeds, found) = in_clusters(given, one)?;
    let setting =
        format!("{} Here all lists have the oracle. Percentage points over DVLA as a whole.", clusters(given)?);
    let about = About { name: NAME, source: "DVLA, Figure 10", setting, seeds };
    let findings = Findings { rows: rows(&found), checks: checks(&found), remarks: Vec::new(), panels: panels(&found) };
    Figure::answer(given, about, findings)
}

fn one(setting: &Setting) -> Result<Vec<AfterWarmUp>, Failure> {
    let known = [trained(&oracle(), setting.workload(), setting.seed).0];
    let without = |part: Option<Part>| {
        let mut list = LifetimeRules::Dvla.list(&setting.baseline);
        match part {
            Some(Part::Groups) => list.affinity.dynamic_groups = false,
            Some(Part::DailyUpdate) => list.affinity.daily_update = false,
            Some(Part::EventUpdates) => list.affinity.event_updates = false,
            Some(Part::Migrations) | None => {}
        }
        Tried { list, migrates: part != Some(Part::Migrations), by: 0 }
    };
    let mut tries = vec![without(None)];
    tries.extend(PARTS.iter().map(|(part, ..)| without(Some(*part))));
    setting.run(&tries, &known)
}

fn rows(found: &Found) -> Vec<Row> {
    let row = |what: &str, paper, run: usize, other: usize| {
        let mut ours = vec![Measure::of("PD", 2, pairs(found, PD, [run, other]))];
        ours.extend(Cluster::ALL.iter().enumerate().map(|(at, cluster)| {
            let gain = move |clusters: &Vec<Vec<AfterWarmUp>>| PD(&clusters[at][run]) - PD(&clusters[at][other]);
            Measure::of(cluster.name(), 2, found.iter().map(gain))
        }));
        ours.push(Measure::of("PD_L", 2, pairs(found, PD_L, [run, other])));
        Row { what: what.into(), paper, ours }
    };
    let mut rows = vec![row("DVLA over the baseline", Some("+1.66"), WHOLE, BASELINE)];
    let parts = PARTS.iter().zip(WHOLE + 1..);
    rows.extend(parts.map(|((_, name, paper), run)| row(name, Some(paper), run, WHOLE)));
    rows
}

fn checks(found: &Found) -> Vec<Check> {
    static WHAT: [&str; PARTS.len()] = [
        "dynamic groups add to the density",
        "so do migrations",
        "so does the daily update of classes",
        "so do updates on events",
    ];
    let check = |(what, run)| Check::above(what, "points", pairs(found, PD, [WHOLE, run]));
    WHAT.into_iter().zip(WHOLE + 1..).map(check).collect()
}

fn panels(found: &Found) -> Vec<Panel> {
    let lost = |at: usize| pairs(found, PD, [WHOLE + 1 + at, WHOLE]).sum::<f64>() / found.len() as f64;
    let points = (0..PARTS.len()).map(|at| (at as f64, lost(at))).collect();
    vec![Panel::Plot(Plot {
        title: "Density without a part, over DVLA as a whole".into(),
        unit: "points".into(),
        across: "groups, migrations, daily update, event updates".into(),
        across_is_log: false,
        up_is_log: false,
        series: vec![Series::new("DVLA, oracle", Role::Live, Style::Line, points)],
    })]
}
