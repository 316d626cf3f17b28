//! What happened before a workload began: VMs that had ended by then. A run knows nothing of them; predictors of
//! lifetimes learn from them.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::ids::VmId;
use crate::time::Time;
use crate::workload::{VmRow, Workload, WorkloadBuilder};

/// VMs that ended before a workload began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// Their times count from the beginning of the workload, so they are not positive.
    rows: Vec<VmRow>,
    /// When VMs began to be observed.
    since: Time,
}

impl Earlier {
    /// The VMs, in order.
    #[must_use]
    pub fn rows(&self) -> &[VmRow] {
        &self.rows
    }

    /// When VMs began to be observed, before [`Time::ZERO`].
    #[must_use]
    pub fn since(&self) -> Time {
        self.since
    }
}

/// A workload and what happened before it, as one workload. Times count from when VMs began to be observed.
pub struct History {
    /// All VMs.
    pub workload: Workload,
    /// When the later workload begins.
    pub begins: Time,
    /// The ids here of the later workload's VMs, in its order.
    pub vms: Vec<VmId>,
}

impl Workload {
    /// The part of a workload from a moment on. VMs that run at that moment are there when the part begins, and those
    /// that ended before are [`earlier`](Self::earlier). `None` if nothing is left.
    #[must_use]
    pub fn begun_at(&self, moment: Time) -> Option<Self> {
        let back = |at: Time| if at == Time::NEVER { at } else { Time(at.0 - moment.0) };
        let mut later = WorkloadBuilder::new();
        if self.is_one_by_one() {
            later = later.one_by_one();
        }
        let mut rows = Vec::new();
        for row in self.rows() {
            let moved = VmRow { start: back(row.start), end: back(row.end), ..row };
            if row.end <= moment { rows.push(moved) } else { later.push(moved) }
        }
        let earlier = Earlier { rows, since: back(Time::ZERO) };
        let later = later.finish(back(self.horizon())).ok()?;
        Some(later.with_earlier(Some(Arc::new(earlier))))
    }

    /// This workload with what happened before it; `None` if there is nothing before it.
    #[must_use]
    pub fn history(&self) -> Option<History> {
        let earlier = self.earlier()?;
        let forward = |at: Time| if at == Time::NEVER { at } else { Time(at.0 - earlier.since.0) };
        let mut all = WorkloadBuilder::new();
        if self.is_one_by_one() {
            all = all.one_by_one();
        }
        // Names tell which VMs are whose, and mean nothing to a predictor.
        let own = self.rows().zip(0..).map(|(row, vm)| VmRow { name: vm, ..row });
        let before = earlier.rows.iter().map(|row| VmRow { name: u64::MAX, ..*row });
        for row in before.chain(own) {
            all.push(VmRow { start: forward(row.start), end: forward(row.end), ..row });
        }
        let workload = all.finish(forward(self.horizon())).ok()?;
        let mut vms = alloc::vec![VmId(0); self.vm_count() as usize];
        for vm in (0..workload.vm_count()).map(VmId) {
            if let Some(own) = vms.get_mut(usize::try_from(workload.name(vm)).unwrap_or(usize::MAX)) {
                *own = vm;
            }
        }
        Some(History { workload, begins: forward(Time::ZERO), vms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::Resources;
    use crate::workload::VmShape;

    /// Name, tenant, start and end.
    fn workload(rows: &[(u64, u64, i64, Time)]) -> Workload {
        let mut builder = WorkloadBuilder::new();
        for (name, tenant, start, end) in rows {
            let shape = VmShape::plain(Resources::new(1_000, 1, 0, 0));
            builder.push(VmRow { name: *name, tenant: *tenant, shape, start: Time(*start), end: *end });
        }
        builder.finish(Time(100)).expect("a workload")
    }

    fn whole() -> Workload {
        workload(&[
            (1, 7, -5, Time(20)),
            (2, 7, -4, Time::NEVER),
            (3, 9, 10, Time(70)),
            (4, 8, 10, Time(30)),
            (5, 9, 60, Time(61)),
            (6, 8, 60, Time(90)),
        ])
    }

    #[test]
    fn a_part_has_what_runs_and_what_comes() {
        let part = whole().begun_at(Time(50)).expect("VMs are left");
        let rows: Vec<_> = part.rows().map(|row| (row.name, row.start.0, row.end)).collect();
        assert_eq!(rows, [(2, -54, Time::NEVER), (3, -40, Time(20)), (6, 10, Time(40)), (5, 10, Time(11))]);
        assert_eq!((part.warm_count(), part.horizon()), (2, Time(50)));
        let earlier = part.earlier().expect("two VMs ended");
        assert_eq!(earlier.since(), Time(-50));
        assert_eq!(earlier.rows().iter().map(|row| row.name).collect::<Vec<_>>(), [1, 4]);
        assert!(whole().begun_at(Time(200)).is_some(), "one VM never ends");
        assert!(workload(&[(1, 7, 5, Time(20))]).begun_at(Time(50)).is_none());
    }

    #[test]
    fn a_history_is_the_whole() {
        let (whole, part) = (whole(), whole().begun_at(Time(50)).expect("VMs are left"));
        let history = part.history().expect("two VMs ended");
        assert_eq!((history.begins, history.workload.horizon()), (Time(50), Time(100)));
        let times =
            |workload: &Workload| workload.rows().map(|row| (row.start, row.tenant, row.end)).collect::<Vec<_>>();
        assert_eq!(times(&history.workload), times(&whole));
        for (own, there) in (0..part.vm_count()).map(VmId).zip(&history.vms) {
            assert_eq!(part.name(own), whole.name(*there));
        }
        assert!(whole.history().is_none());
        assert_ne!(part.fingerprint(), part.clone().with_earlier(None).fingerprint());
    }
}
