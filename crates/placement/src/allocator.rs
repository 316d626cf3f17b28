//! The allocator of one agent: the policy, the agent's view of the fleet, and the
//! caches it keeps.
//!
//! With caches on, a decision updates the evaluation of the request's class and reads the best set from it. With
//! caches off, it runs the [reference](mod@crate::explain::reference). Both give the same best set, and the same draw
//! picks the same machine from it. Source: Protean sections 5.1 and 5.2.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::random::pick;
use tiebreak_model::{MachineId, Needs, Occupancy};

use crate::explain::reference::near_best;
use crate::fast::caches::{CacheCounters, CacheEvent, CacheSizes, CacheUse, Caches};
use crate::fast::pool::{AnyPool, Work};
use crate::fast::request::{Choice, Refusal, Request};
use crate::network::Blocked;
use crate::network::gate::blocked;
use crate::policy::Policy;

/// Makes the decisions of one agent.
pub struct Allocator {
    policy: Arc<Policy>,
    view: Occupancy,
    pool: Option<AnyPool>,
    counters: CacheCounters,
    log: Option<Vec<CacheEvent>>,
}

impl core::fmt::Debug for Allocator {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Allocator").field("policy", &self.policy).field("counters", &self.counters).finish()
    }
}

impl Allocator {
    /// An allocator that starts from `view` and keeps these caches, with about `bytes` bytes of evaluations.
    #[must_use]
    pub fn new(policy: Arc<Policy>, view: Occupancy, caches: Caches, bytes: usize) -> Self {
        // Its caches are empty, so they need no earlier changes, whether or not the view's journal has their order.
        let view = view.with_new_journal();
        let (counters, log) = (CacheCounters::default(), None);
        let mut allocator = Self { policy: policy.clone(), view, pool: None, counters, log };
        allocator.change_policy(policy, caches, bytes);
        allocator
    }

    /// The fleet as this agent knows it.
    #[must_use]
    pub fn view(&self) -> &Occupancy {
        &self.view
    }

    /// The agent's view, for updates.
    pub fn view_mut(&mut self) -> &mut Occupancy {
        &mut self.view
    }

    /// The policy in use.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Switches to another policy: the view and the counters stay, the caches start empty.
    pub fn change_policy(&mut self, policy: Arc<Policy>, caches: Caches, bytes: usize) {
        if policy.asks_for_chassis() {
            self.view.keep_chassis_loads();
        }
        self.pool = caches.any().then(|| AnyPool::new(&policy, &self.view, caches, bytes));
        self.policy = policy;
    }

    /// Cache counters so far.
    #[must_use]
    pub fn counters(&self) -> &CacheCounters {
        &self.counters
    }

    /// The caches' current contents.
    #[must_use]
    pub fn sizes(&self) -> CacheSizes {
        let journal_bytes = self.view.journal().bytes() as u64;
        self.pool.as_ref().map_or_else(CacheSizes::default, |pool| CacheSizes { journal_bytes, ..pool.sizes() })
    }

    /// Starts a log of hits, misses and creations.
    pub fn keep_log(&mut self) {
        self.log.get_or_insert_default();
    }

    /// The log since it was last taken.
    pub fn take_log(&mut self) -> Vec<CacheEvent> {
        self.log.as_mut().map(core::mem::take).unwrap_or_default()
    }

    /// Picks a machine for a VM.
    ///
    /// # Errors
    /// When no machine is valid.
    pub fn choose(&mut self, request: &Request<'_>) -> Result<Choice, Refusal> {
        match &mut self.pool {
            Some(pool) => {
                let log = self.log.as_mut();
                pool.choose(Work { policy: &self.policy, view: &self.view, counters: &mut self.counters, log }, request)
            }
            None => self.choose_uncached(request),
        }
    }

    /// The machines among which [`choose`](Self::choose) draws, by the reference. None for a VM that is refused.
    #[must_use]
    pub fn candidates(&self, request: &Request<'_>) -> Vec<MachineId> {
        near_best(&self.policy, request.scene(&self.view), request.vm, request.draw.among)
    }

    fn choose_uncached(&self, request: &Request<'_>) -> Result<Choice, Refusal> {
        let (cache, refreshed) = (CacheUse::Off, self.view.fleet().machine_count());
        let among = self.candidates(request);
        if among.is_empty() {
            return Err(Refusal { cache, refreshed });
        }
        let machine = among[pick(request.draw.number, among.len() as u32) as usize];
        Ok(Choice { machine, best_set: among.len() as u32, cache, refreshed })
    }

