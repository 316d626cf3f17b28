//! Bandwidth between the VMs of a virtual datacenter (VDC), and the network that carries it.
//!
//! A VDC is a tenant whose VMs are linked. Every link has a guaranteed bandwidth: the bandwidth per core times the
//! smaller core count of its two VMs. It uses the uplinks on its way: those of the two machines, of their racks if
//! these differ, and of their clusters if those differ. VMs on one machine use none. Links between a rack and the
//! rest use several paths together, so their capacity is one sum, a *cut*. Source: Gridiron sections III-C, III-D and
//! III-E.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use crate::fleet::Fleet;
use crate::ids::{ClusterId, MachineId, RackId};
use crate::resources::share;

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
    /// Which VMs are linked.
    pub topology: Topology,
    /// VMs in one stage of a pipeline, at least 1.
    pub stage_vms: u32,
    /// Bandwidth per core of the smaller VM, in Mbit/s.
    pub bpc_mbps: u32,
}

impl Links {
    /// The bandwidth between two VMs of one VDC, in kbit/s; 0 if they are not linked.
    #[inline]
    #[must_use]
    pub fn kbps(&self, one: Peer, other: Peer) -> u64 {
        // Thousandths of a core times Mbit/s gives kbit/s.
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

/// An endpoint of links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Peer {
    /// Its slot in the VDC: the lowest free one when it arrived.
    pub slot: u32,
    /// Its cores, in thousandths.
    pub cores_milli: u32,
}

/// The uplink capacities of one cluster, in kbit/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uplinks {
    /// All uplinks of one machine to its rack.
    pub machine_kbps: u64,
    /// All uplinks of one rack to the aggregation switches.
    pub rack_kbps: u64,
    /// All uplinks of the cluster's aggregation switches.
    pub cluster_kbps: u64,
}

/// The uplinks that all traffic into or out of a place uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cut {
    /// Of a machine.
    Machine(MachineId),
    /// Of a rack's switch.
    Rack(RackId),
    /// Of a cluster's aggregation switches.
    Cluster(ClusterId),
}

/// Cuts per block of the bounds.
const BLOCK: usize = 64;

/// The free bandwidth of every cut.
#[derive(Clone, Debug)]
pub struct Network {
    first_rack: u32,
    first_cluster: u32,
    capacity_kbps: Arc<[u64]>,
    /// By cut: machines, racks, clusters. Negative if over-reserved.
    free_kbps: Vec<i64>,
    /// The minimum and maximum of each block of machines, and of each block of the cuts above them.
    blocks: Vec<(i64, i64)>,
}

