//! The run: processes events in order, each of which changes the world once.
//!
//! This file is the main loop. Agents' decisions are in [`deciding`], commits in [`committing`], arrivals and
//! departures in [`stays`]. All other [`systems`] are notified in a fixed order; the world's interaction with one of
//! them is in the file with its name.

use alloc::boxed::Box;

use tiebreak_model::{Millis, Resources, Time, VmShape};

use crate::agents::Team;
use crate::agents::agent::Agent;
use crate::agents::asking::Asking;
use crate::agents::chance::Chance;
use crate::agents::evictions::Evictable;
use crate::agents::job::Job;
use crate::agents::store::Store;
use crate::observation::Observation;
use crate::observation::metrics::{Sample, empty_bound};
use crate::plan::Plan;
use crate::queue::{Event, Queue};
use crate::record::Record;
use lists::Rules;
use places::Places;
use probing::Probes;
use systems::Systems;
use warm_start::WarmStart;

mod admission;
mod affinity;
mod answers;
mod asking;
mod choosing;
pub(crate) mod collisions;
mod committing;
mod deciding;
mod disruptions;
pub(crate) mod fates;
mod hands;
mod judging;
mod lifetimes;
mod lists;
mod migrations;
mod network;
mod places;
mod power;
pub(crate) mod probing;
mod reading;
mod stays;
pub(crate) mod story;
mod systems;
pub(crate) mod tables;
#[cfg(test)]
pub(crate) mod trial;
mod warm_start;

pub use crate::agents::AgentState;
pub use crate::record::Rejection;
pub use choosing::{Candidates, Chooser};
pub use probing::{Probe, Probed};

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time reached.
    pub time: Time,
    /// VMs decided so far.
    pub decided: u32,
    /// Events so far, including those of the warm start.
    pub events: u64,
    /// Whether the run is complete.
    pub done: bool,
}

/// A run under way.
pub struct World {
    plan: Plan,
    now: Time,
    /// Future events.
    queue: Queue,
    /// Events so far.
    events: u64,
    done: bool,
    warm_start: WarmStart,
    /// The current rules.
    rules: Rules,
    /// The actual usage.
    store: Store,
    /// The location of each VM.
    places: Places,
    /// The allocation agents and their queue.
    team: Team,
    /// The tenant whose request is being decided.
    asking: Asking,
    /// The systems that track VMs: lifetimes, deployments, power, the network, incidents.
    pub(crate) systems: Systems,
    /// The decisions.
    record: Record,
    /// The observations.
    observed: Observation,
    /// Decisions to explain as they are made.
    probes: Probes,
    /// Chooses among the candidates, if not the draw.
    chooser: Option<Box<dyn Chooser>>,
}

impl core::fmt::Debug for World {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("World").field("now", &self.now).field("decided", &self.record.decided()).finish_non_exhaustive()
    }
}

