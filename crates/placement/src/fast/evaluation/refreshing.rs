//! Updates ranked cells: machines that changed get new keys, and their cells a new best.
//!
//! The steps are kept as separate functions. In one large function compilers keep most variables on the stack, and a
//! browser takes longer until it has compiled it for speed.

use alloc::vec::Vec;

use tiebreak_model::journal::Revision;
use tiebreak_model::{ClusterId, MachineId, Occupancy, Resources, Scene};

use super::super::batch::{Batch, Part};
use super::super::judges::judge_directly;
use super::super::objects::Books;
use super::super::packed::PackedKey;
use super::super::slots::{BLOCK, Slots};
use super::cells::{Cells, cell_of};
use super::racks::with_part;
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
        [&mut kit.batch, &mut kit.roomy, &mut kit.full].into_iter().for_each(Batch::clear);
        for cluster in clusters {
            let mut seen = None;
            if let Some(cells) = &mut self.cells[cluster.index()] {
                cells.used_at = books.now;
                seen = Some(cells.revision).filter(|_| kit.caches.journal);
            }
            let stale = seen.is_none_or(|seen| seen < occupancy.journal().revision_of_cluster(*cluster));
            if stale && (kit.batch.machines.len() as u64) < budget {
                self.read_changes(occupancy, (*cluster, seen), kit, books.now);
            }
        }
        if !kit.batch.parts.is_empty() {
            books.counters.refreshed += kit.batch.machines.len() as u64;
            self.rank_again(occupancy, kit, books);
        }
    }

    /// Adds the machines of a cluster that changed to the batch, or all if there is no ranking yet, and splits them
    /// into those that have room and those that no longer have any. Machines that were invalid and have no room are in
    /// neither. Rule objects have to know all machines, so for them, all have room.
    #[inline(never)]
    fn read_changes(
        &mut self,
        occupancy: &Occupancy,
        (cluster, seen): (ClusterId, Option<Revision>),
        kit: &mut Kit<K>,
        now: u64,
    ) {
        let fleet = occupancy.fleet();
        let build = || Cells::new(kit.shape(fleet, cluster), self.bits, kit.tiebreaker(), now);
        let rankings = &self.cells[cluster.index()].get_or_insert_with(build).rankings;
        let first = fleet.cluster(cluster).machines().start;
        let must_be_free = if kit.caches.keeps_objects() { Resources::NONE } else { self.must_be_free };
        let has_room = |free: Resources| free.covers(must_be_free);
        let was_valid = |machine: MachineId| rankings.is_valid((machine.0 - first) as usize);
        let widens = self.sees_racks && !self.by_rack;
        let Kit { batch, roomy, full, .. } = kit;
        let lists = [&mut batch.machines, &mut roomy.machines, &mut full.machines];
        match seen.filter(|_| !widens) {
            Some(since) => split(occupancy.journal().changed_since(cluster, since), has_room, was_valid, lists),
            None => {
                let mut listed = Batch::default();
                listed.add(occupancy, cluster, seen);
                if seen.is_some() {
                    listed.widen_to_racks(fleet);
                }
                let machines = listed.machines.iter().map(|machine| (*machine, occupancy.free(*machine)));
                split(machines, has_room, was_valid, lists);
            }
        }
        batch.end_part(cluster, None);
        roomy.end_part(cluster, seen.filter(|_| !widens));
        full.end_part(cluster, None);
    }

    /// Judges the machines of a batch that have room, and gives all of them their new keys.
    fn rank_again(&mut self, occupancy: &Occupancy, kit: &mut Kit<K>, books: &mut Books<'_>) {
        let batch = core::mem::take(&mut kit.batch);
        let (roomy, full) = (core::mem::take(&mut kit.roomy), core::mem::take(&mut kit.full));
        let mut keys = core::mem::take(&mut kit.keys);
        self.judge_batch(occupancy, &roomy, kit, books, &mut keys);
        for (at, Part { cluster, .. }) in batch.parts.iter().enumerate() {
            let [all, judged, full_ones] = [&batch, &roomy, &full].map(|list| list.parts[at].range());
            let cells = self.cells[cluster.index()].as_mut().expect("it was built");
            cells.set_keys(
                (occupancy.fleet(), *cluster, self.by_rack),
                &full.machines[full_ones],
                (&roomy.machines[judged.clone()], &keys[judged]),
                (&mut kit.touched, &mut kit.unsettled),
            );
            self.find_bests(occupancy, *cluster, &batch.machines[all], kit);
        }
        (kit.batch, kit.roomy, kit.full, kit.keys) = (batch, roomy, full, keys);
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
            shared.judge_directly(scene, &batch.machines, (room, keys));
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
            changes.since(seen).filter(|_| *by_rack).for_each(|rack| kit.touched.add(rack as usize));
            if let Some(ties) = &mut cells.ties {
                touched.for_each(|cell| ties.change(cell as usize));
            }
        } else {
            touched.for_each(|cell| kit.touched.add(cell as usize));
        }
        cells.revision = occupancy.revision();
        let parts = (kept && racks.are_shared()).then(|| kit.shared.racks(cluster));
        kit.touched.drain(|cell| {
            let best = cells.rankings.best(cell);
            let best = match parts {
                _ if !*by_rack => best,
                Some(parts) => with_part(best, parts[cell]),
                None => racks.best(scene, (cluster, cell as u32), best, (kept, &kit.shared)),
            };
            cells.set_best(cell, best);
        });
        cells.bests.settle();
    }
}

