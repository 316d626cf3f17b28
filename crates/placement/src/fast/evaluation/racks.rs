//! What a rack adds to the keys of its machines, for one class of requests.

use tiebreak_model::{ClusterId, MachineId, RackId, Scene};

use super::super::judges::{RackJudges, together};
use super::super::packed::PackedKey;
use super::super::ranking::Best;
use super::super::shared::Shared;

/// The rack rules of one class.
pub(super) struct Racks {
    /// Its own rules.
    pub(super) own: RackJudges,
    /// Whether the shared state has the verdicts of all other rules.
    pub(super) is_common: bool,
}

impl Racks {
    /// Whether the shared state has all that a rack adds to a key.
    pub(super) fn are_shared(&self) -> bool {
        self.is_common && self.own.is_empty()
    }

    /// A rack's part of all keys, by its index in its cluster. `kept` reads the shared state, which holds for a tenant
    /// without VMs.
    #[inline]
    pub(super) fn part<K: PackedKey>(
        &self,
        scene: Scene<'_>,
        (cluster, at): (ClusterId, u32),
        (kept, shared): (bool, &Shared<K>),
    ) -> K {
        let rack = || RackId(scene.occupancy.fleet().cluster(cluster).racks().start + at);
        let alike = match (self.is_common, kept) {
            (false, _) => K::ZERO,
            (true, true) => shared.racks(cluster)[at as usize],
            (true, false) => shared.judge_rack(scene, rack()),
        };
        if alike == K::INVALID || self.own.is_empty() { alike } else { together(alike, self.own.key(scene, rack())) }
    }

    /// A rack's best key under all rules (Protean section 5.2.5), and how many machines have it.
    #[inline]
    pub(super) fn best<K: PackedKey>(
        &self,
        scene: Scene<'_>,
        place: (ClusterId, u32),
        best: Best<K>,
        kept: (bool, &Shared<K>),
    ) -> Best<K> {
        if best.1 == 0 { best } else { with_part(best, self.part(scene, place, kept)) }
    }

    /// Adds the racks' part to the keys of machines of one cluster, if racks are not ranked separately.
    pub(super) fn add<K: PackedKey>(
        &self,
        scene: Scene<'_>,
        cluster: ClusterId,
        machines: &[MachineId],
        kept: bool,
        (shared, keys): (&Shared<K>, &mut [K]),
    ) {
        let first = scene.occupancy.fleet().cluster(cluster).racks().start;
        let mut last: Option<(RackId, K)> = None;
        for (machine, key) in machines.iter().zip(keys) {
            let rack = scene.occupancy.fleet().rack_of(*machine);
            let part = match last {
                Some((same, part)) if same == rack => part,
                _ => self.part(scene, (cluster, rack.0 - first), (kept, shared)),
            };
            last = Some((rack, part));
            *key = together(*key, part);
        }
    }
}

/// A rack's best key under all rules, from its best under machine rules and what the rack adds to it.
#[inline]
pub(super) fn with_part<K: PackedKey>((key, count): Best<K>, part: K) -> Best<K> {
    if count == 0 || part == K::INVALID { (K::INVALID, 0) } else { (key.plus(part), count) }
}
