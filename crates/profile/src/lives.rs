//! Lifetimes of VMs.

use tiebreak_lifetime::Survived;
use tiebreak_model::{RequestId, Time, VmId, Workload};

use crate::sizes::core_hours;

const MINUTE: u32 = 60;
const HOUR: u32 = 3_600;
const DAY: u32 = 86_400;

/// The bounds of lifetime bins, in seconds.
pub const LIFE_BOUNDS_S: [u32; 12] =
    [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY];

/// VMs with lifetimes up to a bound and above the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LifeBin {
    /// The bound, in seconds; `None` for lifetimes beyond the last.
    pub up_to_s: Option<u32>,
    /// The number of VMs that arrived after the start and whose end was observed.
    pub vms: u32,
    /// Core-hours of all VMs with such a lifetime, as far as it was observed.
    pub core_hours: f64,
}

/// Lifetimes, as far as the trace contains them.
#[derive(Clone, Debug, PartialEq)]
pub struct Lives {
    /// VMs whose end was observed.
    pub ended: u32,
    /// VMs that outlive the trace.
    pub outlived: u32,
    /// VMs that were running when it began; others of their age that had ended before are missing.
    pub began_before: u32,
    /// The share of VMs that live longer than each of [`LIFE_BOUNDS_S`], by Kaplan and Meier.
    pub alive_after: [f64; 12],
    /// VMs and core-hours by lifetime.
    pub bins: Vec<LifeBin>,
}

impl Lives {
    pub(crate) fn of(workload: &Workload) -> Self {
        let survived = Survived::of(workload);
        let mut bins: Vec<_> = LIFE_BOUNDS_S.map(|bound| LifeBin { up_to_s: Some(bound), ..LifeBin::default() }).into();
        bins.push(LifeBin::default());
        for request in (0..workload.request_count()).map(RequestId) {
            let start = workload.at(request);
            for vm in workload.vms_of(request).map(VmId) {
                let end = workload.end(vm);
                let seen_ms = end.min(workload.horizon()).since(start).0;
                let bin = &mut bins[LIFE_BOUNDS_S.partition_point(|bound| u64::from(*bound) * 1_000 < seen_ms)];
                bin.core_hours += core_hours(workload, request, vm);
                bin.vms += u32::from(start > Time::ZERO && end <= workload.horizon());
            }
        }
        Self {
            ended: survived.ended,
            outlived: survived.outlived,
            began_before: survived.began_before,
            alive_after: LIFE_BOUNDS_S.map(|age_s| survived.alive_after(age_s)),
            bins,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::workload;

    #[test]
    fn lives_are_counted_where_they_are_seen_and_estimated_where_not() {
        // Two of 30 minutes, one of 3 hours, one that outlives the trace, one from before it.
        let vms = [
            (10, Some(40), 2, 1),
            (20, Some(50), 2, 2),
            (60, Some(240), 4, 3),
            (90, None, 8, 4),
            (-600, Some(60), 1, 5),
        ];
        let lives = Lives::of(&workload(&vms, 300));
        assert_eq!((lives.ended, lives.outlived, lives.began_before), (4, 1, 1));
        let seen: Vec<_> =
            lives.bins.iter().filter(|bin| bin.core_hours > 0.0).map(|bin| (bin.up_to_s, bin.vms)).collect();
        assert_eq!(seen, [(Some(HOUR), 2), (Some(6 * HOUR), 1), (Some(12 * HOUR), 0)]);
        let hours: Vec<_> = lives.bins.iter().map(|bin| bin.core_hours).filter(|hours| *hours > 0.0).collect();
        assert_eq!(hours, [2.0, 4.0 * 3.0 + 8.0 * 3.5, 1.0], "of the one from before, the hour that is seen");
        // Half of the four that arrived survive an hour; of the two observed at three hours, one ends.
        assert_eq!(lives.alive_after[2..6], [1.0, 0.5, 0.5, 0.25]);
    }
}
