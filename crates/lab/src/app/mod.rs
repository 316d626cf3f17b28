//! What the person sees and does: state, messages, and the effects they cause.

mod edit;
mod example;
mod lane;
pub mod lesson;
mod log;
mod message;
mod own;
pub mod paired;
mod pool;
mod shown;
pub mod sizing;
pub mod study;
pub mod sweep;

use std::collections::BTreeSet;

use tiebreak_i18n::{say, tell, tr};
use tiebreak_lesson::Lesson;
use tiebreak_model::{Declared, Phrase};
use tiebreak_scenario::document::VARIANTS_MAX;
use tiebreak_scenario::fork::FORKS_MAX;
use tiebreak_scenario::{Document, Opened, PRESETS, Stamp, TraceSettings, Variant, WorkloadRef};

use crate::protocol::{
    Command, Exhibit, FitCard, Forecast, Generate, Profiled, Reply, Save, Saved, Share, StepTo, TraceCard, Unknown,
};
use crate::view::{lifetimes, list, words};

pub use self::edit::Edit;
use self::edit::{apply, field_of};
pub use self::lane::Lane;
pub use self::lesson::{Given, Playing};
pub use self::log::{Logged, RunLog};
pub use self::message::{Effect, Like, Message, Notice};
pub use self::own::{Freeze, OwnLesson};
pub use self::paired::Paired;
pub use self::pool::{Gathered, POOL};
use self::pool::{Pool, Purpose};
pub use self::shown::{Answer, Differing, Mode, Outcome, Phase, Reading, Selection};
pub use self::sizing::{SizeWish, Sizing};
pub use self::study::{Fitting, Study, StudyWish};
pub use self::sweep::{Sweep, Wanted, Wish};

