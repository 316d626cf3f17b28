//! Cluster admission Appendix E: the second-moment policy with and without the rule that admits marginal deployments.
//! (Cluster admission, Definition 6.1 and appendix E)

use super::Exhibit;
use super::admission::{Judged, Lab, Rule, TunedRule, gains_more, panels, rises, run_rows, with_each_prior};
use super::figure::{About, Figure, Findings, Scale, without_trace};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "admission-appendix-e";

const WITH: TunedRule = TunedRule::plain("", "more than without (lost)", Rule::Second { marginal: true });
const WITHOUT: TunedRule = TunedRule::plain("", "lost", Rule::Second { marginal: false });

const CASES: [TunedRule; 6] = [
    TunedRule { name: "without", observations: 0, ..WITHOUT },
    TunedRule { name: "with", observations: 0, paper: "as much as without (lost)", ..WITH },
    TunedRule { name: "without", observations: 5, ..WITHOUT },
    TunedRule { name: "with", observations: 5, ..WITH },
    TunedRule { name: "without", observations: 50, ..WITHOUT },
    TunedRule { name: "with", observations: 50, ..WITH },
];

/// The directions, by prior.
const WHAT: [[&str; 3]; 2] = [
    [
        "running: with 5 observations the marginal rule admits more",
        "running: with 50 it does",
        "running: its value grows with the number of observations",
    ],
    [
        "arriving: with 5 observations the marginal rule admits more",
        "arriving: with 50 it does",
        "arriving: its value grows with the number of observations",
    ],
];

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let lab = Lab::of(given, scale, 24)?;
    let judged = lab.judge(&with_each_prior(&CASES))?;
    let setting = format!(
        "{} With and without skipping marginal moments, at which the new deployment's forecast is below one core.",
        lab.words()
    );
    let about = About { name: NAME, source: "Cluster admission, Appendix E", setting, seeds: lab.seeds() };
    let findings = Findings {
        rows: judged.iter().map(Judged::row).collect(),
        checks: judged.chunks(CASES.len()).zip(WHAT).flat_map(|(judged, what)| checks(judged, what)).collect(),
        remarks: lab.remarks(&judged),
        panels: panels(&judged),
    };
    Figure::answer_with_runs(given, about, findings, &run_rows(&judged))
}

fn checks(judged: &[Judged], [five, fifty, grows]: [&'static str; 3]) -> [Check; 3] {
    let [_, _, few_without, few_with, many_without, many_with] = judged else { unreachable!("one for each case") };
    [
        rises(five, few_without, few_with),
        rises(fifty, many_without, many_with),
        gains_more(grows, [few_without, few_with], [many_without, many_with]),
    ]
}
