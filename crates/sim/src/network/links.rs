//! Links between the VMs of virtual datacenters during a run: which VMs are linked, the bandwidth that they use, and
//! why VMs were refused (Gridiron section III-D).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tiebreak_model::{
    Bottleneck, Cut, Footprint, Links, MachineId, Needs, Occupancy, Peer, RackId, Resource, Time, VmId, VmShape,
    Workload,
};
use tiebreak_placement::Blocked;

use super::vdc;
use crate::system::{Arrival, Stay, System};

/// The links of a run and their effects.
pub(crate) struct LinkBook {
    links: Links,
    /// The slot of each VM in its VDC.
    slots: Vec<u32>,
    /// Where the VMs of each tenant are, as endpoints of links.
    footprints: BTreeMap<u64, Footprint>,
    /// All links between placed VMs, in kbit/s.
    demand_kbps: u64,
    /// What blocked the VMs for which the network had no capacity.
    blocked: BTreeMap<VmId, Blocked>,
    /// The bandwidth of each cut that the last VM to arrive or leave uses, by index.
    moved: Vec<(u32, u64)>,
    /// A reusable buffer, so that no memory is allocated.
    needs: Needs,
}

/// The bandwidth of links at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkSample {
    /// All links between placed VMs, in kbit/s.
    pub demand_kbps: u64,
    /// Those between machines, in kbit/s.
    pub crossing_kbps: u64,
    /// The reserved share of all machines' uplinks, 0 to 1.
    pub machines_used: f64,
    /// The reserved share of all racks' uplinks, 0 to 1.
    pub racks_used: f64,
    /// The largest reserved share of any uplink.
    pub fullest: f64,
}

impl LinkBook {
    /// For a workload of which no VM is placed yet.
    pub(crate) fn new(links: Links, workload: &Workload) -> Self {
        Self {
            links,
            slots: vdc::slots(workload),
            footprints: BTreeMap::new(),
            demand_kbps: 0,
            blocked: BTreeMap::new(),
            moved: Vec::new(),
            needs: Needs::default(),
        }
    }

    /// How VMs of one tenant are linked.
    pub(crate) fn links(&self) -> &Links {
        &self.links
    }

    /// A VM as an endpoint of links.
    pub(crate) fn peer(&self, vm: VmId, shape: &VmShape) -> Peer {
        Peer { slot: self.slots[vm.index()], cores_milli: shape.demand[Resource::Cores] }
    }

    /// Where a tenant's VMs are, if it has any.
    pub(crate) fn footprint(&self, tenant: u64) -> Option<&Footprint> {
        self.footprints.get(&tenant)
    }

    /// Where the VMs of all tenants are.
    #[cfg(test)]
    pub(crate) fn footprints(&self) -> impl Iterator<Item = &Footprint> {
        self.footprints.values()
    }

    /// The bandwidth of each cut that the last VM to arrive or leave uses, by index: to be reserved or released.
    pub(crate) fn moved(&self) -> &[(u32, u64)] {
        &self.moved
    }

    /// Records that a VM was refused, for this reason or for lack of capacity.
    pub(crate) fn note_refusal(&mut self, vm: VmId, blocked: Option<Blocked>) {
        match blocked {
            Some(blocked) => self.blocked.insert(vm, blocked),
            None => self.blocked.remove(&vm),
        };
    }

    /// What blocked a VM that was last refused because of the network although machines had room.
    pub(crate) fn blocked(&self, vm: VmId) -> Option<Blocked> {
        self.blocked.get(&vm).copied()
    }

    /// The same as a category.
    pub(crate) fn bottleneck(&self, vm: VmId) -> Option<Bottleneck> {
        self.blocked(vm).map(|blocked| blocked.by)
    }

    /// Computes the bandwidth of each cut that `needs` use with the VM on its machine.
    fn find_moved(&mut self, stay: &Stay<'_>) {
        self.moved.clear();
        if let Some(network) = stay.zone.network() {
            let cuts = self.needs.cuts(stay.fleet(), stay.machine);
            cuts.for_each(|(cut, kbps)| self.moved.push((network.place(cut), kbps)));
        }
    }
}

impl System for LinkBook {
    type Sample = Option<LinkSample>;
    type Summary = ();

    /// A VM joins its VDC, and its links use bandwidth.
    fn come(&mut self, Arrival { stay, .. }: &Arrival<'_>) {
        let peer = self.peer(stay.vm, stay.shape());
        let footprint = self.footprints.entry(stay.tenant()).or_default();
        self.needs.fill(stay.fleet(), &self.links, peer, footprint.members());
        self.demand_kbps += self.needs.total_kbps;
        footprint.join(stay.machine, peer);
        self.find_moved(stay);
    }

