//! Cluster admission Appendix E: the second-moment policy with and without the rule that lets marginal deployments
//! in. (Cluster admission, Definition 6.1 and appendix E)

use super::Check;
use super::admission::{Judged, Lab, Rule, TunedRule, keeps_sla, rises, tried_panel};
use super::figure::{About, Figure, Findings, Scale, without_trace};
use tiebreak_console::answer::{Answer, Failure};
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

pub(super) fn run(given: &Given) -> Result<Answer, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given);
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
    let gain = |without: &Judged, with: &Judged| with.used_pct() - without.used_pct();
    let (few, many) = (gain(few_without, few_with), gain(many_without, many_with));
    vec![
        rises("with 5 observations the marginal rule admits more", few_without, few_with),
        rises("with 50 it does", many_without, many_with),
        Check::so("its value grows with the number of observations", few < many, || {
            format!("{few:+.1} points with 5, {many:+.1} with 50")
        }),
        keeps_sla(lab, judged),
    ]
}
