//! The valid clusters in order, kept for one class of requests.
//!
//! A cluster is judged again only when a machine of it has changed, which the journal tells;
//! so selecting clusters costs what changed, not how many there are. Source: Protean
//! sections 3.2 and 5.1.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::journal::Revision;
use tiebreak_model::{ClusterId, Scene, VmRequest};

use crate::erased::{BoundPreference, BoundValidator};
use crate::policy::Policy;
use crate::quantize::Quantizer;
use crate::weights::{Weight, best_first};

/// The cluster rules of one class, and the clusters in the order they give.
pub(crate) struct ClusterOrder {
    validators: Vec<Box<dyn BoundValidator<ClusterId>>>,
    preferences: Vec<(Box<dyn BoundPreference<ClusterId>>, Quantizer)>,
    weights: Option<Vec<Weight>>,
    sees_tenant: bool,
    clusters: usize,
    seen: Option<Revision>,
    /// The buckets of every cluster, cluster by cluster; those of an invalid one mean nothing.
    buckets: Vec<u64>,
    /// The valid clusters, best first, ties by id.
    order: Vec<ClusterId>,
}

impl ClusterOrder {
    pub(crate) fn new(policy: &Policy, clusters: usize, vm: &VmRequest) -> Self {
        // Among k clusters or fewer there is nothing to order: all of them are looked at.
        let ordered = if clusters <= policy.best_clusters as usize { &[][..] } else { &policy.cluster_preferences };
        let weights: Vec<_> = ordered.iter().map(|ranked| ranked.weight).collect();
        Self {
            validators: policy.cluster_validators.iter().map(|ranked| ranked.rule.bind(vm)).collect(),
            preferences: ordered.iter().map(|ranked| (ranked.rule.bind(vm), ranked.quantizer)).collect(),
            weights: (policy.weighted && !weights.is_empty()).then_some(weights),
            sees_tenant: policy.cluster_validators.iter().any(|ranked| ranked.rule.sees_tenant())
                || ordered.iter().any(|ranked| ranked.rule.sees_tenant()),
            clusters,
            seen: None,
            buckets: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Writes the valid clusters down, best first.
    pub(crate) fn write(&mut self, scene: Scene<'_>, into: &mut Vec<ClusterId>) {
        into.clear();
        if self.sees_tenant && !scene.footprint.is_empty() {
            self.write_afresh(scene, into);
        } else {
            self.update(scene);
            into.extend(&self.order);
        }
    }

    /// For one tenant: nothing of it is kept.
    fn write_afresh(&self, scene: Scene<'_>, into: &mut Vec<ClusterId>) {
        let valid = (0..self.clusters).map(ClusterId::of).filter(|id| self.is_valid(scene, *id));
        let buckets = |id: ClusterId| self.buckets_of(scene, id).collect::<Vec<_>>();
        let mut rows: Vec<_> = valid.map(|id| (buckets(id), id)).collect();
        rows.sort_unstable();
        self.by_weights(&mut rows);
        into.extend(rows.iter().map(|(_, id)| *id));
    }

    fn by_weights(&self, rows: &mut [(Vec<u64>, ClusterId)]) {
        if let Some(weights) = &self.weights {
            best_first(weights, rows);
        }
    }

    fn update(&mut self, scene: Scene<'_>) {
        let (occupancy, width) = (scene.occupancy, self.preferences.len());
        let now = occupancy.revision();
        if self.seen == Some(now) {
            return;
        }
        if self.weights.is_some() {
            let mut order = core::mem::take(&mut self.order);
            order.clear();
            self.write_afresh(Scene::of(occupancy), &mut order);
            self.order = order;
        } else if let Some(seen) = self.seen {
            for cluster in occupancy.journal().clusters_changed_since(seen) {
                self.replace(Scene::of(occupancy), cluster);
            }
        } else {
            self.buckets = alloc::vec![0; self.clusters * width];
            for cluster in (0..self.clusters).map(ClusterId::of) {
                self.insert(Scene::of(occupancy), cluster);
            }
        }
        self.seen = Some(now);
    }

    fn replace(&mut self, scene: Scene<'_>, cluster: ClusterId) {
        if let Ok(at) = self.place(cluster) {
            self.order.remove(at);
        }
        self.insert(scene, cluster);
    }

    fn insert(&mut self, scene: Scene<'_>, cluster: ClusterId) {
        if !self.is_valid(scene, cluster) {
            return;
        }
        let width = self.preferences.len();
        for (at, (rule, quantizer)) in self.preferences.iter().enumerate() {
            self.buckets[cluster.index() * width + at] = quantizer.bucket(rule.score(scene, cluster));
        }
        if let Err(at) = self.place(cluster) {
            self.order.insert(at, cluster);
        }
    }

    /// Where a cluster stands, or would stand, by the buckets written down.
    fn place(&self, cluster: ClusterId) -> Result<usize, usize> {
        let width = self.preferences.len();
        let row = |id: ClusterId| (&self.buckets[id.index() * width..(id.index() + 1) * width], id);
        let mine = row(cluster);
        self.order.binary_search_by(|other| row(*other).cmp(&mine))
    }

    fn is_valid(&self, scene: Scene<'_>, cluster: ClusterId) -> bool {
        self.validators.iter().all(|rule| rule.is_valid(scene, cluster))
    }

    fn buckets_of<'a>(&'a self, scene: Scene<'a>, cluster: ClusterId) -> impl Iterator<Item = u64> + 'a {
        self.preferences.iter().map(move |(rule, quantizer)| quantizer.bucket(rule.score(scene, cluster)))
    }
}