impl Network {
    /// A network without reservations; `uplinks` has those of each cluster, by id.
    ///
    /// # Panics
    /// If there are fewer of them than clusters, which is a bug of ours.
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
        let above = network.cuts() - machines;
        let blocks = network.blocks_of_machines() + (above as usize).div_ceil(BLOCK);
        network.blocks = (0..blocks).map(|block| network.look_at_block(block)).collect();
        network
    }

    /// The number of cuts.
    #[must_use]
    pub fn cuts(&self) -> u32 {
        self.free_kbps.len() as u32
    }

    /// A cut's index among all cuts.
    #[inline]
    #[must_use]
    pub const fn place(&self, cut: Cut) -> u32 {
        match cut {
            Cut::Machine(id) => id.0,
            Cut::Rack(id) => self.first_rack + id.0,
            Cut::Cluster(id) => self.first_cluster + id.0,
        }
    }

    /// The capacity of a cut, in kbit/s.
    #[inline]
    #[must_use]
    pub fn capacity_kbps(&self, cut: Cut) -> u64 {
        self.capacity_kbps[self.place(cut) as usize]
    }

    /// The capacity of the cut at this index, in kbit/s.
    #[must_use]
    pub fn capacity_at(&self, place: u32) -> u64 {
        self.capacity_kbps[place as usize]
    }

    /// The free bandwidth of a cut, in kbit/s; negative if over-reserved.
    #[inline]
    #[must_use]
    pub fn free_kbps(&self, cut: Cut) -> i64 {
        self.free_kbps[self.place(cut) as usize]
    }

    /// The free bandwidth of these machines, in order of id, in kbit/s.
    #[inline]
    #[must_use]
    pub fn free_of_machines(&self, machines: Range<u32>) -> &[i64] {
        &self.free_kbps[machines.start as usize..machines.end as usize]
    }

    /// The reserved bandwidth of a cut, in kbit/s.
    #[inline]
    #[must_use]
    pub fn used_kbps(&self, cut: Cut) -> u64 {
        self.used_at(self.place(cut))
    }

    /// The reserved bandwidth of the cut at this index.
    #[inline]
    #[must_use]
    pub fn used_at(&self, place: u32) -> u64 {
        (self.capacity_kbps[place as usize] as i64 - self.free_kbps[place as usize]) as u64
    }

    /// The reserved share of a cut, at least 0; above 1 if over-reserved, and 1 if its capacity is 0.
    #[inline]
    #[must_use]
    pub fn used_share(&self, cut: Cut) -> f64 {
        let (used, capacity) = (self.used_kbps(cut), self.capacity_kbps(cut));
        if capacity == 0 { 1.0 } else { share(used, capacity) }
    }

    /// Sets the reserved bandwidth of the cut at this index.
    #[inline]
    pub fn set_used(&mut self, place: u32, used_kbps: u64) {
        let free = self.capacity_kbps[place as usize] as i64 - used_kbps as i64;
        let before = core::mem::replace(&mut self.free_kbps[place as usize], free);
        if before != free {
            let block = match place.checked_sub(self.first_rack) {
                Some(above) => self.blocks_of_machines() + above as usize / BLOCK,
                None => place as usize / BLOCK,
            };
            let (least, most) = self.blocks[block];
            let holds = before == least && free > before || before == most && free < before;
            self.blocks[block] = if holds { self.look_at_block(block) } else { (least.min(free), most.max(free)) };
        }
    }

    /// Reserves more of the cut at this index.
    #[inline]
    pub fn reserve(&mut self, place: u32, kbps: u64) {
        self.set_used(place, self.used_at(place) + kbps);
    }

    /// Releases some of the cut at this index.
    ///
    /// # Panics
    /// If it was not reserved, which is a bug of ours.
    #[inline]
    pub fn release(&mut self, place: u32, kbps: u64) {
        let used = self.used_at(place).checked_sub(kbps).expect("what is given back was reserved");
        self.set_used(place, used);
    }

    /// Bounds of the free bandwidth of these machines, possibly including neighbours.
    #[inline]
    #[must_use]
    pub fn range_kbps(&self, machines: Range<u32>) -> (i64, i64) {
        let blocks = &self.blocks[machines.start as usize / BLOCK..(machines.end as usize).div_ceil(BLOCK)];
        blocks.iter().fold((i64::MAX, i64::MIN), |(least, most), it| (least.min(it.0), most.max(it.1)))
    }

    /// The minimum of the free bandwidth of all racks and clusters.
    #[inline]
    #[must_use]
    pub fn least_above_machines_kbps(&self) -> i64 {
        let above = &self.blocks[self.blocks_of_machines()..];
        above.iter().fold(i64::MAX, |least, block| least.min(block.0))
    }

    /// The largest uplink capacity of any machine.
    #[must_use]
    pub fn fattest_kbps(&self) -> u64 {
        self.capacity_kbps[..self.first_rack as usize].iter().copied().max().unwrap_or(0)
    }

    fn blocks_of_machines(&self) -> usize {
        (self.first_rack as usize).div_ceil(BLOCK)
    }

    fn look_at_block(&self, block: usize) -> (i64, i64) {
        let (machines, above) = self.free_kbps.split_at(self.first_rack as usize);
        let (those, nth) = match block.checked_sub(self.blocks_of_machines()) {
            Some(nth) => (above, nth),
            None => (machines, block),
        };
        let those = &those[nth * BLOCK..those.len().min((nth + 1) * BLOCK)];
        those.iter().fold((i64::MAX, i64::MIN), |(least, most), it| (least.min(*it), most.max(*it)))
    }
}

