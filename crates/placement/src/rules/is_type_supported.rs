//! `IsTypeSupported` (Protean section 3.2, example 2 of validators).

use tiebreak_model::{HardwareView, Resources, VmRequest, declare};

use crate::rule::{OfHardware, Validator};

declare! {
    /// The cluster's hardware supports the VM's type: the VM fits on an empty machine of the cluster.
    ///
    /// This way the machine rules skip clusters whose machines are too small. (Protean section 3.2)
    pub struct IsTypeSupported as "Cluster supports the VM type" {}
}

impl Validator for IsTypeSupported {
    type Reach = OfHardware;
    type Key = Resources;

    fn key(&self, vm: &VmRequest) -> Resources {
        vm.shape.demand
    }

    fn is_valid(&self, demand: &Resources, cluster: HardwareView<'_>) -> bool {
        cluster.machine_capacity.covers(*demand)
    }
}
