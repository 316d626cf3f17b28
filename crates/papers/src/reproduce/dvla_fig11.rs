//! DVLA Figure 11: density by the recall of long-lived VMs. (DVLA, OSDI 2026)
//!
//! How the paper predicts a long-lived VM that is not recognised is not in our copy. Here the oracle learns that it
//! ends a day after its arrival, or after the start of the trace, and never learns better.

use std::sync::Arc;

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_lifetime::Predictions;
use tiebreak_model::random::{Seed, share};
use tiebreak_model::{Millis, Time, VmRow, WorkloadBuilder};
use tiebreak_scenario::lifetime_rules::LifetimeRules;

use super::Exhibit;
use super::dvla::{Cluster, Found, PD, PD_L, Setting, Tried, clusters, in_clusters, pairs};
use super::figure::{About, Figure, Findings, Measure, Row, without_trace};
use super::pools::{AfterWarmUp, oracle, trained, vms};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "dvla-fig11";

/// Long-lived VMs that are recognised, in percent.
const RECALL_PCT: [f64; 5] = [40.0, 55.0, 70.0, 85.0, 100.0];

static PAPER: [Option<&str>; RECALL_PCT.len()] = [Some("+1.02"), None, None, None, Some("+1.66")];

const BASELINE: usize = 0;
const LOWEST: usize = 1;
const HIGHEST: usize = RECALL_PCT.len();

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let (seeds, found) = in_clusters(given, one)?;
    let setting = format!(
        "{} Here DVLA has an oracle that takes this share of the VMs of more than a month for what they are, and \
        the others for VMs of one day. Percentage points over the baseline.",
        clusters(given)?,
    );
    let about = About { name: NAME, source: "DVLA, Figure 11", setting, seeds };
    let findings = Findings { rows: rows(&found), checks: checks(&found), remarks: Vec::new(), panels: panels(&found) };
    Figure::answer(given, about, findings)
}

fn one(setting: &Setting) -> Result<Vec<AfterWarmUp>, Failure> {
    let known = RECALL_PCT.map(|recall_pct| with_recall(setting, recall_pct));
    let mut list = LifetimeRules::Dvla.list(&setting.baseline);
    // Whoever is not recognised is not predicted again, or the oracle would say each second that it ends now.
    list.lifetimes.repredict = false;
    let tries: Vec<_> = (0..known.len()).map(|by| Tried { list: list.clone(), migrates: true, by }).collect();
    setting.run(&tries, &known)
}

/// An oracle that learned from the same VMs, of which some long-lived ones end after a day.
fn with_recall(setting: &Setting, recall_pct: f64) -> Predictions {
    let long = Millis((setting.baseline.affinity.long_days * Millis::DAY.0 as f64) as u64);
    let draws = Seed(setting.seed).stream("recognised long-lived VMs");
    let mut builder = WorkloadBuilder::new();
    for (_, vm, row) in vms(setting.workload()) {
        let is_missed = row.end.since(row.start) >= long && 100.0 * share(draws.draw(vm.0.into(), 0)) >= recall_pct;
        builder.push(if is_missed { VmRow { end: row.start.max(Time::ZERO) + Millis::DAY, ..row } } else { row });
    }
    let horizon = setting.workload().horizon();
    let believed = Arc::new(builder.finish(horizon).expect("the same VMs"));
    trained(&oracle(), &believed, setting.seed).0
}

fn rows(found: &Found) -> Vec<Row> {
    let row = |(at, recall_pct): (usize, &f64)| {
        let run = LOWEST + at;
        let mut ours = vec![Measure::of("PD", 2, pairs(found, PD, [run, BASELINE]))];
        ours.extend(Cluster::ALL.iter().enumerate().map(|(at, cluster)| {
            let gain = move |clusters: &Vec<Vec<AfterWarmUp>>| PD(&clusters[at][run]) - PD(&clusters[at][BASELINE]);
            Measure::of(cluster.name(), 2, found.iter().map(gain))
        }));
        ours.push(Measure::of("PD_L", 2, pairs(found, PD_L, [run, BASELINE])));
        Row { what: format!("{recall_pct:.0} % recognised"), paper: PAPER[at], ours }
    };
    RECALL_PCT.iter().enumerate().map(row).collect()
}

fn checks(found: &Found) -> Vec<Check> {
    let above = |what, one, other| Check::above(what, "points", pairs(found, PD, [one, other]));
    vec![
        above("with all of them recognised, DVLA packs denser than with 40 %", HIGHEST, LOWEST),
        above("with 40 %, it still packs denser than the baseline", LOWEST, BASELINE),
    ]
}

fn panels(found: &Found) -> Vec<Panel> {
    let line = |number| {
        let gain = |at: usize| pairs(found, number, [LOWEST + at, BASELINE]).sum::<f64>() / found.len() as f64;
        RECALL_PCT.iter().enumerate().map(|(at, recall_pct)| (*recall_pct, gain(at))).collect()
    };
    vec![Panel::Plot(Plot {
        title: "Density over the baseline, by the recall of long-lived VMs".into(),
        unit: "points".into(),
        across: "long-lived VMs that are recognised, %".into(),
        across_is_log: false,
        up_is_log: false,
        series: vec![
            Series::new("PD", Role::Live, Style::Line, line(PD)),
            Series::new("PD_L", Role::Variant(0), Style::Line, line(PD_L)),
        ],
    })]
}
