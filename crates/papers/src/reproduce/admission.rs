//! Shared code of the tables about cluster admission: a cluster over years, rules with one number each, and their
//! utilization over failures with common seeds. (Cluster admission, sections 5.2 and 6, appendix D)

use std::sync::Arc;

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::random::Seed;
use tiebreak_placement::{Policy, RuleUse};
use tiebreak_scenario::Variant;
use tiebreak_sim::admission::common::CommonSeed;
use tiebreak_sim::admission::frontier::{AtLevel, Frontier, Outcome, percentiles, resampled_weights};
use tiebreak_sim::admission::interval::Interval;
use tiebreak_sim::admission::known::KnownPrior;
use tiebreak_sim::admission::strata::{Run, Strata, badness};
use tiebreak_sim::admission::years::Years;
use tiebreak_sim::admission::{Precision, Terms};
use tiebreak_sim::{AdmissionSettings, ClusterYears};

use super::figure::{Measure, Row, Scale};
use super::{Check, Spread, outcomes};
use tiebreak_console::answer::Failure;
use tiebreak_console::at_once::at_once;
use tiebreak_console::given::Given;
use tiebreak_console::scenario::{preset, set_fields};

/// The range of `--runs`: at least two of the mildest stratum.
const RUNS: std::ops::RangeInclusive<u32> = 12..=2_000;

/// Bootstrap resamples of an interval.
const RESAMPLES: u32 = 1_000;
/// The confidence of all intervals.
const CONFIDENCE: f64 = 0.95;
/// The share of resamples with the level outside the thresholds above which a direction is not decided.
const OUTSIDE_MOST: f64 = 0.025;

/// The note on all these tables.
const DERIVED: &str = "the paper's numbers, priors and formulas are not available; the beliefs are derived here, \
with priors fitted to other traces, so only directions are comparable, not levels";
const SMALL: &str = "the quick size only checks that everything works; its few runs cannot show a direction";

/// Thresholds in percent: of the cluster's cores for the first two policies, of risk for the third.
const LIMITS: [f64; 8] = [44.0, 52.0, 60.0, 68.0, 76.0, 84.0, 92.0, 100.0];
const RISKS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 15.0, 28.0, 50.0, 75.0];

/// What a table varies.
#[derive(Clone, Copy)]
pub(super) struct TunedRule {
    pub(super) name: &'static str,
    pub(super) paper: &'static str,
    pub(super) rule: Rule,
    /// The prior that deployments are drawn from, and that the rules believe.
    pub(super) prior: KnownPrior,
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
    /// For deployments without observations, with the prior whose mean lifetime is finite.
    pub(super) const fn plain(name: &'static str, paper: &'static str, rule: Rule) -> Self {
        Self { name, paper, rule, prior: KnownPrior::Running, observations: 0, unlabelled: false }
    }

    /// Its prior, its name, and what is known about deployments.
    pub(super) fn words(&self) -> String {
        let Self { name, prior, observations, .. } = self;
        let known = if *observations == 0 { String::new() } else { format!(", {observations} known") };
        format!("{}: {name}{known}", prior.id())
    }

    fn kind(&self) -> Kind {
        let Self { prior, observations, unlabelled, .. } = *self;
        Kind { prior, observations, unlabelled, looks_ahead: self.rule != Rule::Zeroth }
    }
}

/// The cases that meet the same deployments, know the same of them, and look as far ahead.
#[derive(Clone, Copy, PartialEq)]
struct Kind {
    prior: KnownPrior,
    observations: u32,
    unlabelled: bool,
    looks_ahead: bool,
}

impl Kind {
    fn years(self, years: ClusterYears) -> ClusterYears {
        ClusterYears { observations: self.observations, unlabelled: self.unlabelled, ..years }
    }
}

/// These cases with each prior, the default prior first.
pub(super) fn with_each_prior(cases: &[TunedRule]) -> Vec<TunedRule> {
    KnownPrior::ALL.into_iter().flat_map(|prior| cases.iter().map(move |case| TunedRule { prior, ..*case })).collect()
}

