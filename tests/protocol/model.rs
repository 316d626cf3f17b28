//! The commit protocol without time, implemented a second time and as simply as possible: requests join a queue, idle
//! agents decide on what they know, the store accepts or rejects a decision, and VMs end. The caller chooses the next
//! step, and how much of the store's log is visible by then: a run of the simulator ([`follow`](super::follow)), or
//! [`interleavings`], which tries everything. Source: Protean sections 4 and 5.3.

use std::collections::{BTreeSet, VecDeque};

pub(crate) const AGENTS: usize = 2;
pub(crate) const MACHINES: usize = 3;
/// Cores of a machine: room for one VM of four cores or for two of two.
pub(crate) const CORES: u32 = 4;

/// The VMs on a machine, in the store or in an agent's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    pub(crate) free: u32,
    pub(crate) vms: u32,
}

pub(crate) type Machines = [Machine; MACHINES];

impl Machine {
    const EMPTY: Self = Self { free: CORES, vms: 0 };

    fn with(self, cores: u32) -> Option<Self> {
        Some(Self { free: self.free.checked_sub(cores)?, vms: self.vms + 1 })
    }

    fn without(self, cores: u32) -> Self {
        Self { free: self.free + cores, vms: self.vms - 1 }
    }
}

/// Cores of each VM of a request, the largest first, in the order in which agents decide them.
pub(crate) type Ask = &'static [u32];

/// Which of the machines with room are best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    /// The first: agents with the same view want the same machine.
    FirstFit,
    /// The fullest: the same, once any VM is placed.
    BestFit,
    /// All of them: the choice is random.
    Any,
}

impl Rules {
    fn best(self, view: &Machines, cores: u32) -> Vec<usize> {
        let valid = (0..MACHINES).filter(|machine| view[*machine].free >= cores);
        match self {
            Self::FirstFit => valid.take(1).collect(),
            Self::BestFit => {
                let least = valid.clone().map(|machine| view[machine].free).min();
                valid.filter(|machine| Some(view[*machine].free) == least).collect()
            }
            Self::Any => valid.collect(),
        }
    }
}

/// The settings of the protocol.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) asks: Vec<Ask>,
    pub(crate) rules: Rules,
    pub(crate) retries: u32,
    pub(crate) fine_grained: bool,
    /// Whether agents continue deciding while a commit is under way.
    pub(crate) pipelined: bool,
}

impl Terms {
    /// The VMs of a request: they are numbered request by request.
    pub(crate) fn vms_of(&self, request: usize) -> impl Iterator<Item = (usize, u32)> {
        let first: usize = self.asks[..request].iter().map(|ask| ask.len()).sum();
        (first..).zip(self.asks[request].iter().copied())
    }

    pub(crate) fn request_of(&self, vm: usize) -> usize {
        let of = |request: &usize| self.vms_of(*request).any(|(it, _)| it == vm);
        (0..self.asks.len()).find(of).expect("a VM of some request")
    }

    fn cores(&self, vm: usize) -> u32 {
        self.asks.iter().copied().flatten().copied().nth(vm).expect("a VM of some request")
    }
}

/// A request, and its number of earlier attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) request: usize,
    pub(crate) attempt: u32,
}

#[derive(Clone, Copy, Debug)]
struct Pick {
    vm: usize,
    cores: u32,
    machine: usize,
    /// How much of the machine's log the agent knew.
    seen: usize,
}

#[derive(Clone, Debug)]
struct Flight {
    job: Job,
    /// `None` if no machine was found for one of its VMs.
    picks: Option<Vec<Pick>>,
}

#[derive(Clone, Debug, Default)]
struct Agent {
    /// How much of each machine's log it knows.
    known: [usize; MACHINES],
    /// Decisions on their way to the store, the oldest first.
    flights: VecDeque<Flight>,
}

/// A change of the store.
#[derive(Clone, Copy, Debug)]
struct Change {
    machine: usize,
    after: Machine,
    /// The agent whose commit it was; `None` for an exit.
    by: Option<usize>,
    /// Changes of one step become visible together.
    step: usize,
}

/// The result of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Answer {
    Placed,
    Refused,
    Conflict,
    OutOfRetries,
}

/// A decision that has started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Started {
    pub(crate) agent: usize,
    pub(crate) job: Job,
    /// The number of VMs that the agent evaluated.
    pub(crate) looked_at: usize,
}

