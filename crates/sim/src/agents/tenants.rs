//! The actual locations of the VMs of tenants with placement terms.

use alloc::collections::BTreeMap;

use tiebreak_model::{Footprint, Occupancy, Time};

use crate::system::{Arrival, Stay, System};

/// The footprint of each tenant. VMs without terms are not tracked, so this is empty in most runs.
#[derive(Default)]
pub(crate) struct Tenants(BTreeMap<u64, Footprint>);

impl Tenants {
    /// Where a tenant's VMs are, if it has any.
    pub(crate) fn footprint(&self, tenant: u64) -> Option<&Footprint> {
        self.0.get(&tenant)
    }
}

impl System for Tenants {
    type Sample = ();
    type Summary = ();

    fn come(&mut self, Arrival { stay, .. }: &Arrival<'_>) {
        if !stay.shape().terms.is_none() {
            self.0.entry(stay.tenant()).or_default().add(stay.machine);
        }
    }

    fn leave(&mut self, stay: &Stay<'_>) {
        if stay.shape().terms.is_none() {
            return;
        }
        let footprint = self.0.get_mut(&stay.tenant()).expect("its tenant has VMs");
        footprint.remove(stay.machine);
        if footprint.is_empty() {
            self.0.remove(&stay.tenant());
        }
    }

    fn sample(&mut self, _: Time, _: &Occupancy) {}

    fn summary(&self) {}
}
