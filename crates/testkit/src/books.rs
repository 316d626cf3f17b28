//! A second, much simpler model of the zone's state: it replays the recorded decisions and disruptions, and removes
//! VMs when their lifetimes end. It knows no rules, agents or views.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tiebreak_model::{MachineId, Millis, Resource, Resources, Time, VmId};
use tiebreak_sim::{Decision, Disruption, Reason};

use crate::ledger::Ledger;
use crate::promises::Promises;
use crate::stand::Stand;
use crate::wires;

/// The placement of every VM, and its totals over time.
pub(crate) struct Books<'a> {
    ledger: &'a Ledger,
    pub(crate) promises: Promises<'a>,
    pub(crate) stand: Stand<'a>,
    leaving: BTreeSet<(Time, VmId)>,
    /// The last placement of each VM that did not leave early since.
    last: BTreeMap<VmId, (MachineId, Time)>,
    /// Future disruptions: evictions, and all others.
    evictions: VecDeque<&'a Disruption>,
    incidents: VecDeque<&'a Disruption>,
    /// When the source machines of migrating VMs become free again.
    copied: BTreeSet<(Time, VmId)>,
    /// When a machine last changed, by the agent that decided the change; `None` for changes without a decision.
    changed: BTreeMap<(MachineId, Option<u32>), Time>,
    at: Time,
    /// Elapsed milliseconds, and the integral of the share of empty machines over them.
    empty: (f64, f64),
    /// Milliseconds with a busy machine, and the integral of the packing density over them.
    dense: (f64, f64),
    /// Milliseconds with a free core, and the integral of the share of free cores on empty machines over them.
    free: (f64, f64),
}

impl<'a> Books<'a> {
    pub(crate) fn new(ledger: &'a Ledger) -> Self {
        let (evictions, incidents) = ledger.disruptions.iter().partition(|it| it.reason == Reason::Evicted);
        Self {
            ledger,
            promises: Promises::of(ledger),
            stand: Stand::nobody(ledger),
            leaving: BTreeSet::new(),
            last: BTreeMap::new(),
            evictions,
            incidents,
            copied: BTreeSet::new(),
            changed: BTreeMap::new(),
            at: Time((ledger.measures.measured_from_hours * Millis::HOUR.0 as f64) as i64),
            empty: (0.0, 0.0),
            dense: (0.0, 0.0),
            free: (0.0, 0.0),
        }
    }

    fn demand(&self, vm: VmId) -> Resources {
        self.ledger.workload.shape_of_vm(vm).demand
    }

    fn priority(&self, vm: VmId) -> u8 {
        self.ledger.workload.shape_of_vm(vm).priority
    }

    /// Replays everything up to `time`. At one instant, VMs that lose their machine or move come first, then those
    /// that end. No VM ends after the horizon.
    pub(crate) fn advance(&mut self, time: Time) -> Result<(), String> {
        loop {
            let horizon = self.ledger.workload.horizon();
            let incident = self.incidents.front().map(|it| it.time).filter(|at| *at <= time);
            let departure = self.leaving.first().copied().filter(|(end, _)| *end <= time.min(horizon));
            let copied = self.copied.first().copied().filter(|(end, _)| *end <= time);
            if let Some((end, vm)) = copied
                && incident.is_none_or(|at| end <= at)
                && departure.is_none_or(|(at, _)| end <= at)
            {
                self.end_copy(end, vm);
                continue;
            }
            match (incident, departure) {
                (Some(at), departure) if departure.is_none_or(|(end, _)| at <= end) => self.disrupt()?,
                (_, Some((end, vm))) => {
                    self.hold_until(end);
                    self.leaving.pop_first();
                    let left = self.stand.remove(vm);
                    self.note_change(left, None, end);
                }
                _ => break,
            }
        }
        self.hold_until(time);
        match self.evictions.front().filter(|it| it.time < time) {
            Some(it) => Err(format!("VM {} was put out for nobody: {it:?}", it.vm)),
            None => Ok(()),
        }
    }

    /// Applies the next disruption: a VM loses its machine, or moves.
    fn disrupt(&mut self) -> Result<(), String> {
        let Some(it) = self.incidents.pop_front() else { return Ok(()) };
        self.hold_until(it.time);
        self.take_off(it)?;
        self.note_change(Some(it.from), None, it.time);
        let Reason::Migrated(to) = it.reason else { return Ok(()) };
        if it.held_until > it.time {
            self.stand.copy(it.vm, it.from);
        }
        if (it.time..Time::NEVER).contains(&it.held_until) {
            self.copied.insert((it.held_until, it.vm));
        }
        let before = self.of_tenant(it.vm);
        self.put_on(it.vm, to, it.time);
        self.note_change(Some(to), None, it.time);
        self.fits_on(it.vm, to, it.time)?;
        self.promises
            .broken(&self.stand, &[(it.vm, to)], before)
            .map_or(Ok(()), |broken| Err(format!("{broken}: {it:?}")))?;
        wires::over_committed(self.ledger, &self.stand).map_or(Ok(()), |over| Err(format!("{over}: {it:?}")))
    }

