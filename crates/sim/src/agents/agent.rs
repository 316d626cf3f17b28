//! An allocation agent: decides requests on its own view of the zone and commits
//! optimistically (Protean section 4, Algorithm 1).

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use tiebreak_model::journal::Revision;
use tiebreak_model::{MachineId, MachineRecord, PredictedLife, RequestId, Time, VmId, VmShape};
use tiebreak_placement::{Allocator, CacheUse, Lifetimes};

use super::by_machine::ByMachine;
use super::job::Job;
use super::store::{CutNews, MachineNews, Store};

/// A machine chosen for one VM of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assignment {
    pub(crate) vm: VmId,
    pub(crate) machine: MachineId,
    /// The store's revision of the machine that the agent's view reflected, including its own later commits.
    pub(crate) seen: Revision,
    pub(crate) shape: VmShape,
    pub(crate) life: PredictedLife,
    pub(crate) best_set: u32,
    pub(crate) cache: CacheUse,
}

/// A decision on its way to the store.
#[derive(Clone, Debug)]
pub(crate) struct InFlight {
    pub(crate) job: Job,
    /// The request its VMs belong to.
    pub(crate) request: RequestId,
    pub(crate) attempt: u32,
    /// The assignments made before a VM was refused, if one was.
    pub(crate) assignments: Vec<Assignment>,
    /// The bandwidth of these VMs' links, by index of the cut.
    pub(crate) links: Vec<(u32, u64)>,
    /// The VM that found no machine, and how the caches served it.
    pub(crate) refused: Option<(VmId, CacheUse)>,
    pub(crate) had_room: bool,
}

impl InFlight {
    /// Starts a job of a request, reusing the buffers of a finished decision.
    pub(crate) fn begin(over: Option<Self>, job: Job, request: RequestId, attempt: u32) -> Self {
        let (mut assignments, mut links) = over.map_or_else(Default::default, |over| (over.assignments, over.links));
        assignments.clear();
        links.clear();
        Self { job, request, attempt, assignments, links, refused: None, had_room: false }
    }
}

/// One agent.
pub(crate) struct Agent {
    pub(crate) allocator: Allocator,
    /// The store's revision of each machine that this agent's view reflects.
    seen: Vec<Revision>,
    /// Its positions in the store's log of machines and in that of the network.
    pub(crate) position: u64,
    pub(crate) cut_position: u64,
    /// Decisions sent to the store and not yet answered, oldest first. Only an agent that decides while a commit is
    /// under way has more than one.
    in_flight: VecDeque<InFlight>,
    /// The machines of its own unanswered assignments, each with the store's state without them.
    pending: ByMachine<MachineRecord>,
    /// The store's revision of each cut that this agent's view reflects, and the bandwidth of its own unanswered
    /// assignments on top.
    cuts_seen: Vec<u32>,
    cuts_pending_kbps: Vec<u64>,
    /// Since when it is idle; `None` if it is busy.
    pub(crate) idle_since: Option<Time>,
    /// VMs that it decided, and its failed commits.
    pub(crate) decided: u64,
    pub(crate) conflicts: u64,
    /// Its view of predicted lifetimes, if predictions are shown.
    pub(crate) lifetimes: Option<Lifetimes>,
}

impl Agent {
    pub(crate) fn new(allocator: Allocator, store: &Store, lifetimes: Option<Lifetimes>) -> Self {
        let machines = store.occupancy().fleet().machine_count();
        let seen = (0..machines).map(|id| store.revision_of(MachineId(id))).collect();
        Self {
            allocator,
            seen,
            position: store.machines.end(),
            cut_position: store.cuts.end(),
            in_flight: VecDeque::new(),
            pending: ByMachine::default(),
            cuts_seen: store.cut_revisions().to_vec(),
            cuts_pending_kbps: alloc::vec![0; store.cut_revisions().len()],
            idle_since: Some(Time::ZERO),
            decided: 0,
            conflicts: 0,
            lifetimes,
        }
    }

    /// Reads the logs up to what is visible now.
    pub(crate) fn catch_up(&mut self, store: &Store, now: Time) {
        for entry in store.machines.published(self.position, now) {
            self.position += 1;
            let MachineNews { machine, revision, record } = entry.news;
            // An entry whose revision it has seen is of its own commit, or of an expected exit that changed.
            let seen = self.seen[machine.index()];
            if revision > seen || revision == seen && self.lifetimes.is_some() {
                self.know(machine, revision, record);
            }
        }
        for entry in store.cuts.published(self.cut_position, now) {
            self.cut_position += 1;
            if entry.news.revision >= self.cuts_seen[entry.news.place as usize] {
                self.know_cut(entry.news);
            }
        }
    }

