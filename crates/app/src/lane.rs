//! One variant's runs: the engine that makes them, where the newest one stands, and what it gave.

use tiebreak_model::{Phrase, phrase};
use tiebreak_scenario::{Document, WorkloadRef};

use super::message::Effect;
use super::shown::{Explanation, Outcome, Phase};
use tiebreak_engine::protocol::{Command, Layout, Learned, Progress, RunResult, VdcProfile};

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    /// Names its engine.
    pub id: u32,
    /// The variant's name.
    pub variant: String,
    /// The run asked for last, and the document it is of, with this variant in front.
    pub run: u32,
    pub(super) asked: Option<Document>,
    /// The run on screen.
    pub live: Option<Outcome>,
    /// The run before, which it is compared with.
    pub baseline: Option<Outcome>,
    /// Where the run stands.
    pub phase: Phase,
    /// Simulated time reached.
    pub time_ms: f64,
    /// How much a predictor of lifetimes has learned, 0 to 1, while it does.
    pub learning: Option<f64>,
    /// VMs decided, of how many.
    pub decided: (u32, u32),
    /// What it says of the VM asked about.
    pub answer: Explanation,
    /// The moment it was asked for and has not told of yet.
    looking: Option<f64>,
}

impl Lane {
    pub(super) fn new(id: u32, variant: &str) -> Self {
        Self { id, variant: variant.to_owned(), ..Self::default() }
    }

    /// Asks its engine for a run of this document.
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

    /// Lets the run begin that waits because it takes long.
    pub(super) fn run_anyway(&mut self) -> Effect {
        self.phase = Phase::Running;
        self.send(Command::RunAnyway { run: self.run })
    }

    /// Asks for the machines at a moment; one moment after the other, however fast people go along the run.
    pub(super) fn look_at(&mut self, time_ms: f64) -> Option<Effect> {
        let run = self.live.as_ref().filter(|_| self.phase == Phase::Finished && self.looking.is_none())?.run;
        self.looking = Some(time_ms);
        Some(self.send(Command::Moment { run, time_ms }))
    }

    /// It told of the machines at a moment; asks for the moment on screen now, where that is another.
    pub(super) fn looked(&mut self, time_ms: f64, now_ms: Option<f64>) -> Option<Effect> {
        self.looking = None;
        self.look_at(now_ms.filter(|now| *now != time_ms)?)
    }

    pub(super) fn send(&self, command: Command) -> Effect {
        Effect::Send { lane: self.id, command }
    }

    /// The result of the run on screen, if it is over.
    #[must_use]
    pub fn result(&self) -> Option<&RunResult> {
        self.live.as_ref()?.result.as_ref()
    }

    /// Forgets what was run, so that the next run has nothing to be compared with.
    pub(super) fn forget(&mut self) {
        (self.asked, self.live, self.baseline) = (None, None, None);
        self.answer = Explanation::default();
    }

    /// Its document has another name, or other variants beside it, and is the same otherwise.
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

    /// More samples; the VM decided last, when stepping.
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
