//! Where the VMs of tenants that ask for anything really stand.

use alloc::collections::BTreeMap;

use tiebreak_model::{Footprint, Occupancy, Time};

use crate::system::{Arrival, Stay, System};

/// The footprint of each tenant. A VM that asks for nothing is not counted, so most runs keep none.
#[derive(Default)]
pub(crate) struct Tenants(BTreeMap<u64, Footprint>);

impl Tenants {
    /// Where a tenant's VMs stand, if any does.
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
