//! Virtual datacenters for the page: a profile of a workload's VDCs, and the locations of the VMs that one VM is
//! linked with.

use std::collections::BTreeMap;

use tiebreak_model::{Cut, MachineId, Member, RackId, Resource, VmId, phrase};
use tiebreak_placement::words::bandwidth;
use tiebreak_sim::vdc::peak_sizes;
use tiebreak_sim::{Plan, Probed};

use crate::protocol::{Company, VDC_SIZES, VdcProfile};
use crate::said;

/// The maximum number of links between machines that are drawn: those of the VM in question first, then the widest.
const LINKS_MAX: usize = 400;

/// A profile of a plan's VDCs; `None` if VMs are not linked.
pub(super) fn profile(plan: &Plan) -> Option<Box<VdcProfile>> {
    let uplink_kbps = plan.fattest_kbps()?;
    let workload = plan.workload();
    let peaks = peak_sizes(workload);
    let share = |share: f64| peaks[((peaks.len() - 1) as f64 * share).ceil() as usize];
    let mut by_size = vec![0; VDC_SIZES.len()];
    for peak in &peaks {
        by_size[VDC_SIZES.partition_point(|(_, to)| to < peak)] += 1;
    }
    let cores = |vm: VmId| workload.shape_of_vm(vm).demand[Resource::Cores];
    Some(Box::new(VdcProfile {
        vdcs: peaks.len() as u32,
        vms: workload.vm_count(),
        peaks: [share(0.5), share(0.9), share(1.0)],
        by_size,
        largest_cores_milli: (0..workload.vm_count()).map(|vm| cores(VmId(vm))).max().unwrap_or(0),
        uplink_mbps: uplink_kbps as f64 / 1_000.0,
    }))
}

/// The VMs that one was linked with at its decision, and the bandwidth.
pub(super) fn company(probed: &Probed, plan: &Plan) -> Option<Box<Company>> {
    let (footprint, needs) = probed.company.as_ref()?;
    let members = footprint.members();
    if members.is_empty() {
        return None;
    }
    let explanation = &probed.explanation;
    let me = explanation.winner.as_ref().map(|card| Member { machine: card.machine, peer: needs.me });
    let mut machines: BTreeMap<u32, u32> = BTreeMap::new();
    members.iter().chain(&me).for_each(|member| *machines.entry(member.machine.0).or_default() += 1);
    let mut pairs: BTreeMap<(u32, u32), (u64, bool)> = BTreeMap::new();
    let mut lay = |one: &Member, other: &Member, is_own: bool| {
        let kbps = needs.links.kbps(one.peer, other.peer);
        if kbps > 0 && one.machine != other.machine {
            let ends = (one.machine.min(other.machine).0, one.machine.max(other.machine).0);
            let link = pairs.entry(ends).or_default();
            *link = (link.0 + kbps, link.1 || is_own);
        }
    };
    for (at, one) in members.iter().enumerate() {
        members[at + 1..].iter().for_each(|other| lay(one, other, false));
        me.iter().for_each(|me| lay(me, one, true));
    }
    let mut links: Vec<_> =
        pairs.into_iter().map(|((one, other), (kbps, own))| (one, other, kbps as f64 / 1_000.0, own)).collect();
    links.sort_by(|one, other| (other.3, other.2).partial_cmp(&(one.3, one.2)).unwrap_or(std::cmp::Ordering::Equal));
    links.truncate(LINKS_MAX);
    let full = explanation.refusal.as_ref().and_then(|refusal| refusal.blocked?.full);
    let there = me.map_or(0, |me| needs.there(Cut::Machine(me.machine)));
    let words_of = |kbps: u64| if kbps == 0 { phrase!("none") } else { bandwidth(kbps) };
    let sentence = match me {
        Some(_) => phrase!(
            "It is linked to {} of its virtual datacenter on {}: {} in total, {} of it over the network.",
            said::counted(members.len() as f64, "VM", "VMs"),
            said::counted(machines.len() as f64, "machine", "machines"),
            words_of(needs.total_kbps),
            words_of(needs.total_kbps - there)
        ),
        None => phrase!(
            "It would be linked to {} of its virtual datacenter on {}: {} in total.",
            said::counted(members.len() as f64, "VM", "VMs"),
            said::counted(machines.len() as f64, "machine", "machines"),
            words_of(needs.total_kbps)
        ),
    };
    let behind_full = full.map(|full| {
        let range = match full.cut {
            Cut::Machine(MachineId(id)) => id..id + 1,
            Cut::Rack(RackId(id)) => plan.fleet().machines_of_rack(RackId(id)),
            Cut::Cluster(id) => plan.fleet().cluster(id).machines(),
        };
        (range.start, range.len() as u32)
    });
    Some(Box::new(Company { sentence, machines: machines.into_iter().collect(), links, behind_full }))
}
