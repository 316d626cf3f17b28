//! The engine behind the page: traces, the run in slices, explanations.
//!
//! It has no clock and no files. Whoever drives it pushes bytes, calls
//! [`Engine::work`] for as long as there is time, and passes replies on.

mod anatomy;
mod answer;
mod differences;
mod failures;
mod first;
mod fitting;
mod freeze;
mod generated;
mod learning;
mod lifetimes;
mod needs;
mod power;
mod profile;
mod recipe;
mod run;
mod saving;
mod trace_card;
mod vdcs;
mod years;

use std::sync::Arc;

use tiebreak_lesson::{Issue, Lesson};
use tiebreak_model::phrase::mark;
use tiebreak_model::{Declared, MachineId, Phrase, Readiness, Resources, Time, VmId, Workload, phrase};
use tiebreak_scenario::{Document, TraceSettings, Variant, WorkloadRef};
use tiebreak_sim::{Fate, MachineByte, Plan, Probe, World};
use tiebreak_trace::compact::{self, Origin};
use tiebreak_trace::{Nodes, Parsed, TraceParser};

use crate::protocol::{Command, Generate, Machines, Needs, Profiled, Reply, StepTo, TraceCard, VmCard};
use crate::said;

use self::answer::answer;
pub use self::differences::DIFFERENCES_MAX;
pub use self::first::FirstRun;
use self::fitting::Fitting;
use self::learning::{Beginning, Learning, Lore, Ready, Shelf};
use self::needs::{Known, needs};
use self::run::{Run, SLICE};
use self::trace_card::trace_card;
use self::years::Lab;

/// Traces kept loaded; the one loaded first makes room.
const TRACES_MAX: usize = 4;

/// A run that is estimated to take longer natively, or more memory, is made when somebody says so. Half of the memory that a
/// browser gives a worker at most.
const SECONDS_ASKED: f64 = 60.0;
const BYTES_ASKED: f64 = 2.0 * 1_073_741_824.0;

/// What is asked of a trace that nobody gave yet.
const NOT_LOADED: &str = mark("expected a trace that is loaded, got one that is not; open its file first");

/// Everything the page does not do itself.
#[derive(Default)]
pub struct Engine {
    traces: Vec<Trace>,
    reading: Option<Reading>,
    learning: Option<Box<Learning>>,
    shelf: Shelf,
    run: Option<Run>,
    /// The run that waits for its trace, or for somebody to say that it may take what it takes.
    waiting: Option<Waiting>,
    explaining: Option<Explaining>,
    generated: Option<(Variant, Arc<Workload>)>,
    years: Option<Lab>,
    /// How good what is foretold of loads is.
    foretold: Option<Arc<tiebreak_criticality::Quality>>,
    fitting: Option<Fitting>,
    known: Known,
}

/// A loaded trace.
struct Trace {
    fingerprint: u128,
    workload: Arc<Workload>,
    /// What is written of where it comes from when it is kept.
    origin: Origin,
    name: String,
    /// The trace that it was fitted to.
    like: Option<u128>,
}

struct Waiting {
    run: u32,
    document: String,
    then: Beginning,
    /// Its trace's, where it waits for that.
    fingerprint: Option<u128>,
    /// Whether it may take what it takes.
    at_any_cost: bool,
}

struct Reading {
    name: String,
    sample: Vec<f64>,
    parser: TraceParser,
    told_at: u64,
}

/// A VM whose decisions are found by deciding everything before them again.
struct Explaining {
    run: u32,
    asked_vm: String,
    vm: VmId,
    world: World,
    /// Events that the run on screen has seen.
    until: u64,
    /// When the VM lost a machine for the last time, if it did: it is decided again after that.
    lost_at: Option<Time>,
}

impl Explaining {
    /// Whether the decision that counts has been made.
    fn is_decided(&self) -> bool {
        let Self { vm, world, .. } = self;
        match self.lost_at {
            Some(lost_at) => world.progress().time > lost_at && !matches!(world.fate(*vm), Some(Fate::Waiting { .. })),
            None => {
                let request = world.plan().workload().request_of(*vm);
                world.placement(*vm).is_some() || world.rejection(request).is_some()
            }
        }
    }
}

