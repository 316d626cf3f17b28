//! Where two runs with the same requests placed VMs differently.

use tiebreak_model::VmId;
use tiebreak_sim::World;

use crate::protocol::{Difference, Reply};

/// The maximum number of listed VMs.
pub const DIFFERENCES_MAX: usize = 30;

/// No machine.
const NOWHERE: u32 = u32::MAX;

fn machine_of(world: &World, vm: u32) -> u32 {
    world.placement(VmId(vm)).map_or(NOWHERE, |(machine, _)| machine.0)
}

/// The machine of every VM in order, four bytes each, little-endian; all ones means no machine.
pub(super) fn placements(world: &World) -> Vec<u8> {
    (0..world.plan().workload().vm_count()).flat_map(|vm| machine_of(world, vm).to_le_bytes()).collect()
}

/// The VMs that another run placed elsewhere.
pub(super) fn differences(run: u32, world: &World, other: u32, placements: &[u8]) -> Reply {
    let workload = world.plan().workload();
    let (mut first, mut differing, mut vms) = (Vec::new(), 0, 0);
    for (vm, there) in (0..workload.vm_count()).zip(placements.chunks_exact(4)) {
        let machines = [machine_of(world, vm), u32::from_le_bytes([there[0], there[1], there[2], there[3]])];
        vms += 1;
        if machines[0] == machines[1] {
            continue;
        }
        differing += 1;
        if first.len() < DIFFERENCES_MAX {
            let name = workload.name(VmId(vm)).to_string();
            let at_ms = workload.at(workload.request_of(VmId(vm))).0 as f64;
            let machines = machines.map(|machine| (machine != NOWHERE).then_some(machine));
            first.push(Difference { vm: name, at_ms, machines });
        }
    }
    Reply::Differences { run, other, first, count: (differing, vms) }
}