    /// Learns the store's state of a machine; its own unanswered assignments stay in its view.
    fn know(&mut self, machine: MachineId, revision: Revision, record: MachineRecord) {
        self.seen[machine.index()] = revision;
        let record = match self.pending.get_mut(machine) {
            None => record,
            Some(base) => {
                *base = record;
                self.with_pending(machine, record)
            }
        };
        self.allocator.view_mut().set(machine, record);
    }

    /// Learns a cut's reserved bandwidth from the store.
    fn know_cut(&mut self, news: CutNews) {
        let at = news.place as usize;
        self.cuts_seen[at] = news.revision;
        let used_kbps = news.used_kbps + self.cuts_pending_kbps[at];
        if let Some(network) = self.allocator.view_mut().network_mut() {
            network.set_used(news.place, used_kbps);
        }
    }

    /// Learns the reserved bandwidth of these cuts from the store's answer to a commit.
    pub(crate) fn told_cuts(&mut self, store: &Store, cuts: &[(u32, u64)]) {
        cuts.iter().for_each(|(place, _)| self.know_cut(store.cut(*place)));
    }

    /// Adds the link bandwidth of a newly assigned VM to the agent's own view.
    pub(crate) fn reserve(&mut self, flight: &mut InFlight, cuts: &[(u32, u64)]) {
        flight.links.extend_from_slice(cuts);
        let Some(network) = self.allocator.view_mut().network_mut() else { return };
        for (place, kbps) in cuts {
            network.reserve(*place, *kbps);
            self.cuts_pending_kbps[*place as usize] += kbps;
        }
    }

    /// A machine's state with the agent's own unanswered assignments; assignments that no longer fit will fail at the
    /// store.
    fn with_pending(&self, machine: MachineId, base: MachineRecord) -> MachineRecord {
        let choices = self.in_flight.iter().flat_map(|flight| &flight.assignments);
        let mine = choices.filter(|it| it.machine == machine);
        mine.fold(base, |record, it| self.place(record, it).unwrap_or(record))
    }

    /// Adds an assignment to the agent's own view, so that the request's next VM sees it.
    pub(crate) fn assign(&mut self, flight: &mut InFlight, assignment: Assignment) {
        let machine = assignment.machine;
        let before = self.allocator.view().record(machine);
        let after = self.place(before, &assignment);
        self.pending.get_or_add(machine, || before);
        flight.assignments.push(assignment);
        let after = after.expect("a chosen machine has room in the agent's view, or VMs to put out");
        self.allocator.view_mut().set(machine, after);
    }

    /// Drops the assignments of a request that the store will not be asked about.
    pub(crate) fn drop_all(&mut self, flight: &InFlight) {
        self.forget_links(flight);
        if let Some(network) = self.allocator.view_mut().network_mut() {
            flight.links.iter().for_each(|(place, kbps)| network.release(*place, *kbps));
        }
        self.release_machines(flight);
    }

    /// Drops the assignments of a request that the store has answered, and learns the bandwidth of their links' cuts
    /// from it. A cut that only this request has changed stays as it is.
    pub(crate) fn release(&mut self, store: &Store, flight: &InFlight) {
        self.forget_links(flight);
        self.told_cuts(store, &flight.links);
        self.release_machines(flight);
    }

    /// Learns that the store has accepted a request: the state of its machines, and its links' bandwidth. Drops its
    /// assignments.
    pub(crate) fn accepted(&mut self, store: &Store, flight: &InFlight) {
        for machine in flight.assignments.iter().map(|it| it.machine) {
            self.seen[machine.index()] = store.revision_of(machine);
            if let Some(base) = self.pending.get_mut(machine) {
                *base = store.occupancy().record(machine);
            }
        }
        self.release(store, flight);
    }

    /// Subtracts the links of these assignments from the bandwidth of unanswered ones.
    fn forget_links(&mut self, flight: &InFlight) {
        flight.links.iter().for_each(|(place, kbps)| self.cuts_pending_kbps[*place as usize] -= kbps);
    }

    fn release_machines(&mut self, flight: &InFlight) {
        for machine in flight.assignments.iter().map(|it| it.machine) {
            let Some(base) = self.pending.get(machine).copied() else { continue };
            let record = self.with_pending(machine, base);
            self.allocator.view_mut().set(machine, record);
            let still = self.in_flight.iter().flat_map(|flight| &flight.assignments).any(|it| it.machine == machine);
            if !still {
                self.pending.remove(machine);
            }
        }
    }

