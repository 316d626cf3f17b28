//! Tenants by number of VMs.

use std::collections::HashMap;

use serde::Serialize;
use tiebreak_model::{RequestId, Workload};

use crate::quantiles::Quantiles;

/// Tenants and requests by their numbers of VMs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tenants {
    /// The number of tenants.
    pub count: u32,
    /// VMs per tenant.
    pub vms: Quantiles,
    /// VMs per request: of one tenant at one instant.
    pub batch: Quantiles,
    /// The share of all VMs that belong to the largest tenth of the tenants, 0 to 1.
    pub of_largest_tenth: f64,
}

impl Tenants {
    pub(crate) fn of(workload: &Workload) -> Self {
        let mut vms_of: HashMap<u64, u64> = HashMap::new();
        let requests = (0..workload.request_count()).map(RequestId);
        let batch: Vec<u64> = requests
            .map(|request| {
                let vms = workload.vms_of(request).len() as u64;
                *vms_of.entry(workload.tenant(request)).or_default() += vms;
                vms
            })
            .collect();
        let mut vms: Vec<u64> = vms_of.into_values().collect();
        vms.sort_unstable_by(|one, other| other.cmp(one));
        let tenth: u64 = vms[..vms.len().div_ceil(10)].iter().sum();
        Self {
            count: vms.len() as u32,
            of_largest_tenth: tenth as f64 / f64::from(workload.vm_count().max(1)),
            vms: Quantiles::of(vms),
            batch: Quantiles::of(batch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::workload;

    #[test]
    fn a_tenant_has_its_vms_and_a_request_those_of_one_instant() {
        let mut vms: Vec<_> = (0..9).map(|tenant| (tenant, None, 1, tenant as u64)).collect();
        vms.extend([(20, None, 1, 9), (20, None, 1, 9), (20, None, 1, 9), (30, None, 1, 9)]);
        let tenants = Tenants::of(&workload(&vms, 60));
        assert_eq!((tenants.count, tenants.vms.p50, tenants.vms.max), (10, 1.0, 4.0));
        assert_eq!((tenants.batch.max, tenants.batch.mean), (3.0, 13.0 / 11.0));
        assert!((tenants.of_largest_tenth - 4.0 / 13.0).abs() < 1e-12);
    }
}
