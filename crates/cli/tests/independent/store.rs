//! The store: the true state, and when agents can read it.

use std::collections::{BTreeMap, BTreeSet};

use crate::faults::Fault;
use crate::record::{Record, Vm};
use crate::rules::{Asking, State, Zone};

/// The state of a machine between two changes.
struct Version {
    readable_from: i64,
    state: State,
}

/// A machine chosen for a VM.
pub(crate) struct Pick {
    pub(crate) vm: usize,
    pub(crate) machine: usize,
    pub(crate) best_set_size: usize,
    /// The version of the machine that the agent knew.
    pub(crate) seen: usize,
}

pub(crate) struct Store<'a> {
    record: &'a Record,
    pub(crate) zone: Zone<'a>,
    machines: Vec<Vec<Version>>,
    /// The machine of each placed VM.
    stand: Vec<Option<usize>>,
    /// The machines of all VMs of each tenant with terms.
    tenants: BTreeMap<u64, Vec<usize>>,
}

impl<'a> Store<'a> {
    pub(crate) fn new(record: &'a Record, fault: Option<Fault>) -> Self {
        let zone = Zone::new(record, fault);
        let empty = |_: &_| vec![Version { readable_from: i64::MIN, state: State::default() }];
        let machines = zone.machines.iter().map(empty).collect();
        Self { record, zone, machines, stand: vec![None; record.vms.len()], tenants: BTreeMap::new() }
    }

    fn vm(&self, vm: usize) -> &'a Vm {
        &self.record.vms[vm]
    }

    pub(crate) fn latest(&self, machine: usize) -> usize {
        self.machines[machine].len() - 1
    }

    pub(crate) fn state(&self, machine: usize, version: usize) -> State {
        self.machines[machine][version].state
    }

    pub(crate) fn truth(&self) -> Vec<State> {
        (0..self.machines.len()).map(|machine| self.state(machine, self.latest(machine))).collect()
    }

    /// The version that an agent reads at a time if it knows this one.
    pub(crate) fn read(&self, machine: usize, known: usize, time: i64) -> usize {
        let late = match self.zone.fault {
            Some(Fault::ViewTooFresh) => -self.record.agents.publish_ms,
            Some(Fault::ViewTooStale) => self.record.agents.publish_ms,
            _ => 0,
        };
        let newer = self.machines[machine][known + 1..].iter();
        known + newer.take_while(|version| version.readable_from + late <= time).count()
    }

    /// The machines of the tenant's VMs, if it has terms.
    pub(crate) fn own(&self, vm: usize) -> Vec<usize> {
        self.tenants.get(&self.vm(vm).tenant).cloned().unwrap_or_default()
    }

    /// The machines whose part of a decision must be rejected.
    pub(crate) fn clashes(&self, vms: &[usize], picks: &[Pick]) -> Vec<usize> {
        let coarse = self.record.agents.fine_grained == self.zone.has(Fault::OtherDetection);
        let mut after = self.truth();
        picks.iter().for_each(|pick| after[pick.machine] = after[pick.machine].with(self.vm(pick.vm)));
        let is_over = |id: usize| !after[id].used.fits_into(self.zone.machines[id].size);
        let clashes = picks.iter().filter(|Pick { machine, seen, .. }| {
            is_over(*machine) && !self.zone.has(Fault::OverCommitted) || coarse && *seen < self.latest(*machine)
        });
        let clashes: Vec<_> = clashes.map(|pick| pick.machine).collect();
        if clashes.is_empty() { self.broken_promise(vms, picks).into_iter().collect() } else { clashes }
    }

    /// The first machine on which a tenant's terms would be broken.
    fn broken_promise(&self, vms: &[usize], picks: &[Pick]) -> Option<usize> {
        let (truth, mut own) = (self.truth(), self.own(vms[0]));
        let wanted = (own.len() + vms.len()) as u32;
        picks.iter().map(|pick| (self.vm(pick.vm), pick.machine)).find_map(|(vm, machine)| {
            let keeps = self.zone.keeps_promises(&truth, &Asking { vm, own: &own, wanted }, machine);
            own.extend(vm.has_terms().then_some(machine));
            (!keeps).then_some(machine)
        })
    }

    /// Places a VM that is alive when the trace begins.
    pub(crate) fn begin_with(&mut self, pick: &Pick) {
        let first = &mut self.machines[pick.machine][0].state;
        *first = first.with(&self.record.vms[pick.vm]);
        self.settle(pick);
    }

    /// Accepts a decision and returns its machines.
    pub(crate) fn take(&mut self, now: i64, picks: &[Pick]) -> BTreeSet<usize> {
        let machines: BTreeSet<_> = picks.iter().map(|pick| pick.machine).collect();
        for id in machines.iter().copied() {
            let here = picks.iter().filter(|pick| pick.machine == id);
            let before = self.state(id, self.latest(id));
            self.publish(now, id, here.fold(before, |state, pick| state.with(self.vm(pick.vm))));
        }
        picks.iter().for_each(|pick| self.settle(pick));
        machines
    }

    pub(crate) fn depart(&mut self, now: i64, vm: usize) {
        let missed = self.zone.has(Fault::DepartureMissed) && vm.is_multiple_of(50);
        let Some(id) = self.stand[vm].take_if(|_| !missed) else { return };
        self.publish(now, id, self.state(id, self.latest(id)).without(self.vm(vm)));
        if let Some(own) = self.tenants.get_mut(&self.vm(vm).tenant) {
            own.iter().position(|it| *it == id).map(|at| own.swap_remove(at));
        }
    }

    fn publish(&mut self, now: i64, machine: usize, state: State) {
        let readable_from = now + self.record.agents.publish_ms;
        self.machines[machine].push(Version { readable_from, state });
    }

    fn settle(&mut self, pick: &Pick) {
        self.stand[pick.vm] = Some(pick.machine);
        if self.vm(pick.vm).has_terms() {
            self.tenants.entry(self.vm(pick.vm).tenant).or_default().push(pick.machine);
        }
    }

    /// The share of empty machines, and the share of the other machines' cores that is in use.
    pub(crate) fn shares(&self) -> (f64, Option<f64>) {
        let (mut used, mut busy_cores, mut busy) = (0, 0, 0);
        for (machine, state) in self.zone.machines.iter().zip(self.truth()).filter(|(_, state)| state.vms > 0) {
            (used, busy_cores, busy) = (used + state.used.cores, busy_cores + machine.size.cores, busy + 1);
        }
        let empty = (self.machines.len() - busy) as f64 / self.machines.len() as f64;
        (empty, (busy > 0).then(|| used as f64 / busy_cores as f64))
    }
}
