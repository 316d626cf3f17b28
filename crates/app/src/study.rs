//! A study of the admission lab: a cluster over years, by case and seed, in all engines in parallel.
//!
//! If cases must meet the service level, the parameter of each case's rule is found first, by bisection over the same
//! seeds; the displayed results are the runs with that value.

use tiebreak_i18n::{mark, say, tr};
use tiebreak_model::{Phrase, phrase};
use tiebreak_scenario::{Document, RuleRow, Variant};
use tiebreak_sim::admission::strata::Run;
use tiebreak_sim::admission::tuning::{Ending, Middle, Range, Tuned, Tuning, Wanted};
use tiebreak_sim::admission::years::Span;

use super::pool::{Gathered, Job, Purpose};
use tiebreak_engine::protocol::YearsResult;

/// The maximum number of seeds in a study.
pub const SEEDS_MAX: u64 = 16;

/// The admission rules, from the one that uses the least information, each with its tuned parameter.
pub const POLICIES: [(&str, &str); 3] =
    [("ZerothMomentAdmission", "limit"), ("FirstMomentAdmission", "limit"), ("SecondMomentAdmission", "risk")];

/// The numbers of observations that a study compares, as in the paper (section 6.2).
const OBSERVATIONS: [u32; 4] = [0, 1, 5, 50];

/// What to compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StudyKind {
    /// The list as it is, without comparison.
    #[default]
    These,
    /// The three policies, and no policy.
    Policies,
    /// The policies that look ahead, by the number of earlier observations.
    Observations,
    /// Users with labelled deployments and users without.
    Labels,
}

impl StudyKind {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::These, mark("The current rules")),
        (Self::Policies, mark("The three policies")),
        (Self::Observations, mark("Prior knowledge")),
        (Self::Labels, mark("With and without labels")),
    ];
}

/// The request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StudyWish {
    /// What to compare.
    pub kind: StudyKind,
    /// The number of seeds, starting with the variant's own.
    pub seeds: u64,
    /// Whether every case gets the largest value that meets the service level.
    pub tuned: bool,
}

impl Default for StudyWish {
    fn default() -> Self {
        Self { kind: StudyKind::Policies, seeds: 2, tuned: false }
    }
}

/// One case of a study.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// The policy whose parameter it uses, by index in [`POLICIES`]; `None` without one.
    pub policy: Option<usize>,
    /// The variant, except for the seed.
    variant: Variant,
    /// The search for its rule's value, if it is tuned.
    tuning: Option<Tuning>,
    /// The requested runs.
    runs: Vec<StudyRun>,
}

/// A run of a case.
#[derive(Clone, Debug)]
struct StudyRun {
    /// The seed, and the rule's value if it is being searched.
    wanted: (usize, Option<f64>),
    /// The result, or why there is none; `None` while it waits or runs.
    result: Option<Result<Box<YearsResult>, Phrase>>,
}

/// A study under way, or finished.
#[derive(Clone, Debug)]
pub struct Study {
    /// The request.
    pub wish: StudyWish,
    /// The cases.
    pub cases: Vec<Case>,
    /// The variant at that time.
    pub of: Variant,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// Whether it was stopped early.
    pub is_stopped: bool,
    bare: Document,
}

impl Study {
    /// For the active variant of a document.
    #[must_use]
    pub(super) fn new(document: &Document, wish: StudyWish) -> Self {
        let variant = document.active_variant();
        let count = wish.seeds.clamp(1, SEEDS_MAX);
        let seeds: Vec<_> = (variant.seed..variant.seed.saturating_add(count)).collect();
        let case = |(name, policy, variant): Named| {
            let tuned = policy.filter(|_| wish.tuned);
            let tuning = tuned.map(|policy| tuning(policy, &variant, &seeds));
            Case { name, policy, variant, tuning, runs: Vec::new() }
        };
        let cases = cases(variant, wish.kind).into_iter().map(case).collect();
        let bare = Document { variants: Vec::new(), active: 0, ..document.clone() };
        Self { wish, cases, of: variant.clone(), seeds, is_stopped: false, bare }
    }

