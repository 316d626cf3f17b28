//! Cluster admission Figure 2: users that label their deployments, and users that do not. (Cluster admission, section
//! 7.2)

use super::Exhibit;
use super::admission::{Lab, Rule, TunedRule, panels, rises, run_rows, with_each_prior};
use super::figure::{About, Figure, Findings, Scale, without_trace};
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "admission-fig2";

const SECOND: TunedRule = TunedRule { observations: 1, ..TunedRule::plain("", "", Rule::Second { marginal: true }) };

const CASES: [TunedRule; 2] = [
    TunedRule { name: "unlabelled", paper: "lost", unlabelled: true, ..SECOND },
    TunedRule { name: "labelled", paper: "above unlabelled (lost)", ..SECOND },
];

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let lab = Lab::of(given, scale, 24)?;
    let judged = lab.judge(&with_each_prior(&CASES))?;
    let setting = format!(
        "{} Every user has two kinds of deployments, and the provider has one observation of each kind. The \
        second-moment policy runs with and without knowing which kind arrives.",
        lab.words()
    );
    let about = About { name: NAME, source: "Cluster admission, Figure 2", setting, seeds: lab.seeds() };
    let mut remarks = vec![
        "the paper's number of observations is not available; it calls one observation equivalent to its section 6"
            .into(),
    ];
    remarks.extend(lab.remarks(&judged));
    let [unlabelled, labelled, unlabelled_arriving, labelled_arriving] = &judged[..] else {
        unreachable!("two for each prior")
    };
    let findings = Findings {
        rows: judged.iter().map(|judged| judged.row()).collect(),
        checks: vec![
            rises("running: labels admit more", unlabelled, labelled),
            rises("arriving: labels admit more", unlabelled_arriving, labelled_arriving),
        ],
        remarks,
        panels: panels(&judged),
    };
    Figure::answer_with_runs(given, about, findings, &run_rows(&judged))
}
