//! Requests, agents and time: event by event.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use crate::faults::Fault;
use crate::guide::{Complaint, Guide, mixed};
use crate::record::{Agents, Cache, Latency, Outcome, Record, Row, Vm};
use crate::rules::{Asking, State};
use crate::store::{Pick, Store};

/// The results.
#[derive(Default)]
pub(crate) struct Outcomes {
    pub(crate) rows: Vec<Row>,
    pub(crate) summary: BTreeMap<&'static str, f64>,
    /// For each VM: its outcome and, if it is placed, its machine and since when.
    pub(crate) fates: Vec<(Outcome, Option<(usize, i64)>)>,
}

/// A decision on its way to the store.
struct Flight {
    request: usize,
    attempt: u32,
    /// In the order of decisions; `None` if a VM is refused, because the store then receives nothing.
    picks: Vec<Pick>,
    refused: Option<usize>,
    lands: i64,
}

struct Agent {
    /// The version of each machine that the agent knows.
    known: Vec<usize>,
    flights: VecDeque<Flight>,
    /// When it has decided, while its commit is in flight.
    free: Option<i64>,
}

/// Events of one instant occur in this order, and then by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Departure(usize),
    Commit(usize),
    Free(usize),
    Arrival(usize),
}

pub(crate) struct Simulator<'a, G> {
    record: &'a Record,
    store: Store<'a>,
    guide: &'a mut G,
    /// VMs of each request.
    requests: Vec<Vec<usize>>,
    /// Pending ends of VMs and starts of requests.
    departures: VecDeque<(i64, usize)>,
    arrivals: VecDeque<(i64, usize)>,
    agents: Vec<Agent>,
    idle: VecDeque<usize>,
    waiting: VecDeque<(usize, u32)>,
    now: i64,
    held_until: i64,
    /// Time-weighted sums of the share of empty machines and of density, each with its total time.
    means: [(f64, f64); 2],
    waits: Vec<i64>,
    out: Outcomes,
}

impl<'a, G: Guide> Simulator<'a, G> {
    /// Replays the workload of a record on its zone, with or without a fault.
    pub(crate) fn run(record: &'a Record, guide: &'a mut G, fault: Option<Fault>) -> Result<Outcomes, Complaint> {
        let mut simulator = Self::new(record, guide, fault);
        for request in 0..simulator.requests.len() - simulator.arrivals.len() {
            simulator.place_at_start(request)?;
        }
        while let Some((time, event)) = simulator.next_event() {
            simulator.hold_until(time);
            simulator.now = time;
            simulator.happen(event)?;
            simulator.hand_out()?;
        }
        simulator.hold_until(record.measured.1);
        Ok(simulator.sum_up())
    }

    fn new(record: &'a Record, guide: &'a mut G, fault: Option<Fault>) -> Self {
        let store = Store::new(record, fault);
        let mut requests = vec![Vec::new(); record.vms.last().map_or(0, |vm| vm.request + 1)];
        record.vms.iter().zip(0..).for_each(|(vm, at)| requests[vm.request].push(at));
        let starts = requests.iter().map(|vms| record.vms[vms[0]].start).zip(0..);
        let mut departures: Vec<_> = record.vms.iter().map(|vm| vm.end).zip(0..).collect();
        departures.retain(|(end, _)| *end <= record.measured.1);
        departures.sort_unstable();
        let known = vec![0; store.zone.machines.len()];
        let agent = |_| Agent { known: known.clone(), flights: VecDeque::new(), free: None };
        let fates = vec![(Outcome::Refused, None); record.vms.len()];
        Self {
            record,
            guide,
            departures: departures.into(),
            arrivals: starts.filter(|(start, _)| *start > 0).collect(),
            agents: (0..record.agents.count).map(agent).collect(),
            idle: (0..record.agents.count).collect(),
            waiting: VecDeque::new(),
            now: 0,
            held_until: if fault == Some(Fault::MeansFromTheStart) { 0 } else { record.measured.0 },
            means: Default::default(),
            waits: Vec::new(),
            out: Outcomes { fates, ..Outcomes::default() },
            requests,
            store,
        }
    }

    fn has(&self, fault: Fault) -> bool {
        self.store.zone.has(fault)
    }

