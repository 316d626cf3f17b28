//! Background runs: many runs in as many engines as the computer has capacity for.
//!
//! Clients (paired seeds, sweeps) name each job and receive its result when it is ready, in any order.

use std::collections::VecDeque;
use tiebreak_model::{Phrase, phrase};

use tiebreak_scenario::Document;

use super::message::Effect;
use tiebreak_engine::protocol::{Command, Progress, Reply, RunResult, YearsResult};

/// Lane numbers of the pool start here.
pub const POOL: u32 = 1 << 16;

/// Engines that work in addition to the displayed runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    waiting: VecDeque<Job>,
    busy: Vec<Option<Working>>,
}

/// A requested run.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// Its purpose.
    pub(super) purpose: Purpose,
    /// The document; its active variant runs.
    pub(super) document: Document,
}

/// The purpose of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// One of a pair: which seed, and whether it is the active variant's.
    Pair { seed: usize, front: bool },
    /// One of a sweep, by number.
    Sweep { number: usize },
    /// One of a search for the number of machines: which list and seed.
    Size { list: usize, seed: usize },
    /// One of a search for a better list, by the numbers of the list and the seed.
    List { list: u32, seed: u32 },
    /// A cluster over years: part of a study, by case and run.
    Study { case: usize, run: usize },
}

impl Purpose {
    /// Whether it belongs to a sweep.
    pub(super) const fn is_of_sweep(self) -> bool {
        matches!(self, Self::Sweep { .. })
    }

    /// Whether it belongs to a search for the number of machines.
    pub(super) const fn is_of_search(self) -> bool {
        matches!(self, Self::Size { .. })
    }

    /// Whether it belongs to a search for a better list.
    pub(super) const fn is_of_list(self) -> bool {
        matches!(self, Self::List { .. })
    }

    /// Whether it belongs to a study.
    pub(super) const fn is_of_study(self) -> bool {
        matches!(self, Self::Study { .. })
    }
}

#[derive(Clone, Debug)]
struct Working {
    run: u32,
    job: Job,
    gathered: Gathered,
}

/// The results of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gathered {
    /// The times of the samples.
    pub times: Vec<f64>,
    /// The samples of each metric.
    pub values: Vec<Vec<f64>>,
    /// The result, or why there is none.
    pub result: Option<Result<RunResult, Phrase>>,
    /// The results of a cluster over years.
    pub years: Option<Box<YearsResult>>,
    /// Whether its engine ended.
    pub has_died: bool,
}

impl Pool {
    /// Sets the number of engines, at least one.
    pub(super) fn resize(&mut self, engines: usize) {
        self.busy.resize(engines.max(1), None);
    }

    /// Adds jobs. Returns the effects that start those for which there is an engine.
    pub(super) fn add(&mut self, jobs: impl IntoIterator<Item = Job>, next_run: &mut u32) -> Vec<Effect> {
        self.waiting.extend(jobs);
        self.hand_out(next_run)
    }

    fn hand_out(&mut self, next_run: &mut u32) -> Vec<Effect> {
        let mut effects = Vec::new();
        for (lane, place) in (POOL..).zip(&mut self.busy) {
            if place.is_none()
                && let Some(job) = self.waiting.pop_front()
            {
                *next_run += 1;
                let (run, document) = (*next_run, job.document.to_json());
                let command = match job.purpose {
                    Purpose::Study { .. } => Command::Years { run, document },
                    _ => Command::Run { run, document, paused: false },
                };
                effects.push(Effect::Send { lane, command });
                *place = Some(Working { run: *next_run, job, gathered: Gathered::default() });
            }
        }
        effects
    }

    /// Whether this run belongs to the pool.
    pub(super) fn has(&self, run: u32) -> bool {
        self.busy.iter().flatten().any(|working| working.run == run)
    }

    /// Handles a reply about one of its runs. Returns what has finished, and the effects that start the next runs.
    pub(super) fn hear(
        &mut self,
        run: u32,
        reply: Reply,
        next_run: &mut u32,
    ) -> (Option<(Purpose, Gathered)>, Vec<Effect>) {
        let mut places = (POOL..).zip(&mut self.busy);
        let Some((lane, place)) = places.find(|(_, it)| it.as_ref().is_some_and(|it| it.run == run)) else {
            return (None, Vec::new());
        };
        let Some(working) = place else { return (None, Vec::new()) };
        if let Reply::Costly { .. } = reply {
            // The user who started many runs can stop them.
            return (None, vec![Effect::Send { lane, command: Command::RunAnyway { run } }]);
        }
        working.gathered.result = match reply {
            Reply::Progress(progress) => {
                working.gathered.take(progress);
                None
            }
            Reply::Finished { result, .. } => Some(Ok(result)),
            Reply::Years { result, .. } => {
                working.gathered.years = result;
                None
            }
            Reply::Failed { message, .. } => Some(Err(message)),
            Reply::TraceNeeded { name, .. } => Some(Err(phrase!("the trace {name} is not in this browser", name))),
            _ => None,
        };
        if working.gathered.result.is_none() && working.gathered.years.is_none() {
            return (None, Vec::new());
        }
        let done = place.take().map(|working| (working.job.purpose, working.gathered));
        (done, self.hand_out(next_run))
    }

    /// The engine of a lane stopped: its job ends without a result.
    pub(super) fn died(
        &mut self,
        lane: u32,
        reason: &str,
        next_run: &mut u32,
    ) -> (Option<(Purpose, Gathered)>, Vec<Effect>) {
        let place = lane.checked_sub(POOL).and_then(|place| self.busy.get_mut(place as usize));
        let result = Some(Err(Phrase::text(reason.to_owned())));
        let gathered = Gathered { result, has_died: true, ..Gathered::default() };
        let done = place.and_then(Option::take).map(|working| (working.job.purpose, gathered));
        (done, self.hand_out(next_run))
    }

    /// Drops all jobs for which this holds, and ends the engines that are working on them.
    pub(super) fn cancel(&mut self, is_of: impl Fn(Purpose) -> bool, next_run: &mut u32) -> Vec<Effect> {
        self.waiting.retain(|job| !is_of(job.purpose));
        let mut effects = Vec::new();
        for (lane, place) in (POOL..).zip(&mut self.busy) {
            if place.take_if(|working| is_of(working.job.purpose)).is_some() {
                effects.push(Effect::Close { lane });
            }
        }
        effects.extend(self.hand_out(next_run));
        effects
    }

    /// Ends idle engines.
    pub(super) fn rest(&self) -> Vec<Effect> {
        if !self.waiting.is_empty() {
            return Vec::new();
        }
        let idle = (POOL..).zip(&self.busy).filter(|(_, place)| place.is_none());
        idle.map(|(lane, _)| Effect::Close { lane }).collect()
    }
}

impl Gathered {
    fn take(&mut self, progress: Progress) {
        self.times.truncate(progress.from as usize);
        self.times.extend(progress.times);
        self.values.resize_with(progress.values.len(), Vec::new);
        for (values, more) in self.values.iter_mut().zip(progress.values) {
            values.truncate(progress.from as usize);
            values.extend(more);
        }
    }

    /// The result, unless it failed.
    #[must_use]
    pub fn outcome(&self) -> Option<&RunResult> {
        self.result.as_ref()?.as_ref().ok()
    }
}