    /// The runs that are needed now and not requested yet.
    pub(super) fn jobs(&mut self) -> Vec<Job> {
        let mut jobs = Vec::new();
        for (place, case) in self.cases.iter_mut().enumerate() {
            for (seed, value) in case.take_wanted(self.seeds.len()) {
                let mut variant = Variant { seed: self.seeds[seed], ..case.variant.clone() };
                if let Some(value) = value {
                    case.set_number(&mut variant, value);
                }
                let document = Document { variants: vec![variant], ..self.bare.clone() };
                jobs.push(Job { purpose: Purpose::Study { case: place, run: case.runs.len() }, document });
                case.runs.push(StudyRun { wanted: (seed, value), result: None });
            }
        }
        jobs
    }

    pub(super) fn take(&mut self, case: usize, run: usize, gathered: Gathered) {
        let result = match (gathered.years, gathered.result) {
            (Some(years), _) => Ok(years),
            (None, Some(Err(why))) => Err(why),
            (None, _) => return,
        };
        if let Some(case) = self.cases.get_mut(case) {
            case.take(run, result);
        }
    }

    /// The number of finished runs.
    #[must_use]
    pub fn runs_over(&self) -> usize {
        self.cases.iter().flat_map(|case| &case.runs).filter(|run| run.result.is_some()).count()
    }

    /// The progress, 0 to 1.
    #[must_use]
    pub fn share_done(&self) -> f64 {
        let sum: f64 = self.cases.iter().map(|case| case.share_done(self.seeds.len())).sum();
        sum / self.cases.len().max(1) as f64
    }

    /// Whether more runs are to come.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        !self.is_stopped && self.cases.iter().any(|case| case.share_done(self.seeds.len()) < 1.0)
    }
}

impl Case {
    /// Its variant, with the first seed.
    #[must_use]
    pub const fn variant(&self) -> &Variant {
        &self.variant
    }

    /// The results so far; if its value is tuned, those with the value found.
    pub fn results(&self) -> impl Iterator<Item = &YearsResult> {
        let (is_tuned, number) = (self.tuning.is_some(), self.tuned_number());
        let shown = self
            .runs
            .iter()
            .filter(move |run| if is_tuned { number.is_some() && run.wanted.1 == number } else { true });
        shown.filter_map(|run| run.result.as_ref()?.as_ref().ok()).map(|result| &**result)
    }

    /// Why it has no results, if it has none.
    #[must_use]
    pub fn failure(&self) -> Option<Phrase> {
        if let Some(Err(why)) = self.runs.iter().filter_map(|run| run.result.as_ref()).find(|result| result.is_err()) {
            return Some(why.clone());
        }
        let nothing = self.tuned().is_some_and(|tuned| tuned.ending == Ending::NothingIsWithin);
        nothing.then(|| phrase!("even the smallest threshold lets too many scale-outs fail"))
    }

    /// The value of its rule's parameter.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        if self.tuning.is_some() {
            return self.tuned_number();
        }
        let (id, _) = POLICIES[self.policy?];
        row(&self.variant, id).and_then(|row| row.values.first().copied())
    }

    fn tuned(&self) -> Option<Tuned> {
        self.tuning.as_ref()?.tuned()
    }

    fn tuned_number(&self) -> Option<f64> {
        self.tuned()?.best.map(|best| best.value)
    }

    /// The runs, by seed and value, that are not requested yet.
    fn take_wanted(&self, seeds: usize) -> Vec<(usize, Option<f64>)> {
        let all: Vec<_> = match &self.tuning {
            Some(tuning) => tuning.wanted().map(|it| (it.run as usize, Some(it.value))).collect(),
            None => (0..seeds).map(|seed| (seed, None)).collect(),
        };
        let is_asked = |wanted: &(usize, Option<f64>)| self.runs.iter().any(|run| run.wanted == *wanted);
        let failed = self.runs.iter().any(|run| matches!(run.result, Some(Err(_))));
        all.into_iter().filter(|wanted| !failed && !is_asked(wanted)).collect()
    }

    fn take(&mut self, run: usize, result: Result<Box<YearsResult>, Phrase>) {
        let Some(asked) = self.runs.get_mut(run) else { return };
        if let (Some(tuning), (seed, Some(value)), Ok(years)) = (&mut self.tuning, asked.wanted, &result) {
            let total = &years.total;
            let span = Span {
                hours: total.hours,
                core_hours: total.utilization_pct / 100.0 * total.hours * f64::from(years.cores),
                scale_outs: total.scale_outs as u64,
                failed: total.failed as u64,
                arrivals: total.arrivals as u64,
                admitted: total.admitted as u64,
            };
            // Runs are identified by their index alone.
            tuning.tell(Wanted { value, run: seed as u32, seed: 0 }, &span);
        }
        asked.result = Some(result);
    }

    fn share_done(&self, seeds: usize) -> f64 {
        let over = self.runs.iter().filter(|run| run.result.is_some()).count();
        match &self.tuning {
            _ if self.runs.iter().any(|run| matches!(run.result, Some(Err(_)))) => 1.0,
            // The last value may need one more run than estimated.
            Some(tuning) if tuning.tuned().is_none() => tuning.progress().min(0.99),
            Some(_) => 1.0,
            None => over as f64 / seeds.max(1) as f64,
        }
    }

    /// Sets the value of its rule's parameter.
    fn set_number(&self, variant: &mut Variant, value: f64) {
        let id = self.policy.map(|at| POLICIES[at].0);
        if let Some(number) =
            variant.rules.iter_mut().find(|row| Some(row.id.as_str()) == id).and_then(|row| row.values.first_mut())
        {
            *number = value;
        }
    }
}