    fn vm(&self, vm: usize) -> &'a Vm {
        &self.record.vms[vm]
    }

    fn next_event(&self) -> Option<(i64, Event)> {
        let agents = || (0..).zip(&self.agents);
        let commits = agents().filter_map(|(id, agent)| Some((agent.flights.front()?.lands, Event::Commit(id))));
        let free = agents().filter_map(|(id, agent)| Some((agent.free?, Event::Free(id))));
        let departure = self.departures.front().map(|(end, vm)| (*end, Event::Departure(*vm)));
        let arrival = self.arrivals.front().map(|(start, request)| (*start, Event::Arrival(*request)));
        commits.chain(free).chain(departure).chain(arrival).min()
    }

    fn happen(&mut self, event: Event) -> Result<(), Complaint> {
        match event {
            Event::Departure(vm) => {
                self.departures.pop_front();
                self.store.depart(self.now, vm);
            }
            Event::Commit(agent) => {
                let flight = self.agents[agent].flights.pop_front();
                flight.map_or(Ok(()), |flight| self.commit(agent, &flight))?;
            }
            Event::Free(agent) => {
                self.agents[agent].free = None;
                self.idle.push_back(agent);
            }
            Event::Arrival(request) => {
                self.arrivals.pop_front();
                self.waiting.push_back((request, 0));
            }
        }
        Ok(())
    }

    /// The agent that has been idle longest takes the request that has waited longest.
    fn hand_out(&mut self) -> Result<(), Complaint> {
        while !self.idle.is_empty() && !self.waiting.is_empty() {
            let newest = self.has(Fault::NewestRequestFirst);
            let next = if newest { self.waiting.pop_back() } else { self.waiting.pop_front() };
            if let (Some(agent), Some((request, attempt))) = (self.idle.pop_front(), next) {
                self.decide(agent, request, attempt)?;
            }
        }
        Ok(())
    }

    /// Places a VM alive at the start of the trace by the rules, on the true state.
    fn place_at_start(&mut self, request: usize) -> Result<(), Complaint> {
        let vms = self.requests[request].clone();
        let (picks, refused) = self.choose(0, &vms, 0, &self.store.truth())?;
        picks.iter().for_each(|pick| self.store.begin_with(pick));
        let outcome = if refused.is_some() { Outcome::Refused } else { Outcome::Placed };
        self.count("warm_rejections", usize::from(refused.is_some()));
        self.answer(None, &Flight { request, attempt: 0, picks, refused, lands: 0 }, outcome)
    }

    /// An agent decides a request on its current view.
    fn decide(&mut self, agent: usize, request: usize, attempt: u32) -> Result<(), Complaint> {
        let view = self.view(agent);
        let mut vms = self.requests[request].clone();
        vms.sort_by_key(|vm| Reverse(self.vm(*vm).size));
        let (mut picks, refused) = self.choose(agent, &vms, attempt, &view)?;
        let asked = picks.iter().map(|pick| pick.vm).chain(refused);
        let took: Vec<_> = asked.map(|vm| self.vm_ms(self.guide.cache(self.vm(vm).vm, attempt))).collect();
        let decided = self.now + if self.has(Fault::TimeOfOneVm) { took[0] } else { took.iter().sum() };
        if refused.is_some() {
            picks.clear();
        }
        let Agents { commit_ms, pipelined, .. } = self.record.agents;
        let lands = decided + commit_ms;
        self.agents[agent].flights.push_back(Flight { request, attempt, picks, refused, lands });
        if pipelined && commit_ms > 0 {
            self.agents[agent].free = Some(if self.has(Fault::TwoAtOnce) { self.now } else { decided });
        }
        Ok(())
    }

    /// The decision time of one VM.
    fn vm_ms(&self, cache: Option<Cache>) -> i64 {
        let Agents { latency, decision_ms, hit_ms, miss_ms, .. } = self.record.agents;
        match (latency, cache) {
            (Latency::Fixed, _) => decision_ms,
            (Latency::Caches, Some(Cache::Hit)) => hit_ms,
            (Latency::Caches, Some(Cache::Miss)) => miss_ms,
            (Latency::Caches, _) => unreachable!("no file tells how long this takes; choose another scenario"),
        }
    }

    /// What an agent can read now, plus its own choices that the store has not answered.
    fn view(&mut self, agent: usize) -> Vec<State> {
        let (store, forgets) = (&self.store, self.has(Fault::OwnChoicesForgotten));
        let Agent { known, flights, .. } = &mut self.agents[agent];
        for (machine, known) in known.iter_mut().enumerate() {
            *known = store.read(machine, *known, self.now);
        }
        let mut view: Vec<_> = (0..).zip(known).map(|(machine, known)| store.state(machine, *known)).collect();
        for pick in flights.iter().flat_map(|flight| &flight.picks).filter(|_| !forgets) {
            let with = view[pick.machine].with(&self.record.vms[pick.vm]);
            // A choice that no longer fits will fail.
            if with.used.fits_into(store.zone.machines[pick.machine].size) {
                view[pick.machine] = with;
            }
        }
        view
    }

    /// Chooses a machine for each VM, or finds the one that is refused. The record does not contain the choices for
    /// the VMs before that one, so some choice must lead to the refusal.
    fn choose(&mut self, agent: usize, vms: &[usize], attempt: u32, view: &[State]) -> Result<Choice, Complaint> {
        let names: Vec<_> = vms.iter().map(|vm| self.vm(*vm).vm).collect();
        let Some(refused) = self.guide.refused(&names, attempt) else {
            return self.choose_in_turn(agent, vms, attempt, view.to_vec(), None);
        };
        for luck in 0..100 {
            let choice = self.choose_in_turn(agent, vms, attempt, view.to_vec(), Some(luck))?;
            if choice.1.is_some_and(|vm| self.vm(vm).vm == refused) {
                return Ok(choice);
            }
        }
        Err(Complaint::refusal(refused, attempt))
    }

    /// Chooses machines one after the other, each seeing the earlier choices: as the guide draws, or at random.
    fn choose_in_turn(
        &mut self,
        agent: usize,
        vms: &[usize],
        attempt: u32,
        mut view: Vec<State>,
        luck: Option<u64>,
    ) -> Result<Choice, Complaint> {
        let (mut picks, mut own) = (Vec::new(), self.store.own(vms[0]));
        let wanted = (own.len() + vms.len()) as u32;
        for id in vms.iter().copied() {
            let vm = self.vm(id);
            let best = self.store.zone.best_set(&view, &Asking { vm, own: &own, wanted });
            if best.is_empty() {
                return Ok((picks, Some(id)));
            }
            let machine = match luck {
                Some(luck) => best[mixed([vm.vm, u64::from(attempt), luck]) as usize % best.len()],
                None => self.guide.draw(vm.vm, attempt, &best)?,
            };
            let seen = self.agents[agent].known[machine];
            picks.push(Pick { vm: id, machine, best_set_size: best.len(), seen });
            if !self.has(Fault::RequestForgotten) {
                view[machine] = view[machine].with(vm);
            }
            own.extend(vm.has_terms().then_some(machine));
        }
        Ok((picks, None))
    }

    /// A decision reaches the store.
    fn commit(&mut self, agent: usize, flight: &Flight) -> Result<(), Complaint> {
        let Flight { request, attempt, ref picks, refused, .. } = *flight;
        let clashes = self.store.clashes(&self.requests[request], picks);
        let retries = self.record.agents.retries + u32::from(self.has(Fault::OneRetryMore));
        let outcome = match (refused, clashes.is_empty()) {
            (Some(_), _) => Outcome::Refused,
            (None, true) => Outcome::Placed,
            (None, false) if attempt < retries => Outcome::Conflict,
            (None, false) => Outcome::OutOfRetries,
        };
        self.answer(Some(agent), flight, outcome)?;
        self.count("commits", usize::from(refused.is_none()));
        self.count("conflicts", usize::from(!clashes.is_empty()));
        match outcome {
            Outcome::Placed => self.take(agent, picks),
            Outcome::Conflict => self.waiting.push_back((request, attempt + 1)),
            Outcome::Refused | Outcome::OutOfRetries => {}
        }
        let is_lost = self.has(Fault::NoticeLost);
        for machine in clashes.into_iter().filter(|_| !is_lost) {
            self.agents[agent].known[machine] = self.store.latest(machine);
        }
        if outcome != Outcome::Conflict {
            self.waits.push(self.now - self.vm(self.requests[request][0]).start);
        }
        if !self.record.agents.pipelined || self.record.agents.commit_ms == 0 {
            self.idle.push_back(agent);
        }
        Ok(())
    }

    /// The store accepts a decision and tells the agent the new state of its machines.
    fn take(&mut self, agent: usize, picks: &[Pick]) {
        for machine in self.store.take(self.now, picks) {
            let version = self.store.latest(machine);
            let Agent { known, flights, .. } = &mut self.agents[agent];
            known[machine] = version;
            // The agent's later decisions build on this one.
            let later = flights.iter_mut().flat_map(|flight| &mut flight.picks);
            later.filter(|it| it.machine == machine && it.seen + 1 == version).for_each(|it| it.seen = version);
        }
        let ended: Vec<_> = picks.iter().map(|pick| pick.vm).filter(|vm| self.vm(*vm).end <= self.now).collect();
        self.count("ended_before_placed", ended.len());
        ended.into_iter().for_each(|vm| self.store.depart(self.now, vm));
    }

    /// The store answers: one row per VM.
    fn answer(&mut self, agent: Option<usize>, flight: &Flight, outcome: Outcome) -> Result<(), Complaint> {
        let Flight { request, attempt, ref picks, refused, .. } = *flight;
        let mut places: Vec<_> = picks.iter().map(|it| (it.vm, Some(it.machine), it.best_set_size)).collect();
        if refused.is_some() {
            places = self.requests[request].iter().map(|vm| (*vm, None, 0)).collect();
        }
        for (vm, machine, best_set_size) in places {
            let place = machine.filter(|_| outcome == Outcome::Placed);
            self.out.fates[vm] = (outcome, place.map(|machine| (machine, self.now)));
            self.out.rows.push(Row {
                time_ms: self.now,
                request,
                vm: self.vm(vm).vm,
                outcome,
                machine,
                cluster: machine.map(|machine| self.store.zone.machines[machine].cluster),
                best_set_size,
                cache: self
                    .guide
                    .cache(self.vm(vm).vm, attempt)
                    .filter(|_| refused.is_none_or(|refused| refused == vm)),
                agent,
                attempt,
                cause: "request".to_owned(),
            });
        }
        self.guide.hear(&self.out.rows)
    }

    fn count(&mut self, name: &'static str, more: usize) {
        *self.out.summary.entry(name).or_default() += more as f64;
    }

    /// Adds the current shares for the time since the last event.
    fn hold_until(&mut self, time: i64) {
        let time = time.min(self.record.measured.1);
        let ms = (time - self.held_until) as f64;
        if ms > 0.0 {
            self.held_until = time;
            let (empty, density) = self.store.shares();
            for ((sum, over), share) in self.means.iter_mut().zip([Some(empty), density]) {
                *sum += ms * share.unwrap_or(0.0);
                *over += share.map_or(0.0, |_| ms);
            }
        }
    }

    fn sum_up(mut self) -> Outcomes {
        let fates = self.out.fates.clone();
        let ended = |outcome: Outcome| fates.iter().filter(|fate| fate.0 == outcome).count();
        self.count("placements", ended(Outcome::Placed));
        self.count("rejections", ended(Outcome::Refused) + ended(Outcome::OutOfRetries));
        self.count("rejected_out_of_retries", ended(Outcome::OutOfRetries));
        self.waits.sort_unstable();
        let percentile = |percent: usize| self.waits[(self.waits.len() * percent).div_ceil(100) - 1] as f64;
        let [empty, density] = self.means.map(|(sum, over)| 100.0 * sum / over);
        self.out.summary.extend([
            ("wait_p50_ms", percentile(50)),
            ("wait_p99_ms", percentile(99)),
            ("empty_hosts_pct_mean", empty),
            ("packing_density_pct_mean", density),
        ]);
        self.out
    }
}

/// A machine for each VM, or for those before the refused one.
type Choice = (Vec<Pick>, Option<usize>);
