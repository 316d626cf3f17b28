//! What came of budgets: capping events, whom they hit, and sums over all of them.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tiebreak_model::{ChassisId, Millis, Time, VmId};
use tiebreak_power::SpanReport;

/// Events that are kept with all that is known of them; later ones are only counted.
pub const EVENTS_MAX: usize = 1_000;

/// How much somebody was slowed down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throttled {
    /// How long any of its cores ran below the nominal frequency, in ms.
    pub ms: u64,
    /// The same, each ms weighted by the mean share of the frequency that its cores lacked.
    pub depth_ms: f64,
    /// The lowest frequency that any of its cores had, as a share of the nominal one.
    pub lowest: f64,
}

impl Throttled {
    /// Not at all.
    pub const NOT: Self = Self { ms: 0, depth_ms: 0.0, lowest: 1.0 };

    /// How deep on average while it was slowed down: the share of the frequency that was missing, 0 to 1.
    #[must_use]
    pub fn depth(&self) -> f64 {
        if self.ms == 0 { 0.0 } else { self.depth_ms / self.ms as f64 }
    }

    pub(crate) fn add(&mut self, more: Self) {
        self.ms += more.ms;
        self.depth_ms += more.depth_ms;
        self.lowest = self.lowest.min(more.lowest);
    }
}

/// A chassis over its budget, from the first alert until its cores stay as fast as they can.
#[derive(Clone, Debug, PartialEq)]
pub struct CappingEvent {
    /// Where.
    pub chassis: ChassisId,
    /// The slot or the change that brought the draw too high.
    pub begin: Time,
    /// When the draw was low enough again; as far as the run has come while it is under way.
    pub end: Time,
    /// The most that its servers would have drawn if nobody had been slowed down, in watts.
    pub wanted_w: f64,
    /// What each server would have drawn at that moment, in order of their ids.
    pub servers_w: Vec<f64>,
    /// The most that it did draw between polls, in watts.
    pub peak_w: f64,
    /// What it may draw, in watts.
    pub budget_w: f64,
    /// Alerts of the chassis manager: cores are lifted after a while, and another alert may follow.
    pub alerts: u64,
    /// How often the last resort took hold of a server.
    pub rapl: u64,
    /// How long it drew more than its budget before it was brought down, in ms.
    pub over_ms: u64,
    /// Who was slowed down.
    pub vms: BTreeMap<VmId, Throttled>,
}

/// Sums over a run, or since a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PowerCounters {
    /// Capping events that began.
    pub events: u64,
    /// Alerts in them.
    pub alerts: u64,
    /// How often the last resort took hold of a server.
    pub rapl: u64,
    /// Cores of user-facing VMs and of all others that were slowed down, times how long, in ms.
    pub throttled_core_ms: [f64; 2],
    /// The same, weighted by how deep.
    pub depth_core_ms: [f64; 2],
    /// Energy drawn by all chassis, in joules.
    pub energy_j: f64,
    /// How long chassis were over their budget, in ms, summed over them.
    pub over_ms: u64,
    /// Slots of chassis looked at, and those in which a chassis would have drawn more than its budget.
    pub readings: u64,
    /// See there.
    pub readings_over: u64,
}

impl CappingEvent {
    /// One that begins now.
    pub(crate) fn at(chassis: ChassisId, begin: Time, budget_w: f64) -> Self {
        Self {
            chassis,
            begin,
            end: begin,
            wanted_w: 0.0,
            servers_w: Vec::new(),
            peak_w: 0.0,
            budget_w,
            alerts: 0,
            rapl: 0,
            over_ms: 0,
            vms: BTreeMap::new(),
        }
    }

    /// It went on like this, to `end`.
    pub(crate) fn go_on(&mut self, end: Time, report: &SpanReport, servers_w: &[f64]) {
        let wanted_w = servers_w.iter().sum();
        if wanted_w > self.wanted_w {
            self.wanted_w = wanted_w;
            self.servers_w = servers_w.into();
        }
        self.end = end;
        self.peak_w = self.peak_w.max(report.peak_w);
        self.alerts += report.events;
        self.rapl += report.rapl;
        self.over_ms += report.over_ms;
    }
}

impl PowerCounters {
    pub(crate) fn since(&self, before: &Self) -> Self {
        let less = |of: fn(&Self) -> [f64; 2]| core::array::from_fn(|kind| of(self)[kind] - of(before)[kind]);
        Self {
            events: self.events - before.events,
            alerts: self.alerts - before.alerts,
            rapl: self.rapl - before.rapl,
            throttled_core_ms: less(|it| it.throttled_core_ms),
            depth_core_ms: less(|it| it.depth_core_ms),
            energy_j: self.energy_j - before.energy_j,
            over_ms: self.over_ms - before.over_ms,
            readings: self.readings - before.readings,
            readings_over: self.readings_over - before.readings_over,
        }
    }
}

/// Power at one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerSample {
    /// What all chassis draw, in watts; none where draws are not measured.
    pub draw_w: Option<f64>,
    /// The draw of the chassis nearest to its budget, as a share of it.
    pub fullest: f64,
    /// What was counted since the sample before.
    pub counted: PowerCounters,
    /// The standard deviation over chassis of their scores, and over servers of theirs.
    pub deviations: [f64; 2],
}

/// What power was like over a whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PowerSummary {
    /// Everything that was counted.
    pub counted: PowerCounters,
    /// The standard deviation over chassis of their mean scores, and over servers of theirs; 0 where nobody looks. A
    /// chassis scores 1 less the share of its cores in use at the 95th percentile, a server how much more
    /// can be slowed down than not, from 0 to 1, both by what VMs really use. (Section IV-E)
    pub deviations: [f64; 2],
    /// VMs that were slowed down: user-facing ones, and others.
    pub throttled_vms: [u64; 2],
}

impl PowerSummary {
    /// Cores of user-facing VMs and of all others that were slowed down, times how long, in core-hours.
    #[must_use]
    pub fn slowed_core_hours(&self) -> [f64; 2] {
        self.counted.throttled_core_ms.map(|ms| ms / Millis::HOUR.0 as f64)
    }

    /// Energy drawn by all chassis, in kWh.
    #[must_use]
    pub fn energy_kwh(&self) -> f64 {
        self.counted.energy_j / 3_600_000.0
    }
}
