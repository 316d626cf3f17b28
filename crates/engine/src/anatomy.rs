//! Counters of agents and caches for the page (Protean sections 4 and 5.2).

use tiebreak_placement::{CacheCounters, CacheSizes};
use tiebreak_sim::World;
use tiebreak_sim::world::AgentState;

use crate::protocol::{AgentCounts, Anatomy, LayerCounts, ObjectCounts};

/// The state of a run's agents and caches.
pub(super) fn anatomy(world: &World) -> Anatomy {
    let agents = world.agents();
    let (mut did, mut holds) = (CacheCounters::default(), CacheSizes::default());
    for agent in &agents {
        did.add(&agent.caches);
        holds.add(&agent.sizes);
    }
    let object = |object: &tiebreak_placement::ObjectCounters| ObjectCounts {
        rule: object.rule.to_owned(),
        hits: object.hits as f64,
        misses: object.misses as f64,
    };
    Anatomy {
        layers: layers(&did, &holds).into(),
        objects: did.objects.iter().map(object).collect(),
        agents: agents.iter().map(agent).collect(),
    }
}

/// Layer by layer, from top to bottom.
fn layers(did: &CacheCounters, holds: &CacheSizes) -> [LayerCounts; 6] {
    let some = |count: u64| Some(count as f64);
    let of_objects = |count: fn(&tiebreak_placement::ObjectCounters) -> u64| some(did.objects.iter().map(count).sum());
    let work = |count: u64| LayerCounts { work: some(count), ..LayerCounts::default() };
    let evaluations = LayerCounts {
        hits: some(did.hits),
        misses: some(did.misses),
        work: some(did.refreshed),
        entries: some(holds.evaluations),
        bytes: some(holds.evaluation_bytes),
    };
    let objects = LayerCounts {
        hits: of_objects(|object| object.hits),
        misses: of_objects(|object| object.misses),
        work: some(did.object_updates),
        entries: some(holds.objects),
        bytes: some(holds.object_bytes),
    };
    let shared = LayerCounts { bytes: some(holds.shared_bytes), ..work(did.shared_updates) };
    let journal = LayerCounts { bytes: some(holds.journal_bytes), ..LayerCounts::default() };
    [evaluations, objects, shared, journal, work(did.cells_compared), work(did.refreshed_in_background)]
}

fn agent(agent: &AgentState) -> AgentCounts {
    AgentCounts {
        is_idle: agent.is_idle,
        in_flight: agent.in_flight,
        decided: agent.decided as f64,
        conflicts: agent.conflicts as f64,
        behind: agent.behind as f64,
        hits: agent.caches.hits as f64,
        misses: agent.caches.misses as f64,
    }
}
