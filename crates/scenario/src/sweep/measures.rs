//! What a sweep says of each run: the figures of `tiebreak run --json` that are the same wherever a
//! run is made, or those of the admission lab. How long it took is none of them.

use tiebreak_sim::admission::years::Span;
use tiebreak_sim::power::events::PowerSummary;
use tiebreak_sim::{ClusterYears, Plan, Summary};

/// What the runs of a sweep are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SweepSubject {
    /// The workload, placed by the rules.
    #[default]
    Workload,
    /// The admission lab: a cluster over years, with the admission rules of the list.
    AdmissionLab,
}

impl SweepSubject {
    /// Every subject.
    pub const ALL: [Self; 2] = [Self::Workload, Self::AdmissionLab];

    /// Its name in a plan.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Workload => "workload",
            Self::AdmissionLab => "admission_lab",
        }
    }
}

/// One figure of a run.
pub struct SweepMeasure {
    /// Its stable id: the name of the column.
    pub id: &'static str,
    /// What it says.
    pub help: &'static str,
    /// Its unit; empty for counts.
    pub unit: &'static str,
    of: Of,
}

/// What a figure is computed from.
enum Of {
    Workload(fn(&Summary, &Plan) -> Option<f64>),
    AdmissionLab(fn(&Span, &ClusterYears) -> Option<f64>),
}

impl SweepMeasure {
    /// What it is about.
    #[must_use]
    pub const fn subject(&self) -> SweepSubject {
        match self.of {
            Of::Workload(_) => SweepSubject::Workload,
            Of::AdmissionLab(_) => SweepSubject::AdmissionLab,
        }
    }

    /// Its value for a run; none where the run did not measure it.
    #[must_use]
    pub fn of_run(&self, summary: &Summary, plan: &Plan) -> Option<f64> {
        if let Of::Workload(of) = self.of { of(summary, plan) } else { None }
    }

    /// Its value for the whole time of a cluster; none where it is about something else.
    #[must_use]
    pub fn of_years(&self, total: &Span, lab: &ClusterYears) -> Option<f64> {
        if let Of::AdmissionLab(of) = self.of { of(total, lab) } else { None }
    }
}

const fn measure(
    id: &'static str,
    help: &'static str,
    unit: &'static str,
    of: fn(&Summary, &Plan) -> Option<f64>,
) -> SweepMeasure {
    SweepMeasure { id, help, unit, of: Of::Workload(of) }
}

const fn lab(
    id: &'static str,
    help: &'static str,
    unit: &'static str,
    of: fn(&Span, &ClusterYears) -> Option<f64>,
) -> SweepMeasure {
    SweepMeasure { id, help, unit, of: Of::AdmissionLab(of) }
}

const MS_IN_HOUR: f64 = 3_600_000.0;
const JOULES_IN_KWH: f64 = 3_600_000.0;

/// Of what chassis drew, where that was measured.
fn drawn(summary: &Summary, value: impl Fn(&PowerSummary) -> f64) -> Option<f64> {
    summary.power.as_ref().filter(|power| power.counted.readings > 0).map(value)
}

fn whole(count: u64) -> Option<f64> {
    Some(count as f64)
}