/// A VM of a VDC and its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// The machine.
    pub machine: MachineId,
    /// The VM as an endpoint of links.
    pub peer: Peer,
}

/// The bandwidth of one VM's links to the others of its VDC, depending on where those are, in kbit/s.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// How VMs are linked.
    pub links: Links,
    /// The VM itself.
    pub me: Peer,
    /// Whether to treat uplinks of racks and clusters as free. They never are; this is used to find which uplinks
    /// block a VM.
    pub of_machines_alone: bool,
    /// The sum of its links.
    pub total_kbps: u64,
    /// The largest of them.
    pub largest_kbps: u64,
    machines: Vec<(MachineId, u64)>,
    racks: Vec<(RackId, u64)>,
    clusters: Vec<(ClusterId, u64)>,
}

impl Needs {
    /// For a VM without links.
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

    /// Whether no link needs bandwidth.
    #[inline]
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.total_kbps == 0
    }

    /// Clears all data.
    pub fn clear(&mut self) {
        (self.total_kbps, self.largest_kbps) = (0, 0);
        self.machines.clear();
        self.racks.clear();
        self.clusters.clear();
    }

    /// Computes the needs of a VM with these others, which are in order of their machines.
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
        }
        for (rack, kbps) in &self.racks {
            add(&mut self.clusters, fleet.cluster_of_rack(*rack), *kbps);
        }
    }

    /// The bandwidth of a cut that it would use from behind it: its links to VMs outside.
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

    /// The locations of the VMs it is linked with, and the bandwidth of its links to those behind each cut: machines,
    /// racks, clusters.
    pub fn places(&self) -> impl Iterator<Item = (Cut, u64)> + '_ {
        let racks = places(&self.racks, None, Cut::Rack);
        places(&self.machines, None, Cut::Machine).chain(racks).chain(places(&self.clusters, None, Cut::Cluster))
    }

    /// Every cut that its links use if it is on this machine, and how much. As a chain of four, it is faster through
    /// `for_each` than through a loop, `extend` or `collect`, which ask at each step which part is next.
    pub fn cuts(&self, fleet: &Fleet, machine: MachineId) -> impl Iterator<Item = (Cut, u64)> + '_ {
        let (rack, cluster) = (fleet.rack_of(machine), fleet.cluster_of(machine));
        let own = around(fleet, machine).map(|cut| (cut, self.behind(cut)));
        let machines = places(&self.machines, Some(machine), Cut::Machine);
        let racks = places(&self.racks, Some(rack), Cut::Rack);
        let clusters = places(&self.clusters, Some(cluster), Cut::Cluster);
        own.into_iter().filter(|(_, kbps)| *kbps > 0).chain(machines).chain(racks).chain(clusters)
    }
}

/// These sums as cuts, except that of one place.
#[inline]
fn places<Id: Copy + PartialEq>(
    sums: &[(Id, u64)],
    except: Option<Id>,
    cut: impl Fn(Id) -> Cut,
) -> impl Iterator<Item = (Cut, u64)> {
    sums.iter().filter(move |(id, _)| Some(*id) != except).map(move |(id, kbps)| (cut(*id), *kbps))
}

/// The cuts around a machine.
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

/// Why the network has no capacity for a VM (Gridiron section III-D).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bottleneck {
    /// One link alone exceeds the largest uplink of any machine.
    Link,
    /// All links of one VM exceed the free uplink of its machine.
    Peering,
    /// The links of several VMs of the VDC on one machine exceed its free uplink.
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

    /// All of them, in the order in which they are checked.
    pub const ALL: [Self; 4] = [Self::Link, Self::Peering, Self::Colocation, Self::Elsewhere];

    /// Display text.
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

