//! The valid clusters in order, cached for one class of requests (Protean sections 3.2 and 5.1).
//!
//! Verdicts that do not depend on the request are computed once per change of a cluster and shared. A class moves a
//! cluster only when its verdicts changed, which is rare with few buckets. So the cost of selecting clusters depends
//! on the number of changes, not on the number of clusters.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::journal::{Changes, Revision};
use tiebreak_model::{ClusterId, Occupancy, Scene, VmRequest};

use super::weights::best_first;
use crate::policy::ranked::RankedPreference;
use crate::policy::{Policy, Weights};
use crate::rule::erased::{BoundPreference, BoundValidator};
use crate::rule::quantize::Quantizer;

type BoxedValidator = Box<dyn BoundValidator<ClusterId>>;
type Scorer = (Box<dyn BoundPreference<ClusterId>>, Quantizer);

/// The preferences that order clusters; none if there are at most k clusters, because all are searched.
fn ordering(policy: &Policy, clusters: usize) -> &[RankedPreference<ClusterId>] {
    if clusters <= policy.best_clusters as usize { &[] } else { &policy.cluster_preferences }
}

/// Verdicts on each cluster from the rules that do not depend on the request.
pub(crate) struct SharedClusters {
    validators: Vec<BoxedValidator>,
    preferences: Vec<Scorer>,
    seen: Option<Revision>,
    valid: Vec<bool>,
    buckets: Vec<u64>,
    /// The changes of these verdicts.
    changes: Changes,
    room: Vec<u64>,
}

impl SharedClusters {
    /// For a fleet with this many clusters; the request does not matter.
    pub(crate) fn new(policy: &Policy, clusters: usize, nobody: &VmRequest) -> Self {
        let preferences = ordering(policy, clusters).iter().filter(|ranked| ranked.asks_nothing);
        let preferences: Vec<_> = preferences.map(|ranked| (ranked.rule.bind(nobody), ranked.quantizer)).collect();
        let validators =
            policy.cluster_validators.iter().filter(|ranked| ranked.asks_nothing && !ranked.rule.is_live());
        Self {
            validators: validators.map(|ranked| ranked.rule.bind(nobody)).collect(),
            seen: None,
            valid: vec![false; clusters],
            buckets: vec![0; clusters * preferences.len()],
            preferences,
            changes: Changes::new(clusters),
            room: Vec::new(),
        }
    }

    fn update(&mut self, occupancy: &Occupancy) {
        let now = occupancy.revision();
        if self.seen == Some(now) {
            return;
        }
        match self.seen.replace(now) {
            Some(seen) => {
                for cluster in occupancy.journal().clusters_changed_since(seen) {
                    self.judge(occupancy, cluster);
                }
            }
            None => (0..self.valid.len()).map(ClusterId::of).for_each(|cluster| self.judge(occupancy, cluster)),
        }
    }

    fn judge(&mut self, occupancy: &Occupancy, cluster: ClusterId) {
        let (scene, width) = (Scene::of(occupancy), self.preferences.len());
        let valid = self.validators.iter().all(|rule| rule.is_valid(scene, cluster));
        self.room.clear();
        self.room.extend(self.preferences.iter().map(|(rule, quantizer)| quantizer.bucket(rule.score(scene, cluster))));
        let buckets = &mut self.buckets[cluster.index() * width..(cluster.index() + 1) * width];
        // Skip the comparison if there are no buckets.
        let moved = width > 0 && *buckets != self.room[..];
        if moved || valid != self.valid[cluster.index()] {
            self.valid[cluster.index()] = valid;
            buckets.copy_from_slice(&self.room);
            self.changes.record(cluster.0);
        }
    }

    fn buckets(&self, cluster: ClusterId) -> &[u64] {
        let width = self.preferences.len();
        &self.buckets[cluster.index() * width..(cluster.index() + 1) * width]
    }
}

/// The source of a cluster preference's bucket.
enum BucketSource {
    /// The shared verdicts, at this index.
    Shared(usize),
    /// The class's own rule.
    Own(Scorer),
}

/// The cluster rules of one class, and the clusters in their order.
pub(crate) struct ClusterOrder {
    /// Rules that depend on the request.
    validators: Vec<BoxedValidator>,
    /// Rules whose verdicts must not be cached.
    live: Vec<BoxedValidator>,
    preferences: Vec<BucketSource>,
    weights: Option<Weights>,
    sees_tenant: bool,
    /// Whether its own verdicts can change when a machine of the cluster changes.
    own_changes: bool,
    clusters: usize,
    /// The revision and the version of the shared verdicts that the order reflects.
    seen: Option<(Revision, Revision)>,
    /// The buckets of every cluster, cluster by cluster, and whether it is valid.
    buckets: Vec<u64>,
    valid: Vec<bool>,
    /// The valid clusters, best first, ties by id.
    order: Vec<ClusterId>,
    room: Vec<u64>,
}

