//! What the person sees and does: state, messages, and the effects they cause.

mod edit;
mod message;
mod shown;

use std::collections::BTreeSet;

use tiebreak_scenario::{Document, Opened, PRESETS, Stamp, Variant, WorkloadRef};

use crate::protocol::{Command, Layout, Reply, RunResult, Share, TraceCard};
use crate::view::{list, words};

pub use self::edit::Edit;
use self::edit::{apply, field_of};
pub use self::message::{Effect, Message, Notice};
pub use self::shown::{Outcome, Phase, Reading, Selection};

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
    /// The run on screen.
    pub live: Option<Outcome>,
    /// The run it is compared with.
    pub baseline: Option<Outcome>,
    /// Where the run stands.
    pub phase: Phase,
    /// Simulated time reached.
    pub time_ms: f64,
    /// How much a predictor of lifetimes has learned, 0 to 1, while it does.
    pub learning: Option<f64>,
    /// VMs decided, of how many.
    pub decided: (u32, u32),
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
    next_run: u32,
}

impl App {
    /// The page as it opens, and its first effects.
    #[must_use]
    pub fn open(document: Document) -> (Self, Vec<Effect>) {
        let (opened, used_rules) = (document.clone(), list::used_rules(&document));
        let mut app = Self { opened, used_rules, document, extra_metric: Some(3), ..Self::default() };
        let effects = app.start_run(false);
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

    /// Takes in what happened; the effects are to be carried out in order.
    pub fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Edit(edit) => self.edit(&edit),
            Message::Undo => self.travel(true),
            Message::Redo => self.travel(false),
            Message::Reset => self.replace(self.opened.clone()),
            Message::Open(document) => self.open_document(document, None),
            Message::Preset(id) => self.preset(id),
            Message::Link(text) => self.follow(&text),
            Message::Run => self.run_or_resume(),
            Message::Pause => vec![Effect::Send(Command::Pause)],
            Message::Step => self.step(),
            Message::Engine(reply) => self.reply(*reply),
            Message::EngineRestarted { reason } => self.restarted(reason),
            Message::TraceChosen { name, bytes } => {
                self.reading = Some(Reading { name, total: bytes, bytes: 0.0, rows: 0.0 });
                Vec::new()
            }
            Message::TraceCancel => {
                self.reading = None;
                vec![Effect::Send(Command::TraceCancel)]
            }
            Message::Cursor(time) => self.look_at(time),
            Message::Machine(machine) => self.select_machine(machine),
            Message::Vm(vm) => {
                self.selection.vm = vm;
                (self.selection.asked, self.selection.message) = (None, None);
                self.selection.attempts.clear();
                self.selection.story.clear();
                self.explain()
            }
            Message::Ask(machine) => {
                self.selection.asked = machine;
                self.explain()
            }
            Message::Baseline => {
                self.baseline.clone_from(&self.live);
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
        let renamed_only = {
            let named = Document { name: document.name.clone(), ..self.document.clone() };
            named == document
        };
        self.document = document;
        self.used_rules.extend(list::used_rules(&self.document));
        let mut effects = vec![Effect::SaveDraft(self.document.to_json())];
        if renamed_only {
            if let Some(live) = &mut self.live {
                live.document.name.clone_from(&self.document.name);
            }
        } else {
            effects.extend(self.start_run(false));
        }
        effects
    }

    /// Opens another document: it becomes what reset goes back to, and can be undone.
    fn open_document(&mut self, document: Document, promised: Option<Stamp>) -> Vec<Effect> {
        self.opened = document.clone();
        self.used_rules = list::used_rules(&document);
        self.promised = promised;
        self.prompt = None;
        self.baseline = None;
        self.live = None;
        self.selection = Selection::default();
        self.cursor_ms = None;
        if document == self.document {
            return self.start_run(false);
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
                        "This link comes from a newer version"
                    } else {
                        "Part of the link could not be read"
                    };
                    let lines = issues.iter().map(ToString::to_string).collect();
                    self.notices.push(Notice::bad(title, lines));
                }
                self.open_document(document, stamp)
            }
            Err(error) => {
                self.notices.push(Notice::bad("This link could not be opened", vec![error.to_string()]));
                Vec::new()
            }
        }
    }

    fn start_run(&mut self, paused: bool) -> Vec<Effect> {
        self.next_run += 1;
        self.phase = if paused { Phase::Paused } else { Phase::Running };
        self.time_ms = 0.0;
        self.learning = None;
        self.decided = (0, 0);
        let command = Command::Run { run: self.next_run, document: self.document.to_json(), paused };
        vec![Effect::Send(command)]
    }

    fn run_or_resume(&mut self) -> Vec<Effect> {
        if self.phase == Phase::Paused {
            self.phase = Phase::Running;
            return vec![Effect::Send(Command::Resume)];
        }
        self.start_run(false)
    }

    fn step(&mut self) -> Vec<Effect> {
        let mut effects = match self.phase {
            Phase::Paused | Phase::Running => Vec::new(),
            _ => self.start_run(true),
        };
        effects.push(Effect::Send(Command::Step));
        effects
    }

    fn look_at(&mut self, time: Option<f64>) -> Vec<Effect> {
        self.cursor_ms = time;
        self.ask_machine()
    }

    fn select_machine(&mut self, machine: Option<u32>) -> Vec<Effect> {
        self.selection.machine = machine;
        self.selection.vms.clear();
        self.selection.about.clear();
        self.selection.life = None;
        self.ask_machine()
    }

    /// The moment on screen.
    #[must_use]
    pub fn moment(&self) -> f64 {
        self.cursor_ms.unwrap_or(self.time_ms)
    }

    fn ask_machine(&self) -> Vec<Effect> {
        let (Some(machine), Some(live)) = (self.selection.machine, &self.live) else { return Vec::new() };
        vec![Effect::Send(Command::Machine { run: live.run, machine, time_ms: self.moment() })]
    }

    fn explain(&mut self) -> Vec<Effect> {
        let Some(live) = &self.live else { return Vec::new() };
        if self.selection.vm.is_empty() {
            return Vec::new();
        }
        let (run, vm, asked) = (live.run, self.selection.vm.clone(), self.selection.asked);
        vec![Effect::Send(Command::Explain { run, vm, asked })]
    }

    fn restarted(&mut self, reason: String) -> Vec<Effect> {
        let lines = vec![reason, "Your scenario is as you left it; files may have to be given again.".into()];
        self.notices.push(Notice::bad("The engine stopped and was started again", lines));
        self.traces.clear();
        self.reading = None;
        self.learning = None;
        self.phase = Phase::Failed("The engine stopped; press Run to try again.".into());
        Vec::new()
    }

    fn reply(&mut self, reply: Reply) -> Vec<Effect> {
        match reply {
            Reply::Ready => Vec::new(),
            Reply::TraceProgress { bytes, rows } => {
                if let Some(reading) = &mut self.reading {
                    (reading.bytes, reading.rows) = (bytes, rows);
                }
                Vec::new()
            }
            Reply::TraceLoaded(card) => self.trace_loaded(card),
            Reply::TraceFailed { message } => {
                let name = self.reading.take().map_or("The file".into(), |reading| reading.name);
                self.notices.push(Notice::bad(format!("{name} could not be read"), vec![message]));
                Vec::new()
            }
            Reply::TraceNeeded { run, fingerprint, name, one_tenant_in } => {
                if run == self.next_run {
                    self.phase = Phase::NeedsTrace { fingerprint, name, one_tenant_in };
                }
                Vec::new()
            }
            Reply::Learning { run, share, paused } => {
                if run == self.next_run {
                    self.learning = Some(share);
                    self.phase = if paused { Phase::Paused } else { Phase::Running };
                }
                Vec::new()
            }
            Reply::Started { run, layout, horizon_ms, warning, learned } => {
                let effects = self.started(run, layout, horizon_ms);
                if let Some(live) = self.live.as_mut().filter(|live| live.run == run) {
                    (live.warning, live.learned) = (warning, learned);
                }
                effects
            }
            Reply::Progress(progress) => self.progress(progress),
            Reply::Finished { run, result, frame_times, failed } => {
                if let Some(live) = self.live.as_mut().filter(|live| live.run == run) {
                    live.failed = failed;
                }
                self.finished(run, result, frame_times)
            }
            Reply::Failed { run, message } => {
                if run == self.next_run {
                    self.phase = Phase::Failed(message);
                }
                Vec::new()
            }
            Reply::Explained { run, vm, attempts, story, message } => {
                if self.live.as_ref().is_some_and(|live| live.run == run) && vm == self.selection.vm {
                    self.selection.attempts = attempts;
                    self.selection.story = story;
                    self.selection.message = message;
                }
                Vec::new()
            }
            Reply::Machine { run, machine, about, life, vms, .. } => {
                let shown = self.live.as_ref().is_some_and(|live| live.run == run);
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
            self.notices.push(Notice::bad(format!("{rows} left out of {}", card.name), card.faults.clone()));
        }
        self.traces.retain(|trace| trace.fingerprint != fingerprint);
        self.traces.push(card);
        let wanted = matches!(&self.variant().workload, WorkloadRef::Trace { fingerprint: used, .. }
            if format!("{used:032x}") == fingerprint);
        if let (false, Phase::NeedsTrace { fingerprint: expected, name, .. }) = (wanted, &self.phase) {
            let line = format!(
                "Expected {name} with fingerprint {expected}, got {fingerprint}. The scenario runs on the new file now; \
                 Undo goes back to waiting for the other."
            );
            self.notices.push(Notice::bad("This is another trace than the scenario was made for", vec![line]));
        }
        match (wanted, asked_for) {
            (true, _) => self.start_run(false),
            (false, true) => self.edit(&Edit::UseTrace { fingerprint }),
            (false, false) => Vec::new(),
        }
    }

    fn started(&mut self, run: u32, layout: Layout, horizon_ms: f64) -> Vec<Effect> {
        if run != self.next_run {
            return Vec::new();
        }
        self.learning = None;
        if let Some(before) = self.live.take().filter(|before| before.result.is_some()) {
            self.baseline.get_or_insert(before);
        }
        let same_time = |outcome: &Outcome| (outcome.horizon_ms - horizon_ms).abs() < 0.5;
        let same_workload = |outcome: &Outcome| {
            let (before, now) = (outcome.document.active_variant(), self.variant());
            let generated = matches!(now.workload, WorkloadRef::Generated(_));
            before.workload == now.workload && (!generated || before.seed == now.seed)
        };
        if !self.baseline.as_ref().is_some_and(|outcome| same_time(outcome) && same_workload(outcome)) {
            self.baseline = None;
        }
        let document = self.document.clone();
        self.live = Some(Outcome { run, document, layout, horizon_ms, ..Outcome::default() });
        self.cursor_ms = self.cursor_ms.filter(|time| *time <= horizon_ms);
        vec![Effect::ForgetFrames]
    }

    fn progress(&mut self, progress: crate::protocol::Progress) -> Vec<Effect> {
        let newest = self.next_run;
        let Some(live) = self.live.as_mut().filter(|live| live.run == progress.run && live.run == newest) else {
            return Vec::new();
        };
        live.times.truncate(progress.from as usize);
        live.times.extend(progress.times);
        live.values.resize_with(progress.values.len(), Vec::new);
        for (values, more) in live.values.iter_mut().zip(progress.values) {
            values.truncate(progress.from as usize);
            values.extend(more);
        }
        live.anatomy = progress.anatomy;
        live.failing = progress.failed;
        self.time_ms = progress.time_ms;
        self.decided = (progress.decided, progress.vms);
        self.phase = if progress.paused { Phase::Paused } else { Phase::Running };
        match progress.stepped {
            Some(vm) => {
                self.cursor_ms = None;
                self.update(Message::Vm(vm))
            }
            None => Vec::new(),
        }
    }

    fn finished(&mut self, run: u32, result: RunResult, frame_times: Vec<f64>) -> Vec<Effect> {
        let newest = self.next_run;
        let Some(live) = self.live.as_mut().filter(|live| live.run == run && run == newest) else { return Vec::new() };
        live.result = Some(result);
        live.frame_times = frame_times;
        self.phase = Phase::Finished;
        let mut effects = self.ask_machine();
        effects.extend(self.explain());
        effects
    }

    /// What the run is doing, in a few words. It changes with the phase and not with every
    /// step of progress, because it is read out loud to some.
    #[must_use]
    pub fn status(&self) -> String {
        if let Some(reading) = &self.reading {
            return format!("Reading {}", reading.name);
        }
        match &self.phase {
            Phase::Idle => "Starting".into(),
            Phase::Running if self.learning.is_some() => "Learning lifetimes".into(),
            Phase::Paused if self.learning.is_some() => "Paused while learning lifetimes".into(),
            Phase::Running => "Running".into(),
            Phase::Paused => format!("Paused at {}", words::time(self.time_ms)),
            Phase::NeedsTrace { name, .. } => format!("Waiting for the trace {name}"),
            Phase::Failed(message) => message.clone(),
            Phase::Finished => self.finished_status(),
        }
    }

    /// How far what takes long has come: the share done, and the same in words.
    #[must_use]
    pub fn progress_so_far(&self) -> Option<(f64, String)> {
        if let Some(Reading { total, bytes, rows, .. }) = &self.reading {
            let share = if *total > 0.0 { (bytes / total).min(1.0) } else { 0.0 };
            let words = format!("{} of {}, {} rows", words::bytes(*bytes), words::bytes(*total), words::count(*rows));
            return Some((share, words));
        }
        if let Some(share) = self.learning {
            return Some((share, format!("{:.0} % learned", 100.0 * share)));
        }
        let horizon = self.live.as_ref().map(|live| live.horizon_ms).filter(|horizon| *horizon > 0.0)?;
        let words = || format!("{} of {}", words::time(self.time_ms), words::time(horizon));
        (self.phase == Phase::Running).then(|| ((self.time_ms / horizon).min(1.0), words()))
    }

    fn finished_status(&self) -> String {
        let Some(result) = self.live.as_ref().and_then(|live| live.result.as_ref()) else { return "Done".into() };
        let took = format!(
            "Done: {} in {:.2} s",
            words::counted(f64::from(self.decided.1), "VM", "VMs"),
            result.wall_ms / 1_000.0
        );
        match self.reproduction() {
            Some(true) => format!("{took}; reproduced"),
            Some(false) => format!("{took}; differs from the link's result"),
            None => took,
        }
    }

    /// Whether the run gives what the opened link promised; none when it promised nothing
    /// or the scenario was changed since.
    #[must_use]
    pub fn reproduction(&self) -> Option<bool> {
        let stamp = self.promised.as_ref()?;
        let live = self.live.as_ref().filter(|live| live.document == self.opened)?;
        Some(live.result.as_ref()?.digest == format!("{:016x}", stamp.digest))
    }

    /// The part of an address behind `#` that opens what is on screen, with the result's
    /// digest when there is one.
    #[must_use]
    pub fn link(&self) -> String {
        if let Some(link) = self.as_it_came.as_ref().filter(|_| self.document == self.opened) {
            return link.rsplit('#').next().unwrap_or_default().to_owned();
        }
        let finished = self.live.as_ref().filter(|live| live.document == self.document);
        let digest = finished.and_then(|live| live.result.as_ref()).map(|result| result.digest.as_str());
        let stamp = digest.and_then(|digest| u64::from_str_radix(digest, 16).ok());
        let stamp = stamp.map(|digest| Stamp { engine: ENGINE_VERSION.into(), digest });
        tiebreak_scenario::encode(&self.document, stamp.as_ref())
    }

    /// What a rule did to its stage's candidates in the run on screen.
    #[must_use]
    pub fn share(&self, rule: &str) -> Option<&Share> {
        let live = self.live.as_ref().and_then(|outcome| outcome.result.as_ref());
        let result = live.or_else(|| self.baseline.as_ref()?.result.as_ref())?;
        result.rule_shares.iter().find(|share| share.rule == rule)
    }
}
