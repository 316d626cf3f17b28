//! An entry of the queue that all agents share: a request, or one VM that lost its machine (Protean section 2.1,
//! platform-initiated requests).

use core::ops::Range;

use tiebreak_model::{RequestId, Time, VmId, Workload};

use crate::record::Cause;

/// One piece of work for an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// Find machines for all VMs of a request.
    Place(RequestId),
    /// Find another machine for one VM.
    Reallocate(VmId),
}

impl Job {
    /// The request its VMs belong to.
    pub(crate) fn request(self, workload: &Workload) -> RequestId {
        match self {
            Self::Place(request) => request,
            Self::Reallocate(vm) => workload.request_of(vm),
        }
    }

    /// The ids of its VMs.
    pub(crate) fn vms(self, workload: &Workload) -> Range<u32> {
        match self {
            Self::Place(request) => workload.vms_of(request),
            Self::Reallocate(vm) => vm.0..vm.0 + 1,
        }
    }

    /// The cause in the record of decisions.
    pub(crate) fn cause(self) -> Cause {
        match self {
            Self::Place(_) => Cause::Request,
            Self::Reallocate(_) => Cause::Reallocation,
        }
    }
}

/// A job in the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) job: Job,
    /// 0 for the first attempt.
    pub(crate) attempt: u32,
    pub(crate) since: Time,
}
