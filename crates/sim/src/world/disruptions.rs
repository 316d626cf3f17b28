//! VMs that lost their machine: evicted, or the machine failed, was drained or was decommissioned (Protean section
//! 2.1, platform-initiated requests, and section 3.1).
//!
//! A VM that lost its machine is reallocated: it joins the queue that all agents share, and is decided and committed
//! like a request of one VM, including retries. If no machine is found, it is lost. If it ends before that, it has
//! just ended.

use tiebreak_model::{Time, VmId};

use super::World;
use super::hands::Hands;
use crate::agents::job::Job;
use crate::record::Rejection;
use crate::record::disruption::{Disruption, Fate, Reason};

impl World {
    /// Every VM that left a machine early so far, in order.
    #[must_use]
    pub fn disruptions(&self) -> &[Disruption] {
        &self.systems.incidents.list
    }

    /// The fate of a VM that left a machine early; `None` if it never did.
    #[must_use]
    pub fn fate(&self, vm: VmId) -> Option<Fate> {
        self.systems.incidents.fates.get(&vm).copied()
    }

    /// When a low-priority VM was evicted, if it was.
    #[must_use]
    pub fn evicted_at(&self, vm: VmId) -> Option<Time> {
        match self.fate(vm) {
            Some(Fate::Evicted { at }) => Some(at),
            _ => None,
        }
    }

    /// Starts or continues an incident.
    pub(super) fn go_on_with(&mut self, index: u32) {
        let mut incidents = core::mem::take(&mut self.systems.incidents.under_way);
        let again = incidents[index as usize].happen(&mut Hands { world: self, incident: index });
        self.systems.incidents.under_way = incidents;
        if let Some(at) = again {
            self.queue.schedule_incident(at, index);
        }
    }

    /// Records that a VM left.
    pub(super) fn note(&mut self, disruption: Disruption) {
        self.record.add_disruption(&disruption);
        self.systems.incidents.list.push(disruption);
    }

    /// A VM that lost its machine joins the queue, unless it ends now anyway.
    pub(super) fn reallocate(&mut self, vm: VmId, reason: Reason) {
        self.take_off(vm, reason);
        let (now, over) = (self.now, self.plan.workload.end(vm) <= self.now);
        let fate = if over { Fate::Ended { at: now, reason } } else { Fate::Waiting { since: now, reason } };
        self.systems.incidents.fates.insert(vm, fate);
        if !over {
            self.team.enqueue(Job::Reallocate(vm), 0, self.now);
        }
    }

    /// A VM that had lost its machine has another one.
    pub(super) fn note_reallocated(&mut self, vm: VmId) {
        self.observed.counters.reallocations += 1;
        let (at, reason) = (self.now, self.waiting_since(vm).1);
        self.systems.incidents.fates.insert(vm, Fate::Reallocated { at, reason });
    }

    /// No other machine was found for a VM that had lost its own.
    pub(super) fn note_lost(&mut self, vm: VmId, because: Rejection) {
        let (at, reason) = (self.now, self.waiting_since(vm).1);
        let over = self.plan.workload.end(vm) <= at;
        self.observed.counters.lost_vms += u64::from(!over);
        let fate = if over { Fate::Ended { at, reason } } else { Fate::Lost { at, reason, because } };
        self.systems.incidents.fates.insert(vm, fate);
    }

    /// A VM ends: if it waits for another machine, it stops waiting.
    pub(super) fn stop_waiting(&mut self, vm: VmId) {
        let Some(Fate::Waiting { reason, .. }) = self.fate(vm) else { return };
        // Otherwise an agent is deciding it, and that decision determines the VM's fate.
        if self.team.withdraw(Job::Reallocate(vm)) {
            self.systems.incidents.fates.insert(vm, Fate::Ended { at: self.now, reason });
        }
    }

    /// Whether a VM is gone: evicted, lost, or ended while waiting.
    pub(super) fn is_gone(&self, vm: VmId) -> bool {
        matches!(self.fate(vm), Some(Fate::Evicted { .. } | Fate::Lost { .. } | Fate::Ended { .. }))
    }

    /// Since when a VM has been waiting for another machine.
    pub(super) fn homeless_since(&self, vm: VmId) -> Time {
        self.waiting_since(vm).0
    }

    fn waiting_since(&self, vm: VmId) -> (Time, Reason) {
        match self.fate(vm) {
            Some(Fate::Waiting { since, reason }) => (since, reason),
            other => unreachable!("only a VM that waits for a machine is reallocated, not {other:?}"),
        }
    }
}
