//! Who stands where at one moment, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use tiebreak_model::{MachineId, Resources, VmId};

use crate::ledger::Ledger;

/// The VMs that stand somewhere.
#[derive(Clone)]
pub(crate) struct Stand<'a> {
    ledger: &'a Ledger,
    /// On each machine, in the order they came.
    on: BTreeMap<MachineId, Vec<VmId>>,
    at: BTreeMap<VmId, MachineId>,
    /// The machines that VMs migrate from, which hold what these have there.
    from: BTreeMap<VmId, MachineId>,
}

impl<'a> Stand<'a> {
    pub(crate) fn nobody(ledger: &'a Ledger) -> Self {
        Self { ledger, on: BTreeMap::new(), at: BTreeMap::new(), from: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, vm: VmId, machine: MachineId) {
        self.on.entry(machine).or_default().push(vm);
        self.at.insert(vm, machine);
    }

    /// A VM leaves; the machine it stood on, if it stood anywhere.
    pub(crate) fn remove(&mut self, vm: VmId) -> Option<MachineId> {
        let machine = self.at.remove(&vm)?;
        self.on.get_mut(&machine)?.retain(|other| *other != vm);
        Some(machine)
    }

    /// A VM begins to migrate from a machine.
    pub(crate) fn copy(&mut self, vm: VmId, from: MachineId) {
        self.from.insert(vm, from);
    }

    /// It does not migrate any more.
    pub(crate) fn copied(&mut self, vm: VmId) {
        self.from.remove(&vm);
    }

    /// The VMs that migrate from a machine.
    pub(crate) fn leaving(&self, machine: MachineId) -> impl Iterator<Item = VmId> + '_ {
        self.from.iter().filter(move |(_, from)| **from == machine).map(|(vm, _)| *vm)
    }

    /// The VMs on a machine.
    pub(crate) fn on(&self, machine: MachineId) -> &[VmId] {
        self.on.get(&machine).map_or(&[], |vms| vms)
    }

    /// What the VMs on a machine leave free, and those that migrate from it; none when they are
    /// too many.
    pub(crate) fn free(&self, machine: MachineId) -> Option<Resources> {
        let demand = |vm: VmId| self.ledger.workload.shape_of_vm(vm).demand;
        let mut held = self.on(machine).iter().copied().chain(self.leaving(machine)).map(demand);
        held.try_fold(self.ledger.fleet.capacity(machine), Resources::checked_sub)
    }

    /// Where the VMs of a tenant stand that ask for anything, or are linked.
    pub(crate) fn of_tenant(&self, tenant: u64) -> Vec<MachineId> {
        let asks = |vm: VmId| self.ledger.links.is_some() || !self.ledger.workload.shape_of_vm(vm).terms.is_none();
        let of_tenant = |vm: VmId| asks(vm) && self.ledger.tenant(vm) == tenant;
        self.at.iter().filter(|(vm, _)| of_tenant(**vm)).map(|(_, machine)| *machine).collect()
    }

    /// Who stands where.
    pub(crate) fn places(&self) -> impl Iterator<Item = (VmId, MachineId)> + '_ {
        self.at.iter().map(|(vm, machine)| (*vm, *machine))
    }

    /// The machines that hold a VM, or what a VM that migrates has there.
    pub(crate) fn busy(&self) -> BTreeSet<MachineId> {
        let held = self.on.iter().filter(|(_, vms)| !vms.is_empty()).map(|(machine, _)| *machine);
        held.chain(self.from.values().copied()).collect()
    }

    /// All VMs that stand somewhere.
    pub(crate) fn vms(&self) -> impl Iterator<Item = VmId> + '_ {
        self.at.keys().copied()
    }

    /// All VMs that hold anything: those that migrate do so twice.
    pub(crate) fn holding(&self) -> impl Iterator<Item = VmId> + '_ {
        self.vms().chain(self.from.keys().copied())
    }
}
