//! Shared code of the tables about cluster admission: a cluster over years, rules with one tuned number, and means
//! over stratified runs. (Cluster admission, sections 5.2 and 6, appendix D)

use std::sync::Arc;

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::random::Seed;
use tiebreak_placement::{Policy, RuleUse};
use tiebreak_scenario::Variant;
use tiebreak_sim::admission::Terms;
use tiebreak_sim::admission::interval::{Interval, bca};
use tiebreak_sim::admission::strata::{Run, Strata, badness};
use tiebreak_sim::admission::tuning::{Ending, Middle, Range, Tried, Tuned, Tuning};
use tiebreak_sim::admission::years::{Span, Years};
use tiebreak_sim::{AdmissionSettings, ClusterYears};

use super::figure::{Measure, Row, Scale};
use super::{Check, Spread};
use tiebreak_console::answer::Failure;
use tiebreak_console::at_once::at_once;
use tiebreak_console::given::Given;
use tiebreak_console::scenario::{preset, set_fields};

/// Bootstrap resamples of an interval.
const RESAMPLES: u32 = 2_000;

/// The note on all these tables.
const DERIVED: &str = "the paper's numbers, priors and formulas are not available; the beliefs are derived here, \
with priors fitted to other traces, so only directions are comparable, not levels";
const SMALL: &str = "the quick size only checks that everything works; one run per stratum cannot show a direction";

/// The number of bisection steps: the limit is found to 2.5 points, the risk to a fifth of its value.
const HALVINGS: u32 = 5;
const QUICK_HALVINGS: u32 = 3;

/// What a table varies.
#[derive(Clone, Copy)]
pub(super) struct TunedRule {
    pub(super) name: &'static str,
    pub(super) paper: &'static str,
    pub(super) rule: Rule,
    /// See [`ClusterYears::observations`].
    pub(super) observations: u32,
    /// See [`ClusterYears::unlabelled`].
    pub(super) unlabelled: bool,
}

/// An admission rule with one number to tune.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Zeroth,
    First { marginal: bool },
    Second { marginal: bool },
}

impl TunedRule {
    /// For deployments without observations.
    pub(super) const fn plain(name: &'static str, paper: &'static str, rule: Rule) -> Self {
        Self { name, paper, rule, observations: 0, unlabelled: false }
    }

    /// Its name, and what is known about deployments.
    pub(super) fn words(&self) -> String {
        if self.observations == 0 { self.name.into() } else { format!("{}, {} known", self.name, self.observations) }
    }
}

impl Rule {
    fn id(self) -> &'static str {
        match self {
            Self::Zeroth => "ZerothMomentAdmission",
            Self::First { .. } => "FirstMomentAdmission",
            Self::Second { .. } => "SecondMomentAdmission",
        }
    }

    /// The rule with this number.
    pub(super) fn with(self, number: f64) -> Result<Arc<Policy>, Failure> {
        let values = match self {
            Self::Zeroth => vec![number],
            Self::First { marginal } => vec![number, f64::from(u8::from(marginal))],
            Self::Second { marginal } => vec![number, 0.0, f64::from(u8::from(marginal))],
        };
        let rule = RuleUse { values, ..RuleUse::plain(self.id(), None) };
        Ok(Arc::new(Policy::new(&[rule], 1).map_err(|error| Failure(error.to_string()))?))
    }

    fn range(self, scale: Scale) -> Range {
        let halvings = scale.pick(QUICK_HALVINGS, HALVINGS);
        match self {
            Self::Zeroth | Self::First { .. } => Range { least: 20.0, most: 100.0, halvings, middle: Middle::Mean },
            Self::Second { .. } => Range { least: 0.25, most: 80.0, halvings, middle: Middle::Ratio },
        }
    }
}

/// The cluster, the prior, and the runs.
pub(super) struct Lab {
    pub(super) settings: AdmissionSettings,
    pub(super) years: ClusterYears,
    scale: Scale,
    /// Runs per stratum, for tuning and for judging.
    each: u32,
    /// Runs whose badness is computed, to find the strata and to draw from.
    drawn: u64,
}

/// A tuned case, judged on other runs than those for tuning.
pub(super) struct Judged {
    pub(super) tuned: Tuned,
    /// The tuned number; the smallest one if none keeps the service level.
    pub(super) number: f64,
    outcomes: Outcomes,
}

/// The outcomes of the runs of a sample.
pub(super) struct Outcomes(Vec<(Run, TunedOutcome)>);

/// The outcome of a run.
pub(super) struct TunedOutcome {
    pub(super) total: Span,
    months: Vec<Span>,
    cores: u32,
}

