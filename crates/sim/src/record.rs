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

/// One decision about one VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// When the store answered.
    pub time: Time,
    /// The request.
    pub request: RequestId,
    /// The VM.
    pub vm: VmId,
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
    /// 0 for the first try.
    pub attempt: u32,
}
