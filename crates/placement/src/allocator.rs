//! The allocator of one agent: the policy, the agent's view of the fleet, and the
//! rule evaluations it keeps.
//!
//! With caches on, a decision brings the evaluation of the request's class up to date
//! and reads the best set off it; with caches off it runs the [reference](mod@crate::reference). Both give
//! the same best set, and the same draw picks the same machine of it. Source:
//! Protean sections 5.1 and 5.2.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::random::pick;
use tiebreak_model::{MachineId, Occupancy, ShapeId, VmShape};

use crate::evaluation::{Evaluation, Scratch};
use crate::packed::{PackedKey, Quad, Wide};
use crate::policy::Policy;
use crate::reference::funnel;

/// What the caches did for a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheUse {
    /// The class had an evaluation.
    Hit,
    /// It had to be made.
    Miss,
    /// Caches are switched off.
    Off,
}

/// A machine for a VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The machine picked.
    pub machine: MachineId,
    /// Machines tied for best, of which it is a random one.
    pub best_set: u32,
    /// What the caches did.
    pub cache: CacheUse,
}

/// No machine is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What the caches did.
    pub cache: CacheUse,
}

/// What the caches did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounters {
    /// Decisions whose class had an evaluation.
    pub hits: u64,
    /// Decisions whose evaluation had to be made.
    pub misses: u64,
    /// Evaluations thrown out to make room.
    pub evictions: u64,
    /// Machines judged again because they changed.
    pub refreshed: u64,
}

/// Classes of requests kept at once, if memory allows; the least recently used makes room.
pub const POOL_SIZE: usize = 256;

/// Whether an allocator keeps rule evaluations between decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caching {
    /// Every decision takes the uncached path.
    Off,
    /// Evaluations are kept, in about this many bytes; at least one is.
    Within(usize),
}

/// Decides for one agent.
pub struct Allocator {
    policy: Arc<Policy>,
    view: Occupancy,
    pool: Option<AnyPool>,
    counters: CacheCounters,
}

impl core::fmt::Debug for Allocator {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Allocator").field("policy", &self.policy).field("counters", &self.counters).finish()
    }
}

impl Allocator {
    /// An allocator that knows the fleet as `view` has it.
    #[must_use]
    pub fn new(policy: Arc<Policy>, view: Occupancy, caching: Caching) -> Self {
        let pool = match caching {
            Caching::Off => None,
            Caching::Within(bytes) => Some(AnyPool::new(policy.words, view.fleet().machine_count(), bytes)),
        };
        Self { policy, view, pool, counters: CacheCounters::default() }
    }

    /// The fleet as this agent knows it.
    #[must_use]
    pub fn view(&self) -> &Occupancy {
        &self.view
    }

    /// The same, to bring it up to date.
    pub fn view_mut(&mut self) -> &mut Occupancy {
        &mut self.view
    }

    /// The list it applies.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What its caches did so far.
    #[must_use]
    pub fn counters(&self) -> CacheCounters {
        self.counters
    }

    /// Bytes that its evaluations hold.
    #[must_use]
    pub fn cache_bytes(&self) -> usize {
        self.pool.as_ref().map_or(0, AnyPool::bytes)
    }

    /// Picks a machine for a VM: the `draw`-th of those tied for best. `shape` must name
    /// the same traits in every call.
    ///
    /// # Errors
    /// When no machine is valid.
    pub fn choose(&mut self, shape: ShapeId, vm: &VmShape, draw: u64) -> Result<Choice, Refusal> {
        match &mut self.pool {
            Some(pool) => pool.choose(&self.policy, &self.view, &mut self.counters, (shape, vm, draw)),
            None => {
                let best = funnel(&self.policy, &self.view, vm).best;
                if best.is_empty() {
                    return Err(Refusal { cache: CacheUse::Off });
                }
                let machine = best[pick(draw, best.len() as u32) as usize];
                Ok(Choice { machine, best_set: best.len() as u32, cache: CacheUse::Off })
            }
        }
    }
}

/// A pool for keys as wide as the policy needs.
enum AnyPool {
    Narrow(Pool<u64>),
    Double(Pool<u128>),
    Quad(Pool<Quad>),
    Wide(Pool<Wide>),
}

impl AnyPool {
    fn new(words: u32, machines: u32, bytes: usize) -> Self {
        match words {
            0 | 1 => Self::Narrow(Pool::new(machines, bytes)),
            2 => Self::Double(Pool::new(machines, bytes)),
            3 | 4 => Self::Quad(Pool::new(machines, bytes)),
            _ => Self::Wide(Pool::new(machines, bytes)),
        }
    }

