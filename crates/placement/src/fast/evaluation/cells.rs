//! The cells of a cluster: machines that are ranked together, and each cell's best.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use tiebreak_model::bits::ones;
use tiebreak_model::journal::Revision;
use tiebreak_model::{ClusterId, Fleet, MachineId, RackId};

use super::super::packed::PackedKey;
use super::super::ranking::{Best, Bests, CellOf, Rankings, Shape, TiedUnder};
use super::super::ties::Ties;
use super::super::touched::Touched;
use super::Evaluation;
use super::weighing::Tally;
use crate::policy::fields::Field;

/// The cells of one cluster at a revision.
pub(super) struct Cells<K> {
    pub(super) revision: Revision,
    /// The changes of the shared state's racks that `bests` reflects.
    pub(super) racks_seen: Revision,
    pub(super) used_at: u64,
    pub(super) rankings: Rankings<K>,
    /// Each cell's best key under all rules, including rack rules, and how many machines have it.
    pub(super) bests: Bests<K>,
    /// Each cell's machines that tie with its best, as bits, where they are useful, and the rules under which they tie.
    pub(super) bits: Vec<u64>,
    pub(super) tied_under: TiedUnder,
    /// Each cell's valid machines, where bits are useful.
    pub(super) valid: Vec<u64>,
    /// Present if a rule about chassis breaks ties.
    pub(super) ties: Option<Ties<K>>,
    /// Present once manual weights have compared its machines.
    pub(super) tally: Option<Tally<K>>,
}

impl<K: PackedKey> Cells<K> {
    /// Cells without candidates.
    pub(super) fn new(shape: Arc<Shape>, bits: Option<TiedUnder>, tiebreaker: Option<Field>, now: u64) -> Self {
        let rankings = Rankings::empty(shape);
        let cells = rankings.len();
        let in_bits = vec![0; bits.map_or(0, |_| cells)];
        Self {
            revision: Revision(0),
            racks_seen: Revision(0),
            used_at: now,
            bests: Bests::none(cells),
            rankings,
            valid: in_bits.clone(),
            bits: in_bits,
            tied_under: bits.unwrap_or(TiedUnder::All),
            ties: tiebreaker.map(|field| Ties::new(field, cells)),
            tally: None,
        }
    }

    /// Makes the full machines of the cluster invalid, gives the judged ones their keys, and touches the cells whose
    /// best may change.
    #[inline(never)]
    pub(super) fn set_keys(
        &mut self,
        (fleet, cluster, by_rack): (&Fleet, ClusterId, bool),
        full: &[MachineId],
        judged: (&[MachineId], &[K]),
        (touched, unsettled): (&mut Touched, &mut Touched),
    ) {
        let first = fleet.cluster(cluster).machines().start;
        touched.fit(self.rankings.len());
        if self.tally.is_none() && self.rankings.is_low() {
            unsettled.fit(self.rankings.nodes());
            let cell_of = |machine| cell_of(fleet, cluster, machine, by_rack) as usize;
            if self.bits.is_empty() {
                self.place_keys::<false>(first, (full, judged), cell_of, (touched, unsettled));
            } else {
                self.place_keys::<true>(first, (full, judged), cell_of, (touched, unsettled));
            }
        } else {
            let only_ranks = self.bits.is_empty() && self.tally.is_none();
            self.each_change(first, (full, judged), |cells, machine, key| {
                let (cell, index) = place(fleet, cluster, machine, by_rack);
                if !only_ranks {
                    cells.set_key(cell, index, key);
                } else if !cells.rankings.set(cell, index, key) {
                    return;
                }
                touched.add(cell);
            });
        }
    }

    /// The same for low cells: places all keys first, and then settles each node and cell once.
    #[inline]
    fn place_keys<const IN_BITS: bool>(
        &mut self,
        first: u32,
        machines: (&[MachineId], (&[MachineId], &[K])),
        cell_of: impl Fn(MachineId) -> usize,
        (touched, unsettled): (&mut Touched, &mut Touched),
    ) {
        self.each_change(first, machines, |cells, machine, key| {
            let (cell, at) = (cell_of(machine), (machine.0 - first) as usize);
            touched.add(cell);
            if IN_BITS {
                cells.mark(cell, at, key);
            }
            let (node, is_settled) = cells.rankings.place(cell, at, key);
            unsettled.add_if(node, !is_settled);
        });
        unsettled.drain(|node| self.rankings.settle(node));
        if self.rankings.has_roots() {
            touched.each(|cell| self.rankings.settle_root(cell));
        }
        if IN_BITS {
            touched.each(|cell| self.mark_bests(cell));
        }
    }

