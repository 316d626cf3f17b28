//! The run itself: events in order, each changing the world once.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::random::Stream;
use tiebreak_model::{
    ChassisId, Footprint, MachineId, MachineRecord, Millis, Needs, Occupancy, Outlook, Readiness, RequestId, Resource,
    Resources, ShapeId, TenantSize, Time, VmId, VmRequest, VmShape,
};
use tiebreak_placement::explain::{Explanation, Question, explain};
use tiebreak_placement::reference::funnel;
use tiebreak_placement::{CacheCounters, CacheSizes, CacheUse, Choice, Draw, Policy, Refusal};

use crate::admission::deployments::Deployments;
use crate::agent::{Agent, Assignment, InFlight};
use crate::avoidance::Window;
use crate::conflict_rate::ConflictRate;
use crate::demand::{Demand, Demands};
use crate::digest::Digest;
use crate::disruptions::{Disruptions, Fate, Reason};
use crate::event::{Event, Queue};
use crate::evictions::Evictable;
use crate::frames::{Frames, Layers};
use crate::histogram::Histogram;
use crate::job::{Job, Waiting};
use crate::links::{Asking, LinkBook};
use crate::lists;
use crate::lives::{HostCard, LifeCounts, Lives, Told};
use crate::machine_byte::MachineByte;
use crate::metrics::{Answers, Counters, Sample, Series, TimeWeighted, capacity, empty_bound};
use crate::plan::{Agents, Plan};
use crate::power::PowerSettings;
use crate::power::book::PowerBook;
use crate::power::events::{CappingEvent, Throttled};
use crate::record::{Cause, Decision, Outcome};
use crate::rule_shares::RuleShares;
use crate::store::Store;
use crate::stranding::Fills;
use crate::summary::Summary;

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time reached.
    pub time: Time,
    /// VMs decided so far.
    pub decided: u32,
    /// Events so far, those of the warm start among them.
    pub events: u64,
    /// Whether everything has happened.
    pub done: bool,
}

/// Whose decisions are explained as they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The VM; none explains every one.
    pub vm: Option<VmId>,
    /// A machine to compare with, if one was asked about.
    pub asked: Option<MachineId>,
}

/// A probed decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Probed {
    /// The VM.
    pub vm: VmId,
    /// When the agent decided.
    pub time: Time,
    /// Why it was to be decided.
    pub cause: Cause,
    /// The agent; none for a VM alive when the trace began.
    pub agent: Option<u32>,
    /// 0 for the first try.
    pub attempt: u32,
    /// What the caches did.
    pub cache: CacheUse,
    /// What was predicted of it; none where no rule asks for lifetimes.
    pub outlook: Option<Outlook>,
    /// Where the others of its virtual datacenter stood, and what its links to them take; none where
    /// VMs are not linked.
    pub company: Option<(Footprint, Needs)>,
    /// Why.
    pub explanation: Explanation,
}

/// What an agent is doing.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentState {
    /// Changes in the store that it has not read yet.
    pub behind: u64,
    /// Its decisions on their way to the store.
    pub in_flight: u32,
    /// Whether it has nothing to decide.
    pub is_idle: bool,
    /// VMs it decided, tries counted.
    pub decided: u64,
    /// Its commits that failed.
    pub conflicts: u64,
    /// What its caches did.
    pub caches: CacheCounters,
    /// What its caches hold.
    pub sizes: CacheSizes,
}

/// Why a request was not placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// No machine was valid for this VM, and so none of the request was placed.
    Refused(VmId),
    /// Its last retry ended in a conflict.
    OutOfRetries,
}

/// A run under way.
pub struct World {
    pub(crate) plan: Plan,
    /// How many VMs a request asks for, on average.
    vms_a_request: f64,
    /// The place of the plan's list that holds.
    pub(crate) list: u32,
    /// That list, or what incidents made of it.
    pub(crate) policy: Arc<Policy>,
    pub(crate) queue: Queue,
    pub(crate) store: Store,
    pub(crate) agents: Vec<Agent>,
    idle: VecDeque<u32>,
    pub(crate) waiting: VecDeque<Waiting>,
    tie_break: Stream,
    coins: Stream,
    avoiding: Stream,
    window: Window,
    /// Where the VMs of tenants that ask for anything really stand.
    pub(crate) tenants: BTreeMap<u64, Footprint>,
    /// Who is linked with whom, where VMs are.
    pub(crate) links: Option<LinkBook>,
    /// What is seen of every deployment, where any rule asks what they will grow to.
    pub(crate) deployments: Option<Deployments>,
    /// Who draws what, where anybody asks.
    power: Option<PowerBook>,
    evictable: Evictable,
    pub(crate) disrupted: Disruptions,
    /// What is predicted, where any rule asks, and from when on agents are shown it.
    pub(crate) lives: Option<Lives>,
    pub(crate) lives_from: Time,
    pub(crate) asking: Asking,
    pub(crate) placed_on: Vec<u32>,
    placed_at: Vec<Time>,
    pub(crate) now: Time,
    decided: u32,
    events: u64,
    last: Option<VmId>,
    /// The first VM of the commit that failed last.
    refused: Option<VmId>,
    pub(crate) digest: Digest,
    decisions: Option<Vec<Decision>>,
    pub(crate) counters: Counters,
    rejections: BTreeMap<RequestId, Rejection>,
    warm_placements: u64,
    warm_rejections: u64,
    weighted: TimeWeighted,
    fills: Fills,
    minutes: ConflictRate,
    seconds: ConflictRate,
    took: Took,
    answered_at: Time,
    series: Series,
    at_last_tick: (Time, Counters, u64),
    frames: Option<Frames>,
    pub(crate) shares: RuleShares,
    probe: Option<Probe>,
    probed: Vec<Probed>,
    capacity: [u64; 4],
    pub(crate) spare: Spare,
    /// Requests of the warm start that are placed.
    warm: u32,
    done: bool,
}

pub(crate) const NOWHERE: u32 = u32::MAX;

impl core::fmt::Debug for World {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("World").field("now", &self.now).field("decided", &self.decided).finish_non_exhaustive()
    }
}