    fn choose(
        &mut self,
        policy: &Policy,
        view: &Occupancy,
        counters: &mut CacheCounters,
        request: (ShapeId, &VmShape, u64),
    ) -> Result<Choice, Refusal> {
        match self {
            Self::Narrow(pool) => pool.choose(policy, view, counters, request),
            Self::Double(pool) => pool.choose(policy, view, counters, request),
            Self::Quad(pool) => pool.choose(policy, view, counters, request),
            Self::Wide(pool) => pool.choose(policy, view, counters, request),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Narrow(pool) => pool.bytes(),
            Self::Double(pool) => pool.bytes(),
            Self::Quad(pool) => pool.bytes(),
            Self::Wide(pool) => pool.bytes(),
        }
    }
}

struct Entry<K> {
    evaluation: Evaluation<K>,
    class: u32,
    used_at: u64,
}

/// The evaluations of the most recently used classes.
///
/// A shape is looked up once to learn its class (shapes that no rule tells apart share
/// one); from then on both ways are array indices.
struct Pool<K> {
    /// Entries that fit.
    size: usize,
    entries: Vec<Entry<K>>,
    classes: BTreeMap<Vec<u64>, u32>,
    class_of_shape: Vec<Option<u32>>,
    entry_of_class: Vec<Option<u32>>,
    uses: u64,
    words: Vec<u64>,
    scratch: Scratch<K>,
}

impl<K: PackedKey> Pool<K> {
    /// A pool for a fleet of so many machines, in about so many bytes.
    fn new(machines: u32, bytes: usize) -> Self {
        // A tournament has about two nodes a machine; see `ranking`.
        let one = 2 * (machines as usize).max(1) * (size_of::<K>() + size_of::<u32>());
        Self {
            size: (bytes / one).clamp(1, POOL_SIZE),
            entries: Vec::new(),
            classes: BTreeMap::new(),
            class_of_shape: Vec::new(),
            entry_of_class: Vec::new(),
            uses: 0,
            words: Vec::new(),
            scratch: Scratch::new(),
        }
    }

    fn choose(
        &mut self,
        policy: &Policy,
        view: &Occupancy,
        counters: &mut CacheCounters,
        (shape, vm, draw): (ShapeId, &VmShape, u64),
    ) -> Result<Choice, Refusal> {
        let class = self.class_of(policy, shape, vm);
        let (index, cache) = match self.entry_of_class[class as usize] {
            Some(index) => (index as usize, CacheUse::Hit),
            None => (self.create(policy, view, counters, class, vm), CacheUse::Miss),
        };
        counters.hits += u64::from(cache == CacheUse::Hit);
        counters.misses += u64::from(cache == CacheUse::Miss);
        self.uses += 1;
        let entry = &mut self.entries[index];
        entry.used_at = self.uses;
        let best = entry.evaluation.best(view, &mut self.scratch);
        counters.refreshed += u64::from(best.refreshed);
        if best.count == 0 {
            return Err(Refusal { cache });
        }
        let machine =
            entry.evaluation.nth(view.fleet(), &best, pick(draw, best.count)).expect("the best set has that many");
        Ok(Choice { machine, best_set: best.count, cache })
    }

    fn class_of(&mut self, policy: &Policy, shape: ShapeId, vm: &VmShape) -> u32 {
        if shape.index() >= self.class_of_shape.len() {
            self.class_of_shape.resize(shape.index() + 1, None);
        }
        if let Some(class) = self.class_of_shape[shape.index()] {
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
        self.class_of_shape[shape.index()] = Some(class);
        class
    }

    fn create(
        &mut self,
        policy: &Policy,
        view: &Occupancy,
        counters: &mut CacheCounters,
        class: u32,
        vm: &VmShape,
    ) -> usize {
        let evaluation = Evaluation::new(policy, view.fleet().clusters().len(), vm);
        let entry = Entry { evaluation, class, used_at: 0 };
        let index = if self.entries.len() < self.size {
            self.entries.push(entry);
            self.entries.len() - 1
        } else {
            let oldest = (0..self.size).min_by_key(|index| self.entries[*index].used_at).unwrap_or(0);
            self.entry_of_class[self.entries[oldest].class as usize] = None;
            self.entries[oldest] = entry;
            counters.evictions += 1;
            oldest
        };
        self.entry_of_class[class as usize] = Some(index as u32);
        index
    }

    fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| entry.evaluation.bytes()).sum()
    }
}
