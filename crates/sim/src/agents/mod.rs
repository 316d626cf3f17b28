//! Allocation agents and their shared store: each agent decides on its own view, and the store accepts or rejects a
//! decision as a whole (Protean sections 4 and 5).
//!
//! The world drives them by its clock: the [`Team`] with its queue, the [`store`], and the state of the tenant whose
//! request is being decided ([`asking`]).

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use tiebreak_model::{Time, VmId};
use tiebreak_placement::{CacheCounters, CacheSizes};

use agent::{Agent, InFlight};
use avoidance::Window;
use chance::Chance;
use demand::Demands;
use job::{Job, Waiting};
use settings::Agents;
use store::Store;

pub(crate) mod agent;
pub(crate) mod asking;
mod avoidance;
pub(crate) mod by_machine;
pub(crate) mod chance;
pub(crate) mod demand;
pub(crate) mod evictions;
pub(crate) mod job;
pub(crate) mod latency;
pub(crate) mod settings;
pub(crate) mod store;
pub(crate) mod tenants;

/// The current state of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentState {
    /// Changes in the store that it has not read yet.
    pub behind: u64,
    /// Its decisions on their way to the store.
    pub in_flight: u32,
    /// Whether it is idle.
    pub is_idle: bool,
    /// VMs that it decided, counting every attempt.
    pub decided: u64,
    /// Its failed commits.
    pub conflicts: u64,
    /// Its cache counters.
    pub caches: CacheCounters,
    /// Its cache contents.
    pub sizes: CacheSizes,
}

/// All agents and their shared queue.
pub(crate) struct Team {
    pub(crate) agents: Vec<Agent>,
    /// Idle agents, the longest idle first.
    idle: VecDeque<u32>,
    /// Waiting jobs, the longest waiting first.
    waiting: VecDeque<Waiting>,
    pub(crate) chance: Chance,
    /// How many recent commits failed.
    pub(crate) window: Window,
    pub(crate) spare: Spare,
    /// The positions in the logs of machines and of cuts that all agents had reached when idle ones last had to read.
    caught_up: (u64, u64),
    /// The length of a log at which it is trimmed next.
    trim_at: usize,
}

/// Buffers that are reused, so that a decision allocates no memory.
#[derive(Default)]
pub(crate) struct Spare {
    pub(crate) order: Vec<VmId>,
    pub(crate) demands: Demands,
    pub(crate) flights: Vec<InFlight>,
}

impl Team {
    /// Only the first agent, which places the VMs alive at the start before all others begin.
    pub(crate) fn new(first: Agent, settings: &Agents, chance: Chance) -> Self {
        Self {
            agents: Vec::from([first]),
            idle: (0..settings.count).collect(),
            waiting: VecDeque::new(),
            chance,
            window: Window::new(settings.avoidance_window),
            spare: Spare::default(),
            caught_up: (0, 0),
            trim_at: 0,
        }
    }

    /// Adds a job to the queue.
    pub(crate) fn enqueue(&mut self, job: Job, attempt: u32, now: Time) {
        self.waiting.push_back(Waiting { job, attempt, since: now });
    }

    /// The job that has waited longest and the agent that has been idle longest, if there are both.
    pub(crate) fn next(&mut self) -> Option<(u32, Waiting)> {
        if self.waiting.is_empty() {
            return None;
        }
        let agent = self.idle.pop_front()?;
        self.waiting.pop_front().map(|waiting| (agent, waiting))
    }

    /// Removes a job from the queue. Returns whether it was there.
    pub(crate) fn withdraw(&mut self, job: Job) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|waiting| waiting.job != job);
        self.waiting.len() < before
    }

    /// The number of waiting jobs.
    pub(crate) fn waiting(&self) -> u32 {
        self.waiting.len() as u32
    }

    /// Makes an agent available for the next job.
    pub(crate) fn free(&mut self, agent: u32, now: Time) {
        self[agent].idle_since = Some(now);
        self.idle.push_back(agent);
    }

    /// Log entries that an agent has not read, on average.
    pub(crate) fn lag(&self, store: &Store) -> f64 {
        let end = store.machines.end();
        let behind: u64 = self.agents.iter().map(|agent| end - agent.position).sum();
        behind as f64 / self.agents.len() as f64
    }

    /// Drops log entries that all agents have read: short logs stay in the processor's caches. If much has changed since
    /// idle agents last had to, they first read what is visible. Entries that are not visible yet stay.
    pub(crate) fn trim_logs(&mut self, store: &mut Store, now: Time) {
        const ROOMY: u64 = 4_096;
        const SHORT: usize = 32;
        let changes = (store.machines.end() - self.caught_up.0).max(store.cuts.end() - self.caught_up.1);
        let is_long = changes > ROOMY.max(4 * u64::from(store.occupancy().fleet().machine_count()));
        if is_long {
            self.agents.iter_mut().filter(|agent| agent.is_idle()).for_each(|agent| agent.catch_up(store, now));
            self.caught_up = self.read();
        }
        if is_long || store.backlog() >= self.trim_at {
            let (machines, cuts) = self.read();
            store.machines.forget_before(machines);
            store.cuts.forget_before(cuts);
            // Agents that are far behind are asked less often.
            self.trim_at = SHORT.max(2 * store.backlog());
        }
    }

    /// The positions in both logs up to which all agents have read.
    fn read(&self) -> (u64, u64) {
        let read = self.agents.iter().map(|agent| (agent.position, agent.cut_position));
        read.reduce(|one, other| (one.0.min(other.0), one.1.min(other.1))).unwrap_or((0, 0))
    }

    /// The current state of each agent.
    pub(crate) fn states(&self, store: &Store) -> Vec<AgentState> {
        let end = store.machines.end();
        let state = |agent: &Agent| AgentState {
            behind: end - agent.position,
            in_flight: agent.in_flight() as u32,
            is_idle: agent.idle_since.is_some(),
            decided: agent.decided,
            conflicts: agent.conflicts,
            caches: agent.allocator.counters().clone(),
            sizes: agent.allocator.sizes(),
        };
        self.agents.iter().map(state).collect()
    }

    /// The cache contents of all agents.
    pub(crate) fn cache_sizes(&self) -> CacheSizes {
        let mut all = CacheSizes::default();
        self.agents.iter().for_each(|agent| all.add(&agent.allocator.sizes()));
        all
    }

    /// The cache counters of all agents.
    pub(crate) fn cache_counters(&self) -> CacheCounters {
        let mut all = CacheCounters::default();
        self.agents.iter().for_each(|agent| all.add(agent.allocator.counters()));
        all
    }
}

impl Index<u32> for Team {
    type Output = Agent;

    fn index(&self, agent: u32) -> &Agent {
        &self.agents[agent as usize]
    }
}

impl IndexMut<u32> for Team {
    fn index_mut(&mut self, agent: u32) -> &mut Agent {
        &mut self.agents[agent as usize]
    }
}