/// Writes all machines to the end of the first list, each that has room to the second, and each other one that was
/// valid to the third.
///
/// The loop that reads the journal also looks at the cells, so that the processor waits for both at once. It has no
/// branches on what it sees, which is hard to predict: every machine is written to every list, and perhaps
/// overwritten by the next. It writes into blocks of fixed size, so that positions stay in registers.
#[inline(never)]
fn split(
    mut machines: impl Iterator<Item = (MachineId, Resources)>,
    has_room: impl Fn(Resources) -> bool,
    was_valid: impl Fn(MachineId) -> bool,
    [all, roomy, full]: [&mut Slots; 3],
) {
    loop {
        let (mut len, mut roomy_len, mut full_len) = (0, 0, 0);
        let (all_block, roomy_block, full_block) = (all.block(), roomy.block(), full.block());
        while len < BLOCK {
            let Some((machine, free)) = machines.next() else { break };
            let (has_room, was_valid) = (has_room(free), was_valid(machine));
            all_block[len] = machine;
            roomy_block[roomy_len % BLOCK] = machine;
            full_block[full_len % BLOCK] = machine;
            len += 1;
            roomy_len += usize::from(has_room);
            full_len += usize::from(!has_room & was_valid);
        }
        all.written(len);
        roomy.written(roomy_len);
        full.written(full_len);
        if len < BLOCK {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_machine_is_in_the_lists_that_it_belongs_to() {
        let free = |machine: MachineId| Resources::new(machine.0, 0, 0, 0);
        let has_room = |free: Resources| free.cores_milli().is_multiple_of(3);
        let was_valid = |machine: MachineId| machine.0.is_multiple_of(2);
        let mut lists: [Slots; 3] = Default::default();
        let mut expected: [Vec<MachineId>; 3] = Default::default();
        for machines in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 100] {
            let machines = (0..machines as u32).map(MachineId);
            split(machines.clone().map(|it| (it, free(it))), has_room, was_valid, lists.each_mut());
            expected[0].extend(machines.clone());
            expected[1].extend(machines.clone().filter(|it| has_room(free(*it))));
            expected[2].extend(machines.filter(|it| !has_room(free(*it)) && was_valid(*it)));
            assert_eq!(lists.each_ref().map(|list| list.to_vec()), expected, "added to what was there");
        }
        let [mut all, ..] = lists;
        all.truncate(1);
        all.extend([MachineId(9)].into_iter());
        assert_eq!(all.to_vec(), [MachineId(0), MachineId(9)]);
        all.clear();
        assert!(all.is_empty());
    }
}
