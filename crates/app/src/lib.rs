//! The state of the page: state, messages, and the effects that they cause.

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
pub mod seeking;
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
pub use self::seeking::{SeekWish, Seeking};
pub use self::shown::{Differing, Explanation, Mode, Outcome, Phase, Reading, Selection};
pub use self::sizing::{SizeWish, Sizing};
pub use self::status::ASKING_LIFETIMES;
pub use self::study::{Study, StudyWish};
pub use self::sweep::{Sweep, Wanted, Wish};

/// The version in links.
pub const ENGINE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The state of the page.
#[derive(Clone, Debug, Default)]
pub struct App {
    /// The edited document.
    pub document: Document,
    /// The document to which reset returns.
    pub opened: Document,
    /// The rules that were on at any time since then; they keep their row in the list.
    pub used_rules: BTreeSet<String>,
    /// Those of them without effect in the first run since then, until the user edits them.
    idle_rules: BTreeSet<String>,
    /// The first run since then has not ended yet.
    judges_idle: bool,
    past: Vec<Document>,
    future: Vec<Document>,
    last_edit: Option<String>,
    /// Messages to show.
    pub notices: Vec<Notice>,
    /// Loaded traces.
    pub traces: Vec<TraceCard>,
    /// The trace being read.
    pub reading: Option<Reading>,
    /// A table whose columns are unknown; the user is asked about it until the file is read.
    pub unknown: Option<Unknown>,
    /// The report on the last imported cluster or configuration, until the user closes it.
    pub imported: Option<Box<Imported>>,
    /// The next generated workload.
    pub generate: Generate,
    /// The runs of the active variant.
    pub front: Lane,
    /// Those of the others, in order.
    pub aside: Vec<Lane>,
    /// Which of them is compared with the active one; the first if this names none.
    pub against: Option<String>,
    /// What the page shows in addition to the run.
    pub mode: Mode,
    /// The end of a step.
    pub step_to: StepTo,
    /// How many rules of the displayed decision are shown, when stepping by rule; otherwise all.
    pub rules_shown: Option<usize>,
    /// Where the two compared variants first differ.
    pub differing: Option<Differing>,
    /// Both over the same seeds, if requested.
    pub paired: Option<Paired>,
    /// The lesson under way.
    pub lesson: Option<Playing>,
    /// The runs so far.
    pub log: RunLog,
    /// The user's own lesson.
    pub own_lesson: OwnLesson,
    /// The next sweep.
    pub wanted: Wanted,
    /// The last requested sweep.
    pub sweep: Option<Sweep>,
    /// The last requested search for the number of machines.
    pub sizing: Option<Sizing>,
    /// The last requested search for a better list.
    pub seeking: Option<Seeking>,
    /// The last requested study of the admission lab.
    pub study: Option<Study>,
    /// Questions to the engine, and its answers.
    pub answers: Answers,
    /// Which decisions are listed.
    pub wants_decisions: DecisionsWish,
    /// Whether the profile of the workload is shown.
    pub shows_profile: bool,
    /// The workload whose profile was requested, with the seed.
    profiled: Option<(WorkloadRef, u64)>,
    pool: Pool,
    /// The selected moment.
    pub cursor_ms: Option<f64>,
    /// The selected VM and machine.
    pub selection: Selection,
    /// The last inputs of the edited custom rule's evaluation.
    tried: custom::Tried,
    /// The fourth chart, by index in the list of metrics.
    pub extra_metric: Option<usize>,
    /// What to look at, after opening a preset.
    pub prompt: Option<&'static str>,
    /// The promised result of the opened link.
    pub promised: Option<Stamp>,
    /// The fullness of the machines at the end of the included run, and of its baseline: 0 is empty. `None` if there
    /// is none.
    pub example_shades: [Vec<u8>; 2],
    /// The opened link's changes to a preset.
    pub came_with: Option<(&'static Preset, Vec<Change>)>,
    /// A link from a newer version that was only partly readable.
    as_it_came: Option<String>,
    /// The cost of the most expensive run that the user confirmed: seconds and bytes.
    approved: Option<(f64, f64)>,
    next_run: u32,
    next_lane: u32,
}

impl App {
    /// The page at its start, and its first effects.
    #[must_use]
    pub fn open(document: Document) -> (Self, Vec<Effect>) {
        let (opened, used_rules) = (document.clone(), history::used_rules(&document));
        let mut app =
            Self { opened, used_rules, document, extra_metric: Some(3), judges_idle: true, ..Self::default() };
        app.use_engines(1);
        let effects = app.run_changed();
        (app, effects)
    }

    /// The active variant.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        self.document.active_variant()
    }

    /// Whether a lesson waits for an answer before it shows the results of its run.
    #[must_use]
    pub fn hides_result(&self) -> bool {
        self.lesson.as_ref().is_some_and(|playing| !playing.is_revealed)
    }

    /// Sets how many engines may work in addition to the displayed runs.
    pub fn use_engines(&mut self, engines: usize) {
        self.pool.resize(engines);
    }

    /// Handles a message; the effects must be carried out in order.
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
                // Questions about another file are dropped.
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
            Message::Seek(wish) => self.begin_seeking(wish),
            Message::StopSeek => self.stop_seeking(),
            Message::NoSeek => self.forget_seeking(),
            Message::FoundList(point) => self.open_found(point),
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
