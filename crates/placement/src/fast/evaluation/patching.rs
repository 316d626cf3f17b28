//! Patches for the requesting tenant's VMs: applied for one decision, then reverted.

use alloc::vec::Vec;

use tiebreak_model::{ClusterId, MachineId, Scene};

use super::super::judges::judge_directly;
use super::super::packed::PackedKey;
use super::super::ranking::Best;
use super::cells::{Cells, cell_of, place};
use super::{Evaluation, Kit};

/// What a tenant's VMs changed for one decision: keys of machines and bests of cells as they were before.
pub(super) struct Patch<K> {
    keys: Vec<(ClusterId, u32, u32, K)>,
    bests: Vec<(ClusterId, u32, Best<K>)>,
}

impl<K> Default for Patch<K> {
    fn default() -> Self {
        Self { keys: Vec::new(), bests: Vec::new() }
    }
}

impl<K: PackedKey> Evaluation<K> {
    /// Applies the effect of the requesting tenant's VMs, for one decision.
    pub(super) fn patch(&mut self, scene: Scene<'_>, clusters: &[ClusterId], kit: &mut Kit<K>) {
        if !self.sees_tenant || scene.footprint.is_empty() {
            return;
        }
        let fleet = scene.occupancy.fleet();
        let mut batch = core::mem::take(&mut kit.batch);
        for cluster in clusters {
            batch.clear();
            batch.add_some(*cluster, scene.footprint.machines_in(fleet.cluster(*cluster).machines()));
            if self.sees_racks && !self.by_rack {
                batch.widen_to_racks(fleet);
            }
            if !batch.machines.is_empty() {
                self.patch_cluster(scene, *cluster, &batch.machines, kit);
            }
        }
        kit.batch = batch;
    }

    /// Judges the machines of one cluster again without any cache layer: cached verdicts do not depend on the tenant.
    /// Without room, a machine stays invalid, whatever other rules say.
    fn patch_cluster(&mut self, scene: Scene<'_>, cluster: ClusterId, machines: &[MachineId], kit: &mut Kit<K>) {
        let Kit { shared, room, keys, patch, roomy, .. } = kit;
        let has_room = |machine: &MachineId| scene.occupancy.free(*machine).covers(self.must_be_free);
        roomy.clear();
        roomy.add_some(cluster, machines.iter().copied().filter(has_room));
        if self.racks.is_common {
            shared.judge_directly(scene, &roomy.machines, (room, keys));
        } else {
            keys.clear();
            keys.resize(roomy.machines.len(), K::ZERO);
        }
        judge_directly(&self.judges, scene, &roomy.machines, (room, keys));
        if self.sees_racks && !self.by_rack {
            self.racks.add(scene, cluster, &roomy.machines, false, (shared, keys));
        }
        let (fleet, by_rack) = (scene.occupancy.fleet(), self.by_rack);
        let cells = self.cells[cluster.index()].as_mut().expect("the cluster was brought up to date");
        let earlier = patch.bests.len();
        for machine in machines {
            let cell = cell_of(fleet, cluster, *machine, by_rack);
            // The machines are in order of id, so those of a cell follow each other.
            if patch.bests[earlier..].last().is_none_or(|(_, last, _)| *last != cell) {
                patch.bests.push((cluster, cell, cells.bests.cells[cell as usize]));
            }
        }
        for (machine, key) in roomy.machines.iter().zip(&*keys) {
            let (cell, index) = place(fleet, cluster, *machine, by_rack);
            let before = cells.rankings.key(cell, index);
            if before != *key {
                patch.keys.push((cluster, cell as u32, index as u32, before));
                cells.set_key(cell, index, *key);
            }
        }
        for (_, cell, _) in &patch.bests[earlier..] {
            let best = cells.rankings.best(*cell as usize);
            let best = if by_rack { self.racks.best(scene, (cluster, *cell), best, (false, shared)) } else { best };
            cells.set_best(*cell as usize, best);
        }
        cells.bests.settle();
    }

    pub(super) fn unpatch(&mut self, kit: &mut Kit<K>) {
        let Patch { keys, bests } = &mut kit.patch;
        for (cluster, cell, index, key) in keys.drain(..) {
            self.patched(cluster).set_key(cell as usize, index as usize, key);
        }
        for (cluster, cell, best) in bests.drain(..) {
            let cells = self.patched(cluster);
            cells.set_best(cell as usize, best);
            cells.bests.settle();
        }
    }

    fn patched(&mut self, cluster: ClusterId) -> &mut Cells<K> {
        self.cells[cluster.index()].as_mut().expect("what was patched is there")
    }
}