impl core::fmt::Debug for Engine {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Engine").field("traces", &self.traces.len()).finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine with nothing loaded.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Does what the page asks.
    pub fn handle(&mut self, command: Command) -> Vec<Reply> {
        match command {
            Command::TraceBegin { name, sample, is_sampled, columns, .. } => {
                let settings = if is_sampled { TraceSettings::default() } else { TraceSettings::from_values(&sample) };
                let parser = TraceParser::new(&name).sampled(settings.sample());
                let parser = if columns.is_empty() { parser } else { parser.with_columns(columns) };
                self.reading = Some(Reading { name, sample, parser, told_at: 0 });
                Vec::new()
            }
            Command::TraceCancel => {
                self.reading = None;
                Vec::new()
            }
            Command::Generate(ask) => vec![self.generate(&ask)],
            Command::Run { run, document, paused } => {
                self.start(run, document, if paused { Beginning::Held } else { Beginning::Runs }, false)
            }
            Command::RunAnyway { run } => {
                let waiting = self.waiting.take_if(|it| it.run == run && it.fingerprint.is_none());
                waiting.map_or_else(Vec::new, |Waiting { document, then, .. }| self.start(run, document, then, true))
            }
            Command::Years { run, document } => {
                self.run = None;
                match read(&document).and_then(|variant| Lab::new(run, &variant)) {
                    Ok(lab) => {
                        self.years = Some(lab);
                        Vec::new()
                    }
                    Err(message) => vec![Reply::Failed { run, message }],
                }
            }
            Command::Fit { document } => self.fit(&document).into_iter().collect(),
            Command::Forecast { document, ask } => {
                vec![Reply::Forecast(read(&document).and_then(|variant| years::forecast(&variant, &ask)))]
            }
            Command::Power { run } => {
                let Some(current) = self.run.as_ref().filter(|current| current.id == run) else { return Vec::new() };
                vec![Reply::Power { run, exhibits: power::exhibits(&current.world, self.foretold.as_deref()) }]
            }
            Command::Draws { run, file } => {
                let Some(current) = self.run.as_ref().filter(|current| current.id == run) else { return Vec::new() };
                vec![Reply::Drawn(power::of_file(&current.world, &file).map(Box::new))]
            }
            Command::Nodes { file } => vec![Reply::Nodes(machines_of(&file))],
            Command::Profile { document } => {
                vec![Reply::Profile(self.profile(&document))]
            }
            Command::Needs { document, is_suggested, reject_pct } => {
                vec![Reply::Needs(self.needs(&document, is_suggested, reject_pct))]
            }
            Command::TryCapping { document, ask } => {
                vec![Reply::Tried(
                    read(&document).and_then(|variant| power::trial::tried(&variant, &ask)).map(Box::new),
                )]
            }
            Command::Pause => self.set_paused(true),
            Command::Resume => self.set_paused(false),
            Command::Step { to: StepTo::Conflict } => self.seek_conflict(),
            Command::Step { .. } => self.step(),
            Command::Explain { run, vm, asked } => self.explain(run, vm, asked).into_iter().collect(),
            Command::ReadLesson { text } => vec![match Lesson::read(&text) {
                Ok(lesson) => Reply::Lesson(Box::new(lesson)),
                Err(issues) => Reply::NoLesson { issues: issues.iter().map(ToString::to_string).collect() },
            }],
            Command::Freeze { lesson, step } => {
                let told = |issues: Vec<Issue>| issues.iter().map(ToString::to_string).collect();
                vec![Reply::Frozen(freeze::step(*step).and_then(|step| Lesson::with_step(&lesson, step)).map_err(told))]
            }
            Command::Measures { run, measures } => {
                let Some(current) = self.run.as_ref().filter(|current| current.id == run) else { return Vec::new() };
                let values = measures.iter().map(|measure| measure.of(&current.world)).collect();
                vec![Reply::Measures { run, measures, values }]
            }
            Command::Placements { run } => self.is_at(run).then_some(Reply::Placements { run }).into_iter().collect(),
            Command::Moment { run, time_ms } => {
                self.is_at(run).then_some(Reply::Moment { run, time_ms }).into_iter().collect()
            }
            // Nothing to compare with came with it, and files are made by whoever has a place for them.
            Command::Differ { .. } | Command::Save(_) => Vec::new(),
            Command::Machine { run, machine, time_ms } => self.machine(run, machine, time_ms).into_iter().collect(),
        }
    }