impl Lab {
    /// The paper's cluster, or a small one, changed by `--set`.
    pub(super) fn of(given: &Given, scale: Scale, each: u32) -> Result<Self, Failure> {
        let mut variant: Variant = preset("default")?.active_variant().clone();
        // Deployments are reevaluated less often than by default, which halves the time.
        variant.set("admission.tolerance", "40")?;
        // The paper's value is not available; with our deployments, no policy that sells much keeps 0.01 %.
        variant.set("admission_lab.sla", "0.2")?;
        if scale.is_quick {
            for (path, value) in [("cores", "300"), ("arrivals", "0.3"), ("years", "0.2"), ("sla", "0.1")] {
                variant.set(&format!("admission_lab.{path}"), value)?;
            }
            variant.set("admission.size_rate", "0.8")?;
        }
        set_fields(&mut variant, given)?;
        let (each, drawn) = scale.pick((1, 60), (each, 400));
        Ok(Self { settings: variant.admission, years: variant.admission_lab, scale, each, drawn })
    }

    /// A description of the runs.
    pub(super) fn words(&self) -> String {
        let ClusterYears { cores, years, arrivals, sla, .. } = self.years;
        let runs = if self.each == 1 { "a run".into() } else { format!("{} runs", self.each) };
        format!(
            "A cluster of {cores} cores over {years} years. {arrivals} deployments per hour request admission, \
            drawn from the rules' beliefs. Each rule is tuned to the largest of {} thresholds at which at most \
            {sla} % of the scale-outs fail, over {runs} from each of three strata by badness, and evaluated on as \
            many other runs. Utilization and failures are means over the strata, with 95 % BCa intervals in \
            brackets. A belief is updated once {} % of its deployment has changed.",
            1 + self.scale.pick(QUICK_HALVINGS, HALVINGS),
            self.settings.tolerance,
        )
    }

    /// Remarks on all these tables, and on tunings that ended at a bound.
    pub(super) fn remarks(&self, cases: &[TunedRule], judged: &[Judged]) -> Vec<String> {
        let mut remarks = vec![DERIVED.into()];
        if self.scale.is_quick {
            remarks.push(SMALL.into());
        }
        let words = |(case, judged): (&TunedRule, &Judged)| match judged.tuned.ending {
            Ending::Found => None,
            Ending::MostIsWithin => {
                Some(format!("{}: even the largest threshold tried meets the service level", case.words()))
            }
            Ending::NothingIsWithin => Some(format!("{}: no threshold tried meets the service level", case.words())),
        };
        remarks.extend(cases.iter().zip(judged).filter_map(words));
        remarks
    }

    /// The runs for tuning, and those for judging.
    fn runs(&self, years: &ClusterYears) -> Result<[Vec<Run>; 2], Failure> {
        let model = self.settings.model().map_err(|fault| Failure(fault.to_string()))?;
        let drawn: Vec<_> = self.seeds().into_iter().map(|seed| (seed, badness(&model, years, Seed(seed)))).collect();
        let strata = Strata::of(&drawn.iter().map(|(_, badness)| *badness).collect::<Vec<_>>());
        let tuning = strata.pick(&drawn, self.each);
        let others: Vec<_> = drawn.into_iter().filter(|(seed, _)| tuning.iter().all(|run| run.seed != *seed)).collect();
        let judging = strata.pick(&others, self.each);
        Ok([tuning, judging])
    }

    /// All seeds that runs are drawn from.
    pub(super) fn seeds(&self) -> Vec<u64> {
        (self.scale.first_seed..).take(self.drawn as usize).collect()
    }

    /// Tunes and judges all cases in parallel.
    pub(super) fn judge(&self, cases: &[TunedRule]) -> Result<Vec<Judged>, Failure> {
        at_once(cases, |case| self.judge_one(case))
    }

    fn judge_one(&self, case: &TunedRule) -> Result<Judged, Failure> {
        let years = ClusterYears { observations: case.observations, unlabelled: case.unlabelled, ..self.years };
        let [tuning, judging] = self.runs(&years)?;
        let range = case.rule.range(self.scale);
        let mut tuning = Tuning::new(range, years.sla / 100.0, years.cores, tuning);
        let mut next = tuning.wanted().next();
        while let Some(wanted) = next {
            let run = self.run(&years, case.rule.with(wanted.value)?, wanted.seed)?;
            tuning.tell(wanted, &run.total);
            next = tuning.wanted().next();
        }
        let tuned = tuning.tuned().expect("no more demand");
        let number = tuned.best.map_or(range.least, |best| best.value);
        let policy = case.rule.with(number)?;
        let outcome = |run: Run| Ok((run, self.run(&years, policy.clone(), run.seed)?));
        let outcomes = judging.into_iter().map(outcome).collect::<Result<_, Failure>>()?;
        Ok(Judged { tuned, number, outcomes: Outcomes(outcomes) })
    }

