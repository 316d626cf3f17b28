//! The question of a step before its run. Only the run decides which answer is right.

use serde::{Deserialize, Serialize};
use tiebreak_scenario::{Issue, Variant};

use crate::claim::{Scope, Sum, Test};
use crate::measure::{Measure, Run};

/// A question that a run answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Question {
    /// One of several answers is right.
    Pick {
        /// The question.
        ask: String,
        /// Whether the same answer is right for the seeds around the one shown.
        scope: Scope,
        /// The answers, at least two.
        choices: Vec<Choice>,
    },
    /// Sketching the course of a metric over the run.
    Curve {
        /// The question.
        ask: String,
        /// The metric, by id.
        metric: String,
    },
    /// Estimating a number on a scale.
    Estimate {
        /// The question.
        ask: String,
        /// Whether the number lies on the scale for the seeds around the one shown too.
        scope: Scope,
        /// The number to estimate.
        of: Sum,
        /// The scale.
        scale: Scale,
    },
    /// Naming the machine on which a VM will be placed.
    Machine {
        /// The question.
        ask: String,
        /// The VM, by its number in the trace.
        vm: u64,
    },
    /// Changing the rules until the run meets a goal.
    Drag {
        /// The question.
        ask: String,
        /// The goal, a condition on the changed run.
        goal: Test,
        /// Changes to the step's scenario that reach the goal, as for `tiebreak run --set`: path and value.
        solution: Vec<(String, String)>,
    },
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Its text.
    pub text: String,
    /// The answer is right if this holds; without a condition, if no other answer is right.
    pub right_if: Option<Test>,
}

/// The range of an estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// The lowest.
    pub from: f64,
    /// The highest, greater than the lowest.
    pub to: f64,
    /// The text after a number, such as `%` or `of 24 machines`; may be empty.
    pub unit: String,
}

impl Scale {
    /// Whether a number lies on it.
    #[must_use]
    pub fn holds(&self, number: f64) -> bool {
        (self.from..=self.to).contains(&number)
    }

    /// The relative position of a number, from 0 to 1, clamped to the scale.
    #[must_use]
    pub fn share(&self, number: f64) -> f64 {
        ((number - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }
}

impl Question {
    /// The question.
    #[must_use]
    pub fn ask(&self) -> &str {
        match self {
            Self::Pick { ask, .. }
            | Self::Curve { ask, .. }
            | Self::Estimate { ask, .. }
            | Self::Machine { ask, .. }
            | Self::Drag { ask, .. } => ask,
        }
    }

    /// The index of the right answer; `None` if the runs make no answer or several right, or this is not a choice.
    pub fn right(&self, value: impl Fn(Run, Measure) -> Option<f64>) -> Option<usize> {
        let Self::Pick { choices, .. } = self else { return None };
        let holds = |choice: &Choice| choice.right_if.as_ref().is_some_and(|test| test.holds(&value));
        let right: Vec<_> = (0..choices.len()).filter(|at| holds(&choices[*at])).collect();
        match right[..] {
            [] => choices.iter().position(|choice| choice.right_if.is_none()),
            [one] => Some(one),
            _ => None,
        }
    }

    /// The number to estimate; `None` if this is not an estimate, or the runs do not provide it.
    pub fn truth(&self, value: impl Fn(Run, Measure) -> Option<f64>) -> Option<f64> {
        let Self::Estimate { of, .. } = self else { return None };
        of.value(value)
    }

    /// The conditions of its answers.
    pub fn tests(&self) -> impl Iterator<Item = &Test> {
        let choices = match self {
            Self::Pick { choices, .. } => choices.as_slice(),
            _ => &[],
        };
        let goal = match self {
            Self::Drag { goal, .. } => Some(goal),
            _ => None,
        };
        choices.iter().filter_map(|choice| choice.right_if.as_ref()).chain(goal)
    }

    /// The measures needed to answer it.
    pub fn measures(&self) -> impl Iterator<Item = (Measure, Run)> + '_ {
        let estimated = match self {
            Self::Estimate { of, .. } => Some(of),
            _ => None,
        };
        let placed = match self {
            Self::Machine { vm, .. } => Some((Measure::MachineOfVm(*vm), Run::Now)),
            _ => None,
        };
        self.tests().flat_map(Test::measures).chain(estimated.into_iter().flat_map(Sum::measures)).chain(placed)
    }

    /// Whether it needs the comparison run.
    #[must_use]
    pub fn compares(&self) -> bool {
        self.measures().any(|(_, run)| run == Run::Against)
    }

    /// The step's scenario with the solution applied; `None` if the question has no goal.
    ///
    /// # Errors
    /// If a change of the solution cannot be applied.
    pub fn solved(&self, variant: &Variant) -> Result<Option<Variant>, Issue> {
        let Self::Drag { solution, .. } = self else { return Ok(None) };
        let mut solved = variant.clone();
        solution.iter().try_for_each(|(path, value)| solved.set(path, value))?;
        Ok(Some(solved))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right(tests: &[Option<&str>]) -> Option<usize> {
        let choice = |test: &Option<&str>| Choice {
            text: String::new(),
            right_if: test.map(|test| Test::read(test).expect("a claim")),
        };
        let choices = tests.iter().map(choice).collect();
        Question::Pick { ask: String::new(), scope: Scope::Here, choices }.right(|_, _| Some(5.0))
    }

    #[test]
    fn one_answer_is_right_or_none() {
        let (more, less) = (Some("conflicts > 4"), Some("conflicts < 4"));
        assert_eq!(right(&[more, less, None]), Some(0));
        assert_eq!(right(&[less, more]), Some(1));
        assert_eq!(right(&[less, None, less]), Some(1), "what remains");
        assert_eq!(right(&[less, less]), None);
        assert_eq!(right(&[more, more, None]), None, "two are");
    }

    #[test]
    fn an_estimate_is_of_a_sum_and_lies_on_its_scale() {
        let of = Sum::read("conflicts(now) - 0.5 * conflicts(against)").expect("a sum");
        let scale = Scale { from: -10.0, to: 30.0, unit: "conflicts".into() };
        assert_eq!([-20.0, -10.0, 0.0, 30.0, 31.0].map(|number| scale.share(number)), [0.0, 0.0, 0.25, 1.0, 1.0]);
        assert!(scale.holds(30.0) && !scale.holds(30.1) && !scale.holds(f64::NAN));
        let question = Question::Estimate { ask: String::new(), scope: Scope::Here, of, scale };
        assert!(question.compares() && question.measures().count() == 2 && question.right(|_, _| Some(1.0)).is_none());
        assert_eq!(question.truth(|run, _| Some(if run == Run::Now { 5.0 } else { 6.0 })), Some(2.0));
        assert_eq!(question.truth(|run, _| (run == Run::Now).then_some(5.0)), None);
    }
}