    /// Whether a trace is being read.
    #[must_use]
    pub fn is_reading(&self) -> bool {
        self.reading.is_some()
    }

    /// Whether [`Engine::work`] has anything to do.
    #[must_use]
    pub fn is_running(&self) -> bool {
        let learns = self.learning.as_ref().is_some_and(|learning| !learning.paused);
        learns
            || self.years.is_some()
            || self.fitting.is_some()
            || self.explaining.is_some()
            || self.run.as_ref().is_some_and(Run::is_moving)
    }

    /// Takes what there is to say of how the trace being read is read.
    pub fn trace_notes(&mut self, notes: Vec<String>) {
        if let Some(reading) = &mut self.reading {
            notes.into_iter().for_each(|note| reading.parser.note(note));
        }
    }

    /// Takes more bytes of the trace being read.
    pub fn trace_bytes(&mut self, chunk: &[u8]) -> Vec<Reply> {
        const TELL_EVERY: u64 = 4 << 20;
        let Some(reading) = &mut self.reading else { return Vec::new() };
        if let Err(error) = reading.parser.push(chunk) {
            let unknown = trace_card::unknown(reading.parser.unknown());
            self.reading = None;
            return vec![Reply::TraceFailed { message: Phrase::text(error.to_string()), unknown }];
        }
        let progress = reading.parser.progress();
        if progress.bytes - reading.told_at < TELL_EVERY {
            return Vec::new();
        }
        reading.told_at = progress.bytes;
        vec![Reply::TraceProgress { bytes: progress.bytes as f64, rows: progress.rows as f64 }]
    }

    /// The trace being read is complete.
    pub fn trace_end(&mut self) -> Vec<Reply> {
        let Some(Reading { name, sample, parser, .. }) = self.reading.take() else { return Vec::new() };
        match parser.finish() {
            Ok(parsed) => {
                let fingerprint = parsed.workload.fingerprint();
                let mut replies = vec![Reply::TraceLoaded(self.keep(name, sample, parsed))];
                if let Some(waiting) = self.waiting.take_if(|waiting| waiting.fingerprint == Some(fingerprint)) {
                    let Waiting { run, document, then, at_any_cost, .. } = waiting;
                    replies.extend(self.start(run, document, then, at_any_cost));
                }
                replies
            }
            Err(error) => vec![Reply::TraceFailed { message: Phrase::text(error.to_string()), unknown: None }],
        }
    }

    fn keep(&mut self, name: String, sample: Vec<f64>, parsed: Parsed) -> TraceCard {
        let fingerprint = parsed.workload.fingerprint();
        let card = trace_card(name, sample, fingerprint, &parsed);
        self.traces.retain(|kept| kept.fingerprint != fingerprint);
        if self.traces.len() == TRACES_MAX {
            self.traces.remove(0);
        }
        let (origin, name) = (trace_card::origin(&card, &parsed.report), card.name.clone());
        self.traces.push(Trace { fingerprint, workload: Arc::new(parsed.workload), origin, name, like: None });
        card
    }

    /// The columns of a loaded trace, 32 hex digits its fingerprint: a file that is a fraction of the one it was read
    /// from, and is read in no time.
    #[must_use]
    pub fn columns(&self, fingerprint: &str) -> Option<Vec<u8>> {
        let trace = self.traces.iter().find(|trace| format!("{:032x}", trace.fingerprint) == fingerprint)?;
        Some(compact::write(&trace.workload, &trace.origin))
    }

    /// Draws a workload and keeps it as a trace.
    fn generate(&mut self, ask: &Generate) -> Reply {
        let of = |trace: &&Trace| format!("{:032x}", trace.fingerprint) == ask.like;
        let source =
            self.traces.iter().find(of).map(|trace| (trace.fingerprint, trace.workload.clone(), trace.name.clone()));
        let trace = source.as_ref().map(|(_, workload, name)| (&**workload, name.as_str()));
        match generated::drawn(ask, trace) {
            Ok((name, parsed, notes)) => {
                let mut card = self.keep(name, Vec::new(), parsed);
                card.notes.splice(..notes.len(), notes);
                if let (Some(trace), Some((like, ..))) = (self.traces.last_mut(), source) {
                    trace.like = Some(like);
                }
                Reply::TraceLoaded(card)
            }
            Err(message) => Reply::TraceFailed { message, unknown: None },
        }
    }

