//! A lesson and its steps.

use serde::{Deserialize, Serialize};
use tiebreak_model::Phrase;

use crate::claim::{Claim, Scope};
use crate::measure::{Measure, Run};
use crate::question::Question;
use crate::scene::Scene;
use crate::text::Block;
use crate::unlocks::Unlocks;

/// The most steps in a lesson.
pub const STEPS_MAX: usize = 40;

/// A lesson. After a successful read it is complete: it has steps, and the first has a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// Its title.
    pub title: String,
    /// Its duration.
    pub minutes: Option<u32>,
    /// A one-line description for lists.
    pub about: Option<String>,
    /// The language of its text, as an HTML `lang` value; `None` is English.
    pub language: Option<String>,
    /// The text before the first step.
    pub opening: Vec<Block>,
    /// Its steps, at least one.
    pub steps: Vec<Step>,
}

/// One step. If it sets no scenario or unlocks, those of the step before remain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its title.
    pub title: String,
    /// The text before the question, or all of it if there is no question.
    pub before: Vec<Block>,
    /// The scenario to run.
    pub scenario: Option<Scene>,
    /// The scenario to compare it with.
    pub against: Option<Scene>,
    /// The parts of the page that it shows.
    pub unlocks: Option<Unlocks>,
    /// The question before the run.
    pub question: Option<Question>,
    /// The explanation of the answer, shown after the run.
    pub after: Vec<Block>,
    /// Claims about the runs.
    pub claims: Vec<Claim>,
}

/// What the page shows during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown<'a> {
    /// The scenario to run.
    pub scenario: &'a Scene,
    /// The scenario to compare it with.
    pub against: Option<&'a Scene>,
    /// The parts of the page to show; `None` if no step has set them yet.
    pub unlocks: Option<&'a Unlocks>,
}

impl Lesson {
    /// What the page shows during a step, including what earlier steps set; `None` past the end.
    #[must_use]
    pub fn shown(&self, step: usize) -> Option<Shown<'_>> {
        let so_far = self.steps.get(..=step)?;
        let (at, scenario) = so_far.iter().enumerate().rev().find_map(|(at, it)| Some((at, it.scenario.as_ref()?)))?;
        // A new scenario has no comparison until a step sets one.
        let against = so_far[at..].iter().rev().find_map(|it| it.against.as_ref());
        let unlocks = so_far.iter().rev().find_map(|it| it.unlocks.as_ref());
        Some(Shown { scenario, against, unlocks })
    }
}

impl Step {
    /// The measures needed to check it.
    #[must_use]
    pub fn measures(&self) -> Vec<(Run, Measure)> {
        let mut measures = Vec::new();
        let claimed = self.claims.iter().flat_map(|claim| claim.test.measures());
        for (measure, run) in claimed.chain(self.question.iter().flat_map(Question::measures)) {
            if !measures.contains(&(run, measure)) {
                measures.push((run, measure));
            }
        }
        measures
    }

    /// The problems of its claims and its question for the values of its runs. For runs with other seeds than the one
    /// shown, only claims about all seeds are checked.
    pub fn failures(&self, reach: Scope, value: impl Fn(Run, Measure) -> Option<f64>) -> Vec<String> {
        let counts = |scope: Scope| reach == Scope::Here || scope == Scope::Always;
        let claims = self.claims.iter().filter(|claim| counts(claim.scope));
        let mut failures: Vec<_> =
            claims.flat_map(|claim| claim.test.failures(&value)).map(|it| it.to_string()).collect();
        if let Some(question @ Question::Pick { ask, scope, .. }) = &self.question
            && counts(*scope)
            && question.right(&value).is_none()
        {
            let told = Phrase::joined(question.tests().flat_map(|test| test.failures(&value)), "{}; {}");
            failures.push(format!("{ask} has no correct answer, or several: {told}"));
        }
        if let Some(question @ Question::Estimate { ask, scope, scale, .. }) = &self.question
            && counts(*scope)
        {
            match question.truth(&value) {
                Some(truth) if scale.holds(truth) => {}
                Some(truth) => failures.push(format!("{ask} {truth} is not from {} to {}", scale.from, scale.to)),
                None => failures.push(format!("{ask} The runs do not say")),
            }
        }
        if let Some(Question::Machine { ask, vm }) = &self.question
            && value(Run::Now, Measure::MachineOfVm(*vm)).is_none()
        {
            failures.push(format!("{ask} VM {vm} is not placed"));
        }
        if let Some(Question::Drag { ask, goal, .. }) = &self.question
            && goal.holds(&value)
        {
            failures.push(format!("{ask} It is so before anything is changed"));
        }
        failures
    }
}
