//! The engine of the page: traces, runs in slices, explanations, questions.
//!
//! It has no clock and no files. Its host pushes bytes, calls [`Engine::work`] while there is time, and passes
//! replies on. Its input and output are the messages of [`protocol`]; it does not depend on how they are transported
//! or displayed.

mod anatomy;
mod answer;
mod collision;
mod differences;
mod driving;
mod explaining;
mod facts;
mod failures;
mod first;
mod freeze;
mod generated;
mod holding;
mod learning;
mod lifetimes;
mod machine;
mod power;
pub mod protocol;
pub mod questions;
mod recipe;
mod run;
pub mod said;
mod saving;
mod trace_card;
mod traces;
mod vdcs;
pub mod words;
mod years;

use std::sync::Arc;

use tiebreak_lesson::{Issue, Lesson};
use tiebreak_model::phrase::mark;
use tiebreak_model::{Time, Workload};
use tiebreak_scenario::Variant;

pub use self::differences::DIFFERENCES_MAX;
use self::driving::Waiting;
use self::explaining::Explaining;
use self::facts::Known;
pub use self::first::FirstRun;
use self::learning::{Beginning, Learning, Shelf};
use self::protocol::StepTo;
pub use self::protocol::{Command, Reply};
use self::questions::Pending;
use self::questions::find_list::Seeking;
use self::run::Run;
pub use self::traces::FAULTY_ROWS_MAX;
use self::traces::{Reading, Trace, read};
use self::years::Lab;

/// The error for a trace that is not loaded.
const NOT_LOADED: &str = mark("expected a loaded trace; open its file first");

/// Everything that the page does not do itself.
#[derive(Default)]
pub struct Engine {
    traces: Vec<Trace>,
    reading: Option<Reading>,
    learning: Option<Box<Learning>>,
    shelf: Shelf,
    run: Option<Run>,
    /// The run that waits for its trace, or for confirmation of its cost.
    waiting: Option<Waiting>,
    explaining: Option<Explaining>,
    generated: Option<(Variant, Arc<Workload>)>,
    years: Option<Lab>,
    /// The quality of load predictions.
    load_quality: Option<Arc<tiebreak_criticality::Quality>>,
    /// Questions being answered, in order.
    asked: Vec<Pending>,
    /// The last search for a list.
    seeking: Option<Box<Seeking>>,
    known: Known,
}

impl core::fmt::Debug for Engine {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Engine").field("traces", &self.traces.len()).finish_non_exhaustive()
    }
}

impl Engine {
    /// An empty engine.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Handles a command.
    pub fn handle(&mut self, command: Command) -> Vec<Reply> {
        match command {
            Command::TraceBegin { name, bytes, sample, is_sampled, columns, decimal_commas } => {
                self.trace_begin(name, bytes as u64, (sample, is_sampled), columns, decimal_commas);
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
            Command::Ask(ask) => self.ask(&ask).into_iter().collect(),
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
            // No data for comparison came with it, and files are written by the host.
            Command::Differ { .. } | Command::Save(_) | Command::Import { .. } | Command::Twins { .. } => Vec::new(),
            Command::Machine { run, machine, time_ms } => self.machine(run, machine, time_ms).into_iter().collect(),
        }
    }

    /// Whether [`Engine::work`] has anything to do.
    #[must_use]
    pub fn is_running(&self) -> bool {
        let learns = self.learning.as_ref().is_some_and(|learning| !learning.paused);
        learns
            || self.years.is_some()
            || !self.asked.is_empty()
            || self.explaining.is_some()
            || self.run.as_ref().is_some_and(Run::is_moving)
    }

    /// Runs one slice; reports news if `tell` is set or something ends.
    pub fn work(&mut self, tell: bool) -> Vec<Reply> {
        if !self.asked.is_empty() {
            return self.work_on_answer(tell).into_iter().collect();
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

    /// The current state of every machine, or the frames of a finished run.
    #[must_use]
    pub fn frame_bytes(&self) -> Vec<u8> {
        self.run.as_ref().map_or_else(Vec::new, Run::frame_bytes)
    }

    /// The state of every machine of the last run at a moment, one byte each.
    #[must_use]
    pub fn machines_at(&self, time_ms: f64) -> Vec<u8> {
        self.run.as_ref().map_or_else(Vec::new, |run| run.world.machines_at(Time(time_ms as i64)))
    }

    fn is_at(&self, run: u32) -> bool {
        self.run.as_ref().is_some_and(|current| current.id == run)
    }

    /// The bytes for [`Reply::Placements`].
    #[must_use]
    pub fn placement_bytes(&self) -> Vec<u8> {
        self.run.as_ref().map_or_else(Vec::new, |run| differences::placements(&run.world))
    }

    /// Handles [`Command::Differ`] with the other run's placements.
    #[must_use]
    pub fn differ(&self, run: u32, other: u32, placements: &[u8]) -> Vec<Reply> {
        let current = self.run.as_ref().filter(|current| current.id == run);
        current.map(|current| differences::differences(run, &current.world, other, placements)).into_iter().collect()
    }
}
