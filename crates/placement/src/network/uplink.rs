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

use tiebreak_model::{Cut, Declared, MachineId, Network, Scene, VmRequest};

use crate::rule::erased::{AnyPreference, BoundPreference};

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
