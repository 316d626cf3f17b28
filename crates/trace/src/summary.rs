//! Summary figures of a trace.

use tiebreak_model::{Millis, RequestId, Resource, Resources, Time, VmId, Workload};

/// Summary figures of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// VMs.
    pub vms: u32,
    /// Requests; VMs of one tenant at one instant count once.
    pub requests: u32,
    /// VMs that were alive when the trace began.
    pub warm: u32,
    /// Distinct tenants.
    pub tenants: u64,
    /// The length of the trace.
    pub span: Millis,
    /// VMs without a known end.
    pub endless: u32,
    /// Cores in use at the start, in thousandths.
    pub cores_milli_at_start: u64,
    /// Peak cores in use, in thousandths.
    pub peak_cores_milli: u64,
    /// Peak memory in use, in MiB; possibly at another moment than the peak of cores.
    pub peak_memory_mib: u64,
    /// Peak number of VMs.
    pub peak_vms: u32,
    /// The VM with the most cores, then memory.
    pub largest: Resources,
}

impl Summary {
    /// One sweep over starts and ends; at one instant, VMs leave before others arrive.
    #[must_use]
    pub fn of(workload: &Workload) -> Self {
        let mut summary = Self { vms: workload.vm_count(), requests: workload.request_count(), ..Self::default() };
        summary.warm = workload.warm_count();
        summary.tenants = tenants_of(workload);
        summary.span = workload.horizon().since(Time::ZERO);
        let mut departures = workload.departures(|_, end| end < Time::NEVER).into_iter().peekable();
        let (mut cores, mut memory, mut alive) = (0, 0, 0);
        for request in (0..workload.request_count()).map(RequestId) {
            let now = workload.at(request).max(Time::ZERO);
            while let Some((.., shape)) = departures.next_if(|(end, ..)| *end <= now) {
                let freed = workload.shape(shape).demand;
                cores -= u64::from(freed.cores_milli());
                memory -= u64::from(freed[Resource::Memory]);
                alive -= 1;
            }
            for vm in workload.vms_of(request).map(VmId) {
                let demand = workload.shape(workload.shape_of(vm)).demand;
                cores += u64::from(demand.cores_milli());
                memory += u64::from(demand[Resource::Memory]);
                alive += 1;
                summary.largest = summary.largest.max(demand);
                summary.endless += u32::from(workload.end(vm) == Time::NEVER);
            }
            if request.0 < summary.warm {
                summary.cores_milli_at_start = cores;
            }
            summary.peak_cores_milli = summary.peak_cores_milli.max(cores);
            summary.peak_memory_mib = summary.peak_memory_mib.max(memory);
            summary.peak_vms = summary.peak_vms.max(alive);
        }
        summary
    }
}

fn tenants_of(workload: &Workload) -> u64 {
    // Most requests come from one of the last tenants, which then need not be sorted again.
    let mut last = [None; 1 << 12];
    let is_another = |tenant: &u64| last[*tenant as usize % last.len()].replace(*tenant) != Some(*tenant);
    let all = (0..workload.request_count()).map(|request| workload.tenant(RequestId(request)));
    let mut tenants: Vec<u64> = all.filter(is_another).collect();
    tenants.sort_unstable();
    tenants.dedup();
    tenants.len() as u64
}