    /// Ends a migration: the VM is completely copied, or has ended.
    fn end_copy(&mut self, end: Time, vm: VmId) {
        self.hold_until(end);
        self.copied.remove(&(end, vm));
        self.stand.copied(vm);
    }

    /// Removes a VM early; checks its machine and start against the record.
    fn take_off(&mut self, it: &Disruption) -> Result<(), String> {
        let stood = self.last.remove(&it.vm);
        self.leaving.remove(&(self.ledger.workload.end(it.vm), it.vm));
        if self.stand.remove(it.vm) != Some(it.from) || stood != Some((it.from, it.since)) {
            return Err(format!("VM {} left a machine on which it was not: {it:?}, {stood:?}", it.vm));
        }
        Ok(())
    }

    fn put_on(&mut self, vm: VmId, machine: MachineId, now: Time) {
        self.stand.add(vm, machine);
        self.last.insert(vm, (machine, now));
        self.leaving.insert((self.ledger.workload.end(vm), vm));
    }

    fn fits_on(&self, vm: VmId, machine: MachineId, now: Time) -> Result<(), String> {
        let over = || format!("machine {machine} is over-committed at {} ms by VM {vm}", now.0);
        self.stand.free(machine).map(|_| ()).ok_or_else(over)
    }

    /// How many of the VMs of this VM's tenant have terms.
    fn of_tenant(&self, vm: VmId) -> usize {
        self.stand.of_tenant(self.ledger.tenant(vm)).len()
    }

    /// Places VMs together and evicts the recorded VMs for each. Checks that every eviction was necessary and that
    /// promises are kept. A VM whose lifetime is already over leaves at once; this never happens in the warm start.
    pub(crate) fn place(&mut self, vms: &[(VmId, MachineId)], one: &Decision) -> Result<(), String> {
        let (now, warm) = (one.time, one.agent.is_none());
        let before = vms.first().map_or(0, |(vm, _)| self.of_tenant(*vm));
        for (vm, machine) in vms {
            self.make_room(*vm, *machine, now)?;
            self.put_on(*vm, *machine, now);
            self.note_change(Some(*machine), one.agent, now);
            self.fits_on(*vm, *machine, now)?;
        }
        if let Some(broken) = self.promises.broken(&self.stand, vms, before) {
            return Err(format!("{broken} at {} ms", now.0));
        }
        if let Some(over) = wires::over_committed(self.ledger, &self.stand) {
            return Err(format!("{over} at {} ms", now.0));
        }
        for (vm, _) in vms.iter().filter(|(vm, _)| !warm && self.ledger.workload.end(*vm) <= now) {
            self.leaving.remove(&(self.ledger.workload.end(*vm), *vm));
            let left = self.stand.remove(*vm);
            self.note_change(left, None, now);
        }
        Ok(())
    }

    /// Notes that a machine changed, by an agent's decision or without one.
    fn note_change(&mut self, machine: Option<MachineId>, agent: Option<u32>, now: Time) {
        if let Some(machine) = machine {
            self.changed.insert((machine, agent), now);
        }
    }

    /// When a machine last changed by anything but a decision of this agent.
    pub(crate) fn changed_by_others(&self, machine: MachineId, agent: u32) -> Option<Time> {
        let of_machine = self.changed.range((machine, None)..=(machine, Some(u32::MAX)));
        of_machine.filter(|((_, by), _)| *by != Some(agent)).map(|(_, at)| *at).max()
    }

    /// Evicts the recorded VMs for a VM that does not fit.
    fn make_room(&mut self, vm: VmId, machine: MachineId, now: Time) -> Result<(), String> {
        let demand = self.demand(vm);
        let free = |stand: &Stand<'_>| stand.free(machine).unwrap_or(Resources::NONE);
        let mut victims = Vec::new();
        while !free(&self.stand).covers(demand) {
            let next = self.evictions.front().filter(|it| (it.time, it.from) == (now, machine));
            let Some(it) = next.copied() else { break };
            self.evictions.pop_front();
            self.take_off(it)?;
            victims.push(it.vm);
        }
        for victim in victims {
            let wrong = |why: &str| Err(format!("VM {victim} was put out for VM {vm} {why} at {} ms", now.0));
            if !self.ledger.lets_evict(now) || self.priority(vm) >= self.priority(victim) {
                return wrong("which may put out nobody");
            }
            let with_it = free(&self.stand).checked_sub(self.demand(victim));
            if with_it.is_some_and(|free| free.covers(demand)) {
                return wrong("without need");
            }
        }
        Ok(())
    }

