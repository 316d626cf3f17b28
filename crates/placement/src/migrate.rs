//! Recommends migrations: which fragmented machines to empty, and where to move their VMs, so that the machines in
//! use are packed more densely. This is a what-if analysis: it moves no VMs.
//!
//! The policy places each VM of a machine again, on a copy of the zone where only machines in use accept VMs.
//! Machines are tried in the order of their expected gain per move, each at most once, and each on the copy that the
//! earlier recommendations left. So any prefix of the recommendations can be carried out. Source: Protean section
//! 6.3, "Adapting to COVID-19 capacity crunch".

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};
use core::ops::Range;

use tiebreak_model::occupancy::{MachineRecord, Totals};
use tiebreak_model::{
    Footprint, MachineId, Needs, Occupancy, Readiness, Resource, Resources, Scene, ShapeId, VmId, VmRequest, VmShape,
    declare, sort,
};

use crate::allocator::Allocator;
use crate::explain::reference::best_where;
use crate::fast::{Caches, Draw, Request};
use crate::policy::Policy;

/// The maximum size of the evaluations used on the way.
const CACHE_BYTES: usize = 64 << 20;

declare! {
    /// How far recommended migrations go. (Protean section 6.3)
    pub struct MigrationLimits as "Recommended migrations" {
        /// VMs that may be moved, over all machines that are emptied; larger packs more
        /// densely and disturbs more VMs.
        moves: u32 = 100, 0 => 1000000, "VMs";
        /// A machine counts as fragmented while no more than this share of its cores is
        /// allocated; larger lets fuller machines be emptied, which moves more for the same
        /// gain.
        fragmented: f64 = 50, 0 => 100, "%";
    }
}

/// A VM that may be moved, and its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The VM.
    pub vm: VmId,
    /// Its machine.
    pub machine: MachineId,
    /// What it requested.
    pub shape: VmShape,
}

/// One VM to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The VM.
    pub vm: VmId,
    /// The machine to empty.
    pub from: MachineId,
    /// A machine in use with room for it.
    pub to: MachineId,
}

/// One machine to empty, and the gain if the machines recommended before it are empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Evacuation {
    /// The machine to empty.
    pub machine: MachineId,
    /// All its VMs, in the order in which to move them.
    pub moves: Vec<Move>,
    /// What these VMs use in total.
    pub moved: Resources,
    /// The gain in the zone's packing density, in percentage points; more is better.
    pub density_gain: f64,
    /// How many more machines are empty afterwards.
    pub empty_gain: u32,
    /// The gain in packing density per VM moved, in percentage points.
    pub gain_per_move: f64,
}

/// Which machines to empty, best first by gain per move; of equal gains, the lowest id first.
///
/// VMs move only to machines in use, never to one that this list empties. A machine is skipped if it does not accept
/// new VMs, if a VM on it is not among `vms`, or if a tenant on it has placement terms; VMs of low priority may move.
///
/// # Panics
/// If a VM is not on its stated machine, which is a bug of ours.
#[must_use]
pub fn recommend(
    policy: &Arc<Policy>,
    occupancy: &Occupancy,
    vms: &[Placed],
    limits: &MigrationLimits,
) -> Vec<Evacuation> {
    let mut vms = vms.to_vec();
    // Sort by machine, and the VMs of one machine in the order of Algorithm 1: the hardest to place first.
    let place = |it: &Placed| (it.machine, Reverse(it.shape.demand), it.vm);
    sort::seldom(&mut vms, |one, other| place(one) < place(other));
    let mut candidates = Candidates::find(occupancy, &vms, limits);
    let mut what_if = WhatIf::new(policy, occupancy, &vms);
    let (mut left, mut recommended) = (limits.moves as usize, Vec::new());
    while let Some(candidate) = candidates.pop(what_if.zone(), left) {
        if let Some(evacuation) = what_if.empty(&candidate, &vms[candidate.vms.clone()]) {
            left -= evacuation.moves.len();
            recommended.push(evacuation);
        }
    }
    recommended
}

/// Allocated cores as a percentage of the cores of machines in use; 0 if none is in use (Protean section 6.3).
fn density_pct(zone: &Totals, busy_cores_milli: u64) -> f64 {
    if busy_cores_milli == 0 { 0.0 } else { 100.0 * zone.used(Resource::Cores) as f64 / busy_cores_milli as f64 }
}