impl Rule {
    fn id(self) -> &'static str {
        match self {
            Self::Zeroth => "ZerothMomentAdmission",
            Self::First { .. } => "FirstMomentAdmission",
            Self::Second { .. } => "SecondMomentAdmission",
        }
    }

    fn used(self, number: f64) -> RuleUse {
        let values = match self {
            Self::Zeroth => vec![number],
            Self::First { marginal } => vec![number, f64::from(u8::from(marginal))],
            Self::Second { marginal } => vec![number, 0.0, f64::from(u8::from(marginal))],
        };
        RuleUse { values, ..RuleUse::plain(self.id(), None) }
    }

    /// The rule with this number.
    pub(super) fn with(self, number: f64) -> Result<Arc<Policy>, Failure> {
        Ok(Arc::new(Policy::new(&[self.used(number)], 1).map_err(|error| Failure(error.to_string()))?))
    }

    fn thresholds(self, scale: Scale) -> Vec<f64> {
        let all = match self {
            Self::Zeroth | Self::First { .. } => LIMITS,
            Self::Second { .. } => RISKS,
        };
        all.into_iter().step_by(scale.pick(3, 1)).collect()
    }
}

/// The cluster, the priors, and the runs.
pub(super) struct Lab {
    pub(super) years: ClusterYears,
    scale: Scale,
    settings: Vec<(KnownPrior, AdmissionSettings)>,
    runs: Vec<(KnownPrior, Vec<Run>)>,
    /// Seeds whose badness is computed, to find the strata and to draw from.
    drawn: u64,
}

/// One case at the service level.
pub(super) struct Judged {
    case: TunedRule,
    frontier: Frontier,
    at: AtLevel,
    /// One for each resample.
    resampled: Vec<AtLevel>,
}

impl Lab {
    /// The paper's cluster, or a small one, changed by `--set`; with this many seeds for each threshold, or as many as
    /// `--runs` says.
    pub(super) fn of(given: &Given, scale: Scale, runs: u32) -> Result<Self, Failure> {
        let runs = runs_of(given)?.unwrap_or(runs);
        let of = |prior: KnownPrior| -> Result<_, Failure> {
            let mut variant: Variant = preset("default")?.active_variant().clone();
            variant.admission = prior.of(variant.admission);
            // Deployments are reevaluated less often than by default, which halves the time.
            variant.set("admission.tolerance", "40")?;
            // The paper's value is not available; with our deployments, no policy that sells much keeps 0.01 %.
            variant.set("admission_lab.sla", "0.2")?;
            if scale.is_quick {
                for (path, value) in [("cores", "300"), ("arrivals", "0.3"), ("years", "0.2"), ("sla", "2")] {
                    variant.set(&format!("admission_lab.{path}"), value)?;
                }
                variant.set("admission.size_rate", "0.8")?;
            }
            set_fields(&mut variant, given)?;
            Ok((prior, variant.admission, variant.admission_lab))
        };
        let all = KnownPrior::ALL.into_iter().map(of).collect::<Result<Vec<_>, Failure>>()?;
        let years = all[0].2;
        let settings: Vec<_> = all.into_iter().map(|(prior, settings, _)| (prior, settings)).collect();
        // Half of the runs are from the worst stratum, a sixth from the mildest. A twentieth of all seeds are worst.
        let (each, drawn) = scale.pick(([1; 3], 60), ([runs / 6, runs / 3, runs / 2], 400.max(13 * u64::from(runs))));
        let mut lab = Self { years, scale, settings, runs: Vec::new(), drawn };
        lab.runs = at_once(&lab.settings, |(prior, settings)| Ok((*prior, lab.picked(settings, each)?)))?;
        Ok(lab)
    }

    /// Runs of each stratum, among all seeds.
    fn picked(&self, settings: &AdmissionSettings, each: [u32; 3]) -> Result<Vec<Run>, Failure> {
        let model = settings.model().map_err(|fault| Failure(fault.to_string()))?;
        let measured = |seed| (seed, badness(&model, &self.years, Seed(seed)));
        let drawn: Vec<_> = self.seeds().into_iter().map(measured).collect();
        let strata = Strata::of(&drawn.iter().map(|(_, badness)| *badness).collect::<Vec<_>>());
        Ok(strata.pick(&drawn, each))
    }

