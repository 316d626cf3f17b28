//! `IsClusterBelowLimit` (Protean section 6.3, "Adapting to COVID-19 capacity crunch").

use tiebreak_model::{ClusterView, Resource, VmRequest, declare};

use crate::rule::{OfCluster, Validator};

declare! {
    /// The cluster's allocated cores are below its utilization limit.
    ///
    /// What stays above the limit is the buffer for tenants that grow later and for
    /// machines that fail. A higher limit sells more of the cluster and leaves less
    /// for both. In the terms of the admission papers this is the zeroth-moment
    /// policy: it looks at today's load only. (Protean section 6.3)
    pub struct IsClusterBelowLimit as "Cluster below utilization limit" {
        /// Share of the cluster's cores that may be allocated before it takes no new
        /// VM; larger sells more and keeps less in reserve.
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