    /// Records in the bits, if there are any, that the machine at this position in the cluster gets this key.
    #[inline]
    fn mark(&mut self, cell: usize, at: usize, key: K) {
        let Some(bits) = self.bits.get_mut(cell) else { return };
        let (bit, is_valid) = (at - self.rankings.leaves(cell).0, key != K::INVALID);
        let (tied, best) = (self.tied_under.of(key), self.tied_under.of(self.rankings.best(cell).0));
        // A better machine is the only best one.
        let others = if tied < best { 0 } else { *bits & !(1 << bit) };
        *bits = others | u64::from(is_valid & (tied <= best)) << bit;
        let valid = &mut self.valid[cell];
        *valid = *valid & !(1 << bit) | u64::from(is_valid) << bit;
    }

    /// Finds a cell's best machines again if none of those marked is left.
    #[inline]
    fn mark_bests(&mut self, cell: usize) {
        if let Some(bits) = self.bits.get_mut(cell).filter(|bits| **bits == 0) {
            *bits = self.rankings.tied_bits(cell, self.tied_under);
        }
    }

    /// Calls `change` with each full machine, and with each judged one whose key is new.
    #[inline]
    fn each_change(
        &mut self,
        first: u32,
        (full, (judged, keys)): (&[MachineId], (&[MachineId], &[K])),
        mut change: impl FnMut(&mut Self, MachineId, K),
    ) {
        const BITS: usize = u64::BITS as usize;
        for (machines, keys) in [(full, None), (judged, Some(keys))] {
            for (block, machines) in machines.chunks(BITS).enumerate() {
                let keys = keys.map(|keys| &keys[block * BITS..]);
                // Most keys stay. Comparing them first, in a loop that does nothing else and has no branches on what
                // it sees, lets the processor wait for many of them at once.
                let changed = keys.map_or(u64::MAX >> (BITS - machines.len()), |keys| {
                    let leaf = |machine: &MachineId| self.rankings.leaf((machine.0 - first) as usize);
                    let differs = machines.iter().zip(keys).map(|(machine, key)| leaf(machine) != *key);
                    differs.enumerate().fold(0, |bits, (nth, differs)| bits | u64::from(differs) << nth)
                });
                for nth in ones(changed) {
                    let key = keys.map_or(K::INVALID, |keys| keys[nth as usize]);
                    change(self, machines[nth as usize], key);
                }
            }
        }
    }

    /// Changes a machine's key.
    pub(super) fn set_key(&mut self, cell: usize, index: usize, key: K) {
        if self.rankings.key(cell, index) == key {
            return;
        }
        let at = self.rankings.leaves(cell).0 + index;
        self.mark(cell, at, key);
        self.rankings.set(cell, index, key);
        self.mark_bests(cell);
        if let Some(tally) = &mut self.tally {
            tally.set_key(cell, at, key);
        }
    }

    /// The machines of a cell, by id.
    pub(super) fn machines(&self, cell: &CellPlace) -> Range<u32> {
        let (_, keys) = self.rankings.leaves(cell.at);
        cell.first..cell.first + keys.len() as u32
    }

    /// What the rack adds to every key of a cell with a valid machine.
    pub(super) fn rack_part(&self, cell: usize) -> K {
        self.bests.cells[cell].0.less(self.rankings.best(cell).0)
    }

    /// Changes a cell's best; this may also change its tie breaking. The best overall has to be settled afterwards.
    #[inline]
    pub(super) fn set_best(&mut self, cell: usize, best: Best<K>) {
        self.bests.set(cell, best);
        if let Some(tally) = &mut self.tally {
            tally.change_rack(cell);
        }
        if let Some(ties) = self.ties_mut() {
            ties.change(cell);
        }
    }

    #[inline]
    fn ties_mut(&mut self) -> Option<&mut Ties<K>> {
        self.ties.as_mut()
    }

    /// Its ties, if a rule about chassis breaks them.
    pub(super) fn ties(&self) -> &Ties<K> {
        self.ties.as_ref().expect("a rule about chassis breaks ties")
    }

    /// A cell with a valid machine, whose first machine has this id.
    fn of(&self, cell: usize, first: u32) -> CellOf<'_, K> {
        CellOf { rankings: &self.rankings, cell, rack: self.rack_part(cell), first }
    }
}

/// A cell: its index in its cluster, its rack if it is one, and its first machine.
pub(super) struct CellPlace {
    pub(super) at: usize,
    pub(super) rack: usize,
    pub(super) first: u32,
}

/// Machines of a cell, or of a block of cells from this one on, that are tied for best at one moment.
#[derive(Clone, Copy)]
pub(super) struct Tied {
    pub(super) cluster: ClusterId,
    pub(super) cell: u32,
    pub(super) many: u32,
}

