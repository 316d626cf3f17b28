//! Rule objects: one rule specialised to one value of what it asks of the request, with its
//! verdict on every machine (Protean section 5.2.1).
//!
//! An object is found by its rule and key, brought up to date just before it is used from
//! the machines changed since it last was, and shared by every evaluation that needs it.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::journal::Revision;
use tiebreak_model::{ClusterId, MachineId, Scene};

use crate::caches::{CacheCounters, CacheEvent, ObjectCounters};
use crate::judges::{Judge, Room};

/// Where an object stood when it was last used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle {
    slot: u32,
    generation: u32,
}

impl Handle {
    /// Not looked for yet.
    pub(crate) const NONE: Self = Self { slot: u32::MAX, generation: 0 };
}

/// The objects kept.
pub(crate) struct Objects {
    size: usize,
    clusters: usize,
    objects: Vec<Object>,
    slots: BTreeMap<(u16, Vec<u64>), u32>,
    generation: u32,
    changed: Vec<MachineId>,
}

struct Object {
    rule: &'static str,
    key: (u16, Vec<u64>),
    generation: u32,
    used_at: u64,
    columns: Vec<Option<Column>>,
}

/// Verdicts on the machines of one cluster, as of a revision.
struct Column {
    revision: Revision,
    verdicts: Verdicts,
}

/// As narrow as a rule's verdicts allow.
enum Verdicts {
    Bytes(Vec<u8>),
    Words(Vec<u64>),
}

impl Verdicts {
    fn zeros(machines: usize, bits: u32) -> Self {
        if bits <= u8::BITS { Self::Bytes(vec![0; machines]) } else { Self::Words(vec![0; machines]) }
    }

    #[inline]
    fn set(&mut self, at: usize, verdict: u64) {
        match self {
            Self::Bytes(bytes) => bytes[at] = verdict as u8,
            Self::Words(words) => words[at] = verdict,
        }
    }

    #[inline]
    fn get(&self, at: usize) -> u64 {
        match self {
            Self::Bytes(bytes) => u64::from(bytes[at]),
            Self::Words(words) => words[at],
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.capacity(),
            Self::Words(words) => words.capacity() * size_of::<u64>(),
        }
    }
}

/// What a reader of an object looks at: machines of one cluster that changed after `since`, the
/// newest first; `None` when they are all machines, or in no such order.
#[derive(Clone, Copy)]
pub(crate) struct Changed<'a> {
    pub(crate) cluster: ClusterId,
    pub(crate) machines: &'a [MachineId],
    pub(crate) since: Option<Revision>,
}

/// What is counted and logged while caches are used.
pub(crate) struct Books<'a> {
    pub(crate) now: u64,
    pub(crate) journal: bool,
    pub(crate) counters: &'a mut CacheCounters,
    pub(crate) log: Option<&'a mut Vec<CacheEvent>>,
}

impl Books<'_> {
    pub(crate) fn note(&mut self, event: CacheEvent) {
        if let Some(log) = &mut self.log {
            log.push(event);
        }
    }

    fn object(&mut self, rule: &'static str) -> &mut ObjectCounters {
        let objects = &mut self.counters.objects;
        let at = objects.iter().position(|counters| counters.rule == rule).unwrap_or_else(|| {
            objects.push(ObjectCounters { rule, hits: 0, misses: 0 });
            objects.len() - 1
        });
        &mut objects[at]
    }
}

impl Objects {
    /// At most so many objects, for a fleet of so many clusters.
    pub(crate) fn new(size: usize, clusters: usize) -> Self {
        Self { size, clusters, objects: Vec::new(), slots: BTreeMap::new(), generation: 0, changed: Vec::new() }
    }