/// The bandwidth that links of VDCs may have so that an empty datacenter can hold each VDC: Gridiron's equations 1 to
/// 3, for all-to-all VDCs, which are the worst case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// No link may exceed the largest uplink of a machine, in Mbit/s.
    pub link_mbps: u64,
    /// The limit for a machine's uplink to hold the links of one VM to all others.
    pub peering_mbps: u64,
    /// The limit for it to hold the links of VMs that share the machine to all others.
    pub colocation_mbps: u64,
    /// The smallest of the three: bandwidth that is possible for every link.
    pub bandwidth_mbps: u64,
    /// Which of them that is; of equal ones, the first.
    pub binding: Bottleneck,
    /// The worst-case number of links across one uplink.
    pub links_crossing: u64,
}

impl Bounds {
    /// For `capacity_mbps` on the largest uplink, at most `vms` concurrent VMs in a VDC and at most `colocated` of
    /// them on one machine. `None` if a VDC has fewer than two VMs, and so no link.
    #[must_use]
    pub fn of(capacity_mbps: u64, vms: u32, colocated: u32) -> Option<Self> {
        let vms = u64::from(vms);
        let others = vms.checked_sub(1).filter(|others| *others > 0)?;
        // d VMs on one machine have d (P - d) links to the others; half of the VMs have most.
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

    /// The possible bandwidth per core for the largest VMs, in Mbit/s.
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
        zone([(70, 7), (30, 2)])
    }

    /// Clusters of so many machines and racks.
    fn zone(clusters: [(u32, u32); 2]) -> Fleet {
        let spec = |(machines, racks)| ClusterSpec {
            name: "c".into(),
            machines,
            racks,
            capacity: Resources::new(8, 8, 0, 0),
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        Fleet::build(&clusters.map(spec)).expect("a fleet")
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
    fn blocks_bound_what_their_cuts_have_left() {
        let fleet = zone([(60, 30), (110, 90)]);
        let uplinks = Uplinks { machine_kbps: 100, rack_kbps: 500, cluster_kbps: 900 };
        let mut network = Network::idle(&fleet, &[uplinks, Uplinks { machine_kbps: 50, ..uplinks }]);
        let stream = Seed(4).stream("network test");
        let mut used = vec![0; network.cuts() as usize];
        for step in 0..5_000 {
            let place = pick(stream.draw(step, 0), network.cuts());
            used[place as usize] = u64::from(pick(stream.draw(step, 1), 130));
            network.set_used(place, used[place as usize]);
            let free = |place: u32| network.capacity_at(place) as i64 - used[place as usize] as i64;
            let bounds = |places: Range<u32>| (places.clone().map(free).min(), places.map(free).max());
            for machines in [0..64, 64..128, 0..170] {
                let (least, most) = network.range_kbps(machines.clone());
                assert_eq!((Some(least), Some(most)), bounds(machines), "step {step}");
            }
            assert_eq!(Some(network.least_above_machines_kbps()), bounds(170..network.cuts()).0, "step {step}");
        }
        assert!((0..network.cuts()).all(|place| network.used_at(place) == used[place as usize]));
        assert_eq!(network.fattest_kbps(), 100);
        network.reserve(3, 7);
        network.release(3, 7 + used[3]);
        assert_eq!(network.used_share(Cut::Machine(MachineId(3))), 0.0);
    }

    /// Gridiron sections III-E and IV, and the consequences for other limits on co-location.
    #[test]
    fn bounds_are_those_of_the_paper() {
        for (vms, colocated, bandwidth, binding) in [
            (30, u32::MAX, 177, Bottleneck::Colocation),
            (30, 15, 177, Bottleneck::Colocation),
            (30, 29, 177, Bottleneck::Colocation), // More than half together are not worse than half.
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