impl World {
    /// A world in which nothing has happened. First of all, the VMs alive when the trace began
    /// are placed, in order, by the first agent: the warm start (LAVA section 6.1).
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let empty = plan.empty_zone();
        let store = Store::new(empty.clone(), Millis(plan.agents.slowed_ms(plan.agents.publish_ms)));
        let vms = plan.workload.vm_count() as usize;
        let lives = plan.foresight_of_rules().map(|it| Lives::new(it, &plan.workload, plan.fleet.machine_count()));
        let policy = plan.policy_at_start();
        let lives_from = plan.lifetimes_from();
        let shown = plan.lifetimes().filter(|_| lives_from <= Time::ZERO);
        let first = Agent::new(plan.allocator(policy.clone(), empty), &store, shown);
        let mut queue = Queue::new(plan.workload.clone(), plan.tick);
        lists::schedule(&plan, &mut queue);
        let stride = vms.checked_div(plan.funnel_samples as usize).map_or(0, |stride| stride.max(1) as u32);
        let requests = f64::from(plan.workload.request_count().max(1));
        Self {
            list: 0,
            vms_a_request: f64::from(plan.workload.vm_count()) / requests,
            policy,
            lives,
            lives_from,
            disrupted: Disruptions::new(&plan, &mut queue),
            queue,
            agents: vec![first],
            idle: (0..plan.agents.count).collect(),
            waiting: VecDeque::new(),
            tie_break: plan.seed.stream("tie-break"),
            coins: plan.seed.stream("cache hits"),
            avoiding: plan.seed.stream("conflict avoidance"),
            window: Window::new(plan.agents.avoidance_window),
            tenants: BTreeMap::new(),
            links: plan.links().map(|links| LinkBook::new(links, &plan)),
            deployments: plan.admission().cloned().map(Deployments::new),
            power: plan.power().cloned().map(|terms| PowerBook::new(terms, &plan)),
            evictable: Evictable::new(plan.ever_lets_evict(&VmShape::plain(Resources::NONE))),
            asking: Asking::about(plan.admission().map(|terms| terms.growth(plan.fleet.clusters().len()))),
            placed_on: vec![NOWHERE; vms],
            placed_at: vec![Time::NEVER; vms],
            now: Time::ZERO,
            decided: 0,
            events: 0,
            last: None,
            refused: None,
            digest: Digest::new(),
            decisions: None,
            counters: Counters::default(),
            rejections: BTreeMap::new(),
            warm_placements: 0,
            warm_rejections: 0,
            weighted: TimeWeighted::from(
                plan.measures.measured_from(),
                capacity(&plan.fleet)[Resource::Cores as usize],
            ),
            fills: Fills::new(&plan),
            minutes: ConflictRate::per(Millis::MINUTE),
            seconds: ConflictRate::per(Millis(1_000)),
            took: Took::default(),
            answered_at: Time::ZERO,
            series: Series::default(),
            at_last_tick: (Time::ZERO, Counters::default(), 0),
            frames: None,
            shares: RuleShares::new(stride),
            probe: None,
            probed: Vec::new(),
            capacity: capacity(&plan.fleet),
            done: false,
            spare: Spare::default(),
            warm: 0,
            store,
            plan,
        }
    }

    /// Keeps every decision from here on.
    pub fn keep_decisions(&mut self) {
        self.decisions.get_or_insert_default();
    }

    /// Keeps how every machine stands at each sample, for the fleet map, and of lifetimes what it
    /// takes to look back ([`World::host_card`]).
    pub fn keep_frames(&mut self) {
        self.lives.iter_mut().for_each(Lives::look_back);
        let ticks = self.plan.workload.horizon().since(Time::ZERO).0 / self.plan.tick.0 + 1;
        self.frames = Some(Frames::new(self.plan.fleet.machine_count() as usize, ticks as usize, self.layers()));
    }

    /// What frames tell beside how each machine stands.
    fn layers(&self) -> Layers {
        let draws = self.book().is_some_and(PowerBook::measures);
        Layers { lives: self.lives.is_some(), uplinks: self.links.is_some(), draws }
    }

    /// Lets at most `budget` events happen.
    pub fn advance(&mut self, budget: u32) -> Progress {
        for _ in 0..budget {
            if self.is_warming() {
                self.warm_up_one();
                continue;
            }
            let Some((time, event)) = self.queue.pop() else {
                self.finish();
                break;
            };
            self.events += 1;
            let machines = self.plan.fleet.machine_count();
            self.weighted.hold_until(time.min(self.plan.workload.horizon()), self.store.occupancy().zone(), machines);
            self.now = time;
            let by = if let Event::Incident(incident) = event { Some(incident) } else { None };
            match event {
                Event::List(list) => self.take_over(list),
                Event::Incident(incident) => self.happen(incident),
                Event::Departure(vm, shape) => self.depart(vm, shape),
                Event::Life(machine) => self.think_over(machine),
                Event::Commit(agent) => self.commit(agent),
                Event::Free(agent) => self.free(agent),
                Event::Arrival(request) => self.enqueue(Job::Place(request), 0),
                Event::Tick => self.tick(),
            }
            self.tell_who_left(by);
            self.dispatch();
            self.trim_log();
        }
        self.progress()
    }

    /// Lets everything happen.
    pub fn run(&mut self) {
        while !self.advance(u32::MAX).done {}
    }

    /// How far the run has come.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress { time: self.now, decided: self.decided, events: self.events, done: self.done }
    }

    /// What is running.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The authoritative state.
    #[must_use]
    pub fn occupancy(&self) -> &Occupancy {
        self.store.occupancy()
    }

    /// The samples so far.
    #[must_use]
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// The frames so far, if kept.
    #[must_use]
    pub fn frames(&self) -> Option<&Frames> {
        self.frames.as_ref()
    }

    /// The decisions so far, if kept.
    #[must_use]
    pub fn decisions(&self) -> &[Decision] {
        self.decisions.as_deref().unwrap_or(&[])
    }

    /// The probed VM's decisions so far.
    #[must_use]
    pub fn probed(&self) -> &[Probed] {
        &self.probed
    }

    /// Explains what is decided from here on, or stops explaining and forgets.
    pub fn set_probe(&mut self, probe: Option<Probe>) {
        self.probe = probe;
        if probe.is_none() {
            self.probed.clear();
        }
    }

    /// Forgets explanations of requests that have their answer, and keeps those under way.
    pub fn forget_answered(&mut self) {
        let mut probed = core::mem::take(&mut self.probed);
        probed.retain(|probed| {
            let nowhere = self.placement(probed.vm).is_none() && !self.is_gone(probed.vm);
            nowhere && !self.rejections.contains_key(&self.plan.workload.request_of(probed.vm))
        });
        self.probed = probed;
    }

    /// The VM decided last, if any was.
    #[must_use]
    pub fn decided_last(&self) -> Option<VmId> {
        self.last
    }

    /// How many commits have failed, and the first VM of the one that failed last.
    #[must_use]
    pub fn conflicts(&self) -> (u64, Option<VmId>) {
        (self.counters.conflicts, self.refused)
    }

    /// Where a VM was placed and when; none when it was not, or not yet.
    #[must_use]
    pub fn placement(&self, vm: VmId) -> Option<(MachineId, Time)> {
        let machine = self.placed_on[vm.index()];
        (machine != NOWHERE).then(|| (MachineId(machine), self.placed_at[vm.index()]))
    }

    /// Whether a VM stands anywhere, or has.
    pub(crate) fn has_stood(&self, vm: VmId) -> bool {
        self.placed_at[vm.index()] != Time::NEVER
    }

    /// Why a request was not placed; none when it was, or is not decided yet.
    #[must_use]
    pub fn rejection(&self, request: RequestId) -> Option<Rejection> {
        self.rejections.get(&request).copied()
    }

    /// How every machine stands now: one frame, as in [`Frames`].
    #[must_use]
    pub fn picture(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let draws = self.book().into_iter().flat_map(PowerBook::bytes);
        crate::frames::picture(self.store.occupancy(), self.layers(), draws, &mut bytes);
        bytes
    }

    /// The VMs on a machine at a moment of the run so far, and since when each was there: first
    /// those that stayed, by id, then those that have left it before their time.
    pub fn vms_on(&self, machine: MachineId, at: Time) -> impl Iterator<Item = (VmId, Time)> + '_ {
        let here = move |vm: &VmId| self.placed_on[vm.index()] == machine.0;
        let live = move |vm: &VmId| self.placed_at[vm.index()] <= at && self.plan.workload.end(*vm) > at;
        let stayed = (0..self.plan.workload.vm_count()).map(VmId).filter(here).filter(live);
        stayed.map(|vm| (vm, self.placed_at[vm.index()])).chain(self.disrupted.once_on(machine, at))
    }

    /// How every machine stood at a moment of the run so far, a [`MachineByte`] each; empty where no frames are kept.
    /// What VMs take is counted for that moment; whether a machine took VMs is known as of the frame before it.
    #[must_use]
    pub fn machines_at(&self, at: Time) -> Vec<u8> {
        let (fleet, workload) = (self.plan.fleet(), &self.plan.workload);
        let Some(frames) = &self.frames else { return Vec::new() };
        let mut held = vec![(false, 0_u32); fleet.machine_count() as usize];
        let mut hold = |machine: u32, vm: VmId| {
            let (has_vms, used) = &mut held[machine as usize];
            *has_vms = true;
            *used += workload.shape(workload.shape_of(vm)).demand[Resource::Cores];
        };
        for (vm, machine) in (0..).map(VmId).zip(&self.placed_on) {
            if *machine != NOWHERE && self.placed_at[vm.index()] <= at && workload.end(vm) > at {
                hold(*machine, vm);
            }
        }
        for left in self.disruptions().iter().filter(|it| it.since <= at && at < it.held_until) {
            hold(left.from.0, left.vm);
        }
        let readiness = frames.at(at).iter().map(|byte| MachineByte(*byte).readiness());
        let machines = held.into_iter().zip(readiness).zip((0..).map(MachineId));
        let byte = |(((has_vms, used), readiness), id): (((bool, u32), Readiness), MachineId)| {
            MachineByte::new(has_vms, used, fleet.capacity(id)[Resource::Cores], readiness).0
        };
        machines.map(byte).collect()
    }

    /// A machine as lifetime rules saw it at a moment of the run so far, and why; none where no
    /// rule had asked for lifetimes by then, or what it was is forgotten.
    #[must_use]
    pub fn host_card(&self, machine: MachineId, at: Time) -> Option<HostCard> {
        let lives = self.lives.as_ref().filter(|_| at >= self.lives_from)?;
        if at >= self.now { Some(lives.card(machine)) } else { lives.card_at(machine, at, self.vms_on(machine, at)) }
    }

    /// What predicting lifetimes took and led to so far.
    #[must_use]
    pub fn life_counts(&self) -> LifeCounts {
        self.lives.as_ref().map_or_else(LifeCounts::default, Lives::counts)
    }

    /// What came out so far.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary {
            digest: self.digest.value(),
            placements: self.counters.placements + self.warm_placements,
            rejections: self.counters.rejections + self.warm_rejections,
            warm_rejections: self.warm_rejections,
            conflicts: self.counters.conflicts,
            conflicts_per_minute_p99: self.minutes.p99(),
            conflicts_per_second_p99: self.seconds.p99(),
            answers: self.took.answers_so_far(),
            answered_at: self.answered_at,
            empty_hosts_pct_mean: self.weighted.empty_hosts_pct(),
            packing_density_pct_mean: self.weighted.packing_density_pct(),
            empty_to_free_pct_mean: self.weighted.empty_to_free_pct(),
            stranded_pct_mean: self.fills.means(),
            counters: self.counters,
            cache_bytes: self.cache_sizes().bytes(),
            cache_sizes: self.cache_sizes(),
            caches: self.cache_counters(),
            rule_shares: self.shares.means(),
            circles: self.shares.circles(),
            lives: self.life_counts(),
            power: self.book().map(PowerBook::summary),
        }
    }

    /// How power is dealt with; none where nobody asks.
    #[must_use]
    pub fn power_settings(&self) -> Option<PowerSettings> {
        self.plan.power().map(|terms| terms.settings)
    }

    /// Who draws what, where anybody asks.
    fn book(&self) -> Option<&PowerBook> {
        self.power.as_ref()
    }

    /// Whether draws of chassis are measured.
    #[must_use]
    pub fn measures_draws(&self) -> bool {
        self.book().is_some_and(PowerBook::measures)
    }

    /// Capping events so far, those that are over first.
    pub fn capping_events(&self) -> impl Iterator<Item = &CappingEvent> {
        self.book().into_iter().flat_map(PowerBook::events)
    }

    /// VMs that were slowed down so far, and how much.
    pub fn throttled(&self) -> impl Iterator<Item = (VmId, Throttled)> + '_ {
        self.book().into_iter().flat_map(|book| book.throttled().iter().map(|(vm, throttled)| (*vm, *throttled)))
    }

    /// What each chassis would have drawn at the beginnings of slots if nobody had been slowed down, in watts: the
    /// history that a budget is found from. Empty where draws are not measured.
    pub fn power_readings(&self) -> impl Iterator<Item = &[f32]> {
        self.book().into_iter().flat_map(PowerBook::readings)
    }

    /// What every server would draw unslowed, chassis by chassis, and when that was; and what its chassis does draw.
    pub fn chassis_draws(&self) -> impl Iterator<Item = (Time, &[f64], f64)> {
        let all = (0..self.plan.fleet.chassis_count()).map(ChassisId);
        self.book().into_iter().flat_map(move |book| all.clone().map(|id| book.chassis_draw(id)))
    }

    /// The share of its cores that a VM uses at a moment, whether it stands anywhere or not, from 0 to 1; none where power is
    /// no part of the run.
    #[must_use]
    pub fn utilization(&self, vm: VmId, at: Time) -> Option<f64> {
        let book = self.book()?;
        Some(book.utilization((vm, self.plan.luck(vm)), &self.plan.workload, at))
    }

    fn cache_sizes(&self) -> CacheSizes {
        let mut all = CacheSizes::default();
        self.agents.iter().for_each(|agent| all.add(&agent.allocator.sizes()));
        all
    }

    fn cache_counters(&self) -> CacheCounters {
        let mut all = CacheCounters::default();
        self.agents.iter().for_each(|agent| all.add(agent.allocator.counters()));
        all
    }

    /// What each agent is doing now.
    #[must_use]
    pub fn agents(&self) -> Vec<AgentState> {
        let end = self.store.machines.end();
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

    /// The fleet as an agent knows it, and on top of that its own choices that the store has not answered; none where there
    /// is no such agent. Before the warm start is over, there is only the first.
    #[must_use]
    pub fn view(&self, agent: u32) -> Option<&Occupancy> {
        self.agents.get(agent as usize).map(|agent| agent.allocator.view())
    }

    /// Places the VMs alive when the trace began, if that has not happened yet.
    pub fn warm_up(&mut self) {
        while self.is_warming() {
            self.warm_up_one();
        }
    }

    pub(crate) fn is_warming(&self) -> bool {
        self.warm <= self.plan.workload.warm_count()
    }

    fn warm_up_one(&mut self) {
        self.events += 1;
        let request = RequestId(self.warm);
        self.warm += 1;
        if request.0 == self.plan.workload.warm_count() {
            return self.begin_agents();
        }
        for vm in self.plan.workload.vms_of(request).map(VmId) {
            self.place_warm(request, vm);
        }
    }

    /// All agents begin with the first one's view, and with caches of their own.
    fn begin_agents(&mut self) {
        let view = self.agents[0].allocator.view().clone();
        self.policy = self.plan.policy_after_start();
        let agent = |_| self.plan.allocator(self.policy.clone(), view.clone());
        let lifetimes = self.plan.lifetimes().filter(|_| self.shows_lives());
        self.agents = (0..self.plan.agents.count).map(agent).map(|it| Agent::new(it, &self.store, lifetimes)).collect();
    }

    fn place_warm(&mut self, request: RequestId, vm: VmId) {
        self.ask(Job::Place(request));
        self.ask_for(vm);
        let outlook = self.outlook(vm);
        let choice = self.choose(0, (vm, outlook), 0, None);
        let cache = choice.map_or_else(|refusal| refusal.cache, |choice| choice.cache);
        let winner = choice.ok().map(|choice| choice.machine);
        if self.is_probed(vm) {
            self.explain(None, Cause::Request, 0, vm, winner, cache);
        }
        let outcome = match winner {
            Some(machine) => {
                self.settle_warm((vm, outlook), machine);
                Outcome::Placed
            }
            None => {
                self.warm_rejections += 1;
                self.note_blocked(0, vm);
                self.rejections.insert(request, Rejection::Refused(vm));
                Outcome::Refused
            }
        };
        self.record(Decision {
            time: Time::ZERO,
            request,
            vm,
            cause: Cause::Request,
            outcome,
            machine: winner,
            best_set: choice.map_or(0, |choice| choice.best_set),
            cache: Some(cache),
            agent: None,
            attempt: 0,
        });
    }

    fn settle_warm(&mut self, (vm, outlook): (VmId, Outlook), machine: MachineId) {
        let mut demands = core::mem::take(&mut self.spare.demands);
        let shape = *self.plan.workload.shape_of_vm(vm);
        let seen = self.store.revision_of(machine);
        let assignment = Assignment { vm, machine, seen, shape, outlook, best_set: 0, cache: CacheUse::Off };
        demands.add_up(&[assignment], &self.policy, self.store.occupancy(), &self.evictable);
        let victims = core::mem::take(&mut demands.victims);
        for (_, victim) in &victims {
            self.put_out(*victim);
        }
        demands.victims = victims;
        let after = demands.machines[0].after.expect("chosen on the truth");
        self.settle(vm, machine, &after);
        let after = self.rated(machine, after);
        self.store.set_unpublished(machine, after);
        self.agents[0].allocator.view_mut().set(machine, after);
        self.warm_placements += 1;
        self.spare.demands = demands;
    }

    /// Gives waiting requests to idle agents, the longest idle first.
    fn dispatch(&mut self) {
        while !self.waiting.is_empty() {
            let Some(agent) = self.idle.pop_front() else { return };
            let Some(waiting) = self.waiting.pop_front() else { return };
            self.decide(agent, waiting);
        }
    }

    /// A job joins the queue.
    pub(crate) fn enqueue(&mut self, job: Job, attempt: u32) {
        self.waiting.push_back(Waiting { job, attempt, since: self.now });
    }

    /// An agent decides a job on its view of this moment (Protean Algorithm 1).
    fn decide(&mut self, agent: u32, Waiting { job, attempt, since }: Waiting) {
        self.take_up(agent);
        self.queued(since);
        let request = job.request(&self.plan.workload);
        let mut flight = InFlight::begin(self.spare.flights.pop(), job, request, attempt);
        let mut order = core::mem::take(&mut self.spare.order);
        self.order(job, &mut order);
        self.ask(job);
        self.meet(job);
        if let Job::Reallocate(vm) = job {
            self.tell_what_it_gave_back(agent, vm);
        }
        let mut took_us = 0;
        for vm in &order {
            let found = self.decide_vm(agent, &mut flight, *vm, &mut took_us);
            if !found {
                self.agents[agent as usize].release(&flight);
                // Nothing of it is asked of the store, nor stays in the agent's view until the store answers.
                flight.assignments.clear();
                flight.links.clear();
                break;
            }
        }
        let took_us = self.plan.agents.request_us(took_us, order.len(), self.vms_a_request);
        self.spare.order = order;
        self.agents[agent as usize].send(flight);
        let (commit_ms, pipelined) =
            (self.plan.agents.slowed_ms(self.plan.agents.commit_ms), self.plan.agents.pipelined);
        let decided = self.now + Millis(took_us.div_ceil(1_000));
        self.queue.schedule_commit(decided + Millis(commit_ms), agent);
        if pipelined && commit_ms > 0 {
            self.queue.schedule_free(decided, agent);
        }
    }

    /// An agent reads what it can know by now; one that had nothing to do has kept its caches
    /// fresh as far as its time went (Protean section 5.2.4).
    fn take_up(&mut self, agent: u32) {
        let one = &mut self.agents[agent as usize];
        one.catch_up(&self.store, self.now);
        let idle = one.idle_since.take().map_or(0, |since| self.now.since(since).0);
        if self.plan.caches.background && idle > 0 {
            one.allocator.refresh_in_background(self.plan.agents.updates_in(idle));
        }
    }

    /// A request left the queue.
    fn queued(&mut self, since: Time) {
        self.took.queued.push(self.now.since(since).0);
    }

    /// A job has its answer.
    fn answered(&mut self, job: Job) {
        let asked_at = match job {
            Job::Place(request) => self.plan.workload.at(request),
            Job::Reallocate(vm) => self.homeless_since(vm),
        };
        self.took.latency.push(self.now.since(asked_at).0);
        self.counters.answered += 1;
        self.answered_at = self.now;
    }

    /// An agent may take the next request.
    fn free(&mut self, agent: u32) {
        self.agents[agent as usize].idle_since = Some(self.now);
        self.idle.push_back(agent);
    }

    /// `ORDER`: the VMs of a request, largest first, so that what is hardest to place is
    /// placed while there is most room.
    fn order(&self, job: Job, order: &mut Vec<VmId>) {
        let workload = &self.plan.workload;
        order.clear();
        order.extend(job.vms(workload).map(VmId));
        order.sort_by_key(|vm| core::cmp::Reverse(workload.shape_of_vm(*vm).demand));
    }

    /// Decides one VM; whether a machine was found.
    fn decide_vm(&mut self, agent: u32, flight: &mut InFlight, vm: VmId, took_us: &mut u64) -> bool {
        self.ask_for(vm);
        let outlook = self.outlook(vm);
        if flight.attempt == 0 && self.shares.wants(vm) {
            let occupancy = self.agents[agent as usize].allocator.view();
            let shape = *self.plan.workload.shape_of_vm(vm);
            let scene = self.asking.scene(occupancy, &shape);
            let asked = VmRequest { outlook, ..self.asking.request(shape) };
            self.shares.add(&funnel(&self.policy, scene, &asked));
        }
        let avoided = self.avoids(vm, flight.attempt);
        let choice = self.choose(agent, (vm, outlook), flight.attempt, avoided);
        let (cache, refreshed) =
            choice.map_or_else(|refusal| (refusal.cache, refusal.refreshed), |choice| (choice.cache, choice.refreshed));
        let coin = || unit(self.coins.draw(self.plan.luck(vm), u64::from(flight.attempt)));
        *took_us = took_us.saturating_add(self.plan.agents.decision_us(cache, refreshed, coin));
        self.agents[agent as usize].decided += 1;
        self.counters.refreshed += u64::from(refreshed);
        self.counters.avoided += u64::from(avoided.is_some() && choice.is_ok());
        self.counters.cache_hits += u64::from(cache == CacheUse::Hit);
        self.counters.cache_misses += u64::from(cache == CacheUse::Miss);
        if self.is_probed(vm) {
            let machine = choice.ok().map(|choice| choice.machine);
            self.explain(Some(agent), flight.job.cause(), flight.attempt, vm, machine, cache);
        }
        match choice {
            Ok(choice) => {
                let (machine, best_set, shape) = (choice.machine, choice.best_set, *self.plan.workload.shape_of_vm(vm));
                let seen = self.agents[agent as usize].seen(machine);
                let assignment = Assignment { vm, machine, seen, shape, outlook, best_set, cache };
                self.agents[agent as usize].assign(flight, assignment);
                let cuts = self.cuts(machine);
                self.agents[agent as usize].reserve(flight, &cuts);
                self.asking.assign(machine, &shape);
                true
            }
            Err(_) => {
                flight.refused = Some((vm, cache));
                flight.had_room = self.has_room(agent, vm);
                self.note_blocked(agent, vm);
                false
            }
        }
    }

    /// A tenant begins to ask: what it has, and what it will have.
    pub(crate) fn ask(&mut self, job: Job) {
        let workload = &self.plan.workload;
        self.asking.is_new = false;
        self.asking.size = TenantSize::default();
        self.asking.footprint.clear();
        let asks = |vm: u32| !workload.shape_of_vm(VmId(vm)).terms.is_none();
        if self.links.is_none() && !job.vms(workload).any(asks) {
            return;
        }
        if let Some(footprint) = self.tenants.get(&workload.tenant(job.request(workload))) {
            self.asking.footprint.copy_from(footprint);
        }
        let placed = self.asking.footprint.total();
        self.asking.size = TenantSize { placed, wanted: placed + job.vms(workload).len() as u32 };
    }

    /// Among how many of the best machines a VM goes to a random one, if conflicts are being
    /// avoided (Protean section 5.3).
    fn avoids(&self, vm: VmId, attempt: u32) -> Option<u32> {
        let Agents { avoidance, avoidance_best, .. } = self.plan.agents;
        let chance = avoidance * self.window.failed_share();
        let avoids = chance > 0.0 && unit(self.avoiding.draw(self.plan.luck(vm), u64::from(attempt))) < chance;
        avoids.then_some(avoidance_best)
    }

    /// An agent looks for a machine for one VM.
    fn choose(
        &mut self,
        agent: u32,
        (vm, outlook): (VmId, Outlook),
        attempt: u32,
        among: Option<u32>,
    ) -> Result<Choice, Refusal> {
        let number = self.tie_break.draw(self.plan.luck(vm), u64::from(attempt));
        let (shape, asked) = self.asked(vm, outlook);
        let request = self.asking.to_place(shape, &asked, Draw { number, among });
        self.agents[agent as usize].allocator.choose(&request)
    }

    /// A VM as rules read it, and the name of its shape.
    fn asked(&self, vm: VmId, outlook: Outlook) -> (ShapeId, VmRequest) {
        let shape = self.plan.workload.shape_of(vm);
        (shape, VmRequest { outlook, ..self.asking.request(*self.plan.workload.shape(shape)) })
    }

    /// Notes what was in the way of a VM's links, if that was what an agent refused it for.
    fn note_blocked(&mut self, agent: u32, vm: VmId) {
        if self.links.is_none() {
            return;
        }
        let outlook = self.outlook(vm);
        let (shape, asked) = self.asked(vm, outlook);
        let Some(book) = &mut self.links else { return };
        let request = self.asking.to_place(shape, &asked, Draw { number: 0, among: None });
        book.note_refusal(vm, self.agents[agent as usize].allocator.blocked(&request));
    }

    /// Whether, as this agent sees it, any machine has room for a VM, whatever other rules say.
    fn has_room(&self, agent: u32, vm: VmId) -> bool {
        let (view, demand) = (self.agents[agent as usize].allocator.view(), self.plan.workload.shape_of_vm(vm).demand);
        (0..self.plan.fleet.machine_count()).any(|id| view.machine(MachineId(id)).free().covers(demand))
    }

    fn is_probed(&self, vm: VmId) -> bool {
        self.probe.is_some_and(|probe| probe.vm.is_none_or(|probed| probed == vm))
    }

    fn explain(
        &mut self,
        agent: Option<u32>,
        cause: Cause,
        attempt: u32,
        vm: VmId,
        winner: Option<MachineId>,
        cache: CacheUse,
    ) {
        let outlook = self.outlook(vm);
        let view = self.agents[agent.unwrap_or(0) as usize].allocator.view();
        let request = VmRequest { outlook, ..self.asking.request(*self.plan.workload.shape_of_vm(vm)) };
        let asked = self.probe.and_then(|probe| probe.asked);
        let scene = self.asking.scene(view, &request.shape);
        // A draw named by VM and attempt: asked again, it answers as it did for the decision.
        let avoided = agent.and_then(|_| self.avoids(vm, attempt));
        let explanation = explain(&self.policy, scene, &request, Question { winner, asked, avoided });
        let outlook = (self.lives.is_some() && self.shows_lives()).then_some(outlook);
        let company = self.links.as_ref().map(|_| self.asking.company());
        self.probed.push(Probed { vm, time: self.now, cause, agent, attempt, cache, outlook, company, explanation });
    }

    /// A decision reaches the store, which takes it whole or not at all.
    fn commit(&mut self, agent: u32) {
        let mut flight = self.agents[agent as usize].arrive();
        if flight.refused.is_some() {
            self.reject(agent, &flight, Outcome::Refused);
        } else {
            self.counters.commits += 1;
            let mut demands = core::mem::take(&mut self.spare.demands);
            demands.add_up(&flight.assignments, &self.policy, self.store.occupancy(), &self.evictable);
            let conflicts = self.in_the_way(&flight, &demands.machines);
            if conflicts.is_empty() {
                self.take(agent, &flight, &mut demands);
            } else {
                self.refuse_commit(agent, &mut flight, &conflicts);
            }
            self.spare.demands = demands;
        }
        self.spare.flights.push(flight);
        let Agents { commit_ms, pipelined, .. } = self.plan.agents;
        if !pipelined || commit_ms == 0 {
            self.free(agent);
        }
    }

    /// The machines whose part of a decision the store cannot take (Protean section 5.3).
    fn in_the_way(&mut self, flight: &InFlight, demands: &[Demand]) -> Vec<MachineId> {
        let fine_grained = self.plan.agents.fine_grained;
        let outdated = |it: &&Assignment| it.seen != self.store.revision_of(it.machine);
        let is_outdated = |machine| flight.assignments.iter().filter(outdated).any(|it| it.machine == machine);
        let stands = |demand: &&Demand| demand.after.is_none() || (!fine_grained && is_outdated(demand.machine));
        let mut conflicts: Vec<_> = demands.iter().filter(stands).map(|demand| demand.machine).collect();
        if conflicts.is_empty() {
            conflicts.extend(self.broken_promise(flight));
        }
        conflicts
    }

    /// The first machine on which a decision would break what a tenant was promised: another
    /// request of it, or another tenant's, came first.
    fn broken_promise(&mut self, flight: &InFlight) -> Option<MachineId> {
        self.ask(flight.job);
        let mut reserved = Vec::new();
        let broken = flight.assignments.iter().find_map(|it| {
            self.ask_for(it.vm);
            let scene = self.asking.scene(self.store.occupancy(), &it.shape);
            let kept = self.policy.may_commit(&self.asking.request(it.shape), scene, it.machine);
            // The next VM of the request finds what this one takes.
            let cuts = self.cuts(it.machine);
            self.store.shift_unpublished(&cuts, true);
            reserved.extend(cuts);
            self.asking.assign(it.machine, &it.shape);
            (!kept).then_some(it.machine)
        });
        self.store.shift_unpublished(&reserved, false);
        broken
    }

    /// What is predicted of a VM now.
    pub(crate) fn outlook(&self, vm: VmId) -> Outlook {
        let lives = self.lives.as_ref();
        lives.map_or(Outlook::NONE, |lives| lives.outlook(vm, self.now))
    }

    /// How long a VM on a machine is predicted to live on, in seconds, whether any rule asks or
    /// not; none where nothing is predicted.
    pub(crate) fn predicted_s(&self, vm: VmId) -> Option<u32> {
        let by_rules =
            self.lives.as_ref().filter(|_| self.shows_lives()).map(|lives| lives.outlook(vm, self.now).remaining_s);
        let foresight = || self.plan.foresight().map(|it| it.remaining_s(&self.plan.workload, vm, self.now));
        by_rules.or_else(foresight)
    }

    /// Whether agents are shown what is predicted by now.
    fn shows_lives(&self) -> bool {
        self.now >= self.lives_from
    }

    /// A machine's state with what is predicted of it now, where agents are shown that; what has to
    /// be thought over later is scheduled.
    pub(crate) fn rated(&mut self, machine: MachineId, record: MachineRecord) -> MachineRecord {
        let Some(lives) = &mut self.lives else { return record };
        let (life, due) = lives.rate(machine, self.now);
        if let Some(due) = due {
            self.queue.schedule_life(due, machine);
        }
        if self.shows_lives() { MachineRecord { life, ..record } } else { record }
    }

    /// Gives a machine its new state, who stands on it noted already.
    pub(crate) fn publish(&mut self, machine: MachineId, record: MachineRecord) {
        let record = self.rated(machine, record);
        self.store.set(self.now, machine, record);
    }

    /// What is predicted of a machine may be out of date.
    fn think_over(&mut self, machine: MachineId) {
        let Some(lives) = &mut self.lives else { return };
        match lives.told(machine, self.now) {
            Told::Nothing => {}
            Told::Later(at) => self.queue.schedule_life(at, machine),
            Told::Due => {
                lives.wait(machine, self.now);
                let before = self.store.occupancy().record(machine);
                let after = self.rated(machine, before);
                if after != before {
                    self.store.set(self.now, machine, after);
                }
            }
        }
    }

    /// Notes where a VM stands from now on, and that the machine is like this then.
    pub(crate) fn settle(&mut self, vm: VmId, machine: MachineId, after: &MachineRecord) {
        self.note_deployed(vm, machine);
        if let Some(lives) = &mut self.lives {
            lives.join(vm, machine, self.now, after.used_share(self.plan.fleet.capacity(machine)));
        }
        if let Some(book) = &mut self.power {
            book.join((vm, self.plan.luck(vm)), machine, &self.plan.workload, self.now);
        }
        let workload = &self.plan.workload;
        let shape = workload.shape_of_vm(vm);
        self.placed_on[vm.index()] = machine.0;
        self.placed_at[vm.index()] = self.now;
        self.evictable.add(machine, vm, shape);
        self.disrupted.residents.add(machine, vm);
        if self.links.is_some() {
            self.join(vm, machine);
        } else if !shape.terms.is_none() {
            self.tenants.entry(workload.tenant(workload.request_of(vm))).or_default().add(machine);
        }
    }

    /// Notes that a VM stands nowhere any more; where it stood.
    pub(crate) fn unsettle(&mut self, vm: VmId, shape: ShapeId) -> Option<MachineId> {
        let machine = Some(self.placed_on[vm.index()]).filter(|machine| *machine != NOWHERE).map(MachineId)?;
        self.note_undeployed(vm, machine);
        if let Some(lives) = &mut self.lives {
            lives.leave(vm, machine, self.now);
        }
        if let Some(book) = &mut self.power {
            book.leave(vm, machine, &self.plan.workload, self.now);
        }
        let workload = &self.plan.workload;
        let shape = workload.shape(shape);
        self.evictable.remove(machine, vm, shape);
        self.disrupted.residents.remove(machine, vm);
        self.disrupted.copies.note_left(vm, machine);
        if self.links.is_some() {
            self.part(vm, machine);
        } else if !shape.terms.is_none() {
            let tenant = workload.tenant(workload.request_of(vm));
            let footprint = self.tenants.get_mut(&tenant).expect("its tenant has VMs");
            footprint.remove(machine);
            if footprint.is_empty() {
                self.tenants.remove(&tenant);
            }
        }
        Some(machine)
    }

    /// A VM of low priority makes room for another one.
    fn put_out(&mut self, vm: VmId) {
        self.take_off(vm, Reason::Evicted);
        self.disrupted.fates.insert(vm, Fate::Evicted { at: self.now });
        self.counters.evictions += 1;
    }

    fn take(&mut self, agent: u32, flight: &InFlight, demands: &mut Demands) {
        if let Job::Place(request) = flight.job {
            self.note_answer(request, true);
        }
        for (_, victim) in demands.victims.drain(..) {
            self.put_out(victim);
        }
        for assignment in &flight.assignments {
            let after = demands.after(assignment.machine);
            self.settle(assignment.vm, assignment.machine, &after);
        }
        for demand in &demands.machines {
            self.publish(demand.machine, demand.after.expect("checked to fit"));
            self.agents[agent as usize].told(&self.store, demand.machine);
        }
        if !self.plan.agents.fine_grained {
            self.agents[agent as usize].count_in(&self.store, flight);
        }
        self.agents[agent as usize].told_cuts(&self.store, &flight.links);
        self.agents[agent as usize].release(flight);
        self.answered(flight.job);
        match flight.job {
            Job::Place(_) => self.counters.placements += flight.assignments.len() as u64,
            Job::Reallocate(vm) => self.note_reallocated(vm),
        }
        self.committed(false);
        self.record_flight(agent, flight, Outcome::Placed);
        for assignment in &flight.assignments {
            if self.plan.workload.end(assignment.vm) <= self.now {
                self.counters.ended_before_placed += u64::from(matches!(flight.job, Job::Place(_)));
                self.depart(assignment.vm, self.plan.workload.shape_of(assignment.vm));
            }
        }
    }

    /// Rolls a failed commit back, tells the agent what it did not know, and queues the
    /// request again while it has retries left.
    fn refuse_commit(&mut self, agent: u32, flight: &mut InFlight, conflicts: &[MachineId]) {
        self.counters.conflicts += 1;
        self.refused = match flight.job {
            Job::Place(request) => self.plan.workload.vms_of(request).next().map(VmId),
            Job::Reallocate(vm) => Some(vm),
        };
        self.frames.iter_mut().for_each(|frames| frames.commit_failed(conflicts));
        self.committed(true);
        let one = &mut self.agents[agent as usize];
        one.conflicts += 1;
        one.release(flight);
        for machine in conflicts {
            one.told(&self.store, *machine);
        }
        one.told_cuts(&self.store, &flight.links);
        if flight.attempt < self.plan.agents.retries {
            self.counters.retries += 1;
            self.enqueue(flight.job, flight.attempt + 1);
            self.record_flight(agent, flight, Outcome::Conflict);
        } else {
            self.reject(agent, flight, Outcome::OutOfRetries);
        }
    }

    /// A commit landed or failed.
    fn committed(&mut self, conflict: bool) {
        self.minutes.commit(self.now, conflict);
        self.seconds.commit(self.now, conflict);
        self.window.note(conflict);
    }

    fn reject(&mut self, agent: u32, flight: &InFlight, outcome: Outcome) {
        self.answered(flight.job);
        let rejection = flight.refused.map_or(Rejection::OutOfRetries, |(vm, _)| Rejection::Refused(vm));
        match flight.job {
            Job::Place(request) => {
                let vms = self.plan.workload.vms_of(request).len() as u64;
                self.counters.rejections += vms;
                let cause = match (rejection, flight.had_room) {
                    (Rejection::OutOfRetries, _) => &mut self.counters.rejected_out_of_retries,
                    (Rejection::Refused(_), true) => &mut self.counters.rejected_by_terms,
                    (Rejection::Refused(_), false) => &mut self.counters.rejected_by_room,
                };
                *cause += vms;
                self.note_answer(request, false);
                if let (Some(book), Rejection::Refused(vm)) = (&self.links, rejection) {
                    self.counters.count_refusals(book.blocked(vm), vms);
                }
                self.rejections.insert(request, rejection);
            }
            Job::Reallocate(vm) => self.note_lost(vm, rejection),
        }
        match flight.refused {
            Some((refused, cache)) => {
                for vm in flight.job.vms(&self.plan.workload).map(VmId) {
                    let cache = (vm == refused).then_some(cache);
                    self.record(decision(self.now, agent, flight, (vm, None, 0, cache), outcome));
                }
            }
            None => self.record_flight(agent, flight, outcome),
        }
    }

    fn record_flight(&mut self, agent: u32, flight: &InFlight, outcome: Outcome) {
        for it in &flight.assignments {
            let about = (it.vm, Some(it.machine), it.best_set, Some(it.cache));
            self.record(decision(self.now, agent, flight, about, outcome));
        }
    }

    fn record(&mut self, decision: Decision) {
        self.digest.add(&decision);
        if decision.outcome != Outcome::Conflict && decision.cause == Cause::Request {
            self.decided += 1;
            self.last = Some(decision.vm);
        }
        if let Some(decisions) = &mut self.decisions {
            decisions.push(decision);
        }
    }

    fn depart(&mut self, vm: VmId, shape: ShapeId) {
        let Some(machine) = self.unsettle(vm, shape) else { return self.stop_waiting(vm) };
        let after = self.store.occupancy().record(machine).without(self.plan.workload.shape(shape));
        self.publish(machine, after);
    }

    fn tick(&mut self) {
        let (before, counted, repredicted) = self.at_last_tick;
        let repredictions = self.life_counts().repredictions;
        self.fills.look(self.now, &self.plan, self.store.occupancy());
        let expected_peak = self.expected_peak();
        let power = self.power.as_mut().map(|book| book.sample(self.now));
        let sample = Sample {
            zone: self.store.occupancy().zone(),
            machines: self.plan.fleet.machine_count(),
            capacity: &self.capacity,
            counted: &self.counters.since(&counted),
            minutes: self.now.since(before).0 as f64 / Millis::MINUTE.0 as f64,
            waiting: self.waiting.len() as u32,
            migrating: self.disrupted.copies.count(),
            answers: self.took.close(),
            lag: self.lag(),
            empty_bound: empty_bound(self.store.occupancy()),
            repredictions: repredictions - repredicted,
            phases: self.lives.as_ref().filter(|_| self.shows_lives()).map(Lives::phases),
            stranded_pct: self.fills.last,
            links: self.links.as_ref().and_then(|book| book.sample(self.store.occupancy())),
            expected_peak,
            power,
        };
        self.series.push(self.now, &sample);
        self.at_last_tick = (self.now, self.counters, repredictions);
        if let Some(frames) = &mut self.frames {
            frames.tick(self.now, self.store.occupancy(), self.power.iter().flat_map(PowerBook::bytes));
        }
    }

    /// Changes an agent has not read, on average.
    fn lag(&self) -> f64 {
        let end = self.store.machines.end();
        let behind: u64 = self.agents.iter().map(|agent| end - agent.position).sum();
        behind as f64 / self.agents.len() as f64
    }

    /// Drops log entries that all agents have read, when the log has grown long; idle agents
    /// read what is visible first. What is not visible yet stays.
    fn trim_log(&mut self) {
        const ROOMY: usize = 4_096;
        let longest = self.store.machines.backlog().max(self.store.cuts.backlog());
        if longest > ROOMY.max(4 * self.plan.fleet.machine_count() as usize) {
            for agent in &mut self.agents {
                if agent.is_idle() {
                    agent.catch_up(&self.store, self.now);
                }
            }
            let read = self.agents.iter().map(|agent| (agent.position, agent.cut_position));
            let (machines, cuts) = read.reduce(|one, other| (one.0.min(other.0), one.1.min(other.1))).unwrap_or((0, 0));
            self.store.machines.forget_before(machines);
            self.store.cuts.forget_before(cuts);
        }
    }

    fn finish(&mut self) {
        let machines = self.plan.fleet.machine_count();
        self.weighted.hold_until(self.plan.workload.horizon(), self.store.occupancy().zone(), machines);
        self.now = self.now.max(self.plan.workload.horizon());
        if let Some(book) = &mut self.power {
            book.follow_all(self.plan.workload.horizon());
        }
        self.done = true;
    }
}

