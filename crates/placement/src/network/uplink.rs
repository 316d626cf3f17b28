//! Rules about the reserved share of a machine's uplinks.
//!
//! A VM of a VDC that arrives or leaves changes the uplinks of all machines that host the others. So these rules stay
//! outside all caches, like those that depend on the clock: the other rules are ranked and cached as usual, and the
//! uplink scores are added during the search for the best machine. A score must not fall as an uplink fills, so that
//! the emptiest uplink of a block of machines bounds all of them.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::{Cut, Declared, MachineId, Network, Scene, VmRequest};

use crate::rule::erased::{AnyPreference, BoundPreference};

/// A soft constraint on the reserved share of a machine's uplinks.
pub trait UplinkPreference: Declared + Copy + Send + Sync + 'static {
    /// From 0 (best) to 1 (worst), by the reserved share of the uplinks, 0 to 1. It must not fall as the share rises.
    fn score(&self, used_share: f64) -> f64;
}

/// An uplink preference as an `AnyPreference`.
#[derive(Clone, Copy)]
pub(crate) struct Uplink<T>(T);

impl<T: UplinkPreference> Uplink<T> {
    pub(crate) fn boxed(rule: T) -> Arc<dyn AnyUplink> {
        Arc::new(Self(rule))
    }
}

/// An uplink preference with its type erased.
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
    /// Its verdicts are never cached, so it does not distinguish classes.
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

/// The reserved share of a machine's uplinks; 0 if there is no network.
pub(crate) fn used_share(network: Option<&Network>, machine: MachineId) -> f64 {
    network.map_or(0.0, |network| network.used_share(Cut::Machine(machine)))
}
