//! Bandwidth between the VMs of a virtual datacenter (VDC), and the network that carries it.
//!
//! A VDC is a tenant whose VMs are linked. Every link has a guaranteed bandwidth, the bandwidth
//! per core times the smaller of the core counts at its ends, and takes it from the uplinks on
//! its way: of the two machines, of their racks where these differ, of their clusters where those
//! differ. VMs on one machine take nothing. Links between a rack and the rest are used together
//! (multi-path), so what they can carry is one sum, a *cut*. Source: Gridiron sections III-C,
//! III-D and III-E.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use crate::fleet::Fleet;
use crate::ids::{ClusterId, MachineId, RackId};

/// Which VMs of a VDC are linked, by their slots (Gridiron Fig. 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Topology {
    /// Every VM with every other.
    #[default]
    AllToAll,
    /// Every VM with the one in slot 0.
    Star,
    /// Every VM with the ones before and after it.
    Chain,
    /// Every VM with those of the stages before and after its own.
    Pipeline,
}

/// How the VMs of all VDCs are linked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Who with whom.
    pub topology: Topology,
    /// VMs in one stage of a pipeline, at least 1.
    pub stage_vms: u32,
    /// Bandwidth for each core of the smaller end, in Mbit/s.
    pub bpc_mbps: u32,
}

impl Links {
    /// The bandwidth between two VMs of one VDC, in kbit/s; 0 where they are not linked.
    #[inline]
    #[must_use]
    pub fn kbps(&self, one: Peer, other: Peer) -> u64 {
        // Thousandths of a core times Mbit/s are kbit/s.
        let bandwidth = u64::from(self.bpc_mbps) * u64::from(one.cores_milli.min(other.cores_milli));
        if self.are_linked(one.slot, other.slot) { bandwidth } else { 0 }
    }

    fn are_linked(&self, one: u32, other: u32) -> bool {
        match self.topology {
            Topology::AllToAll => true,
            Topology::Star => (one == 0) != (other == 0),
            Topology::Chain => one.abs_diff(other) == 1,
            Topology::Pipeline => (one / self.stage_vms).abs_diff(other / self.stage_vms) == 1,
        }
    }
}

/// One end of links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Peer {
    /// Its place in the VDC: the lowest that no other VM had when it came.
    pub slot: u32,
    /// Its cores, in thousandths.
    pub cores_milli: u32,
}

/// What the network of one cluster can carry, in kbit/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uplinks {
    /// All uplinks of one machine to its rack together.
    pub machine_kbps: u64,
    /// All uplinks of one rack to the aggregation switches together.
    pub rack_kbps: u64,
    /// All uplinks of the cluster's aggregation switches together.
    pub cluster_kbps: u64,
}

/// Uplinks that whatever enters or leaves a place must take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cut {
    /// Of a machine.
    Machine(MachineId),
    /// Of a rack's switch.
    Rack(RackId),
    /// Of a cluster's aggregation switches.
    Cluster(ClusterId),
}

/// Machines whose bandwidth is bounded together.
const BLOCK: usize = 64;

/// What every cut has left.
#[derive(Clone, Debug)]
pub struct Network {
    first_rack: u32,
    first_cluster: u32,
    capacity_kbps: Arc<[u64]>,
    /// By cut: machines, racks, clusters. Less than 0 where more is reserved than there is.
    free_kbps: Vec<i64>,
    /// The least and the most of each block of machines.
    blocks: Vec<(i64, i64)>,
}

impl Network {
    /// A network of which nothing is reserved; `uplinks` are those of each cluster, by id.
    ///
    /// # Panics
    /// When there are fewer of them than clusters: that is our own bug.
    #[must_use]
    pub fn idle(fleet: &Fleet, uplinks: &[Uplinks]) -> Self {
        let of_machine = |id| uplinks[fleet.cluster_of(MachineId(id)).index()].machine_kbps;
        let of_rack = |id| uplinks[fleet.cluster_of_rack(RackId(id)).index()].rack_kbps;
        let clusters = &uplinks[..fleet.clusters().len()];
        let (machines, racks) = (fleet.machine_count(), fleet.rack_count());
        let cuts = (0..machines).map(of_machine).chain((0..racks).map(of_rack));
        let capacity_kbps: Arc<[u64]> = cuts.chain(clusters.iter().map(|it| it.cluster_kbps)).collect();
        let free_kbps: Vec<_> = capacity_kbps.iter().map(|kbps| *kbps as i64).collect();
        let mut network = Self {
            first_rack: machines,
            first_cluster: machines + racks,
            capacity_kbps,
            free_kbps,
            blocks: Vec::new(),
        };
        let blocks = (machines as usize).div_ceil(BLOCK);
        network.blocks = (0..blocks).map(|block| network.look_at_block(block)).collect();
        network
    }