/// Steps that can be undone.
const HISTORY_MAX: usize = 200;

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
    past: Vec<Document>,
    future: Vec<Document>,
    last_edit: Option<String>,
    /// What to tell.
    pub notices: Vec<Notice>,
    /// Traces the engine has.
    pub traces: Vec<TraceCard>,
    /// The trace being read.
    pub reading: Option<Reading>,
    /// A file that was a table whose columns are not known.
    pub unknown: Option<Unknown>,
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
    /// The fit that was asked for last.
    pub fitting: Option<Fitting>,
    /// What was last told of what a deployment is expected to grow to, or why it cannot be.
    pub forecast: Option<Result<Box<Forecast>, Phrase>>,
    /// What the file of draws or CPU readings that was given last says, or why that cannot be told.
    pub drawn: Option<Result<Box<Exhibit>, Phrase>>,
    /// What came of trying capping on servers last, or why it cannot be tried.
    pub tried: Option<Result<Box<Exhibit>, Phrase>>,
    /// What the workload looks like, or why that cannot be told.
    pub profile: Option<Result<Box<Profiled>, Phrase>>,
    /// Whether that is shown.
    pub shows_profile: bool,
    /// The workload that it was asked for, with the seed.
    profiled: Option<(WorkloadRef, u64)>,
    pool: Pool,
    /// The moment people look at.
    pub cursor_ms: Option<f64>,
    /// The VM and machine people look at.
    pub selection: Selection,
    /// The fourth chart, by place in the list of metrics.
    pub extra_metric: Option<usize>,
    /// What to look at, where a preset was opened.
    pub prompt: Option<&'static str>,
    /// The result that the opened link promised.
    pub promised: Option<Stamp>,
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
        let (opened, used_rules) = (document.clone(), list::used_rules(&document));
        let mut app = Self { opened, used_rules, document, extra_metric: Some(3), ..Self::default() };
        app.use_engines(1);
        let effects = app.run_changed();
        (app, effects)
    }

    /// The variant in front.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        self.document.active_variant()
    }

    /// Whether there is a step to undo, and one to redo.
    #[must_use]
    pub fn can_undo_redo(&self) -> (bool, bool) {
        (!self.past.is_empty(), !self.future.is_empty())
    }

    /// Whether reset would change anything.
    #[must_use]
    pub fn can_reset(&self) -> bool {
        self.document != self.opened
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
                self.reading = Some(Reading { name: ask.like.clone(), total: 1.0, bytes: 0.0, rows: 0.0 });
                vec![self.front.send(Command::Generate(ask))]
            }
            Message::NoColumns => {
                self.unknown = None;
                Vec::new()
            }
            Message::TraceChosen { name, bytes } => {
                self.reading = Some(Reading { name, total: bytes, bytes: 0.0, rows: 0.0 });
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
                    .for_each(|lane| lane.answer = Answer::default());
                self.explain()
            }
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
            Message::Reveal => {
                if let Some(playing) = &mut self.lesson {
                    playing.given.get_or_insert(Given::Skipped);
                    playing.is_revealed = true;
                }
                Vec::new()
            }
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
                self.end_sizing()
            }
            Message::Study(wish) => self.begin_study(wish),
            Message::StopStudy => {
                if let Some(study) = &mut self.study {
                    study.is_stopped = true;
                }
                self.end_study()
            }
            Message::Fit => {
                self.fitting = Some(Fitting::Under(0.0));
                vec![self.front.send(Command::Fit { document: self.document.to_json() })]
            }
            Message::Forecast(ask) => {
                vec![self.front.send(Command::Forecast { document: self.document.to_json(), ask })]
            }
            Message::Draws(file) => {
                let live = self.front.live.as_ref();
                live.map(|live| self.front.send(Command::Draws { run: live.run, file })).into_iter().collect()
            }
            Message::TryCapping(ask) => {
                vec![self.front.send(Command::TryCapping { document: self.document.to_json(), ask })]
            }
            Message::Save { is_of_run, form } => {
                let run = self.front.live.as_ref().map_or(0, |live| live.run);
                let saved = if is_of_run { Saved::Vms { run } } else { Saved::Workload };
                vec![self.front.send(Command::Save(Save { saved, form, document: self.document.to_json() }))]
            }
            Message::Nodes(file) => vec![self.front.send(Command::Nodes { file })],
            Message::Profile(shown) => {
                self.shows_profile = shown;
                self.ask_profile().into_iter().collect()
            }
            Message::Sweep => self.run_sweep(),
            Message::StopSweep => {
                if let Some(sweep) = &mut self.sweep {
                    sweep.is_stopped = true;
                }
                self.end_sweep()
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

    fn edit(&mut self, edit: &Edit) -> Vec<Effect> {
        let mut next = self.document.clone();
        let active = next.active;
        apply(edit, &mut next, active, &self.traces);
        if next == self.document {
            return Vec::new();
        }
        let field = field_of(edit);
        if field.is_none() || field != self.last_edit || self.past.is_empty() {
            self.remember();
        }
        self.last_edit = field;
        self.future.clear();
        self.change_to(next)
    }

    fn remember(&mut self) {
        self.past.push(self.document.clone());
        if self.past.len() > HISTORY_MAX {
            self.past.remove(0);
        }
    }

    fn travel(&mut self, back: bool) -> Vec<Effect> {
        let (from, to) = if back { (&mut self.past, &mut self.future) } else { (&mut self.future, &mut self.past) };
        let Some(document) = from.pop() else { return Vec::new() };
        to.push(self.document.clone());
        self.last_edit = None;
        self.change_to(document)
    }

    fn replace(&mut self, document: Document) -> Vec<Effect> {
        if document == self.document {
            return Vec::new();
        }
        self.remember();
        self.last_edit = None;
        self.future.clear();
        self.change_to(document)
    }

    fn change_to(&mut self, document: Document) -> Vec<Effect> {
        self.document = document;
        self.used_rules.extend(list::used_rules(&self.document));
        let mut effects = vec![Effect::SaveDraft(self.document.to_json())];
        effects.extend(self.run_changed());
        effects
    }

    /// Gives every variant a lane, and runs those that are not as they were asked for last.
    fn run_changed(&mut self) -> Vec<Effect> {
        let mut lanes = std::mem::take(&mut self.aside);
        lanes.push(std::mem::take(&mut self.front));
        let mut effects = Vec::new();
        for (index, variant) in self.document.variants.iter().enumerate() {
            let known = lanes.iter().position(|lane| lane.id > 0 && lane.variant == variant.name);
            let mut lane = known.map_or_else(Lane::default, |known| lanes.swap_remove(known));
            if lane.id == 0 {
                self.next_lane += 1;
                lane = Lane::new(self.next_lane, &variant.name);
            }
            let document = Document { active: index, ..self.document.clone() };
            if lane.asked.as_ref().is_some_and(|asked| variant.runs_like(asked.active_variant())) {
                lane.rename(document);
            } else {
                self.next_run += 1;
                effects.push(lane.ask(self.next_run, &document, false));
            }
            self.aside.push(lane);
        }
        self.front = self.aside.remove(self.document.active.min(self.aside.len() - 1));
        effects.extend(lanes.iter().filter(|lane| lane.id > 0).map(|lane| Effect::Close { lane: lane.id }));
        effects
    }

    /// Asks for the profile of the workload in front, where it is shown and another one's is known.
    fn ask_profile(&mut self) -> Option<Effect> {
        let workload = Some((self.variant().workload.clone(), self.variant().seed));
        let is_known = self.profiled == workload && !matches!(self.profile, Some(Err(_)));
        if is_known || !self.shows_profile {
            return None;
        }
        (self.profiled, self.profile) = (workload, None);
        Some(self.front.send(Command::Profile { document: self.document.to_json() }))
    }

    /// Opens another document: it becomes what reset goes back to, and can be undone.
    fn open_document(&mut self, document: Document, promised: Option<Stamp>) -> Vec<Effect> {
        self.opened = document.clone();
        self.used_rules = list::used_rules(&document);
        self.promised = promised;
        self.prompt = None;
        std::iter::once(&mut self.front).chain(&mut self.aside).for_each(Lane::forget);
        self.selection = Selection::default();
        self.cursor_ms = None;
        if document == self.document {
            return self.run_changed();
        }
        let mut effects = self.replace(document);
        effects.retain(|effect| !matches!(effect, Effect::SaveDraft(_)));
        effects
    }

    fn preset(&mut self, id: &str) -> Vec<Effect> {
        match PRESETS.iter().find(|preset| preset.id == id) {
            Some(preset) => {
                let effects = self.open_document((preset.make)(), None);
                self.prompt = Some(preset.help);
                effects
            }
            None => Vec::new(),
        }
    }

    fn follow(&mut self, text: &str) -> Vec<Effect> {
        match tiebreak_scenario::decode(text) {
            Ok(Opened { document, issues, stamp, newer }) => {
                self.as_it_came = newer.then(|| text.to_owned());
                if !issues.is_empty() {
                    let title = if newer {
                        tr("This link comes from a newer version")
                    } else {
                        tr("Part of the link could not be read")
                    };
                    let lines = issues.iter().map(ToString::to_string).collect();
                    self.notices.push(Notice::bad(title, lines));
                }
                self.open_document(document, stamp)
            }
            Err(error) => {
                self.notices.push(Notice::bad(tr("This link could not be opened"), vec![error.to_string()]));
                Vec::new()
            }
        }
    }

    /// The runs of the variant that the one in front is compared with.
    #[must_use]
    pub fn against(&self) -> Option<&Lane> {
        let named = self.aside.iter().find(|lane| Some(&lane.variant) == self.against.as_ref());
        named.or_else(|| self.aside.first())
    }

    /// The name that the next fork gets.
    #[must_use]
    pub fn next_variant(&self) -> String {
        self.document.free_letter()
    }

    /// What is compared follows what is on screen.
    fn keep_comparing(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        let stale = self.paired.as_ref().is_some_and(|paired| {
            let against =
                self.against().and_then(|lane| self.document.variants.iter().find(|it| it.name == lane.variant));
            against.is_none_or(|against| [self.variant(), against] != [&paired.variants[0], &paired.variants[1]])
        });
        if stale {
            effects.extend(self.forget_pairs());
        }
        let runs = (self.mode == Mode::Compare)
            .then(|| self.against())
            .flatten()
            .filter(|against| against.phase == Phase::Finished && self.front.phase == Phase::Finished)
            .map(|against| (self.front.run, against.run));
        let Some(runs) = runs else { return effects };
        if self.differing.as_ref().is_none_or(|known| known.runs != runs) {
            self.differing = Some(Differing { runs, ..Differing::default() });
            effects.extend(self.against().map(|against| against.send(Command::Placements { run: runs.1 })));
        }
        effects
    }

    fn begin_lesson(&mut self, lesson: Lesson) -> Vec<Effect> {
        let before = self.lesson.take().map_or_else(|| self.document.clone(), |playing| playing.before);
        self.lesson = Some(Playing::new(lesson, before));
        self.show_step()
    }

    fn lesson_step(&mut self, step: usize) -> Vec<Effect> {
        let moved = self.lesson.as_mut().is_some_and(|playing| playing.go_to(step));
        if moved { self.show_step() } else { Vec::new() }
    }

    /// The scenario of the lesson's step, run from the beginning.
    fn show_step(&mut self) -> Vec<Effect> {
        let Some(document) = self.lesson.as_ref().and_then(Playing::document) else { return Vec::new() };
        self.mode = Mode::Lesson;
        self.against = None;
        self.open_document(document, None)
    }

    /// What was open before the lesson is open again.
    fn leave_lesson(&mut self) -> Vec<Effect> {
        let Some(playing) = self.lesson.take() else { return Vec::new() };
        self.mode = Mode::Explore;
        let mut effects = self.open_document(playing.before, None);
        effects.push(Effect::SaveDraft(self.document.to_json()));
        effects
    }

    /// Asks the runs for what the lesson says of them, once they are over.
    fn measure_lesson(&mut self) -> Vec<Effect> {
        let against = self.against().map(|lane| (lane.id, lane.run, lane.phase == Phase::Finished));
        let Some(playing) = &mut self.lesson else { return Vec::new() };
        let runs = (self.front.run, against.map(|(_, run, _)| run));
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

    fn forget_pairs(&mut self) -> Vec<Effect> {
        self.paired = None;
        let mut effects = self.pool.cancel(|purpose| matches!(purpose, Purpose::Pair { .. }), &mut self.next_run);
        effects.extend(self.pool.rest());
        effects
    }

    /// Runs both variants over so many more seeds.
    fn run_pairs(&mut self, seeds: usize) -> Vec<Effect> {
        let place = |name: &String| self.document.variants.iter().position(|it| it.name == *name);
        let Some(against) = self.against().and_then(|lane| place(&lane.variant)) else { return Vec::new() };
        let new = || Paired::new(&self.document, self.document.active, against);
        let jobs = self.paired.get_or_insert_with(new).more(seeds);
        self.pool.add(jobs, &mut self.next_run)
    }

    fn run_sweep(&mut self) -> Vec<Effect> {
        match Sweep::new(&self.document, &self.wanted) {
            Ok(sweep) => {
                let mut effects = self.forget_sweep();
                effects.extend(self.pool.add(sweep.jobs(), &mut self.next_run));
                self.sweep = Some(sweep);
                effects
            }
            Err(faults) => self.take_in(Message::Notice(Notice::bad(tr("This cannot be swept"), faults))),
        }
    }

    /// Puts the scenario of a plan in front, and the rest of it where the next sweep is set.
    fn open_plan(&mut self, name: &str, text: &str) -> Vec<Effect> {
        match sweep::open(text) {
            Ok(plan) => {
                let mut effects = self.forget_sweep();
                self.wanted = plan.wanted;
                effects.extend(self.open_document(plan.document, None));
                if !plan.left_out.is_empty() {
                    let notice = Notice::bad(say("The page cannot sweep all of {name}", &[&name]), plan.left_out);
                    effects.extend(self.take_in(Message::Notice(notice)));
                }
                effects
            }
            Err(faults) => {
                let notice = Notice::bad(say("{name} is no plan that can be opened", &[&name]), faults);
                self.take_in(Message::Notice(notice))
            }
        }
    }

    fn forget_sweep(&mut self) -> Vec<Effect> {
        self.sweep = None;
        self.end_sweep()
    }

    /// Ends the engines of the sweep.
    fn end_sweep(&mut self) -> Vec<Effect> {
        let mut effects = self.pool.cancel(|purpose| matches!(purpose, Purpose::Sweep { .. }), &mut self.next_run);
        effects.extend(self.pool.rest());
        effects
    }

    /// Asks what the workload needs at least; the search begins with the answer.
    fn begin_sizing(&mut self, wish: SizeWish) -> Vec<Effect> {
        let mut effects = self.end_sizing();
        let sizing = Sizing::new(&self.document, wish);
        let SizeWish { is_suggested, reject_pct, .. } = sizing.wish;
        let document = sizing.document().to_json();
        effects.push(self.front.send(Command::Needs { document, is_suggested, reject_pct }));
        self.sizing = Some(sizing);
        effects
    }

    /// Ends the engines of the search.
    fn end_sizing(&mut self) -> Vec<Effect> {
        let mut effects = self.pool.cancel(|purpose| matches!(purpose, Purpose::Size { .. }), &mut self.next_run);
        effects.extend(self.pool.rest());
        effects
    }

    /// Runs the cluster over years as a study wants it.
    fn begin_study(&mut self, wish: StudyWish) -> Vec<Effect> {
        let mut effects = self.end_study();
        let mut study = Study::new(&self.document, wish);
        effects.extend(self.pool.add(study.jobs(), &mut self.next_run));
        self.study = Some(study);
        effects
    }

    /// Ends the engines of the study.
    fn end_study(&mut self) -> Vec<Effect> {
        let mut effects = self.pool.cancel(|purpose| matches!(purpose, Purpose::Study { .. }), &mut self.next_run);
        effects.extend(self.pool.rest());
        effects
    }

    /// A point of the sweep beside what is on screen, as a variant of its own.
    fn open_point(&mut self, number: usize) -> Vec<Effect> {
        let Some(variant) = self.sweep.as_ref().and_then(|sweep| sweep.variant(number)) else { return Vec::new() };
        self.open_beside(variant)
    }

    /// A variant beside those on screen, in front of them.
    fn open_beside(&mut self, mut variant: Variant) -> Vec<Effect> {
        let mut document = self.document.clone();
        if document.variants.len() >= VARIANTS_MAX {
            let line = say("Expected at most {VARIANTS_MAX} variants; close one to open another.", &[&VARIANTS_MAX]);
            self.notices.push(Notice::bad(tr("No room for another variant"), vec![line]));
            return Vec::new();
        }
        variant.name = document.free_letter();
        document.variants.push(variant);
        document.active = document.variants.len() - 1;
        self.against = Some(self.front.variant.clone());
        self.mode = Mode::Compare;
        self.replace(document)
    }

    /// One of the pool's runs speaks.
    fn hear_pool(&mut self, run: u32, reply: Reply) -> Vec<Effect> {
        let (done, mut effects) = self.pool.hear(run, reply, &mut self.next_run);
        if let Some((purpose, gathered)) = done {
            effects.extend(self.take_job(purpose, gathered));
            effects.extend(self.pool.rest());
        }
        effects
    }

    /// What came out of a run of the pool; the effects that begin what it makes wanted.
    fn take_job(&mut self, purpose: Purpose, gathered: Gathered) -> Vec<Effect> {
        match purpose {
            Purpose::Pair { seed, front } => {
                if let Some(paired) = &mut self.paired {
                    paired.take(seed, front, gathered);
                }
            }
            Purpose::Size { seed } => {
                let next = self.sizing.as_mut().and_then(|sizing| sizing.take(seed, gathered));
                return match &self.sizing {
                    Some(Sizing { failure: Some(_), .. }) => self.end_sizing(),
                    _ => self.pool.add(next, &mut self.next_run),
                };
            }
            Purpose::Study { case, run } => {
                if let Some(study) = &mut self.study {
                    study.take(case, run, gathered);
                    return self.pool.add(study.jobs(), &mut self.next_run);
                }
            }
            Purpose::Sweep { number } => {
                if let Some(sweep) = &mut self.sweep {
                    sweep.take(number, gathered);
                }
            }
        }
        Vec::new()
    }

    /// The lanes that are shown: that of the variant in front, and where two are compared the other
    /// one; in the order of the document.
    #[must_use]
    pub fn shown_lanes(&self) -> Vec<&Lane> {
        let against = (self.mode == Mode::Compare).then(|| self.against()).flatten();
        let mut lanes: Vec<_> = std::iter::once(&self.front).chain(against).collect();
        lanes.sort_by_key(|lane| self.document.variants.iter().position(|variant| variant.name == lane.variant));
        lanes
    }

    /// Another variant to the front. Nothing is lost by it, so it is no step to undo.
    fn bring_to_front(&mut self, variant: &str) -> Vec<Effect> {
        let Some(index) = self.document.variants.iter().position(|it| it.name == variant) else { return Vec::new() };
        if index == self.document.active {
            return Vec::new();
        }
        self.against = Some(self.front.variant.clone());
        self.last_edit = None;
        let document = Document { active: index, ..self.document.clone() };
        let mut effects = self.change_to(document);
        effects.extend(self.ask_machine());
        effects
    }

    /// The variant in front once more, beside it, from the start or from a moment on; the new one is
    /// in front then, and both are kept.
    fn fork(&mut self, at_hours: Option<f64>) -> Vec<Effect> {
        let mut document = self.document.clone();
        if document.variants.len() >= VARIANTS_MAX {
            let line = say("Expected at most {VARIANTS_MAX} variants; close one to fork again.", &[&VARIANTS_MAX]);
            self.notices.push(Notice::bad(tr("No room for another variant"), vec![line]));
            return Vec::new();
        }
        let Some(forked) = document.fork(document.active, at_hours) else {
            let line = say(
                "Expected at most {FORKS_MAX} branches one after the other; fork from the start instead.",
                &[&FORKS_MAX],
            );
            self.notices.push(Notice::bad(tr("No room for another branch"), vec![line]));
            return Vec::new();
        };
        document.active = forked;
        self.against = Some(self.front.variant.clone());
        self.mode = Mode::Compare;
        self.replace(document)
    }

    fn close(&mut self, variant: &str) -> Vec<Effect> {
        let mut document = self.document.clone();
        let Some(index) = document.variants.iter().position(|it| it.name == variant) else { return Vec::new() };
        if document.variants.len() == 1 {
            return Vec::new();
        }
        document.variants.remove(index);
        document.active -= usize::from(document.active > index || document.active == document.variants.len());
        if document.variants.len() == 1 {
            self.mode = Mode::Explore;
        }
        self.replace(document)
    }

    fn start_run(&mut self, paused: bool) -> Vec<Effect> {
        self.next_run += 1;
        vec![self.front.ask(self.next_run, &self.document, paused)]
    }

    fn run_or_resume(&mut self) -> Vec<Effect> {
        match self.front.phase {
            Phase::Paused => {
                self.front.phase = Phase::Running;
                vec![self.front.send(Command::Resume)]
            }
            Phase::Costly { seconds, bytes, .. } => self.run_anyway(seconds, bytes),
            _ => self.start_run(false),
        }
    }

    /// Runs that wait because they take long are made, and those after them that take no more than twice as much.
    fn run_anyway(&mut self, seconds: f64, bytes: f64) -> Vec<Effect> {
        self.approved = Some((seconds, bytes));
        let lanes = std::iter::once(&mut self.front).chain(&mut self.aside);
        let waiting = lanes.filter(|lane| matches!(lane.phase, Phase::Costly { .. }));
        waiting.map(Lane::run_anyway).collect()
    }

    fn step(&mut self) -> Vec<Effect> {
        if self.step_to == StepTo::Rule {
            let rules = self.front.answer.attempts.last().map_or(0, |last| last.funnel.len());
            let shown = self.rules_shown.map_or(0, |shown| shown + 1);
            // After the last rule comes the choice, and then the next VM.
            if self.rules_shown.is_some() && shown <= rules {
                self.rules_shown = Some(shown);
                return Vec::new();
            }
            self.rules_shown = Some(0);
        }
        let mut effects = match self.front.phase {
            Phase::Paused | Phase::Running => Vec::new(),
            _ => self.start_run(true),
        };
        effects.push(self.front.send(Command::Step { to: self.step_to }));
        effects
    }

    fn look_at(&mut self, time: Option<f64>) -> Vec<Effect> {
        self.cursor_ms = time;
        let mut effects = self.ask_machine();
        effects.extend(self.ask_moment());
        effects
    }

    /// Asks how the machines on screen stood at the moment that people look at.
    fn ask_moment(&mut self) -> Vec<Effect> {
        let Some(time) = self.cursor_ms else { return Vec::new() };
        let shown: Vec<u32> = self.shown_lanes().iter().map(|lane| lane.id).collect();
        let lanes = std::iter::once(&mut self.front).chain(&mut self.aside);
        lanes.filter(|lane| shown.contains(&lane.id)).filter_map(|lane| lane.look_at(time)).collect()
    }

    fn select_machine(&mut self, machine: Option<u32>) -> Vec<Effect> {
        self.selection.machine = machine;
        self.selection.vms.clear();
        self.selection.about = Phrase::default();
        self.selection.life = None;
        self.ask_machine()
    }

    /// The moment on screen.
    #[must_use]
    pub fn moment(&self) -> f64 {
        self.cursor_ms.unwrap_or(self.front.time_ms)
    }

    fn ask_machine(&self) -> Vec<Effect> {
        let (Some(machine), Some(live)) = (self.selection.machine, &self.front.live) else { return Vec::new() };
        vec![self.front.send(Command::Machine { run: live.run, machine, time_ms: self.moment() })]
    }

    /// Asks about the VM: the variant in front, and the one it is compared with.
    fn explain(&mut self) -> Vec<Effect> {
        let Selection { vm, asked, .. } = &self.selection;
        if vm.is_empty() {
            return Vec::new();
        }
        let ask = |lane: &Lane| {
            let run = lane.live.as_ref()?.run;
            Some(lane.send(Command::Explain { run, vm: vm.clone(), asked: *asked }))
        };
        let against = (self.mode == Mode::Compare).then(|| self.against()).flatten();
        std::iter::once(&self.front).chain(against).filter_map(ask).collect()
    }

    fn ended(&mut self, lane: u32, reason: &str, had_begun: bool) -> Vec<Effect> {
        if lane >= POOL {
            let (done, mut effects) = self.pool.died(lane, reason, &mut self.next_run);
            if let Some((purpose, gathered)) = done {
                effects.extend(self.take_job(purpose, gathered));
            }
            effects.extend(self.pool.rest());
            return effects;
        }
        let (title, line) = match had_begun {
            true => (
                tr("The engine stopped and was started again"),
                tr("Your scenario is as you left it; files may have to be given again."),
            ),
            false => (
                tr("The engine could not be started"),
                tr("Your scenario is as you left it. Press Run to try again, or reload the page."),
            ),
        };
        let notice = Notice::bad(title, vec![reason.into(), line.into()]);
        // None of several engines could be started: that is one thing to tell.
        self.notices.retain(|other| had_begun || *other != notice);
        self.notices.push(notice);
        if lane == self.front.id {
            self.traces.clear();
            self.reading = None;
            self.answer_for_the_engine(reason);
        }
        let mut lanes = std::iter::once(&mut self.front).chain(&mut self.aside);
        if let Some(lane) = lanes.find(|it| it.id == lane) {
            lane.stopped();
        }
        Vec::new()
    }

    /// What the engine in front was asked and will not answer any more has this for its answer.
    fn answer_for_the_engine(&mut self, reason: &str) {
        if self.shows_profile && self.profile.is_none() {
            self.profile = Some(Err(Phrase::text(reason.to_owned())));
        }
        if let Some(Fitting::Under(_)) = self.fitting {
            self.fitting = Some(Fitting::Over(Err(Phrase::text(reason.to_owned()))));
        }
        if let Some(sizing) = self.sizing.as_mut().filter(|sizing| sizing.needs.is_none()) {
            sizing.failure.get_or_insert_with(|| Phrase::text(reason.to_owned()));
        }
    }

    /// The lane of a run, if it is the newest one there.
    fn lane_of(&mut self, run: u32) -> Option<&mut Lane> {
        std::iter::once(&mut self.front).chain(&mut self.aside).find(|lane| lane.run == run)
    }

    fn reply(&mut self, reply: Reply) -> Vec<Effect> {
        if let Some(run) = reply.run().filter(|run| self.pool.has(*run)) {
            return self.hear_pool(run, reply);
        }
        match reply {
            Reply::Lesson(lesson) => self.begin_lesson(*lesson),
            Reply::Moment { run, time_ms } => {
                let now = self.cursor_ms;
                self.lane_of(run).and_then(|lane| lane.looked(time_ms, now)).into_iter().collect()
            }
            Reply::Frozen(lesson) => self.frozen(lesson),
            Reply::NoLesson { issues } => {
                self.notices.push(Notice::bad(tr("This is no lesson that can be shown"), issues));
                Vec::new()
            }
            Reply::Measures { run, measures, values } => {
                if let Some(playing) = &mut self.lesson {
                    playing.take(run, &measures, &values);
                }
                Vec::new()
            }
            Reply::Placements { run } => {
                let Some(known) = self.differing.as_ref().filter(|known| known.runs.1 == run) else {
                    return Vec::new();
                };
                vec![self.front.send(Command::Differ { run: known.runs.0, other: run })]
            }
            Reply::Differences { run, other, first, count } => {
                if let Some(known) = self.differing.as_mut().filter(|known| known.runs == (run, other)) {
                    (known.first, known.count) = (first, Some(count));
                }
                Vec::new()
            }
            // Clusters over years run in the pool alone.
            Reply::Ready | Reply::Years { .. } => Vec::new(),
            Reply::Fitting { share, result } => {
                let over = |result: Result<Box<FitCard>, Phrase>| Fitting::Over(result);
                self.fitting = Some(result.map_or(Fitting::Under(share), over));
                Vec::new()
            }
            Reply::Forecast(forecast) => {
                self.forecast = Some(forecast);
                Vec::new()
            }
            Reply::Drawn(drawn) => {
                self.drawn = Some(drawn);
                Vec::new()
            }
            Reply::NotSaved(why) => {
                self.notices.push(Notice::bad(tr("The file could not be saved"), vec![why]));
                Vec::new()
            }
            Reply::Nodes(Ok(machines)) => self.edit(&Edit::Machines(machines)),
            Reply::Nodes(Err(why)) => {
                self.notices.push(Notice::bad(tr("This list of machines could not be read"), vec![tell(&why)]));
                Vec::new()
            }
            Reply::Needs(needs) => {
                let waits = self.sizing.as_mut().filter(|sizing| sizing.needs.is_none());
                let jobs = waits.map_or(Vec::new(), |sizing| sizing.begin(needs));
                self.pool.add(jobs, &mut self.next_run)
            }
            Reply::Profile(profile) => {
                self.profile = Some(profile);
                Vec::new()
            }
            Reply::Tried(tried) => {
                self.tried = Some(tried);
                Vec::new()
            }
            Reply::Power { run, exhibits } => {
                let lane = self.lane_of(run);
                if let Some(live) = lane.and_then(|lane| lane.live.as_mut()).filter(|live| live.run == run) {
                    live.power = exhibits;
                }
                Vec::new()
            }
            Reply::TraceProgress { bytes, rows } => {
                if let Some(reading) = &mut self.reading {
                    (reading.bytes, reading.rows) = (bytes, rows);
                }
                Vec::new()
            }
            Reply::TraceLoaded(card) => {
                self.unknown = None;
                self.trace_loaded(card)
            }
            Reply::TraceFailed { message, unknown } => {
                let name = self.reading.take().map_or(tr("The file").into(), |reading| reading.name);
                // What was chosen for the same lines before stays chosen.
                let before = self.unknown.take();
                self.unknown = unknown.map(|new| before.filter(|before| before.rows == new.rows).unwrap_or(new));
                self.notices.push(Notice::bad(say("{name} could not be read", &[&name]), vec![tell(&message)]));
                Vec::new()
            }
            Reply::TraceNeeded { run, fingerprint, name, sample } => {
                if let Some(lane) = self.lane_of(run) {
                    lane.phase = Phase::NeedsTrace { fingerprint, name, sample: TraceSettings::from_values(&sample) };
                }
                Vec::new()
            }
            Reply::Costly { run, told, seconds, bytes } => {
                let is_approved = self.approved.is_some_and(|(s, b)| seconds <= 2.0 * s && bytes <= 2.0 * b);
                let Some(lane) = self.lane_of(run) else { return Vec::new() };
                if is_approved {
                    return vec![lane.send(Command::RunAnyway { run })];
                }
                lane.phase = Phase::Costly { told, seconds, bytes };
                Vec::new()
            }
            Reply::Learning { run, share, paused } => {
                if let Some(lane) = self.lane_of(run) {
                    lane.learns(share, paused);
                }
                Vec::new()
            }
            Reply::Started { run, layout, horizon_ms, warning, doubts, outliers, learned, vdcs } => {
                if self.front.run == run {
                    self.cursor_ms = self.cursor_ms.filter(|time| *time <= horizon_ms);
                }
                let lane = self.lane_of(run);
                let told = (warning, doubts, outliers);
                let mut effects =
                    lane.map_or_else(Vec::new, |lane| lane.started(layout, horizon_ms, told, (learned, vdcs)));
                effects.extend(self.ask_profile());
                effects
            }
            Reply::Progress(progress) => self.progress(progress),
            Reply::Finished { run, result, frame_times, failed } => {
                let Some(lane) = self.lane_of(run) else { return Vec::new() };
                let Some(live) = lane.live.as_mut().filter(|live| live.run == run) else { return Vec::new() };
                (live.result, live.frame_times, live.failed) = (Some(result), frame_times, failed);
                lane.phase = Phase::Finished;
                let has_power = lane.live.as_ref().is_some_and(|live| live.layout.has_power);
                let power = has_power.then(|| lane.send(Command::Power { run }));
                let mut effects = self.finished(run);
                effects.extend(power);
                effects
            }
            Reply::Failed { run, message } => {
                if let Some(lane) = self.lane_of(run) {
                    lane.phase = Phase::Failed(message);
                }
                Vec::new()
            }
            Reply::Explained { run, vm, attempts, story, message } => {
                let mut lanes = std::iter::once(&mut self.front).chain(&mut self.aside);
                let shown = lanes.find(|lane| lane.live.as_ref().is_some_and(|live| live.run == run));
                if let Some(lane) = shown.filter(|_| vm == self.selection.vm) {
                    lane.answer = Answer { attempts, story, message };
                }
                Vec::new()
            }
            Reply::Machine { run, machine, about, life, vms, .. } => {
                let shown = self.front.live.as_ref().is_some_and(|live| live.run == run);
                if shown && self.selection.machine == Some(machine) {
                    self.selection.life = life;
                    (self.selection.about, self.selection.vms) = (about, vms);
                }
                Vec::new()
            }
        }
    }

    /// A new trace becomes the workload, unless the run was waiting for it.
    fn trace_loaded(&mut self, card: TraceCard) -> Vec<Effect> {
        let asked_for = self.reading.take().is_some();
        let fingerprint = card.fingerprint.clone();
        if card.faulty > 0.0 {
            let rows = words::counted(card.faulty, "row was", "rows were");
            self.notices.push(Notice::bad(
                say("{rows} left out of {}", &[&rows, &card.name]),
                card.faults.iter().map(tell).collect(),
            ));
        }
        self.traces.retain(|trace| trace.fingerprint != fingerprint);
        self.traces.push(card);
        let wanted = matches!(&self.variant().workload, WorkloadRef::Trace { fingerprint: used, .. }
            if format!("{used:032x}") == fingerprint);
        if let (false, Phase::NeedsTrace { fingerprint: expected, name, .. }) = (wanted, &self.front.phase) {
            let line = say(
                "Expected {name} with fingerprint {expected}, got {fingerprint}. The scenario runs on the new file now; \
                 Undo goes back to waiting for the other.",
                &[&name, &expected, &fingerprint],
            );
            self.notices.push(Notice::bad(tr("This is another trace than the scenario was made for"), vec![line]));
        }
        let waits =
            |lane: &Lane| matches!(&lane.phase, Phase::NeedsTrace { fingerprint: it, .. } if *it == fingerprint);
        self.aside.iter_mut().filter(|lane| waits(lane)).for_each(Lane::forget);
        match (wanted, asked_for) {
            // The engine begins the run that waits for it.
            (true, _) => {
                if matches!(self.front.phase, Phase::NeedsTrace { .. }) {
                    self.front.phase = Phase::Running;
                }
                self.run_changed()
            }
            (false, true) => self.use_own(fingerprint),
            (false, false) => Vec::new(),
        }
    }

    /// A trace that somebody gave becomes the workload; what changes with it is told.
    fn use_own(&mut self, fingerprint: String) -> Vec<Effect> {
        let before = self.variant().clone();
        let effects = self.edit(&Edit::UseTrace { fingerprint });
        let (now, mut lines) = (self.variant(), Vec::new());
        if now.agents != before.agents {
            let agents = |it: &Variant| [it.agents.decision_ms, it.agents.publish_ms].map(|ms| words::count(ms as f64));
            let ([decide, publish], [decided, published]) = (agents(now), agents(&before));
            lines.push(say(
                "Agents decide in {decide} ms and publish in {publish} ms. The {decided} and {published} ms before were for a \
                 small part of a zone's requests; if your trace is one, set \"slowdown\" under Agents.",
                &[&decide, &publish, &decided, &published],
            ));
        }
        if now.measures.measured_from_hours > before.measures.measured_from_hours {
            let hours = words::trimmed(now.measures.measured_from_hours, 2);
            lines.push(say("Means over time begin with the first request, after {hours} hours.", &[&hours]));
        }
        if !lines.is_empty() {
            self.notices.push(Notice::good(tr("Set for your trace"), lines));
        }
        effects
    }

    fn progress(&mut self, progress: crate::protocol::Progress) -> Vec<Effect> {
        let run = progress.run;
        let stepped = self.lane_of(run).and_then(|lane| lane.progress(progress));
        match stepped.filter(|_| run == self.front.run) {
            Some(vm) => {
                self.cursor_ms = None;
                self.update(Message::Vm(vm))
            }
            None => Vec::new(),
        }
    }

    /// A run is over: what people look at is asked for again.
    fn finished(&mut self, run: u32) -> Vec<Effect> {
        let is_front = run == self.front.run;
        if is_front {
            self.log_run();
        }
        let mut effects = if is_front { self.ask_machine() } else { Vec::new() };
        effects.extend(self.ask_moment());
        effects.extend(self.explain());
        effects
    }

    /// What the run is doing, in a few words. It changes with the phase and not with every
    /// step of progress, because it is read out loud to some.
    #[must_use]
    pub fn status(&self) -> String {
        if let Some(reading) = &self.reading {
            return say("Reading {}", &[&reading.name]);
        }
        match &self.front.phase {
            Phase::Idle => tr("Starting").into(),
            Phase::Running if self.front.learning.is_some() && lifetimes::is_asked(self) => {
                tr("Learning lifetimes").into()
            }
            Phase::Paused if self.front.learning.is_some() && lifetimes::is_asked(self) => {
                tr("Paused while learning lifetimes").into()
            }
            Phase::Running if self.front.learning.is_some() => tr("Learning what VMs use").into(),
            Phase::Paused if self.front.learning.is_some() => tr("Paused while learning what VMs use").into(),
            Phase::Running => tr("Running").into(),
            Phase::Paused => say("Paused at {}", &[&words::time(self.front.time_ms)]),
            Phase::NeedsTrace { name, .. } => say("Waiting for the trace {name}", &[&name]),
            Phase::Costly { .. } => tr("Waiting for your go-ahead: this run will take a while").into(),
            Phase::Failed(message) => tell(message),
            Phase::Finished => self.finished_status(),
        }
    }

    /// How far what takes long has come: the share done, and the same in words.
    #[must_use]
    pub fn progress_so_far(&self) -> Option<(f64, String)> {
        if let Some(Reading { total, bytes, rows, .. }) = &self.reading {
            let share = if *total > 0.0 { (bytes / total).min(1.0) } else { 0.0 };
            let words = say("{} of {}, {} rows", &[&words::bytes(*bytes), &words::bytes(*total), &words::count(*rows)]);
            return Some((share, words));
        }
        if let Some(share) = self.front.learning {
            return Some((share, say("{} % learned", &[&words::fixed(100.0 * share, 0)])));
        }
        let horizon = self.front.live.as_ref().map(|live| live.horizon_ms).filter(|horizon| *horizon > 0.0)?;
        let words = || say("{} of {}", &[&words::time(self.front.time_ms), &words::time(horizon)]);
        (self.front.phase == Phase::Running).then(|| ((self.front.time_ms / horizon).min(1.0), words()))
    }

    fn finished_status(&self) -> String {
        let Some(result) = self.front.live.as_ref().and_then(|live| live.result.as_ref()) else {
            return tr("Done").into();
        };
        let vms = words::counted(f64::from(self.front.decided.1), "VM", "VMs");
        let took = match result.wall_ms {
            // The run that came with the page.
            0.0 => say("Done: {}", &[&vms]),
            wall_ms => say("Done: {} in {} s", &[&vms, &words::fixed(wall_ms / 1_000.0, 2)]),
        };
        match self.reproduction() {
            Some(true) => say("{took}; reproduced", &[&took]),
            Some(false) => say("{took}; differs from the link's result", &[&took]),
            None => took,
        }
    }

    /// Whether the run gives what the opened link promised; none when it promised nothing
    /// or the scenario was changed since.
    #[must_use]
    pub fn reproduction(&self) -> Option<bool> {
        let stamp = self.promised.as_ref()?;
        let live = self.front.live.as_ref().filter(|live| live.document == self.opened)?;
        Some(live.result.as_ref()?.digest == format!("{:016x}", stamp.digest))
    }

    /// The part of an address behind `#` that opens what is on screen, with the result's
    /// digest when there is one.
    #[must_use]
    pub fn link(&self) -> String {
        if let Some(link) = self.as_it_came.as_ref().filter(|_| self.document == self.opened) {
            return link.rsplit('#').next().unwrap_or_default().to_owned();
        }
        let finished = self.front.live.as_ref().filter(|live| live.document == self.document);
        let digest = finished.and_then(|live| live.result.as_ref()).map(|result| result.digest.as_str());
        let stamp = digest.and_then(|digest| u64::from_str_radix(digest, 16).ok());
        let stamp = stamp.map(|digest| Stamp { engine: ENGINE_VERSION.into(), digest });
        tiebreak_scenario::encode(&self.document, stamp.as_ref())
    }

    /// What a rule did to its stage's candidates in the run on screen.
    #[must_use]
    pub fn share(&self, rule: &str) -> Option<&Share> {
        let live = self.front.live.as_ref().and_then(|outcome| outcome.result.as_ref());
        let before = self.front.baseline.as_ref().filter(|before| !before.is_example);
        let result = live.or_else(|| before?.result.as_ref())?;
        result.rule_shares.iter().find(|share| share.rule == rule)
    }
}
