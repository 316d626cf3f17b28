//! Recommended migrations: fragmented machines to empty, and where their VMs would go, so
//! that what is in use is packed more densely. A what-if analysis: nothing is moved here.
//!
//! Each VM of a machine is placed anew by the list of rules that placed it, on a copy of the
//! zone in which only machines in use take VMs. Machines are tried in the order of what
//! emptying them would gain for each move, each at most once, and each on the copy as the ones
//! before left it, so that any number of the first recommendations can be carried out. Source:
//! Protean section 6.3, "Adapting to COVID-19 capacity crunch".

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

use crate::allocator::{Allocator, Draw, Request};
use crate::explain::reference::best_where;
use crate::fast::caches::Caches;
use crate::policy::Policy;

/// What the evaluations made on the way may hold.
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

/// A VM that may be moved, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The VM.
    pub vm: VmId,
    /// Its machine.
    pub machine: MachineId,
    /// What it asked for.
    pub shape: VmShape,
}

/// One VM to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The VM.
    pub vm: VmId,
    /// The machine that is being emptied.
    pub from: MachineId,
    /// A machine in use that has room for it.
    pub to: MachineId,
}

/// One machine to empty, and what that gains when those recommended before it are empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Evacuation {
    /// The machine to empty.
    pub machine: MachineId,
    /// All its VMs, in the order in which to move them.
    pub moves: Vec<Move>,
    /// What these VMs hold together.
    pub moved: Resources,
    /// What the packing density of the zone gains, in percentage points; more is better.
    pub density_gain: f64,
    /// Machines that stand empty afterwards and did not before.
    pub empty_gain: u32,
    /// The gain in packing density for each VM moved, in percentage points.
    pub gain_per_move: f64,
}