    /// The judging runs without any rule, in a cluster with this many cores.
    pub(super) fn without_rule(&self, cores: u32) -> Result<Outcomes, Failure> {
        let policy = Arc::new(Policy::new(&[], 1).map_err(|error| Failure(error.to_string()))?);
        let [_, judging] = self.runs(&self.years)?;
        let years = ClusterYears { cores, ..self.years };
        let outcome = |run: &Run| Ok((*run, self.run(&years, policy.clone(), run.seed)?));
        at_once(&judging, outcome).map(Outcomes)
    }

    /// One run.
    fn run(&self, years: &ClusterYears, policy: Arc<Policy>, seed: u64) -> Result<TunedOutcome, Failure> {
        let terms = Terms::new(&self.settings, policy.looks_ahead()).map_err(|fault| Failure(fault.to_string()))?;
        let mut run = Years::new(Arc::new(terms), *years, policy, Seed(seed));
        while run.advance(u32::MAX) {}
        Ok(TunedOutcome { total: run.total(), months: run.months().to_vec(), cores: years.cores })
    }
}

impl Outcomes {
    /// The mean over runs, in percent, with its interval.
    pub(super) fn mean_pct(&self, of: impl Fn(&TunedOutcome) -> f64) -> Interval {
        let values: Vec<_> = self.0.iter().map(|(run, outcome)| (*run, 100.0 * of(outcome))).collect();
        bca(&values, 0.95, RESAMPLES, Seed(1))
    }

    /// A row of the table; the number is left out for rules that have none.
    pub(super) fn row(&self, what: String, paper: &'static str, number: f64) -> Row {
        let let_in = |it: &TunedOutcome| it.total.admitted as f64 / it.total.arrivals.max(1) as f64;
        let ours = vec![
            measure("in use, %", 1, self.mean_pct(TunedOutcome::used)),
            measure("limit or risk, %", 1, Interval { low: number, mean: number, high: number }),
            measure("failed, %", 4, self.mean_pct(TunedOutcome::failed)),
            measure("failed, by months, %", 4, self.mean_pct(TunedOutcome::failed_by_month)),
            measure("runs with a failure, %", 0, self.mean_pct(|it| f64::from(u8::from(it.total.failed > 0)))),
            measure("admitted, %", 1, self.mean_pct(let_in)),
        ];
        Row { what, paper: Some(paper), ours }
    }
}

impl Judged {
    /// Cores in use.
    pub(super) fn used_pct(&self) -> f64 {
        self.outcomes.mean_pct(TunedOutcome::used).mean
    }

    /// Failed scale-outs: their share, and the mean of monthly shares.
    pub(super) fn failed_pct(&self) -> [f64; 2] {
        [self.outcomes.mean_pct(TunedOutcome::failed).mean, self.outcomes.mean_pct(TunedOutcome::failed_by_month).mean]
    }

    pub(super) fn row(&self, what: String, paper: &'static str) -> Row {
        self.outcomes.row(what, paper, self.number)
    }

    /// Points of a line: the cost of selling more on the tuning runs, in percent.
    pub(super) fn tried(&self) -> Vec<(f64, f64)> {
        let point = |tried: &Tried| (100.0 * tried.utilization, 100.0 * tried.failed_share);
        let mut points: Vec<_> = self.tuned.tried.iter().map(point).collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        points
    }
}

impl TunedOutcome {
    pub(super) fn used(&self) -> f64 {
        self.total.utilization(self.cores)
    }

    fn failed(&self) -> f64 {
        self.total.failed_share()
    }

    fn failed_by_month(&self) -> f64 {
        self.months.iter().map(Span::failed_share).sum::<f64>() / self.months.len().max(1) as f64
    }

    /// Monthly core-hours in use, capped at those of this many cores, as a share of them.
    pub(super) fn used_of(&self, cores: u32) -> f64 {
        let most = |month: &Span| month.hours * f64::from(cores);
        let used: f64 = self.months.iter().map(|month| month.core_hours.min(most(month))).sum();
        used / self.months.iter().map(most).sum::<f64>()
    }
}

pub(super) fn measure(what: &'static str, decimals: usize, Interval { low, mean, high }: Interval) -> Measure {
    Measure { what, decimals, spread: Spread { mean, min: low, max: high } }
}