    /// What blocks the links of a VM that was just refused; `None` unless machines have room for it.
    pub fn blocked(&mut self, request: &Request<'_>) -> Option<Blocked> {
        if !self.policy.guards_bandwidth() || request.needs.is_none() {
            return None;
        }
        // This is not a decision, so it must not change the counters or the log.
        let (counters, log) = (self.counters.clone(), self.log.take());
        let mut is_any = |needs: &Needs| self.choose(&Request { needs, ..*request }).is_ok();
        let has_room = is_any(Needs::NONE);
        let mut machines_alone = request.needs.clone();
        machines_alone.of_machines_alone = true;
        let is_any_left = has_room && is_any(&machines_alone);
        (self.counters, self.log) = (counters, log);
        if has_room { blocked(request.scene(&self.view), || is_any_left) } else { None }
    }

    /// Updates evaluations while the agent is idle, up to `budget` machines. Returns how many were ranked again
    /// (Protean section 5.2.4).
    pub fn refresh_in_background(&mut self, budget: u64) -> u64 {
        let log = self.log.as_mut();
        let work = Work { policy: &self.policy, view: &self.view, counters: &mut self.counters, log };
        self.pool.as_mut().map_or(0, |pool| pool.refresh(work, budget))
    }
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;

    use tiebreak_model::{
        ClusterSpec, Fleet, Footprint, MachineRecord, Resources, ShapeId, VmRequest, VmShape, random::Seed,
    };

    use super::*;
    use crate::fast::request::Draw;
    use crate::policy::RuleUse;

    const MACHINES: u32 = 40;

    /// Makes all machines of a cluster full or empty.
    fn fill(view: &mut Occupancy, cluster: u32, full: bool) {
        for machine in (cluster * MACHINES..(cluster + 1) * MACHINES).map(MachineId) {
            let capacity = view.fleet().capacity(machine);
            let empty = MachineRecord::empty(capacity, view.record(machine).readiness);
            let filled = empty.with(&VmShape::plain(capacity)).expect("it fits");
            view.set(machine, if full { filled } else { empty });
        }
    }

    #[test]
    fn what_was_not_used_for_long_is_dropped() {
        let cluster = || ClusterSpec {
            name: "c".into(),
            machines: MACHINES,
            racks: 4,
            capacity: Resources::new(8_000, 8_192, 0, 0),
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        let fleet = Fleet::build(&[cluster(), cluster(), cluster()]).expect("a fleet");
        let rules = ["PreferEmptierClusters", "AreNodeResourcesValid", "BestFit"].map(|id| RuleUse::plain(id, None));
        let policy = Arc::new(Policy::new(&rules, 1).expect("a policy"));
        let caches = Caches { age: 300, ..Caches::default() };
        let mut allocator = Allocator::new(policy, Occupancy::empty(Arc::new(fleet)), caches, 1 << 20);
        let vm = VmRequest::alone(VmShape::plain(Resources::new(1_000, 1_024, 0, 0)));
        let (footprint, stream) = (Footprint::default(), Seed(1).stream("allocator test"));
        let mut clusters_kept = |emptiest: u32, decisions: u64| {
            (0..3).for_each(|cluster| fill(allocator.view_mut(), cluster, cluster != emptiest));
            for step in 0..decisions {
                let draw = Draw { number: stream.draw(step, 0), among: None };
                let (shape, footprint, needs) = (ShapeId::of(0), &footprint, Needs::NONE);
                let choice = allocator.choose(&Request { shape, vm: &vm, footprint, needs, growth: None, draw });
                let machine = choice.expect("a machine has room").machine;
                assert_eq!(machine.0 / MACHINES, emptiest, "the best cluster");
            }
            allocator.sizes().evaluation_bytes
        };
        let one = clusters_kept(0, 1);
        assert!(one > 0);
        assert_eq!(clusters_kept(1, 1), 2 * one, "those of cluster 0 are kept for now");
        assert_eq!(clusters_kept(1, 1_000), one, "and dropped after 300 decisions");
        assert_eq!(clusters_kept(2, 200), 2 * one);
        assert_eq!(clusters_kept(0, 200), 3 * one, "none was unused for 300 decisions at the last search");
        assert_eq!(clusters_kept(2, 150), 2 * one, "at the next one, only those of cluster 1 were");
        assert_eq!(clusters_kept(2, 300), one, "at the one after it, those of cluster 0 were, too");
    }
}