    /// Whether it has no decision on its way to the store.
    pub(crate) fn is_idle(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Its decisions on their way to the store.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Sends a decision to the store.
    pub(crate) fn send(&mut self, flight: InFlight) {
        self.in_flight.push_back(flight);
    }

    /// The oldest sent decision, which reaches the store now.
    ///
    /// # Panics
    /// If nothing was sent: only sending schedules a commit.
    pub(crate) fn arrive(&mut self) -> InFlight {
        self.in_flight.pop_front().expect("a commit was sent before it arrives")
    }

    /// A machine with one more VM, evicting others if needed. No VM can evict this one before the store knows it, not
    /// even another VM of its request.
    pub(crate) fn place(&self, mut record: MachineRecord, it: &Assignment) -> Option<MachineRecord> {
        let shape = &it.shape;
        let may_evict = self.allocator.policy().lets_evict(shape);
        if may_evict && record.evictable.covers(record.free.shortage(shape.demand)) {
            record = record.with_evictions(shape);
        }
        record.add(shape)?;
        if shape.is_evictable() {
            record.evictable = record.evictable.saturating_sub(shape.demand);
        }
        if let Some(terms) = &self.lifetimes {
            let full = terms.is_full(record.used_share(self.allocator.view().fleet().capacity(it.machine)));
            record.life = record.life.with(&it.life, full);
        }
        Some(record)
    }

    /// Learns the store's state of a machine from its answer to a commit.
    pub(crate) fn told(&mut self, store: &Store, machine: MachineId) {
        self.know(machine, store.revision_of(machine), store.occupancy().record(machine));
    }

    /// One of its own commits was accepted. This does not outdate its later decisions on the same machines, because
    /// its view has included those VMs all along.
    pub(crate) fn count_in(&mut self, store: &Store, taken: &InFlight) {
        for later in self.in_flight.iter_mut().flat_map(|flight| &mut flight.assignments) {
            let same = |it: &&Assignment| (it.machine, it.seen) == (later.machine, later.seen);
            if taken.assignments.iter().any(|it| same(&it)) {
                later.seen = store.revision_of(later.machine);
            }
        }
    }

    /// The store's revision of a machine that its view reflects.
    pub(crate) fn seen(&self, machine: MachineId) -> Revision {
        self.seen[machine.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::trial::Trial;
    use alloc::sync::Arc;
    use tiebreak_model::{ClusterSpec, Fleet, Millis, Occupancy, Resources, Uplinks};
    use tiebreak_placement::{Caches, Policy};

    /// A request with a spot VM and one that may evict spot VMs, on a machine of 4 cores.
    #[test]
    fn no_request_counts_on_putting_out_its_own_vms() {
        for (spot, other, placed) in [(3, 1, 2), (3, 2, 0)] {
            let mut trial =
                Trial::new(1, 1).rule("AreNodeResourcesValid", &[1.0]).rule("IsClusterBelowLimit", &[100.0]);
            trial = trial.vms(1, spot, (10, 100)).vms(1, other, (10, 100));
            trial.vms[0].shape.priority = 1;
            trial.vms.iter_mut().for_each(|row| row.tenant = 1);
            let summary = trial.run(&[]).summary();
            assert_eq!((summary.placements, summary.conflicts), (placed, 0), "{spot} and {other} cores");
        }
    }

    /// Two requests use bandwidth of one cut in the agent's view; the store reserves some of it for others.
    #[test]
    fn what_links_take_is_given_back_with_the_request_that_took_it() {
        let capacity = Resources::new(4_000, 16_384, 0, 0);
        let spec =
            ClusterSpec { name: "c".into(), machines: 2, racks: 1, capacity, unready: 0, datacenter: 0, chassis: 1 };
        let uplinks = Uplinks { machine_kbps: 10, rack_kbps: 10, cluster_kbps: 10 };
        let zone = Occupancy::empty(Arc::new(Fleet::build(&[spec]).expect("a fleet"))).with_network(&[uplinks]);
        let mut store = Store::new(zone.clone(), Millis(0));
        let policy = Arc::new(Policy::new(&[], 1).expect("a policy"));
        let mut agent = Agent::new(Allocator::new(policy, zone, Caches::OFF, 0), &store, None);
        let used =
            |agent: &Agent| agent.allocator.view().network().map(|network| [0, 1].map(|cut| network.used_at(cut)));
        let mut begin = |cuts: &[(u32, u64)]| {
            let mut flight = InFlight::begin(None, Job::Place(RequestId(0)), RequestId(0), 0);
            agent.reserve(&mut flight, cuts);
            flight
        };
        let (one, other, third) = (begin(&[(0, 3), (1, 3)]), begin(&[(0, 2)]), begin(&[(1, 7)]));
        assert_eq!(used(&agent), Some([5, 10]));
        agent.drop_all(&third);
        assert_eq!(used(&agent), Some([5, 3]), "the store is not asked about the third");
        store.shift_links(Time::ZERO, &[(0, 4), (1, 1)], true);
        agent.release(&store, &one);
        assert_eq!(used(&agent), Some([6, 1]), "what is on its way stands on top of what the store has");
        agent.release(&store, &other);
        assert_eq!(used(&agent), Some([4, 1]));
    }
}
