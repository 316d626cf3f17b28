//! Cluster admission Table 2: utilization by policy, each with its number tuned to the same service level, and the
//! utilization possible without one. (Cluster admission, sections 5.3 and 6.2)

use std::sync::Arc;

use tiebreak_model::random::Seed;
use tiebreak_sim::ClusterYears;
use tiebreak_sim::admission::Terms;
use tiebreak_sim::admission::years::Years;
use tiebreak_sim::admission::{AdmissionSettings, Horizon};

use super::Exhibit;
use super::admission::{Judged, Lab, Rule, TunedRule, keeps_sla, measure, rises, tried_panel};
use super::figure::{About, Figure, Findings, Row, Scale, without_trace};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::at_once::at_once;
use tiebreak_console::given::Given;

const NAME: &str = "admission-table2";

const CASES: [TunedRule; 3] = [
    TunedRule::plain("zeroth moment", "lost", Rule::Zeroth),
    TunedRule::plain("first moment", "above the zeroth (lost)", Rule::First { marginal: true }),
    TunedRule::plain("second moment", "about the first (lost)", Rule::Second { marginal: true }),
];

/// The risk limit for both grids of moments.
const RISK: f64 = 5.0;

/// More cores than all arriving deployments ever use.
const ENOUGH_CORES: u32 = 1_000_000;

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let lab = Lab::of(given, scale, 8)?;
    let judged = lab.judge(&CASES)?;
    let grids = Grids::of(&lab, scale)?;
    let mut rows: Vec<_> =
        CASES.iter().zip(&judged).map(|(case, judged)| judged.row(case.words(), case.paper)).collect();
    rows.extend(unlimited(&lab)?);
    let mut remarks = vec![
        "without a rule, every deployment with room is admitted; the bound is the demand of all arriving deployments, \
         limited to the cluster in each month"
            .into(),
        grids.words(),
    ];
    remarks.extend(lab.remarks(&CASES, &judged));
    let about = About { name: NAME, source: "Cluster admission, Table 2", setting: lab.words(), seeds: lab.seeds() };
    let findings =
        Findings { rows, checks: checks(&lab, &judged, &grids), remarks, panels: vec![tried_panel(&CASES, &judged)] };
    Figure::answer(given, about, findings)
}

/// Utilization without a service level.
fn unlimited(lab: &Lab) -> Result<[Row; 2], Failure> {
    let cores = lab.years.cores;
    let bound = lab.without_rule(ENOUGH_CORES)?;
    let used = measure("in use, %", 1, bound.mean_pct(|it| it.used_of(cores)));
    let bound = Row { what: "bound without a service level".into(), paper: Some("above all (lost)"), ours: vec![used] };
    Ok([lab.without_rule(cores)?.row("no rule".into(), "", f64::NAN), bound])
}

/// The same small cluster under the second-moment policy, with both grids of future moments.
struct Grids {
    /// The number of decisions, and how many of them are the same.
    decisions: usize,
    same: usize,
    /// Cores in use with the geometric grid and with the five look-aheads, in percent.
    used_pct: [f64; 2],
    cores: u32,
    hours: f64,
}

impl Grids {
    fn of(lab: &Lab, scale: Scale) -> Result<Self, Failure> {
        let (cores, years) = scale.pick((500, 0.02), (2_000, 0.2));
        let years = ClusterYears { cores, years, arrivals: 1.0, observations: 0, ..lab.years };
        let with = |horizon: &Horizon| followed(AdmissionSettings { horizon: *horizon, ..lab.settings }, years);
        let both = at_once(&[Horizon::Geometric, Horizon::LookAheads], with)?;
        let [(one, first), (other, second)] = [&both[0], &both[1]];
        Ok(Self {
            decisions: one.len().max(other.len()),
            same: one.iter().zip(other).filter(|(one, other)| one == other).count(),
            used_pct: [*first, *second],
            cores,
            hours: years.years * 8_760.0,
        })
    }

    fn same_pct(&self) -> f64 {
        100.0 * self.same as f64 / self.decisions.max(1) as f64
    }

    fn words(&self) -> String {
        let Self { decisions, same, used_pct: [geometric, look_aheads], cores, hours } = self;
        format!(
            "the geometric grid of future moments and the five look-aheads of 600 steps make the same decision in \
            {same} of {decisions} cases, on {cores} cores over {hours:.0} hours at a risk of {RISK} %; \
            {geometric:.2} and {look_aheads:.2} % of the cores are in use (each differing decision changes the \
            state for later ones)"
        )
    }
}

/// The decisions of a run, and the cores in use in percent.
fn followed(settings: AdmissionSettings, years: ClusterYears) -> Result<(Vec<bool>, f64), Failure> {
    let policy = Rule::Second { marginal: true }.with(RISK)?;
    let terms = Terms::new(&settings, true).map_err(|fault| Failure(fault.to_string()))?;
    let mut run = Years::new(Arc::new(terms), years, policy, Seed(1));
    let (mut decisions, mut before) = (Vec::new(), run.total());
    while run.advance(1) {
        let now = run.total();
        if now.arrivals > before.arrivals {
            decisions.push(now.admitted > before.admitted);
        }
        before = now;
    }
    Ok((decisions, 100.0 * run.total().utilization(years.cores)))
}

fn checks(lab: &Lab, judged: &[Judged], grids: &Grids) -> Vec<Check> {
    let [zeroth, first, second] = judged else { unreachable!("one for each case") };
    let [geometric, look_aheads] = grids.used_pct;
    vec![
        rises("the first moment uses more of the cluster than the zeroth", zeroth, first),
        rises("so does the second moment", zeroth, second),
        rises("and uses more than the first, as in the paper", first, second),
        keeps_sla(lab, judged),
        Check::so(
            "the geometric grid and the five look-aheads make the same decision in 98 % of cases",
            grids.same_pct() >= 98.0,
            || format!("{:.1} %", grids.same_pct()),
        ),
        Check::so("and uses as much, to one point", (geometric - look_aheads).abs() <= 1.0, || {
            format!("{geometric:.2} % against {look_aheads:.2} %")
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_decision_is_followed_and_a_grid_agrees_with_itself() {
        let years = ClusterYears { cores: 300, years: 0.02, ..ClusterYears::default() };
        let (decisions, used_pct) = followed(AdmissionSettings::default(), years).expect("a run");
        // About one arrival per hour for 175 hours, and not all are admitted.
        assert!((120..240).contains(&decisions.len()), "{}", decisions.len());
        assert!(decisions.contains(&true) && decisions.contains(&false) && used_pct > 1.0);
        assert_eq!((decisions, used_pct), followed(AdmissionSettings::default(), years).expect("a run"));
    }
}
