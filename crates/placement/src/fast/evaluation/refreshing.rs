//! Updates ranked cells: machines that changed get new keys, and their cells a new best.
//!
//! The steps are kept as separate functions. In one large function compilers keep most variables on the stack, and a
//! browser takes longer until it has compiled it for speed.

use alloc::vec::Vec;

use tiebreak_model::{ClusterId, Fleet, MachineId, Occupancy, Resources, Scene};

use super::super::batch::{Batch, Part};
use super::super::judges::judge_directly;
use super::super::objects::Books;
use super::super::packed::PackedKey;
use super::cells::{Cells, cell_of, touch};
use super::{Evaluation, Kit};

impl<K: PackedKey> Evaluation<K> {
    /// Updates all cached cells, up to `budget` machines. Returns how many were ranked again.
    pub(crate) fn refresh_all(
        &mut self,
        occupancy: &Occupancy,
        budget: u64,
        kit: &mut Kit<K>,
        books: &mut Books<'_>,
    ) -> u64 {
        let kept: Vec<_> = (0..self.cells.len()).filter(|at| self.cells[*at].is_some()).map(ClusterId::of).collect();
        let before = books.counters.refreshed;
        self.refresh(occupancy, &kept, budget, kit, books);
        let done = books.counters.refreshed - before;
        books.counters.refreshed = before;
        done
    }

    /// Updates clusters' cells, up to `budget` machines.
    pub(super) fn refresh(
        &mut self,
        occupancy: &Occupancy,
        clusters: &[ClusterId],
        budget: u64,
        kit: &mut Kit<K>,
        books: &mut Books<'_>,
    ) {
        let mut batch = core::mem::take(&mut kit.batch);
        batch.clear();
        for cluster in clusters {
            let mut seen = None;
            if let Some(cells) = &mut self.cells[cluster.index()] {
                cells.used_at = books.now;
                seen = Some(cells.revision).filter(|_| kit.caches.journal);
            }
            let stale = seen.is_none_or(|seen| seen < occupancy.journal().revision_of_cluster(*cluster));
            if stale && (batch.machines.len() as u64) < budget {
                batch.add(occupancy, *cluster, seen);
                if seen.is_some() && self.sees_racks && !self.by_rack {
                    batch.widen_to_racks(occupancy.fleet());
                }
            }
        }
        if !batch.parts.is_empty() {
            books.counters.refreshed += batch.machines.len() as u64;
            self.build_missing_cells(occupancy.fleet(), &batch, kit, books.now);
            self.rank_again(occupancy, &batch, kit, books);
        }
        kit.batch = batch;
    }

    /// Judges a batch of machines and gives them their new keys. Machines without room are invalid; only the others
    /// are judged, unless rule objects are kept, which have to know all.
    fn rank_again(&mut self, occupancy: &Occupancy, batch: &Batch, kit: &mut Kit<K>, books: &mut Books<'_>) {
        let (mut roomy, mut full) = (core::mem::take(&mut kit.roomy), core::mem::take(&mut kit.full));
        let mut keys = core::mem::take(&mut kit.keys);
        full.clear();
        let judged = if self.must_be_free == Resources::NONE || kit.caches.keeps_objects() {
            batch
        } else {
            self.drop_full(occupancy, batch, &mut roomy, &mut full);
            &roomy
        };
        self.judge_batch(occupancy, judged, kit, books, &mut keys);
        for (at, part) in batch.parts.iter().enumerate() {
            let full = full.parts.get(at).map_or(&[][..], |part| &full.machines[part.range()]);
            let judged = judged.parts[at].range().map(|at| (judged.machines[at], keys[at]));
            self.set_keys(occupancy, part.cluster, full, judged, kit);
            self.find_bests(occupancy, part.cluster, &batch.machines[part.range()], kit);
        }
        (kit.roomy, kit.full, kit.keys) = (roomy, full, keys);
    }

    /// Splits a batch into machines that have room and those that no longer have any. Machines that were invalid and
    /// have no room are in neither.
    #[inline(never)]
    fn drop_full(&self, occupancy: &Occupancy, batch: &Batch, roomy: &mut Batch, full: &mut Batch) {
        roomy.clear();
        for part in &batch.parts {
            let cells = self.cells[part.cluster.index()].as_ref().expect("it was built");
            let first = occupancy.fleet().cluster(part.cluster).machines().start;
            let has_room = |machine: &MachineId| occupancy.free(*machine).covers(self.must_be_free);
            let is_valid = |machine: &MachineId| cells.rankings.leaf((machine.0 - first) as usize) != K::INVALID;
            let machines = &batch.machines[part.range()];
            split(machines, has_room, is_valid, (&mut roomy.machines, &mut full.machines));
            roomy.end_part(part.cluster);
            full.end_part(part.cluster);
        }
    }

