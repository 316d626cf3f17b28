//! What is known about a VM at its request: the features of all models.
//!
//! LAVA has more (Appendix A, Table 3): zone, category, metadata id, admission policy. Traces have the tenant, which
//! groups related VMs like the metadata id.

use tiebreak_model::phrase::mark;
use tiebreak_model::{Millis, RequestId, Resource, ShapeId, Time, VmId, Workload};

/// The features of a VM that are known at its start, in the order of [`Traits::values`].
pub(crate) const TITLES: [&str; 9] = [
    mark("cores"),
    mark("memory"),
    mark("local SSD"),
    mark("network"),
    mark("priority"),
    mark("VMs in the request"),
    mark("hour of day"),
    mark("VM type"),
    mark("tenant"),
];

/// The index in [`Traits::values`] of the number of VMs in the request.
pub(crate) const REQUEST_VMS: usize = 5;

/// The index of the shape.
const VM_TYPE: usize = 7;

/// The index of the tenant.
pub(crate) const TENANT: usize = 8;

/// Whether a feature is categorical; the others are numeric.
pub(crate) const fn is_category(feature: usize) -> bool {
    matches!(feature, VM_TYPE | TENANT)
}

/// One VM as models see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Traits {
    pub(crate) vm: VmId,
    pub(crate) shape: ShapeId,
    pub(crate) start: Time,
    pub(crate) values: [u64; TITLES.len()],
}

/// Every VM of a workload, in order.
pub(crate) fn of(workload: &Workload) -> impl Iterator<Item = Traits> + '_ {
    (0..workload.request_count()).map(RequestId).flat_map(move |request| {
        let (start, vms) = (workload.at(request), workload.vms_of(request));
        let request_vms = u64::from(vms.end - vms.start);
        let hour = start.0.rem_euclid(Millis::DAY.0 as i64) as u64 / Millis::HOUR.0;
        vms.map(VmId).map(move |vm| {
            let shape = workload.shape_of(vm);
            let traits = workload.shape(shape);
            let [cores, memory, ssd, network] = Resource::ALL.map(|resource| u64::from(traits.demand[resource]));
            let (priority, vm_type, tenant) = (traits.priority.into(), shape.0.into(), workload.tenant(request));
            let values = [cores, memory, ssd, network, priority, request_vms, hour, vm_type, tenant];
            Traits { vm, shape, start, values }
        })
    })
}
