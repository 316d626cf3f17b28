//! The metrics sampled over time: one static list (Protean section 6, row P6).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tiebreak_model::occupancy::Totals;
use tiebreak_model::{Bottleneck, ClusterId, Declaration, Fleet, Millis, Occupancy, Resource, Resources, Time};

use crate::network::links::LinkSample;
use crate::observation::debt::Debt;
use crate::power::events::PowerSample;

/// The input of a metric: the store at a moment, and the counts since the previous sample.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The zone now.
    pub zone: &'a Totals,
    /// Machines in the zone.
    pub machines: u32,
    /// Capacity of the zone per resource, in stored units.
    pub capacity: &'a [u64; 4],
    /// Counts since the previous sample.
    pub counted: &'a Counters,
    /// Minutes since the previous sample; 0 at the first.
    pub minutes: f64,
    /// Requests waiting for an agent.
    pub waiting: u32,
    /// Migrating VMs: the zone's sums count each on both of its machines.
    pub migrating: u32,
    /// How long the requests took that were answered since the previous sample.
    pub answers: Answers,
    /// How far agents lag behind the store's log, on average, in changes.
    pub lag: f64,
    /// The largest possible number of empty machines with the current usage, pooling machines of the same hardware.
    pub empty_bound: f64,
    /// Repredictions since the previous sample.
    pub repredictions: u64,
    /// How many machines are open and recycling; `None` if no rule reads predicted lifetimes.
    pub phases: Option<[u32; 2]>,
    /// Stranded cores and memory at the last fill, in percent; NaN before the first.
    pub stranded_pct: [f64; 2],
    /// Placement debt at its last measurement; `None` before the first.
    pub debt: Option<Debt>,
    /// The bandwidth of links between VMs; `None` if VMs are not linked.
    pub links: Option<LinkSample>,
    /// The largest expected share of any cluster's cores at any future moment; `None` if no rule reads it.
    pub expected_peak: Option<f64>,
    /// Power; `None` if no rule reads it and draws are not measured.
    pub power: Option<PowerSample>,
}

/// How long requests took that were placed or rejected in a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answers {
    /// The median time from request to answer, in ms; NaN without requests.
    pub p50_ms: f64,
    /// The 99th percentile of that time, in ms; NaN without requests.
    pub p99_ms: f64,
    /// The mean time in the queue, in ms; NaN without requests.
    pub queued_ms: f64,
}

/// Counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Commits tried.
    pub commits: u64,
    /// Commits that failed because a machine had changed.
    pub conflicts: u64,
    /// VMs placed.
    pub placements: u64,
    /// VMs rejected: refused, or out of retries.
    pub rejections: u64,
    /// Of these, VMs of requests with a VM for which no machine had room.
    pub rejected_by_room: u64,
    /// Of these, VMs of requests with a VM for which machines had room, but other rules refused them all.
    pub rejected_by_terms: u64,
    /// Of these, VMs of requests whose last retry ended in a conflict.
    pub rejected_out_of_retries: u64,
    /// Of the VMs placed, those that had already ended: they never used any capacity.
    pub ended_before_placed: u64,
    /// Low-priority VMs evicted.
    pub evictions: u64,
    /// Requests whose commit failed and that were queued again.
    pub retries: u64,
    /// Requests answered: placed or rejected.
    pub answered: u64,
    /// VMs placed by conflict avoidance.
    pub avoided: u64,
    /// Machines ranked again before decisions.
    pub refreshed: u64,
    /// Decisions whose class of requests had a rule evaluation.
    pub cache_hits: u64,
    /// Decisions that had to create one.
    pub cache_misses: u64,
    /// VMs that lost their machine and were placed on another.
    pub reallocations: u64,
    /// VMs that lost their machine before their end and found no other.
    pub lost_vms: u64,
    /// VMs moved to another machine while they ran.
    pub migrations: u64,
    /// VMs scheduled for migration, counted each time.
    pub migrations_scheduled: u64,
    /// VMs scheduled for migration that ended before their turn.
    pub migrations_saved: u64,
    /// If rules read forecasts of deployments: deployments admitted and refused.
    pub deployments: u64,
    /// See [`Self::deployments`].
    pub deployments_refused: u64,
    /// Scale-outs of existing deployments: placed, and failed.
    pub scale_outs: u64,
    /// See [`Self::scale_outs`].
    pub scale_outs_failed: u64,
    /// If VMs are linked: VMs rejected for lack of capacity on machines, and by what blocked their links.
    pub refused_by_room: u64,
    /// In the order of [`Bottleneck::ALL`].
    pub refused_by_network: [u64; 4],
}