/// Every figure, in the order of columns.
pub static SWEEP_MEASURES: &[SweepMeasure] = &[
    measure("placements", "VMs placed, those alive at the start among them.", "", |it, _| whole(it.placements)),
    measure("rejections", "VMs rejected, those at the start among them.", "", |it, _| whole(it.rejections)),
    measure("rejected_by_room", "VMs rejected for want of room, without those at the start.", "", |it, _| {
        whole(it.counters.rejected_by_room)
    }),
    measure(
        "rejected_by_terms",
        "VMs rejected by other rules, although machines had room, without those at the start.",
        "",
        |it, _| whole(it.counters.rejected_by_terms),
    ),
    measure("rejected_out_of_retries", "VMs of requests whose commits kept failing.", "", |it, _| {
        whole(it.counters.rejected_out_of_retries)
    }),
    measure("ended_before_placed", "VMs placed that had ended by then.", "", |it, _| {
        whole(it.counters.ended_before_placed)
    }),
    measure("warm_rejections", "VMs rejected at the start.", "", |it, _| whole(it.warm_rejections)),
    measure("conflicts", "Commits that failed.", "", |it, _| whole(it.conflicts)),
    measure("commits", "Decisions that reached the store.", "", |it, _| whole(it.counters.commits)),
    measure("conflicts_per_minute_p99", "Conflicts in a minute, 99th percentile.", "", |it, _| {
        Some(it.conflicts_per_minute_p99)
    }),
    measure("empty_hosts_pct_mean", "Machines without a VM, on average.", "%", |it, _| Some(it.empty_hosts_pct_mean)),
    measure("packing_density_pct_mean", "Cores in use on machines that have any VM, on average.", "%", |it, _| {
        Some(it.packing_density_pct_mean)
    }),
    measure(
        "empty_to_free_pct_mean",
        "Share of the free cores that stand on empty machines, on average.",
        "%",
        |it, _| Some(it.empty_to_free_pct_mean),
    ),
    measure(
        "stranded_cores_pct_mean",
        "Cores that no VM could use, on average, where the zone is filled to see.",
        "%",
        |it, _| it.stranded_pct_mean.map(|[cores, _]| cores),
    ),
    measure(
        "stranded_memory_pct_mean",
        "Memory that no VM could use, on average, where the zone is filled to see.",
        "%",
        |it, _| it.stranded_pct_mean.map(|[_, memory]| memory),
    ),
    measure("reallocations", "VMs that lost their machine and have another one.", "", |it, _| {
        whole(it.counters.reallocations)
    }),
    measure("lost_vms", "VMs that lost their machine and found no other.", "", |it, _| whole(it.counters.lost_vms)),
    measure("evictions", "VMs put out to make room for others.", "", |it, _| whole(it.counters.evictions)),
    measure("migrations", "VMs moved while they ran.", "", |it, _| whole(it.counters.migrations)),
    measure("migrations_scheduled", "VMs that were to be moved while they ran.", "", |it, _| {
        whole(it.counters.migrations_scheduled)
    }),
    measure("migrations_saved", "Of those, VMs that ended before it was their turn.", "", |it, _| {
        whole(it.counters.migrations_saved)
    }),
    measure("repredictions", "Running VMs predicted again.", "", |it, _| whole(it.lives.repredictions)),
    measure("machines", "Machines of the zone.", "", |_, plan| whole(plan.fleet().machine_count().into())),
    measure("clusters", "Clusters of the zone.", "", |_, plan| whole(plan.fleet().clusters().len() as u64)),
    measure("vms", "VMs that were asked for.", "", |_, plan| whole(plan.workload().vm_count().into())),
    measure("requests", "Requests they came in.", "", |_, plan| whole(plan.workload().request_count().into())),
    measure("cache_hits_pct", "Decisions that found a rule evaluation.", "%", |it, _| {
        let all = it.counters.cache_hits + it.counters.cache_misses;
        Some(100.0 * it.counters.cache_hits as f64 / all.max(1) as f64)
    }),
    measure("deployments_refused", "Requests of tenants without any VM that were not placed.", "", |it, _| {
        whole(it.counters.deployments_refused)
    }),
    measure("scale_outs_failed", "Requests of tenants with VMs that were not placed.", "", |it, _| {
        whole(it.counters.scale_outs_failed)
    }),
    measure("capping_events", "Times a chassis came too near to its power budget.", "", |it, _| {
        drawn(it, |power| power.counted.events as f64)
    }),
    measure("rapl_engagements", "Times the last resort took hold of a server.", "", |it, _| {
        drawn(it, |power| power.counted.rapl as f64)
    }),
    measure("user_facing_slowed", "Cores of user-facing VMs slowed down, times how long.", "core-hours", |it, _| {
        drawn(it, |power| power.counted.throttled_core_ms[0] / MS_IN_HOUR)
    }),
    measure("others_slowed", "Cores of all other VMs slowed down, times how long.", "core-hours", |it, _| {
        drawn(it, |power| power.counted.throttled_core_ms[1] / MS_IN_HOUR)
    }),
    measure("energy_kwh", "Energy that all servers drew.", "kWh", |it, _| {
        drawn(it, |power| power.counted.energy_j / JOULES_IN_KWH)
    }),
    measure("chassis_deviation_pct", "How unlike chassis are in what their VMs use of their cores.", "%", |it, _| {
        it.power.as_ref().map(|power| 100.0 * power.deviations[0])
    }),
    measure(
        "server_deviation_pct",
        "How unlike servers are in how much of what they do can be slowed down.",
        "%",
        |it, _| it.power.as_ref().map(|power| 100.0 * power.deviations[1]),
    ),
    lab("utilization_pct", "Cores of the cluster in use, on average.", "%", |it, lab| {
        Some(100.0 * it.utilization(lab.cores))
    }),
    lab("failed_pct", "Scale-outs that failed: what the service level bounds.", "%", |it, _| {
        Some(100.0 * it.failed_share())
    }),
    lab("scale_outs", "Scale-outs asked for.", "", |it, _| whole(it.scale_outs)),
    lab("failed", "Scale-outs that failed, counted.", "", |it, _| whole(it.failed)),
    lab("arrivals", "Deployments that asked to be let in.", "", |it, _| whole(it.arrivals)),
    lab("admitted", "Of these, the ones that were.", "", |it, _| whole(it.admitted)),
];