    /// How many cuts there are.
    #[must_use]
    pub fn cuts(&self) -> u32 {
        self.free_kbps.len() as u32
    }

    /// A cut's place among all of them.
    #[inline]
    #[must_use]
    pub const fn place(&self, cut: Cut) -> u32 {
        match cut {
            Cut::Machine(id) => id.0,
            Cut::Rack(id) => self.first_rack + id.0,
            Cut::Cluster(id) => self.first_cluster + id.0,
        }
    }

    /// What a cut can carry, in kbit/s.
    #[inline]
    #[must_use]
    pub fn capacity_kbps(&self, cut: Cut) -> u64 {
        self.capacity_kbps[self.place(cut) as usize]
    }

    /// What the cut at a place can carry, in kbit/s.
    #[must_use]
    pub fn capacity_at(&self, place: u32) -> u64 {
        self.capacity_kbps[place as usize]
    }

    /// What a cut has left, in kbit/s; less than 0 where more is reserved than it can carry.
    #[inline]
    #[must_use]
    pub fn free_kbps(&self, cut: Cut) -> i64 {
        self.free_kbps[self.place(cut) as usize]
    }

    /// What is reserved of a cut, in kbit/s.
    #[must_use]
    pub fn used_kbps(&self, cut: Cut) -> u64 {
        self.used_at(self.place(cut))
    }

    /// What is reserved of the cut at a place.
    #[inline]
    #[must_use]
    pub fn used_at(&self, place: u32) -> u64 {
        (self.capacity_kbps[place as usize] as i64 - self.free_kbps[place as usize]) as u64
    }

    /// The share of a cut that is reserved, from 0; more than 1 where more is than it can carry, and
    /// 1 where it can carry nothing.
    #[must_use]
    pub fn used_share(&self, cut: Cut) -> f64 {
        let (used, capacity) = (self.used_kbps(cut), self.capacity_kbps(cut));
        if capacity == 0 { 1.0 } else { used as f64 / capacity as f64 }
    }

    /// Reserves this much of the cut at a place, and no more.
    #[inline]
    pub fn set_used(&mut self, place: u32, used_kbps: u64) {
        let free = self.capacity_kbps[place as usize] as i64 - used_kbps as i64;
        let before = core::mem::replace(&mut self.free_kbps[place as usize], free);
        if place < self.first_rack && before != free {
            let block = place as usize / BLOCK;
            let (least, most) = self.blocks[block];
            let holds = before == least && free > before || before == most && free < before;
            self.blocks[block] = if holds { self.look_at_block(block) } else { (least.min(free), most.max(free)) };
        }
    }

    /// Reserves so much more of the cut at a place.
    #[inline]
    pub fn reserve(&mut self, place: u32, kbps: u64) {
        self.set_used(place, self.used_at(place) + kbps);
    }

    /// Gives so much of the cut at a place back.
    ///
    /// # Panics
    /// When it was not reserved: that is our own bug.
    #[inline]
    pub fn release(&mut self, place: u32, kbps: u64) {
        let used = self.used_at(place).checked_sub(kbps).expect("what is given back was reserved");
        self.set_used(place, used);
    }

    /// The least and the most that any of these machines has left, or a few beside them.
    #[inline]
    #[must_use]
    pub fn range_kbps(&self, machines: Range<u32>) -> (i64, i64) {
        let blocks = &self.blocks[machines.start as usize / BLOCK..(machines.end as usize).div_ceil(BLOCK)];
        blocks.iter().fold((i64::MAX, i64::MIN), |(least, most), it| (least.min(it.0), most.max(it.1)))
    }

    /// The most that the uplinks of one machine can carry: the fattest server uplink.
    #[must_use]
    pub fn fattest_kbps(&self) -> u64 {
        self.capacity_kbps[..self.first_rack as usize].iter().copied().max().unwrap_or(0)
    }

    fn look_at_block(&self, block: usize) -> (i64, i64) {
        let end = (self.first_rack as usize).min((block + 1) * BLOCK);
        let those = &self.free_kbps[block * BLOCK..end];
        those.iter().fold((i64::MAX, i64::MIN), |(least, most), it| (least.min(*it), most.max(*it)))
    }
}

/// A VM of a VDC, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// The machine.
    pub machine: MachineId,
    /// The VM as an end of links.
    pub peer: Peer,
}