/// One event, without its consequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// A VM's lifetime ends.
    Exit(usize),
    /// The oldest decision of an agent reaches the store.
    Commit(usize),
    /// An agent has decided; its commit is still under way.
    Free(usize),
    /// A request arrives.
    Arrival(usize),
}

/// The events, recorded such that two interleavings are the same exactly if their traces are.
pub(crate) type Trace = Vec<Token>;

/// One entry of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Token {
    Step(Step),
    /// An agent starts to decide; each change of the store that it does not know is one bit.
    Start {
        agent: usize,
        unseen: u32,
    },
    Answer(Answer),
}

/// The current state.
#[derive(Clone, Debug)]
pub(crate) struct Protocol<'a> {
    terms: &'a Terms,
    log: Vec<Change>,
    steps: usize,
    /// How much of the log was visible when an agent last looked.
    visible: usize,
    queue: VecDeque<Job>,
    idle: VecDeque<usize>,
    /// Agents with decisions on their way, the oldest first; used if commits are pipelined.
    decided: VecDeque<usize>,
    agents: [Agent; AGENTS],
    /// The machine of each VM, and the VMs that have ended.
    stands: Vec<Option<usize>>,
    over: Vec<bool>,
    arrived: usize,
    pub(crate) trace: Trace,
    pub(crate) seen: Coverage,
}

/// Counts of what occurred, so that no law is vacuous.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Coverage {
    pub(crate) answers: [usize; 4],
    /// Decisions on a view that lacks changes of the store.
    pub(crate) stale: usize,
    /// Decisions accepted although their machine had changed.
    pub(crate) merged: usize,
    /// Decisions rejected although there was room.
    pub(crate) outdated: usize,
    /// Decisions started while another one of the agent was on its way.
    pub(crate) pipelined: usize,
    /// Requests placed at a later attempt.
    pub(crate) placed_again: usize,
    /// VMs that ended before they were placed.
    pub(crate) over_before: usize,
}

impl Coverage {
    pub(crate) fn add(&mut self, other: &Self) {
        self.answers.iter_mut().zip(other.answers).for_each(|(all, one)| *all += one);
        self.stale += other.stale;
        self.merged += other.merged;
        self.outdated += other.outdated;
        self.pipelined += other.pipelined;
        self.placed_again += other.placed_again;
        self.over_before += other.over_before;
    }

    /// # Panics
    /// If something never occurred.
    pub(crate) fn assert_all(&self) {
        let Self { answers, stale, merged, outdated, pipelined, placed_again, over_before } = *self;
        let others = [stale, merged, outdated, pipelined, placed_again, over_before];
        assert!(answers.iter().chain(&others).all(|times| *times > 100), "{self:?}");
    }
}

impl<'a> Protocol<'a> {
    pub(crate) fn new(terms: &'a Terms) -> Self {
        let vms = terms.asks.iter().map(|ask| ask.len()).sum();
        Self {
            terms,
            log: Vec::new(),
            steps: 0,
            visible: 0,
            queue: VecDeque::new(),
            idle: (0..AGENTS).collect(),
            decided: VecDeque::new(),
            agents: Default::default(),
            stands: vec![None; vms],
            over: vec![false; vms],
            arrived: 0,
            trace: Vec::new(),
            seen: Coverage::default(),
        }
    }

    /// The number of changes of the store.
    pub(crate) fn changes(&self) -> usize {
        self.log.len()
    }

    /// A machine after this many changes of the store.
    fn after(&self, machine: usize, changes: usize) -> Machine {
        let last = self.log[..changes].iter().rfind(|change| change.machine == machine);
        last.map_or(Machine::EMPTY, |change| change.after)
    }

    /// The true placement.
    pub(crate) fn store(&self) -> Machines {
        std::array::from_fn(|machine| self.after(machine, self.log.len()))
    }

    /// The store as an agent knows it, plus its own unanswered choices that fit.
    pub(crate) fn view(&self, agent: usize) -> Machines {
        let Agent { known, flights, .. } = &self.agents[agent];
        let mut view: Machines = std::array::from_fn(|machine| self.after(machine, known[machine]));
        for pick in flights.iter().flat_map(|flight| flight.picks.iter().flatten()) {
            let on = &mut view[pick.machine];
            *on = on.with(pick.cores).unwrap_or(*on);
        }
        view
    }

