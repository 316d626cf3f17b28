//! Who stands where at one moment, and nothing else.

use std::collections::BTreeMap;

use tiebreak_model::{MachineId, Resources, VmId};

use crate::ledger::Ledger;

/// The VMs that stand somewhere.
#[derive(Clone)]
pub(crate) struct Stand<'a> {
    ledger: &'a Ledger,
    /// On each machine, in the order they came.
    on: BTreeMap<MachineId, Vec<VmId>>,
    at: BTreeMap<VmId, MachineId>,
}

impl<'a> Stand<'a> {
    pub(crate) fn nobody(ledger: &'a Ledger) -> Self {
        Self { ledger, on: BTreeMap::new(), at: BTreeMap::new() }
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

    /// The VMs on a machine.
    pub(crate) fn on(&self, machine: MachineId) -> &[VmId] {
        self.on.get(&machine).map_or(&[], |vms| vms)
    }

    /// What the VMs on a machine leave free; none when they are too many.
    pub(crate) fn free(&self, machine: MachineId) -> Option<Resources> {
        let demand = |vm: &VmId| self.ledger.workload.shape_of_vm(*vm).demand;
        self.on(machine).iter().map(demand).try_fold(self.ledger.fleet.capacity(machine), Resources::checked_sub)
    }

    /// Where the VMs of a tenant stand that ask for anything.
    pub(crate) fn of_tenant(&self, tenant: u64) -> Vec<MachineId> {
        let asks = |vm: VmId| !self.ledger.workload.shape_of_vm(vm).terms.is_none();
        let of_tenant = |vm: VmId| asks(vm) && self.ledger.tenant(vm) == tenant;
        self.at.iter().filter(|(vm, _)| of_tenant(**vm)).map(|(_, machine)| *machine).collect()
    }

    /// The machines that hold a VM.
    pub(crate) fn busy(&self) -> impl Iterator<Item = MachineId> + '_ {
        self.on.iter().filter(|(_, vms)| !vms.is_empty()).map(|(machine, _)| *machine)
    }

    /// All VMs that stand somewhere.
    pub(crate) fn vms(&self) -> impl Iterator<Item = VmId> + '_ {
        self.at.keys().copied()
    }
}