/// What one VM's links to the others of its VDC take, by where those stand, in kbit/s.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// How VMs are linked.
    pub links: Links,
    /// The VM itself.
    pub me: Peer,
    /// Whether uplinks of racks and clusters are taken to be free. They never are; it is asked to tell
    /// which uplinks are in the way.
    pub of_machines_alone: bool,
    /// All its links.
    pub total_kbps: u64,
    /// The largest of them.
    pub largest_kbps: u64,
    machines: Vec<(MachineId, u64)>,
    racks: Vec<(RackId, u64)>,
    clusters: Vec<(ClusterId, u64)>,
}

impl Needs {
    /// Of a VM without links.
    pub const NONE: &'static Self = &Self {
        links: Links { topology: Topology::AllToAll, stage_vms: 1, bpc_mbps: 0 },
        me: Peer { slot: 0, cores_milli: 0 },
        of_machines_alone: false,
        total_kbps: 0,
        largest_kbps: 0,
        machines: Vec::new(),
        racks: Vec::new(),
        clusters: Vec::new(),
    };

    /// Whether it has no link that takes anything.
    #[inline]
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.total_kbps == 0
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        (self.total_kbps, self.largest_kbps) = (0, 0);
        self.machines.clear();
        self.racks.clear();
        self.clusters.clear();
    }

    /// Those of a VM with these others, which are in order of their machines.
    pub fn fill(&mut self, fleet: &Fleet, links: &Links, me: Peer, others: &[Member]) {
        self.clear();
        (self.links, self.me) = (*links, me);
        for other in others {
            let kbps = links.kbps(me, other.peer);
            if kbps > 0 {
                self.total_kbps += kbps;
                self.largest_kbps = self.largest_kbps.max(kbps);
                add(&mut self.machines, other.machine, kbps);
            }
        }
        for (machine, kbps) in &self.machines {
            add(&mut self.racks, fleet.rack_of(*machine), *kbps);
            add(&mut self.clusters, fleet.cluster_of(*machine), *kbps);
        }
    }

    /// What it would take of a cut if it stood behind it: its links to VMs before it.
    #[inline]
    #[must_use]
    pub fn behind(&self, cut: Cut) -> u64 {
        self.total_kbps - self.there(cut)
    }

    /// Its links to VMs behind a cut.
    #[inline]
    #[must_use]
    pub fn there(&self, cut: Cut) -> u64 {
        match cut {
            Cut::Machine(id) => of(&self.machines, id),
            Cut::Rack(id) => of(&self.racks, id),
            Cut::Cluster(id) => of(&self.clusters, id),
        }
    }

    /// The places of VMs it is linked with, and what its links to those behind each take: machines,
    /// racks, clusters.
    pub fn places(&self) -> impl Iterator<Item = (Cut, u64)> + '_ {
        let machines = self.machines.iter().map(|(id, kbps)| (Cut::Machine(*id), *kbps));
        let racks = self.racks.iter().map(|(id, kbps)| (Cut::Rack(*id), *kbps));
        machines.chain(racks).chain(self.clusters.iter().map(|(id, kbps)| (Cut::Cluster(*id), *kbps)))
    }

    /// Every cut that its links take anything of when it stands on a machine, and how much.
    pub fn cuts(&self, fleet: &Fleet, machine: MachineId) -> impl Iterator<Item = (Cut, u64)> + '_ {
        let own = around(fleet, machine);
        let elsewhere = self.places().filter(move |(cut, _)| !own.contains(cut));
        let here = own.into_iter().map(|cut| (cut, self.behind(cut))).filter(|(_, kbps)| *kbps > 0);
        here.chain(elsewhere).filter(|_| !self.is_none())
    }
}

/// The cuts that a machine stands behind.
#[inline]
#[must_use]
pub fn around(fleet: &Fleet, machine: MachineId) -> [Cut; 3] {
    [Cut::Machine(machine), Cut::Rack(fleet.rack_of(machine)), Cut::Cluster(fleet.cluster_of(machine))]
}

fn add<Id: Copy + PartialEq>(sums: &mut Vec<(Id, u64)>, id: Id, kbps: u64) {
    match sums.last_mut() {
        Some((last, sum)) if *last == id => *sum += kbps,
        _ => sums.push((id, kbps)),
    }
}

#[inline]
fn of<Id: Copy + Ord>(sums: &[(Id, u64)], id: Id) -> u64 {
    sums.binary_search_by_key(&id, |(id, _)| *id).map_or(0, |at| sums[at].1)
}