    /// A VM leaves its VDC, and its links release their bandwidth.
    fn leave(&mut self, stay: &Stay<'_>) {
        let (tenant, peer) = (stay.tenant(), self.peer(stay.vm, stay.shape()));
        let footprint = self.footprints.get_mut(&tenant).expect("its tenant has VMs");
        footprint.part(stay.machine, peer);
        self.needs.fill(stay.fleet(), &self.links, peer, footprint.members());
        self.demand_kbps -= self.needs.total_kbps;
        if footprint.is_empty() {
            self.footprints.remove(&tenant);
        }
        self.find_moved(stay);
    }

    /// The current bandwidth of links.
    fn sample(&mut self, _: Time, occupancy: &Occupancy) -> Option<LinkSample> {
        let (network, fleet) = (occupancy.network()?, occupancy.fleet());
        let sums = |cuts: &mut dyn Iterator<Item = Cut>| {
            cuts.fold((0, 0, 0.0_f64), |(used, all, most), cut| {
                let share = if network.used_kbps(cut) == 0 { 0.0 } else { network.used_share(cut) };
                (used + network.used_kbps(cut), all + network.capacity_kbps(cut), most.max(share))
            })
        };
        let machines = sums(&mut (0..fleet.machine_count()).map(|id| Cut::Machine(MachineId(id))));
        let racks = sums(&mut (0..fleet.rack_count()).map(|id| Cut::Rack(RackId(id))));
        let share = |(used, all, _): (u64, u64, f64)| if all == 0 { 0.0 } else { used as f64 / all as f64 };
        Some(LinkSample {
            demand_kbps: self.demand_kbps,
            crossing_kbps: machines.0 / 2,
            machines_used: share(machines),
            racks_used: share(racks),
            fullest: machines.2.max(racks.2),
        })
    }

