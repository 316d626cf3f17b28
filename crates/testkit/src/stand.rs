//! The placement of all VMs at one moment.

use std::collections::{BTreeMap, BTreeSet};

use tiebreak_model::{MachineId, Resources, VmId};

use crate::ledger::Ledger;

/// The VMs that are placed.
#[derive(Clone)]
pub(crate) struct Stand<'a> {
    ledger: &'a Ledger,
    /// The VMs of each machine, in the order of their arrival.
    on: BTreeMap<MachineId, Vec<VmId>>,
    at: BTreeMap<VmId, MachineId>,
    /// The source machine of each migrating VM, where it still holds resources.
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

    /// Removes a VM; returns its machine, if it had one.
    pub(crate) fn remove(&mut self, vm: VmId) -> Option<MachineId> {
        let machine = self.at.remove(&vm)?;
        self.on.get_mut(&machine)?.retain(|other| *other != vm);
        Some(machine)
    }

    /// A VM starts to migrate from a machine.
    pub(crate) fn copy(&mut self, vm: VmId, from: MachineId) {
        self.from.insert(vm, from);
    }

    /// Its migration ends.
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

    /// The free resources of a machine after its VMs and those that migrate from it; `None` if these do not fit.
    pub(crate) fn free(&self, machine: MachineId) -> Option<Resources> {
        let demand = |vm: VmId| self.ledger.workload.shape_of_vm(vm).demand;
        let mut held = self.on(machine).iter().copied().chain(self.leaving(machine)).map(demand);
        held.try_fold(self.ledger.fleet.capacity(machine), Resources::checked_sub)
    }

    /// The machines of a tenant's VMs that have terms or links.
    pub(crate) fn of_tenant(&self, tenant: u64) -> Vec<MachineId> {
        let asks = |vm: VmId| self.ledger.links.is_some() || !self.ledger.workload.shape_of_vm(vm).terms.is_none();
        let of_tenant = |vm: VmId| asks(vm) && self.ledger.tenant(vm) == tenant;
        self.at.iter().filter(|(vm, _)| of_tenant(**vm)).map(|(_, machine)| *machine).collect()
    }

    /// All placements.
    pub(crate) fn places(&self) -> impl Iterator<Item = (VmId, MachineId)> + '_ {
        self.at.iter().map(|(vm, machine)| (*vm, *machine))
    }

    /// The machines that hold a VM, including the sources of migrating VMs.
    pub(crate) fn busy(&self) -> BTreeSet<MachineId> {
        let held = self.on.iter().filter(|(_, vms)| !vms.is_empty()).map(|(machine, _)| *machine);
        held.chain(self.from.values().copied()).collect()
    }

    /// All placed VMs.
    pub(crate) fn vms(&self) -> impl Iterator<Item = VmId> + '_ {
        self.at.keys().copied()
    }

    /// All VMs that hold resources; a migrating VM appears twice.
    pub(crate) fn holding(&self) -> impl Iterator<Item = VmId> + '_ {
        self.vms().chain(self.from.keys().copied())
    }
}
