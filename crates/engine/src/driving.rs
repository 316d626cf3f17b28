//! Starts, queues, pauses and steps the engine's single run.

use tiebreak_model::Declared;
use tiebreak_scenario::WorkloadRef;
use tiebreak_sim::{Plan, Probe};

use super::learning::{self, Beginning, Learning, Lore, Ready};
use super::run::Run;
use super::traces::read;
use super::{Engine, vdcs};
use crate::protocol::Reply;

/// A run that is estimated to take longer natively, or more memory, starts only after confirmation. The memory is at
/// most half of what a browser gives a worker.
const SECONDS_ASKED: f64 = 60.0;
const BYTES_ASKED: f64 = 2.0 * 1_073_741_824.0;

/// A run that has not started yet.
pub(super) struct Waiting {
    pub(super) run: u32,
    pub(super) document: String,
    pub(super) then: Beginning,
    /// The fingerprint of its trace, if it waits for that.
    pub(super) fingerprint: Option<u128>,
    /// Whether the user has confirmed its cost.
    pub(super) at_any_cost: bool,
}

impl Engine {
    /// Drops the current run and starts another one, or says what it waits for.
    pub(super) fn start(&mut self, id: u32, document: String, then: Beginning, at_any_cost: bool) -> Vec<Reply> {
        (self.run, self.explaining, self.learning, self.waiting) = (None, None, None, None);
        self.years = None;
        self.forget_asked_of_run();
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

    /// Starts a run.
    fn begin(&mut self, id: u32, plan: Plan, known: Lore, then: Beginning) -> Vec<Reply> {
        let (paused, learned) = (then != Beginning::Runs, known.lifetimes.map(|known| known.learned));
        let ends_early = known.ends_early;
        self.load_quality = known.loads.and_then(|loads| loads.quality);
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

    pub(super) fn set_paused(&mut self, paused: bool) -> Vec<Reply> {
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

    /// Learns for one slice; the run starts when learning is complete.
    pub(super) fn learn(&mut self, mut learning: Box<Learning>, tell: bool) -> Vec<Reply> {
        if learning.work() {
            let (run, then) = (learning.run, learning.then);
            let (plan, known) = learning.finish(&mut self.shelf);
            return self.begin(run, plan, known, then);
        }
        let told = tell.then(|| tell_of(&learning));
        self.learning = Some(learning);
        told.into_iter().collect()
    }

    pub(super) fn step(&mut self) -> Vec<Reply> {
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

    /// Continues, in slices, until another commit fails.
    pub(super) fn seek_conflict(&mut self) -> Vec<Reply> {
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

    /// If a run waits for its trace or for learning, it will start like this.
    fn will_begin(&mut self, then: Beginning) -> Option<Vec<Reply>> {
        if let Some(waiting) = &mut self.waiting {
            waiting.then = then;
            return Some(Vec::new());
        }
        let learning = self.learning.as_mut()?;
        (learning.paused, learning.then) = (false, then);
        Some(vec![tell_of(learning)])
    }
}

/// The progress of a predictor's training.
fn tell_of(learning: &Learning) -> Reply {
    Reply::Learning { run: learning.run, share: learning.share_done(), paused: learning.paused }
}