    /// The judge's verdicts on changed machines, off its object, brought up to date.
    pub(crate) fn verdicts(
        &mut self,
        judge: &mut Judge,
        scene: Scene<'_>,
        changed: Changed<'_>,
        (room, books): (&mut Room, &mut Books<'_>),
        mut each: impl FnMut(usize, &Judge, u64),
    ) {
        let slot = self.find(judge, books);
        self.update(slot, judge, scene, changed, (room, books));
        let first = scene.occupancy.fleet().cluster(changed.cluster).machines().start;
        let column = self.objects[slot].columns[changed.cluster.index()].as_ref();
        let verdicts = &column.expect("the column was just brought up to date").verdicts;
        for (at, machine) in changed.machines.iter().enumerate() {
            each(at, judge, verdicts.get((machine.0 - first) as usize));
        }
    }

    fn find(&mut self, judge: &mut Judge, books: &mut Books<'_>) -> usize {
        let Handle { slot, generation } = judge.handle;
        let there = self.objects.get(slot as usize).is_some_and(|object| object.generation == generation);
        let known = if there { Some(slot) } else { self.slots.get(&(judge.index, judge.words.clone())).copied() };
        let slot = match known {
            Some(slot) => {
                books.object(judge.id).hits += 1;
                books.note(CacheEvent::ObjectHit(judge.id));
                slot as usize
            }
            None => self.create(judge, books),
        };
        self.objects[slot].used_at = books.now;
        judge.handle = Handle { slot: slot as u32, generation: self.objects[slot].generation };
        slot
    }

    fn create(&mut self, judge: &Judge, books: &mut Books<'_>) -> usize {
        books.object(judge.id).misses += 1;
        books.note(CacheEvent::ObjectCreated(judge.id));
        let key = (judge.index, judge.words.clone());
        self.generation += 1;
        let columns = (0..self.clusters).map(|_| None).collect();
        let object =
            Object { rule: judge.id, key: key.clone(), generation: self.generation, used_at: books.now, columns };
        let slot = if self.objects.len() < self.size.max(1) {
            self.objects.push(object);
            self.objects.len() - 1
        } else {
            let oldest = (0..self.objects.len()).min_by_key(|slot| self.objects[*slot].used_at).unwrap_or(0);
            self.forget(oldest, books);
            self.objects[oldest] = object;
            oldest
        };
        self.slots.insert(key, slot as u32);
        slot
    }

    fn forget(&mut self, slot: usize, books: &mut Books<'_>) {
        self.slots.remove(&self.objects[slot].key);
        books.counters.object_evictions += 1;
        books.note(CacheEvent::ObjectEvicted(self.objects[slot].rule));
    }

    /// Throws out what was not used since.
    pub(crate) fn evict_unused_since(&mut self, then: u64, books: &mut Books<'_>) {
        let mut slot = 0;
        while slot < self.objects.len() {
            if self.objects[slot].used_at >= then {
                slot += 1;
                continue;
            }
            self.forget(slot, books);
            self.objects.swap_remove(slot);
            if let Some(moved) = self.objects.get(slot) {
                self.slots.insert(moved.key.clone(), slot as u32);
            }
        }
    }

    /// Brings one cluster's verdicts up to date.
    fn update(
        &mut self,
        slot: usize,
        judge: &Judge,
        scene: Scene<'_>,
        asked: Changed<'_>,
        (room, books): (&mut Room, &mut Books<'_>),
    ) {
        let (journal, cluster) = (scene.occupancy.journal(), asked.cluster);
        let machines = scene.occupancy.fleet().cluster(cluster).machines();
        let column = &mut self.objects[slot].columns[cluster.index()];
        let seen = column.as_ref().map(|column| column.revision).filter(|_| books.journal);
        if seen.is_some_and(|seen| seen >= journal.revision_of_cluster(cluster)) {
            return;
        }
        let changed = match (seen, asked.since) {
            // The newest come first, so what this object has not seen is the beginning.
            (Some(seen), Some(since)) if seen >= since => {
                let end = asked.machines.partition_point(|machine| journal.revision_of(*machine) > seen);
                &asked.machines[..end]
            }
            _ => {
                self.changed.clear();
                match seen {
                    Some(seen) => self.changed.extend(journal.changed_since(cluster, seen)),
                    None => self.changed.extend(machines.clone().map(MachineId)),
                }
                &self.changed[..]
            }
        };
        books.counters.object_updates += changed.len() as u64;
        let revision = scene.occupancy.revision();
        let fresh = || Column { revision, verdicts: Verdicts::zeros(machines.len(), judge.bits()) };
        let column = column.get_or_insert_with(fresh);
        column.revision = revision;
        let verdicts = &mut column.verdicts;
        judge.verdicts(Scene::of(scene.occupancy), cluster, changed, room, |at, verdict| {
            verdicts.set((changed[at].0 - machines.start) as usize, verdict);
        });
    }

    /// How many there are, and their bytes.
    pub(crate) fn size(&self) -> (u64, u64) {
        let columns = self.objects.iter().flat_map(|object| &object.columns).flatten();
        (self.objects.len() as u64, columns.map(|column| column.verdicts.bytes() as u64).sum())
    }
}