/// The search for a policy's value under the variant's service level.
fn tuning(policy: usize, variant: &Variant, seeds: &[u64]) -> Tuning {
    let range = match POLICIES[policy].1 {
        "risk" => Range { least: 0.01, most: 99.99, halvings: 9, middle: Middle::Ratio },
        _ => Range { least: 0.0, most: 100.0, halvings: 8, middle: Middle::Mean },
    };
    let lab = &variant.admission_lab;
    Tuning::new(range, lab.sla / 100.0, lab.cores, Run::alike(seeds.iter().copied()))
}

fn row<'a>(variant: &'a Variant, id: &str) -> Option<&'a RuleRow> {
    variant.rules.iter().find(|row| row.id == id)
}

/// The variant with this policy as the only admission rule.
fn with_policy(variant: &Variant, policy: Option<usize>) -> Variant {
    let mut variant = variant.clone();
    for row in &mut variant.rules {
        if let Some(at) = POLICIES.iter().position(|(id, _)| *id == row.id) {
            row.on = Some(at) == policy;
        }
    }
    variant
}

/// The policies that are on, from the one that uses the least information.
fn policies_on(variant: &Variant) -> Vec<usize> {
    let is_on = |at: &usize| row(variant, POLICIES[*at].0).is_some_and(|row| row.on);
    (0..POLICIES.len()).filter(is_on).collect()
}

type Named = (String, Option<usize>, Variant);

fn cases(variant: &Variant, kind: StudyKind) -> Vec<Named> {
    let knowing = |policy, observations, unlabelled| {
        let mut variant = with_policy(variant, Some(policy));
        variant.admission_lab.observations = observations;
        variant.admission_lab.unlabelled = unlabelled;
        variant
    };
    match kind {
        StudyKind::These => match policies_on(variant)[..] {
            [] => vec![(tr("no admission rule").into(), None, variant.clone())],
            [one] => vec![(POLICIES[one].0.into(), Some(one), variant.clone())],
            _ => vec![(tr("the active rules").into(), None, variant.clone())],
        },
        StudyKind::Policies => {
            let named = |at: usize| (POLICIES[at].0.into(), Some(at), with_policy(variant, Some(at)));
            let none = (tr("any deployment with room").into(), None, with_policy(variant, None));
            (0..POLICIES.len()).map(named).chain([none]).collect()
        }
        StudyKind::Observations => {
            let each = |policy: usize| OBSERVATIONS.map(move |observations| (policy, observations));
            let named = |(policy, observations): (usize, u32)| {
                let name = say("{}, {observations} observations", &[&POLICIES[policy].0, &observations]);
                (name, Some(policy), knowing(policy, observations, false))
            };
            [1, 2].into_iter().flat_map(each).map(named).collect()
        }
        StudyKind::Labels => {
            let observations = variant.admission_lab.observations.max(1);
            vec![
                (tr("labelled").into(), Some(2), knowing(2, observations, false)),
                (tr("not labelled").into(), Some(2), knowing(2, observations, true)),
            ]
        }
    }
}
