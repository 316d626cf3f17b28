//! The fast path to the decision that the [reference](mod@crate::reference) defines: verdicts are packed into one
//! number, ranked, cached between decisions and updated from the journal (Protean section 5.2).

pub(crate) mod ahead;
pub(crate) mod batch;
pub(crate) mod caches;
pub(crate) mod cluster_order;
pub(crate) mod evaluation;
pub(crate) mod fields;
pub(crate) mod judges;
pub(crate) mod objects;
pub(crate) mod packed;
pub(crate) mod pool;
pub(crate) mod ranking;
pub(crate) mod request;
pub(crate) mod shared;
pub(crate) mod slots;
pub(crate) mod ties;
pub(crate) mod touched;
pub(crate) mod weights;

pub use caches::{CacheCounters, CacheEvent, CacheSizes, CacheUse, Caches, ObjectCounters, Updates, Uses};
pub use request::{Choice, Draw, Refusal, Request};
