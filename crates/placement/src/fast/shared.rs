//! Shared state: verdicts that several rules and all evaluations read (Protean section 5.2.3).
//!
//! Most machine and rack rules do not depend on the VM's size (is the machine ready, is it empty, is it reserved for
//! another tenant, how full is its rack), and give the same verdict to all requests of tenants without placement
//! terms. These verdicts are computed once per change and cached as one partial key per machine and rack, which
//! evaluations complete.

use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::journal::Revision;
use tiebreak_model::{ClusterId, MachineId, Occupancy, RackId, Scene};

use super::batch::Batch;
use super::judges::{Judge, RackJudges, Room};
use super::objects::Books;
use super::packed::PackedKey;

/// The partial keys of all machines and racks, cluster by cluster.
pub(crate) struct Shared<K> {
    judges: Vec<Judge>,
    racks: RackJudges,
    columns: Vec<Option<SharedColumn<K>>>,
    stale: Batch,
}

struct SharedColumn<K> {
    revision: Revision,
    machines: Vec<K>,
    racks: Vec<K>,
}

impl<K: PackedKey> Shared<K> {
    /// For these rules and a fleet with this many clusters.
    pub(crate) fn new(judges: Vec<Judge>, racks: RackJudges, clusters: usize) -> Self {
        Self { judges, racks, columns: (0..clusters).map(|_| None).collect(), stale: Batch::default() }
    }

    /// The partial keys of a batch of machines.
    pub(crate) fn keys(&mut self, occupancy: &Occupancy, batch: &Batch, keys: &mut Vec<K>) {
        keys.clear();
        for part in &batch.parts {
            let first = occupancy.fleet().cluster(part.cluster).machines().start;
            let column = self.column(part.cluster);
            let machines = &batch.machines[part.range()];
            keys.extend(machines.iter().map(|machine| column.machines[(machine.0 - first) as usize]));
        }
    }

    fn column(&self, cluster: ClusterId) -> &SharedColumn<K> {
        self.columns[cluster.index()].as_ref().expect("the cluster was brought up to date")
    }

    /// A rack's part of all keys.
    pub(crate) fn rack(&self, cluster: ClusterId, rack: usize) -> K {
        self.column(cluster).racks[rack]
    }

    /// Updates clusters.
    pub(crate) fn update(
        &mut self,
        occupancy: &Occupancy,
        clusters: impl Iterator<Item = ClusterId>,
        (room, books): (&mut Room, &mut Books<'_>),
    ) {
        let mut stale = core::mem::take(&mut self.stale);
        stale.clear();
        for cluster in clusters {
            let column = self.columns[cluster.index()].as_ref();
            let seen = column.map(|column| column.revision).filter(|_| books.journal);
            if seen.is_none_or(|seen| seen < occupancy.journal().revision_of_cluster(cluster)) {
                stale.add(occupancy, cluster, seen);
            }
        }
        if !books.background {
            books.counters.shared.hits += u64::from(stale.machines.is_empty());
            books.counters.shared.misses += u64::from(!stale.machines.is_empty());
        }
        if !stale.machines.is_empty() {
            books.counters.shared_updates += stale.machines.len() as u64;
            self.judge(occupancy, &stale, room);
        }
        self.stale = stale;
    }

    fn judge(&mut self, occupancy: &Occupancy, stale: &Batch, room: &mut Room) {
        let mut keys = vec![K::ZERO; stale.machines.len()];
        for judge in &self.judges {
            judge.verdicts(Scene::of(occupancy), &stale.machines, room, |at, verdict| {
                judge.apply(&mut keys[at], verdict);
            });
        }
        for part in &stale.parts {
            let cluster = occupancy.fleet().cluster(part.cluster);
            let (machines, racks) = (cluster.machines(), cluster.racks());
            let fresh = || SharedColumn {
                revision: Revision(0),
                machines: vec![K::ZERO; machines.len()],
                racks: vec![K::ZERO; racks.len()],
            };
            let column = self.columns[part.cluster.index()].get_or_insert_with(fresh);
            column.revision = occupancy.revision();
            let mut last = None;
            for (machine, key) in stale.machines[part.range()].iter().zip(&keys[part.range()]) {
                column.machines[(machine.0 - machines.start) as usize] = *key;
                let rack = occupancy.fleet().rack_of(*machine);
                if last.replace(rack) != Some(rack) {
                    column.racks[(rack.0 - racks.start) as usize] = self.racks.key(Scene::of(occupancy), rack);
                }
            }
        }
    }

    /// The machine rules themselves, for verdicts that are not cached.
    pub(crate) fn judges(&self) -> &[Judge] {
        &self.judges
    }

    /// The rack rules' verdict on a rack, uncached.
    pub(crate) fn judge_rack(&self, scene: Scene<'_>, rack: RackId) -> K {
        self.racks.key(scene, rack)
    }

    /// Bytes it holds.
    pub(crate) fn bytes(&self) -> u64 {
        let keys = |column: &SharedColumn<K>| column.machines.capacity() + column.racks.capacity();
        self.columns.iter().flatten().map(|column| (keys(column) * size_of::<K>()) as u64).sum()
    }
}

/// The verdicts on machines of a batch, without caching them. Preferences judge only what the validators left.
pub(crate) fn judge_directly<K: PackedKey>(
    judges: &[Judge],
    scene: Scene<'_>,
    machines: &[MachineId],
    (room, keys): (&mut Room, &mut [K]),
) {
    let (validators, preferences) = judges.split_at(judges.partition_point(Judge::is_validator));
    for judge in validators {
        judge.verdicts(scene, machines, room, |at, verdict| judge.apply(&mut keys[at], verdict));
    }
    if preferences.is_empty() {
        return;
    }
    let (mut left, mut positions) = (core::mem::take(&mut room.left), core::mem::take(&mut room.positions));
    left.clear();
    positions.clear();
    for (at, _) in keys.iter().enumerate().filter(|(_, key)| **key != K::INVALID) {
        left.push(machines[at]);
        positions.push(at as u32);
    }
    for judge in preferences {
        judge.verdicts(scene, &left, room, |at, verdict| judge.apply(&mut keys[positions[at] as usize], verdict));
    }
    (room.left, room.positions) = (left, positions);
}
