//! All events of a run, and their order.
//!
//! At one instant, a new policy takes over first, incidents happen before VMs leave, VMs leave before machines'
//! lifetimes are repredicted, days of affinity groups end, commits follow, then agents that decide during a commit become free, then requests
//! arrive, and samples are taken last. Within a kind, the lower id goes first.

use alloc::collections::BinaryHeap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Reverse;

use tiebreak_model::{MachineId, Millis, RequestId, ShapeId, Time, VmId, Workload};

use calendar::Calendar;

mod calendar;

/// How many departures are read at once.
const DEPARTURES_AHEAD: usize = 256;

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The policy at this index of the plan takes over.
    List(u32),
    /// The incident at this index of the plan happens or continues.
    Incident(u32),
    /// A VM ends.
    Departure(VmId, ShapeId),
    /// The predictions for a machine may be out of date.
    Life(MachineId),
    /// A day of affinity groups ends.
    AffinityDay,
    /// An agent's decision reaches the store.
    Commit(u32),
    /// An agent has decided and may take the next request, with its commit still under way.
    Free(u32),
    /// A tenant requests VMs.
    Arrival(RequestId),
    /// Samples of all series are taken.
    Tick,
}

/// Future events. Arrivals, departures and ticks are known from the start and read in order; only the others are
/// scheduled during the run.
#[derive(Clone)]
pub(crate) struct Queue {
    workload: Arc<Workload>,
    /// VMs in the order in which they leave.
    leaving: Arc<Vec<VmId>>,
    next_departure: usize,
    /// The block of `leaving` with the next departure, with ends and shapes: read together, they wait for memory once.
    departures: Vec<(Time, VmId, ShapeId)>,
    next_arrival: u32,
    next_tick: Time,
    tick: Millis,
    commits: BinaryHeap<Reverse<(Time, u32)>>,
    free: BinaryHeap<Reverse<(Time, u32)>>,
    lists: BinaryHeap<Reverse<(Time, u32)>>,
    incidents: BinaryHeap<Reverse<(Time, u32)>>,
    lives: Calendar,
    /// When the next day of affinity groups ends, and how long days are.
    affinity_day: Option<(Time, Millis)>,
}

impl Queue {
    /// Everything after the warm start.
    pub(crate) fn new(workload: Arc<Workload>, tick: Millis) -> Self {
        let departures = workload.departures(|_, end| end <= workload.horizon());
        let mut leaving: Vec<_> = departures.into_iter().map(|(_, vm, _)| vm).collect();
        leaving.shrink_to_fit();
        let mut queue = Self {
            leaving: Arc::new(leaving),
            next_departure: 0,
            departures: Vec::with_capacity(DEPARTURES_AHEAD),
            next_arrival: workload.warm_count(),
            next_tick: Time::ZERO,
            tick,
            commits: BinaryHeap::new(),
            free: BinaryHeap::new(),
            lists: BinaryHeap::new(),
            incidents: BinaryHeap::new(),
            lives: Calendar::default(),
            affinity_day: None,
            workload,
        };
        queue.look_ahead();
        queue
    }

    /// Reads the next departures.
    fn look_ahead(&mut self) {
        let Self { workload, leaving, next_departure, departures, .. } = self;
        let next = leaving[*next_departure..].iter().take(DEPARTURES_AHEAD);
        departures.clear();
        departures.extend(next.map(|vm| (workload.end(*vm), *vm, workload.shape_of(*vm))));
    }

    /// Schedules an agent's commit.
    pub(crate) fn schedule_commit(&mut self, at: Time, agent: u32) {
        self.commits.push(Reverse((at, agent)));
    }

    /// Schedules when an agent has decided.
    pub(crate) fn schedule_free(&mut self, at: Time, agent: u32) {
        self.free.push(Reverse((at, agent)));
    }

    /// Schedules a policy, unless it is after the horizon.
    pub(crate) fn schedule_list(&mut self, at: Time, list: u32) {
        if at <= self.workload.horizon() {
            self.lists.push(Reverse((at, list)));
        }
    }

    /// Schedules the start or the continuation of an incident, unless it is after the horizon.
    pub(crate) fn schedule_incident(&mut self, at: Time, incident: u32) {
        if at <= self.workload.horizon() {
            self.incidents.push(Reverse((at, incident)));
        }
    }

    /// Schedules a reprediction of a machine's VMs, in seconds since the start of the trace, unless it is after the
    /// horizon.
    pub(crate) fn schedule_life(&mut self, at_s: u32, machine: MachineId) {
        if moment(at_s) <= self.workload.horizon() {
            self.lives.note(at_s, machine);
        }
    }

    /// Schedules the ends of days of affinity groups, the first one at the start.
    pub(crate) fn schedule_affinity_days(&mut self, day: Millis) {
        self.affinity_day = Some((Time::ZERO, day));
    }

    /// The next event, or `None` at the horizon. Commits still under way then are processed, so that every request
    /// has an outcome.
    pub(crate) fn pop(&mut self) -> Option<(Time, Event)> {
        let horizon = self.workload.horizon();
        let list = self.lists.peek().map(|Reverse((at, list))| (*at, Event::List(*list)));
        let incident = self.incidents.peek().map(|Reverse((at, incident))| (*at, Event::Incident(*incident)));
        let departure = self.departures.get(self.next_departure % DEPARTURES_AHEAD);
        let departure = departure.map(|(end, vm, shape)| (*end, Event::Departure(*vm, *shape)));
        let life = self.lives.first().map(|(at_s, machine)| (moment(at_s), Event::Life(machine)));
        let day = self.affinity_day.map(|(at, _)| (at, Event::AffinityDay)).filter(|(at, _)| *at <= horizon);
        let commit = self.commits.peek().map(|Reverse((at, agent))| (*at, Event::Commit(*agent)));
        let free = self.free.peek().map(|Reverse((at, agent))| (*at, Event::Free(*agent)));
        let arrival = (self.next_arrival < self.workload.request_count())
            .then_some(RequestId(self.next_arrival))
            .map(|request| (self.workload.at(request), Event::Arrival(request)))
            .filter(|(at, _)| *at <= horizon);
        let tick = Some((self.next_tick, Event::Tick)).filter(|(at, _)| *at <= horizon);
        // Of several at one instant, the first kind in this order.
        let all = [list, incident, departure, life, day, commit, free, arrival, tick];
        let next = all.into_iter().flatten().min_by_key(|(at, _)| *at)?;
        match next.1 {
            Event::List(_) => drop(self.lists.pop()),
            Event::Incident(_) => drop(self.incidents.pop()),
            Event::Departure(..) => {
                self.next_departure += 1;
                if self.next_departure.is_multiple_of(DEPARTURES_AHEAD) {
                    self.look_ahead();
                }
            }
            Event::Life(_) => self.lives.strike(),
            Event::AffinityDay => self.affinity_day = self.affinity_day.map(|(at, day)| (at + day, day)),
            Event::Commit(_) => drop(self.commits.pop()),
            Event::Free(_) => drop(self.free.pop()),
            Event::Arrival(_) => self.next_arrival += 1,
            Event::Tick => self.next_tick = self.next_tick + self.tick,
        }
        Some(next)
    }
}

fn moment(at_s: u32) -> Time {
    Time(i64::from(at_s) * 1_000)
}
