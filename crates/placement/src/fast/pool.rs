//! The evaluations of the most recently used classes of requests (Protean section 5.2.2), and
//! the layers below them.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tiebreak_model::{Occupancy, ShapeId, VmRequest};

use super::caches::{CacheCounters, CacheEvent, CacheSizes, CacheUse, Caches, Updates};
use super::evaluation::{Evaluation, Kit};
use super::fields::write_moment;
use super::objects::Books;
use super::packed::{PackedKey, Wide};
use super::request::{Choice, Refusal, Request};
use crate::policy::Policy;
use crate::policy::fields::KeyWidth;

/// How often to look for old entries, in decisions.
const SWEEP: u64 = 256;

/// A pool whose keys are as wide as the policy needs.
pub(crate) enum AnyPool {
    Quarter(Pool<u16>),
    Half(Pool<u32>),
    Narrow(Pool<u64>),
    Double(Pool<u128>),
    Wide(Pool<Wide>),
}

macro_rules! any {
    ($any:expr, $pool:ident => $value:expr) => {
        match $any {
            AnyPool::Quarter($pool) => $value,
            AnyPool::Half($pool) => $value,
            AnyPool::Narrow($pool) => $value,
            AnyPool::Double($pool) => $value,
            AnyPool::Wide($pool) => $value,
        }
    };
}

/// What a pool works with besides its own data.
pub(crate) struct Work<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) view: &'a Occupancy,
    pub(crate) counters: &'a mut CacheCounters,
    pub(crate) log: Option<&'a mut Vec<CacheEvent>>,
}

impl AnyPool {
    /// A pool of about this many bytes.
    pub(crate) fn new(policy: &Policy, view: &Occupancy, caches: Caches, bytes: usize) -> Self {
        match policy.width {
            KeyWidth::Quarter => Self::Quarter(Pool::new(policy, view, caches, bytes)),
            KeyWidth::Half => Self::Half(Pool::new(policy, view, caches, bytes)),
            KeyWidth::Words(..=1) => Self::Narrow(Pool::new(policy, view, caches, bytes)),
            KeyWidth::Words(2) => Self::Double(Pool::new(policy, view, caches, bytes)),
            KeyWidth::Words(3..) => Self::Wide(Pool::new(policy, view, caches, bytes)),
        }
    }

    pub(crate) fn choose(&mut self, work: Work<'_>, request: &Request<'_>) -> Result<Choice, Refusal> {
        any!(self, pool => pool.choose(work, request))
    }

    /// Updates evaluations, the most recently used first, until about `budget` machines were ranked again. Returns
    /// how many were.
    pub(crate) fn refresh(&mut self, work: Work<'_>, budget: u64) -> u64 {
        any!(self, pool => pool.refresh(work, budget))
    }

    pub(crate) fn sizes(&self) -> CacheSizes {
        any!(self, pool => pool.sizes())
    }
}

struct Entry<K> {
    evaluation: Evaluation<K>,
    class: u32,
    used_at: u64,
}

/// The cached evaluations.
///
/// A shape whose tenant has no placement terms is looked up once to find its class (shapes that no rule distinguishes
/// share one); after that, both lookups are array indices.
pub(crate) struct Pool<K> {
    /// The number of entries that fit.
    size: usize,
    entries: Vec<Entry<K>>,
    classes: BTreeMap<Vec<u64>, u32>,
    class_of_shape: Vec<Option<u32>>,
    entry_of_class: Vec<Option<u32>>,
    uses: u64,
    words: Vec<u64>,
    kit: Kit<K>,
}

impl<K: PackedKey> Pool<K> {
    fn new(policy: &Policy, view: &Occupancy, caches: Caches, bytes: usize) -> Self {
        // A ranking has little more than one key per machine, plus its racks.
        let one = 2 * (view.fleet().machine_count() as usize).max(1) * size_of::<K>();
        let size = if caches.evaluations { (bytes / one).min(caches.evaluation_pool as usize) } else { 0 };
        Self {
            size,
            entries: Vec::new(),
            classes: BTreeMap::new(),
            class_of_shape: Vec::new(),
            entry_of_class: Vec::new(),
            uses: 0,
            words: Vec::new(),
            kit: Kit::new(policy, caches, view.fleet()),
        }
    }