    /// Decisions of an agent on their way to the store.
    pub(crate) fn in_flight(&self, agent: usize) -> usize {
        self.agents[agent].flights.len()
    }

    /// Whether an agent has nothing to decide.
    pub(crate) fn is_idle(&self, agent: usize) -> bool {
        self.idle.contains(&agent)
    }

    /// Executes one step; returns the store's answer to a commit.
    pub(crate) fn take(&mut self, step: Step) -> Option<Answer> {
        self.steps += 1;
        self.trace.push(Token::Step(step));
        match step {
            Step::Exit(vm) => self.exit(vm),
            Step::Commit(agent) => return Some(self.answer(agent)),
            Step::Free(agent) => {
                self.decided.push_back(agent);
                self.idle.push_back(agent);
            }
            Step::Arrival(request) => {
                self.arrived += 1;
                self.queue.push_back(Job { request, attempt: 0 });
            }
        }
        None
    }

    fn exit(&mut self, vm: usize) {
        self.over[vm] = true;
        if let Some(machine) = self.stands[vm].take() {
            let after = self.after(machine, self.log.len()).without(self.terms.cores(vm));
            self.change(machine, after, None);
        }
    }

    fn change(&mut self, machine: usize, after: Machine, by: Option<usize>) {
        self.log.push(Change { machine, after, by, step: self.steps });
        if let Some(agent) = by {
            self.agents[agent].known[machine] = self.log.len();
        }
    }

    /// The agent that has been idle for longest starts with the oldest job, if there are both; it reads the log as
    /// far as it is visible. `choose` picks one of the best machines for a VM.
    pub(crate) fn start(
        &mut self,
        visible: usize,
        mut choose: impl FnMut(Job, usize, &[usize]) -> usize,
    ) -> Option<Started> {
        let (agent, job) = (*self.idle.front()?, *self.queue.front()?);
        self.idle.pop_front();
        self.queue.pop_front();
        self.visible = visible;
        self.seen.pipelined += usize::from(!self.agents[agent].flights.is_empty());
        let known = &mut self.agents[agent].known;
        known.iter_mut().for_each(|known| *known = visible.max(*known));
        let known = *known;
        let mut view = self.view(agent);
        let mut picks = Vec::new();
        let mut looked_at = 0;
        for (vm, cores) in self.terms.vms_of(job.request) {
            looked_at += 1;
            let best = self.terms.rules.best(&view, cores);
            if best.is_empty() {
                break;
            }
            let machine = choose(job, vm, &best);
            view[machine] = view[machine].with(cores).expect("the best machines have room");
            picks.push(Pick { vm, cores, machine, seen: known[machine] });
        }
        let is_refused = picks.len() < self.terms.asks[job.request].len();
        self.agents[agent].flights.push_back(Flight { job, picks: (!is_refused).then_some(picks) });
        let unseen = self.unseen(agent);
        self.seen.stale += usize::from(unseen != 0);
        self.trace.push(Token::Start { agent, unseen });
        Some(Started { agent, job, looked_at })
    }

    /// The changes that an agent does not know, one bit each.
    fn unseen(&self, agent: usize) -> u32 {
        let known = &self.agents[agent].known;
        let unknown = |at: &usize| *at >= known[self.log[*at].machine];
        (0..self.log.len()).filter(unknown).map(|at| 1 << at).sum()
    }

    /// The store accepts an agent's oldest decision completely, or not at all.
    fn answer(&mut self, agent: usize) -> Answer {
        let flight = self.agents[agent].flights.pop_front().expect("a decision is on its way");
        let answer = match &flight.picks {
            None => Answer::Refused,
            Some(picks) if self.commits(agent, picks) => Answer::Placed,
            Some(_) if flight.job.attempt < self.terms.retries => Answer::Conflict,
            Some(_) => Answer::OutOfRetries,
        };
        if answer == Answer::Conflict {
            self.queue.push_back(Job { attempt: flight.job.attempt + 1, ..flight.job });
        }
        if self.terms.pipelined {
            let at = self.decided.iter().position(|it| *it == agent).expect("an agent decides before it commits");
            self.decided.remove(at);
        } else {
            self.idle.push_back(agent);
        }
        self.trace.push(Token::Answer(answer));
        self.seen.answers[answer as usize] += 1;
        self.seen.placed_again += usize::from(answer == Answer::Placed && flight.job.attempt > 0);
        answer
    }

