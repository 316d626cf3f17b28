//! Updates ranked cells: machines that changed get new keys, and their cells a new best.
//!
//! The steps are kept as separate functions. In one large function compilers keep most variables on the stack, and a
//! browser takes longer until it has compiled it for speed.

use alloc::vec::Vec;

use tiebreak_model::{ClusterId, Fleet, MachineId, Occupancy, RackId, Resources, Scene};

use super::super::batch::{Batch, Part};
use super::super::judges::{judge_directly, together};
use super::super::objects::Books;
use super::super::packed::PackedKey;
use super::super::ranking::Best;
use super::super::shared::Shared;
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
            let cells = self.cells[cluster.index()].as_mut();
            let seen = cells.map(|cells| {
                cells.used_at = books.now;
                cells.revision
            });
            let seen = seen.filter(|_| kit.caches.journal);
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
            self.find_bests(occupancy, &batch, kit);
        }
        kit.batch = batch;
    }

    /// Judges a batch of machines and gives them their new keys. Machines without room are invalid; only the others
    /// are judged, unless rule objects are kept, which have to know all.
    fn rank_again(&mut self, occupancy: &Occupancy, batch: &Batch, kit: &mut Kit<K>, books: &mut Books<'_>) {
        let (mut keys, mut roomy) = (core::mem::take(&mut kit.keys), core::mem::take(&mut kit.roomy));
        kit.touched.clear();
        let judged = if self.must_be_free == Resources::NONE || kit.caches.keeps_objects() {
            batch
        } else {
            self.drop_full(occupancy, batch, &mut roomy, kit);
            &roomy
        };
        self.judge_batch(occupancy, judged, kit, books, &mut keys);
        self.set_keys(occupancy, judged, &keys, kit);
        (kit.keys, kit.roomy) = (keys, roomy);
    }

    /// Makes the machines of a batch that have no room invalid, and writes the others to `roomy`.
    #[inline(never)]
    fn drop_full(&mut self, occupancy: &Occupancy, batch: &Batch, roomy: &mut Batch, kit: &mut Kit<K>) {
        roomy.clear();
        for part in &batch.parts {
            let cells = self.cells[part.cluster.index()].as_mut().expect("it was built");
            let first = occupancy.fleet().cluster(part.cluster).machines().start;
            let has_room = |machine: &MachineId| occupancy.free(*machine).covers(self.must_be_free);
            kit.full.clear();
            split(&batch.machines[part.range()], has_room, &mut roomy.machines, &mut kit.full);
            roomy.end_part(part.cluster);
            let was_valid = |machine: &MachineId| cells.rankings.leaf((machine.0 - first) as usize) != K::INVALID;
            kit.changed.clear();
            kit.changed.extend(kit.full.iter().copied().filter(was_valid).map(|machine| (machine, K::INVALID)));
            cells.set_keys(occupancy.fleet(), part.cluster, self.by_rack, &kit.changed, &mut kit.touched);
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
        if !self.is_common {
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
                self.add_racks(scene, part.cluster, machines, kit.caches.shared_state, (&kit.shared, keys));
            }
        }
    }

    /// Adds the racks' part to the keys, if racks are not ranked separately.
    pub(super) fn add_racks(
        &self,
        scene: Scene<'_>,
        cluster: ClusterId,
        machines: &[MachineId],
        kept: bool,
        (shared, keys): (&Shared<K>, &mut [K]),
    ) {
        let mut last: Option<(RackId, K)> = None;
        for (machine, key) in machines.iter().zip(keys) {
            let rack = scene.occupancy.fleet().rack_of(*machine);
            let part = match last {
                Some((same, part)) if same == rack => part,
                _ => self.rack_key(scene, cluster, rack, kept, shared),
            };
            last = Some((rack, part));
            *key = together(*key, part);
        }
    }

    /// A rack's part of all keys of this class. `kept` reads the shared state, which holds for a tenant without VMs.
    fn rack_key(&self, scene: Scene<'_>, cluster: ClusterId, rack: RackId, kept: bool, shared: &Shared<K>) -> K {
        if !self.is_common {
            return self.racks.key(scene, rack);
        }
        let alike = if kept {
            let first = scene.occupancy.fleet().cluster(cluster).racks().start;
            shared.rack(cluster, (rack.0 - first) as usize)
        } else {
            shared.judge_rack(scene, rack)
        };
        if alike == K::INVALID || self.racks.is_empty() { alike } else { together(alike, self.racks.key(scene, rack)) }
    }

    /// Gives a batch of machines these keys.
    #[inline(never)]
    fn set_keys(&mut self, occupancy: &Occupancy, batch: &Batch, keys: &[K], kit: &mut Kit<K>) {
        for part in &batch.parts {
            let cells = self.cells[part.cluster.index()].as_mut().expect("it was built");
            let first = occupancy.fleet().cluster(part.cluster).machines().start;
            // Most keys stay. Comparing them first, in a loop that does nothing else, lets the processor wait for
            // many of them at once.
            let new = batch.machines[part.range()].iter().copied().zip(keys[part.range()].iter().copied());
            let has_changed =
                |(machine, key): &(MachineId, K)| cells.rankings.leaf((machine.0 - first) as usize) != *key;
            kit.changed.clear();
            kit.changed.extend(new.filter(has_changed));
            cells.set_keys(occupancy.fleet(), part.cluster, self.by_rack, &kit.changed, &mut kit.touched);
        }
    }

    /// Gives the cells of a batch their new best, now that its machines have their keys.
    #[inline(never)]
    fn find_bests(&mut self, occupancy: &Occupancy, batch: &Batch, kit: &mut Kit<K>) {
        let (fleet, scene, kept) = (occupancy.fleet(), Scene::of(occupancy), kit.caches.shared_state);
        // The shared state knows which racks changed if it has all that a rack adds to a key.
        let knows_racks = kept && self.is_common && self.racks.is_empty();
        for part in &batch.parts {
            let cells = self.cells[part.cluster.index()].as_mut().expect("it was built");
            let machines = batch.machines[part.range()].iter();
            let touched = machines.map(|machine| cell_of(fleet, part.cluster, *machine, self.by_rack));
            if knows_racks {
                let changes = kit.shared.changes_of_racks(part.cluster);
                let seen = core::mem::replace(&mut cells.racks_seen, changes.revision());
                let racks = changes.since(seen).filter(|_| self.by_rack);
                kit.touched.extend(racks.map(|rack| (part.cluster, rack)));
                if let Some(ties) = &mut cells.ties {
                    touched.for_each(|cell| ties.change(cell as usize));
                }
            } else {
                touched.for_each(|cell| touch(&mut kit.touched, (part.cluster, cell)));
            }
            cells.revision = occupancy.revision();
        }
        for (cluster, cell) in &kit.touched {
            let cells = self.cells[cluster.index()].as_ref().expect("it was built");
            let best = cells.rankings.best(*cell as usize);
            let best = self.best_of(scene, *cluster, *cell, best, (kept, &kit.shared));
            self.cells[cluster.index()].as_mut().expect("it was built").set_best(*cell as usize, best);
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

    /// A cell's best key under all rules (Protean section 5.2.5), and how many have it.
    pub(super) fn best_of(
        &self,
        scene: Scene<'_>,
        cluster: ClusterId,
        cell: u32,
        (key, count): Best<K>,
        (kept, shared): (bool, &Shared<K>),
    ) -> Best<K> {
        if !self.by_rack || count == 0 {
            return (key, count);
        }
        let rack = RackId(scene.occupancy.fleet().cluster(cluster).racks().start + cell);
        let part = self.rack_key(scene, cluster, rack, kept, shared);
        if part == K::INVALID { (K::INVALID, 0) } else { (key.plus(part), count) }
    }
}

/// Writes each machine to the end of one of two lists.
///
/// Kept as a separate function without branches: which list a machine belongs to is hard to predict.
#[inline(never)]
fn split(
    machines: &[MachineId],
    is_first: impl Fn(&MachineId) -> bool,
    first: &mut Vec<MachineId>,
    second: &mut Vec<MachineId>,
) {
    let (mut firsts, mut seconds) = (first.len(), second.len());
    first.resize(firsts + machines.len(), MachineId(0));
    second.resize(seconds + machines.len(), MachineId(0));
    for machine in machines {
        let is_first = is_first(machine);
        (first[firsts], second[seconds]) = (*machine, *machine);
        firsts += usize::from(is_first);
        seconds += usize::from(!is_first);
    }
    first.truncate(firsts);
    second.truncate(seconds);
}
