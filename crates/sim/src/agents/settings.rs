//! How many agents there are, how quickly they decide and what they may not know yet.

use tiebreak_model::declare;

use super::latency::Latency;

declare! {
    /// The allocation agents and what they may not know yet.
    ///
    /// Several agents take requests from one queue. Each decides on its own, possibly
    /// stale, view of the zone and commits to the authoritative store; where a machine
    /// no longer has room the commit fails, is rolled back and tried again. A trace that
    /// holds one in n of a zone's requests leaves its agents n times less busy; to see
    /// the zone's conflicts, slow them down by n. (Protean sections 4 and 5.3)
    pub struct Agents as "Allocation agents" {
        /// How many agents decide side by side; more bear spikes better and collide more.
        count: u32 = 4, 1 => 64, "";
        /// How long deciding one VM takes; Protean's average is 20 ms.
        decision_ms: u64 = 20, 0 => 3600000, "ms";
        /// How long a change takes to reach the other agents; larger means staler views.
        publish_ms: u64 = 100, 0 => 3600000, "ms";
        /// How often a request whose commit failed is tried again before it is rejected.
        retries: u32 = 20, 0 => 1000, "";
        /// Accept a stale decision when the machine still has room, instead of
        /// rejecting every decision made on an outdated view of its machine.
        fine_grained: bool = true, 0 => 1, "";
        /// Keep rule evaluations between decisions. It changes how fast a run is,
        /// never what it decides.
        caches: bool = true, 0 => 1, "";
        /// How the time of a decision is told: the same for every VM (fixed); 14 or 88 ms by a
        /// coin, as in the paper's simulations (drawn); by what the agent's own caches did
        /// (caches); or by how many machines it had to rank again (updates). With the last two,
        /// switching a cache off makes decisions slower. (Protean section 6.2)
        latency: Latency = 0, 0 => 3, "";
        /// How long a VM takes whose class had an evaluation, where hits count.
        hit_ms: u64 = 14, 0 => 3600000, "ms";
        /// How long a VM takes whose evaluation had to be made, where hits count.
        miss_ms: u64 = 88, 0 => 3600000, "ms";
        /// How often the coin shows a hit.
        hit_ratio: f64 = 90, 0 => 100, "%";
        /// What a decision takes before any machine is ranked again, where updates count.
        base_ms: u64 = 12, 0 => 3600000, "ms";
        /// What ranking one machine again takes, where updates count, and how quickly an idle
        /// agent refreshes its caches.
        update_us: f64 = 38, 0 => 1000000, "µs";
        /// How long the store takes to answer a commit.
        commit_ms: u64 = 0, 0 => 3600000, "ms";
        /// Decide the next request while a commit is under way. (Protean section 4)
        pipelined: bool = true, 0 => 1, "";
        /// Conflict avoidance: with this many times the share of recent commits that failed as
        /// its chance, a VM goes to a random one of the best machines, tied or not; 0 never
        /// does. Larger collides less and packs worse. (Protean section 5.3)
        avoidance: f64 = 0, 0 => 100, "";
        /// How many recent commits that share is taken over.
        avoidance_window: u32 = 50, 1 => 100000, "commits";
        /// Among how many of the best machines a VM goes to a random one then.
        avoidance_best: u32 = 100, 1 => 100000, "machines";
        /// For a trace that holds one in so many of a zone's requests: agents are as busy as the
        /// zone's. Every request takes as long on top as the requests that were left out, which is
        /// this number less one times what an average request takes, and changes take this many times
        /// longer to be seen. VMs of a large request do not each take longer, so that it is not
        /// outdated before it is decided.
        slowdown: f64 = 1, 1 => 100000, "";
    }
}
