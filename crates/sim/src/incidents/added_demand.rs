//! The workload of a trace plus the VMs that incidents request.
//!
//! A trace's VMs keep their names and their numbers in random streams, so a spike does not change the draws of any
//! other VM.

use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::{RequestId, Time, VmId, VmRow, VmShape, Workload, WorkloadBuilder};

/// The maximum number of VMs that all incidents of a plan may request.
pub(crate) const ADDED_VMS_MAX: usize = 1_000_000;

/// One VM that an incident requests, of a tenant without other VMs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddedVm {
    pub(crate) shape: VmShape,
    pub(crate) start: Time,
    pub(crate) end: Time,
}

/// A workload of trace VMs and added VMs.
#[derive(Clone)]
pub(crate) struct AddedDemand {
    pub(crate) workload: Arc<Workload>,
    /// Each VM's number in random streams.
    pub(crate) luck: Arc<[u64]>,
}

impl AddedDemand {
    /// A trace's workload with these VMs; `None` if they do not fit.
    pub(crate) fn new(trace: &Workload, added: &[AddedVm]) -> Option<Self> {
        let names = free_names(trace, added.len());
        let mut builder = WorkloadBuilder::new();
        if trace.is_one_by_one() {
            builder = builder.one_by_one();
        }
        trace.rows().for_each(|row| builder.push(row));
        for (AddedVm { shape, start, end }, name) in added.iter().zip(&names) {
            builder.push(VmRow { name: *name, tenant: *name, shape: *shape, start: *start, end: *end });
        }
        let workload = builder.finish(trace.horizon()).ok()?.with_earlier(trace.earlier().cloned());
        Some(Self { luck: luck(&workload, &names), workload: Arc::new(workload) })
    }
}

/// This many numbers that name no VM and no tenant of a trace, descending from the largest.
fn free_names(trace: &Workload, count: usize) -> Vec<u64> {
    let names = (0..trace.vm_count()).map(|vm| trace.name(VmId(vm)));
    let tenants = (0..trace.request_count()).map(|request| trace.tenant(RequestId(request)));
    let near = u64::MAX - count as u64 - 2 * u64::from(trace.vm_count());
    let taken: BTreeSet<_> = names.chain(tenants).filter(|name| *name >= near).collect();
    (near..=u64::MAX).rev().filter(|name| !taken.contains(name)).take(count).collect()
}

/// A trace's VMs keep the numbers they have without the added ones, which use their names.
fn luck(workload: &Workload, added: &[u64]) -> Arc<[u64]> {
    let added: BTreeSet<_> = added.iter().copied().collect();
    let mut of_trace = 0..;
    let names = (0..workload.vm_count()).map(|vm| workload.name(VmId(vm)));
    names.filter_map(|name| if added.contains(&name) { Some(name) } else { of_trace.next() }).collect()
}