    /// Kept as a separate function: the pools of all key widths in one would be too large to compile quickly in a
    /// browser.
    #[inline(never)]
    fn choose(&mut self, work: Work<'_>, request: &Request<'_>) -> Result<Choice, Refusal> {
        let Work { policy, view, counters, log } = work;
        self.uses += 1;
        let mut books = Books { now: self.uses, journal: self.kit.caches.journal, background: false, counters, log };
        if self.uses.is_multiple_of(SWEEP) {
            self.evict_old(&mut books);
        }
        let class = self.class_of(policy, request.shape, request.vm);
        let (index, cache) = match self.entry_of_class[class as usize] {
            Some(index) => (index as usize, CacheUse::Hit),
            None => (self.create(policy, view, &mut books, class, request.vm), CacheUse::Miss),
        };
        books.counters.hits += u64::from(cache == CacheUse::Hit);
        books.counters.misses += u64::from(cache == CacheUse::Miss);
        books.note(if cache == CacheUse::Hit { CacheEvent::EvaluationHit } else { CacheEvent::EvaluationCreated });
        let before = books.counters.updates();
        let entry = &mut self.entries[index];
        entry.used_at = self.uses;
        let scene = request.scene(view);
        write_moment(policy, &request.vm.life, &mut self.kit.moment);
        self.kit.now_s = request.vm.life.now_s;
        self.kit.user_facing = request.vm.shape.load.user_facing;
        let found =
            entry.evaluation.choose(scene, request.draw, policy.gate(scene).as_ref(), &mut self.kit, &mut books);
        let refreshed = books.counters.decided(cache, before);
        if self.entries.len() > self.size {
            // A pool of size 0 keeps nothing.
            self.forget(index);
        }
        match found {
            Some((machine, best_set)) => Ok(Choice { machine, best_set, cache, refreshed }),
            None => Err(Refusal { cache, refreshed }),
        }
    }

    fn class_of(&mut self, policy: &Policy, shape: ShapeId, vm: &VmRequest) -> u32 {
        let alike = vm.shape.terms.is_none() && !policy.life_tells_apart;
        if shape.index() >= self.class_of_shape.len() {
            self.class_of_shape.resize(shape.index() + 1, None);
        }
        if let Some(class) = self.class_of_shape[shape.index()].filter(|_| alike) {
            return class;
        }
        policy.write_key(vm, &mut self.words);
        let next = self.classes.len() as u32;
        let class = match self.classes.get(&self.words) {
            Some(class) => *class,
            None => {
                self.classes.insert(self.words.clone(), next);
                self.entry_of_class.push(None);
                next
            }
        };
        if alike {
            self.class_of_shape[shape.index()] = Some(class);
        }
        class
    }

    fn create(
        &mut self,
        policy: &Policy,
        view: &Occupancy,
        books: &mut Books<'_>,
        class: u32,
        vm: &VmRequest,
    ) -> usize {
        if self.size > 0 && self.entries.len() >= self.size {
            let oldest = (0..self.entries.len()).min_by_key(|index| self.entries[*index].used_at).unwrap_or(0);
            self.evict(oldest, books);
        }
        let evaluation = Evaluation::new(policy, &self.kit, view.fleet().clusters().len(), vm);
        self.entries.push(Entry { evaluation, class, used_at: 0 });
        let index = self.entries.len() - 1;
        self.entry_of_class[class as usize] = Some(index as u32);
        index
    }

    fn evict(&mut self, index: usize, books: &mut Books<'_>) {
        self.forget(index);
        books.counters.evictions += 1;
        books.note(CacheEvent::EvaluationEvicted);
    }

    fn forget(&mut self, index: usize) {
        self.entry_of_class[self.entries[index].class as usize] = None;
        self.entries.swap_remove(index);
        if let Some(moved) = self.entries.get(index) {
            self.entry_of_class[moved.class as usize] = Some(index as u32);
        }
    }

    /// Evicts evaluations that were not used for `age` decisions.
    fn evict_old(&mut self, books: &mut Books<'_>) {
        let Some(then) = self.uses.checked_sub(u64::from(self.kit.caches.age)) else { return };
        if self.kit.caches.age == 0 {
            return;
        }
        for index in (0..self.entries.len()).rev() {
            if self.entries[index].used_at < then {
                self.evict(index, books);
            }
        }
        self.entries.iter_mut().for_each(|entry| entry.evaluation.forget_cells_unused_since(then));
        self.kit.objects.evict_unused_since(then, books);
    }

    fn refresh(&mut self, work: Work<'_>, budget: u64) -> u64 {
        let Work { view, counters, log, .. } = work;
        let mut books = Books { now: self.uses, journal: self.kit.caches.journal, background: true, counters, log };
        let mut newest_first: Vec<_> =
            self.entries.iter().enumerate().map(|(index, entry)| (u64::MAX - entry.used_at, index)).collect();
        newest_first.sort_unstable();
        let (mut done, before) = (0, books.counters.updates());
        for (_, index) in newest_first {
            if done < budget {
                done += self.entries[index].evaluation.refresh_all(view, budget - done, &mut self.kit, &mut books);
            }
        }
        books.counters.refreshed_in_background += done;
        let judged = books.counters.updates().judged - before.judged;
        books.counters.in_background.add(Updates { ranked: done, judged });
        done
    }

    fn sizes(&self) -> CacheSizes {
        let (objects, object_bytes) = self.kit.objects.size();
        CacheSizes {
            evaluations: self.entries.len() as u64,
            evaluation_bytes: self.entries.iter().map(|entry| entry.evaluation.bytes()).sum(),
            objects,
            object_bytes,
            shared_bytes: self.kit.shared_bytes(),
            journal_bytes: 0,
        }
    }
}
