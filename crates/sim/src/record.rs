//! What was decided, one record per VM and attempt.

use tiebreak_model::{MachineId, RequestId, Time, VmId};
use tiebreak_placement::CacheUse;

/// How a VM's decision ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The store took it.
    Placed,
    /// The commit failed because a machine of the request had changed; it is tried again.
    Conflict,
    /// No machine was valid, for this VM or another of its request.
    Refused,
    /// The last retry ended in a conflict.
    OutOfRetries,
}

impl Outcome {
    /// The word in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Placed => "placed",
            Self::Conflict => "conflict",
            Self::Refused => "refused",
            Self::OutOfRetries => "out of retries",
        }
    }
}

/// Why a VM was to be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A tenant asked for it.
    Request,
    /// It had a machine and lost it: the machine failed, was drained or went away.
    Reallocation,
}

impl Cause {
    /// The word in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Reallocation => "reallocation",
        }
    }
}

/// One decision about one VM. A VM has exactly one final outcome for its request, and one more
/// for each time that it lost its machine and lived on long enough to be decided again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// When the store answered.
    pub time: Time,
    /// The request.
    pub request: RequestId,
    /// The VM.
    pub vm: VmId,
    /// Why it was to be decided.
    pub cause: Cause,
    /// How it ended.
    pub outcome: Outcome,
    /// The machine chosen; none when no machine was valid.
    pub machine: Option<MachineId>,
    /// Machines tied for best when it was chosen.
    pub best_set: u32,
    /// What the caches did; none for a VM that was not decided because another of its
    /// request was refused first.
    pub cache: Option<CacheUse>,
    /// The agent; none for VMs alive when the trace began.
    pub agent: Option<u32>,
    /// 0 for the first try, of the request or of this reallocation.
    pub attempt: u32,
}