impl<K: PackedKey> Evaluation<K> {
    /// One of the cells.
    #[inline]
    pub(super) fn cell(&self, fleet: &Fleet, cluster: ClusterId, at: u32) -> CellPlace {
        let rack = fleet.cluster(cluster).racks().start + at;
        CellPlace { at: at as usize, rack: rack as usize, first: self.first_machine(fleet, cluster, at) }
    }

    pub(super) fn first_machine(&self, fleet: &Fleet, cluster: ClusterId, cell: u32) -> u32 {
        let cluster = fleet.cluster(cluster);
        if self.by_rack {
            fleet.machines_of_rack(RackId(cluster.racks().start + cell)).start
        } else {
            cluster.machines().start
        }
    }

    /// The cells of a cluster that have a valid machine.
    pub(super) fn cells_of<'a>(
        &'a self,
        fleet: &'a Fleet,
        cluster: ClusterId,
    ) -> impl Iterator<Item = CellOf<'a, K>> + 'a {
        let cells = self.cells[cluster.index()].iter();
        let bests =
            cells.flat_map(|cells| cells.bests.cells.iter().enumerate().map(move |(at, best)| (cells, at, best)));
        bests
            .filter(|(_, _, (_, count))| *count > 0)
            .map(move |(cells, cell, _)| cells.of(cell, self.first_machine(fleet, cluster, cell as u32)))
    }
}

/// A machine's cell.
#[inline]
pub(super) fn cell_of(fleet: &Fleet, cluster: ClusterId, machine: MachineId, by_rack: bool) -> u32 {
    if by_rack { fleet.rack_of(machine).0 - fleet.cluster(cluster).racks().start } else { 0 }
}

/// A machine's cell and its index there.
#[inline]
pub(super) fn place(fleet: &Fleet, cluster: ClusterId, machine: MachineId, by_rack: bool) -> (usize, usize) {
    let cluster = fleet.cluster(cluster);
    if by_rack {
        let rack = fleet.rack_of(machine);
        let cell = rack.0 - cluster.racks().start;
        (cell as usize, (machine.0 - fleet.machines_of_rack(rack).start) as usize)
    } else {
        (0, (machine.0 - cluster.machines().start) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::ranking::Fan;
    use super::*;
    use crate::policy::fields::layout;
    use tiebreak_model::random::{Seed, pick};

    /// Bits that are updated as keys are placed are those that a search finds, whether keys come together or one by
    /// one.
    #[test]
    fn marked_machines_are_those_that_a_search_finds() {
        let (fields, _) = layout(&[2, 2]);
        let stream = Seed(7).stream("marking test");
        for (case, under) in [TiedUnder::All, TiedUnder::Above(fields[1])].into_iter().enumerate() {
            let shape = Arc::new(Shape::of(Fan::OfRacks, [40, 64, 3].into_iter()));
            let mut together: Cells<u32> = Cells::new(shape.clone(), Some(under), None, 0);
            let mut singly: Cells<u32> = Cells::new(shape, Some(under), None, 0);
            let (mut touched, mut unsettled) = (Touched::default(), Touched::default());
            touched.fit(3);
            unsettled.fit(3);
            for step in 0..3_000 {
                let draw = |what, options| pick(stream.draw(step, what), options);
                let mut machines: Vec<_> =
                    (0..1 + draw(0, 6)).map(|nth| MachineId(draw(1 + u64::from(nth), 107))).collect();
                machines.sort_unstable();
                machines.dedup();
                // Invalid machines are common, so that racks without a valid one occur.
                let key = |nth: usize| match draw(20 + nth as u64, 4) {
                    0 => u32::ZERO.with(fields[0], draw(40, 3).into()).with(fields[1], draw(41, 3).into()),
                    _ => u32::INVALID,
                };
                let keys: Vec<_> = (0..machines.len()).map(key).collect();
                let cell_of = |machine: MachineId| [40, 104].iter().filter(|end| machine.0 >= **end).count();
                let changes = (&[][..], (&machines[..], &keys[..]));
                together.place_keys::<true>(0, changes, cell_of, (&mut touched, &mut unsettled));
                touched.drain(|_| ());
                for (machine, key) in machines.iter().zip(&keys) {
                    let cell = cell_of(*machine);
                    singly.set_key(cell, (machine.0 - [0, 40, 104][cell]) as usize, *key);
                }
                for cells in [&together, &singly] {
                    for cell in 0..3 {
                        let valid = cells.rankings.those(cell, |key| key != u32::INVALID);
                        let found = (cells.rankings.tied_bits(cell, under), valid);
                        assert_eq!(
                            (cells.bits[cell], cells.valid[cell]),
                            found,
                            "case {case}, step {step}, cell {cell}"
                        );
                        assert_eq!(cells.rankings.best(cell), together.rankings.best(cell));
                    }
                }
            }
        }
    }
}
