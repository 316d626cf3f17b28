//! A state of the page as a step of a lesson.

use tiebreak_lesson::{Issue, Question, Scene, Step};
use tiebreak_scenario::Document;
use tiebreak_sim::{METRICS, metrics};

use crate::protocol::Frozen;

/// The step.
///
/// # Errors
/// When its title, text or scenario is none.
pub(super) fn step(frozen: Frozen) -> Result<Step, Vec<Issue>> {
    let mut step = Step::frozen(&frozen.title, &frozen.text, scenario(&frozen.document)?, frozen.unlocks)?;
    step.against = frozen.against.as_deref().map(scenario).transpose()?.map(Scene::frozen);
    let question = frozen.curve.and_then(|metric| {
        let title = METRICS[metrics::index_of(&metric)?].declaration.title;
        Some(Question::Curve { ask: format!("How will this go: {}?", title.to_lowercase()), metric })
    });
    match question {
        Some(question) => step.asking(question, &frozen.why),
        None => Ok(step),
    }
}

/// The variant in front alone, as steps have it.
fn scenario(json: &str) -> Result<Document, Vec<Issue>> {
    let document = Document::read(json).map_err(|error| {
        let issue = Issue {
            line: 1,
            expected: "a scenario".into(),
            got: error.to_string(),
            advice: "undo the last change, then freeze again".into(),
        };
        vec![issue]
    })?;
    let front = document.document.active_variant().clone();
    Ok(Document { name: document.document.name, variants: vec![front], active: 0 })
}
