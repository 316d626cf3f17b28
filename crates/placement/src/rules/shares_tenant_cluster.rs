//! `SharesTenantCluster` (Protean section 2.1, co-location; section 3.2, affinity within the
//! cluster).

use tiebreak_model::{HardwareView, Scope, TenantView, VmRequest, declare};

use crate::rule::{OfTenantOnCluster, Validator};

declare! {
    /// Keeps a tenant that requires one cluster or one rack in the cluster of its first VM.
    ///
    /// This is why clusters are not filled completely: a bound tenant that grows cannot go elsewhere. Raise the
    /// limit of IsClusterBelowLimit and watch such tenants be refused; PreferEmptierClusters delays that. (Protean
    /// sections 2.1 and 3.2)
    pub struct SharesTenantCluster as "Keep tenant in one cluster" {}
}

impl Validator for SharesTenantCluster {
    type Reach = OfTenantOnCluster;
    /// Whether the tenant must stay where its VMs are.
    type Key = bool;

    fn key(&self, vm: &VmRequest) -> bool {
        vm.shape.terms.scope >= Scope::Cluster && vm.tenant.placed > 0
    }

    fn concerns(&self, is_bound: &bool) -> bool {
        *is_bound
    }

    fn is_valid(&self, is_bound: &bool, cluster: TenantView<HardwareView<'_>>) -> bool {
        !is_bound || cluster.tenant_vms > 0
    }
}