    /// Whether these VMs could all be placed on these machines now with every promise kept, evicting low-priority VMs
    /// if the rules allow it. May wrongly return `false` if another choice of victims would have helped.
    pub(crate) fn could_place(&self, vms: &[(VmId, MachineId)], now: Time) -> bool {
        let mut room: BTreeMap<MachineId, (Resources, Resources)> = BTreeMap::new();
        let fits = |(vm, machine): &(VmId, MachineId)| {
            let (free, evictable) = room.entry(*machine).or_insert_with(|| self.room_on(*machine));
            let short = free.shortage(self.demand(*vm));
            let may_evict = self.ledger.lets_evict(now) && self.priority(*vm) == 0;
            if short != Resources::NONE && !(may_evict && evictable.covers(short)) {
                return false;
            }
            *evictable = evictable.saturating_sub(short);
            *free = free.saturating_sub(self.demand(*vm));
            true
        };
        let before = vms.first().map_or(0, |(vm, _)| self.of_tenant(*vm));
        let mut stand = self.stand.clone();
        vms.iter().for_each(|(vm, machine)| stand.add(*vm, *machine));
        vms.iter().all(fits)
            && self.promises.are_clear()
            && self.promises.broken(&stand, vms, before).is_none()
            && wires::over_committed(self.ledger, &stand).is_none()
    }

    /// The free resources of a machine, and those that low-priority VMs hold.
    fn room_on(&self, machine: MachineId) -> (Resources, Resources) {
        let spot = self.stand.on(machine).iter().filter(|vm| self.priority(**vm) > 0);
        let held = spot.map(|vm| self.demand(*vm)).try_fold(Resources::NONE, Resources::checked_add);
        (self.stand.free(machine).unwrap_or(Resources::NONE), held.unwrap_or(Resources::NONE))
    }

    fn hold_until(&mut self, time: Time) {
        let time = time.min(self.ledger.workload.horizon());
        let held = time.since(self.at).0 as f64;
        if held == 0.0 {
            return;
        }
        self.at = time;
        let machines = f64::from(self.ledger.fleet.machine_count());
        self.empty = (self.empty.0 + held, self.empty.1 + held * self.empty_hosts() / machines);
        let cores = |machine: MachineId| u64::from(self.ledger.fleet.capacity(machine).cores_milli());
        let busy: u64 = self.stand.busy().into_iter().map(cores).sum();
        let used: u64 = self.stand.holding().map(|vm| u64::from(self.demand(vm)[Resource::Cores])).sum();
        let all: u64 = (0..self.ledger.fleet.machine_count()).map(MachineId).map(cores).sum();
        if used < all {
            self.free = (self.free.0 + held, self.free.1 + held * (all - busy) as f64 / (all - used) as f64);
        }
        if busy > 0 {
            self.dense = (self.dense.0 + held, self.dense.1 + held * used as f64 / busy as f64);
        }
    }

    pub(crate) fn empty_hosts(&self) -> f64 {
        f64::from(self.ledger.fleet.machine_count() - self.stand.busy().len() as u32)
    }

    /// Machine-hours with any VM so far, summed over machines.
    pub(crate) fn machine_hours(&self) -> f64 {
        let machines = f64::from(self.ledger.fleet.machine_count());
        (self.empty.0 - self.empty.1) * machines / Millis::HOUR.0 as f64
    }

    pub(crate) fn live_vms(&self) -> f64 {
        f64::from(self.stand.vms().count() as u32)
    }

    /// The last placement of a VM and its time, unless the VM had to leave.
    pub(crate) fn last(&self, vm: VmId) -> Option<(MachineId, Time)> {
        self.last.get(&vm).copied()
    }

    /// Time-weighted means so far, in percent: empty hosts, packing density, and the free cores on
    /// empty machines.
    pub(crate) fn means_pct(&self) -> (f64, f64, f64) {
        let mean = |(weight, sum): (f64, f64)| if weight > 0.0 { 100.0 * sum / weight } else { 0.0 };
        (mean(self.empty), mean(self.dense), mean(self.free))
    }
}
