//! Cluster admission Figure 1: the value of knowing something about a deployment when it arrives. (Cluster admission,
//! section 6.2)

use tiebreak_chart::{Panel, Plot, Role, Series, Style};

use super::Exhibit;
use super::admission::{Judged, Lab, Rule, TunedRule, keeps_sla, rises};
use super::figure::{About, Figure, Findings, Row, Scale, without_trace};
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
    let lab = Lab::of(given, scale, 4)?;
    let cases: Vec<_> =
        POLICIES.iter().flat_map(|case| OBSERVATIONS.map(|observations| TunedRule { observations, ..*case })).collect();
    let judged = lab.judge(&cases)?;
    let setting = format!("{} The provider starts with this many observations of each new deployment.", lab.words());
    let about = About { name: NAME, source: "Cluster admission, Figure 1", setting, seeds: lab.seeds() };
    let remarks = lab.remarks(&cases, &judged);
    let findings = Findings {
        rows: cases.iter().zip(&judged).map(row).collect(),
        checks: checks(&lab, &judged),
        remarks,
        panels: vec![panel(&judged)],
    };
    Figure::answer(given, about, findings)
}

fn row((case, judged): (&TunedRule, &Judged)) -> Row {
    let paper = if case.observations == 0 { "lost" } else { "more than with fewer (lost)" };
    judged.row(case.words(), paper)
}

fn checks(lab: &Lab, judged: &[Judged]) -> Vec<Check> {
    let (first, second) = judged.split_at(OBSERVATIONS.len());
    let mut checks = vec![
        rises("first moment: one observation helps", &first[0], &first[1]),
        rises("first moment: five help more than one", &first[1], &first[2]),
        rises("first moment: fifty more than five", &first[2], &first[3]),
        rises("second moment: one observation helps", &second[0], &second[1]),
        rises("second moment: five help more than one", &second[1], &second[2]),
        rises("second moment: fifty more than five", &second[2], &second[3]),
    ];
    checks.push(rises("with fifty the second moment uses more than the first", &first[3], &second[3]));
    checks.push(keeps_sla(lab, judged));
    checks
}

fn panel(judged: &[Judged]) -> Panel {
    let line = |(policy, role): (usize, Role)| {
        let of = &judged[policy * OBSERVATIONS.len()..][..OBSERVATIONS.len()];
        let points = OBSERVATIONS.iter().zip(of).map(|(known, judged)| (f64::from(*known), judged.used_pct()));
        Series::new(POLICIES[policy].name, role, Style::Line, points.collect())
    };
    Panel::Plot(Plot {
        title: "Cores in use".into(),
        unit: "%".into(),
        across: "observations of each deployment".into(),
        across_is_log: false,
        up_is_log: false,
        series: [(0, Role::Variant(0)), (1, Role::Live)].into_iter().map(line).collect(),
    })
}
