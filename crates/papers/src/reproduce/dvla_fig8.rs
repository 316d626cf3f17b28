//! DVLA Figure 8: density and placement debt over the baseline with LA-Binary, LAVA and DVLA, with a predictor and with
//! an oracle. (DVLA, OSDI 2026)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};

use super::Exhibit;
use super::dvla::{
    Cluster, DEBT, Found, Number, PD, PD_L, Policy, STRANDED, Setting, Tried, VRAR, clusters, in_clusters, pairs,
};
use super::figure::{About, Figure, Findings, Measure, Row, without_trace};
use super::pools::{AfterWarmUp, oracle, trained};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "dvla-fig8";

/// Each policy with the predictor and with the oracle.
const RUNS: usize = 2 * Policy::ALL.len();

static PAPER: [Option<&str>; RUNS] = [
    Some("PD +0.6, PD_L +0.1"),
    Some("PD +0.9, PD_L +0.4, VRAR +0.2"),
    None,
    Some("PD +1.5, PD_L +0.9, VRAR +0.3"),
    None,
    Some("PD +1.4"),
    None,
    Some("PD +1.66"),
];

const BASELINE: usize = 0;
const LA_BINARY: usize = 1;
const LAVA: usize = 2;
const DVLA: usize = 4;
/// With the oracle.
const TRUE_LAVA: usize = LAVA + Policy::ALL.len();
const TRUE_DVLA: usize = DVLA + Policy::ALL.len();

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let (seeds, found) = in_clusters(given, one)?;
    let setting = format!("{} Percentage points over the baseline, means over the clusters.", clusters(given)?);
    let about = About { name: NAME, source: "DVLA, Figure 8", setting, seeds };
    let findings =
        Findings { rows: rows(&found), checks: checks(&found), remarks: remarks(&found), panels: panels(&found) };
    Figure::answer(given, about, findings)
}

fn one(setting: &Setting) -> Result<Vec<AfterWarmUp>, Failure> {
    let known = [setting.predicted(), trained(&oracle(), setting.workload(), setting.seed).0];
    let tried = |by| {
        Policy::ALL.map(|policy| Tried { list: policy.rules.list(&setting.baseline), migrates: policy.migrates, by })
    };
    let tries: Vec<_> = [0, 1].into_iter().flat_map(tried).collect();
    setting.run(&tries, &known)
}

fn name_of(run: usize) -> String {
    let by = if run < Policy::ALL.len() { "predictor" } else { "oracle" };
    format!("{}, {by}", Policy::ALL[run % Policy::ALL.len()].name())
}

/// The gain of one cluster over the seeds.
fn in_cluster(found: &Found, cluster: usize, run: usize) -> impl Iterator<Item = f64> + Clone + '_ {
    found.iter().map(move |clusters| PD(&clusters[cluster][run]) - PD(&clusters[cluster][BASELINE]))
}

fn rows(found: &Found) -> Vec<Row> {
    let baseline = |what, number: Number| {
        let of_seed = move |clusters: &Vec<Vec<AfterWarmUp>>| {
            clusters.iter().map(|runs| number(&runs[BASELINE])).sum::<f64>() / clusters.len() as f64
        };
        Measure::of(what, 1, found.iter().map(of_seed))
    };
    let alone = |cluster: usize, name: &'static str| {
        Measure::of(name, 1, found.iter().map(move |clusters| PD(&clusters[cluster][BASELINE])))
    };
    let mut first = vec![baseline("PD", PD)];
    first.extend(Cluster::ALL.iter().enumerate().map(|(at, cluster)| alone(at, cluster.name())));
    let others = [("PD_L", PD_L), ("debt", DEBT), ("stranded", STRANDED), ("VRAR", VRAR)];
    first.extend(others.map(|(what, number)| baseline(what, number)));
    let mut rows = vec![Row { what: "baseline, %".into(), paper: None, ours: first }];
    rows.extend((0..RUNS).map(|run| {
        let gain = |what, number| Measure::of(what, 2, pairs(found, number, [1 + run, BASELINE]));
        let mut ours = vec![gain("PD", PD)];
        let in_each = Cluster::ALL.iter().enumerate();
        ours.extend(in_each.map(|(at, cluster)| Measure::of(cluster.name(), 2, in_cluster(found, at, 1 + run))));
        ours.extend(others.map(|(what, number)| gain(what, number)));
        Row { what: name_of(run), paper: PAPER[run], ours }
    }));
    rows
}

fn checks(found: &Found) -> Vec<Check> {
    let more = |what, number, one, other| Check::above(what, "points", pairs(found, number, [one, other]));
    vec![
        more("with the predictor DVLA packs denser than the baseline", PD, DVLA, BASELINE),
        more("and denser than LAVA", PD, DVLA, LAVA),
        more("LAVA packs denser than LA-Binary", PD, LAVA, LA_BINARY),
        more("with the oracle DVLA packs denser than LAVA", PD, TRUE_DVLA, TRUE_LAVA),
        more("with the predictor DVLA gathers long-lived VMs more densely than LAVA", PD_L, DVLA, LAVA),
        more("also with the oracle", PD_L, TRUE_DVLA, TRUE_LAVA),
        more("LAVA gathers them more densely than the baseline", PD_L, LAVA, BASELINE),
        more("also with the oracle", PD_L, TRUE_LAVA, BASELINE),
        more("DVLA strands fewer machines than the baseline", STRANDED, BASELINE, DVLA),
    ]
}

fn remarks(found: &Found) -> Vec<String> {
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / found.len() as f64;
    let gain = |number, run| mean(&mut pairs(found, number, [run, BASELINE]));
    let of = |count: fn(&AfterWarmUp) -> f64, run: usize| {
        mean(&mut found.iter().map(|clusters| clusters.iter().map(|runs| count(&runs[run])).sum::<f64>() / 3.0))
    };
    vec![
        format!(
            "Does LAVA scatter long-lived VMs? Its PD_L is {:+.2} points over the baseline with the oracle and {:+.2} \
            with the predictor; DVLA's {:+.2} and {:+.2}.",
            gain(PD_L, TRUE_LAVA),
            gain(PD_L, LAVA),
            gain(PD_L, TRUE_DVLA),
            gain(PD_L, DVLA)
        ),
        format!(
            "A cluster formed its affinity group anew {:.1} times, and {:.0} VMs migrated, with the oracle.",
            of(|run| run.group_changes as f64, TRUE_DVLA),
            of(|run| run.counters.migrations as f64, TRUE_DVLA)
        ),
        "The equation of VRAR and its threshold are not in our copy of the paper: ours is the share of VMs on a machine \
        with more than half of their customer's VMs, of customers with at least two."
            .into(),
    ]
}

fn panels(found: &Found) -> Vec<Panel> {
    let plot = |title: &str, number: Number| {
        let points = |first: usize| {
            let gain = move |at| pairs(found, number, [first + at, BASELINE]).sum::<f64>() / found.len() as f64;
            (0..Policy::ALL.len()).map(|at| (at as f64, gain(at))).collect()
        };
        Panel::Plot(Plot {
            title: title.into(),
            unit: "points".into(),
            across: "LA-Binary, LAVA, DVLA without migrations, DVLA".into(),
            across_is_log: false,
            up_is_log: false,
            series: vec![
                Series::new("predictor", Role::Live, Style::Line, points(1)),
                Series::new("oracle", Role::Variant(0), Style::Line, points(1 + Policy::ALL.len())),
            ],
        })
    };
    vec![plot("Density (PD) over the baseline", PD), plot("Density of long-lived VMs (PD_L)", PD_L)]
}
