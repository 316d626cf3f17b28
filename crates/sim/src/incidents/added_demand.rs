//! The workload of a trace with the VMs that incidents ask for.
//!
//! A trace's VMs keep their names, and the numbers by which chance knows them: a spike moves
//! no other VM's luck.

use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::{RequestId, Time, VmId, VmRow, VmShape, Workload, WorkloadBuilder};

/// How many VMs all incidents of a plan together may ask for.
pub(crate) const ADDED_VMS_MAX: usize = 1_000_000;

/// One VM that an incident asks for, of a tenant that has no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddedVm {
    pub(crate) shape: VmShape,
    pub(crate) start: Time,
    pub(crate) end: Time,
}

/// A workload made of a trace's and of added VMs.
#[derive(Clone)]
pub(crate) struct AddedDemand {
    pub(crate) workload: Arc<Workload>,
    /// The number by which chance knows each VM.
    pub(crate) luck: Arc<[u64]>,
}

impl AddedDemand {
    /// A trace's workload with these VMs; none when there is no room for them.
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
        let workload = builder.finish(trace.horizon()).ok()?;
        Some(Self { luck: luck(&workload, &names), workload: Arc::new(workload) })
    }
}

/// So many numbers that name no VM and no tenant of a trace, counted down from the largest.
fn free_names(trace: &Workload, count: usize) -> Vec<u64> {
    let names = (0..trace.vm_count()).map(|vm| trace.name(VmId(vm)));
    let tenants = (0..trace.request_count()).map(|request| trace.tenant(RequestId(request)));
    let near = u64::MAX - count as u64 - 2 * u64::from(trace.vm_count());
    let taken: BTreeSet<_> = names.chain(tenants).filter(|name| *name >= near).collect();
    (near..=u64::MAX).rev().filter(|name| !taken.contains(name)).take(count).collect()
}

/// A trace's VMs are numbered as they are without the others, which have their names.
fn luck(workload: &Workload, added: &[u64]) -> Arc<[u64]> {
    let added: BTreeSet<_> = added.iter().copied().collect();
    let mut of_trace = 0..;
    let names = (0..workload.vm_count()).map(|vm| workload.name(VmId(vm)));
    names.filter_map(|name| if added.contains(&name) { Some(name) } else { of_trace.next() }).collect()
}