impl ClusterOrder {
    pub(crate) fn new(policy: &Policy, clusters: usize, vm: &VmRequest) -> Self {
        let ordering = ordering(policy, clusters);
        let concerned = || policy.cluster_validators.iter().filter(|ranked| ranked.rule.concerns(vm));
        let live = policy.cluster_validators.iter().filter(|ranked| ranked.rule.is_live());
        let asking = || concerned().filter(|ranked| !ranked.asks_nothing);
        let own = || ordering.iter().filter(|ranked| !ranked.asks_nothing);
        let mut shared = 0..;
        let source = |ranked: &RankedPreference<ClusterId>| {
            let own = || BucketSource::Own((ranked.rule.bind(vm), ranked.quantizer));
            if ranked.asks_nothing { shared.next().map_or_else(own, BucketSource::Shared) } else { own() }
        };
        Self {
            validators: asking().map(|ranked| ranked.rule.bind(vm)).collect(),
            live: live.map(|ranked| ranked.rule.bind(vm)).collect(),
            preferences: ordering.iter().map(source).collect(),
            weights: (policy.is_weighted() && !ordering.is_empty()).then(|| Weights::of_clusters(policy)),
            sees_tenant: concerned().any(|ranked| ranked.sees_tenant)
                || ordering.iter().any(|ranked| ranked.rule.sees_tenant()),
            own_changes: asking().any(|ranked| !ranked.rule.sees_what_stays())
                || own().any(|ranked| !ranked.rule.sees_what_stays()),
            clusters,
            seen: None,
            buckets: Vec::new(),
            valid: Vec::new(),
            order: Vec::new(),
            room: Vec::new(),
        }
    }

    /// Writes the valid clusters, best first.
    pub(crate) fn write(&mut self, scene: Scene<'_>, shared: &mut SharedClusters, into: &mut Vec<ClusterId>) {
        shared.update(scene.occupancy);
        into.clear();
        if self.sees_tenant && !scene.footprint.is_empty() {
            self.write_afresh(scene, shared, into);
        } else {
            self.update(scene.occupancy, shared);
            into.extend(&self.order);
        }
        if scene.growth.is_some() {
            into.retain(|cluster| self.live.iter().all(|rule| rule.is_valid(scene, *cluster)));
        }
    }

    /// Computes the order without the class's cache: for one tenant, or for manual weights.
    fn write_afresh(&self, scene: Scene<'_>, shared: &SharedClusters, into: &mut Vec<ClusterId>) {
        let valid = (0..self.clusters).map(ClusterId::of).filter(|id| self.is_valid(scene, shared, *id));
        let buckets = |id: ClusterId| {
            let mut buckets = vec![0; self.preferences.len()];
            self.write_buckets(scene, shared, id, &mut buckets);
            buckets
        };
        let mut rows: Vec<_> = valid.map(|id| (buckets(id), id)).collect();
        rows.sort_unstable();
        if let Some(weights) = &self.weights {
            best_first(weights, &mut rows);
        }
        into.extend(rows.iter().map(|(_, id)| *id));
    }

    fn update(&mut self, occupancy: &Occupancy, shared: &SharedClusters) {
        let now = (occupancy.revision(), shared.changes.revision());
        let (scene, before) = (Scene::of(occupancy), self.seen.replace(now));
        match before {
            Some(before) if before == now => {}
            Some((_, version)) if version == shared.changes.revision() && !self.own_changes => {}
            _ if self.weights.is_some() => {
                let mut order = core::mem::take(&mut self.order);
                order.clear();
                self.write_afresh(scene, shared, &mut order);
                self.order = order;
            }
            Some((revision, _)) if self.own_changes => {
                for cluster in occupancy.journal().clusters_changed_since(revision) {
                    self.replace(scene, shared, cluster);
                }
            }
            Some((_, version)) => {
                for cluster in shared.changes.since(version).map(ClusterId) {
                    self.replace(scene, shared, cluster);
                }
            }
            None => {
                self.buckets = vec![0; self.clusters * self.preferences.len()];
                self.valid = vec![false; self.clusters];
                for cluster in (0..self.clusters).map(ClusterId::of) {
                    self.replace(scene, shared, cluster);
                }
            }
        }
    }

    /// Moves a cluster to the place that its verdicts give it now. Many stay: their verdicts changed, and changed back.
    fn replace(&mut self, scene: Scene<'_>, shared: &SharedClusters, cluster: ClusterId) {
        let valid = self.is_valid(scene, shared, cluster);
        let mut row = core::mem::take(&mut self.room);
        row.clear();
        row.resize(self.preferences.len(), 0);
        self.write_buckets(scene, shared, cluster, &mut row);
        let was_valid = self.valid[cluster.index()];
        if valid != was_valid || row != self.row(cluster).0 {
            if was_valid && let Ok(at) = self.place(cluster) {
                self.order.remove(at);
            }
            self.valid[cluster.index()] = valid;
            self.buckets[cluster.index() * row.len()..][..row.len()].copy_from_slice(&row);
            if valid && let Err(at) = self.place(cluster) {
                self.order.insert(at, cluster);
            }
        }
        self.room = row;
    }

    /// The position of a cluster, found or to insert, by its stored buckets.
    fn place(&self, cluster: ClusterId) -> Result<usize, usize> {
        let mine = self.row(cluster);
        self.order.binary_search_by(|other| self.row(*other).cmp(&mine))
    }

    /// What orders a cluster: its stored buckets, then its id.
    fn row(&self, cluster: ClusterId) -> (&[u64], ClusterId) {
        let width = self.preferences.len();
        (&self.buckets[cluster.index() * width..][..width], cluster)
    }

    fn is_valid(&self, scene: Scene<'_>, shared: &SharedClusters, cluster: ClusterId) -> bool {
        shared.valid[cluster.index()] && self.validators.iter().all(|rule| rule.is_valid(scene, cluster))
    }

    fn write_buckets(&self, scene: Scene<'_>, shared: &SharedClusters, cluster: ClusterId, into: &mut [u64]) {
        for (bucket, source) in into.iter_mut().zip(&self.preferences) {
            *bucket = match source {
                BucketSource::Shared(at) => shared.buckets(cluster)[*at],
                BucketSource::Own((rule, quantizer)) => quantizer.bucket(rule.score(scene, cluster)),
            };
        }
    }
}
