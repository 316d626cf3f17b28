//! VMs that lost their machine: evicted, or the machine failed, was drained or was decommissioned (Protean section
//! 2.1, platform-initiated requests, and section 3.1).
//!
//! A VM that lost its machine is reallocated: it joins the queue that all agents share, and is decided and committed
//! like a request of one VM, including retries. If no machine is found, it is lost. If it ends before that, it has
//! just ended.

use tiebreak_model::{MachineId, Time, VmId};

use super::Rejection;

/// Why a VM left a machine early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It had low priority and was evicted.
    Evicted,
    /// The machine failed.
    Failed,
    /// The machine needed an update that could not be postponed.
    Maintenance,
    /// The machine was taken out of service.
    Decommissioned,
    /// It migrated to this machine: to improve packing, or because its machine is being emptied.
    Migrated(MachineId),
}

impl Reason {
    /// The word in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Evicted => "evicted",
            Self::Failed => "failed",
            Self::Maintenance => "maintenance",
            Self::Decommissioned => "decommissioned",
            Self::Migrated(_) => "migrated",
        }
    }
}

/// A VM that left a machine early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disruption {
    /// When it left.
    pub time: Time,
    /// The VM.
    pub vm: VmId,
    /// The machine it left.
    pub from: MachineId,
    /// When it had arrived there.
    pub since: Time,
    /// Why it left.
    pub reason: Reason,
    /// Until when the old machine held its capacity: the same instant, except after a live migration; [`Time::NEVER`]
    /// while that is under way.
    pub held_until: Time,
}

/// The fate of a VM that left a machine early; only the latest is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was evicted for another VM.
    Evicted {
        /// When.
        at: Time,
    },
    /// It waits for another machine.
    Waiting {
        /// Since when.
        since: Time,
        /// Why it left the last one.
        reason: Reason,
    },
    /// It has another machine.
    Reallocated {
        /// Since when.
        at: Time,
        /// Why it left the previous one.
        reason: Reason,
    },
    /// It was migrated.
    Migrated {
        /// When.
        at: Time,
        /// Its previous machine.
        from: MachineId,
    },
    /// No other machine was found, so it is lost.
    Lost {
        /// When that was certain.
        at: Time,
        /// Why it left the last one.
        reason: Reason,
        /// Why there is no other.
        because: Rejection,
    },
    /// It ended before another machine was found.
    Ended {
        /// When.
        at: Time,
        /// Why it left the last one.
        reason: Reason,
    },
}
