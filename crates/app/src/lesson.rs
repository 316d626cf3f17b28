//! A lesson under way: its step, the user's prediction, and what the runs show.

use tiebreak_engine::Command;
use tiebreak_lesson::{Control, Lesson, Measure, Question, Run, Shown, Step, Unlocks};
use tiebreak_model::Phrase;
use tiebreak_scenario::{Document, RuleRow};

use super::shown::{Mode, Outcome, Phase};
use super::{App, Effect};

/// The maximum number of points of a drawn curve.
const CURVE_MAX: usize = 400;

/// A lesson under way.
#[derive(Clone, Debug)]
pub struct Playing {
    /// The lesson.
    pub lesson: Lesson,
    /// The current step, from 0.
    pub step: usize,
    /// The prediction; `None` before an answer.
    pub given: Option<Given>,
    /// Whether the run is shown.
    pub is_revealed: bool,
    /// The document that was open before the lesson.
    pub(super) before: Document,
    /// The values of its measures, once the runs have ended.
    values: Vec<((Run, Measure), Option<f64>)>,
    /// The runs that were measured: that of the active variant, and the other.
    pub(super) measured: (u32, Option<u32>),
}

/// A user's prediction.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// One of the answers, by index.
    Choice(usize),
    /// The curve of a metric: time in ms and value, by time.
    Curve(Vec<(f64, f64)>),
    /// A number on the question's scale.
    Number(f64),
    /// The machine that a VM will be placed on.
    Machine(u32),
    /// Nothing.
    Skipped,
}

impl Playing {
    pub(super) fn new(lesson: Lesson, before: Document) -> Self {
        let mut playing =
            Self { lesson, step: 0, given: None, is_revealed: false, before, values: Vec::new(), measured: (0, None) };
        playing.go_to(0);
        playing
    }

    /// Goes to another step, if it exists.
    pub(super) fn go_to(&mut self, step: usize) -> bool {
        if step >= self.lesson.steps.len() {
            return false;
        }
        (self.step, self.given, self.values, self.measured) = (step, None, Vec::new(), (0, None));
        // Without a question there is nothing to hide.
        self.is_revealed = self.here().question.is_none();
        true
    }

    /// The current step.
    #[must_use]
    pub fn here(&self) -> &Step {
        &self.lesson.steps[self.step]
    }