/// Why the network has no room for a VM (Gridiron section III-D).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bottleneck {
    /// One link alone is more than the fattest uplink of any machine.
    Link,
    /// All links of one VM are more than the uplink of its machine has for them.
    Peering,
    /// The links of several VMs of the VDC on one machine are more than its uplink has for them.
    Colocation,
    /// Uplinks of racks or of clusters are full.
    Elsewhere,
}

impl Bottleneck {
    /// The word in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Elsewhere => "elsewhere",
            named => named.title(),
        }
    }

    /// All of them, in the order in which they are looked for.
    pub const ALL: [Self; 4] = [Self::Link, Self::Peering, Self::Colocation, Self::Elsewhere];

    /// The words people read.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Peering => "peering",
            Self::Colocation => "co-location",
            Self::Elsewhere => "elsewhere in the tree",
        }
    }
}

/// How much bandwidth the links of VDCs may have so that an empty datacenter can hold every one of them:
/// Gridiron's equations 1 to 3, for all-to-all VDCs, which are the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// No link may be larger than the fattest uplink of a machine, in Mbit/s.
    pub link_mbps: u64,
    /// With more, a machine's uplink would not hold the links of one VM to all others.
    pub peering_mbps: u64,
    /// With more, it would not hold the links of VMs that share the machine to all others.
    pub colocation_mbps: u64,
    /// The smallest of the three: bandwidth that every link may have.
    pub bandwidth_mbps: u64,
    /// Which one that is; of equal ones the first.
    pub binding: Bottleneck,
    /// Links that cross one uplink at worst.
    pub links_crossing: u64,
}

impl Bounds {
    /// With `capacity_mbps` on the fattest uplink, at most `vms` VMs in a VDC at a time and at most
    /// `colocated` of them on one machine. None where a VDC has fewer than two VMs: it has no link.
    #[must_use]
    pub fn of(capacity_mbps: u64, vms: u32, colocated: u32) -> Option<Self> {
        let vms = u64::from(vms);
        let others = vms.checked_sub(1).filter(|others| *others > 0)?;
        // d VMs on one machine have d (P - d) links to the others: the most with half of them.
        let together = u64::from(colocated).clamp(1, vms / 2);
        let links_crossing = together * (vms - together);
        let bounds = [
            (capacity_mbps, Bottleneck::Link),
            (capacity_mbps / others, Bottleneck::Peering),
            (capacity_mbps / links_crossing, Bottleneck::Colocation),
        ];
        let (bandwidth_mbps, binding) = bounds.into_iter().min_by_key(|(mbps, _)| *mbps)?;
        let [link_mbps, peering_mbps, colocation_mbps] = bounds.map(|(mbps, _)| mbps);
        Some(Self { link_mbps, peering_mbps, colocation_mbps, bandwidth_mbps, binding, links_crossing })
    }