    /// What the workload of a document looks like; one that was fitted to a loaded trace is laid beside that.
    fn profile(&mut self, document: &str) -> Result<Box<Profiled>, Phrase> {
        let workload = read(document).and_then(|variant| self.workload(&variant).ok_or(Phrase::text(NOT_LOADED)))?;
        let mut profiled = profile::of(&workload);
        let find = |fingerprint: u128| self.traces.iter().find(|trace| trace.fingerprint == fingerprint);
        let like = find(workload.fingerprint()).and_then(|trace| find(trace.like?));
        if let Some(like) = like {
            profiled.exhibits.splice(..0, generated::beside(&like.workload, &workload));
        }
        Ok(Box::new(profiled))
    }

    fn needs(&mut self, document: &str, is_suggested: bool, reject_pct: f64) -> Result<Needs, Phrase> {
        let variant = read(document)?;
        let workload = self.workload(&variant).ok_or(Phrase::text(NOT_LOADED))?;
        needs((&self.known.facts(&workload), &workload), &variant, is_suggested, reject_pct)
    }

    /// VMs of a variant's trace, where it is loaded.
    fn loaded_vms(&self, variant: &Variant) -> f64 {
        let WorkloadRef::Trace { fingerprint, .. } = &variant.workload else { return 0.0 };
        let trace = self.traces.iter().find(|trace| trace.fingerprint == *fingerprint);
        trace.map_or(0.0, |trace| trace.workload.vm_count().into())
    }

    fn workload(&mut self, variant: &Variant) -> Option<Arc<Workload>> {
        match &variant.workload {
            WorkloadRef::Trace { fingerprint, name, .. } => {
                if !self.traces.iter().any(|trace| trace.fingerprint == *fingerprint) {
                    // What was drawn of a preset can be drawn again.
                    let again = generated::again(name).filter(|parsed| parsed.workload.fingerprint() == *fingerprint);
                    self.keep(name.clone(), Vec::new(), again?);
                }
                let trace = self.traces.iter().find(|trace| trace.fingerprint == *fingerprint);
                trace.map(|trace| trace.workload.clone())
            }
            WorkloadRef::Generated(_) => {
                let same = |made: &Variant| made.workload == variant.workload && made.seed == variant.seed;
                if !self.generated.as_ref().is_some_and(|(made, _)| same(made)) {
                    let workload = Arc::new(variant.generate()?);
                    self.generated = Some((variant.clone(), workload));
                }
                self.generated.as_ref().map(|(_, workload)| workload.clone())
            }
        }
    }

    fn start(&mut self, id: u32, document: String, then: Beginning, at_any_cost: bool) -> Vec<Reply> {
        (self.run, self.explaining, self.learning, self.waiting) = (None, None, None, None);
        self.years = None;
        let variant = match read(&document) {
            Ok(variant) => variant,
            Err(message) => return vec![Reply::Failed { run: id, message }],
        };
        let cost = variant.cost(variant.expected_vms().unwrap_or_else(|| self.loaded_vms(&variant)));
        if !at_any_cost && cost.is_above(SECONDS_ASKED, BYTES_ASKED) {
            self.waiting = Some(Waiting { run: id, document, then, fingerprint: None, at_any_cost });
            return vec![Reply::Costly { run: id, told: cost.phrase(), seconds: cost.seconds, bytes: cost.bytes }];
        }
        let Some(workload) = self.workload(&variant) else {
            let WorkloadRef::Trace { fingerprint, name, settings } = variant.workload else { return Vec::new() };
            self.waiting = Some(Waiting { run: id, document, then, fingerprint: Some(fingerprint), at_any_cost });
            let (fingerprint, sample) = (format!("{fingerprint:032x}"), settings.to_values());
            return vec![Reply::TraceNeeded { run: id, fingerprint, name, sample }];
        };
        let plan = match variant.untrained_plan(workload) {
            Ok(plan) => plan,
            Err(error) => return vec![Reply::Failed { run: id, message: error.phrase() }],
        };
        match learning::prepare(id, &variant, plan, &mut self.shelf, then) {
            Ready::Now(plan, known) => self.begin(id, *plan, known, then),
            Ready::Later(learning) => {
                let told = tell_of(&learning);
                self.learning = Some(learning);
                vec![told]
            }
        }
    }

