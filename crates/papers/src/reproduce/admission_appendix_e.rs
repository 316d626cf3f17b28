//! Cluster admission Appendix E: the second-moment policy with and without the rule that admits marginal deployments.
//! (Cluster admission, Definition 6.1 and appendix E)

use super::Exhibit;
use super::admission::{Judged, Lab, Rule, TunedRule, gains_more, keeps_sla, rises, tried_panel};
use super::figure::{About, Figure, Findings, Scale, without_trace};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "admission-appendix-e";

const WITH: TunedRule = TunedRule::plain("", "more than without (lost)", Rule::Second { marginal: true });
const WITHOUT: TunedRule = TunedRule::plain("", "lost", Rule::Second { marginal: false });

const CASES: [TunedRule; 4] = [
    TunedRule { name: "without", observations: 5, ..WITHOUT },
    TunedRule { name: "with", observations: 5, ..WITH },
    TunedRule { name: "without", observations: 50, ..WITHOUT },
    TunedRule { name: "with", observations: 50, ..WITH },
];

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let lab = Lab::of(given, scale, 4)?;
    let judged = lab.judge(&CASES)?;
    let setting = format!(
        "{} With and without skipping marginal moments, at which the new deployment's forecast is below one core.",
        lab.words()
    );
    let about = About { name: NAME, source: "Cluster admission, Appendix E", setting, seeds: lab.seeds() };
    let remarks = lab.remarks(&CASES, &judged);
    let findings = Findings {
        rows: CASES.iter().zip(&judged).map(|(case, judged)| judged.row(case.words(), case.paper)).collect(),
        checks: checks(&lab, &judged),
        remarks,
        panels: vec![tried_panel(&CASES, &judged)],
    };
    Figure::answer(given, about, findings)
}

fn checks(lab: &Lab, judged: &[Judged]) -> Vec<Check> {
    let [few_without, few_with, many_without, many_with] = judged else { unreachable!("one for each case") };
    vec![
        rises("with 5 observations the marginal rule admits more", few_without, few_with),
        rises("with 50 it does", many_without, many_with),
        gains_more(
            "its value grows with the number of observations",
            [few_without, few_with],
            [many_without, many_with],
        ),
        keeps_sla(lab, judged),
    ]
}