    fn summary(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidents::fail_machines::FailMachines;
    use crate::incidents::maintain_by_migration::MaintainByMigration;
    use crate::network::vdc::{Linking, Vdcs};
    use crate::observation::metrics::index_of;
    use crate::record::disruption::{Fate, Reason};
    use crate::world::World;
    use crate::world::trial::{Trial, incident};
    use tiebreak_model::{Declared, Resources, Topology, Uplinks};

    /// Every VM linked with all others of its tenant, 1 Mbit/s for each core.
    fn all_to_all() -> Vdcs {
        Vdcs { topology: Linking(Some(Topology::AllToAll)), bpc_mbps: 1, ..Vdcs::default() }
    }

    /// The uplink capacity of a machine, a rack and a cluster, in Mbit/s.
    fn uplinks(machine: u64, rack: u64, cluster: u64) -> Uplinks {
        Uplinks { machine_kbps: machine * 1_000, rack_kbps: rack * 1_000, cluster_kbps: cluster * 1_000 }
    }

    /// This much per machine, and ample capacity above.
    fn of_machines(mbps: u64) -> Uplinks {
        uplinks(mbps, 1_000, 1_000)
    }

    /// Clusters of this many machines of 4 cores in one rack, filled from the first on as far as bandwidth allows.
    fn zone(machines: &[u32], each: &[Uplinks]) -> Trial {
        let mut trial = Trial::new(machines[0], 1).rule("IsClusterBelowLimit", &[100.0]);
        trial.rules.retain(|rule| rule.id != "PreferEmptierClusters");
        machines[1..].iter().for_each(|machines| trial.add_cluster(*machines, 1));
        trial.rule("BandwidthAvailable", &[]).rule("FirstFit", &[]).linked(all_to_all(), each)
    }

    /// The reserved bandwidth of the first machines' uplinks, in Mbit/s.
    fn reserved(world: &World, machines: u32) -> Vec<u64> {
        let network = world.occupancy().network().expect("VMs are linked");
        (0..machines).map(|id| network.used_kbps(Cut::Machine(MachineId(id))) / 1_000).collect()
    }

    /// Placed, refused for lack of capacity, and refused for each reason of [`Bottleneck::ALL`].
    fn answers(world: &World) -> (u64, u64, [u64; 4]) {
        let counters = world.summary().counters;
        (counters.placements, counters.refused_by_room, counters.refused_by_network)
    }

    #[test]
    fn a_vm_that_leaves_gives_back_what_its_links_took() {
        // Two share the first machine, the third is alone with a VM of another tenant.
        let trial = zone(&[2], &[of_machines(10)]);
        let trial = trial.vdc(1, 1, 2, (1, 30)).vdc(1, 1, 2, (2, 60)).vdc(1, 1, 2, (3, 40)).vms(1, 1, (4, 50));
        for (at, expected) in [(2, [0, 0]), (3, [0, 0]), (4, [4, 4]), (29, [4, 4]), (30, [2, 2]), (40, [0, 0])] {
            assert_eq!(reserved(&trial.at(at, &[]), 2), expected, "minute {at}");
        }
        assert_eq!(answers(&trial.run(&[])), (4, 0, [0; 4]));
    }

    #[test]
    fn live_migration_takes_reservations_along_and_stays_where_they_fit() {
        // Two linked VMs fill the first two machines; only the other cluster has room for either.
        let all = MaintainByMigration { share: 100.0, machines_at_once: 1, ..MaintainByMigration::from_values(&[]) };
        for (elsewhere_mbps, migrates) in [(3, true), (2, false), (0, false)] {
            let trial = zone(&[2, 2], &[of_machines(3), of_machines(elsewhere_mbps)]).vdc(1, 2, 3, (1, 2_000));
            let world = trial.run(&[incident(60, &all)]);
            let moved = world.disruptions().iter().filter(|it| matches!(it.reason, Reason::Migrated(_))).count();
            assert_eq!(moved > 0, migrates, "{elsewhere_mbps} Mbit/s");
            assert_eq!(world.summary().counters.lost_vms, 0, "{elsewhere_mbps} Mbit/s");
            let stand: Vec<_> = [0, 1].map(|vm| world.placement(VmId(vm)).expect("it stands").0.index()).into();
            let expected: Vec<_> = (0..4).map(|id| if stand.contains(&id) { 3 } else { 0 }).collect();
            assert_eq!(reserved(&world, 4), expected, "{elsewhere_mbps} Mbit/s");
        }
    }

    #[test]
    fn vms_of_a_failed_machine_find_another_only_where_their_links_fit() {
        // Two linked VMs on two of three machines; the third has these uplinks. The publishing delay of the bandwidth
        // released by the VM's own links does not matter.
        let fail = incident(60, &FailMachines { machines: 1, racks: 0, down_minutes: 2_000.0 });
        for (elsewhere_mbps, publish_ms, found) in [(3, 0, true), (3, 60_000, true), (2, 0, false), (2, 60_000, false)]
        {
            let mut trial = zone(&[2, 1], &[of_machines(3), of_machines(elsewhere_mbps)]).vdc(1, 2, 3, (1, 2_000));
            trial.agents.publish_ms = publish_ms;
            let world = trial.run(core::slice::from_ref(&fail));
            let [lost] = world.disruptions() else { panic!("one VM stood on the machine that fails") };
            assert_eq!(matches!(world.fate(lost.vm), Some(Fate::Lost { .. })), !found, "{elsewhere_mbps} Mbit/s");
            let sum: u64 = reserved(&world, 3).iter().sum();
            assert_eq!(sum, if found { 6 } else { 0 }, "{elsewhere_mbps} Mbit/s");
        }
    }

    #[test]
    fn agents_that_both_saw_an_uplink_free_conflict_and_one_is_refused() {
        // Three VMs fill the first machine. In the same minute two of them each get a peer, and the second machine
        // has room for both; its uplink and that of the first have capacity for this many links.
        for (mbps, placed, conflicts) in [(2, 5, false), (1, 4, true)] {
            let trial = zone(&[2], &[of_machines(mbps)]).vdc(1, 1, 1, (1, 90)).vdc(2, 1, 1, (2, 90));
            let mut trial = trial.vms(1, 2, (3, 90)).vdc(1, 1, 1, (60, 90)).vdc(2, 1, 1, (60, 90));
            trial.agents.count = 2;
            let world = trial.run(&[]);
            let refused = [0, 5 - placed, 0, 0];
            assert_eq!(answers(&world), (placed, 0, refused), "{mbps} Mbit/s");
            assert_eq!(world.summary().conflicts > 0, conflicts, "{mbps} Mbit/s");
        }
    }

    #[test]
    fn a_request_of_several_vms_is_taken_whole_or_not_at_all() {
        // Three VMs, each too large to share a machine: with these uplinks one, two, or all links of a VM fit.
        for (mbps, one_by_one, placed) in
            [(2, true, 1), (3, true, 2), (6, true, 3), (2, false, 0), (3, false, 0), (5, false, 0), (6, false, 3)]
        {
            let vdcs = Vdcs { one_by_one, ..all_to_all() };
            let trial = zone(&[3], &[of_machines(mbps)]).linked(vdcs, &[of_machines(mbps)]).vdc(1, 3, 3, (1, 60));
            let world = trial.run(&[]);
            let (some, by_room, by_network) = answers(&world);
            let refused: u64 = by_network.iter().sum();
            assert_eq!((some, by_room, refused), (placed, 0, 3 - placed), "{mbps} Mbit/s, one by one {one_by_one}");
            let each = 3 * placed.saturating_sub(1);
            let expected: Vec<_> = (0..3).map(|id| if id < placed { each } else { 0 }).collect();
            assert_eq!(reserved(&trial.at(30, &[]), 3), expected, "{mbps} Mbit/s, one by one {one_by_one}");
        }
    }

    #[test]
    fn what_is_too_little_or_too_much_is_told_so() {
        let (plain, most) = (all_to_all(), Vdcs { bpc_mbps: 1_000_000, peak_vms: 0, ..all_to_all() });
        let (none, thin) = (Vdcs { bpc_mbps: 0, ..plain }, uplinks(0, 0, 0));
        let wide = uplinks(6_400_000_000, 25_600_000_000, 25_600_000_000);
        let (no_racks, no_clusters) = (uplinks(99, 0, 99), uplinks(99, 99, 0));
        type Case<'a> = (&'a str, Vdcs, Uplinks, (u32, u32, u32), u32, (u64, u64, [u64; 4]));
        let cases: [Case<'_>; 9] = [
            // Clusters, racks and machines of each; VMs of 3 cores, so one per machine.
            ("a VDC of one VM", plain, thin, (1, 1, 3), 1, (1, 0, [0; 4])),
            ("nothing for a core", none, thin, (1, 1, 3), 3, (3, 0, [0; 4])),
            ("no uplinks", plain, thin, (1, 1, 3), 3, (1, 0, [2, 0, 0, 0])),
            ("the most for a core", most, wide, (1, 1, 40), 40, (40, 0, [0; 4])),
            ("the most and plain uplinks", most, of_machines(40_000), (1, 1, 3), 3, (1, 0, [2, 0, 0, 0])),
            ("racks without uplinks", plain, no_racks, (1, 2, 4), 4, (2, 0, [0, 0, 0, 2])),
            ("racks with them", plain, uplinks(99, 99, 99), (1, 2, 4), 4, (4, 0, [0; 4])),
            ("clusters without uplinks", plain, no_clusters, (2, 1, 2), 4, (2, 0, [0, 0, 0, 2])),
            ("more VMs than machines", plain, uplinks(99, 99, 99), (1, 1, 2), 4, (2, 2, [0; 4])),
        ];
        for (name, vdcs, each, (clusters, racks, machines), vms, expected) in cases {
            let mut trial = Trial::new(machines, racks).rule("IsClusterBelowLimit", &[100.0]);
            (1..clusters).for_each(|_| trial.add_cluster(machines, racks));
            let uplinks = alloc::vec![each; clusters as usize];
            let trial = trial.rule("BandwidthAvailable", &[]).linked(vdcs, &uplinks).vdc(1, vms, 3, (1, 60));
            assert_eq!(answers(&trial.run(&[])), expected, "{name}");
            // Every link is between machines: 3 cores times the bandwidth per core.
            let (placed, bpc) = (expected.0, u64::from(vdcs.bpc_mbps));
            let sample = |at| trial.at(at, &[]).series().values(index_of("LinkDemand").expect("a metric")).to_vec();
            let gbps = (3 * bpc * placed * (placed - 1) / 2) as f64 / 1e3;
            assert_eq!(sample(30).last(), Some(&gbps), "{name}");
        }
    }

