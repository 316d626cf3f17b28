//! The sizes of VMs.

use std::cmp::Reverse;

use tiebreak_model::{RequestId, Resources, Time, VmId, Workload};

/// VMs with the same demand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// The demand of each.
    pub demand: Resources,
    /// The number of VMs.
    pub vms: u32,
    /// Their total core-hours, from the start of the trace to its horizon.
    pub core_hours: f64,
}

/// All sizes, the most frequent first and then the larger ones.
pub(crate) fn of(workload: &Workload) -> Vec<Size> {
    let mut sizes: Vec<Size> = Vec::new();
    let mut place_of_shape = Vec::with_capacity(workload.shapes().len());
    // Shapes that differ in priority or terms are one size.
    let mut by_demand: Vec<(Resources, usize)> =
        workload.shapes().iter().enumerate().map(|(index, shape)| (shape.demand, index)).collect();
    by_demand.sort_unstable();
    place_of_shape.resize(workload.shapes().len(), 0);
    for same in by_demand.chunk_by(|one, next| one.0 == next.0) {
        same.iter().for_each(|(_, shape)| place_of_shape[*shape] = sizes.len());
        sizes.push(Size { demand: same[0].0, vms: 0, core_hours: 0.0 });
    }
    for request in (0..workload.request_count()).map(RequestId) {
        for vm in workload.vms_of(request).map(VmId) {
            let size = &mut sizes[place_of_shape[workload.shape_of(vm).index()]];
            size.vms += 1;
            size.core_hours += core_hours(workload, request, vm);
        }
    }
    sizes.retain(|size| size.vms > 0);
    sizes.sort_by_key(|size| Reverse((size.vms, size.demand)));
    sizes
}

/// A VM's core-hours from the start of the trace to its horizon.
pub(crate) fn core_hours(workload: &Workload, request: RequestId, vm: VmId) -> f64 {
    let (start, end) = (workload.at(request).max(Time::ZERO), workload.end(vm).min(workload.horizon()));
    let cores = f64::from(workload.shape_of_vm(vm).demand.cores_milli()) / 1_000.0;
    cores * end.since(start).0 as f64 / 3_600_000.0
}

#[cfg(test)]
mod tests {
    use crate::trial::workload;

    #[test]
    fn the_most_frequent_size_comes_first_with_its_core_hours() {
        let vms = [(-60, Some(60), 2, 1), (0, None, 4, 1), (30, Some(90), 2, 2), (119, Some(500), 8, 3)];
        let sizes = super::of(&workload(&vms, 120));
        let told: Vec<_> = sizes.iter().map(|it| (it.demand.cores_milli(), it.vms, it.core_hours)).collect();
        assert_eq!(told[..2], [(2_000, 2, 4.0), (8_000, 1, 8.0 / 60.0)]);
        assert_eq!(told[2], (4_000, 1, 8.0), "until the horizon");
    }
}
