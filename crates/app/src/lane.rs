//! One variant's runs: the engine that makes them, the state of the newest one, and its results.

use tiebreak_model::{Phrase, phrase};
use tiebreak_scenario::{Document, WorkloadRef};

use super::message::Effect;
use super::shown::{Explanation, Outcome, Phase};
use tiebreak_engine::protocol::{Command, Layout, Learned, Progress, RunResult, VdcProfile};

/// The runs of one variant.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    /// Identifies its engine.
    pub id: u32,
    /// The variant's name.
    pub variant: String,
    /// The last requested run, and its document, in which this variant is active.
    pub run: u32,
    pub(super) asked: Option<Document>,
    /// The displayed run.
    pub live: Option<Outcome>,
    /// The previous run, its baseline.
    pub baseline: Option<Outcome>,
    /// The state of the run.
    pub phase: Phase,
    /// Simulated time reached.
    pub time_ms: f64,
    /// The progress of a lifetime predictor's training, 0 to 1, while it is under way.
    pub learning: Option<f64>,
    /// VMs decided, and the total.
    pub decided: (u32, u32),
    /// The explanation of the VM in question.
    pub answer: Explanation,
    /// The requested moment that has not been answered yet.
    looking: Option<f64>,
}

impl Lane {
    pub(super) fn new(id: u32, variant: &str) -> Self {
        Self { id, variant: variant.to_owned(), ..Self::default() }
    }

    /// Requests a run of this document from its engine.
    pub(super) fn ask(&mut self, run: u32, document: &Document, paused: bool) -> Effect {
        self.run = run;
        self.looking = None;
        self.asked = Some(document.clone());
        self.phase = if paused { Phase::Paused } else { Phase::Running };
        self.time_ms = 0.0;
        self.learning = None;
        self.decided = (0, 0);
        self.send(Command::Run { run, document: document.to_json(), paused })
    }

    /// Starts the run that waits because of its cost.
    pub(super) fn run_anyway(&mut self) -> Effect {
        self.phase = Phase::Running;
        self.send(Command::RunAnyway { run: self.run })
    }

    /// Requests the machines at a moment; one request at a time, however fast the user moves along the run.
    pub(super) fn look_at(&mut self, time_ms: f64) -> Option<Effect> {
        let run = self.live.as_ref().filter(|_| self.phase == Phase::Finished && self.looking.is_none())?.run;
        self.looking = Some(time_ms);
        Some(self.send(Command::Moment { run, time_ms }))
    }

    /// Handles the machines at a moment; requests those at the current moment, if that is another one.
    pub(super) fn looked(&mut self, time_ms: f64, now_ms: Option<f64>) -> Option<Effect> {
        self.looking = None;
        self.look_at(now_ms.filter(|now| *now != time_ms)?)
    }

    pub(super) fn send(&self, command: Command) -> Effect {
        Effect::Send { lane: self.id, command }
    }

    /// The result of the displayed run, if it has ended.
    #[must_use]
    pub fn result(&self) -> Option<&RunResult> {
        self.live.as_ref()?.result.as_ref()
    }

    /// Drops all runs, so that the next run has no baseline.
    pub(super) fn forget(&mut self) {
        (self.asked, self.live, self.baseline) = (None, None, None);
        self.answer = Explanation::default();
    }

    /// Handles a document that differs only in its name or in its other variants.
    pub(super) fn rename(&mut self, document: Document) {
        if let Some(live) = &mut self.live
            && self.asked.as_ref() == Some(&live.document)
        {
            live.document.clone_from(&document);
        }
        self.asked = Some(document);
    }

    pub(super) fn learns(&mut self, share: f64, paused: bool) {
        self.learning = Some(share);
        self.phase = if paused { Phase::Paused } else { Phase::Running };
    }

    pub(super) fn started(
        &mut self,
        layout: Layout,
        horizon_ms: f64,
        (warning, doubts, outliers): (Option<Phrase>, Vec<Phrase>, Option<Phrase>),
        (learned, vdcs): (Option<Box<Learned>>, Option<Box<VdcProfile>>),
    ) -> Vec<Effect> {
        self.learning = None;
        if let Some(before) = self.live.take().filter(|before| before.result.is_some()) {
            self.baseline.take_if(|baseline| baseline.is_example);
            self.baseline.get_or_insert(before);
        }
        let document = self.asked.clone().unwrap_or_default();
        let same_time = |outcome: &Outcome| (outcome.horizon_ms - horizon_ms).abs() < 0.5;
        let same_workload = |outcome: &Outcome| {
            let (before, now) = (outcome.document.active_variant(), document.active_variant());
            let generated = matches!(now.workload, WorkloadRef::Generated(_));
            before.workload == now.workload && (!generated || before.seed == now.seed)
        };
        if !self.baseline.as_ref().is_some_and(|outcome| same_time(outcome) && same_workload(outcome)) {
            self.baseline = None;
        }
        self.live = Some(Outcome {
            run: self.run,
            document,
            layout,
            horizon_ms,
            warning,
            doubts,
            outliers,
            learned,
            vdcs,
            ..Outcome::default()
        });
        vec![Effect::ForgetFrames { lane: self.id }]
    }

    /// Adds samples. Returns the last VM decided, when stepping.
    pub(super) fn progress(&mut self, progress: Progress) -> Option<String> {
        let live = self.live.as_mut().filter(|live| live.run == progress.run)?;
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
        progress.stepped
    }

    /// Its engine stopped.
    pub(super) fn stopped(&mut self) {
        self.learning = None;
        self.phase = Phase::Failed(phrase!("The engine stopped; press Run to try again."));
    }
}