    /// A description of the runs.
    pub(super) fn words(&self) -> String {
        let ClusterYears { cores, years, arrivals, sla, .. } = self.years;
        let (runs, thresholds) = (self.runs[0].1.len(), Rule::Zeroth.thresholds(self.scale).len());
        let [running, arriving] = KnownPrior::ALL.map(KnownPrior::id);
        format!(
            "A cluster of {cores} cores over {years} years. {arrivals} deployments per hour request admission, \
            drawn from the rules' beliefs, with two priors: {running} (finite mean lifetime) and {arriving} \
            (infinite). Each rule runs at {thresholds} thresholds with {runs} common seeds from three strata by \
            badness, {} runs in all; between thresholds, everything is interpolated at the level at which {sla} % of \
            the scale-outs fail. Brackets are 95 % intervals of {RESAMPLES} resamples of the seeds, each interpolated \
            again. A belief is updated once {} % of its deployment has changed.",
            runs * thresholds,
            self.settings[0].1.tolerance,
        )
    }

    /// Remarks on all these tables, and on levels outside the thresholds.
    pub(super) fn remarks(&self, judged: &[Judged]) -> Vec<String> {
        let mut remarks = vec![DERIVED.into()];
        if self.scale.is_quick {
            remarks.push(SMALL.into());
        }
        let outside = judged.iter().filter(|judged| judged.at.is_outside).map(|judged| {
            format!(
                "{}: the service level lies outside the thresholds, so the nearest one is shown",
                judged.case.words()
            )
        });
        remarks.extend(outside);
        remarks
    }

    /// All seeds that runs are drawn from.
    pub(super) fn seeds(&self) -> Vec<u64> {
        (self.scale.first_seed..).take(self.drawn as usize).collect()
    }

    pub(super) fn settings(&self, prior: KnownPrior) -> &AdmissionSettings {
        of(&self.settings, prior)
    }

    fn runs(&self, prior: KnownPrior) -> &[Run] {
        of(&self.runs, prior).as_slice()
    }