impl Counters {
    pub(crate) fn since(&self, before: &Self) -> Self {
        Self {
            commits: self.commits - before.commits,
            conflicts: self.conflicts - before.conflicts,
            placements: self.placements - before.placements,
            rejections: self.rejections - before.rejections,
            rejected_by_room: self.rejected_by_room - before.rejected_by_room,
            rejected_by_terms: self.rejected_by_terms - before.rejected_by_terms,
            rejected_out_of_retries: self.rejected_out_of_retries - before.rejected_out_of_retries,
            ended_before_placed: self.ended_before_placed - before.ended_before_placed,
            evictions: self.evictions - before.evictions,
            retries: self.retries - before.retries,
            answered: self.answered - before.answered,
            avoided: self.avoided - before.avoided,
            refreshed: self.refreshed - before.refreshed,
            cache_hits: self.cache_hits - before.cache_hits,
            cache_misses: self.cache_misses - before.cache_misses,
            reallocations: self.reallocations - before.reallocations,
            lost_vms: self.lost_vms - before.lost_vms,
            migrations: self.migrations - before.migrations,
            migrations_scheduled: self.migrations_scheduled - before.migrations_scheduled,
            migrations_saved: self.migrations_saved - before.migrations_saved,
            deployments: self.deployments - before.deployments,
            deployments_refused: self.deployments_refused - before.deployments_refused,
            scale_outs: self.scale_outs - before.scale_outs,
            scale_outs_failed: self.scale_outs_failed - before.scale_outs_failed,
            refused_by_room: self.refused_by_room - before.refused_by_room,
            refused_by_network: core::array::from_fn(|by| self.refused_by_network[by] - before.refused_by_network[by]),
        }
    }

    /// Counts rejected VMs, blocked by this or by lack of capacity.
    pub(crate) fn count_refusals(&mut self, by: Option<Bottleneck>, vms: u64) {
        match by {
            Some(by) => self.refused_by_network[by as usize] += vms,
            None => self.refused_by_room += vms,
        }
    }
}

/// A metric.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its declaration.
    pub declaration: Declaration,
    /// The unit of its values.
    pub unit: &'static str,
    /// Its value; NaN if it is undefined.
    pub value: fn(&Sample<'_>) -> f64,
}

impl Metric {
    /// Whether it is a rate per minute, which bars show better than a line.
    #[must_use]
    pub fn is_rate(&self) -> bool {
        self.unit.ends_with("per minute")
    }

    /// Its largest possible value, if any.
    #[must_use]
    pub fn ceiling(&self) -> Option<f64> {
        (self.unit == "%").then_some(100.0)
    }
}

