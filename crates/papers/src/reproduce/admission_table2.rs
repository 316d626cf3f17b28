//! Cluster admission Table 2: utilization by policy, each with its number tuned to the same service level, and the
//! utilization possible without one. (Cluster admission, sections 5.3 and 6.2)

use std::sync::Arc;

use tiebreak_model::random::Seed;
use tiebreak_sim::ClusterYears;
use tiebreak_sim::admission::frontier::Outcome;
use tiebreak_sim::admission::known::KnownPrior;
use tiebreak_sim::admission::strata::Run;
use tiebreak_sim::admission::years::{Span, Years};
use tiebreak_sim::admission::{AdmissionSettings, Horizon, Precision, Terms};

use super::Exhibit;
use super::admission::{Judged, Lab, Rule, TunedRule, panels, plain_row, rises, run_rows, with_each_prior};
use super::figure::{About, Figure, Findings, Row, Scale, without_trace};
use super::verdict::Check;
use tiebreak_console::answer::Failure;
use tiebreak_console::at_once::at_once;
use tiebreak_console::given::Given;

const NAME: &str = "admission-table2";

const CASES: [TunedRule; 3] = [
    TunedRule::plain("zeroth moment", "lost", Rule::Zeroth),
    TunedRule::plain("first moment", "above the zeroth (lost)", Rule::First { marginal: false }),
    TunedRule::plain("second moment", "about the first (lost)", Rule::Second { marginal: false }),
];

/// The risk limit for both grids of moments.
const RISK: f64 = 5.0;

/// More cores than all arriving deployments ever use.
const ENOUGH_CORES: u32 = 1_000_000;

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let lab = Lab::of(given, scale, 32)?;
    let judged = lab.judge(&with_each_prior(&CASES))?;
    let grids = Grids::of(&lab, scale)?;
    let mut rows: Vec<_> = judged.iter().map(Judged::row).collect();
    for prior in KnownPrior::ALL {
        rows.extend(unlimited(&lab, prior)?);
    }
    let mut remarks = vec![
        "no policy has the marginal heuristic here, as in the paper's section 5; admission-appendix-e shows its effect"
            .into(),
        "without a rule, every deployment with room is admitted; the bound is the demand of all arriving deployments, \
         limited to the cluster in each month; both are means over a quarter of the runs"
            .into(),
        grids.words(),
    ];
    remarks.extend(lab.remarks(&judged));
    let about = About { name: NAME, source: "Cluster admission, Table 2", setting: lab.words(), seeds: lab.seeds() };
    let findings = Findings { rows, checks: checks(&judged, &grids), remarks, panels: panels(&judged) };
    Figure::answer_with_runs(given, about, findings, &run_rows(&judged))
}

/// Utilization without a service level.
fn unlimited(lab: &Lab, prior: KnownPrior) -> Result<[Row; 2], Failure> {
    let cores = lab.years.cores;
    let row = |what: &str, paper, cores_here, of: &dyn Fn(&Years) -> Outcome| -> Result<Row, Failure> {
        let ran = lab.without_rule(prior, cores_here)?;
        let outcomes: Vec<_> = ran.iter().map(|(_, run)| of(run)).collect();
        let runs: Vec<Run> = ran.iter().map(|(run, _)| *run).collect();
        Ok(plain_row(format!("{}: {what}", prior.id()), paper, &outcomes, &runs))
    };
    let bound = |run: &Years| Outcome { used: used_of(run.months(), cores), ..Outcome::of(run, ENOUGH_CORES) };
    Ok([
        row("no rule", "", cores, &|run| Outcome::of(run, cores))?,
        row("bound without a service level", "above all (lost)", ENOUGH_CORES, &bound)?,
    ])
}

/// Monthly core-hours in use, capped at those of this many cores, as a share of them.
fn used_of(months: &[Span], cores: u32) -> f64 {
    let most = |month: &Span| month.hours * f64::from(cores);
    let used: f64 = months.iter().map(|month| month.core_hours.min(most(month))).sum();
    used / months.iter().map(most).sum::<f64>()
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
        let settings = lab.settings(KnownPrior::Arriving);
        let both = at_once(
            &[(Horizon::Geometric, Precision::COARSE), (Horizon::LookAheads, Precision::FULL)],
            |(horizon, precision)| followed(AdmissionSettings { horizon: *horizon, ..*settings }, *precision, years),
        )?;
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
fn followed(
    settings: AdmissionSettings,
    precision: Precision,
    years: ClusterYears,
) -> Result<(Vec<bool>, f64), Failure> {
    let policy = Rule::Second { marginal: false }.with(RISK)?;
    let terms = Terms::at(&settings, true, precision).map_err(|fault| Failure(fault.to_string()))?;
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

fn checks(judged: &[Judged], grids: &Grids) -> Vec<Check> {
    let [zeroth, first, second, zeroth_arriving, first_arriving, second_arriving] = judged else {
        unreachable!("three for each prior")
    };
    let [geometric, look_aheads] = grids.used_pct;
    vec![
        rises("running: the first moment uses more of the cluster than the zeroth", zeroth, first),
        rises("running: so does the second moment", zeroth, second),
        rises("running: and uses more than the first", first, second),
        rises("arriving: the first moment uses more of the cluster than the zeroth", zeroth_arriving, first_arriving),
        rises("arriving: so does the second moment", zeroth_arriving, second_arriving),
        rises("arriving: and uses more than the first", first_arriving, second_arriving),
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
        let again = || followed(AdmissionSettings::default(), Precision::FULL, years).expect("a run");
        let (decisions, used_pct) = again();
        // About one arrival per hour for 175 hours, and not all are admitted.
        assert!((120..240).contains(&decisions.len()), "{}", decisions.len());
        assert!(decisions.contains(&true) && decisions.contains(&false) && used_pct > 1.0);
        assert_eq!((decisions, used_pct), again());
    }

    #[test]
    fn what_is_used_of_a_cluster_is_at_most_all_of_it() {
        let month = |core_hours| Span { hours: 10.0, core_hours, ..Span::default() };
        assert!((used_of(&[month(500.0), month(5_000.0)], 100) - 0.75).abs() < 1e-12);
    }
}
