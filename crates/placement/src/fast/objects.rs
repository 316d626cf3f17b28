//! Rule objects: one rule specialised to one value of its key, with its verdict on every machine (Protean section
//! 5.2.1).
//!
//! An object is found by rule and key. Just before use, it is updated from the machines changed since its last
//! update. All evaluations that need it share it.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::journal::Revision;
use tiebreak_model::{Occupancy, Scene};

use super::batch::Batch;
use super::caches::{CacheCounters, CacheEvent, ObjectCounters, Uses};
use super::judges::{Judge, Room};

/// The last known position of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle {
    slot: u32,
    generation: u32,
}

impl Handle {
    /// Not looked up yet.
    pub(crate) const NONE: Self = Self { slot: u32::MAX, generation: 0 };
}

/// The cached objects.
pub(crate) struct Objects {
    size: usize,
    clusters: usize,
    objects: Vec<Object>,
    slots: BTreeMap<(u16, Vec<u64>), u32>,
    generation: u32,
    stale: Batch,
    verdicts: Vec<u64>,
}

struct Object {
    rule: &'static str,
    key: (u16, Vec<u64>),
    generation: u32,
    used_at: u64,
    columns: Vec<Option<ClusterVerdicts>>,
}

/// Verdicts on the machines of one cluster at a revision.
struct ClusterVerdicts {
    revision: Revision,
    verdicts: Verdicts,
}

/// Stored as narrowly as a rule's verdicts allow.
enum Verdicts {
    Bytes(Vec<u8>),
    Words(Vec<u64>),
}

impl Verdicts {
    fn zeros(machines: usize, largest: u64) -> Self {
        if largest <= u8::MAX.into() { Self::Bytes(vec![0; machines]) } else { Self::Words(vec![0; machines]) }
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

/// Counters and log of cache uses.
pub(crate) struct Books<'a> {
    pub(crate) now: u64,
    pub(crate) journal: bool,
    /// Whether this is background work, not a decision.
    pub(crate) background: bool,
    pub(crate) counters: &'a mut CacheCounters,
    pub(crate) log: Option<&'a mut Vec<CacheEvent>>,
}

impl Books<'_> {
    pub(crate) fn note(&mut self, event: CacheEvent) {
        if let Some(log) = &mut self.log {
            log.push(event);
        }
    }

    /// The counters of a judge's rule; the judge remembers their position.
    fn object(&mut self, judge: &mut Judge) -> &mut ObjectCounters {
        let objects = &mut self.counters.objects;
        let at = *judge.counted_at.get_or_insert_with(|| {
            objects.iter().position(|counters| counters.rule == judge.id).unwrap_or_else(|| {
                objects.push(ObjectCounters { rule: judge.id, hits: 0, misses: 0, by_decisions: Uses::default() });
                objects.len() - 1
            })
        });
        &mut objects[at]
    }
}

impl Objects {
    /// At most this many objects, for a fleet with this many clusters.
    pub(crate) fn new(size: usize, clusters: usize) -> Self {
        Self {
            size,
            clusters,
            objects: Vec::new(),
            slots: BTreeMap::new(),
            generation: 0,
            stale: Batch::default(),
            verdicts: Vec::new(),
        }
    }

    /// The judge's verdicts on a batch of machines, from its object, which is updated first.
    pub(crate) fn verdicts(
        &mut self,
        judge: &mut Judge,
        occupancy: &Occupancy,
        batch: &Batch,
        (room, books): (&mut Room, &mut Books<'_>),
        mut each: impl FnMut(usize, &Judge, u64),
    ) {
        let slot = self.find(judge, books);
        self.update(slot, judge, occupancy, batch, (room, books));
        for part in &batch.parts {
            let first = occupancy.fleet().cluster(part.cluster).machines().start;
            let column = self.objects[slot].columns[part.cluster.index()].as_ref();
            let verdicts = &column.expect("the column was just brought up to date").verdicts;
            for at in part.range() {
                each(at, judge, verdicts.get((batch.machines[at].0 - first) as usize));
            }
        }
    }

    fn find(&mut self, judge: &mut Judge, books: &mut Books<'_>) -> usize {
        let Handle { slot, generation } = judge.handle;
        let there = self.objects.get(slot as usize).is_some_and(|object| object.generation == generation);
        let known = if there { Some(slot) } else { self.slots.get(&(judge.index, judge.words.clone())).copied() };
        let slot = match known {
            Some(slot) => {
                let decides = u64::from(!books.background);
                let counters = books.object(judge);
                counters.hits += 1;
                counters.by_decisions.hits += decides;
                books.note(CacheEvent::ObjectHit(judge.id));
                slot as usize
            }
            None => self.create(judge, books),
        };
        self.objects[slot].used_at = books.now;
        judge.handle = Handle { slot: slot as u32, generation: self.objects[slot].generation };
        slot
    }

    fn create(&mut self, judge: &mut Judge, books: &mut Books<'_>) -> usize {
        let decides = u64::from(!books.background);
        let counters = books.object(judge);
        counters.misses += 1;
        counters.by_decisions.misses += decides;
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

    /// Evicts objects that were not used since then.
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

    /// Updates the verdicts on the batch's clusters.
    fn update(
        &mut self,
        slot: usize,
        judge: &Judge,
        occupancy: &Occupancy,
        batch: &Batch,
        (room, books): (&mut Room, &mut Books<'_>),
    ) {
        let journal = occupancy.journal();
        let columns = &mut self.objects[slot].columns;
        self.stale.clear();
        for part in &batch.parts {
            let column = columns[part.cluster.index()].as_ref();
            let seen = column.map(|column| column.revision).filter(|_| books.journal);
            match (seen, part.since) {
                (Some(seen), _) if seen >= journal.revision_of_cluster(part.cluster) => {}
                // The newest changes come first, so the changes that this object has not seen are at the start.
                (Some(seen), Some(since)) if seen >= since => {
                    let changed = batch.machines[part.range()].iter().copied();
                    self.stale.add_some(part.cluster, changed.take_while(|id| journal.revision_of(*id) > seen));
                }
                _ => self.stale.add(occupancy, part.cluster, seen),
            }
        }
        if self.stale.parts.is_empty() {
            return;
        }
        books.counters.object_updates += self.stale.machines.len() as u64;
        self.verdicts.clear();
        let verdicts = &mut self.verdicts;
        judge.verdicts(Scene::of(occupancy), &self.stale.machines, room, |_, verdict| verdicts.push(verdict));
        for part in &self.stale.parts {
            let machines = occupancy.fleet().cluster(part.cluster).machines();
            let zeros = || ClusterVerdicts {
                revision: Revision(0),
                verdicts: Verdicts::zeros(machines.len(), judge.largest()),
            };
            let column = columns[part.cluster.index()].get_or_insert_with(zeros);
            column.revision = occupancy.revision();
            for at in part.range() {
                column.verdicts.set((self.stale.machines[at].0 - machines.start) as usize, verdicts[at]);
            }
        }
    }

    /// The number of objects, and their bytes.
    pub(crate) fn size(&self) -> (u64, u64) {
        let columns = self.objects.iter().flat_map(|object| &object.columns).flatten();
        (self.objects.len() as u64, columns.map(|column| column.verdicts.bytes() as u64).sum())
    }
}