    /// What the page shows during it.
    #[must_use]
    pub fn shown(&self) -> Option<Shown<'_>> {
        self.lesson.shown(self.step)
    }

    /// The scenario of the step; the one it is compared with precedes it as variant A.
    pub(super) fn document(&self) -> Option<Document> {
        let shown = self.shown()?;
        let name = format!("{}: {}", self.lesson.title, self.here().title);
        let mut now = shown.scenario.document().active_variant().clone();
        let against = shown.against.map(|scene| scene.document().active_variant().clone());
        let Some(mut against) = against else {
            return Some(Document { name, variants: vec![now], active: 0 });
        };
        (against.name, now.name) = ("A".into(), "B".into());
        Some(Document { name, variants: vec![against, now], active: 1 })
    }

    pub(super) fn predict(&mut self, given: Given) {
        let allowed = match (&given, &self.here().question) {
            (Given::Choice(choice), Some(Question::Pick { choices, .. })) => *choice < choices.len(),
            (Given::Curve(points), Some(Question::Curve { .. })) => points.len() <= CURVE_MAX,
            (Given::Number(number), Some(Question::Estimate { scale, .. })) => scale.holds(*number),
            (Given::Machine(_), Some(Question::Machine { .. })) | (Given::Skipped, _) => true,
            _ => false,
        };
        if allowed {
            self.given = Some(given);
        }
    }

    /// The measures to request: of the active variant's run, and of the other.
    pub(super) fn measures(&self) -> [Vec<Measure>; 2] {
        let all = self.here().measures();
        [Run::Now, Run::Against]
            .map(|run| all.iter().filter(|(of, _)| *of == run).map(|(_, measure)| *measure).collect())
    }

    pub(super) fn take(&mut self, run: u32, measures: &[Measure], values: &[Option<f64>]) {
        let of = if run == self.measured.0 { Run::Now } else { Run::Against };
        if of == Run::Against && self.measured.1 != Some(run) {
            return;
        }
        self.values.retain(|((other, _), _)| *other != of);
        self.values.extend(measures.iter().zip(values).map(|(measure, value)| ((of, *measure), *value)));
    }

    /// The index of the right answer, once the runs are measured.
    #[must_use]
    pub fn right(&self) -> Option<usize> {
        self.told()?.right(|run, measure| self.value(run, measure))
    }

    /// The number to estimate, once the runs are measured.
    #[must_use]
    pub fn truth(&self) -> Option<f64> {
        self.told()?.truth(|run, measure| self.value(run, measure))
    }

    /// Whether the run reaches the question's goal, once the runs are measured; `None` if it has no goal.
    #[must_use]
    pub fn reaches_goal(&self) -> Option<bool> {
        let Question::Drag { goal, .. } = self.told()? else { return None };
        Some(goal.holds(|run, measure| self.value(run, measure)))
    }

    /// How the run misses the question's goal, comparison by comparison; empty if it does not.
    #[must_use]
    pub fn misses(&self) -> Phrase {
        match self.told() {
            Some(Question::Drag { goal, .. }) => {
                Phrase::joined(goal.failures(|run, measure| self.value(run, measure)), "{}; {}")
            }
            _ => Phrase::default(),
        }
    }

    /// The number that decides the right answer: for the step's run, and for the one it is compared with. `None`
    /// without answers to choose from, or if no number decides.
    #[must_use]
    pub fn number(&self) -> Option<(Measure, f64, Option<f64>)> {
        let question = self.told()?;
        let Question::Pick { choices, .. } = question else { return None };
        let right_if = choices.get(self.right()?).and_then(|choice| choice.right_if.as_ref());
        let tests = right_if.into_iter().chain(question.tests());
        let is_number =
            |measure: &Measure| measure.to_string() != "digest" && !matches!(measure, Measure::MachineOfVm(_));
        let measure = tests.flat_map(tiebreak_lesson::Test::measures).map(|(measure, _)| measure).find(is_number)?;
        Some((measure, self.value(Run::Now, measure)?, self.value(Run::Against, measure)))
    }

    /// The question, once everything is known that answers it.
    fn told(&self) -> Option<&Question> {
        let wanted = self.here().measures();
        let all_there = wanted.iter().all(|of| self.values.iter().any(|(known, _)| known == of));
        self.here().question.as_ref().filter(|_| all_there)
    }

    fn value(&self, run: Run, measure: Measure) -> Option<f64> {
        self.values.iter().find(|(of, _)| *of == (run, measure)).and_then(|(_, value)| *value)
    }

    /// The error of a drawn curve: the mean distance in the metric's own unit.
    #[must_use]
    pub fn distance(&self, live: &Outcome) -> Option<f64> {
        let (Some(Given::Curve(drawn)), Some(Question::Curve { metric, .. })) = (&self.given, &self.here().question)
        else {
            return None;
        };
        let values = live.values.get(tiebreak_sim::metrics::index_of(metric)?)?;
        let at = |time: f64| {
            let after = drawn.partition_point(|(at, _)| *at <= time);
            let (left, right) = (drawn.get(after.checked_sub(1)?)?, drawn.get(after));
            let Some(right) = right else { return Some(left.1) };
            Some(left.1 + (right.1 - left.1) * (time - left.0) / (right.0 - left.0))
        };
        let distances: Vec<f64> = live
            .times
            .iter()
            .zip(values)
            .filter_map(|(time, value)| Some((at(*time)? - value).abs()).filter(|it| it.is_finite()))
            .collect();
        (!distances.is_empty()).then(|| distances.iter().sum::<f64>() / distances.len() as f64)
    }

    /// Whether the step shows a control.
    #[must_use]
    pub fn shows(&self, control: Control) -> bool {
        self.unlocks().is_none_or(|it| it.controls.contains(&control))
    }

    /// Whether the step shows a rule: one that it names, and custom ones if they can be edited.
    #[must_use]
    pub fn shows_rule(&self, row: &RuleRow) -> bool {
        let edits = row.custom.is_some() && self.shows(Control::Editor);
        self.unlocks().is_none_or(|it| edits || it.rules.contains(&row.id))
    }

    /// The charts it shows, by index in the list of metrics; `None` shows the default ones.
    #[must_use]
    pub fn charts(&self) -> Option<Vec<usize>> {
        Some(self.unlocks()?.charts.iter().filter_map(|id| tiebreak_sim::metrics::index_of(id)).collect())
    }

    fn unlocks(&self) -> Option<&Unlocks> {
        self.shown()?.unlocks
    }
}

