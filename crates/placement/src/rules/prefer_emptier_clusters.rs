//! `PreferEmptierClusters` (Protean section 3.2, example 3 of preferences).

use tiebreak_model::{ClusterView, Resource, VmRequest, declare};

use crate::rule::{OfCluster, Preference};

declare! {
    /// Prefers the clusters with the largest share of free cores.
    ///
    /// This balances free capacity over the clusters: no cluster runs full, and a tenant that must stay in its
    /// cluster can still grow. (Protean section 3.2)
    pub struct PreferEmptierClusters as "Emptiest cluster first" {}
}

impl Preference for PreferEmptierClusters {
    type Reach = OfCluster;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    fn score(&self, (): &(), cluster: ClusterView<'_>) -> f64 {
        cluster.used_share(Resource::Cores)
    }
}