type About = (VmId, Option<MachineId>, u32, Option<CacheUse>);

fn decision(time: Time, agent: u32, flight: &InFlight, about: About, outcome: Outcome) -> Decision {
    let (vm, machine, best_set, cache) = about;
    let (request, cause, attempt) = (flight.request, flight.job.cause(), flight.attempt);
    Decision { time, request, vm, cause, outcome, machine, best_set, cache, agent: Some(agent), attempt }
}

/// How long requests took.
#[derive(Default)]
struct Took {
    /// Since the last sample, in the order they came.
    latency: Vec<u64>,
    queued: Vec<u64>,
    /// Before that.
    all_latency: Histogram,
    all_queued: Histogram,
}

impl Took {
    /// What took how long since the last sample, which is forgotten then.
    fn close(&mut self) -> Answers {
        let latency = Histogram::of(&mut self.latency);
        let queued = Histogram::of(&mut self.queued);
        self.all_latency.merge(&latency);
        self.all_queued.merge(&queued);
        answers(&latency, &queued)
    }

    /// What took how long from the beginning on.
    fn answers_so_far(&self) -> Answers {
        let (mut latency, mut queued) = (self.all_latency.clone(), self.all_queued.clone());
        latency.merge(&Histogram::of(&mut self.latency.clone()));
        queued.merge(&Histogram::of(&mut self.queued.clone()));
        answers(&latency, &queued)
    }
}

