//! What the evaluations of an agent share.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::{ClusterId, Fleet, RackId};

use super::super::ahead::{self, Ahead};
use super::super::batch::Batch;
use super::super::caches::Caches;
use super::super::cluster_order::SharedClusters;
use super::super::fields::{ChassisField, Moment, UplinkField};
use super::super::judges::{RackJudges, Room, judges};
use super::super::objects::Objects;
use super::super::packed::PackedKey;
use super::super::ranking::{Fan, Shape, TiedUnder};
use super::super::shared::Shared;
use super::super::touched::Touched;
use super::cells::Tied;
use super::patching::Patch;
use crate::policy::Policy;
use crate::policy::classes::nobody;
use crate::policy::fields::Field;

/// What all evaluations of an agent share: the layers below them, and buffers.
pub(crate) struct Kit<K> {
    pub(crate) caches: Caches,
    pub(crate) shared: Shared<K>,
    pub(crate) clusters: SharedClusters,
    pub(crate) objects: Objects,
    /// The shape of each cluster's cells, once it is needed.
    shapes: Vec<Option<Arc<Shape>>>,
    pub(super) room: Room,
    pub(super) batch: Batch,
    pub(super) keys: Vec<K>,
    /// The machines of a batch that have room, and those that no longer have any.
    pub(super) roomy: Batch,
    pub(super) full: Batch,
    /// The cells of one cluster whose best may have changed, and the nodes that have to be settled.
    pub(super) touched: Touched,
    pub(super) unsettled: Touched,
    pub(super) selected: Vec<ClusterId>,
    pub(super) patch: Patch<K>,
    /// The temporal preferences' steps for the VM being decided.
    pub(crate) moment: Vec<Moment>,
    /// The current time, and how far ahead of it machines are expected to be free. Only used if exactly one rule
    /// needs it and racks are ranked separately.
    pub(crate) now_s: u32,
    pub(super) ahead: Option<Ahead>,
    /// Whether racks are ranked separately.
    pub(super) by_rack: bool,
    /// The policy's rules about uplinks.
    pub(super) uplinks: Vec<UplinkField>,
    /// The policy's rules about chassis, for user-facing and for batch VMs.
    pub(super) chassis: Vec<ChassisField>,
    pub(crate) user_facing: bool,
    /// Whether racks are small enough for bits.
    pub(super) in_bits: bool,
    pub(super) tied: Vec<Tied>,
}

impl<K: PackedKey> Kit<K> {
    pub(crate) fn new(policy: &Policy, caches: Caches, fleet: &Fleet) -> Self {
        let (nobody, clusters) = (nobody(), fleet.clusters().len());
        let is_small = |rack: u32| fleet.machines_of_rack(RackId(rack)).len() <= ahead::MACHINES_MAX;
        let chassis = ChassisField::of(policy);
        let by_rack = caches.cells && (policy.sees_racks() || !chassis.is_empty());
        let in_bits = by_rack && (0..fleet.rack_count()).all(is_small);
        let unit_s = policy.unit_s().filter(|_| in_bits);
        Self {
            shared: Shared::new(judges(policy, &nobody), RackJudges::new(policy, &nobody).1, clusters),
            clusters: SharedClusters::new(policy, clusters, &nobody),
            objects: Objects::new(caches.object_pool as usize, clusters),
            shapes: vec![None; clusters],
            caches,
            room: Room::default(),
            batch: Batch::default(),
            keys: Vec::new(),
            roomy: Batch::default(),
            full: Batch::default(),
            touched: Touched::default(),
            unsettled: Touched::default(),
            selected: Vec::new(),
            patch: Patch::default(),
            moment: Vec::new(),
            now_s: 0,
            by_rack,
            ahead: unit_s.map(Ahead::new),
            uplinks: UplinkField::of(policy),
            in_bits,
            chassis,
            user_facing: false,
            tied: Vec::new(),
        }
    }

    /// The shape of a cluster's cells.
    pub(super) fn shape(&mut self, fleet: &Fleet, cluster: ClusterId) -> Arc<Shape> {
        let whole = fleet.cluster(cluster);
        let build = || {
            Arc::new(if self.by_rack {
                Shape::of(Fan::OfRacks, whole.racks().map(|rack| fleet.machines_of_rack(RackId(rack)).len()))
            } else {
                Shape::of(Fan::OfClusters, core::iter::once(whole.machines().len()))
            })
        };
        self.shapes[cluster.index()].get_or_insert_with(build).clone()
    }

    /// Bytes of what all evaluations share.
    pub(crate) fn shared_bytes(&self) -> u64 {
        self.shared.bytes() + self.shapes.iter().flatten().map(|shape| shape.bytes() as u64).sum::<u64>()
    }

    /// Whether cells store their machines as bits: for rules that depend on the clock, their best ones, and for rules
    /// about chassis and uplinks, those among which such a rule may decide.
    pub(super) fn bits(&self) -> Option<TiedUnder> {
        match (self.tiebreaker(), self.uplinks.first()) {
            (Some(field), _) => Some(TiedUnder::Above(field)),
            (None, Some(first)) if self.in_bits && self.chassis.is_empty() => Some(TiedUnder::Above(first.field)),
            (None, Some(_)) => None,
            (None, None) => self.ahead.as_ref().map(|_| TiedUnder::All),
        }
    }

    /// The field of the only rule about chassis, if it breaks ties rack by rack.
    pub(super) fn tiebreaker(&self) -> Option<Field> {
        match &*self.chassis {
            [rule] if self.in_bits => Some(rule.field),
            _ => None,
        }
    }
}
