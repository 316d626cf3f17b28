//! A run in one screenful.

use alloc::vec::Vec;

use tiebreak_model::Time;
use tiebreak_placement::{CacheCounters, CacheSizes};

use crate::lifetimes::LifeCounts;
use crate::observation::metrics::{Answers, Counters};
use crate::observation::rule_shares::{Circles, RuleShare};
use crate::power::events::PowerSummary;

/// What came out of a run. Requests still waiting at the horizon are decided all the same, in
/// the zone as it stands then, so that every one has an outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// One number that two runs share only if they decided alike.
    pub digest: u64,
    /// VMs placed, with those alive when the trace began.
    pub placements: u64,
    /// VMs rejected: refused, or out of retries; also those alive at the start that found no room.
    pub rejections: u64,
    /// Of the VMs alive when the trace began, those that found no room.
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
    /// Time-weighted mean share of empty hosts, in percent. Means over time begin where the settings
    /// say (`Measures`).
    pub empty_hosts_pct_mean: f64,
    /// Hours that machines had any VM, summed over machines, over the same time.
    pub machine_hours: f64,
    /// Time-weighted mean packing density, in percent.
    pub packing_density_pct_mean: f64,
    /// Time-weighted mean share of the free cores that stand on empty machines, in percent.
    pub empty_to_free_pct_mean: f64,
    /// What was stranded of cores and of memory, in percent of the zone, on average over the
    /// times it was filled to see; none when it never was.
    pub stranded_pct_mean: Option<[f64; 2]>,
    /// Everything that was counted after the warm start.
    pub counters: Counters,
    /// Bytes held by all agents' caches at the end.
    pub cache_bytes: u64,
    /// The same, layer by layer.
    pub cache_sizes: CacheSizes,
    /// What all agents' caches did.
    pub caches: CacheCounters,
    /// How aggressive each rule was, stage by stage.
    pub rule_shares: Vec<RuleShare>,
    /// How often weights set by hand went in a circle.
    pub circles: Circles,
    /// What predicting lifetimes took and led to; all 0 where no rule asks.
    pub lives: LifeCounts,
    /// What power was like; none where nobody asks for it.
    pub power: Option<PowerSummary>,
}

impl Summary {
    /// What power was like, where draws were measured.
    #[must_use]
    pub fn drawn(&self) -> Option<&PowerSummary> {
        self.power.as_ref().filter(|power| power.counted.readings > 0)
    }
}
