//! A lesson and its steps.

use serde::{Deserialize, Serialize};
use tiebreak_model::Phrase;

use crate::claim::{Claim, Scope};
use crate::measure::{Measure, Run};
use crate::question::Question;
use crate::scene::Scene;
use crate::text::Block;
use crate::unlocks::Unlocks;

/// Steps that a lesson may have.
pub const STEPS_MAX: usize = 40;

/// A lesson. One that was read is whole: it has steps, and the first has a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// What it is called.
    pub title: String,
    /// How long it takes.
    pub minutes: Option<u32>,
    /// What it is about, in a line for lists.
    pub about: Option<String>,
    /// The language of its text, as HTML names it; none is English.
    pub language: Option<String>,
    /// What stands before the first step.
    pub opening: Vec<Block>,
    /// Its steps, at least one.
    pub steps: Vec<Step>,
}

/// One step. What it does not say of scenario or unlocks stays as in the step before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What it is called.
    pub title: String,
    /// Text before the question, or all of it where nothing is asked.
    pub before: Vec<Block>,
    /// What runs.
    pub scenario: Option<Scene>,
    /// What it is compared with.
    pub against: Option<Scene>,
    /// What it shows of the page.
    pub unlocks: Option<Unlocks>,
    /// What is asked before the run.
    pub question: Option<Question>,
    /// Why the answer is what it is: shown after the run.
    pub after: Vec<Block>,
    /// What is said of the runs.
    pub claims: Vec<Claim>,
}

/// What is on the page during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown<'a> {
    /// What runs.
    pub scenario: &'a Scene,
    /// What it is compared with.
    pub against: Option<&'a Scene>,
    /// What is shown; nothing where no step has said yet.
    pub unlocks: Option<&'a Unlocks>,
}

impl Lesson {
    /// What is on the page during a step, those before it taken into account; nothing past the end.
    #[must_use]
    pub fn shown(&self, step: usize) -> Option<Shown<'_>> {
        let so_far = self.steps.get(..=step)?;
        let (at, scenario) = so_far.iter().enumerate().rev().find_map(|(at, it)| Some((at, it.scenario.as_ref()?)))?;
        // A new scenario is compared with nothing until something is said.
        let against = so_far[at..].iter().rev().find_map(|it| it.against.as_ref());
        let unlocks = so_far.iter().rev().find_map(|it| it.unlocks.as_ref());
        Some(Shown { scenario, against, unlocks })
    }
}

impl Step {
    /// What must be known of its runs to check it.
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

    /// What is wrong with its claims and its question, in sentences, by the values of its runs. Of
    /// runs with other seeds than the one shown, only what is said of all is checked.
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