    /// The bandwidth per core that the largest VMs may have, in Mbit/s.
    #[must_use]
    pub fn bpc_mbps(&self, largest_cores_milli: u32) -> u64 {
        self.bandwidth_mbps * 1_000 / u64::from(largest_cores_milli.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::ClusterSpec;
    use crate::random::{Seed, pick};
    use crate::resources::Resources;
    use alloc::vec;

    fn fleet() -> Fleet {
        let spec = |machines, racks| ClusterSpec {
            name: "c".into(),
            machines,
            racks,
            capacity: Resources::new(8, 8, 0, 0),
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        Fleet::build(&[spec(70, 7), spec(30, 2)]).expect("a fleet")
    }

    const ALL: Links = Links { topology: Topology::AllToAll, stage_vms: 1, bpc_mbps: 2 };

    fn peer(slot: u32, cores: u32) -> Peer {
        Peer { slot, cores_milli: cores * 1_000 }
    }

    #[test]
    fn a_link_has_the_bandwidth_of_its_smaller_end() {
        assert_eq!(ALL.kbps(peer(0, 2), peer(1, 4)), 4_000);
        assert_eq!(ALL.kbps(peer(0, 4), peer(1, 4)), 8_000);
    }

    #[test]
    fn topologies_link_slots() {
        let linked = |topology, stage_vms, one: u32| -> Vec<u32> {
            let links = Links { topology, stage_vms, ..ALL };
            (0..7).filter(|other| *other != one && links.kbps(peer(one, 1), peer(*other, 1)) > 0).collect()
        };
        assert_eq!(linked(Topology::AllToAll, 1, 2), [0, 1, 3, 4, 5, 6]);
        assert_eq!(linked(Topology::Star, 1, 0), [1, 2, 3, 4, 5, 6]);
        assert_eq!(linked(Topology::Star, 1, 3), [0]);
        assert_eq!(linked(Topology::Chain, 1, 3), [2, 4]);
        assert_eq!(linked(Topology::Pipeline, 2, 3), [0, 1, 4, 5]);
    }

    #[test]
    fn what_a_vm_takes_of_each_cut_is_what_links_one_by_one_would() {
        let (fleet, stream) = (fleet(), Seed(3).stream("needs test"));
        for case in 0..200 {
            let draw = |what, options| pick(stream.draw(case, what), options);
            let mut others: Vec<_> = (0..draw(0, 12))
                .map(|at| Member {
                    machine: MachineId(draw(10 + u64::from(at), 100)),
                    peer: peer(at + 1, 1 + draw(40 + u64::from(at), 8)),
                })
                .collect();
            others.sort_unstable();
            let (me, machine) = (peer(0, 4), MachineId(draw(1, 100)));
            let mut needs = Needs::default();
            needs.fill(&fleet, &ALL, me, &others);
            let mut expected = vec![0; 100 + 9 + 2];
            let network = Network::idle(&fleet, &[Uplinks::default(); 2]);
            for other in &others {
                for (near, far) in around(&fleet, machine).into_iter().zip(around(&fleet, other.machine)) {
                    if near != far {
                        for cut in [near, far] {
                            expected[network.place(cut) as usize] += ALL.kbps(me, other.peer);
                        }
                    }
                }
            }
            let mut taken = vec![0; expected.len()];
            needs.cuts(&fleet, machine).for_each(|(cut, kbps)| taken[network.place(cut) as usize] += kbps);
            assert_eq!(taken, expected, "case {case}");
        }
    }

    #[test]
    fn blocks_bound_what_their_machines_have_left() {
        let fleet = fleet();
        let uplinks = Uplinks { machine_kbps: 100, rack_kbps: 500, cluster_kbps: 900 };
        let mut network = Network::idle(&fleet, &[uplinks, Uplinks { machine_kbps: 50, ..uplinks }]);
        let stream = Seed(4).stream("network test");
        let mut used = vec![0; network.cuts() as usize];
        for step in 0..5_000 {
            let place = pick(stream.draw(step, 0), network.cuts());
            used[place as usize] = u64::from(pick(stream.draw(step, 1), 130));
            network.set_used(place, used[place as usize]);
            let free = |id: u32| network.free_kbps(Cut::Machine(MachineId(id)));
            let bounds = |ids: Range<u32>| (ids.clone().map(free).min().unwrap_or(0), ids.map(free).max().unwrap_or(0));
            assert_eq!(network.range_kbps(0..64), bounds(0..64), "step {step}");
            assert_eq!(network.range_kbps(0..100), bounds(0..100), "step {step}");
        }
        assert!((0..network.cuts()).all(|place| network.used_at(place) == used[place as usize]));
        assert_eq!(network.fattest_kbps(), 100);
        network.reserve(3, 7);
        network.release(3, 7 + used[3]);
        assert_eq!(network.used_share(Cut::Machine(MachineId(3))), 0.0);
    }

    /// Gridiron sections III-E and IV, and what follows for other limits on co-location.
    #[test]
    fn bounds_are_those_of_the_paper() {
        for (vms, colocated, bandwidth, binding) in [
            (30, u32::MAX, 177, Bottleneck::Colocation),
            (30, 15, 177, Bottleneck::Colocation),
            (30, 29, 177, Bottleneck::Colocation), // More than half together are no worse than half.
            (30, 1, 1_379, Bottleneck::Peering),
            (30, 2, 714, Bottleneck::Colocation),
            (10, 1, 4_444, Bottleneck::Peering),
            (6, u32::MAX, 4_444, Bottleneck::Colocation),
            (2, 2, 40_000, Bottleneck::Link),
            (3, 0, 20_000, Bottleneck::Peering),
        ] {
            let bounds = Bounds::of(40_000, vms, colocated).expect("a VDC with links");
            assert_eq!(
                (bounds.bandwidth_mbps, bounds.binding),
                (bandwidth, binding),
                "{vms} VMs, {colocated} together"
            );
        }
        assert_eq!(Bounds::of(40_000, 30, u32::MAX).map(|it| it.bpc_mbps(16_000)), Some(11));
        assert_eq!(Bounds::of(40_000, 1, 1), None);
        assert_eq!(Bounds::of(0, 30, 1).map(|it| it.bandwidth_mbps), Some(0));
    }
}