/// A fragmented machine.
#[derive(Clone, Debug)]
struct Candidate {
    machine: MachineId,
    /// What its VMs use.
    used: Resources,
    /// The range of its VMs in the list.
    vms: Range<usize>,
}

impl Candidate {
    /// A candidate for the machine with these VMs, if it is fragmented.
    fn new(occupancy: &Occupancy, vms: &[Placed], first: usize, limits: &MigrationLimits) -> Option<Self> {
        let machine = vms.first()?.machine;
        let (record, capacity) = (occupancy.record(machine), occupancy.fleet().capacity(machine));
        let used = capacity.saturating_sub(record.free);
        let used_pct = 100.0 * f64::from(used.cores_milli()) / f64::from(capacity.cores_milli());
        let may_move = vms.len() == record.vms as usize && vms.iter().all(|it| it.shape.terms.is_none());
        let is_fragmented = record.readiness == Readiness::Ready && used_pct <= limits.fragmented;
        (may_move && is_fragmented && !record.isolated).then(|| Self { machine, used, vms: first..first + vms.len() })
    }

    /// The gain per move from emptying it, if machines like it have this many cores.
    fn gain_per_move(&self, zone: &Totals, cores_milli: u32) -> f64 {
        let (busy, cores) = (zone.busy_cores_milli, u64::from(cores_milli));
        (density_pct(zone, busy - cores) - density_pct(zone, busy)) / self.vms.len() as f64
    }

    /// Order among machines with equal cores, for any state of the zone: fewer moves, then less to move.
    fn order(&self, other: &Self) -> Ordering {
        let key = |it: &Self| (it.vms.len(), it.used, it.machine);
        key(self).cmp(&key(other))
    }
}

/// The fragmented machines not tried yet, grouped by their number of cores; the best is last in each list.
struct Candidates {
    by_cores: Vec<(u32, Vec<Candidate>)>,
}

impl Candidates {
    fn find(occupancy: &Occupancy, vms: &[Placed], limits: &MigrationLimits) -> Self {
        let (mut found, mut first) = (Self { by_cores: Vec::new() }, 0);
        for of_machine in vms.chunk_by(|one, other| one.machine == other.machine) {
            if let Some(candidate) = Candidate::new(occupancy, of_machine, first, limits) {
                found.push(occupancy.fleet().capacity(candidate.machine).cores_milli(), candidate);
            }
            first += of_machine.len();
        }
        found.by_cores.iter_mut().for_each(|(_, list)| sort::seldom(list, |one, other| one.order(other).is_gt()));
        found
    }

    fn push(&mut self, cores_milli: u32, candidate: Candidate) {
        match self.by_cores.iter_mut().find(|(cores, _)| *cores == cores_milli) {
            Some((_, list)) => list.push(candidate),
            None => self.by_cores.push((cores_milli, vec![candidate])),
        }
    }

    /// The candidate with the largest gain per move in this zone, among those within the limit of moves.
    fn pop(&mut self, zone: &Totals, moves: usize) -> Option<Candidate> {
        let last = |(at, (cores, list)): (usize, &(u32, Vec<Candidate>))| {
            let last = list.last().filter(|candidate| candidate.vms.len() <= moves)?;
            Some((at, last.gain_per_move(zone, *cores), last.machine))
        };
        let lasts = self.by_cores.iter().enumerate().filter_map(last);
        let (at, ..) = lasts.max_by(|(_, gain, machine), (_, other_gain, other)| {
            gain.total_cmp(other_gain).then_with(|| other.cmp(machine))
        })?;
        self.by_cores[at].1.pop()
    }
}

/// The zone after the recommendations so far.
///
/// Machines that must not accept a VM are marked as not ready. So if the policy has `IsMachineReady`, its choice
/// needs no second check.
struct WhatIf<'a> {
    policy: &'a Policy,
    allocator: Allocator,
    shapes: Vec<VmShape>,
    /// Machines that must not accept a VM: empty ones, emptied ones, and the one being emptied.
    is_closed: Vec<bool>,
    /// Machines that received a VM, and so are not emptied.
    has_taken: Vec<bool>,
    /// What the machines held before the current evacuation, in order of change.
    undo: Vec<(MachineId, MachineRecord)>,
}

