//! True lifetimes, which only oracles and the evaluation may read.

use alloc::vec::Vec;

use tiebreak_model::{Millis, RequestId, VmId, Workload};

use crate::spells::seconds_between;

/// The true lifetime of every VM.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TrueLives {
    life_s: Vec<u32>,
    /// The lifetime of a VM outside of the workload.
    unknown_s: u32,
}

impl TrueLives {
    /// The lifetimes of a workload's VMs; those without an end in the trace end `beyond` after its horizon.
    pub(crate) fn of(workload: &Workload, beyond: Millis) -> Self {
        let last = workload.horizon() + beyond;
        let known = |end| if end == tiebreak_model::Time::NEVER { last } else { end };
        let requests = (0..workload.request_count()).map(RequestId);
        let lives = requests.flat_map(|request| {
            let start = workload.at(request);
            workload.vms_of(request).map(move |vm| seconds_between(start, known(workload.end(VmId(vm)))).max(1))
        });
        Self { life_s: lives.collect(), unknown_s: (beyond.0 / 1_000).clamp(1, u64::from(u32::MAX)) as u32 }
    }

    pub(crate) fn count(&self) -> usize {
        self.life_s.len()
    }

    #[inline]
    pub(crate) fn life_s(&self, vm: VmId) -> u32 {
        self.life_s.get(vm.index()).copied().unwrap_or(self.unknown_s)
    }

    /// The uptime at which it ends; the next second if that is past.
    #[inline]
    pub(crate) fn exit_s(&self, vm: VmId, uptime_s: u32) -> u32 {
        self.life_s(vm).max(uptime_s.saturating_add(1))
    }

    /// Those of some of its VMs, renumbered.
    pub(crate) fn of_part(&self, vms: &[VmId]) -> Self {
        Self { life_s: vms.iter().map(|vm| self.life_s(*vm)).collect(), unknown_s: self.unknown_s }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.life_s.len() as u64 * 4
    }
}
