//! A study of the admission lab: a cluster over years, case by case and seed by seed, in all engines at
//! once.
//!
//! Where cases are to meet the service level, the number of each case's rule is found first, by bisection over the same
//! seeds; what is shown of it are the runs at that number.

use tiebreak_scenario::{Document, RuleRow, Variant};
use tiebreak_tongue::{mark, say, tr};

use super::pool::{Gathered, Job, Purpose};
use crate::protocol::YearsResult;

/// Seeds that a study may run over.
pub const SEEDS_MAX: u64 = 16;

/// The rules about admission, from the one that knows least, each with its number.
pub const POLICIES: [(&str, &str); 3] =
    [("ZerothMomentAdmission", "limit"), ("FirstMomentAdmission", "limit"), ("SecondMomentAdmission", "risk")];

/// Observations that a study compares, as the paper does (section 6.2).
const OBSERVATIONS: [u32; 4] = [0, 1, 5, 50];

/// What is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StudyKind {
    /// Nothing: the list as it is.
    #[default]
    These,
    /// The three policies, and none.
    Policies,
    /// The policies that look ahead, by how much is known of who arrives.
    Observations,
    /// Users who label their deployments and users who do not.
    Labels,
}

impl StudyKind {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::These, mark("The rules as they are")),
        (Self::Policies, mark("The three policies")),
        (Self::Observations, mark("What is known beforehand")),
        (Self::Labels, mark("With and without labels")),
    ];
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StudyWish {
    /// What is compared.
    pub kind: StudyKind,
    /// Over how many seeds, from the variant's own on.
    pub seeds: u64,
    /// Whether every case gets the largest number with which it meets the service level.
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
    /// The policy whose number it runs with, by place in [`POLICIES`]; none without one.
    pub policy: Option<usize>,
    /// What is run but for the seed.
    variant: Variant,
    /// Seed by seed, what came out, or why nothing did.
    pub runs: Vec<Option<Result<Box<YearsResult>, String>>>,
}

/// A study under way, or over.
#[derive(Clone, Debug)]
pub struct Study {
    /// What was asked for.
    pub wish: StudyWish,
    /// What was compared.
    pub cases: Vec<Case>,
    /// The variant as it was then.
    pub of: Variant,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// Whether it was stopped before it was over.
    pub is_stopped: bool,
    document: Document,
}

impl Study {
    /// Of the variant in front of a document.
    #[must_use]
    pub(super) fn new(document: &Document, wish: StudyWish) -> Self {
        let variant = document.active_variant();
        let count = wish.seeds.clamp(1, SEEDS_MAX);
        let seeds: Vec<_> = (variant.seed..variant.seed.saturating_add(count)).collect();
        let cases = cases(variant, wish.kind).into_iter().map(|(name, policy, variant)| Case {
            name,
            policy,
            variant,
            runs: vec![None; seeds.len()],
        });
        let cases = cases.collect();
        let bare = Document { variants: Vec::new(), active: 0, ..document.clone() };
        Self { wish, cases, of: variant.clone(), seeds, is_stopped: false, document: bare }
    }

    pub(super) fn jobs(&self) -> Vec<Job> {
        let places = (0..self.cases.len()).flat_map(|case| (0..self.seeds.len()).map(move |seed| (case, seed)));
        places.map(|(case, seed)| self.job(case, seed)).collect()
    }

    fn job(&self, case: usize, seed: usize) -> Job {
        let variant = Variant { seed: self.seeds[seed], ..self.cases[case].variant.clone() };
        let document = Document { variants: vec![variant], ..self.document.clone() };
        Job { purpose: Purpose::Study { case, seed }, document }
    }

    pub(super) fn take(&mut self, case: usize, seed: usize, gathered: Gathered) {
        let run = match (gathered.years, gathered.result) {
            (Some(years), _) => Ok(years),
            (None, Some(Err(why))) => Err(why),
            (None, _) => return,
        };
        if let Some(place) = self.cases.get_mut(case).and_then(|case| case.runs.get_mut(seed)) {
            *place = Some(run);
        }
    }

    /// Runs that are over, of how many.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        let runs = self.cases.iter().flat_map(|case| &case.runs);
        (runs.clone().flatten().count(), runs.count())
    }

    /// Whether runs are still to come.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        let (done, all) = self.progress();
        done < all && !self.is_stopped
    }
}

impl Case {
    /// Its variant, with the first seed.
    #[must_use]
    pub const fn variant(&self) -> &Variant {
        &self.variant
    }

    /// What came out so far.
    pub fn results(&self) -> impl Iterator<Item = &YearsResult> {
        self.runs.iter().flatten().flatten().map(|result| &**result)
    }

    /// Why one of its runs gave nothing, if one did.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.runs.iter().flatten().find_map(|run| run.as_ref().err()).map(String::as_str)
    }

    /// The number of its rule.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        let (id, _) = POLICIES[self.policy?];
        row(&self.variant, id).and_then(|row| row.values.first().copied())
    }
}

fn row<'a>(variant: &'a Variant, id: &str) -> Option<&'a RuleRow> {
    variant.rules.iter().find(|row| row.id == id)
}

/// The variant with this policy as the only one about admission.
fn with_policy(variant: &Variant, policy: Option<usize>) -> Variant {
    let mut variant = variant.clone();
    for row in &mut variant.rules {
        if let Some(at) = POLICIES.iter().position(|(id, _)| *id == row.id) {
            row.on = Some(at) == policy;
        }
    }
    variant
}

/// The policies that are on, from the one that knows least.
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
            [] => vec![(tr("no rule about admission").into(), None, variant.clone())],
            [one] => vec![(POLICIES[one].0.into(), Some(one), variant.clone())],
            _ => vec![(tr("the rules that are on").into(), None, variant.clone())],
        },
        StudyKind::Policies => {
            let named = |at: usize| (POLICIES[at].0.into(), Some(at), with_policy(variant, Some(at)));
            let none = (tr("whoever finds room").into(), None, with_policy(variant, None));
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
