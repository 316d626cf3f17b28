//! How long it takes to decide one VM, in simulated time.
//!
//! Protean measured 14 ms if the request's class had an evaluation and 70 to 88 ms if not (section 6.2), with about
//! 50 machines ranked again on a hit and 2,000 on a miss, and about 1,000 ms without caches in a large zone. A model
//! of 12 ms plus about 38 microseconds per machine ranked again matches all four numbers. Protean's own simulations
//! draw hits and misses.

use tiebreak_model::choices;
use tiebreak_placement::CacheUse;

use super::settings::Agents;

/// What the decision time depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Latency {
    /// Every VM takes `decision_ms`.
    #[default]
    Fixed,
    /// A VM takes `hit_ms` or `miss_ms`; a draw gives a hit with probability `hit_ratio`.
    Drawn,
    /// A VM takes `hit_ms` or `miss_ms`, depending on the agent's own caches.
    Caches,
    /// A VM takes `base_ms`, plus `update_us` for each machine that the agent ranked again.
    Updates,
}

impl Latency {
    /// Whether it depends on the caches, so that switching a layer off changes the times of decisions.
    #[must_use]
    pub const fn reads_caches(self) -> bool {
        matches!(self, Self::Caches | Self::Updates)
    }
}

choices! { Latency: Fixed = "fixed", Drawn = "drawn", Caches = "caches", Updates = "updates" }

impl Agents {
    /// How long one VM took, in microseconds; `coin` draws from 0 up to 1.
    pub(crate) fn decision_us(&self, cache: CacheUse, refreshed: u32, coin: impl FnOnce() -> f64) -> u64 {
        let by_updates = || self.base_ms * 1_000 + (f64::from(refreshed) * self.update_us) as u64;
        match self.latency {
            Latency::Fixed => self.decision_ms * 1_000,
            Latency::Drawn if coin() * 100.0 < self.hit_ratio => self.hit_ms * 1_000,
            Latency::Drawn => self.miss_ms * 1_000,
            Latency::Updates => by_updates(),
            Latency::Caches => match cache {
                CacheUse::Hit => self.hit_ms * 1_000,
                CacheUse::Miss => self.miss_ms * 1_000,
                CacheUse::Off => by_updates(),
            },
        }
    }

    /// How long a request takes whose VMs took this long in total, in microseconds, in a workload with this mean
    /// number of VMs per request.
    pub(crate) fn request_us(&self, vms_us: u64, vms: usize, mean_vms: f64) -> u64 {
        if self.slowdown <= 1.0 || vms == 0 {
            return vms_us;
        }
        let left_out = (self.slowdown - 1.0) * mean_vms * (vms_us as f64 / vms as f64);
        vms_us.saturating_add(left_out as u64)
    }

    /// How long a change takes to become visible to others, in milliseconds.
    pub(crate) fn slowed_ms(&self, ms: u64) -> u64 {
        if self.slowdown <= 1.0 { ms } else { (ms as f64 * self.slowdown) as u64 }
    }

    /// The number of machines that an idle agent can rank again in this many milliseconds.
    pub(crate) fn updates_in(&self, idle_ms: u64) -> u64 {
        let each = self.update_us.max(0.001);
        (idle_ms as f64 * 1_000.0 / each) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slowed_down_a_request_takes_what_those_left_out_took() {
        let one = Agents { slowdown: 100.0, ..Agents::default() };
        // 20 ms for its VM, and 99 requests of two VMs each.
        assert_eq!(one.request_us(20_000, 1, 2.0), 20_000 + 99 * 40_000);
        // 240 VMs take 4.8 s, not 8 minutes.
        assert_eq!(one.request_us(4_800_000, 240, 2.0), 4_800_000 + 99 * 40_000);
        assert_eq!((one.slowed_ms(100), Agents::default().slowed_ms(100)), (10_000, 100));
        assert_eq!(Agents::default().request_us(20_000, 1, 2.0), 20_000);
    }

    #[test]
    fn each_way_of_telling_time_gives_the_papers_figures() {
        let agents = |latency| Agents { latency, ..Agents::default() };
        for (latency, cache, refreshed, coin, ms) in [
            (Latency::Fixed, CacheUse::Miss, 2_000, 0.0, 20),
            (Latency::Drawn, CacheUse::Miss, 2_000, 0.89, 14),
            (Latency::Drawn, CacheUse::Hit, 0, 0.91, 88),
            (Latency::Caches, CacheUse::Hit, 9, 0.99, 14),
            (Latency::Caches, CacheUse::Miss, 0, 0.0, 88),
            (Latency::Caches, CacheUse::Off, 25_000, 0.0, 962),
            (Latency::Updates, CacheUse::Hit, 50, 0.0, 13),
            (Latency::Updates, CacheUse::Miss, 2_000, 0.0, 88),
        ] {
            let took = agents(latency).decision_us(cache, refreshed, || coin) / 1_000;
            assert_eq!(took, ms, "{latency:?}, {cache:?}, {refreshed} machines");
        }
    }
}
