//! A rule evaluation: the ranked candidates for one class of requests, cached and updated from the journal (Protean
//! section 5.2.2).
//!
//! Machines are ranked in cells: a whole cluster, or one rack if any rule sees racks, because such a rule treats all
//! machines of a rack alike (section 5.2.5). A cluster's cells are built when the cluster is first selected, and
//! remember the last revision that they have seen. Updating them costs O(M log n) for M changed machines.
//!
//! Cached verdicts hold for a tenant without VMs. If the tenant has VMs, the machines and racks that host them are
//! judged again, patched for this one decision, and restored.

use alloc::vec::Vec;

use tiebreak_model::{ClusterId, MachineId, Resources, Scene, VmRequest};

use super::cluster_order::ClusterOrder;
use super::judges::{Judge, RackJudges, judges};
use super::objects::Books;
use super::packed::PackedKey;
use super::ranking::TiedUnder;
use super::request::Draw;
use super::ties::Ties;
use crate::network::gate::Gate;
use crate::policy::fields::Field;
use crate::policy::{Policy, Weights};
use cells::Cells;
use racks::Racks;
use weighing::Tally;

pub(crate) use kit::Kit;

mod cells;
mod choosing;
mod kit;
mod live;
mod moment;
mod patching;
mod racks;
mod refreshing;
mod weighing;

/// The machine found, and the number of machines it was drawn from.
pub(crate) type Found = (MachineId, u32);

/// One class of requests.
pub(crate) struct Evaluation<K> {
    order: ClusterOrder,
    racks: Racks,
    judges: Vec<Judge>,
    fields: Vec<Field>,
    weights: Option<Weights>,
    best_clusters: usize,
    /// A machine with less free is invalid, whatever other rules say.
    must_be_free: Resources,
    /// Whether any rule sees racks, and whether racks are ranked separately.
    sees_racks: bool,
    by_rack: bool,
    /// Whether machine or rack rules see the requesting tenant's VMs.
    sees_tenant: bool,
    /// Whether a cell's machines are stored as bits, and the rules under which their best ones tie.
    bits: Option<TiedUnder>,
    cells: Vec<Option<Cells<K>>>,
    /// All cells were used then or later, so most searches for unused ones end here.
    used_since: u64,
    /// Where the best machine was last found; used if rules depend on the clock.
    found_last: (ClusterId, u32),
}

impl<K: PackedKey> Evaluation<K> {
    /// Binds the policy to a class of requests; nothing is ranked yet.
    pub(crate) fn new(policy: &Policy, kit: &Kit<K>, clusters: usize, vm: &VmRequest) -> Self {
        Self {
            order: ClusterOrder::new(policy, clusters, vm),
            racks: Racks { own: RackJudges::new(policy, vm).0, is_common: policy.is_common(vm) },
            judges: judges(policy, vm).own,
            fields: policy.fields.clone(),
            weights: policy.weighted.then(|| Weights::of_machines(policy)),
            best_clusters: policy.best_clusters as usize,
            must_be_free: policy.must_be_free(vm),
            sees_racks: policy.sees_racks(),
            by_rack: kit.by_rack,
            bits: kit.bits(),
            sees_tenant: policy.minds_company(vm),
            cells: (0..clusters).map(|_| None).collect(),
            used_since: 0,
            found_last: (ClusterId::of(0), 0),
        }
    }

    /// The machine that this draw picks now; `None` if no machine is valid.
    pub(crate) fn choose(
        &mut self,
        scene: Scene<'_>,
        draw: Draw,
        gate: Option<&Gate<'_>>,
        kit: &mut Kit<K>,
        books: &mut Books<'_>,
    ) -> Option<Found> {
        self.order.write(scene, &mut kit.clusters, &mut kit.selected);
        let mut selected = core::mem::take(&mut kit.selected);
        let mut found = None;
        // The best k clusters; if none of their machines is valid, the next k.
        for some in selected.chunks_mut(self.best_clusters) {
            some.sort_unstable();
            self.refresh(scene.occupancy, some, u64::MAX, kit, books);
            self.patch(scene, some, kit);
            found = self.choose_among(scene.occupancy, some, draw, gate, kit, books);
            self.unpatch(kit);
            if found.is_some() {
                break;
            }
        }
        kit.selected = selected;
        found
    }

    /// Drops the cells of clusters that were not selected since then.
    pub(crate) fn forget_cells_unused_since(&mut self, then: u64) {
        if self.used_since >= then {
            return;
        }
        for cells in &mut self.cells {
            cells.take_if(|cells| cells.used_at < then);
        }
        self.used_since = self.cells.iter().flatten().map(|cells| cells.used_at).min().unwrap_or(then);
    }

    /// Bytes of its rankings.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = |cells: &Cells<K>| {
            let of_ties = cells.ties.as_ref().map_or(0, Ties::bytes);
            let of_tally = cells.tally.as_ref().map_or(0, Tally::bytes);
            let of_bits = (cells.bits.capacity() + cells.valid.capacity()) * size_of::<u64>();
            (cells.bests.bytes() + of_ties + of_tally + of_bits + cells.rankings.bytes()) as u64
        };
        self.cells.iter().flatten().map(bytes).sum()
    }
}