/// Whether one policy is above the other on the judging runs; not comparable if one misses the service level.
pub(super) fn rises(what: &'static str, low: &Judged, high: &Judged) -> Check {
    if low.tuned.best.is_none() || high.tuned.best.is_none() {
        return Check::new(what, Some("no threshold tried meets the service level".into()));
    }
    let [lower, higher] = [low, high].map(|it| it.outcomes.mean_pct(TunedOutcome::used));
    let interval = [higher.low - lower.high, higher.high - lower.low];
    Check::tuned(what, "points", higher.mean - lower.mean, interval, high.outcomes.0.len())
}

/// Whether more knowledge gains more with the second pair than with the first.
pub(super) fn gains_more(what: &'static str, few: [&Judged; 2], many: [&Judged; 2]) -> Check {
    let gain = |[without, with]: [&Judged; 2]| {
        let [without, with] = [without, with].map(|it| it.outcomes.mean_pct(TunedOutcome::used));
        [with.low - without.high, with.mean - without.mean, with.high - without.low]
    };
    let (few_gain, many_gain) = (gain(few), gain(many));
    let interval = [many_gain[0] - few_gain[2], many_gain[2] - few_gain[0]];
    Check::tuned(what, "points", many_gain[1] - few_gain[1], interval, many[0].outcomes.0.len())
}

/// Whether every case keeps the service level on runs that were not used for tuning.
pub(super) fn keeps_sla(lab: &Lab, judged: &[Judged]) -> Check {
    let worst = judged.iter().flat_map(Judged::failed_pct).fold(0.0, f64::max);
    let sla = lab.years.sla;
    Check::so(
        "the service level is met on the evaluation runs, on average over runs and over months",
        worst <= sla,
        || {
            format!(
                "up to {worst:.4} % fail, and {sla} % is allowed: the threshold is tuned on few runs of the worst \
        stratum"
            )
        },
    )
}

/// The cost of selling more, per case.
pub(super) fn tried_panel(cases: &[TunedRule], judged: &[Judged]) -> Panel {
    const ROLES: [Role; 4] = [Role::Ghost, Role::Live, Role::Variant(0), Role::Variant(1)];
    let line = |((case, judged), role): ((&TunedRule, &Judged), Role)| {
        Series::new(case.name, role, Style::Line, judged.tried())
    };
    Panel::Plot(Plot {
        title: "Failed scale-outs by cores in use, over the thresholds tried".into(),
        unit: "%".into(),
        across: "% of the cores in use".into(),
        across_is_log: false,
        up_is_log: false,
        series: cases.iter().zip(judged).zip(ROLES).map(line).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lab() -> Lab {
        let years = ClusterYears { cores: 300, years: 0.1, ..ClusterYears::default() };
        let scale = Scale { is_quick: false, first_seed: 1 };
        Lab { settings: AdmissionSettings::default(), years, scale, each: 3, drawn: 200 }
    }

    #[test]
    fn runs_are_judged_by_others_than_they_are_tuned_on() {
        let [tuning, judging] = lab().runs(&lab().years).expect("runs");
        for runs in [&tuning, &judging] {
            assert_eq!(runs.iter().map(|run| run.stratum).collect::<Vec<_>>(), [2, 2, 2, 1, 1, 1, 0, 0, 0]);
            assert!((runs.iter().map(|run| run.weight).sum::<f64>() - 1.0).abs() < 1e-12);
        }
        assert!(tuning.iter().all(|run| judging.iter().all(|other| other.seed != run.seed)));
    }

    #[test]
    fn a_rules_number_is_its_first_and_the_marginal_rule_its_last() {
        let admitted = |rule: Rule, number: f64| {
            let run = lab().run(&lab().years, rule.with(number).expect("a policy"), 1).expect("a run");
            run.total.admitted
        };
        assert_eq!(admitted(Rule::Zeroth, 0.0), 0);
        for [rule, strict] in [
            [Rule::First { marginal: true }, Rule::First { marginal: false }],
            [Rule::Second { marginal: true }, Rule::Second { marginal: false }],
        ] {
            assert!(admitted(rule, 1.0) < admitted(rule, 90.0));
            assert!(admitted(strict, 1.0) <= admitted(rule, 1.0));
        }
    }

    #[test]
    fn what_is_used_of_a_cluster_is_at_most_all_of_it() {
        let month = |core_hours| Span { hours: 10.0, core_hours, ..Span::default() };
        let outcome = TunedOutcome { total: Span::default(), months: vec![month(500.0), month(5_000.0)], cores: 1 };
        assert!((outcome.used_of(100) - 0.75).abs() < 1e-12);
    }
}
