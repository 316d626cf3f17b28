//! Cluster admission Figure 1: the value of knowing something about a deployment when it arrives. (Cluster admission,
//! section 6.2)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_sim::admission::known::KnownPrior;

use super::Exhibit;
use super::admission::{Judged, Lab, Rule, TunedRule, rises, run_rows, with_each_prior};
use super::figure::{About, Figure, Findings, Scale, without_trace};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "admission-fig1";

/// The observations of each deployment that the provider has when it arrives.
const OBSERVATIONS: [u32; 4] = [0, 1, 5, 50];

const POLICIES: [TunedRule; 2] = [
    TunedRule::plain("first moment", "", Rule::First { marginal: true }),
    TunedRule::plain("second moment", "", Rule::Second { marginal: true }),
];

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let lab = Lab::of(given, scale, 24)?;
    let judged = lab.judge(&with_each_prior(&cases()))?;
    let setting = format!("{} The provider starts with this many observations of each new deployment.", lab.words());
    let about = About { name: NAME, source: "Cluster admission, Figure 1", setting, seeds: lab.seeds() };
    let remarks = lab.remarks(&judged);
    let by_prior = judged.chunks(POLICIES.len() * OBSERVATIONS.len());
    let findings = Findings {
        rows: judged.iter().map(Judged::row).collect(),
        checks: by_prior.clone().zip(WHAT).flat_map(|(judged, what)| checks(judged, what)).collect(),
        remarks,
        panels: by_prior.zip(KnownPrior::ALL).map(|(judged, prior)| panel(judged, prior)).collect(),
    };
    Figure::answer_with_runs(given, about, findings, &run_rows(&judged))
}

fn cases() -> Vec<TunedRule> {
    let known = |case: &TunedRule, observations| {
        let paper = if observations == 0 { "lost" } else { "more than with fewer (lost)" };
        TunedRule { observations, paper, ..*case }
    };
    POLICIES.iter().flat_map(|case| OBSERVATIONS.map(|observations| known(case, observations))).collect()
}

/// The directions, by prior.
const WHAT: [[&str; 7]; 2] = [
    [
        "running, first moment: one observation helps",
        "running, first moment: five help more than one",
        "running, first moment: fifty more than five",
        "running, second moment: one observation helps",
        "running, second moment: five help more than one",
        "running, second moment: fifty more than five",
        "running: with fifty the second moment uses more than the first",
    ],
    [
        "arriving, first moment: one observation helps",
        "arriving, first moment: five help more than one",
        "arriving, first moment: fifty more than five",
        "arriving, second moment: one observation helps",
        "arriving, second moment: five help more than one",
        "arriving, second moment: fifty more than five",
        "arriving: with fifty the second moment uses more than the first",
    ],
];

fn checks(judged: &[Judged], what: [&'static str; 7]) -> Vec<Check> {
    let pairs = [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6), (6, 7), (3, 7)];
    pairs.iter().zip(what).map(|((low, high), what)| rises(what, &judged[*low], &judged[*high])).collect()
}

fn panel(judged: &[Judged], prior: KnownPrior) -> Panel {
    let line = |(policy, role): (usize, Role)| {
        let of = &judged[policy * OBSERVATIONS.len()..][..OBSERVATIONS.len()];
        let points = OBSERVATIONS.iter().zip(of).map(|(known, judged)| (f64::from(*known), judged.used_pct()));
        Series::new(POLICIES[policy].name, role, Style::Line, points.collect())
    };
    Panel::Plot(Plot {
        title: format!("Cores in use at the service level, prior {}", prior.id()),
        unit: "%".into(),
        across: "observations of each deployment".into(),
        across_is_log: false,
        up_is_log: false,
        series: [(0, Role::Variant(0)), (1, Role::Live)].into_iter().map(line).collect(),
    })
}
