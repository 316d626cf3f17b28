//! What became of VMs that lost their machine: put out, or their machine failed, was drained
//! or went away. (Protean section 2.1, platform-initiated requests, and section 3.1)
//!
//! A VM whose machine is gone is reallocated: it joins the queue that all agents share and is
//! decided and committed like a request of one VM, retries and all. If no machine is found it
//! is lost for good; if its time is over before, it is just gone.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, Time, VmId};

use crate::copies::Copies;
use crate::event::Queue;
use crate::holds::Holds;
use crate::incidents::Incident;
use crate::job::Job;
use crate::plan::Plan;
use crate::residents::Residents;
use crate::world::{NOWHERE, Rejection, World};
use crate::zone::Zone;

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

/// What a world keeps for incidents, and of what they and evictions did to VMs.
pub(crate) struct Disruptions {
    pub(crate) under_way: Vec<Box<dyn Incident>>,
    pub(crate) holds: Holds,
    pub(crate) residents: Residents,
    pub(crate) copies: Copies,
    pub(crate) fates: BTreeMap<VmId, Fate>,
    /// How far utilization limits were raised, in points.
    pub(crate) limits_raised: f64,
    /// Whether lifetime rules wait to be rolled out.
    pub(crate) lifetimes_off: bool,
    pub(crate) list: Vec<Disruption>,
}

impl Disruptions {
    /// All incidents of a plan, none of which has happened; those of its time are scheduled.
    pub(crate) fn new(plan: &Plan, queue: &mut Queue) -> Self {
        for (index, (at, _)) in (0..).zip(&plan.incidents) {
            if *at >= Time::ZERO {
                queue.schedule_incident(*at, index);
            }
        }
        let machines = if plan.incidents.is_empty() { 0 } else { plan.fleet.machine_count() };
        Self {
            under_way: plan.incidents.iter().map(|(_, make)| make.begin()).collect(),
            holds: Holds::default(),
            residents: Residents::new(machines),
            copies: Copies::default(),
            fates: BTreeMap::new(),
            limits_raised: 0.0,
            lifetimes_off: plan.rolls_out_lifetimes(),
            list: Vec::new(),
        }
    }

    /// Who left a machine before its time, having been there at this moment, and since when.
    pub(crate) fn once_on(&self, machine: MachineId, at: Time) -> impl Iterator<Item = (VmId, Time)> + '_ {
        let there = move |it: &&Disruption| it.from == machine && it.since <= at && at < it.time;
        self.list.iter().filter(there).map(|it| (it.vm, it.since))
    }
}

impl World {
    /// Every VM that left a machine before its time so far, in the order of it.
    #[must_use]
    pub fn disruptions(&self) -> &[Disruption] {
        &self.disrupted.list
    }

    /// What became of a VM that left a machine before its time; none when it never did.
    #[must_use]
    pub fn fate(&self, vm: VmId) -> Option<Fate> {
        self.disrupted.fates.get(&vm).copied()
    }

    /// When a VM of low priority was put out to make room, if it was.
    #[must_use]
    pub fn evicted_at(&self, vm: VmId) -> Option<Time> {
        match self.fate(vm) {
            Some(Fate::Evicted { at }) => Some(at),
            _ => None,
        }
    }

    /// Lets an incident happen, or go on.
    pub(crate) fn happen(&mut self, index: u32) {
        let mut incidents = core::mem::take(&mut self.disrupted.under_way);
        let again = incidents[index as usize].happen(&mut Zone::new(self, index));
        self.disrupted.under_way = incidents;
        if let Some(at) = again {
            self.queue.schedule_incident(at, index);
        }
    }

    /// A VM leaves its machine before its time; what the machine is like then is the caller's.
    pub(crate) fn take_off(&mut self, vm: VmId, reason: Reason) {
        let Some((from, since)) = self.placement(vm) else { return };
        self.unsettle(vm, self.plan.workload.shape_of(vm));
        self.placed_on[vm.index()] = NOWHERE;
        self.note(Disruption { time: self.now, vm, from, since, reason, held_until: self.now });
    }

    /// Writes down that a VM left. The digest knows evictions by the decisions that cause them.
    pub(crate) fn note(&mut self, disruption: Disruption) {
        if disruption.reason != Reason::Evicted {
            self.digest.add_disruption(&disruption);
        }
        self.disrupted.list.push(disruption);
    }

    /// A VM whose machine is gone joins the queue, unless its time is over anyway.
    pub(crate) fn reallocate(&mut self, vm: VmId, reason: Reason) {
        self.take_off(vm, reason);
        let (now, over) = (self.now, self.plan.workload.end(vm) <= self.now);
        let fate = if over { Fate::Ended { at: now, reason } } else { Fate::Waiting { since: now, reason } };
        self.disrupted.fates.insert(vm, fate);
        if !over {
            self.enqueue(Job::Reallocate(vm), 0);
        }
    }

    /// A VM that had lost its machine has another one.
    pub(crate) fn note_reallocated(&mut self, vm: VmId) {
        self.counters.reallocations += 1;
        let (at, reason) = (self.now, self.waiting_since(vm).1);
        self.disrupted.fates.insert(vm, Fate::Reallocated { at, reason });
    }

    /// No other machine was found for a VM that had lost its own.
    pub(crate) fn note_lost(&mut self, vm: VmId, because: Rejection) {
        let (at, reason) = (self.now, self.waiting_since(vm).1);
        let over = self.plan.workload.end(vm) <= at;
        self.counters.lost_vms += u64::from(!over);
        let fate = if over { Fate::Ended { at, reason } } else { Fate::Lost { at, reason, because } };
        self.disrupted.fates.insert(vm, fate);
    }

    /// A VM's time is over: if it waits for another machine it need not wait any longer.
    pub(crate) fn stop_waiting(&mut self, vm: VmId) {
        let Some(Fate::Waiting { reason, .. }) = self.fate(vm) else { return };
        let before = self.waiting.len();
        self.waiting.retain(|waiting| waiting.job != Job::Reallocate(vm));
        // Otherwise an agent has it in hand, and its decision says what became of the VM.
        if self.waiting.len() < before {
            self.disrupted.fates.insert(vm, Fate::Ended { at: self.now, reason });
        }
    }

    /// Whether a VM has left for good: put out, lost, or over while it waited.
    pub(crate) fn is_gone(&self, vm: VmId) -> bool {
        matches!(self.fate(vm), Some(Fate::Evicted { .. } | Fate::Lost { .. } | Fate::Ended { .. }))
    }

    /// Since when a VM waits for another machine.
    pub(crate) fn homeless_since(&self, vm: VmId) -> Time {
        self.waiting_since(vm).0
    }

    fn waiting_since(&self, vm: VmId) -> (Time, Reason) {
        match self.fate(vm) {
            Some(Fate::Waiting { since, reason }) => (since, reason),
            other => unreachable!("only a VM that waits for a machine is reallocated, not {other:?}"),
        }
    }
}
