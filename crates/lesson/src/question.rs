//! What a step asks before its run, and which answer is right: the run says, nobody else.

use serde::{Deserialize, Serialize};

use crate::claim::{Scope, Test};
use crate::measure::{Measure, Run};

/// A question that a run answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Question {
    /// One of several answers is right.
    Pick {
        /// What is asked.
        ask: String,
        /// Whether the same answer is right for the seeds around the one shown.
        scope: Scope,
        /// The answers, two or more.
        choices: Vec<Choice>,
    },
    /// The person draws how a metric will go over the run.
    Curve {
        /// What is asked.
        ask: String,
        /// The metric, by id.
        metric: String,
    },
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// What it says.
    pub text: String,
    /// It is right when this holds; without it, when no other answer is.
    pub right_if: Option<Test>,
}

impl Question {
    /// What is asked.
    #[must_use]
    pub fn ask(&self) -> &str {
        match self {
            Self::Pick { ask, .. } | Self::Curve { ask, .. } => ask,
        }
    }

    /// The place of the right answer; none when the runs make none or several right, or when the
    /// answer is a curve.
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

    /// What its answers depend on.
    pub fn tests(&self) -> impl Iterator<Item = &Test> {
        let choices = match self {
            Self::Pick { choices, .. } => choices.as_slice(),
            Self::Curve { .. } => &[],
        };
        choices.iter().filter_map(|choice| choice.right_if.as_ref())
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
}