    /// Lets a run begin.
    fn begin(&mut self, id: u32, plan: Plan, known: Lore, then: Beginning) -> Vec<Reply> {
        let (paused, learned) = (then != Beginning::Runs, known.lifetimes.map(|known| known.learned));
        let ends_early = known.ends_early;
        self.foretold = known.loads.and_then(|loads| loads.quality);
        let (run, started) = {
            let (vdcs, facts) = (vdcs::profile(&plan), self.known.facts(plan.workload()));
            Run::begin(id, (plan, facts), paused, (learned, vdcs, ends_early))
        };
        self.run = Some(run);
        let mut replies = vec![started];
        match then {
            Beginning::Steps => replies.extend(self.step()),
            Beginning::Seeks => replies.extend(self.seek_conflict()),
            Beginning::Runs | Beginning::Held => {}
        }
        replies
    }

    fn set_paused(&mut self, paused: bool) -> Vec<Reply> {
        if let Some(learning) = &mut self.learning {
            (learning.paused, learning.then) = (paused, Beginning::Runs);
            return vec![tell_of(learning)];
        }
        let Some(run) = self.run.as_mut().filter(|run| !run.finished) else { return Vec::new() };
        run.hold(paused);
        if !paused {
            run.world.set_probe(None);
        }
        vec![run.progress(None)]
    }

    /// Begins to fit what admission rules believe to a workload; the answer, where there is one at once.
    fn fit(&mut self, document: &str) -> Option<Reply> {
        let told = |why: Phrase| Some(Reply::Fitting { share: 1.0, result: Some(Err(why)) });
        let variant = match read(document) {
            Ok(variant) => variant,
            Err(why) => return told(why),
        };
        let Some(workload) = self.workload(&variant) else {
            return told(Phrase::text(NOT_LOADED));
        };
        match Fitting::new(&variant, &workload) {
            Ok(fitting) => {
                self.fitting = Some(fitting);
                None
            }
            Err(why) => told(why),
        }
    }

    /// Runs one slice; tells what is new when `tell` is set or something ends.
    pub fn work(&mut self, tell: bool) -> Vec<Reply> {
        if let Some(fitting) = &mut self.fitting {
            let reply = fitting.work(tell);
            if fitting.is_over() {
                self.fitting = None;
            }
            return reply.into_iter().collect();
        }
        if let Some(lab) = &mut self.years {
            let reply = lab.work(tell);
            if matches!(reply, Some(Reply::Years { result: Some(_), .. })) {
                self.years = None;
            }
            return reply.into_iter().collect();
        }
        if let Some(learning) = self.learning.take_if(|learning| !learning.paused) {
            return self.learn(learning, tell);
        }
        let Some(run) = self.run.as_mut().filter(|run| run.is_moving()) else { return self.work_on_explanation() };
        run.work(tell)
    }

    /// Learns for one slice; the run begins when all is learned.
    fn learn(&mut self, mut learning: Box<Learning>, tell: bool) -> Vec<Reply> {
        if learning.work() {
            let (run, then) = (learning.run, learning.then);
            let (plan, known) = learning.finish(&mut self.shelf);
            return self.begin(run, plan, known, then);
        }
        let told = tell.then(|| tell_of(&learning));
        self.learning = Some(learning);
        told.into_iter().collect()
    }

    fn step(&mut self) -> Vec<Reply> {
        if let Some(replies) = self.will_begin(Beginning::Steps) {
            return replies;
        }
        let Some(run) = self.run.as_mut().filter(|run| !run.finished) else { return Vec::new() };
        run.paused = true;
        run.world.warm_up();
        run.world.forget_answered();
        run.world.set_probe(Some(Probe { vm: None, asked: None }));
        let before = run.world.progress().decided;
        while run.world.progress().decided == before {
            if run.world.advance(1).done {
                return run.finish();
            }
        }
        let stepped = run.world.decided_last().map(|vm| run.world.plan().workload().name(vm).to_string());
        vec![run.progress(stepped)]
    }

    /// How every machine stands now, or the frames of a finished run.
    #[must_use]
    pub fn frame_bytes(&self) -> Vec<u8> {
        self.run.as_ref().map_or_else(Vec::new, Run::frame_bytes)
    }