    /// Machines of 10,000 cores, the maximum, and links with the maximum bandwidth per core.
    #[test]
    fn the_largest_links_are_counted_in_full() {
        let vdcs = Vdcs { bpc_mbps: 1_000_000, ..all_to_all() };
        let mut trial = zone(&[30], &[]).linked(vdcs, &[uplinks(u64::from(u32::MAX) * 1_000, 0, 0)]);
        trial.clusters[0].capacity = Resources::new(10_000_000, 20_480_000, 0, 0);
        let trial = trial.vdc(1, 30, 10_000, (1, 60));
        assert_eq!(answers(&trial.run(&[])), (30, 0, [0; 4]));
        assert_eq!(reserved(&trial.at(30, &[]), 1), [29 * 10_000 * 1_000_000]);
    }

    #[test]
    fn a_cap_larger_than_any_vdc_changes_nothing() {
        let trial = zone(&[3], &[of_machines(4)]).vdc(1, 6, 1, (1, 60)).vdc(2, 6, 1, (2, 60));
        let plain = trial.run(&[]);
        for (cap, same) in [(1.0, false), (6.0, true), (10_000.0, true)] {
            let capped = trial.clone().rule("CapsColocation", &[cap]);
            // The cap is above FirstFit, which stays last.
            let capped = capped.rule("FirstFit", &[]).run(&[]);
            assert_eq!(capped.summary().digest == plain.summary().digest, same, "at most {cap} VMs");
        }
    }
}
