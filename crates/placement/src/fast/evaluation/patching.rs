//! Patches for the requesting tenant's VMs: applied for one decision, then reverted.

use alloc::vec::Vec;

use tiebreak_model::{ClusterId, MachineId, Scene};

use super::super::judges::judge_directly;
use super::super::packed::PackedKey;
use super::super::ranking::Best;
use super::cells::place;
use super::{Evaluation, Kit};

/// What a tenant's VMs changed for one decision.
pub(super) struct Patch<K> {
    cluster: ClusterId,
    machines: Vec<(u32, u32, K)>,
    bests: Vec<(u32, Best<K>)>,
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
                let patch = self.patch_cluster(scene, *cluster, &batch.machines, kit);
                kit.patches.push(patch);
            }
        }
        kit.batch = batch;
    }

    /// Judges the machines of one cluster again without any cache layer: cached verdicts do not depend on the tenant.
    fn patch_cluster(
        &mut self,
        scene: Scene<'_>,
        cluster: ClusterId,
        machines: &[MachineId],
        kit: &mut Kit<K>,
    ) -> Patch<K> {
        let Kit { shared, room, keys, .. } = kit;
        keys.clear();
        keys.resize(machines.len(), K::ZERO);
        if self.racks.is_common {
            judge_directly(shared.judges(), scene, machines, (room, keys));
        }
        judge_directly(&self.judges, scene, machines, (room, keys));
        if self.sees_racks && !self.by_rack {
            self.racks.add(scene, cluster, machines, false, (shared, keys));
        }
        let fleet = scene.occupancy.fleet();
        let mut cells = self.cells[cluster.index()].take().expect("the cluster was brought up to date");
        let mut patch = Patch { cluster, machines: Vec::new(), bests: Vec::new() };
        for (machine, key) in machines.iter().zip(&*keys) {
            let (cell, index) = place(fleet, cluster, *machine, self.by_rack);
            patch.machines.push((cell as u32, index as u32, cells.rankings.key(cell, index)));
            cells.set_key(cell, index, *key);
            if patch.bests.last().is_none_or(|(last, _)| *last != cell as u32) {
                patch.bests.push((cell as u32, cells.bests.cells[cell]));
            }
        }
        for (cell, _) in &patch.bests {
            let best = cells.rankings.best(*cell as usize);
            let best =
                if self.by_rack { self.racks.best(scene, (cluster, *cell), best, (false, shared)) } else { best };
            cells.set_best(*cell as usize, best);
        }
        self.cells[cluster.index()] = Some(cells);
        patch
    }

    pub(super) fn unpatch(&mut self, kit: &mut Kit<K>) {
        for patch in kit.patches.drain(..) {
            let cells = self.cells[patch.cluster.index()].as_mut().expect("what was patched is there");
            for (cell, index, key) in patch.machines {
                cells.set_key(cell as usize, index as usize, key);
            }
            for (cell, best) in patch.bests {
                cells.set_best(cell as usize, best);
            }
        }
    }
}
