//! Observations during a run: counters, series, time averages, frames, and how aggressive rules are.
//!
//! Observations never change a decision.

use tiebreak_model::{MachineId, Millis, Occupancy, Resource, Time};

use conflict_rate::ConflictRate;
use debt::Debts;
use frames::Frames;
use metrics::{Answers, Counters, Series, TimeWeighted, capacity};
use rule_shares::RuleShares;
use stranding::Fills;
use took::Took;

use crate::plan::Plan;

mod conflict_rate;
pub(crate) mod debt;
pub mod frames;
mod histogram;
pub(crate) mod machine_byte;
pub(crate) mod measures;
pub mod metrics;
pub(crate) mod rule_shares;
pub(crate) mod share_byte;
mod stranding;
mod took;

/// The observations of a run.
pub(crate) struct Observation {
    pub(crate) counters: Counters,
    /// What each rule did to the candidates.
    pub(crate) shares: RuleShares,
    pub(crate) series: Series,
    /// The state of every machine at each sample, if requested.
    pub(crate) frames: Option<Frames>,
    /// Time averages.
    pub(crate) weighted: TimeWeighted,
    /// Stranded capacity.
    pub(crate) fills: Fills,
    /// Placement debt.
    pub(crate) debts: Debts,
    /// Conflicts per minute and per second.
    pub(crate) minutes: ConflictRate,
    pub(crate) seconds: ConflictRate,
    took: Took,
    /// When the last request was answered.
    pub(crate) answered_at: Time,
    /// Capacity of the zone per resource, in stored units.
    pub(crate) capacity: [u64; 4],
    /// The time of the last sample, and the counters at that time.
    at_last_sample: (Time, Counters),
}

impl Observation {
    /// At the start of a run; rule shares are sampled from every `stride`-th VM.
    pub(crate) fn new(plan: &Plan, stride: u32) -> Self {
        let (measures, capacity) = (plan.measures, capacity(&plan.fleet));
        Self {
            counters: Counters::default(),
            shares: RuleShares::new(stride),
            series: Series::default(),
            frames: None,
            weighted: TimeWeighted::from(measures.measured_from(), capacity[Resource::Cores as usize]),
            fills: Fills::new(measures, &plan.workload, plan.seed),
            debts: Debts::new(measures, plan.affinity.long_days),
            minutes: ConflictRate::per(Millis::MINUTE),
            seconds: ConflictRate::per(Millis(1_000)),
            took: Took::default(),
            answered_at: Time::ZERO,
            capacity,
            at_last_sample: (Time::ZERO, Counters::default()),
        }
    }

    /// The zone had this state until now.
    #[inline]
    pub(crate) fn hold_until(&mut self, now: Time, zone: &Occupancy) {
        self.weighted.hold_until(now, zone.zone(), zone.fleet().machine_count());
    }

    /// A request that entered the queue at `since` left it.
    pub(crate) fn queued(&mut self, since: Time, now: Time) {
        self.took.queued(now.since(since).0);
    }

    /// A request from `asked_at` was answered.
    pub(crate) fn answered(&mut self, asked_at: Time, now: Time) {
        self.took.answered(now.since(asked_at).0);
        self.counters.answered += 1;
        self.answered_at = now;
    }

    /// How long answers have taken so far.
    pub(crate) fn answers(&self) -> Answers {
        self.took.so_far()
    }

    /// A commit succeeded or failed.
    pub(crate) fn committed(&mut self, now: Time, conflict: bool) {
        self.minutes.commit(now, conflict);
        self.seconds.commit(now, conflict);
    }

    /// A commit failed because of these machines.
    pub(crate) fn failed_on(&mut self, machines: &[MachineId]) {
        self.counters.conflicts += 1;
        self.frames.iter_mut().for_each(|frames| frames.commit_failed(machines));
    }

    /// Counts since the last sample, and the minutes since then; starts the next sample.
    pub(crate) fn close(&mut self, now: Time) -> Since {
        let (before, counted) = core::mem::replace(&mut self.at_last_sample, (now, self.counters));
        Since {
            counted: self.counters.since(&counted),
            minutes: now.since(before).0 as f64 / Millis::MINUTE.0 as f64,
            answers: self.took.close(),
        }
    }
}

/// The counts between two samples.
pub(crate) struct Since {
    pub(crate) counted: Counters,
    pub(crate) minutes: f64,
    pub(crate) answers: Answers,
}
