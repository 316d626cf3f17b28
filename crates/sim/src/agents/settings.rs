//! The number of agents, their speed and how stale their views may be.

use tiebreak_model::declare;

use super::latency::Latency;

declare! {
    /// The allocation agents, and how stale their views may be.
    ///
    /// Several agents take requests from one queue. Each decides on its own, possibly stale, view of the zone and
    /// commits to the authoritative store. If a machine no longer has room, the commit fails, is rolled back and
    /// retried. With a trace that holds one in n of a zone's requests, the agents are n times less busy; to see the
    /// zone's conflicts, slow them down by n. (Protean sections 4 and 5.3)
    pub struct Agents as "Allocation agents" {
        /// How many agents decide in parallel; more agents handle spikes better and collide more often.
        count: u32 = 4, 1 => 64, "";
        /// How long a decision for one VM takes; 20 ms on average in Protean.
        decision_ms: u64 = 20, 0 => 3600000, "ms";
        /// How long a change takes to reach the other agents; a larger value means staler views.
        publish_ms: u64 = 100, 0 => 3600000, "ms";
        /// How often a request is retried after a failed commit before it is rejected.
        retries: u32 = 20, 0 => 1000, "";
        /// Accept a stale decision if the machine still has room, instead of rejecting every decision made on an
        /// outdated view of its machine.
        fine_grained: bool = true, 0 => 1, "";
        /// Keep rule evaluations between decisions. This changes how fast a run is, never its decisions.
        caches: bool = true, 0 => 1, "";
        /// How long a decision takes: the same for every VM (fixed); 14 or 88 ms at random, as in the paper's
        /// simulations (drawn); by the hits of the agent's own caches (caches); or by the number of machines it had
        /// to rank again (updates). With the last two, switching a cache off makes decisions slower. (Protean
        /// section 6.2)
        latency: Latency = 0, 0 => 3, "";
        /// Decision time for a VM whose class was already evaluated, where hits count.
        hit_ms: u64 = 14, 0 => 3600000, "ms";
        /// Decision time for a VM whose class had to be evaluated first, where hits count.
        miss_ms: u64 = 88, 0 => 3600000, "ms";
        /// Probability of a hit, where decision times are drawn.
        hit_ratio: f64 = 90, 0 => 100, "%";
        /// Base time of a decision, without any reranked machine, where updates count.
        base_ms: u64 = 12, 0 => 3600000, "ms";
        /// Time to rerank one machine, where updates count; also how fast an idle agent refreshes its caches.
        update_us: f64 = 38, 0 => 1000000, "µs";
        /// How long the store takes to answer a commit.
        commit_ms: u64 = 0, 0 => 3600000, "ms";
        /// Decide the next request while a commit is under way. (Protean section 4)
        pipelined: bool = true, 0 => 1, "";
        /// Conflict avoidance: with a probability of this value times the share of recent commits that failed, an
        /// agent chooses a random one of the best machines, tied or not. 0 switches it off. A larger value causes
        /// fewer conflicts and worse packing. (Protean section 5.3)
        avoidance: f64 = 0, 0 => 100, "";
        /// How many recent commits count for that share.
        avoidance_window: u32 = 50, 1 => 100000, "commits";
        /// How many of the best machines the agent then draws from.
        avoidance_best: u32 = 100, 1 => 100000, "machines";
        /// For a trace that is a sample: set it to n if the trace holds one in n of a zone's requests, and the
        /// agents are as busy as the zone's. Every request takes as much longer as the missing requests would have
        /// taken, n - 1 times an average request, and changes become visible n times later. The VMs of a large
        /// request do not each take longer, so that the request is not outdated before it is decided.
        slowdown: f64 = 1, 1 => 100000, "";
    }
}
