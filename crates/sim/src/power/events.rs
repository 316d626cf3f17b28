//! The effects of power budgets: capping events, the throttled VMs, and their sums.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tiebreak_model::{ChassisId, Millis, Time, VmId};
use tiebreak_power::SpanReport;

/// The maximum number of events stored with all details; later ones are only counted.
pub const EVENTS_MAX: usize = 1_000;

/// How much a VM was throttled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throttled {
    /// How long any of its cores ran below the nominal frequency, in ms.
    pub ms: u64,
    /// The same, with each ms weighted by the mean share of the frequency that its cores lost.
    pub depth_ms: f64,
    /// The lowest frequency of any of its cores, as a share of the nominal one.
    pub lowest: f64,
}

impl Throttled {
    /// Not throttled.
    pub const NOT: Self = Self { ms: 0, depth_ms: 0.0, lowest: 1.0 };

    /// The mean depth while throttled: the lost share of the frequency, 0 to 1.
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

/// A chassis over its budget, from the first alert until its cores are back at full frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct CappingEvent {
    /// The chassis.
    pub chassis: ChassisId,
    /// The slot or the change that raised the draw too high.
    pub begin: Time,
    /// When the draw was low enough again; the current time while it is under way.
    pub end: Time,
    /// The largest draw of its servers without throttling, in watts.
    pub wanted_w: f64,
    /// The draw of each server at that moment without throttling, in order of their ids.
    pub servers_w: Vec<f64>,
    /// The largest actual draw between polls, in watts.
    pub peak_w: f64,
    /// The budget, in watts.
    pub budget_w: f64,
    /// Alerts of the chassis manager. Cores are raised again after a while, and another alert may follow.
    pub alerts: u64,
    /// How often RAPL, the last resort, throttled a server.
    pub rapl: u64,
    /// How long it drew more than its budget, in ms.
    pub over_ms: u64,
    /// The throttled VMs.
    pub vms: BTreeMap<VmId, Throttled>,
}

/// Sums over a run, or since a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PowerCounters {
    /// Capping events that began.
    pub events: u64,
    /// Alerts in them.
    pub alerts: u64,
    /// How often RAPL, the last resort, throttled a server.
    pub rapl: u64,
    /// Throttled cores of user-facing and of batch VMs, times duration, in ms.
    pub throttled_core_ms: [f64; 2],
    /// The same, weighted by depth.
    pub depth_core_ms: [f64; 2],
    /// Energy drawn by all chassis, in joules.
    pub energy_j: f64,
    /// How long chassis were over their budget, in ms, summed over all.
    pub over_ms: u64,
    /// Evaluated slots of chassis, and those in which a chassis would have drawn more than its budget.
    pub readings: u64,
    /// See [`Self::readings`].
    pub readings_over: u64,
}

impl CappingEvent {
    /// An event that begins now.
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

    /// Continues the event to `end` with this report.
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
    /// The draw of all chassis, in watts; `None` if draws are not measured.
    pub draw_w: Option<f64>,
    /// The largest draw of any chassis, as a share of its budget.
    pub fullest: f64,
    /// The counters since the previous sample.
    pub counted: PowerCounters,
    /// The standard deviation of scores over chassis, and over servers.
    pub deviations: [f64; 2],
}

/// Power over a whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PowerSummary {
    /// All counters.
    pub counted: PowerCounters,
    /// The standard deviation of mean scores over chassis, and over servers; 0 if not measured. A chassis scores 1
    /// minus the share of its cores used at the 95th percentile. A server scores the surplus of batch over
    /// user-facing use, from 0 to 1. Both use actual utilization (section IV-E).
    pub deviations: [f64; 2],
    /// Throttled VMs: user-facing and batch.
    pub throttled_vms: [u64; 2],
}

impl PowerSummary {
    /// Throttled cores of user-facing and of batch VMs, times duration, in core-hours.
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
