//! Shared state: what several rules and all evaluations read (Protean section 5.2.3).
//!
//! The verdicts of all machine rules that ask nothing of the request (is the machine ready,
//! is it empty, how healthy is it) are the same for everybody. They are taken once per
//! change and kept as one partial key a machine, from which every evaluation goes on.

use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::journal::Revision;
use tiebreak_model::{MachineId, Scene};

use crate::judges::{Judge, Room};
use crate::objects::{Books, Changed};
use crate::packed::PackedKey;

/// The partial keys of all machines, cluster by cluster.
pub(crate) struct Shared<K> {
    judges: Vec<Judge>,
    columns: Vec<Option<Column<K>>>,
    changed: Vec<MachineId>,
}

struct Column<K> {
    revision: Revision,
    keys: Vec<K>,
}

impl<K: PackedKey> Shared<K> {
    /// Of these rules, for a fleet of so many clusters.
    pub(crate) fn new(judges: Vec<Judge>, clusters: usize) -> Self {
        Self { judges, columns: (0..clusters).map(|_| None).collect(), changed: Vec::new() }
    }

    /// The partial keys of changed machines, brought up to date.
    pub(crate) fn keys(
        &mut self,
        scene: Scene<'_>,
        changed: Changed<'_>,
        keys: &mut Vec<K>,
        work: (&mut Room, &mut Books<'_>),
    ) {
        keys.clear();
        if self.judges.is_empty() {
            keys.resize(changed.machines.len(), K::ZERO);
            return;
        }
        self.update(scene, changed, work);
        let first = scene.occupancy.fleet().cluster(changed.cluster).machines().start;
        let column = self.columns[changed.cluster.index()].as_ref().expect("the column was just brought up to date");
        keys.extend(changed.machines.iter().map(|machine| column.keys[(machine.0 - first) as usize]));
    }

    fn update(&mut self, scene: Scene<'_>, asked: Changed<'_>, (room, books): (&mut Room, &mut Books<'_>)) {
        let (journal, cluster) = (scene.occupancy.journal(), asked.cluster);
        let machines = scene.occupancy.fleet().cluster(cluster).machines();
        let column = &mut self.columns[cluster.index()];
        let seen = column.as_ref().map(|column| column.revision).filter(|_| books.journal);
        if seen.is_some_and(|seen| seen >= journal.revision_of_cluster(cluster)) {
            return;
        }
        self.changed.clear();
        match seen {
            Some(seen) => self.changed.extend(journal.changed_since(cluster, seen)),
            None => self.changed.extend(machines.clone().map(MachineId)),
        }
        books.counters.shared_updates += self.changed.len() as u64;
        let revision = scene.occupancy.revision();
        let column = column.get_or_insert_with(|| Column { revision, keys: vec![K::ZERO; machines.len()] });
        column.revision = revision;
        let (keys, changed, scene) = (&mut column.keys, &self.changed, Scene::of(scene.occupancy));
        for machine in changed {
            keys[(machine.0 - machines.start) as usize] = K::ZERO;
        }
        for judge in &self.judges {
            judge.verdicts(scene, cluster, changed, room, |at, verdict| {
                judge.apply(&mut keys[(changed[at].0 - machines.start) as usize], verdict);
            });
        }
    }

    /// The rules themselves, for verdicts that are not kept.
    pub(crate) fn judges(&self) -> &[Judge] {
        &self.judges
    }

    /// Bytes it holds.
    pub(crate) fn bytes(&self) -> u64 {
        self.columns.iter().flatten().map(|column| (column.keys.capacity() * size_of::<K>()) as u64).sum()
    }
}