    fn commits(&mut self, agent: usize, picks: &[Pick]) -> bool {
        let mut after: [Option<Machine>; MACHINES] = self.store().map(Some);
        for pick in picks {
            after[pick.machine] = after[pick.machine].and_then(|machine| machine.with(pick.cores));
        }
        // The agent knew its own changes since then.
        let changed =
            |pick: &&Pick| self.log[pick.seen..].iter().any(|it| it.machine == pick.machine && it.by != Some(agent));
        let is_changed: Vec<_> = picks.iter().filter(changed).map(|pick| pick.machine).collect();
        let stands_against =
            |machine: &usize| after[*machine].is_none() || !self.terms.fine_grained && is_changed.contains(machine);
        let mut machines: Vec<_> = picks.iter().map(|pick| pick.machine).collect();
        machines.dedup();
        let conflicts: Vec<_> = machines.iter().copied().filter(stands_against).collect();
        if conflicts.is_empty() {
            self.seen.merged += usize::from(!is_changed.is_empty());
            for machine in machines {
                self.change(machine, after[machine].expect("it fits"), Some(agent));
            }
            for pick in picks {
                self.stands[pick.vm] = Some(pick.machine);
            }
            for pick in picks.iter().filter(|pick| self.over[pick.vm]).copied().collect::<Vec<_>>() {
                self.seen.over_before += 1;
                self.exit(pick.vm);
            }
            return true;
        }
        self.seen.outdated += usize::from(after.iter().all(Option::is_some));
        for machine in conflicts {
            self.agents[agent].known[machine] = self.log.len();
        }
        false
    }
}

/// Everything that may happen from the first arrival on, with these VMs ending at any moment after their requests:
/// the traces of all interleavings. A change is visible at the moment at which it happens if publishing takes no
/// time, and otherwise not.
pub(crate) fn interleavings(terms: &Terms, leaving: &[usize]) -> BTreeSet<Trace> {
    let mut all = BTreeSet::new();
    for at_once in [true, false] {
        explore(Protocol::new(terms), leaving, at_once, &mut all);
    }
    all
}

fn explore(protocol: Protocol<'_>, leaving: &[usize], at_once: bool, all: &mut BTreeSet<Trace>) {
    let steps = protocol.possible(leaving);
    if steps.is_empty() {
        all.insert(protocol.trace);
        return;
    }
    for step in steps {
        let mut next = protocol.clone();
        next.take(step);
        next.each_start(at_once, |next| explore(next, leaving, at_once, all));
    }
}

impl Protocol<'_> {
    /// The possible next steps.
    fn possible(&self, leaving: &[usize]) -> Vec<Step> {
        let arrival = (self.arrived < self.terms.asks.len()).then_some(Step::Arrival(self.arrived));
        let decides = |agent: &usize| self.terms.pipelined && !self.is_idle(*agent);
        let free = (0..AGENTS).filter(decides).map(Step::Free);
        // A commit takes the same time for all decisions, so they reach the store in the order in which they were made.
        let may_commit = |agent: &usize| match self.terms.pipelined {
            true => self.decided.front() == Some(agent),
            false => !self.agents[*agent].flights.is_empty(),
        };
        let commits = (0..AGENTS).filter(may_commit).map(Step::Commit);
        let stays = |vm: &usize| !self.over[*vm] && self.terms.request_of(*vm) < self.arrived;
        let exits = leaving.iter().copied().filter(stays).map(Step::Exit);
        exits.chain(commits).chain(free).chain(arrival).collect()
    }

    /// Continues with all that an agent may know when it starts to decide, if one does.
    fn each_start(self, at_once: bool, mut go_on: impl FnMut(Self)) {
        let before = self.log.partition_point(|change| change.step < self.steps);
        let from = if at_once { self.log.len() } else { self.visible };
        let to = if at_once { self.log.len() } else { before };
        let ends_a_step = |visible: &usize| {
            *visible == to || self.log[..*visible].last().map(|it| it.step) != Some(self.log[*visible].step)
        };
        let mut traces = Vec::new();
        for visible in (from..=to).filter(ends_a_step) {
            let mut next = self.clone();
            let started = next.start(visible, |_, _, best| best[0]);
            if !traces.contains(&next.trace) {
                traces.push(next.trace.clone());
                go_on(next);
            }
            if started.is_none() {
                break;
            }
        }
    }
}
