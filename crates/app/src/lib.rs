//! What the person sees and does: state, messages, and the effects they cause.

mod asking;
mod changes;
pub mod custom;
mod decisions;
mod driving;
mod edit;
mod example;
mod history;
pub mod importing;
mod jobs;
mod lane;
pub mod lesson;
mod log;
mod looking;
mod message;
mod own;
pub mod paired;
mod pool;
mod replies;
mod shown;
pub mod sizing;
mod status;
pub mod study;
pub mod sweep;
mod variants;

use std::collections::BTreeSet;

use tiebreak_engine::Command;
use tiebreak_engine::protocol::{Generate, Imported, Save, Saved, StepTo, TraceCard, Unknown};
use tiebreak_scenario::{Document, Preset, Stamp, Variant, WorkloadRef};

pub use self::asking::{Answered, Answers, Asking, Then};
pub use self::changes::{Change, changes, since_preset};
pub use self::decisions::DecisionsWish;
pub use self::edit::Edit;
pub use self::history::OF_VM;
pub use self::lane::Lane;
pub use self::lesson::{Given, Playing};
pub use self::log::{Logged, RunLog};
pub use self::message::{Effect, Like, Message, Notice};
pub use self::own::{Freeze, OwnLesson};
pub use self::paired::Paired;
pub use self::pool::{Gathered, POOL};
use self::pool::{Pool, Purpose};
pub use self::shown::{Differing, Explanation, Mode, Outcome, Phase, Reading, Selection};
pub use self::sizing::{SizeWish, Sizing};
pub use self::status::ASKING_LIFETIMES;
pub use self::study::{Study, StudyWish};
pub use self::sweep::{Sweep, Wanted, Wish};

/// The version that links carry.
pub const ENGINE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Everything on the page.
#[derive(Clone, Debug, Default)]
pub struct App {
    /// What is edited.
    pub document: Document,
    /// What reset goes back to.
    pub opened: Document,
    /// The rules that were on at any time since then; they keep their row in the list.
    pub used_rules: BTreeSet<String>,
    /// Those of them that changed nothing in the first run since then, until somebody edits them.
    idle_rules: BTreeSet<String>,
    /// The first run since then is not over yet.
    judges_idle: bool,
    past: Vec<Document>,
    future: Vec<Document>,
    last_edit: Option<String>,
    /// What to tell.
    pub notices: Vec<Notice>,
    /// Traces the engine has.
    pub traces: Vec<TraceCard>,
    /// The trace being read.
    pub reading: Option<Reading>,
    /// A file that was a table whose columns are not known; it is asked about until the file is read.
    pub unknown: Option<Unknown>,
    /// What became of the cluster or configuration that was imported last, until that was read.
    pub imported: Option<Box<Imported>>,
    /// What the next generated workload is to be.
    pub generate: Generate,
    /// The runs of the variant in front.
    pub front: Lane,
    /// Those of the others, in their order.
    pub aside: Vec<Lane>,
    /// Which of them is compared with the one in front; the first where this names none.
    pub against: Option<String>,
    /// What the page shows besides the run.
    pub mode: Mode,
    /// What a step goes on to.
    pub step_to: StepTo,
    /// How many rules of the decision on screen are shown, when stepping by rule; else all.
    pub rules_shown: Option<usize>,
    /// Where it and the other one first part ways, where they are compared.
    pub differing: Option<Differing>,
    /// Both over the same seeds, where that was asked for.
    pub paired: Option<Paired>,
    /// The lesson under way.
    pub lesson: Option<Playing>,
    /// What was run so far.
    pub log: RunLog,
    /// A lesson that is being written.
    pub own_lesson: OwnLesson,
    /// What the next sweep is to be.
    pub wanted: Wanted,
    /// The sweep that was asked for last.
    pub sweep: Option<Sweep>,
    /// The search for how many machines are needed that was asked for last.
    pub sizing: Option<Sizing>,
    /// The study of the admission lab that was asked for last.
    pub study: Option<Study>,
    /// What the engine was asked, and what it answered.
    pub answers: Answers,
    /// Which decisions are listed.
    pub wants_decisions: DecisionsWish,
    /// Whether the profile of the workload is shown.
    pub shows_profile: bool,
    /// The workload whose profile was asked for, with the seed.
    profiled: Option<(WorkloadRef, u64)>,
    pool: Pool,
    /// The moment people look at.
    pub cursor_ms: Option<f64>,
    /// The VM and machine people look at.
    pub selection: Selection,
    /// What the custom rule that is edited was tried on last.
    tried: custom::Tried,
    /// The fourth chart, by place in the list of metrics.
    pub extra_metric: Option<usize>,
    /// What to look at, where a preset was opened.
    pub prompt: Option<&'static str>,
    /// The result that the opened link promised.
    pub promised: Option<Stamp>,
    /// How full the machines are at the end of the run that came with the page, and of the one it is compared with: 0 is
    /// empty. None where none came.
    pub example_shades: [Vec<u8>; 2],
    /// What the opened link changes of a preset.
    pub came_with: Option<(&'static Preset, Vec<Change>)>,
    /// A link from a newer version, of which only part could be read.
    as_it_came: Option<String>,
    /// What the longest run takes that somebody wanted anyway: seconds and bytes.
    approved: Option<(f64, f64)>,
    next_run: u32,
    next_lane: u32,
}

impl App {
    /// The page as it opens, and its first effects.
    #[must_use]
    pub fn open(document: Document) -> (Self, Vec<Effect>) {
        let (opened, used_rules) = (document.clone(), history::used_rules(&document));
        let mut app =
            Self { opened, used_rules, document, extra_metric: Some(3), judges_idle: true, ..Self::default() };
        app.use_engines(1);
        let effects = app.run_changed();
        (app, effects)
    }

