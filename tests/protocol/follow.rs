//! One run of the simulator, event by event, beside the protocol without time ([`model`](super::model)): after every
//! event the store, the agents' views and their decisions in flight are what the protocol says.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use tiebreak_model::random::Seed;
use tiebreak_model::{ClusterSpec, MachineId, Occupancy, Resources, Time, VmRow, VmShape, WorkloadBuilder};
use tiebreak_placement::{Lifetimes, RuleUse};
use tiebreak_sim::world::AgentState;
use tiebreak_sim::{
    AdmissionSettings, AffinitySettings, Agents, Decision, Measures, Outcome, Plan, PowerSettings, Vdcs, World,
};
use tiebreak_testkit::{Case, Ledger, laws};

use super::model::{
    AGENTS, Answer, Ask, CORES, Coverage, Job, MACHINES, Machine, Machines, Protocol, Rules, Started, Step, Terms,
    Trace,
};

/// Long after everything else, so that every publication is visible: two requests at once that no machine can hold.
/// Each agent takes one, reads the log to its end, and chooses nothing.
const LAST_LOOKS: [Ask; AGENTS] = [&[CORES + 1]; AGENTS];
const LAST_LOOK: i64 = 2_500;
const HORIZON: i64 = 2_900;
/// Runs as short as these are sampled every second.
const TICK: usize = 1_000;

/// A few requests, and the agents that decide them.
#[derive(Clone, Debug)]
pub(crate) struct Small {
    pub(crate) asks: Vec<Ask>,
    /// When each request arrives, in milliseconds from 1 on, in order.
    pub(crate) arrivals: Vec<i64>,
    /// The lifetimes of the VMs of each request, in milliseconds; `None` stays.
    pub(crate) lives: Vec<Option<i64>>,
    pub(crate) rules: Rules,
    pub(crate) agents: Agents,
    pub(crate) seed: u64,
}

/// The observable state of a world after an event.
#[derive(Debug, PartialEq)]
struct Look {
    at: i64,
    /// Answers recorded so far, one per VM.
    decisions: usize,
    store: Machines,
    views: [Machines; AGENTS],
    agents: [(usize, bool); AGENTS],
}

/// The events, in their order at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    Step(Step),
    Sample,
}

/// Runs a case and follows it; returns its trace and coverage.
///
/// # Errors
/// The first event after which the world differs from the protocol, or the law that the record breaks.
pub(crate) fn follow(small: &Small) -> Result<(Trace, Coverage), String> {
    let case = small.case();
    let mut world = World::new(small.plan(&case));
    world.keep_decisions();
    world.warm_up();
    let mut looks = Vec::new();
    while !world.advance(1).done {
        let agents = world.agents();
        laws::one_thing_at_a_time(&case.agents, &agents)?;
        looks.push(look(&world, &agents));
    }
    let followed = compare(small, &looks, &Answers::of(world.decisions()))?;
    views_converge(&world)?;
    laws::book_keeping(&Ledger::of(&world, &case))?;
    Ok(followed)
}

/// Once everything has happened and is visible, every agent's view equals the store.
fn views_converge(world: &World) -> Result<(), String> {
    for agent in 0..AGENTS as u32 {
        let view = world.view(agent).ok_or("an agent has no view")?;
        for machine in (0..MACHINES as u32).map(MachineId) {
            let (seen, real) = (view.record(machine), world.occupancy().record(machine));
            if seen != real {
                return Err(format!("agent {agent} ends with {seen:?} for machine {machine}, the store with {real:?}"));
            }
        }
    }
    Ok(())
}

fn look(world: &World, agents: &[AgentState]) -> Look {
    let view = |agent: usize| world.view(agent as u32).map(machines).expect("agents have begun");
    let progress = world.progress();
    Look {
        at: progress.time.0,
        decisions: world.decisions().len(),
        store: machines(world.occupancy()),
        views: std::array::from_fn(view),
        agents: std::array::from_fn(|agent| (agents[agent].in_flight as usize, agents[agent].is_idle)),
    }
}

fn machines(occupancy: &Occupancy) -> Machines {
    std::array::from_fn(|machine| {
        let record = occupancy.record(MachineId(machine as u32));
        Machine { free: record.free.cores_milli() / 1_000, vms: record.vms }
    })
}

fn cores(count: u32) -> Resources {
    Resources::new(1_000 * count, 1_024 * count, 0, 0)
}

impl Small {
    fn all_asks(&self) -> Vec<Ask> {
        self.asks.iter().chain(&LAST_LOOKS).copied().collect()
    }