    /// How every machine of the last run stood at a moment, a byte each.
    #[must_use]
    pub fn machines_at(&self, time_ms: f64) -> Vec<u8> {
        self.run.as_ref().map_or_else(Vec::new, |run| run.world.machines_at(Time(time_ms as i64)))
    }

    /// Goes on, in slices, until one more commit fails.
    fn seek_conflict(&mut self) -> Vec<Reply> {
        if let Some(replies) = self.will_begin(Beginning::Seeks) {
            return replies;
        }
        match self.run.as_mut().filter(|run| !run.finished) {
            Some(run) => {
                run.seek_conflict();
                vec![run.progress(None)]
            }
            None => Vec::new(),
        }
    }

    /// Where a run waits for its trace, or for what is learned, it will begin so.
    fn will_begin(&mut self, then: Beginning) -> Option<Vec<Reply>> {
        if let Some(waiting) = &mut self.waiting {
            waiting.then = then;
            return Some(Vec::new());
        }
        let learning = self.learning.as_mut()?;
        (learning.paused, learning.then) = (false, then);
        Some(vec![tell_of(learning)])
    }

    fn is_at(&self, run: u32) -> bool {
        self.run.as_ref().is_some_and(|current| current.id == run)
    }

    /// What goes with [`Reply::Placements`].
    #[must_use]
    pub fn placement_bytes(&self) -> Vec<u8> {
        self.run.as_ref().map_or_else(Vec::new, |run| differences::placements(&run.world))
    }

    /// Does [`Command::Differ`], with the other run's placements.
    #[must_use]
    pub fn differ(&self, run: u32, other: u32, placements: &[u8]) -> Vec<Reply> {
        let current = self.run.as_ref().filter(|current| current.id == run);
        current.map(|current| differences::differences(run, &current.world, other, placements)).into_iter().collect()
    }

    /// Explains a VM's decisions from the uncached reference. Those made in the last step were
    /// explained as they were made; for any other, everything before is decided again, in
    /// slices, as long as no newer run begins.
    fn explain(&mut self, run: u32, vm: String, asked: Option<u32>) -> Option<Reply> {
        self.explaining = None;
        let refuse = |message: Phrase| {
            let (attempts, story) = (Vec::new(), Vec::new());
            Some(Reply::Explained { run, vm: vm.clone(), attempts, story, message: Some(message) })
        };
        let Some(current) = self.run.as_ref().filter(|current| current.id == run) else {
            return refuse(match self.learning {
                Some(_) => phrase!(
                    "That run is over, and for the next one lifetimes are being learned; ask again when it runs."
                ),
                None => phrase!("That run is over; press Run to look at it again."),
            });
        };
        let plan = current.world.plan();
        let workload = plan.workload();
        let Some(id) = vm.trim().parse().ok().and_then(|name| workload.find(name)) else {
            let some = workload.name(VmId(workload.vm_count() / 2));
            return refuse(phrase!("This workload has no VM \"{vm}\"; its VMs are numbers such as {some}.", vm, some));
        };
        let asked = asked.filter(|machine| *machine < plan.fleet().machine_count()).map(MachineId);
        let watched = current.world.probed().iter().any(|probed| probed.vm == id);
        let rejected_now = current.paused && current.world.rejection(workload.request_of(id)).is_some();
        if asked.is_none() && (watched || rejected_now) {
            return Some(answer(run, vm, id, &current.world, &current.world));
        }
        let mut world = World::new(plan.clone().without_samples());
        world.set_probe(Some(Probe { vm: Some(id), asked }));
        let until = current.world.progress().events;
        let lost_at = current.world.lost_machine_at(id);
        self.explaining = Some(Explaining { run, asked_vm: vm, vm: id, world, until, lost_at });
        None
    }

    fn work_on_explanation(&mut self) -> Vec<Reply> {
        let Some(explaining) = &mut self.explaining else { return Vec::new() };
        let left = explaining.until.saturating_sub(explaining.world.progress().events);
        if left > 0 && !explaining.is_decided() {
            explaining.world.advance(SLICE.min(left as u32));
            return Vec::new();
        }
        let Some(Explaining { run, asked_vm, vm, world, .. }) = self.explaining.take() else { return Vec::new() };
        // Deciding again ends with the VM's decision; what came of it later, the run itself knows.
        let later = self.run.as_ref().filter(|current| current.id == run).map_or(&world, |current| &current.world);
        vec![answer(run, asked_vm, vm, &world, later)]
    }

