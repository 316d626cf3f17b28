//! Converts a state of the page to a step of a lesson.

use tiebreak_lesson::{Choice, Issue, Question, Scene, Scope, Step, Test};
use tiebreak_scenario::Document;
use tiebreak_sim::{METRICS, metrics};

use crate::protocol::{Frozen, Picked};

/// The step.
///
/// # Errors
/// If its title, text or scenario is not valid.
pub(super) fn step(frozen: Frozen) -> Result<Step, Vec<Issue>> {
    let mut step = Step::frozen(&frozen.title, &frozen.text, scenario(&frozen.document)?, frozen.unlocks)?;
    step.against = frozen.against.as_deref().map(scenario).transpose()?.map(Scene::frozen);
    let drawn = frozen.curve.and_then(|metric| {
        let title = METRICS[metrics::index_of(&metric)?].declaration.title;
        Some(Question::Curve { ask: format!("How will this go: {}?", title.to_lowercase()), metric })
    });
    let picked = frozen.pick.map(pick).transpose()?;
    match drawn.or(picked) {
        Some(question) => step.asking(question, &frozen.why),
        None => Ok(step),
    }
}

/// A multiple-choice question. An answer is right if its claim holds; the answer without a claim is right if no other
/// is.
fn pick(Picked { ask, options }: Picked) -> Result<Question, Vec<Issue>> {
    let choice = |(at, (text, claim)): (usize, (String, String))| {
        let right_if = (!claim.is_empty()).then(|| Test::read(&claim)).transpose().map_err(|error| Issue {
            line: 1 + at as u32,
            expected: error.expected,
            got: error.got,
            advice: "docs/LESSONS.md has examples".into(),
            place: format!("answer {}", at + 1),
        })?;
        Ok(Choice { text, right_if })
    };
    let (choices, issues): (Vec<_>, Vec<_>) = options.into_iter().enumerate().map(choice).partition(Result::is_ok);
    let issues: Vec<Issue> = issues.into_iter().filter_map(Result::err).collect();
    if issues.is_empty() {
        let choices = choices.into_iter().filter_map(Result::ok).collect();
        Ok(Question::Pick { ask, scope: Scope::Here, choices })
    } else {
        Err(issues)
    }
}

/// The active variant alone, as steps have it.
fn scenario(json: &str) -> Result<Document, Vec<Issue>> {
    let document = Document::read(json).map_err(|error| {
        let issue = Issue {
            line: 1,
            expected: "a scenario".into(),
            got: error.to_string(),
            advice: "undo the last change, then freeze again".into(),
            place: String::new(),
        };
        vec![issue]
    })?;
    let front = document.document.active_variant().clone();
    Ok(Document { name: document.document.name, variants: vec![front], active: 0 })
}