    fn at(&self, request: usize) -> i64 {
        self.arrivals.get(request).copied().unwrap_or(LAST_LOOK)
    }

    fn end(&self, request: usize) -> Option<i64> {
        self.lives.get(request).copied().flatten().map(|life| self.at(request) + life)
    }

    pub(crate) fn terms(&self) -> Terms {
        let Agents { retries, fine_grained, pipelined, commit_ms, .. } = self.agents;
        let pipelined = pipelined && commit_ms > 0;
        Terms { asks: self.all_asks(), rules: self.rules, retries, fine_grained, pipelined }
    }

    /// The same as a case of the laws.
    fn case(&self) -> Case {
        let mut rows = WorkloadBuilder::new();
        for (request, ask) in self.all_asks().into_iter().enumerate() {
            let (start, end) = (Time(self.at(request)), self.end(request).map_or(Time::NEVER, Time));
            for size in ask {
                let tenant = request as u64;
                rows.push(VmRow { name: tenant, tenant, shape: VmShape::plain(cores(*size)), start, end });
            }
        }
        let zone = ClusterSpec {
            name: "c".into(),
            machines: MACHINES as u32,
            racks: 1,
            capacity: cores(CORES),
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        let rules = match self.rules {
            Rules::FirstFit => vec![RuleUse::plain("FirstFit", None)],
            Rules::BestFit => vec![RuleUse::plain("BestFit", None)],
            Rules::Any => Vec::new(),
        };
        Case {
            number: self.seed,
            clusters: vec![zone],
            rules,
            best_clusters: 1,
            changes: Vec::new(),
            workload: Arc::new(rows.finish(Time(HORIZON)).expect("rows were added")),
            agents: self.agents,
            incidents: Vec::new(),
            lifetimes: Lifetimes::default(),
            affinity: AffinitySettings::default(),
            measures: Measures::default(),
            vdcs: Vdcs::default(),
            uplinks: Vec::new(),
            admission: AdmissionSettings::default(),
            power: PowerSettings::default(),
        }
    }

    fn plan(&self, case: &Case) -> Plan {
        let plan = Plan::new(&case.clusters, &case.rules, 1, case.workload.clone(), self.agents, Seed(self.seed));
        plan.expect("a small case is a plan").without_samples()
    }
}

/// The protocol in the time of one case.
pub(crate) struct Timed<'a> {
    agents: &'a Agents,
    seed: u64,
    terms: &'a Terms,
    pub(crate) protocol: Protocol<'a>,
    due: BinaryHeap<Reverse<(i64, Event)>>,
    /// When each change of the store happened.
    changed_at: Vec<i64>,
}

impl<'a> Timed<'a> {
    /// No event is scheduled yet.
    pub(crate) fn new(small: &'a Small, terms: &'a Terms) -> Self {
        let (agents, seed, protocol) = (&small.agents, small.seed, Protocol::new(terms));
        Self { agents, seed, terms, protocol, due: BinaryHeap::new(), changed_at: Vec::new() }
    }

    /// All events known from the start are scheduled.
    fn of(small: &'a Small, terms: &'a Terms) -> Self {
        let mut timed = Self::new(small, terms);
        for request in 0..terms.asks.len() {
            timed.schedule(small.at(request), Step::Arrival(request));
            for (vm, _) in terms.vms_of(request) {
                small.end(request).into_iter().for_each(|end| timed.schedule(end, Step::Exit(vm)));
            }
        }
        timed.due.extend((0..=HORIZON).step_by(TICK).map(|at| Reverse((at, Event::Sample))));
        timed
    }

    pub(crate) fn schedule(&mut self, at: i64, step: Step) {
        self.due.push(Reverse((at, Event::Step(step))));
    }

    /// Executes the next event; returns it, and the store's answer to a commit.
    pub(crate) fn advance(
        &mut self,
        choose: impl FnMut(Job, usize, &[usize]) -> usize,
    ) -> Option<(i64, Event, Option<Answer>)> {
        let Reverse((now, event)) = self.due.pop()?;
        let Event::Step(step) = event else { return Some((now, event, None)) };
        let answer = self.protocol.take(step);
        self.changed_at.resize(self.protocol.changes(), now);
        let Agents { publish_ms, commit_ms, .. } = *self.agents;
        let visible = self.changed_at.partition_point(|at| at + publish_ms as i64 <= now);
        if let Some(Started { agent, job, looked_at }) = self.protocol.start(visible, choose) {
            let vms = self.terms.vms_of(job.request).take(looked_at);
            let took: u64 = vms.map(|(vm, _)| self.took_ms(vm, job.attempt)).sum();
            let decided = now + took as i64;
            self.schedule(decided + commit_ms as i64, Step::Commit(agent));
            if self.terms.pipelined {
                self.schedule(decided, Step::Free(agent));
            }
        }
        Some((now, event, answer))
    }

