//! The links between VMs, one by one: the bandwidth of each on every uplink, by the machines of its ends (Gridiron
//! section III-D).
//!
//! The simulator adds and subtracts a VM's bandwidth as it comes and goes; here every link is laid from end to end at
//! each call.

use tiebreak_model::network::around;
use tiebreak_model::{MachineId, Network, Peer, Resource, VmId};

use crate::ledger::Ledger;
use crate::stand::Stand;

/// The network with the links of all placed VMs; `None` if VMs are not linked.
pub(crate) fn laid(ledger: &Ledger, stand: &Stand<'_>) -> Option<Network> {
    let (links, slots) = ledger.links.as_ref()?;
    let (_, idle) = ledger.network.as_ref()?;
    let peer = |vm: VmId| Peer {
        slot: slots[vm.index()],
        cores_milli: ledger.workload.shape_of_vm(vm).demand[Resource::Cores],
    };
    let mut network = idle.clone();
    let all: Vec<_> = stand.places().map(|(vm, machine)| (ledger.tenant(vm), vm, machine)).collect();
    for (at, (tenant, one, here)) in all.iter().enumerate() {
        for (_, other, there) in all[at + 1..].iter().filter(|(other, ..)| other == tenant) {
            lay(&mut network, ledger, (*here, *there), links.kbps(peer(*one), peer(*other)));
        }
    }
    Some(network)
}

fn lay(network: &mut Network, ledger: &Ledger, (here, there): (MachineId, MachineId), kbps: u64) {
    for (near, far) in around(&ledger.fleet, here).into_iter().zip(around(&ledger.fleet, there)) {
        if near != far {
            network.reserve(network.place(near), kbps);
            network.reserve(network.place(far), kbps);
        }
    }
}

/// No uplink is over-committed if the rules guarantee that.
pub(crate) fn over_committed(ledger: &Ledger, stand: &Stand<'_>) -> Option<String> {
    let network = laid(ledger, stand).filter(|_| ledger.has_rule("BandwidthAvailable"))?;
    let over = (0..network.cuts()).find(|place| network.used_at(*place) > network.capacity_at(*place));
    over.map(|place| {
        let (used, all) = (network.used_at(place), network.capacity_at(place));
        format!("uplink {place} carries {used} kbit/s of {all}")
    })
}

/// The reserved bandwidth at the end is exactly that of the links of the placed VMs.
pub(crate) fn end_as_recorded(ledger: &Ledger, stand: &Stand<'_>) -> Result<(), String> {
    let (Some(laid), Some((end, _))) = (laid(ledger, stand), &ledger.network) else { return Ok(()) };
    match (0..laid.cuts()).find(|place| laid.used_at(*place) != end.used_at(*place)) {
        Some(place) => Err(format!(
            "uplink {place} ends with {} kbit/s reserved, the links take {}",
            end.used_at(place),
            laid.used_at(place)
        )),
        None => Ok(()),
    }
}