    /// Runs all cases at all thresholds, in parallel.
    pub(super) fn judge(&self, cases: &[TunedRule]) -> Result<Vec<Judged>, Failure> {
        // Cases of one kind share what they compute about a seed's deployments.
        let mut kinds: Vec<Kind> = Vec::new();
        for case in cases {
            let kind = case.kind();
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let jobs: Vec<_> =
            kinds.iter().flat_map(|kind| self.runs(kind.prior).iter().map(move |run| (*kind, run.seed))).collect();
        let of = |kind: Kind| cases.iter().filter(move |case| case.kind() == kind);
        let outcomes = at_once(&jobs, |(kind, seed)| {
            let (years, seed) = (kind.years(self.years), Seed(*seed));
            let terms = self.terms(kind.prior, kind.looks_ahead)?;
            let mut common = CommonSeed::new(terms, years, seed);
            let mut at = |rule: Rule, number: f64| {
                let all = (self.settings(kind.prior), &years, seed);
                outcomes::of(all, &rule.used(number), || Ok(Outcome::of(&common.run(rule.with(number)?), years.cores)))
            };
            let mut each = |case: &TunedRule| -> Result<Vec<_>, Failure> {
                case.rule.thresholds(self.scale).into_iter().map(|number| at(case.rule, number)).collect()
            };
            of(*kind).map(&mut each).collect::<Result<Vec<_>, _>>()
        })?;
        let judged = |case: &TunedRule| {
            let (thresholds, runs) = (case.rule.thresholds(self.scale), self.runs(case.prior).to_vec());
            let place = of(case.kind()).position(|other| core::ptr::eq(other, case)).expect("it is of its kind");
            let ran = jobs.iter().zip(&outcomes).filter(|((kind, _), _)| *kind == case.kind());
            let ran: Vec<_> = ran.map(|(_, outcomes)| &outcomes[place]).collect();
            let outcomes = (0..thresholds.len()).map(|at| ran.iter().map(|run| run[at]).collect()).collect();
            Judged::new(*case, Frontier { thresholds, runs, outcomes }, self.years.sla / 100.0)
        };
        Ok(cases.iter().map(judged).collect())
    }

    /// The mean over a quarter of the runs without any rule, in a cluster with this many cores.
    pub(super) fn without_rule(&self, prior: KnownPrior, cores: u32) -> Result<Vec<(Run, Years)>, Failure> {
        let policy = Arc::new(Policy::new(&[], 1).map_err(|error| Failure(error.to_string()))?);
        let runs: Vec<_> = self.runs(prior).iter().step_by(self.scale.pick(1, 4)).copied().collect();
        let years = ClusterYears { cores, ..self.years };
        let terms = self.terms(prior, policy.looks_ahead())?;
        let run = |run: &Run| CommonSeed::new(terms.clone(), years, Seed(run.seed)).run(policy.clone());
        at_once(&runs, |it| Ok((*it, run(it))))
    }

    fn terms(&self, prior: KnownPrior, looks_ahead: bool) -> Result<Arc<Terms>, Failure> {
        let terms = Terms::at(self.settings(prior), looks_ahead, Precision::COARSE);
        terms.map(Arc::new).map_err(|fault| Failure(fault.to_string()))
    }
}

/// The value of `--runs`.
fn runs_of(given: &Given) -> Result<Option<u32>, Failure> {
    let Some(runs) = given.number("runs")? else { return Ok(None) };
    let within = u32::try_from(runs).ok().filter(|runs| RUNS.contains(runs));
    let (least, most) = RUNS.into_inner();
    let wrong =
        || Failure(format!("expected {least} to {most} runs after --runs, got {runs}; choose a number in this range"));
    within.map(Some).ok_or_else(wrong)
}

fn of<T>(all: &[(KnownPrior, T)], prior: KnownPrior) -> &T {
    &all.iter().find(|(of, _)| *of == prior).expect("every prior has one").1
}

/// A share of an outcome.
type Share = fn(&Outcome) -> f64;

/// The columns, each in percent.
const COLUMNS: [(&str, usize, Share); 5] = [
    ("in use, %", 1, |it| it.used),
    ("failed, %", 3, |it| it.failed),
    ("failed, by months, %", 3, |it| it.failed_by_month),
    ("runs with a failure, %", 0, |it| it.any_failed),
    ("admitted, %", 1, |it| it.admitted),
];

impl Judged {
    fn new(case: TunedRule, frontier: Frontier, level: f64) -> Self {
        let at = frontier.at_level(&frontier.weights(), level);
        let weights = resampled_weights(&frontier.runs, RESAMPLES, Seed(1));
        let resampled = weights.iter().map(|weights| frontier.at_level(weights, level)).collect();
        Self { case, frontier, at, resampled }
    }

    /// Cores in use at the service level.
    pub(super) fn used_pct(&self) -> f64 {
        100.0 * self.at.outcome.used
    }

    pub(super) fn row(&self) -> Row {
        let interval = |of: &dyn Fn(&AtLevel) -> f64| {
            percentiles(of(&self.at), self.resampled.iter().map(of).collect(), CONFIDENCE)
        };
        let mut ours: Vec<_> = COLUMNS
            .into_iter()
            .map(|(what, decimals, of)| measure(what, decimals, interval(&|at| 100.0 * of(&at.outcome))))
            .collect();
        ours.insert(1, measure("limit or risk, %", 1, interval(&|at| at.threshold)));
        Row { what: self.case.words(), paper: Some(self.case.paper), ours }
    }

    /// The failed share at each threshold, in percent.
    fn failed_pct(&self, means: &[Outcome]) -> Vec<Interval> {
        let weights = resampled_weights(&self.frontier.runs, RESAMPLES, Seed(1));
        let resampled: Vec<_> = weights.iter().map(|weights| self.frontier.means(weights)).collect();
        let at = |(index, mean): (usize, &Outcome)| {
            let values = resampled.iter().map(|means| 100.0 * means[index].failed).collect();
            percentiles(100.0 * mean.failed, values, CONFIDENCE)
        };
        means.iter().enumerate().map(at).collect()
    }

