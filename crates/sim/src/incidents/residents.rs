//! The VMs on each machine. Only incidents need them, so a run without incidents does not track them.

use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, VmId};

/// The VMs on each machine, in arbitrary order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Residents {
    on: Vec<Vec<VmId>>,
}

impl Residents {
    /// For this many machines, all empty; with 0 machines, nothing is tracked.
    pub(crate) fn new(machines: u32) -> Self {
        Self { on: vec![Vec::new(); machines as usize] }
    }

    /// A VM arrived.
    pub(crate) fn add(&mut self, machine: MachineId, vm: VmId) {
        if let Some(vms) = self.on.get_mut(machine.index()) {
            vms.push(vm);
        }
    }

    /// A VM left.
    pub(crate) fn remove(&mut self, machine: MachineId, vm: VmId) {
        let Some(vms) = self.on.get_mut(machine.index()) else { return };
        if let Some(at) = vms.iter().position(|other| *other == vm) {
            vms.swap_remove(at);
        }
    }

    /// The VMs on a machine, in arbitrary order.
    pub(crate) fn on(&self, machine: MachineId) -> &[VmId] {
        self.on.get(machine.index()).map_or(&[], |vms| vms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_came_and_did_not_leave_is_there() {
        let mut residents = Residents::new(2);
        for vm in [3, 1, 2] {
            residents.add(MachineId(1), VmId(vm));
        }
        residents.remove(MachineId(1), VmId(3));
        let mut here = residents.on(MachineId(1)).to_vec();
        here.sort_unstable();
        assert_eq!((here, residents.on(MachineId(0))), (vec![VmId(1), VmId(2)], &[][..]));
    }

    #[test]
    fn of_no_machine_nothing_is_kept() {
        let mut residents = Residents::default();
        residents.add(MachineId(1), VmId(3));
        residents.remove(MachineId(1), VmId(3));
        assert!(residents.on(MachineId(1)).is_empty());
    }
}
