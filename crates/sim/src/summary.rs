//! The summary of a run.

use alloc::vec::Vec;

use tiebreak_model::Time;
use tiebreak_placement::{CacheCounters, CacheSizes};

use crate::affinity::AffinityCounts;
use crate::lifetimes::LifeCounts;
use crate::observation::debt::Debt;
use crate::observation::metrics::{Answers, Counters};
use crate::observation::rule_shares::{Circles, RuleShare};
use crate::power::events::PowerSummary;

/// The results of a run. Requests still waiting at the horizon are decided in the final state of the zone, so that
/// every request has an outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// One number that two runs have in common only if they made the same decisions.
    pub digest: u64,
    /// VMs placed, including those alive when the trace began.
    pub placements: u64,
    /// VMs rejected: refused, or out of retries; includes those alive at the start that found no machine.
    pub rejections: u64,
    /// Of the VMs alive when the trace began, those that found no machine.
    pub warm_rejections: u64,
    /// Commits that failed because a machine had changed.
    pub conflicts: u64,
    /// The 99th percentile over the minutes of the run of conflicts per minute, counting
    /// minutes with at least one commit.
    pub conflicts_per_minute_p99: f64,
    /// The 99th percentile over the seconds of the run of conflicts per second, counting
    /// seconds with at least one commit.
    pub conflicts_per_second_p99: f64,
    /// How long all requests took.
    pub answers: Answers,
    /// When the last request was answered.
    pub answered_at: Time,
    /// Time-weighted mean share of empty hosts, in percent. Time averages begin where the settings say (`Measures`).
    pub empty_hosts_pct_mean: f64,
    /// Hours that machines had any VM, summed over machines, over the same time.
    pub machine_hours: f64,
    /// Time-weighted mean packing density, in percent.
    pub packing_density_pct_mean: f64,
    /// Time-weighted mean share of the free cores that are on empty machines, in percent.
    pub empty_to_free_pct_mean: f64,
    /// Mean stranded cores and memory over all fills, in percent of the zone; `None` without fills.
    pub stranded_pct_mean: Option<[f64; 2]>,
    /// Mean placement debt over all measurements; `None` if it is not measured.
    pub debt_mean: Option<Debt>,
    /// Counts of what became of affinity groups; `None` if no rule reads them.
    pub affinity: Option<AffinityCounts>,
    /// All counters after the warm start.
    pub counters: Counters,
    /// Bytes held by all agents' caches at the end.
    pub cache_bytes: u64,
    /// The same by layer.
    pub cache_sizes: CacheSizes,
    /// The cache counters of all agents.
    pub caches: CacheCounters,
    /// How aggressive each rule was, stage by stage.
    pub rule_shares: Vec<RuleShare>,
    /// How often manual weights formed a cycle.
    pub circles: Circles,
    /// Counts of repredictions and of their effects; all 0 if no rule reads predicted lifetimes.
    pub lives: LifeCounts,
    /// The power summary; `None` if power is not part of the run.
    pub power: Option<PowerSummary>,
}

impl Summary {
    /// The power summary, if draws were measured.
    #[must_use]
    pub fn drawn(&self) -> Option<&PowerSummary> {
        self.power.as_ref().filter(|power| power.counted.readings > 0)
    }
}