impl<'a> WhatIf<'a> {
    fn new(policy: &'a Arc<Policy>, occupancy: &Occupancy, vms: &[Placed]) -> Self {
        let machines = occupancy.fleet().machine_count();
        let mut shapes: Vec<_> = vms.iter().map(|it| it.shape).collect();
        sort::seldom(&mut shapes, |one, other| one < other);
        shapes.dedup();
        let mut what_if = Self {
            policy,
            allocator: Allocator::new(policy.clone(), occupancy.clone(), Caches::default(), CACHE_BYTES),
            shapes,
            is_closed: vec![false; machines as usize],
            has_taken: vec![false; machines as usize],
            undo: Vec::new(),
        };
        let empty = (0..machines).map(MachineId).filter(|machine| occupancy.record(*machine).vms == 0);
        empty.for_each(|machine| what_if.close(machine));
        what_if
    }

    fn zone(&self) -> &Totals {
        self.allocator.view().zone()
    }

    fn record(&self, machine: MachineId) -> MachineRecord {
        self.allocator.view().record(machine)
    }

    fn set(&mut self, machine: MachineId, record: MachineRecord) {
        self.undo.push((machine, self.record(machine)));
        self.allocator.view_mut().set(machine, record);
    }

    fn close(&mut self, machine: MachineId) {
        self.is_closed[machine.index()] = true;
        self.set(machine, MachineRecord { readiness: Readiness::Unready, ..self.record(machine) });
    }

    /// Empties a machine, if all its VMs fit elsewhere.
    fn empty(&mut self, candidate: &Candidate, vms: &[Placed]) -> Option<Evacuation> {
        if self.has_taken[candidate.machine.index()] {
            return None;
        }
        let before = *self.zone();
        self.undo.clear();
        self.close(candidate.machine);
        let moves: Option<Vec<_>> = vms.iter().map(|vm| self.relocate(vm)).collect();
        let Some(moves) = moves else {
            self.roll_back(candidate.machine);
            return None;
        };
        moves.iter().for_each(|it| self.has_taken[it.to.index()] = true);
        Some(Evacuation::new(candidate, moves, &before, self.zone()))
    }

    fn roll_back(&mut self, machine: MachineId) {
        self.is_closed[machine.index()] = false;
        for (changed, record) in core::mem::take(&mut self.undo).into_iter().rev() {
            self.allocator.view_mut().set(changed, record);
        }
    }

    fn relocate(&mut self, vm: &Placed) -> Option<Move> {
        self.set(vm.machine, self.record(vm.machine).without(&vm.shape));
        let to = self.target(&vm.shape)?;
        self.set(to, self.record(to).with(&vm.shape).expect("a machine is asked for its room first"));
        Some(Move { vm: vm.vm, from: vm.machine, to })
    }

    /// The best machine in use for a VM; of several, the one with the lowest id.
    fn target(&mut self, shape: &VmShape) -> Option<MachineId> {
        let vm = VmRequest::alone(*shape);
        if !self.policy.is_weighted() {
            // If the overall best machine may take it, it is also the best of those that may.
            let chosen = self.choose(&vm)?;
            if self.may_take(chosen, shape) {
                return Some(chosen);
            }
        }
        let scene = Scene::of(self.allocator.view());
        best_where(self.policy, scene, &vm, |machine| self.may_take(machine, shape))
    }

    /// Where the policy would place the VM; of several machines, the one with the lowest id.
    fn choose(&mut self, vm: &VmRequest) -> Option<MachineId> {
        let shape = ShapeId::of(self.shapes.binary_search(&vm.shape).expect("the shapes of all VMs are listed"));
        let draw = Draw { number: 0, among: None };
        let request = Request { shape, vm, footprint: Footprint::NONE, needs: Needs::NONE, growth: None, draw };
        self.allocator.choose(&request).ok().map(|choice| choice.machine)
    }

    /// Whether a machine is in use and has room without evicting a VM.
    fn may_take(&self, machine: MachineId, shape: &VmShape) -> bool {
        !self.is_closed[machine.index()] && self.record(machine).with(shape).is_some()
    }
}

impl Evacuation {
    fn new(candidate: &Candidate, moves: Vec<Move>, before: &Totals, after: &Totals) -> Self {
        let density_gain = density_pct(after, after.busy_cores_milli) - density_pct(before, before.busy_cores_milli);
        Self {
            machine: candidate.machine,
            moved: candidate.used,
            density_gain,
            empty_gain: before.busy - after.busy,
            gain_per_move: density_gain / moves.len() as f64,
            moves,
        }
    }
}

#[cfg(test)]
mod tests;
