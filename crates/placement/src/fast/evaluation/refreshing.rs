//! Updates ranked cells: machines that changed get new keys, and their cells a new best.

use alloc::vec::Vec;

use tiebreak_model::journal::Revision;
use tiebreak_model::{ClusterId, Fleet, MachineId, Occupancy, RackId, Resources, Scene};

use super::super::batch::Batch;
use super::super::judges::together;
use super::super::objects::Books;
use super::super::packed::PackedKey;
use super::super::ranking::{Best, Bests, Rankings};
use super::super::shared::{Shared, judge_directly};
use super::super::ties::Ties;
use super::cells::{Cells, cell_of, place};
use super::{Evaluation, Kit};
use crate::policy::fields::Field;

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
            self.key_batch(occupancy, &batch, kit, books);
            self.rank_batch(occupancy, &batch, kit, books.now);
        }
        kit.batch = batch;
    }

    /// The keys of a batch of machines, into `kit.keys`. Machines without room are invalid; only the others are judged,
    /// unless rule objects are kept, which have to know all.
    fn key_batch(&mut self, occupancy: &Occupancy, batch: &Batch, kit: &mut Kit<K>, books: &mut Books<'_>) {
        let mut keys = core::mem::take(&mut kit.keys);
        if self.must_be_free == Resources::NONE || kit.caches.keeps_objects() {
            self.judge_batch(occupancy, batch, kit, books, &mut keys);
        } else {
            let (mut roomy, mut of_roomy) = (core::mem::take(&mut kit.roomy), core::mem::take(&mut kit.roomy_keys));
            let has_room = |machine| occupancy.free(machine).covers(self.must_be_free);
            roomy.take_from(batch, &mut kit.positions, has_room);
            self.judge_batch(occupancy, &roomy, kit, books, &mut of_roomy);
            keys.clear();
            keys.resize(batch.machines.len(), K::INVALID);
            kit.positions.iter().zip(&of_roomy).for_each(|(at, key)| keys[*at as usize] = *key);
            (kit.roomy, kit.roomy_keys) = (roomy, of_roomy);
        }
        kit.keys = keys;
    }

    /// The keys of a batch of machines under the machine rules, layer by layer.
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
        if alike == K::INVALID { alike } else { together(alike, self.racks.key(scene, rack)) }
    }

    /// Gives a batch of machines their new keys, and their cells the new best.
    fn rank_batch(&mut self, occupancy: &Occupancy, batch: &Batch, kit: &mut Kit<K>, now: u64) {
        let (fleet, scene, kept) = (occupancy.fleet(), Scene::of(occupancy), kit.caches.shared_state);
        for part in &batch.parts {
            let (machines, keys) = (&batch.machines[part.range()], &kit.keys[part.range()]);
            let mut cells = match self.cells[part.cluster.index()].take() {
                Some(cells) => cells,
                None => self.build_cells(fleet, part.cluster, keys, (kit.tiebreaker(), now)),
            };
            let first = fleet.cluster(part.cluster).machines().start;
            // Most keys stay. Comparing them first, in a loop that does nothing else, lets the processor wait for
            // many of them at once.
            kit.changed.clear();
            let positions = machines.iter().map(|machine| (machine.0 - first) as usize);
            let changed = (0..).zip(positions.zip(keys)).filter(|(_, (at, key))| cells.rankings.leaf(*at) != **key);
            kit.changed.extend(changed.map(|(at, _): (u32, _)| at));
            for at in &kit.changed {
                let (cell, index) = place(fleet, part.cluster, machines[*at as usize], self.by_rack);
                cells.set_key(cell, index, keys[*at as usize]);
            }
            // A rack's own part can change although no key does.
            let touched = &mut kit.touched;
            touched.mark(machines.iter().map(|machine| cell_of(fleet, part.cluster, *machine, self.by_rack)));
            for cell in touched.drain() {
                let best = cells.rankings.best(cell);
                cells.set_best(cell, self.best_of(scene, part.cluster, cell as u32, best, (kept, &kit.shared)));
            }
            cells.revision = occupancy.revision();
            self.cells[part.cluster.index()] = Some(cells);
        }
    }

    /// Builds the cells of a cluster, none of them compared yet.
    fn build_cells(
        &self,
        fleet: &Fleet,
        cluster: ClusterId,
        keys: &[K],
        (tiebreaker, now): (Option<Field>, u64),
    ) -> Cells<K> {
        let whole = fleet.cluster(cluster);
        let racks = whole.racks().map(|rack| fleet.machines_of_rack(RackId(rack)).len());
        let rankings = if self.by_rack {
            Rankings::build(keys.to_vec(), racks)
        } else {
            Rankings::build(keys.to_vec(), core::iter::once(whole.machines().len()))
        };
        let bits = (0..rankings.len()).filter(|_| self.has_bits).map(|cell| rankings.bits(cell)).collect();
        let ties = tiebreaker.map(|field| Ties::new(field, rankings.len()));
        let bests = Bests::none(rankings.len());
        Cells { revision: Revision(0), used_at: now, bests, rankings, bits, ties, tally: None }
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