    fn machine(&self, run: u32, machine: u32, time_ms: f64) -> Option<Reply> {
        let current = self.run.as_ref().filter(|current| current.id == run)?;
        let fleet = current.world.plan().fleet();
        if machine >= fleet.machine_count() {
            return None;
        }
        let workload = current.world.plan().workload();
        let id = MachineId(machine);
        let at = Time(time_ms as i64);
        let mut free = fleet.capacity(id);
        let terms = current.world.plan().lifetimes();
        let card = current.world.host_card(id, at);
        let vms = current
            .world
            .vms_on(id, at)
            .map(|(vm, since)| {
                let demand = workload.shape(workload.shape_of(vm)).demand;
                free = free.checked_sub(demand).unwrap_or(Resources::NONE);
                let expected = card.as_ref().and_then(|card| card.vms.iter().find(|expected| expected.vm == vm));
                VmCard {
                    vm: workload.name(vm).to_string(),
                    demand: said::resources(demand),
                    since_ms: since.0 as f64,
                    expected: expected.map(lifetimes::expected),
                    residual: expected.is_some_and(|expected| expected.residual),
                }
            })
            .collect();
        let cluster = &fleet.cluster(fleet.cluster_of(id)).name;
        let frames = current.world.frames();
        let uplinks = frames
            .and_then(|frames| frames.uplink_at(at, id))
            .map(|uplink| phrase!("; {:.0} % of its uplinks reserved", 100.0 * uplink.share().min(1.0)));
        let draw = frames
            .and_then(|frames| frames.draw_at(at, id))
            .map(|draw| phrase!("; {:.0} % of its share of the power budget drawn", 100.0 * draw.share()));
        let whole = fleet.machines_of_rack(fleet.rack_of(id)) == fleet.machines_of_chassis(fleet.chassis_of(id));
        let chassis = (!whole).then(|| phrase!(", chassis {}", fleet.chassis_of(id)));
        let about = phrase!(
            "Rack {}{chassis} of {cluster}{}; {} of {} free{uplinks}{draw}",
            fleet.rack_of(id),
            chassis,
            cluster,
            Phrase::text(said::readiness(readiness(&current.world, id, at))),
            said::resources(free),
            said::resources(fleet.capacity(id)),
            uplinks,
            draw
        );
        let life = card.zip(terms).map(|(card, terms)| lifetimes::host(&card, &terms));
        Some(Reply::Machine { run, machine, time_ms, about, life, vms })
    }
}

/// How far a predictor has learned.
fn tell_of(learning: &Learning) -> Reply {
    Reply::Learning { run: learning.run, share: learning.share_done(), paused: learning.paused }
}

/// Whether a machine took VMs at a moment of the run so far, as far as frames tell.
fn readiness(world: &World, machine: MachineId, at: Time) -> Readiness {
    let frame = world.frames().filter(|_| at < world.progress().time).map(|frames| frames.at(at));
    let byte = frame.and_then(|frame| frame.get(machine.index()));
    byte.map_or_else(|| world.occupancy().record(machine).readiness, |byte| MachineByte(*byte).readiness())
}

/// The machines of a list, by what is alike.
fn machines_of(file: &[u8]) -> Result<Vec<Machines>, Phrase> {
    let nodes = tiebreak_trace::nodes::read(file).map_err(|fault| Phrase::text(fault.to_string()))?;
    let machines = |it: &Nodes| Machines {
        machines: it.machines,
        cores: f64::from(it.cores_milli) / 1_000.0,
        memory_gib: f64::from(it.memory_mib) / 1_024.0,
    };
    Ok(nodes.iter().map(machines).collect())
}

/// The active variant of a document, which must be one without issues: what runs is what the page shows, or nothing.
fn read(document: &str) -> Result<Variant, Phrase> {
    let read = Document::read(document).map_err(|error| Phrase::text(error.to_string()))?;
    match read.issues.first() {
        Some(issue) => Err(Phrase::text(issue.to_string())),
        None => Ok(read.document.active_variant().clone()),
    }
}