    /// The variant in front.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        self.document.active_variant()
    }

    /// Whether a lesson waits for an answer before it shows what its run gave.
    #[must_use]
    pub fn hides_result(&self) -> bool {
        self.lesson.as_ref().is_some_and(|playing| !playing.is_revealed)
    }

    /// So many engines may work beside those on screen.
    pub fn use_engines(&mut self, engines: usize) {
        self.pool.resize(engines);
    }

    /// Takes in what happened; the effects are to be carried out in order.
    pub fn update(&mut self, message: Message) -> Vec<Effect> {
        let mut effects = self.take_in(message);
        effects.extend(self.keep_comparing());
        effects.extend(self.measure_lesson());
        effects.extend(self.try_rule());
        effects
    }

    fn take_in(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Edit(edit) => self.edit(&edit),
            Message::Undo => self.travel(true),
            Message::Redo => self.travel(false),
            Message::Reset => self.replace(self.opened.clone()),
            Message::Open(document) => self.open_document(document, None),
            Message::Preset(id) => self.preset(id),
            Message::Link(text) => self.follow(&text),
            Message::Run => self.run_or_resume(),
            Message::Pause => vec![self.front.send(Command::Pause)],
            Message::Step => self.step(),
            Message::Engine(reply) => self.reply(*reply),
            Message::EngineEnded { lane, reason, had_begun } => self.ended(lane, &reason, had_begun),
            Message::Column(column, name) => {
                let columns = self.unknown.as_mut().map(|unknown| &mut unknown.columns);
                if let Some(column) = columns.and_then(|columns| columns.get_mut(column)) {
                    *column = name;
                }
                Vec::new()
            }
            Message::Like(like) => {
                match like {
                    Like::What(what) => self.generate.like = what,
                    Like::Rate(rate) => self.generate.rate = rate,
                    Like::Days(days) => self.generate.days = days,
                }
                Vec::new()
            }
            Message::Generate => {
                let ask = Generate { seed: self.variant().seed, ..self.generate.clone() };
                self.reading =
                    Some(Reading { name: ask.like.clone(), total: 1.0, bytes: 0.0, rows: 0.0, is_drawn: true });
                vec![self.front.send(Command::Generate(ask))]
            }
            Message::DecimalCommas(has) => {
                if let Some(unknown) = &mut self.unknown {
                    unknown.has_decimal_commas = has;
                }
                Vec::new()
            }
            Message::NoColumns => {
                if let Some(unknown) = self.unknown.take() {
                    self.forget_failure(&unknown.name);
                }
                Vec::new()
            }
            Message::TraceChosen { name, bytes } => {
                // What was asked about another file is over.
                self.unknown.take_if(|unknown| unknown.name != name);
                self.reading = Some(Reading { name, total: bytes, bytes: 0.0, rows: 0.0, is_drawn: false });
                Vec::new()
            }
            Message::TraceCancel => {
                self.reading = None;
                vec![self.front.send(Command::TraceCancel)]
            }
            Message::Cursor(time) => self.look_at(time),
            Message::CursorBy(by) => {
                let end = self.front.live.as_ref().map_or(0.0, |live| live.horizon_ms);
                self.look_at(Some((self.moment() + by).clamp(0.0, end)))
            }
            Message::Machine(machine) => self.select_machine(machine),
            Message::Vm(vm) => {
                self.selection.vm = vm;
                self.selection.asked = None;
                self.rules_shown = self.rules_shown.map(|_| 0);
                std::iter::once(&mut self.front)
                    .chain(&mut self.aside)
                    .for_each(|lane| lane.answer = Explanation::default());
                self.explain()
            }
            Message::Rule(rule) => {
                self.selection.rule = rule;
                Vec::new()
            }
            Message::NewRule(group) => self.new_rule(group),
            Message::CopyRule(id) => self.copy_rule(&id),
            Message::Ask(machine) => {
                self.selection.asked = machine;
                self.explain()
            }
            Message::Front(variant) => self.bring_to_front(&variant),
            Message::Fork { at_hours } => self.fork(at_hours),
            Message::CloseVariant(variant) => self.close(&variant),
            Message::Against(variant) => {
                self.against = Some(variant);
                self.explain()
            }
            Message::StepTo(to) => {
                (self.step_to, self.rules_shown) = (to, None);
                Vec::new()
            }
            Message::Mode(mode) => {
                self.mode = mode;
                self.explain()
            }
            Message::LessonText(text) => vec![self.front.send(Command::ReadLesson { text })],
            Message::LessonStep(step) => self.lesson_step(step),
            Message::Predict(given) => {
                if let Some(playing) = &mut self.lesson {
                    playing.predict(given);
                }
                Vec::new()
            }
            Message::Reveal => self.reveal_step(),
            Message::Solve => self.show_solution(),
            Message::LeaveLesson => self.leave_lesson(),
            Message::Star(number) => self.star(number),
            Message::Reopen(number) => self.reopen(number),
            Message::CompareWith(number) => self.compare_with(number),
            Message::Freeze(freeze) => self.freeze(freeze),
            Message::WriteLesson(text) => self.write_lesson(text),
            Message::Seeds(seeds) => self.run_pairs(seeds),
            Message::Wish(wish) => {
                let variant = self.document.active_variant();
                self.wanted.take(wish, variant);
                Vec::new()
            }
            Message::Plan { name, text } => self.open_plan(&name, &text),
            Message::Size(wish) => self.begin_sizing(wish),
            Message::NoSize => {
                self.sizing = None;
                self.end_jobs(Purpose::is_of_search)
            }
            Message::Study(wish) => self.begin_study(wish),
            Message::StopStudy => {
                if let Some(study) = &mut self.study {
                    study.is_stopped = true;
                }
                self.end_jobs(Purpose::is_of_study)
            }
            Message::Question(asking) => self.ask(asking).into_iter().collect(),
            Message::Save { is_of_run, form } => {
                let run = self.front.live.as_ref().map_or(0, |live| live.run);
                let saved = if is_of_run { Saved::Vms { run } } else { Saved::Workload };
                vec![self.front.send(Command::Save(Save { saved, form, document: self.document.to_json() }))]
            }
            Message::Profile(shown) => {
                self.shows_profile = shown;
                self.ask_profile().into_iter().collect()
            }
            Message::Decisions(wish) => {
                self.wants_decisions = wish;
                self.ask_decisions().into_iter().collect()
            }
            Message::Sweep => self.run_sweep(),
            Message::StopSweep => {
                if let Some(sweep) = &mut self.sweep {
                    sweep.is_stopped = true;
                }
                self.end_jobs(Purpose::is_of_sweep)
            }
            Message::NoSweep => self.forget_sweep(),
            Message::SweepPoint(number) => self.open_point(number),
            Message::NoSeeds => self.forget_pairs(),
            Message::Baseline => {
                self.front.baseline.clone_from(&self.front.live);
                Vec::new()
            }
            Message::ExtraMetric(metric) => {
                self.extra_metric = Some(metric);
                Vec::new()
            }
            Message::ForgetImport => {
                self.imported = None;
                Vec::new()
            }
            Message::Twins => vec![self.front.send(Command::Twins { document: self.document.to_json() })],
            Message::Dismiss(index) => {
                if index < self.notices.len() {
                    self.notices.remove(index);
                }
                Vec::new()
            }
            Message::Notice(notice) => {
                self.notices.retain(|other| other.title != notice.title);
                self.notices.push(notice);
                Vec::new()
            }
        }
    }
}
