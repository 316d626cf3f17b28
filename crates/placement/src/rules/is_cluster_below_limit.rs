//! `IsClusterBelowLimit` (Protean section 6.3, "Adapting to COVID-19 capacity crunch").

use tiebreak_model::{ClusterView, Resource, VmRequest, declare};

use crate::rule::{OfCluster, Validator};

declare! {
    /// The cluster's allocated cores are below its utilization limit.
    ///
    /// The capacity above the limit is a buffer for growing tenants and failing machines. A higher limit sells more
    /// of the cluster and leaves a smaller buffer. In the terms of the admission papers, this is the zeroth-moment
    /// policy: it considers only today's load. (Protean section 6.3)
    pub struct IsClusterBelowLimit as "Cluster below utilization limit" {
        /// Share of the cluster's cores that may be allocated before it takes no new VMs. A larger value sells more
        /// and keeps less in reserve.
        limit: f64 = 97, 0 => 100, "%";
    }
}

impl Validator for IsClusterBelowLimit {
    type Reach = OfCluster;
    type Key = ();

    fn key(&self, _: &VmRequest) {}

    fn is_valid(&self, (): &(), cluster: ClusterView<'_>) -> bool {
        cluster.is_used_below(Resource::Cores, self.limit)
    }
}