impl App {
    pub(crate) fn begin_lesson(&mut self, lesson: Lesson) -> Vec<Effect> {
        let before = self.lesson.take().map_or_else(|| self.document.clone(), |playing| playing.before);
        self.lesson = Some(Playing::new(lesson, before));
        self.show_step()
    }

    pub(crate) fn lesson_step(&mut self, step: usize) -> Vec<Effect> {
        let moved = self.lesson.as_mut().is_some_and(|playing| playing.go_to(step));
        if moved { self.show_step() } else { Vec::new() }
    }

    /// Shows the scenario of the lesson's step, and runs it from the start.
    fn show_step(&mut self) -> Vec<Effect> {
        let Some(document) = self.lesson.as_ref().and_then(Playing::document) else { return Vec::new() };
        self.mode = Mode::Lesson;
        self.against = None;
        let effects = self.open_document(document, None);
        let question = self.lesson.as_ref().and_then(|playing| playing.here().question.as_ref());
        if let Some(Question::Machine { vm, .. }) = question {
            // Its decision is explained as soon as the run has ended; the page shows that when the question is
            // answered.
            self.selection.vm = vm.to_string();
        }
        effects
    }

    /// Whether rules or settings differ from the start of the lesson's step.
    #[must_use]
    pub fn changed_step(&self) -> bool {
        let began = self.lesson.as_ref().and_then(Playing::document);
        began.is_some_and(|began| began.active_variant() != self.variant())
    }

    /// Shows the results of the step's run. If the user should have changed the rules and did not, shows a solution.
    pub(crate) fn reveal_step(&mut self) -> Vec<Effect> {
        let has_changed = self.changed_step();
        let Some(playing) = &mut self.lesson else { return Vec::new() };
        playing.given.get_or_insert(Given::Skipped);
        playing.is_revealed = true;
        if has_changed { Vec::new() } else { self.show_solution() }
    }

    /// Opens a scenario that reaches the goal of the step's question, if it has one.
    pub(crate) fn show_solution(&mut self) -> Vec<Effect> {
        let Some(playing) = &self.lesson else { return Vec::new() };
        let (Some(mut document), Some(question)) = (playing.document(), &playing.here().question) else {
            return Vec::new();
        };
        match question.solved(document.active_variant()) {
            Ok(Some(solved)) => {
                let active = document.active;
                document.variants[active] = solved;
                self.replace(document)
            }
            _ => Vec::new(),
        }
    }

    /// Before the user names a VM's machine, the map shows the machines when its agent decided.
    pub(crate) fn look_before_decision(&mut self) -> Vec<Effect> {
        let asks = self.lesson.as_ref().is_some_and(|playing| {
            !playing.is_revealed && matches!(playing.here().question, Some(Question::Machine { .. }))
        });
        let decided_ms = self.front.answer.attempts.last().map(|attempt| attempt.at_ms);
        match decided_ms.filter(|_| asks) {
            Some(time) => self.look_at(Some((time - 1.0).max(0.0))),
            None => Vec::new(),
        }
    }

    /// Reopens the document that was open before the lesson.
    pub(crate) fn leave_lesson(&mut self) -> Vec<Effect> {
        let Some(playing) = self.lesson.take() else { return Vec::new() };
        self.mode = Mode::Explore;
        let mut effects = self.open_document(playing.before, None);
        effects.push(Effect::SaveDraft(self.document.to_json()));
        effects
    }

    /// Requests the lesson's measures of the runs, once they have ended.
    pub(crate) fn measure_lesson(&mut self) -> Vec<Effect> {
        let against = self.against().map(|lane| (lane.id, lane.run, lane.phase == Phase::Finished));
        let Some(playing) = &mut self.lesson else { return Vec::new() };
        let runs = (self.front.run, against.map(|(_, run, _)| run));
        if playing.measured != runs {
            playing.values.clear();
        }
        if self.front.phase != Phase::Finished || against.is_some_and(|(.., over)| !over) || playing.measured == runs {
            return Vec::new();
        }
        playing.measured = runs;
        let [now, then] = playing.measures();
        let of_front = self.front.send(Command::Measures { run: runs.0, measures: now });
        let of_other = against.map(|(lane, run, _)| {
            let command = Command::Measures { run, measures: then };
            Effect::Send { lane, command }
        });
        std::iter::once(of_front).chain(of_other).collect()
    }
}