fn answers(latency: &Histogram, queued: &Histogram) -> Answers {
    Answers { p50_ms: latency.percentile(50), p99_ms: latency.percentile(99), queued_ms: queued.mean() }
}

/// A number from 0 up to 1 made of a draw.
fn unit(draw: u64) -> f64 {
    (draw >> 11) as i64 as f64 / (1_u64 << 53) as f64
}

/// Room for work that is thrown away, kept so that a decision asks for no memory.
#[derive(Default)]
pub(crate) struct Spare {
    order: Vec<VmId>,
    demands: Demands,
    flights: Vec<InFlight>,
    pub(crate) needs: Needs,
    pub(crate) cuts: Vec<(u32, u64)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidents::trial::Trial;

    /// On one large machine 5,000 VMs come, 4,500 leave at one moment and the rest at another, while no agent has anything
    /// to decide.
    #[test]
    fn what_all_agents_have_read_is_dropped_from_a_long_log() {
        let mut trial = Trial::new(1, 1).rule("AreNodeResourcesValid", &[0.0]).rule("IsClusterBelowLimit", &[100.0]);
        trial.clusters[0].capacity = Resources::new(5_000_000, 5_000 * 1_024, 0, 0);
        trial.agents.count = 2;
        let trial = trial.vms(4_500, 1, (10, 1_000)).vms(500, 1, (10, 1_100));
        let mut world = World::new(trial.plan(true, &[]));
        world.run();
        assert_eq!(world.summary().placements, 5_000);
        let (log, read) = (&world.store.machines, world.agents.iter().map(|agent| agent.position));
        assert!(log.end() >= 10_000, "{} changes", log.end());
        assert!(log.backlog() <= 500, "{} entries are left", log.backlog());
        assert!(read.min() >= Some(9_500), "idle agents read what is visible");
        assert_eq!(world.store.cuts.backlog(), 0);
    }
}
