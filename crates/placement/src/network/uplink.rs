//! Rules about how much of a machine's uplinks is reserved.
//!
//! One VM of a VDC that comes or goes changes the uplinks of all machines where the others stand.
//! So these rules stand outside all caches, like those that move with the clock: what the other
//! rules say is ranked and kept as ever, and what is said of uplinks joins while the best is looked
//! for. A score may not fall as an uplink fills, so that the emptiest uplink of a block of machines bounds
//! all of them.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use tiebreak_model::{Cut, Declared, MachineId, Network, Scene, VmRequest};

use crate::fast::packed::{Field, PackedKey};
use crate::rule::erased::{AnyPreference, BoundPreference};
use crate::rule::quantize::Quantizer;

/// A soft constraint on what is reserved of a machine's uplinks.
pub trait UplinkPreference: Declared + Copy + Send + Sync + 'static {
    /// From 0 (best) to 1 (worst), by the share of the uplinks that is reserved, 0 to 1. It must not fall
    /// as the share rises.
    fn score(&self, used_share: f64) -> f64;
}

/// Such a rule behind the seam of all preferences.
#[derive(Clone, Copy)]
pub(crate) struct Uplink<T>(T);

impl<T: UplinkPreference> Uplink<T> {
    pub(crate) fn boxed(rule: T) -> Arc<dyn AnyUplink> {
        Arc::new(Self(rule))
    }
}

/// An uplink preference whose type is forgotten.
pub(crate) trait AnyUplink: AnyPreference<MachineId> {
    /// Its score.
    fn score(&self, used_share: f64) -> f64;
}

impl<T: UplinkPreference> AnyUplink for Uplink<T> {
    fn score(&self, used_share: f64) -> f64 {
        self.0.score(used_share.min(1.0))
    }
}

impl<T: UplinkPreference> AnyPreference<MachineId> for Uplink<T> {
    /// Nothing of it is kept, so it tells no classes apart.
    fn write_key(&self, _: &VmRequest, _: &mut Vec<u64>) {}

    fn bind(&self, _: &VmRequest) -> Box<dyn BoundPreference<MachineId>> {
        Box::new(*self)
    }

    fn sees_tenant(&self) -> bool {
        false
    }

    fn sees_what_stays(&self) -> bool {
        false
    }
}

impl<T: UplinkPreference> BoundPreference<MachineId> for Uplink<T> {
    fn score(&self, scene: Scene<'_>, id: MachineId) -> f64 {
        AnyUplink::score(self, used_share(scene.occupancy.network(), id))
    }
}

/// The share of a machine's uplinks that is reserved; 0 where there is no network.
pub(crate) fn used_share(network: Option<&Network>, machine: MachineId) -> f64 {
    network.map_or(0.0, |network| network.used_share(Cut::Machine(machine)))
}

/// Such a rule in its place of the key.
pub(crate) struct UplinkField {
    pub(crate) rule: Arc<dyn AnyUplink>,
    pub(crate) quantizer: Quantizer,
    pub(crate) field: Field,
}

impl UplinkField {
    /// A key with what it says of a machine.
    #[inline]
    pub(crate) fn apply<K: PackedKey>(&self, network: Option<&Network>, machine: MachineId, key: K) -> K {
        key.with(self.field, self.quantizer.bucket(self.rule.score(used_share(network, machine))))
    }

    /// A key with the least that it says of any of these machines of one cluster.
    pub(crate) fn least<K: PackedKey>(&self, network: Option<&Network>, machines: Range<u32>, key: K) -> K {
        let share = network.map_or(0.0, |network| {
            let capacity = network.capacity_kbps(Cut::Machine(MachineId(machines.start)));
            let (_, most) = network.range_kbps(machines);
            // A block may reach into a cluster with fatter uplinks, which are no less used than not at all.
            if capacity == 0 { 1.0 } else { (capacity as i64 - most).max(0) as f64 / capacity as f64 }
        });
        key.with(self.field, self.quantizer.bucket(self.rule.score(share)))
    }
}