/// Which machines to empty, best first by the gain for each move, ties by the lowest id.
///
/// Moves go onto machines in use only, and never onto one that this list empties. A machine is
/// left alone when it does not take new VMs, when a VM on it is not among `vms`, or when a
/// tenant on it asked for anything about where its VMs stand; VMs of low priority may move.
///
/// # Panics
/// When a VM does not stand where it is said to: that is our own bug.
#[must_use]
pub fn recommend(
    policy: &Arc<Policy>,
    occupancy: &Occupancy,
    vms: &[Placed],
    limits: &MigrationLimits,
) -> Vec<Evacuation> {
    let mut vms = vms.to_vec();
    // By machine, and the VMs of one in the order of Algorithm 1: what is hardest to place first.
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

/// Allocated cores for each core of the machines in use, in percent; 0 where none is in use
/// (Protean section 6.3).
fn density_pct(zone: &Totals, busy_cores_milli: u64) -> f64 {
    if busy_cores_milli == 0 { 0.0 } else { 100.0 * zone.used(Resource::Cores) as f64 / busy_cores_milli as f64 }
}

/// A fragmented machine.
#[derive(Clone, Debug)]
struct Candidate {
    machine: MachineId,
    /// What its VMs hold.
    used: Resources,
    /// Where its VMs are in the list.
    vms: Range<usize>,
}

impl Candidate {
    /// A machine whose VMs are these, if it is one.
    fn new(occupancy: &Occupancy, vms: &[Placed], first: usize, limits: &MigrationLimits) -> Option<Self> {
        let machine = vms.first()?.machine;
        let (record, capacity) = (occupancy.record(machine), occupancy.fleet().capacity(machine));
        let used = capacity.saturating_sub(record.free);
        let used_pct = 100.0 * f64::from(used.cores_milli()) / f64::from(capacity.cores_milli());
        let may_move = vms.len() == record.vms as usize && vms.iter().all(|it| it.shape.terms.is_none());
        let is_fragmented = record.readiness == Readiness::Ready && used_pct <= limits.fragmented;
        (may_move && is_fragmented && !record.isolated).then(|| Self { machine, used, vms: first..first + vms.len() })
    }

    /// What emptying it would gain for each move, if machines like it have so many cores.
    fn gain_per_move(&self, zone: &Totals, cores_milli: u32) -> f64 {
        let (busy, cores) = (zone.busy_cores_milli, u64::from(cores_milli));
        (density_pct(zone, busy - cores) - density_pct(zone, busy)) / self.vms.len() as f64
    }

    /// Among machines with as many cores, in whatever state the zone is: fewer moves, less to move.
    fn order(&self, other: &Self) -> Ordering {
        let key = |it: &Self| (it.vms.len(), it.used, it.machine);
        key(self).cmp(&key(other))
    }
}

/// The fragmented machines that were not tried yet, by how many cores they have, each list with
/// the best at its end.
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

    /// The one that would gain most for each move in this zone, of those with few enough moves.
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

/// The zone as the recommendations so far would leave it.
///
/// Machines that must not take a VM are marked as not ready, so that where the list has
/// `IsMachineReady`, its answer needs no second look.
struct WhatIf<'a> {
    policy: &'a Policy,
    allocator: Allocator,
    shapes: Vec<VmShape>,
    /// Machines that must not take a VM: the empty ones, those emptied, and the one being emptied.
    is_closed: Vec<bool>,
    /// Machines that took a VM, and so are not emptied.
    has_taken: Vec<bool>,
    /// What the machines held before the evacuation under way, in the order they were changed.
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

    /// Empties a machine, if all its VMs find room elsewhere.
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

    /// The best machine in use for a VM, of several the one with the lowest id.
    fn target(&mut self, shape: &VmShape) -> Option<MachineId> {
        let vm = VmRequest::alone(*shape);
        if !self.policy.is_weighted() {
            // Where the best of all machines may take it, it is the best of those that may.
            let chosen = self.choose(&vm)?;
            if self.may_take(chosen, shape) {
                return Some(chosen);
            }
        }
        let scene = Scene::of(self.allocator.view());
        best_where(self.policy, scene, &vm, |machine| self.may_take(machine, shape))
    }

    /// Where the list would place the VM, of several machines the one with the lowest id.
    fn choose(&mut self, vm: &VmRequest) -> Option<MachineId> {
        let shape = ShapeId::of(self.shapes.binary_search(&vm.shape).expect("the shapes of all VMs are listed"));
        let draw = Draw { number: 0, among: None };
        let request = Request { shape, vm, footprint: Footprint::NONE, needs: Needs::NONE, growth: None, draw };
        self.allocator.choose(&request).ok().map(|choice| choice.machine)
    }

    /// Whether a machine is in use and has room without putting a VM out.
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
mod tests {
    use super::*;
    use crate::policy::{RuleUse, default_rules};
    use alloc::collections::BTreeSet;
    use tiebreak_model::random::{Seed, pick};
    use tiebreak_model::{ClusterSpec, Fleet, TenantTerms};

    const LIMITS: MigrationLimits = MigrationLimits { moves: 100, fragmented: 50.0 };

    fn cores(cores: u32) -> VmShape {
        VmShape::plain(Resources::new(cores * 1_000, cores * 1_024, 0, 0))
    }

    /// Clusters of machines with so many cores, two machines a rack.
    fn fleet(clusters: &[(u32, u32)]) -> Occupancy {
        let cluster = |(machines, cores): &(u32, u32)| ClusterSpec {
            name: "c".into(),
            machines: *machines,
            racks: machines.div_ceil(2),
            capacity: Resources::new(cores * 1_000, cores * 1_024, 0, 0),
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        let specs: Vec<_> = clusters.iter().map(cluster).collect();
        Occupancy::empty(Arc::new(Fleet::build(&specs).expect("a fleet")))
    }

    /// Puts VMs on machines, numbered as they come.
    fn settled(mut zone: Occupancy, vms: &[(u32, VmShape)]) -> (Occupancy, Vec<Placed>) {
        let mut placed = Vec::new();
        for (number, (machine, shape)) in vms.iter().enumerate() {
            let machine = MachineId(*machine);
            zone.set(machine, zone.record(machine).with(shape).expect("it fits"));
            placed.push(Placed { vm: VmId::of(number), machine, shape: *shape });
        }
        (zone, placed)
    }

    fn with_sizes(zone: Occupancy, vms: &[(u32, u32)]) -> (Occupancy, Vec<Placed>) {
        settled(zone, &vms.iter().map(|(machine, size)| (*machine, cores(*size))).collect::<Vec<_>>())
    }

    fn policy(rules: &[RuleUse]) -> Arc<Policy> {
        Arc::new(Policy::new(rules, 2).expect("a policy"))
    }

    fn usual() -> Arc<Policy> {
        policy(&default_rules())
    }

    /// In short: which machine, and for each VM where it goes.
    fn told(plan: &[Evacuation]) -> Vec<(u32, Vec<(u32, u32)>)> {
        let moves = |it: &Evacuation| it.moves.iter().map(|it| (it.vm.0, it.to.0)).collect();
        plan.iter().map(|it| (it.machine.0, moves(it))).collect()
    }

    fn density(zone: &Occupancy) -> f64 {
        density_pct(zone.zone(), zone.zone().busy_cores_milli)
    }

    #[test]
    fn fragmented_machines_move_into_the_gaps_of_fuller_ones() {
        // Machines of 8 cores, VMs as (machine, cores), and (machine emptied, [(VM, to)]).
        type Case<'a> = (&'a [(u32, u32)], &'a [(u32, &'a [(u32, u32)])]);
        let cases: [Case<'_>; 7] = [
            (&[(0, 6), (1, 1), (1, 1), (2, 2), (3, 7)], &[(2, &[(3, 0)])]),
            (&[(0, 6), (1, 1), (1, 1), (2, 2), (3, 6)], &[(2, &[(3, 0)]), (1, &[(1, 3), (2, 3)])]),
            (&[(0, 4), (1, 4)], &[(0, &[(0, 1)])]),
            (&[(0, 3), (1, 2), (2, 5)], &[(1, &[(1, 2)])]),
            (&[(0, 6), (1, 5), (2, 7)], &[]),
            (&[(0, 2)], &[]),
            (&[], &[]),
        ];
        for (vms, expected) in cases {
            let (zone, placed) = with_sizes(fleet(&[(5, 8)]), vms);
            let expected: Vec<_> = expected.iter().map(|(machine, moves)| (*machine, moves.to_vec())).collect();
            let plan = recommend(&usual(), &zone, &placed, &LIMITS);
            assert_eq!(told(&plan), expected, "{vms:?}");
            assert!(plan.iter().all(|it| it.empty_gain == 1), "{vms:?}: each empties one machine");
            let each = |it: &Evacuation| it.density_gain / it.moves.len() as f64;
            assert!(plan.iter().all(|it| it.gain_per_move == each(it)), "{vms:?}");
            for turn in 0..placed.len() {
                let mut turned: Vec<_> = placed.iter().rev().copied().collect();
                turned.rotate_left(turn);
                assert_eq!(recommend(&usual(), &zone, &turned, &LIMITS), plan, "VMs in another order: {turned:?}");
            }
        }
    }

    #[test]
    fn what_gains_most_for_each_move_comes_first() {
        // Machines 0 and 1 have 8 cores, 2 and 3 have 16: emptying one of these gains more.
        let (zone, vms) = with_sizes(fleet(&[(2, 8), (2, 16)]), &[(0, 1), (1, 6), (2, 1), (3, 12)]);
        let plan = recommend(&usual(), &zone, &vms, &LIMITS);
        assert_eq!(told(&plan), [(2, vec![(2, 1)]), (0, vec![(0, 1)])]);
        let gain = 100.0 * 20.0 / 32.0 - 100.0 * 20.0 / 48.0;
        assert!((plan[0].density_gain - gain).abs() < 1e-12 && plan[0].gain_per_move == plan[0].density_gain);
        assert_eq!((plan[0].moved, plan[0].empty_gain), (cores(1).demand, 1));
    }

    #[test]
    fn the_number_of_moves_is_a_limit_for_all_together() {
        let (zone, vms) = with_sizes(fleet(&[(5, 8)]), &[(0, 6), (1, 1), (1, 1), (2, 2), (3, 6)]);
        for (moves, emptied) in [(0, 0), (1, 1), (2, 1), (3, 2), (4, 2)] {
            let plan = recommend(&usual(), &zone, &vms, &MigrationLimits { moves, ..LIMITS });
            assert_eq!(plan.len(), emptied, "{moves} moves");
        }
    }

    #[test]
    fn some_machines_are_left_alone() {
        let spot = |size| VmShape { priority: 1, ..cores(size) };
        let promised = VmShape { terms: TenantTerms { per_machine: 2, ..TenantTerms::NONE }, ..cores(2) };
        let all = |_: &mut Occupancy, _: &mut Vec<Placed>| ();
        let change = |zone: &mut Occupancy, machine, change: fn(&mut MachineRecord)| {
            let mut record = zone.record(MachineId(machine));
            change(&mut record);
            zone.set(MachineId(machine), record);
        };
        let unready = |record: &mut MachineRecord| record.readiness = Readiness::Unready;
        let isolated = |record: &mut MachineRecord| record.isolated = true;
        type Spoil<'a> = &'a dyn Fn(&mut Occupancy, &mut Vec<Placed>);
        let cases: [(&str, [VmShape; 2], Spoil<'_>, usize); 9] = [
            ("nothing against it", [cores(2), cores(6)], &all, 1),
            ("a spot VM may move", [spot(2), cores(6)], &all, 1),
            ("no room", [cores(2), cores(7)], &all, 0),
            ("spot VMs are not put out for it", [cores(2), spot(7)], &all, 0),
            ("its tenant was promised something", [promised, cores(6)], &all, 0),
            ("an isolated tenant", [cores(2), cores(6)], &|zone, _| change(zone, 0, isolated), 0),
            ("not ready", [cores(2), cores(6)], &|zone, _| change(zone, 0, unready), 0),
            ("nowhere ready", [cores(2), cores(6)], &|zone, _| change(zone, 1, unready), 0),
            (
                "a VM of somebody who must not be moved",
                [cores(2), cores(6)],
                &|_, vms| vms.retain(|it| it.machine.0 > 0),
                0,
            ),
        ];
        let mut rules = default_rules();
        let resources = rules.iter_mut().find(|rule| rule.id == crate::policy::REQUIRED_RULE);
        resources.expect("the rule about resources").values = vec![1.0];
        for (why, [small, large], spoil, emptied) in cases {
            let (mut zone, mut vms) = settled(fleet(&[(3, 8)]), &[(0, small), (1, large)]);
            spoil(&mut zone, &mut vms);
            assert_eq!(recommend(&policy(&rules), &zone, &vms, &LIMITS).len(), emptied, "{why}");
        }
        let (zone, vms) = with_sizes(fleet(&[(3, 8)]), &[(0, 2), (1, 6)]);
        assert_eq!(recommend(&usual(), &zone, &vms, &MigrationLimits { fragmented: 24.0, ..LIMITS }), []);
    }

    /// A zone in which VMs have come and gone at random.
    fn random_zone(number: u64) -> (Occupancy, Vec<Placed>) {
        let draws = Seed(number).stream("migrate test");
        let below = |what, attempt, count| pick(draws.draw(what, attempt), count);
        let mut zone = fleet(&[(6, 16), (5, 8), (7, 24)]);
        for machine in (0..18).filter(|machine| below(*machine, 1, 9) == 0) {
            let machine = MachineId(machine as u32);
            zone.set(machine, MachineRecord { readiness: Readiness::Unready, ..zone.record(machine) });
        }
        let mut vms = Vec::new();
        for what in 100..100 + u64::from(below(0, 0, 60)) {
            let terms = TenantTerms { per_rack: u16::from(below(what, 1, 12) == 0), ..TenantTerms::NONE };
            let shape = VmShape { priority: u8::from(below(what, 2, 4) == 0), terms, ..cores(1 + below(what, 3, 6)) };
            let machine = below(what, 4, 18);
            if let Some(record) = zone.record(MachineId(machine)).with(&shape) {
                zone.set(MachineId(machine), record);
                vms.push(Placed { vm: VmId::of(vms.len()), machine: MachineId(machine), shape });
            }
        }
        (zone, vms)
    }

    fn lists() -> Vec<Vec<RuleUse>> {
        let plain = |ids: &[&str]| ids.iter().map(|id| RuleUse::plain(id, None)).collect::<Vec<_>>();
        let mut evicting = plain(&["AreNodeResourcesValid", "IsMachineReady", "AvoidEvictions", "BestFit"]);
        evicting[0].values = vec![1.0];
        let mut weighted = plain(&["AreNodeResourcesValid", "BestFit", "FdEmptyNodes", "PreferLeastUsedRack"]);
        weighted[1].weight = crate::Weight::new(1.5);
        let limit = RuleUse { values: vec![60.0], ..RuleUse::plain("IsClusterBelowLimit", None) };
        let limited = [vec![limit], plain(&["PreferEmptierClusters", "AreNodeResourcesValid", "BestFit"])].concat();
        vec![default_rules(), plain(&["AreNodeResourcesValid", "WorstFit"]), evicting, weighted, limited]
    }

    /// Carries recommendations out, one VM after another, and checks every promise on the way.
    fn carry_out(policy: &Policy, mut zone: Occupancy, vms: &[Placed], plan: &[Evacuation]) {
        let (mut moved, mut took) = (BTreeSet::new(), BTreeSet::new());
        for (at, evacuation) in plan.iter().enumerate() {
            let before = (density(&zone), *zone.zone());
            for later in &plan[at..] {
                let cores = u64::from(zone.fleet().capacity(later.machine).cores_milli());
                let then = density_pct(zone.zone(), zone.zone().busy_cores_milli - cores);
                let gain = (then - before.0) / later.moves.len() as f64;
                assert!(gain <= evacuation.gain_per_move + 1e-9, "{later:?} should come before {evacuation:?}");
            }
            for Move { vm, from, to } in evacuation.moves.iter().copied() {
                let Placed { machine, shape, .. } = vms[vm.index()];
                assert!(machine == from && from == evacuation.machine && moved.insert(vm), "{vm} stands on {from}");
                zone.set(from, zone.record(from).without(&shape));
                let room = |id| zone.record(id).vms > 0 && id != from && zone.record(id).with(&shape).is_some();
                let best = best_where(policy, Scene::of(&zone), &VmRequest::alone(shape), room);
                assert_eq!(best, Some(to), "VM {vm} goes where the list says");
                zone.set(to, zone.record(to).with(&shape).expect("nothing is over-committed"));
                took.insert(to);
            }
            assert!(zone.record(evacuation.machine).vms == 0 && !took.contains(&evacuation.machine));
            assert!((density(&zone) - before.0 - evacuation.density_gain).abs() < 1e-9, "{evacuation:?}");
            assert!(evacuation.density_gain > 0.0, "{evacuation:?}");
            assert_eq!(before.1.busy - zone.zone().busy, evacuation.empty_gain);
        }
    }

    #[test]
    fn what_is_promised_holds_after_every_recommendation() {
        for (list, rules) in lists().iter().enumerate() {
            let (policy, mut emptied) = (policy(rules), 0);
            for number in 0..60 {
                let (zone, vms) = random_zone(number);
                let limits = MigrationLimits { moves: 3 + number as u32 / 2, fragmented: 30.0 + number as f64 };
                let plan = recommend(&policy, &zone, &vms, &limits);
                assert!(plan.iter().map(|it| it.moves.len()).sum::<usize>() <= limits.moves as usize);
                carry_out(&policy, zone, &vms, &plan);
                emptied += plan.len();
            }
            assert!(emptied > 60, "list {list}: only {emptied} machines could be emptied");
        }
    }

    #[test]
    fn a_machine_without_room_elsewhere_stays_as_it_was() {
        // Machine 1 would gain most, but only one of its VMs fits elsewhere, on machine 0. That room is
        // there again for the VM of machine 3, which has 2 cores, the others 8.
        let (zone, vms) = with_sizes(fleet(&[(3, 8), (1, 2)]), &[(0, 6), (1, 2), (1, 2), (3, 1)]);
        let plan = recommend(&usual(), &zone, &vms, &LIMITS);
        carry_out(&usual(), zone, &vms, &plan);
        assert_eq!(told(&plan), [(3, vec![(3, 0)])]);
    }
}
