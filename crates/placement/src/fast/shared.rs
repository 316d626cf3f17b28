//! Shared state: verdicts that several rules and all evaluations read (Protean section 5.2.3).
//!
//! Most machine and rack rules do not depend on the VM's size (is the machine ready, is it empty, is it reserved for
//! another tenant, how full is its rack), and give the same verdict to all requests of tenants without placement
//! terms. These verdicts are computed once per change and cached as one partial key per machine and rack, which
//! evaluations complete.

use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::journal::{Changes, Revision};
use tiebreak_model::{ClusterId, HostView, MachineId, Occupancy, RackId, Scene};

use super::batch::Batch;
use super::judges::{Judge, MachineJudges, RackJudges, Room, judge_directly, judged};
use super::objects::Books;
use super::packed::PackedKey;

/// The partial keys of all machines and racks, cluster by cluster.
pub(crate) struct Shared<K> {
    judges: Vec<Judge>,
    hosts: Hosts<K>,
    racks: RackJudges,
    columns: Vec<Option<SharedColumn<K>>>,
    stale: Batch,
    /// The keys of `stale`.
    keys: Vec<K>,
}

struct SharedColumn<K> {
    revision: Revision,
    machines: Vec<K>,
    racks: Vec<K>,
    /// The changes of `racks`.
    changes: Changes,
}

/// The rules that see only a machine's condition. Nearly all machines are in the same one, so the last verdict is kept.
struct Hosts<K> {
    judges: Vec<Judge>,
    last: Option<(HostView, K)>,
}

impl<K: PackedKey> Hosts<K> {
    #[inline]
    fn key(&mut self, scene: Scene<'_>, machine: MachineId) -> K {
        let host = scene.occupancy.host(machine);
        match self.last {
            Some((same, key)) if same == host => key,
            _ => {
                let key = judged(&self.judges, scene, machine, K::ZERO);
                self.last = Some((host, key));
                key
            }
        }
    }
}

impl<K: PackedKey> SharedColumn<K> {
    fn new(machines: usize, racks: usize) -> Self {
        Self {
            revision: Revision(0),
            machines: vec![K::ZERO; machines],
            racks: vec![K::ZERO; racks],
            changes: Changes::new(racks),
        }
    }

    fn set_rack(&mut self, rack: u32, part: K) {
        if core::mem::replace(&mut self.racks[rack as usize], part) != part {
            self.changes.record(rack);
        }
    }
}

impl<K: PackedKey> Shared<K> {
    /// For these rules and a fleet with this many clusters.
    pub(crate) fn new(
        MachineJudges { common, of_hosts, .. }: MachineJudges,
        racks: RackJudges,
        clusters: usize,
    ) -> Self {
        Self {
            judges: common,
            hosts: Hosts { judges: of_hosts, last: None },
            racks,
            columns: (0..clusters).map(|_| None).collect(),
            stale: Batch::default(),
            keys: Vec::new(),
        }
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

    /// The parts of all keys that a cluster's racks add.
    pub(crate) fn racks(&self, cluster: ClusterId) -> &[K] {
        &self.column(cluster).racks
    }

    /// The changes of the parts of a cluster's racks, counted from its first rack.
    pub(crate) fn changes_of_racks(&self, cluster: ClusterId) -> &Changes {
        &self.column(cluster).changes
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
        let mut keys = core::mem::take(&mut self.keys);
        self.judge_directly(Scene::of(occupancy), &stale.machines, (room, &mut keys));
        for part in &stale.parts {
            let cluster = occupancy.fleet().cluster(part.cluster);
            let (machines, racks) = (cluster.machines(), cluster.racks());
            let column = self.columns[part.cluster.index()]
                .get_or_insert_with(|| SharedColumn::new(machines.len(), racks.len()));
            column.revision = occupancy.revision();
            let mut last = None;
            for (machine, key) in stale.machines[part.range()].iter().zip(&keys[part.range()]) {
                column.machines[(machine.0 - machines.start) as usize] = *key;
                let rack = occupancy.fleet().rack_of(*machine);
                if last.replace(rack) != Some(rack) {
                    column.set_rack(rack.0 - racks.start, self.racks.key(Scene::of(occupancy), rack));
                }
            }
        }
        self.keys = keys;
    }

    /// The partial keys of some machines, without caching them.
    pub(crate) fn judge_directly(
        &mut self,
        scene: Scene<'_>,
        machines: &[MachineId],
        (room, keys): (&mut Room, &mut Vec<K>),
    ) {
        keys.clear();
        keys.extend(machines.iter().map(|machine| self.hosts.key(scene, *machine)));
        judge_directly(&self.judges, scene, machines, (room, keys));
    }

    /// The rack rules' verdict on a rack, uncached.
    pub(crate) fn judge_rack(&self, scene: Scene<'_>, rack: RackId) -> K {
        self.racks.key(scene, rack)
    }

    /// Bytes it holds.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = |column: &SharedColumn<K>| {
            let keys = column.machines.capacity() + column.racks.capacity();
            (keys * size_of::<K>() + column.changes.bytes()) as u64
        };
        self.columns.iter().flatten().map(bytes).sum()
    }
}
