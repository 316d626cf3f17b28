//! The figures of a trace on which placement depends.
//!
//! A [`Profile`] describes a workload, whether it was read or generated: so a trace and a workload that was fitted to
//! it can be compared. Nothing in it is an estimate except the surviving share, by Kaplan and Meier, because traces
//! end before their VMs do.

mod arrivals;
mod facts;
mod lives;
mod load;
mod quantiles;
mod reuse;
mod sizes;
pub mod sizing;
mod tenants;
pub mod words;

pub use arrivals::Arrivals;
pub use facts::{Facts, begins_late_at_hours, too_large};
pub use lives::{LIFE_BOUNDS_S, LifeBin, Lives};
pub use load::{Hour, Inventory, Load};
pub use quantiles::Quantiles;
pub use reuse::Reuse;
pub use sizes::Size;
pub use tenants::Tenants;

use std::ops::Range;

use tiebreak_model::{RequestId, Workload};

/// Everything about one workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The sizes of VMs, the most frequent first.
    pub sizes: Vec<Size>,
    /// Their lifetimes.
    pub lives: Lives,
    /// Their arrivals.
    pub arrivals: Arrivals,
    /// The tenants and their VMs.
    pub tenants: Tenants,
    /// How soon a size is requested again.
    pub reuse: Reuse,
    /// The load over time, and the machines for it.
    pub load: Load,
}

impl Profile {
    /// The profile of a workload: a few passes over it, and sorting.
    #[must_use]
    pub fn of(workload: &Workload) -> Self {
        Self {
            sizes: sizes::of(workload),
            lives: Lives::of(workload),
            arrivals: Arrivals::of(workload),
            tenants: Tenants::of(workload),
            reuse: Reuse::of(workload),
            load: Load::of(workload),
        }
    }
}

/// VMs that arrive after the start, in order of arrival.
fn arriving(workload: &Workload) -> Range<u32> {
    let warm = workload.warm_count();
    let first =
        if warm < workload.request_count() { workload.vms_of(RequestId(warm)).start } else { workload.vm_count() };
    first..workload.vm_count()
}

#[cfg(test)]
mod trial {
    use tiebreak_model::{Resources, Time, VmRow, VmShape, Workload, WorkloadBuilder};

    /// VMs by start and end in minutes, cores, and tenant; GiB are four times the cores.
    pub(crate) fn workload(vms: &[(i64, Option<i64>, u32, u64)], minutes: i64) -> Workload {
        let mut rows = WorkloadBuilder::new();
        for (name, (start, end, cores, tenant)) in (0..).zip(vms) {
            let shape = VmShape::plain(Resources::new(cores * 1_000, cores * 4_096, 0, 0));
            let end = end.map_or(Time::NEVER, |end| Time(end * 60_000));
            rows.push(VmRow { name, tenant: *tenant, shape, start: Time(start * 60_000), end });
        }
        rows.finish(Time(minutes * 60_000)).expect("a workload")
    }
}