    /// The keys of a batch of machines under the machine rules, layer by layer.
    #[inline(never)]
    fn judge_batch(
        &mut self,
        occupancy: &Occupancy,
        batch: &Batch,
        kit: &mut Kit<K>,
        books: &mut Books<'_>,
        keys: &mut Vec<K>,
    ) {
        let Kit { caches, shared, objects, room, .. } = kit;
        let scene = Scene::of(occupancy);
        if !self.racks.is_common {
            keys.clear();
            keys.resize(batch.machines.len(), K::ZERO);
        } else if caches.shared_state {
            shared.update(occupancy, batch.parts.iter().map(|part| part.cluster), (room, books));
            shared.keys(occupancy, batch, keys);
        } else {
            keys.clear();
            keys.resize(batch.machines.len(), K::ZERO);
            judge_directly(shared.judges(), scene, &batch.machines, (room, keys));
        }
        if caches.keeps_objects() {
            for judge in &mut self.judges {
                objects.verdicts(judge, occupancy, batch, (room, books), |at, judge, verdict| {
                    judge.apply(&mut keys[at], verdict);
                });
            }
        } else {
            judge_directly(&self.judges, scene, &batch.machines, (room, keys));
        }
        if self.sees_racks && !self.by_rack {
            for part in &batch.parts {
                let (machines, keys) = (&batch.machines[part.range()], &mut keys[part.range()]);
                self.racks.add(scene, part.cluster, machines, kit.caches.shared_state, (&kit.shared, keys));
            }
        }
    }

    /// Makes the full machines of a cluster invalid and gives the judged ones their keys.
    #[inline(never)]
    fn set_keys(
        &mut self,
        occupancy: &Occupancy,
        cluster: ClusterId,
        full: &[MachineId],
        judged: impl Iterator<Item = (MachineId, K)>,
        kit: &mut Kit<K>,
    ) {
        let cells = self.cells[cluster.index()].as_mut().expect("it was built");
        let first = occupancy.fleet().cluster(cluster).machines().start;
        // Most keys stay. Comparing them first, in a loop that does nothing else, lets the processor wait for many of
        // them at once.
        let has_changed = |(machine, key): &(MachineId, K)| cells.rankings.leaf((machine.0 - first) as usize) != *key;
        kit.changed.clear();
        kit.changed.extend(full.iter().map(|machine| (*machine, K::INVALID)));
        kit.changed.extend(judged.filter(has_changed));
        kit.touched.clear();
        cells.set_keys(occupancy.fleet(), cluster, self.by_rack, &kit.changed, &mut kit.touched);
    }

    /// Gives the cells of a cluster their new best, now that these machines have their keys.
    #[inline(never)]
    fn find_bests(&mut self, occupancy: &Occupancy, cluster: ClusterId, machines: &[MachineId], kit: &mut Kit<K>) {
        let Self { cells, racks, by_rack, .. } = self;
        let (fleet, scene, kept) = (occupancy.fleet(), Scene::of(occupancy), kit.caches.shared_state);
        let cells = cells[cluster.index()].as_mut().expect("it was built");
        let touched = machines.iter().map(|machine| cell_of(fleet, cluster, *machine, *by_rack));
        // The shared state may know which racks changed.
        if kept && racks.are_shared() {
            let changes = kit.shared.changes_of_racks(cluster);
            let seen = core::mem::replace(&mut cells.racks_seen, changes.revision());
            kit.touched.extend(changes.since(seen).filter(|_| *by_rack));
            if let Some(ties) = &mut cells.ties {
                touched.for_each(|cell| ties.change(cell as usize));
            }
        } else {
            touched.for_each(|cell| touch(&mut kit.touched, cell));
        }
        cells.revision = occupancy.revision();
        for cell in &kit.touched {
            let mut best = cells.rankings.best(*cell as usize);
            if *by_rack {
                best = racks.best(scene, (cluster, *cell), best, (kept, &kit.shared));
            }
            cells.set_best(*cell as usize, best);
        }
    }

    /// Builds the cells of a batch's clusters that have none, without candidates.
    fn build_missing_cells(&mut self, fleet: &Fleet, batch: &Batch, kit: &mut Kit<K>, now: u64) {
        for Part { cluster, .. } in &batch.parts {
            let cells = &mut self.cells[cluster.index()];
            if cells.is_none() {
                *cells = Some(Cells::new(kit.shape(fleet, *cluster), self.bits, kit.tiebreaker(), now));
            }
        }
    }
}

/// Writes each machine to the end of the first list if it belongs there, else to the second if it belongs there.
///
/// Kept as a separate function without branches: which list a machine belongs to is hard to predict.
#[inline(never)]
fn split(
    machines: &[MachineId],
    is_first: impl Fn(&MachineId) -> bool,
    is_second: impl Fn(&MachineId) -> bool,
    (first, second): (&mut Vec<MachineId>, &mut Vec<MachineId>),
) {
    let (mut firsts, mut seconds) = (first.len(), second.len());
    first.resize(firsts + machines.len(), MachineId(0));
    second.resize(seconds + machines.len(), MachineId(0));
    for machine in machines {
        let (is_first, is_second) = (is_first(machine), is_second(machine));
        (first[firsts], second[seconds]) = (*machine, *machine);
        firsts += usize::from(is_first);
        seconds += usize::from(!is_first & is_second);
    }
    first.truncate(firsts);
    second.truncate(seconds);
}
