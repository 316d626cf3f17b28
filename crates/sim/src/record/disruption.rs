//! What became of VMs that lost their machine: put out, or their machine failed, was drained
//! or went away. (Protean section 2.1, platform-initiated requests, and section 3.1)
//!
//! A VM whose machine is gone is reallocated: it joins the queue that all agents share and is
//! decided and committed like a request of one VM, retries and all. If no machine is found it
//! is lost for good; if its time is over before, it is just gone.

use tiebreak_model::{MachineId, Time, VmId};

use super::Rejection;

/// Why a VM had to leave a machine before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It had low priority and made room for another one.
    Evicted,
    /// The machine failed.
    Failed,
    /// The machine was to be updated and could wait no longer.
    Maintenance,
    /// The machine was taken out of service.
    Decommissioned,
    /// It moved to this machine while it ran: to pack better, or to leave a machine that is emptied.
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

/// One VM that left a machine before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disruption {
    /// When it left.
    pub time: Time,
    /// The VM.
    pub vm: VmId,
    /// The machine it left.
    pub from: MachineId,
    /// When it had come there.
    pub since: Time,
    /// Why it left.
    pub reason: Reason,
    /// Until when the machine it left held what it had there: the same instant, except where it
    /// was migrated live; [`Time::NEVER`] while that is under way.
    pub held_until: Time,
}

/// What became of a VM that left a machine before its time; the last word of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was put out to make room for another one, for good.
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
    /// It has another machine since.
    Reallocated {
        /// Since when.
        at: Time,
        /// Why it left the one before.
        reason: Reason,
    },
    /// It was moved while it ran.
    Migrated {
        /// When.
        at: Time,
        /// Where it was before.
        from: MachineId,
    },
    /// No other machine was found: it is lost for good.
    Lost {
        /// When that was certain.
        at: Time,
        /// Why it left the last one.
        reason: Reason,
        /// Why there is no other.
        because: Rejection,
    },
    /// Its time was over before another machine was found.
    Ended {
        /// When.
        at: Time,
        /// Why it left the last one.
        reason: Reason,
    },
}
