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
    commits: Scheduled,
    free: Scheduled,
    lists: Scheduled,
    incidents: Scheduled,
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
        let within = |at: Time| if at <= horizon { at } else { Time::NEVER };
        let departure = self.departures.get(self.next_departure % DEPARTURES_AHEAD).copied();
        let request = RequestId(self.next_arrival);
        let has_request = request.0 < self.workload.request_count();
        // In the order of events at one instant.
        let times = [
            (first(&self.lists), Kind::List),
            (first(&self.incidents), Kind::Incident),
            (departure.map_or(Time::NEVER, |(end, ..)| end), Kind::Departure),
            (self.lives.first().map_or(Time::NEVER, |(at_s, _)| moment(at_s)), Kind::Life),
            (self.affinity_day.map_or(Time::NEVER, |(at, _)| within(at)), Kind::AffinityDay),
            (first(&self.commits), Kind::Commit),
            (first(&self.free), Kind::Free),
            (if has_request { within(self.workload.at(request)) } else { Time::NEVER }, Kind::Arrival),
            (within(self.next_tick), Kind::Tick),
        ];
        // Finding the time before the kind needs no branches.
        let at = times.iter().fold(Time::NEVER, |least, (time, _)| least.min(*time));
        let (_, kind) = times.into_iter().find(|(time, _)| *time == at && at < Time::NEVER)?;
        let event = match kind {
            Kind::List => Event::List(take(&mut self.lists)?),
            Kind::Incident => Event::Incident(take(&mut self.incidents)?),
            Kind::Departure => {
                self.next_departure += 1;
                if self.next_departure.is_multiple_of(DEPARTURES_AHEAD) {
                    self.look_ahead();
                }
                departure.map(|(_, vm, shape)| Event::Departure(vm, shape))?
            }
            Kind::Life => {
                let (_, machine) = self.lives.first()?;
                self.lives.strike();
                Event::Life(machine)
            }
            Kind::AffinityDay => {
                self.affinity_day = self.affinity_day.map(|(at, day)| (at + day, day));
                Event::AffinityDay
            }
            Kind::Commit => Event::Commit(take(&mut self.commits)?),
            Kind::Free => Event::Free(take(&mut self.free)?),
            Kind::Arrival => {
                self.next_arrival += 1;
                Event::Arrival(request)
            }
            Kind::Tick => {
                self.next_tick = self.next_tick + self.tick;
                Event::Tick
            }
        };
        Some((at, event))
    }
}

/// The kinds of events.
#[derive(Clone, Copy)]
enum Kind {
    List,
    Incident,
    Departure,
    Life,
    AffinityDay,
    Commit,
    Free,
    Arrival,
    Tick,
}

/// Scheduled events of one kind: when, and the index or the agent.
type Scheduled = BinaryHeap<Reverse<(Time, u32)>>;

/// When the first of them is due; never, if there is none.
fn first(scheduled: &Scheduled) -> Time {
    scheduled.peek().map_or(Time::NEVER, |Reverse((at, _))| *at)
}

/// Removes the first of them.
fn take(scheduled: &mut Scheduled) -> Option<u32> {
    scheduled.pop().map(|Reverse((_, which))| which)
}

fn moment(at_s: u32) -> Time {
    Time(i64::from(at_s) * 1_000)
}
