//! The user's own lesson, made from states of the page.

use tiebreak_lesson::Unlocks;
use tiebreak_scenario::Document;

use super::{App, Effect};
use tiebreak_engine::protocol::{Command, Frozen, Picked};

/// A lesson being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnLesson {
    /// Its Markdown; empty before the first step.
    pub text: String,
    /// Why the last step could not be added.
    pub faults: Vec<String>,
}

/// The user's input for a step made from the state of the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Freeze {
    /// The step's title.
    pub title: String,
    /// Its text, as Markdown.
    pub text: String,
    /// What the page shows.
    pub unlocks: Unlocks,
    /// The metric whose curve the reader draws first, by index in the list of metrics.
    pub curve: Option<usize>,
    /// The question to answer first, if there is no curve to draw.
    pub pick: Option<Picked>,
    /// The explanation, as Markdown: shown after the run.
    pub why: String,
}

impl App {
    /// Appends the state of the page as the last step.
    pub(super) fn freeze(&self, freeze: Freeze) -> Vec<Effect> {
        let against = self.against().and_then(|lane| self.document.variants.iter().find(|it| it.name == lane.variant));
        let alone = |variant: &tiebreak_scenario::Variant| {
            Document { variants: vec![variant.clone()], active: 0, ..self.document.clone() }.to_json()
        };
        let Freeze { title, text, mut unlocks, curve, pick, why } = freeze;
        let curve = curve.and_then(|at| Some(tiebreak_sim::METRICS.get(at)?.declaration.id.to_owned()));
        // A chart with a curve to draw is also shown.
        unlocks.charts.extend(curve.iter().filter(|id| !unlocks.charts.contains(id)).cloned().collect::<Vec<_>>());
        let document = alone(self.variant());
        let step = Frozen { title, text, document, against: against.map(alone), unlocks, curve, pick, why };
        vec![self.front.send(Command::Freeze { lesson: self.own_lesson.text.clone(), step: Box::new(step) })]
    }

    /// Sets the lesson's text.
    pub(super) fn write_lesson(&mut self, text: String) -> Vec<Effect> {
        self.own_lesson = OwnLesson { text: text.clone(), faults: Vec::new() };
        vec![Effect::SaveLesson(text)]
    }

    pub(super) fn frozen(&mut self, lesson: Result<String, Vec<String>>) -> Vec<Effect> {
        match lesson {
            Ok(text) => self.write_lesson(text),
            Err(faults) => {
                self.own_lesson.faults = faults;
                Vec::new()
            }
        }
    }
}
