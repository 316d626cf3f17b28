//! The decisions of a run, one record per VM and attempt, and what the run keeps of them.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, RequestId, Time, VmId};
use tiebreak_placement::CacheUse;

use digest::Digest;
use disruption::{Disruption, Reason};
use rejections::Rejections;

mod digest;
pub(crate) mod disruption;
mod rejections;

/// The outcome of a VM's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The store accepted it.
    Placed,
    /// The commit failed because a machine of the request had changed; it will be retried.
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

/// Why a VM was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A tenant requested it.
    Request,
    /// It had lost its machine, which failed, was drained or was decommissioned.
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

/// One decision about one VM. A VM has exactly one final outcome for its request, and another one each time it lost
/// its machine and lived long enough to be decided again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// When the store answered.
    pub time: Time,
    /// The request.
    pub request: RequestId,
    /// The VM.
    pub vm: VmId,
    /// Why it was decided.
    pub cause: Cause,
    /// Its outcome.
    pub outcome: Outcome,
    /// The chosen machine; `None` if no machine was valid.
    pub machine: Option<MachineId>,
    /// Machines tied for best when it was chosen.
    pub best_set: u32,
    /// How the caches served it; `None` for a VM that was not decided because another one of its request was refused
    /// first.
    pub cache: Option<CacheUse>,
    /// The agent; `None` for VMs alive when the trace began.
    pub agent: Option<u32>,
    /// 0 for the first attempt of the request or of this reallocation.
    pub attempt: u32,
}

/// Why a request was not placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// No machine was valid for this VM, so no VM of the request was placed.
    Refused(VmId),
    /// Its last retry ended in a conflict.
    OutOfRetries,
}

/// A request that was not placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// When this was decided; for a request alive when the trace began, the start of the trace.
    pub at: Time,
    /// Why.
    pub why: Rejection,
    /// Whether a machine had room for the refused VM, so that only other rules refused it.
    pub had_room: bool,
}

/// What a run keeps about its decisions.
pub(crate) struct Record {
    digest: Digest,
    /// Every decision, if requested.
    decisions: Option<Vec<Decision>>,
    /// The number of VMs decided for their requests, and the last of them.
    decided: u32,
    last: Option<VmId>,
    rejections: Rejections,
    /// The number of failed commits per request, for requests with any.
    collisions: BTreeMap<RequestId, u32>,
    /// The first VM of the last failed commit.
    conflicted: Option<VmId>,
}

impl Record {
    /// At the start of a run.
    pub(crate) fn new() -> Self {
        let (digest, rejections, collisions) = (Digest::new(), Rejections::default(), BTreeMap::new());
        Self { digest, decisions: None, decided: 0, last: None, rejections, collisions, conflicted: None }
    }

    /// Keeps every decision from here on.
    pub(crate) fn keep_decisions(&mut self) {
        self.decisions.get_or_insert_default();
    }

    /// Adds a decision.
    pub(crate) fn add(&mut self, decision: Decision) {
        self.digest.add(&decision);
        if decision.outcome != Outcome::Conflict && decision.cause == Cause::Request {
            self.decided += 1;
            self.last = Some(decision.vm);
        }
        if let Some(decisions) = &mut self.decisions {
            decisions.push(decision);
        }
    }

    /// Adds that a VM left a machine. The digest covers evictions through the decisions that cause them.
    pub(crate) fn add_disruption(&mut self, disruption: &Disruption) {
        if disruption.reason != Reason::Evicted {
            self.digest.add_disruption(disruption);
        }
    }

    /// Records that a request was not placed.
    pub(crate) fn reject(&mut self, request: RequestId, rejected: Rejected) {
        self.rejections.add(request, rejected);
    }

    /// Records that a commit of a request failed.
    pub(crate) fn collide(&mut self, request: RequestId) {
        *self.collisions.entry(request).or_default() += 1;
    }

    /// Records that a commit failed; `vm` is its first VM.
    pub(crate) fn conflict(&mut self, vm: Option<VmId>) {
        self.conflicted = vm;
    }

    pub(crate) fn digest(&self) -> u64 {
        self.digest.value()
    }

    pub(crate) fn decisions(&self) -> &[Decision] {
        self.decisions.as_deref().unwrap_or(&[])
    }

    pub(crate) fn decided(&self) -> u32 {
        self.decided
    }

    pub(crate) fn last(&self) -> Option<VmId> {
        self.last
    }

    pub(crate) fn conflicted(&self) -> Option<VmId> {
        self.conflicted
    }

    pub(crate) fn rejected(&self, request: RequestId) -> Option<Rejected> {
        self.rejections.of(request)
    }

    pub(crate) fn rejection(&self, request: RequestId) -> Option<Rejection> {
        self.rejected(request).map(|rejected| rejected.why)
    }

    pub(crate) fn collisions(&self, request: RequestId) -> u32 {
        self.collisions.get(&request).copied().unwrap_or(0)
    }
}