    /// The time of the next event.
    pub(crate) fn next_at(&self) -> Option<i64> {
        self.due.peek().map(|Reverse((at, _))| *at)
    }

    /// How long deciding one VM takes; half of the draws count as cache hits.
    fn took_ms(&self, vm: usize, attempt: u32) -> u64 {
        let is_quick = Seed(self.seed).stream("cache hits").draw(vm as u64, attempt.into()) >> 63 == 0;
        if is_quick { self.agents.hit_ms } else { self.agents.miss_ms }
    }
}

/// The answers of a run, those to one decision together.
struct Answers<'a>(Vec<&'a [Decision]>);

impl<'a> Answers<'a> {
    fn of(decisions: &'a [Decision]) -> Self {
        let job = |it: &Decision| (it.request, it.attempt);
        Self(decisions.chunk_by(|left, right| job(left) == job(right)).collect())
    }

    /// The recorded placement of a VM; what was chosen before a VM of its request was refused is not recorded.
    fn choice(&self, job: Job, vm: usize) -> Option<&Decision> {
        let is_of = |it: &Decision| (it.request.index(), it.attempt) == (job.request, job.attempt);
        let group = self.0.iter().find(|group| is_of(&group[0]))?;
        group.iter().find(|it| it.vm.index() == vm && it.machine.is_some())
    }

    /// The answer at this index of the record must be this one.
    fn check(&self, place: usize, now: i64, step: Step, answer: Answer) -> Result<(), String> {
        let outcome = match answer {
            Answer::Placed => Outcome::Placed,
            Answer::Refused => Outcome::Refused,
            Answer::Conflict => Outcome::Conflict,
            Answer::OutOfRetries => Outcome::OutOfRetries,
        };
        let one = self.0.get(place).map(|group| group[0]);
        let recorded = one.map(|one| (one.time.0, one.agent.map(|agent| Step::Commit(agent as usize)), one.outcome));
        if recorded == Some((now, Some(step), outcome)) {
            return Ok(());
        }
        Err(format!("the record says {one:?}, the protocol {answer:?}"))
    }
}

/// Steps the protocol beside a run; returns what happened before the last looks.
fn compare(small: &Small, looks: &[Look], answers: &Answers<'_>) -> Result<(Trace, Coverage), String> {
    let terms = small.terms();
    let mut timed = Timed::of(small, &terms);
    let mut answered = 0;
    let mut before_last_looks = None;
    for look in looks {
        if timed.next_at() == Some(LAST_LOOK) {
            before_last_looks.get_or_insert_with(|| (timed.protocol.trace.clone(), timed.protocol.seen));
        }
        let mut wrong = None;
        let happened = timed.advance(|job, vm, best| {
            let Some(choice) = answers.choice(job, vm) else { return best[0] };
            let machine = choice.machine.map_or(best[0], MachineId::index);
            if !best.contains(&machine) || choice.best_set as usize != best.len() {
                wrong = Some(format!("the best machines are {best:?}: {choice:?}"));
            }
            machine
        });
        let (now, event, answer) = happened.ok_or_else(|| format!("nothing was to happen any more: {look:?}"))?;
        if let (Event::Step(step), Some(answer)) = (event, answer) {
            answers.check(answered, now, step, answer)?;
            answered += 1;
        }
        let protocol = &timed.protocol;
        let expected = Look {
            at: now,
            decisions: answers.0[..answered].iter().map(|group| group.len()).sum(),
            store: protocol.store(),
            views: std::array::from_fn(|agent| protocol.view(agent)),
            agents: std::array::from_fn(|agent| (protocol.in_flight(agent), protocol.is_idle(agent))),
        };
        if *look != expected {
            wrong = Some(format!("the world is\n{look:?}, the protocol\n{expected:?}"));
        }
        if let Some(wrong) = wrong {
            return Err(format!("{event:?} at {now} ms: {wrong}"));
        }
    }
    match timed.advance(|_, _, best| best[0]) {
        Some(left) => Err(format!("{left:?} never happened")),
        None => before_last_looks.ok_or_else(|| "nobody looked at the end".into()),
    }
}