const fn metric(
    id: &'static str,
    title: &'static str,
    unit: &'static str,
    help: &'static str,
    value: fn(&Sample<'_>) -> f64,
) -> Metric {
    Metric { declaration: Declaration { id, title, help, params: &[] }, unit, value }
}

/// Every metric, in display order.
pub static METRICS: &[Metric] = &[
    metric(
        "EmptyHosts",
        "Empty hosts",
        "%",
        "Share of machines without any VM. They can be switched off, updated, or given to a VM that needs a whole \
         machine.",
        |sample| 100.0 * f64::from(sample.machines - sample.zone.busy) / f64::from(sample.machines),
    ),
    metric(
        "PackingDensity",
        "Packing density",
        "%",
        "Allocated share of the cores of non-empty machines (Protean section 6.3).",
        |sample| percent(sample.zone.used(Resource::Cores), sample.zone.busy_cores_milli),
    ),
    metric(
        "Conflicts",
        "Conflicts",
        "per minute",
        "Commits that failed because another agent had used the machine's capacity, per minute.",
        |sample| per_minute(sample.counted.conflicts, sample),
    ),
    metric("Rejections", "Rejections", "VMs per minute", "VMs for which no machine was found, per minute.", |sample| {
        per_minute(sample.counted.rejections, sample)
    }),
    metric("EmptyHostCount", "Empty hosts (count)", "machines", "Machines without any VM.", |sample| {
        f64::from(sample.machines - sample.zone.busy)
    }),
    metric("CoreUtilization", "Core utilization", "%", "Allocated share of the zone's cores.", |sample| {
        percent(sample.zone.used(Resource::Cores), sample.capacity[Resource::Cores as usize])
    }),
    metric("MemoryUtilization", "Memory utilization", "%", "Allocated share of the zone's memory.", |sample| {
        percent(sample.zone.used(Resource::Memory), sample.capacity[Resource::Memory as usize])
    }),
    metric("SsdUtilization", "SSD utilization", "%", "Allocated share of the zone's local SSD.", |sample| {
        percent(sample.zone.used(Resource::Ssd), sample.capacity[Resource::Ssd as usize])
    }),
    metric(
        "NetworkUtilization",
        "Network utilization",
        "%",
        "Allocated share of the zone's network bandwidth.",
        |sample| percent(sample.zone.used(Resource::Network), sample.capacity[Resource::Network as usize]),
    ),
    metric("LiveVms", "Live VMs", "VMs", "Running VMs.", |sample| sample.zone.vms as f64 - f64::from(sample.migrating)),
    metric("Placements", "Placements", "VMs per minute", "VMs placed, per minute.", |sample| {
        per_minute(sample.counted.placements, sample)
    }),
    metric("Waiting", "Waiting requests", "requests", "Requests waiting for a free agent.", |sample| {
        f64::from(sample.waiting)
    }),
    metric(
        "CacheHitRatio",
        "Cache hit ratio",
        "%",
        "Share of decisions whose class of requests was already evaluated (Protean Fig. 9).",
        |sample| percent(sample.counted.cache_hits, sample.counted.cache_hits + sample.counted.cache_misses),
    ),
    metric(
        "Throughput",
        "Throughput",
        "requests per minute",
        "Requests answered, placed or rejected, per minute (Protean Fig. 13).",
        |sample| per_minute(sample.counted.answered, sample),
    ),
    metric(
        "QueueDelay",
        "Queueing delay",
        "ms",
        "How long requests waited for an agent before their last decision, on average.",
        |sample| sample.answers.queued_ms,
    ),
    metric(
        "LatencyP50",
        "Median latency",
        "ms",
        "The median time in which requests were answered, including waiting and retries (Protean section 6.2).",
        |sample| sample.answers.p50_ms,
    ),
    metric(
        "LatencyP99",
        "99th percentile latency",
        "ms",
        "The time within which 99 % of requests were answered, including waiting and retries.",
        |sample| sample.answers.p99_ms,
    ),
    metric("Retries", "Retries", "per minute", "Requests queued again after a failed commit, per minute.", |sample| {
        per_minute(sample.counted.retries, sample)
    }),
    metric(
        "UpdatesPerDecision",
        "Machines reranked",
        "machines per VM",
        "Machines reranked per decision, on average: about 50 for a hit and 2,000 for a miss in the paper's zone \
         (Protean section 6.2).",
        |sample| ratio(sample.counted.refreshed, sample.counted.cache_hits + sample.counted.cache_misses),
    ),
    metric(
        "AgentLag",
        "Agents' lag",
        "changes",
        "Changes in the store that an agent has not read yet, averaged over the agents.",
        |sample| sample.lag,
    ),
    metric(
        "Evictions",
        "Evictions",
        "VMs per minute",
        "Spot VMs evicted to make room, per minute (Protean section 2.1).",
        |sample| per_minute(sample.counted.evictions, sample),
    ),
    metric(
        "UnreadyMachines",
        "Machines not ready",
        "machines",
        "Machines that take no new VMs: failed, drained, being updated or out of service.",
        |sample| f64::from(sample.zone.unready),
    ),
    metric(
        "Reallocations",
        "Reallocations",
        "VMs per minute",
        "VMs that lost their machine and were placed on another, per minute (Protean section 2.1).",
        |sample| per_minute(sample.counted.reallocations, sample),
    ),
    metric(
        "LostVms",
        "Lost VMs",
        "VMs per minute",
        "VMs that lost their machine and found no other, per minute.",
        |sample| per_minute(sample.counted.lost_vms, sample),
    ),
    metric(
        "Migrations",
        "Migrations",
        "VMs per minute",
        "VMs moved to another machine while they ran, per minute (Protean section 6.3).",
        |sample| per_minute(sample.counted.migrations, sample),
    ),
    metric(
        "EmptyHostsBound",
        "Upper bound on empty hosts",
        "%",
        "The most machines that could be empty at the current load: the lower of the free shares of cores and memory, \
         over all machines of the same hardware (LAVA appendix G.2).",
        |sample| 100.0 * sample.empty_bound / f64::from(sample.machines),
    ),
    metric(
        "EmptyToFree",
        "Empty-to-free ratio",
        "%",
        "Share of the free cores that are on empty machines. Unlike the share of empty hosts, it does not fall just \
         because more cores are in use (LAVA appendix D).",
        |sample| {
            let all = sample.capacity[Resource::Cores as usize];
            percent(all - sample.zone.busy_cores_milli, all - sample.zone.used(Resource::Cores))
        },
    ),
    metric(
        "StrandedCores",
        "Stranded cores",
        "%",
        "Share of cores still free after filling a copy of the zone with a mix of the workload's VMs until none fits, \
         at the last measurement (LAVA section 2.3).",
        |sample| sample.stranded_pct[0],
    ),
    metric(
        "StrandedMemory",
        "Stranded memory",
        "%",
        "Share of memory still free after filling a copy of the zone with a mix of the workload's VMs until none \
         fits, at the last measurement (LAVA section 2.3).",
        |sample| sample.stranded_pct[1],
    ),
    metric(
        "Repredictions",
        "Repredictions",
        "VMs per minute",
        "Running VMs that were repredicted, per minute (LAVA sections 3 and 5).",
        |sample| per_minute(sample.repredictions, sample),
    ),
    metric(
        "OpenMachines",
        "Open machines",
        "machines",
        "Machines that take VMs of their own lifetime class (LAVA section 4.3).",
        |sample| sample.phases.map_or(f64::NAN, |[open, _]| f64::from(open)),
    ),
    metric(
        "RecyclingMachines",
        "Recycling machines",
        "machines",
        "Machines that take only VMs of lower lifetime classes until the VMs that they wait for have exited (LAVA \
         section 4.3).",
        |sample| sample.phases.map_or(f64::NAN, |[_, recycling]| f64::from(recycling)),
    ),
    metric(
        "LinkDemand",
        "Bandwidth demand",
        "Gbit/s",
        "Bandwidth of all links between placed VMs, including those on one machine (Gridiron section IV).",
        |sample| sample.links.map_or(f64::NAN, |links| links.demand_kbps as f64 / KBPS_IN_GBPS),
    ),
    metric(
        "LinkCrossing",
        "Bandwidth between machines",
        "Gbit/s",
        "Bandwidth of the links that the network carries; links within a machine use none (Gridiron section III-D).",
        |sample| sample.links.map_or(f64::NAN, |links| links.crossing_kbps as f64 / KBPS_IN_GBPS),
    ),
    metric(
        "UplinkUse",
        "Machine uplinks reserved",
        "%",
        "Reserved share of the bandwidth of machine uplinks.",
        |sample| sample.links.map_or(f64::NAN, |links| 100.0 * links.machines_used),
    ),
    metric(
        "RackUplinkUse",
        "Rack uplinks reserved",
        "%",
        "Reserved share of the bandwidth of rack uplinks.",
        |sample| sample.links.map_or(f64::NAN, |links| 100.0 * links.racks_used),
    ),
    metric(
        "FullestUplink",
        "Fullest uplink",
        "%",
        "The largest reserved share of any uplink of a machine or a rack.",
        |sample| sample.links.map_or(f64::NAN, |links| 100.0 * links.fullest.min(1.0)),
    ),
    metric(
        "RefusedByRoom",
        "Refused: no machine had room",
        "VMs per minute",
        "VMs refused because no machine had room for them, regardless of the network: compute-bound (Gridiron section \
         III-D).",
        |sample| refused(sample, sample.counted.refused_by_room),
    ),
    metric(
        "RefusedByLink",
        "Refused by a link",
        "VMs per minute",
        "VMs refused because a single link needs more than any machine's uplinks carry (Gridiron section III-D).",
        |sample| refused_by(sample, Bottleneck::Link),
    ),
    metric(
        "RefusedByPeering",
        "Refused by peering",
        "VMs per minute",
        "VMs refused because a VM of their VDC already has as many peers as its machine's uplinks can carry (Gridiron \
         section III-D).",
        |sample| refused_by(sample, Bottleneck::Peering),
    ),
    metric(
        "RefusedByColocation",
        "Refused by co-location",
        "VMs per minute",
        "VMs refused because VMs of their VDC share a machine whose uplinks cannot carry all their links (Gridiron \
         section III-D).",
        |sample| refused_by(sample, Bottleneck::Colocation),
    ),
    metric(
        "RefusedElsewhere",
        "Refused by racks' uplinks",
        "VMs per minute",
        "VMs refused because uplinks of racks or clusters are full (Gridiron section III-D).",
        |sample| refused_by(sample, Bottleneck::Elsewhere),
    ),
    metric(
        "ExpectedPeak",
        "Highest expected cores",
        "% of cores",
        "The largest share of any cluster's cores that its deployments are expected to use at any future moment, as \
         admission rules see it (cluster admission, section 4.2).",
        |sample| sample.expected_peak.map_or(f64::NAN, |share| 100.0 * share),
    ),
    metric(
        "DeploymentsRefused",
        "Deployments not admitted",
        "per minute",
        "Requests of tenants without VMs that were not placed, per minute (cluster admission, section 2.1).",
        |sample| of_deployments(sample, sample.counted.deployments_refused),
    ),
    metric(
        "ScaleOutsFailed",
        "Failed scale-outs",
        "per minute",
        "Requests of tenants with VMs that were not placed, per minute: what the service level limits (cluster \
         admission, section 2.1).",
        |sample| of_deployments(sample, sample.counted.scale_outs_failed),
    ),
    metric(
        "PowerDraw",
        "Power draw",
        "kW",
        "Total draw of all servers, throttled or not (power oversubscription, section IV-A).",
        |sample| power(sample, |power| power.draw_w.map_or(f64::NAN, |watts| watts / 1_000.0)),
    ),
    metric(
        "FullestChassis",
        "Fullest chassis",
        "% of its budget",
        "Draw of the chassis closest to its power budget, as a share of that budget (power oversubscription, section \
         II-B).",
        |sample| draws(sample, |power| 100.0 * power.fullest),
    ),
    metric(
        "CappingEvents",
        "Capping events",
        "per minute",
        "Chassis that reached their power budget and throttled cores, per minute (power oversubscription, section \
         III-D).",
        |sample| draws(sample, |power| per_minute(power.counted.events, sample)),
    ),
    metric(
        "UserFacingSlowed",
        "User-facing cores throttled",
        "cores",
        "Cores of user-facing VMs that were throttled, averaged since the previous sample.",
        |sample| draws(sample, |power| power.counted.throttled_core_ms[0] / MS_IN_MINUTE / sample.minutes),
    ),
    metric(
        "OthersSlowed",
        "Other cores throttled",
        "cores",
        "Cores of batch VMs that were throttled, averaged since the previous sample.",
        |sample| draws(sample, |power| power.counted.throttled_core_ms[1] / MS_IN_MINUTE / sample.minutes),
    ),
    metric(
        "ChassisBalance",
        "Imbalance of chassis",
        "% of cores",
        "The standard deviation over chassis of the share of their cores in use when all VMs are at their 95th \
         percentile. Lower is better balanced (power oversubscription, section IV-E).",
        |sample| power(sample, |power| 100.0 * power.deviations[0]),
    ),
    metric(
        "ServerBalance",
        "Imbalance of servers",
        "% of cores",
        "The standard deviation over servers of half the difference between load that can be throttled and load that \
         cannot. Lower is better balanced (power oversubscription, section IV-E).",
        |sample| power(sample, |power| 100.0 * power.deviations[1]),
    ),
    metric(
        "LongDensity",
        "Density of long-lived VMs",
        "%",
        "Cores of long-lived VMs, as a share of the cores of machines with at least one of them. Low means scattered \
         (PD_L of DVLA).",
        |sample| debt(sample, |debt| debt.long_density_pct),
    ),
    metric(
        "PlacementDebt",
        "Placement debt",
        "machines",
        "Machines with long-lived VMs beyond those that would do at the target density (DVLA).",
        |sample| debt(sample, |debt| debt.machines),
    ),
    metric(
        "StrandedMachines",
        "Stranded machines",
        "%",
        "Machines with a VM that has long to go and with less than half of their cores in use, as a share of machines \
         in use (DVLA).",
        |sample| debt(sample, |debt| debt.stranded_pct),
    ),
    metric(
        "VmsTogether",
        "VMs of a customer together",
        "%",
        "VMs on a machine with more than the set share of their customer's VMs, as a share of the VMs of customers with \
         at least two. If the machine fails, the customer loses them together (VRAR of DVLA).",
        |sample| debt(sample, |debt| debt.vrar_pct),
    ),
];

fn debt(sample: &Sample<'_>, value: impl Fn(&Debt) -> f64) -> f64 {
    sample.debt.as_ref().map_or(f64::NAN, value)
}

const MS_IN_MINUTE: f64 = 60_000.0;

const KBPS_IN_GBPS: f64 = 1e6;

fn power(sample: &Sample<'_>, value: impl Fn(&PowerSample) -> f64) -> f64 {
    sample.power.as_ref().map_or(f64::NAN, value)
}

/// From power draws, if they are measured.
fn draws(sample: &Sample<'_>, value: impl Fn(&PowerSample) -> f64) -> f64 {
    power(sample, |power| if power.draw_w.is_some() { value(power) } else { f64::NAN })
}

fn refused(sample: &Sample<'_>, vms: u64) -> f64 {
    if sample.links.is_some() { per_minute(vms, sample) } else { f64::NAN }
}

fn of_deployments(sample: &Sample<'_>, requests: u64) -> f64 {
    if sample.expected_peak.is_some() { per_minute(requests, sample) } else { f64::NAN }
}

fn refused_by(sample: &Sample<'_>, by: Bottleneck) -> f64 {
    refused(sample, sample.counted.refused_by_network[by as usize])
}

/// The index of a metric in [`METRICS`].
#[must_use]
pub fn index_of(id: &str) -> Option<usize> {
    METRICS.iter().position(|metric| metric.declaration.id == id)
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { f64::NAN } else { 100.0 * part as f64 / whole as f64 }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { f64::NAN } else { part as f64 / whole as f64 }
}

fn per_minute(count: u64, sample: &Sample<'_>) -> f64 {
    if sample.minutes > 0.0 { count as f64 / sample.minutes } else { 0.0 }
}

/// The samples of every metric.
#[derive(Clone, Debug, Default)]
pub struct Series {
    times: Vec<Time>,
    values: Vec<Vec<f64>>,
}

impl Series {
    pub(crate) fn push(&mut self, time: Time, sample: &Sample<'_>) {
        self.values.resize_with(METRICS.len(), Vec::new);
        self.times.push(time);
        for (metric, values) in METRICS.iter().zip(&mut self.values) {
            values.push((metric.value)(sample));
        }
    }

    /// The times of the samples.
    #[must_use]
    pub fn times(&self) -> &[Time] {
        &self.times
    }

    /// The samples of the metric at this index of [`METRICS`].
    #[must_use]
    pub fn values(&self, metric: usize) -> &[f64] {
        self.values.get(metric).map_or(&[], |values| values)
    }
}

/// Time averages, exact between events: each value is weighted by how long it held.
#[derive(Clone, Debug)]
pub(crate) struct TimeWeighted {
    at: Time,
    /// The zone's cores, in thousandths.
    cores_milli: u64,
    empty_to_free: f64,
    free_ms: f64,
    empty: f64,
    empty_ms: f64,
    busy_machine_ms: f64,
    density: f64,
    density_ms: f64,
}

impl TimeWeighted {
    /// For a zone with this many thousandths of cores, from a moment on.
    pub(crate) fn from(at: Time, cores_milli: u64) -> Self {
        Self {
            at,
            cores_milli,
            empty_to_free: 0.0,
            free_ms: 0.0,
            empty: 0.0,
            empty_ms: 0.0,
            busy_machine_ms: 0.0,
            density: 0.0,
            density_ms: 0.0,
        }
    }

    /// The zone had this state from the last call until now.
    pub(crate) fn hold_until(&mut self, now: Time, zone: &Totals, machines: u32) {
        let held = now.since(self.at).0 as f64;
        if held > 0.0 {
            self.at = now;
            self.empty += held * f64::from(machines - zone.busy) / f64::from(machines);
            self.empty_ms += held;
            self.busy_machine_ms += held * f64::from(zone.busy);
            if zone.busy > 0 {
                self.density += held * zone.used(Resource::Cores) as f64 / zone.busy_cores_milli as f64;
                self.density_ms += held;
            }
            let free = self.cores_milli - zone.used(Resource::Cores);
            if free > 0 {
                self.empty_to_free += held * (self.cores_milli - zone.busy_cores_milli) as f64 / free as f64;
                self.free_ms += held;
            }
        }
    }

    /// Mean share of empty hosts, in percent.
    pub(crate) fn empty_hosts_pct(&self) -> f64 {
        mean_pct(self.empty, self.empty_ms)
    }

    /// Hours that machines had any VM, summed over machines.
    pub(crate) fn machine_hours(&self) -> f64 {
        self.busy_machine_ms / Millis::HOUR.0 as f64
    }

    /// Mean share of the free cores that are on empty machines, in percent.
    pub(crate) fn empty_to_free_pct(&self) -> f64 {
        mean_pct(self.empty_to_free, self.free_ms)
    }

    /// Mean packing density, in percent.
    pub(crate) fn packing_density_pct(&self) -> f64 {
        mean_pct(self.density, self.density_ms)
    }
}

fn mean_pct(sum: f64, weight: f64) -> f64 {
    if weight > 0.0 { 100.0 * sum / weight } else { 0.0 }
}

/// The largest possible number of empty machines with the current usage, pooling machines of the same hardware (LAVA
/// appendix G.2).
pub(crate) fn empty_bound(occupancy: &Occupancy) -> f64 {
    let fleet = occupancy.fleet();
    let mut by_hardware: BTreeMap<Resources, [f64; 2]> = BTreeMap::new();
    for (at, cluster) in fleet.clusters().iter().enumerate() {
        let (machines, view) = (cluster.machines().len() as u32, occupancy.cluster(ClusterId::of(at)));
        let free = by_hardware.entry(cluster.capacity).or_default();
        for (free, resource) in free.iter_mut().zip([Resource::Cores, Resource::Memory]) {
            *free += f64::from(machines) * (1.0 - view.used_share(resource));
        }
    }
    by_hardware.values().map(|[cores, memory]| cores.min(*memory)).sum()
}

/// Capacity of a fleet per resource, in stored units.
pub(crate) fn capacity(fleet: &Fleet) -> [u64; 4] {
    Resource::ALL.map(|resource| fleet.clusters().iter().map(|cluster| cluster.total(resource)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::measures::Measures;
    use crate::world::World;
    use crate::world::trial::{Trial, minute};
    use tiebreak_model::ClusterSpec;

    /// One day: until noon, a VM that fills a machine of 4 cores and one of 1 core are on two of three machines.
    fn trial() -> Trial {
        Trial::new(3, 1).rule("IsClusterBelowLimit", &[100.0]).vms(1, 4, (0, 720)).vms(1, 1, (0, 720))
    }

    fn last(world: &World, id: &str) -> f64 {
        let values = world.series().values(index_of(id).expect("a metric"));
        *values.last().expect("samples")
    }

    #[test]
    fn empty_machines_are_held_against_what_is_free() {
        let world = trial().at(60, &[]);
        // 7 of 12 cores are free, 4 of them on the empty machine.
        assert!((last(&world, "EmptyToFree") - 100.0 * 4.0 / 7.0).abs() < 1e-9);
        assert!((last(&world, "EmptyHostsBound") - 100.0 * 7.0 / 12.0).abs() < 1e-9);
        // Other hardware with half the cores hosts the small VM, and has its own bound.
        let mut trial = trial();
        let spec: &ClusterSpec = &trial.clusters[0];
        let small = ClusterSpec { capacity: Resources::new(2_000, 16_384, 0, 0), machines: 1, ..spec.clone() };
        trial.clusters.push(small);
        let world = trial.at(60, &[]);
        assert!((last(&world, "EmptyHostsBound") - 100.0 * (3.0 * 8.0 / 12.0 + 0.5) / 4.0).abs() < 1e-9);
    }

    #[test]
    fn means_are_taken_from_where_the_settings_say() {
        let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
        for (from_hours, empty, machine_hours, density, to_free) in [
            (0.0, 200.0 / 3.0, 24.0, 62.5, (400.0 / 7.0 + 100.0) / 2.0),
            (6.0, 700.0 / 9.0, 12.0, 62.5, (400.0 / 7.0 + 200.0) / 3.0),
            (12.0, 100.0, 0.0, 0.0, 100.0),
            (25.0, 0.0, 0.0, 0.0, 0.0),
        ] {
            let measures = Measures { measured_from_hours: from_hours, ..Measures::default() };
            let mut world = World::new(trial().plan(true, &[]).with_measures(measures));
            world.run();
            let summary = world.summary();
            assert_eq!(world.progress().time, minute(24 * 60));
            assert!(close(summary.empty_hosts_pct_mean, empty), "{from_hours} h: {}", summary.empty_hosts_pct_mean);
            assert!(close(summary.machine_hours, machine_hours), "{from_hours} h: {}", summary.machine_hours);
            assert!(close(summary.packing_density_pct_mean, density), "{from_hours} h");
            assert!(close(summary.empty_to_free_pct_mean, to_free), "{from_hours} h");
            assert_eq!(summary.stranded_pct_mean, None);
        }
    }

    #[test]
    fn a_zone_is_filled_as_often_as_the_settings_say() {
        let run = |measured_from_hours, stranding_hours| {
            let measures = Measures { measured_from_hours, stranding_hours, ..Measures::default() };
            let mut world = World::new(trial().plan(true, &[]).with_measures(measures));
            world.run();
            world
        };
        // The mix has VMs of 4 cores and 4 GiB, and of 1 and 1. So all cores are used and memory is stranded: 16 GiB
        // per 4 cores.
        for (from, every) in [(0.0, 6.0), (0.0, 24.0), (13.0, 6.0), (0.0, 1e-7)] {
            let world = run(from, every);
            let samples = world.series().values(index_of("StrandedMemory").expect("a metric"));
            assert!(samples.iter().all(|pct| (*pct - 75.0).abs() < 1e-9), "{samples:?}");
            let [cores, memory] = world.summary().stranded_pct_mean.expect("it was filled");
            assert!(cores == 0.0 && (memory - 75.0).abs() < 1e-9);
        }
        let never = run(0.0, 0.0);
        assert!(last(&never, "StrandedCores").is_nan());
        assert_eq!(never.summary().digest, run(0.0, 6.0).summary().digest, "it changes nothing");
        assert_eq!(run(25.0, 1.0).summary().stranded_pct_mean, None, "past the end nothing is measured");
    }
}