    /// Resamples with the level outside the thresholds, as a share.
    fn outside(&self) -> f64 {
        self.resampled.iter().filter(|at| at.is_outside).count() as f64 / self.resampled.len() as f64
    }
}

/// A row of a mean outcome without a threshold.
pub(super) fn plain_row(what: String, paper: &'static str, outcomes: &[Outcome], runs: &[Run]) -> Row {
    let weights: Vec<_> = runs.iter().map(|run| run.weight).collect();
    let mean = Outcome::mean(outcomes, &weights);
    let resamples: Vec<_> =
        resampled_weights(runs, RESAMPLES, Seed(1)).iter().map(|weights| Outcome::mean(outcomes, weights)).collect();
    let interval =
        |of: Share| percentiles(100.0 * of(&mean), resamples.iter().map(|it| 100.0 * of(it)).collect(), CONFIDENCE);
    let mut ours: Vec<_> =
        COLUMNS.into_iter().map(|(what, decimals, of)| measure(what, decimals, interval(of))).collect();
    let none = Interval { low: f64::NAN, mean: f64::NAN, high: f64::NAN };
    ours.insert(1, measure("limit or risk, %", 1, none));
    Row { what, paper: Some(paper), ours }
}

fn measure(what: &'static str, decimals: usize, Interval { low, mean, high }: Interval) -> Measure {
    Measure { what, decimals, spread: Spread { mean, min: low, max: high } }
}

/// Whether the second case uses more of the cluster than the first at the same service level.
pub(super) fn rises(what: &'static str, low: &Judged, high: &Judged) -> Check {
    gains(what, [low, high], |[low, high]| high - low)
}

/// Whether more knowledge gains more with the second pair than with the first.
pub(super) fn gains_more(what: &'static str, few: [&Judged; 2], many: [&Judged; 2]) -> Check {
    gains(what, [few[0], few[1], many[0], many[1]], |[few, few_with, many, many_with]| {
        (many_with - many) - (few_with - few)
    })
}

/// Whether this difference of utilizations at the service level is above 0. All cases have the same runs.
fn gains<const N: usize>(what: &'static str, cases: [&Judged; N], of: impl Fn([f64; N]) -> f64) -> Check {
    let points = |at: [&AtLevel; N]| of(at.map(|at| 100.0 * at.outcome.used));
    let mean = points(cases.map(|judged| &judged.at));
    let each = (0..RESAMPLES as usize).map(|index| points(cases.map(|judged| &judged.resampled[index])));
    let Interval { low, high, .. } = percentiles(mean, each.collect(), CONFIDENCE);
    let outside = cases.iter().map(|judged| judged.outside()).fold(0.0, f64::max);
    let runs = &cases[0].frontier.runs;
    let doubt = match () {
        () if runs.chunk_by(|one, next| one.stratum == next.stratum).all(|stratum| stratum.len() == 1) => {
            Some("one run of a stratum has no interval".into())
        }
        () if outside > OUTSIDE_MOST => {
            Some(format!("in {:.0} % of the resamples, the service level lies outside the thresholds", 100.0 * outside))
        }
        () => None,
    };
    Check::resampled(what, "points", (mean, [low, high]), runs.len(), doubt)
}

/// Failures over utilization, one panel for each prior.
pub(super) fn panels(judged: &[Judged]) -> Vec<Panel> {
    const ROLES: [Role; 4] = [Role::Ghost, Role::Live, Role::Variant(0), Role::Variant(1)];
    let line = |(judged, role): (&Judged, Role)| {
        let means = judged.frontier.means(&judged.frontier.weights());
        let points = means.iter().map(|mean| (100.0 * mean.used, 100.0 * mean.failed)).collect();
        let band = judged.failed_pct(&means);
        let band = band.iter().zip(&means).map(|(it, mean)| (100.0 * mean.used, it.low, it.high)).collect();
        Series::new(judged.case.words(), role, Style::Line, points).with_band(band)
    };
    let panel = |prior: KnownPrior| {
        let of = judged.iter().filter(|judged| judged.case.prior == prior);
        Panel::Plot(Plot {
            title: format!("Failed scale-outs by cores in use, prior {}", prior.id()),
            unit: "%".into(),
            across: "% of the cores in use".into(),
            across_is_log: false,
            up_is_log: false,
            series: of.zip(ROLES.into_iter().cycle()).map(line).collect(),
        })
    };
    KnownPrior::ALL.into_iter().filter(|prior| judged.iter().any(|it| it.case.prior == *prior)).map(panel).collect()
}

/// One row for each run at each threshold, below a header.
pub(super) fn run_rows(judged: &[Judged]) -> Vec<Vec<String>> {
    let header = [
        "prior",
        "policy",
        "observations",
        "unlabelled",
        "marginal",
        "threshold",
        "seed",
        "stratum",
        "weight",
        "used",
        "failed",
        "failed_by_month",
        "admitted",
    ];
    let mut rows = vec![header.map(String::from).to_vec()];
    for Judged { case, frontier, .. } in judged {
        let marginal = matches!(case.rule, Rule::First { marginal: true } | Rule::Second { marginal: true });
        for (threshold, outcomes) in frontier.thresholds.iter().zip(&frontier.outcomes) {
            rows.extend(frontier.runs.iter().zip(outcomes).map(|(run, it)| {
                let numbers = [run.weight, it.used, it.failed, it.failed_by_month, it.admitted];
                let mut row = vec![
                    case.prior.id().into(),
                    case.rule.id().into(),
                    case.observations.to_string(),
                    case.unlabelled.to_string(),
                    marginal.to_string(),
                    threshold.to_string(),
                    run.seed.to_string(),
                    run.stratum.to_string(),
                ];
                row.extend(numbers.map(|number| number.to_string()));
                row
            }));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lab() -> Lab {
        let years = ClusterYears { cores: 300, years: 0.1, sla: 5.0, ..ClusterYears::default() };
        let scale = Scale { is_quick: true, first_seed: 1 };
        let settings = KnownPrior::ALL.map(|prior| (prior, prior.of(AdmissionSettings::default()))).to_vec();
        let mut lab = Lab { years, scale, settings, runs: Vec::new(), drawn: 200 };
        lab.runs = lab.settings.iter().map(|(prior, it)| (*prior, lab.picked(it, [3; 3]).expect("runs"))).collect();
        lab
    }

    #[test]
    fn all_cases_of_a_prior_have_the_same_runs_of_all_strata() {
        let lab = lab();
        let cases = with_each_prior(&[TunedRule::plain("zeroth", "", Rule::Zeroth)]);
        let judged = lab.judge(&cases).expect("runs");
        for Judged { case, frontier, .. } in &judged {
            assert_eq!(frontier.runs, lab.runs(case.prior));
            assert_eq!(frontier.runs.iter().map(|run| run.stratum).collect::<Vec<_>>(), [2, 2, 2, 1, 1, 1, 0, 0, 0]);
            assert!(frontier.outcomes.iter().all(|outcomes| outcomes.len() == 9) && frontier.outcomes.len() == 3);
        }
        assert_eq!(run_rows(&judged).len(), 1 + 2 * 3 * 9);
        // A policy compared with itself differs in no resample.
        assert!(!rises("", &judged[0], &judged[0]).text().starts_with("  holds"));
    }

    #[test]
    fn a_rules_number_is_its_first_and_the_marginal_rule_its_last() {
        let lab = lab();
        let admitted = |rule: Rule, number: f64| {
            let policy = rule.with(number).expect("a policy");
            let terms = lab.terms(KnownPrior::Arriving, policy.looks_ahead()).expect("a belief");
            Outcome::of(&CommonSeed::new(terms, lab.years, Seed(1)).run(policy), lab.years.cores).admitted
        };
        assert_eq!(admitted(Rule::Zeroth, 0.0), 0.0);
        for [rule, strict] in [
            [Rule::First { marginal: true }, Rule::First { marginal: false }],
            [Rule::Second { marginal: true }, Rule::Second { marginal: false }],
        ] {
            assert!(admitted(rule, 1.0) < admitted(rule, 90.0));
            assert!(admitted(strict, 1.0) <= admitted(rule, 1.0));
        }
    }
}
