//! An allocation agent: decides requests on its own view of the zone and commits
//! optimistically (Protean section 4, Algorithm 1).

use alloc::vec::Vec;

use tiebreak_model::journal::Revision;
use tiebreak_model::{MachineId, MachineRecord, RequestId, Time, VmId, VmShape};
use tiebreak_placement::{Allocator, CacheUse};

use crate::store::Store;

/// A machine chosen for one VM of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assignment {
    pub(crate) vm: VmId,
    pub(crate) machine: MachineId,
    pub(crate) shape: VmShape,
    pub(crate) best_set: u32,
    pub(crate) cache: CacheUse,
}

/// A decision on its way to the store.
#[derive(Clone, Debug)]
pub(crate) struct InFlight {
    pub(crate) request: RequestId,
    pub(crate) attempt: u32,
    /// What was chosen before a VM was refused, if one was.
    pub(crate) assignments: Vec<Assignment>,
    /// The VM no machine was found for.
    pub(crate) refused: Option<(VmId, CacheUse)>,
    /// What the agent's view held before, in the order it was changed.
    undo: Vec<(MachineId, MachineRecord)>,
}

impl InFlight {
    /// Begins a request, in the room of a decision that is over.
    pub(crate) fn begin(over: Option<Self>, request: RequestId, attempt: u32) -> Self {
        let (mut assignments, mut undo) = over.map_or_else(Default::default, |over| (over.assignments, over.undo));
        assignments.clear();
        undo.clear();
        Self { request, attempt, assignments, refused: None, undo }
    }
}

/// One agent.
pub(crate) struct Agent {
    pub(crate) allocator: Allocator,
    /// The store's revision of each machine that this agent's view reflects.
    seen: Vec<Revision>,
    /// How far it has read the store's log.
    pub(crate) position: u64,
    in_flight: Option<InFlight>,
}

impl Agent {
    pub(crate) fn new(allocator: Allocator, store: &Store) -> Self {
        let machines = store.occupancy().fleet().machine_count();
        let seen = (0..machines).map(|id| store.revision_of(MachineId(id))).collect();
        Self { allocator, seen, position: store.end(), in_flight: None }
    }

    /// Reads the log up to what is visible now.
    pub(crate) fn catch_up(&mut self, store: &Store, now: Time) {
        for entry in store.published(self.position, now) {
            self.position += 1;
            self.learn(entry.machine, entry.revision, entry.record);
        }
    }

    fn learn(&mut self, machine: MachineId, revision: Revision, record: MachineRecord) {
        let seen = &mut self.seen[machine.index()];
        if revision > *seen {
            *seen = revision;
            self.allocator.view_mut().set(machine, record);
        }
    }

    /// Notes a choice in the agent's own view, so that the request's next VM sees it.
    pub(crate) fn assign(&mut self, flight: &mut InFlight, assignment: Assignment) {
        let before = self.allocator.view().record(assignment.machine);
        let shape = &assignment.shape;
        let after = before.with(shape).or_else(|| before.with_evictions(shape).with(shape));
        let after = after.expect("a chosen machine has room in the agent's view, or VMs to put out");
        flight.undo.push((assignment.machine, before));
        flight.assignments.push(assignment);
        self.allocator.view_mut().set(assignment.machine, after);
    }

    /// Forgets the choices of a request that is not going to be committed.
    pub(crate) fn roll_back(&mut self, flight: &mut InFlight) {
        for (machine, before) in flight.undo.drain(..).rev() {
            self.allocator.view_mut().set(machine, before);
        }
    }

    /// Whether nothing of it is on its way to the store.
    pub(crate) fn is_idle(&self) -> bool {
        self.in_flight.is_none()
    }

    /// Sends a decision to the store.
    pub(crate) fn send(&mut self, flight: InFlight) {
        self.in_flight = Some(flight);
    }

    /// The decision that reaches the store.
    ///
    /// # Panics
    /// When nothing was sent: a commit is scheduled only by sending.
    pub(crate) fn arrive(&mut self) -> InFlight {
        self.in_flight.take().expect("a commit was sent before it arrives")
    }

    /// Learns the store's state of a machine from its answer to a commit.
    pub(crate) fn told(&mut self, store: &Store, machine: MachineId) {
        self.seen[machine.index()] = store.revision_of(machine);
        self.allocator.view_mut().set(machine, store.occupancy().record(machine));
    }

    /// Whether this agent's view of a machine is the store's.
    pub(crate) fn is_current(&self, store: &Store, machine: MachineId) -> bool {
        self.seen[machine.index()] == store.revision_of(machine)
    }
}