impl World {
    /// A world before its first event. The first step is the warm start: the first agent places the VMs alive when
    /// the trace began, in order (LAVA section 6.1).
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let empty = plan.empty_zone();
        let store = Store::new(empty.clone(), Millis(plan.agents.slowed_ms(plan.agents.publish_ms)));
        let rules = Rules::new(0, plan.policy_at_start(), &plan.workload);
        let shown = plan.lifetimes().filter(|_| plan.lifetimes_from() <= Time::ZERO);
        let first = Agent::new(plan.allocator(rules.policy.clone(), empty), &store, shown);
        let can_evict = plan.ever_lets_evict(&VmShape::plain(Resources::NONE));
        let vms = plan.workload.vm_count();
        let stride = (vms as usize).checked_div(plan.funnel_samples as usize).map_or(0, |stride| stride.max(1) as u32);
        Self {
            now: Time::ZERO,
            queue: first_events(&plan),
            events: 0,
            done: false,
            warm_start: WarmStart::default(),
            places: Places::new(vms, Evictable::new(can_evict)),
            team: Team::new(first, &plan.agents, Chance::new(plan.seed)),
            asking: Asking::default(),
            systems: Systems::new(&plan),
            record: Record::new(),
            observed: Observation::new(&plan, stride),
            probes: Probes::default(),
            chooser: None,
            rules,
            store,
            plan,
        }
    }

    /// Processes at most `budget` events.
    pub fn advance(&mut self, budget: u32) -> Progress {
        for _ in 0..budget {
            if self.is_warming() {
                self.warm_up_one();
            } else if let Some((time, event)) = self.queue.pop() {
                self.pass(time);
                self.happen(event);
            } else {
                self.finish();
                break;
            }
        }
        self.progress()
    }

    /// Processes all events.
    pub fn run(&mut self) {
        while !self.advance(u32::MAX).done {}
    }

    /// Advances the clock without events.
    fn pass(&mut self, time: Time) {
        self.observed.hold_until(time.min(self.plan.workload.horizon()), self.store.occupancy());
        self.now = time;
    }

    /// Processes one event and its immediate consequences.
    fn happen(&mut self, event: Event) {
        self.events += 1;
        let by = if let Event::Incident(incident) = event { Some(incident) } else { None };
        match event {
            Event::List(list) => self.take_over(list),
            Event::Incident(incident) => self.go_on_with(incident),
            Event::Departure(vm, shape) => self.depart(vm, shape),
            Event::Life(machine) => self.think_over(machine),
            Event::AffinityDay => self.end_affinity_day(),
            Event::Commit(agent) => self.commit(agent),
            Event::Free(agent) => self.team.free(agent, self.now),
            Event::Arrival(request) => self.team.enqueue(Job::Place(request), 0, self.now),
            Event::Tick => self.sample(),
        }
        self.tell_who_left(by);
        self.dispatch();
        self.team.trim_logs(&mut self.store, self.now);
    }

    /// Takes samples of all series, and a frame.
    fn sample(&mut self) {
        let zone = self.store.occupancy();
        self.observed.fills.look(self.now, zone);
        if self.observed.debts.is_due(self.now) {
            let workload = &self.plan.workload;
            let running = self.places.all().filter(|(vm, _)| workload.end(*vm) > self.now);
            self.observed.debts.measure(self.now, zone, running, workload);
        }
        let told = self.systems.sample(self.now, zone);
        let since = self.observed.close(self.now);
        let sample = Sample {
            zone: zone.zone(),
            machines: self.plan.fleet.machine_count(),
            capacity: &self.observed.capacity,
            counted: &since.counted,
            minutes: since.minutes,
            waiting: self.team.waiting(),
            migrating: told.migrating,
            answers: since.answers,
            lag: self.team.lag(&self.store),
            empty_bound: empty_bound(zone),
            repredictions: told.lives.map_or(0, |lives| lives.repredictions),
            phases: told.lives.and_then(|lives| lives.phases),
            stranded_pct: self.observed.fills.last,
            debt: self.observed.debts.last(),
            links: told.links,
            expected_peak: told.expected_peak,
            power: told.power,
        };
        self.observed.series.push(self.now, &sample);
        if let Some(frames) = &mut self.observed.frames {
            frames.tick(self.now, zone, self.systems.draws());
        }
    }

    /// Ends the run.
    fn finish(&mut self) {
        let horizon = self.plan.workload.horizon();
        self.observed.hold_until(horizon, self.store.occupancy());
        self.now = self.now.max(horizon);
        self.systems.pass(horizon);
        self.done = true;
    }

    /// The progress of the run.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress { time: self.now, decided: self.record.decided(), events: self.events, done: self.done }
    }
}

/// The events known from the start.
fn first_events(plan: &Plan) -> Queue {
    let mut queue = Queue::new(plan.workload.clone(), plan.tick);
    for (at, list) in plan.changes() {
        queue.schedule_list(at, list);
    }
    for ((at, _), incident) in plan.incidents.iter().zip(0..).filter(|((at, _), _)| *at >= Time::ZERO) {
        queue.schedule_incident(*at, incident);
    }
    if let Some((terms, _)) = plan.affinity() {
        queue.schedule_affinity_days(terms.day());
    }
    queue
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::trial::Trial;

    /// 5,000 VMs arrive on one large machine, 4,500 leave at one moment and the rest at another, while all agents are
    /// idle.
    #[test]
    fn what_all_agents_have_read_is_dropped_from_a_long_log() {
        let mut trial = Trial::new(1, 1).rule("AreNodeResourcesValid", &[0.0]).rule("IsClusterBelowLimit", &[100.0]);
        trial.clusters[0].capacity = Resources::new(5_000_000, 5_000 * 1_024, 0, 0);
        trial.agents.count = 2;
        let trial = trial.vms(4_500, 1, (10, 1_000)).vms(500, 1, (10, 1_100));
        let mut world = World::new(trial.plan(true, &[]));
        world.run();
        assert_eq!(world.summary().placements, 5_000);
        let (log, read) = (&world.store.machines, world.team.agents.iter().map(|agent| agent.position));
        assert!(log.end() >= 10_000, "{} changes", log.end());
        assert!(log.backlog() <= 500, "{} entries are left", log.backlog());
        assert!(read.min() >= Some(9_500), "idle agents read what is visible");
        assert_eq!(world.store.cuts.backlog(), 0);
    }
}
