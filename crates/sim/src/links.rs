//! Links between the VMs of virtual datacenters during a run: who is linked, what that takes of the
//! network, and what was in the way of those that were refused (Gridiron section III-D).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tiebreak_model::{
    Bottleneck, Cut, Footprint, Growth, Links, MachineId, Needs, Occupancy, Peer, RackId, Resource, Scene, ShapeId,
    TenantSize, VmId, VmRequest, VmShape,
};
use tiebreak_placement::{Blocked, Draw, Request};

use crate::plan::Plan;
use crate::vdc;
use crate::world::World;

/// The tenant whose request is being decided.
#[derive(Default)]
pub(crate) struct Asking {
    pub(crate) size: TenantSize,
    pub(crate) footprint: Footprint,
    /// The VM being decided as an end of links, and what these take; none where VMs are not linked.
    peer: Option<Peer>,
    needs: Needs,
    /// What deployments will grow to, where a rule asks.
    pub(crate) growth: Option<Growth>,
    /// Whether it begins a deployment, so that rules about admission are asked.
    pub(crate) is_new: bool,
}

impl Asking {
    /// Nobody yet, where deployments will grow to this.
    pub(crate) fn about(growth: Option<Growth>) -> Self {
        Self { growth, ..Self::default() }
    }

    /// One of its VMs as rules read it. A VM that asks for nothing is like any other such VM,
    /// even where its tenant's others do.
    pub(crate) fn request(&self, shape: VmShape) -> VmRequest {
        let alone = VmRequest::alone(shape);
        if shape.terms.is_none() { alone } else { VmRequest { tenant: self.size, ..alone } }
    }

    /// Where the tenant's VMs stand, as rules about one of them see it.
    fn footprint(&self, shape: &VmShape) -> &Footprint {
        if shape.terms.is_none() && self.peer.is_none() { Footprint::NONE } else { &self.footprint }
    }

    fn growth(&self) -> Option<&Growth> {
        self.growth.as_ref().filter(|_| self.is_new)
    }

    /// What a decision about one of its VMs looks at.
    pub(crate) fn scene<'a>(&'a self, occupancy: &'a Occupancy, shape: &VmShape) -> Scene<'a> {
        Scene { occupancy, footprint: self.footprint(shape), needs: &self.needs, growth: self.growth() }
    }

    /// One of its VMs to find a machine for.
    pub(crate) fn to_place<'a>(&'a self, shape: ShapeId, vm: &'a VmRequest, draw: Draw) -> Request<'a> {
        Request { shape, vm, footprint: self.footprint(&vm.shape), needs: &self.needs, growth: self.growth(), draw }
    }

    /// Where the others of the VM's VDC stand, and what its links to them take.
    pub(crate) fn company(&self) -> (Footprint, Needs) {
        (self.footprint.clone(), self.needs.clone())
    }

    /// The VM being decided has a machine.
    pub(crate) fn assign(&mut self, machine: MachineId, shape: &VmShape) {
        match self.peer {
            Some(peer) => self.footprint.join(machine, peer),
            None if shape.terms.is_none() => return,
            None => self.footprint.add(machine),
        }
        self.size.placed += 1;
    }

    /// The VM being decided is about to leave a machine.
    pub(crate) fn leave(&mut self, machine: MachineId, shape: &VmShape) {
        match self.peer {
            Some(peer) => self.footprint.part(machine, peer),
            None if shape.terms.is_none() => return,
            None => self.footprint.remove(machine),
        }
        self.size = TenantSize { placed: self.size.placed - 1, wanted: self.size.wanted - 1 };
    }
}

/// Who is linked with whom, and what came of it.
pub(crate) struct LinkBook {
    links: Links,
    /// The slot of each VM in its VDC.
    slots: Vec<u32>,
    /// All links of VMs that stand somewhere, in kbit/s.
    demand_kbps: u64,
    /// What was in the way of VMs that the network had no room for.
    blocked: BTreeMap<VmId, Blocked>,
}

/// What links take at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkSample {
    /// All links of VMs that stand somewhere, in kbit/s.
    pub demand_kbps: u64,
    /// Those of them between machines, in kbit/s.
    pub crossing_kbps: u64,
    /// The reserved share of all machines' uplinks, 0 to 1.
    pub machines_used: f64,
    /// The reserved share of all racks' uplinks, 0 to 1.
    pub racks_used: f64,
    /// The largest reserved share of any uplink.
    pub fullest: f64,
}

impl LinkBook {
    pub(crate) fn new(links: Links, plan: &Plan) -> Self {
        Self { links, slots: vdc::slots(&plan.workload), demand_kbps: 0, blocked: BTreeMap::new() }
    }

    fn peer(&self, vm: VmId, shape: &VmShape) -> Peer {
        Peer { slot: self.slots[vm.index()], cores_milli: shape.demand[Resource::Cores] }
    }

    /// A VM was refused, because of this or for want of room.
    pub(crate) fn note_refusal(&mut self, vm: VmId, blocked: Option<Blocked>) {
        match blocked {
            Some(blocked) => self.blocked.insert(vm, blocked),
            None => self.blocked.remove(&vm),
        };
    }

    /// What was in the way of a VM that was refused last.
    pub(crate) fn blocked(&self, vm: VmId) -> Option<Bottleneck> {
        self.blocked.get(&vm).map(|blocked| blocked.by)
    }

    /// What links take now.
    pub(crate) fn sample(&self, occupancy: &Occupancy) -> Option<LinkSample> {
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
}

impl World {
    /// A tenant begins to ask for this VM: what its links to the others take, wherever they stand.
    pub(crate) fn ask_for(&mut self, vm: VmId) {
        let Some(book) = self.links.as_ref() else { return };
        let peer = book.peer(vm, self.plan.workload.shape_of_vm(vm));
        let Asking { footprint, needs, .. } = &mut self.asking;
        needs.fill(self.plan.fleet(), &book.links, peer, footprint.members());
        self.asking.peer = Some(peer);
    }

    /// An agent that is to find another machine for a VM is told what is reserved of the uplinks that the VM's links
    /// took: its view may be older, and they would be in their own way.
    pub(crate) fn tell_what_it_gave_back(&mut self, agent: u32, vm: VmId) {
        if self.links.is_none() {
            return;
        }
        let lost = self.disruptions().iter().rfind(|it| it.vm == vm).expect("it lost its machine");
        let from = lost.from;
        self.ask_for(vm);
        let cuts = self.cuts(from);
        self.agents[agent as usize].told_cuts(&self.store, &cuts);
    }

    /// What the VM being asked for takes of each cut, by place, when it stands on a machine.
    pub(crate) fn cuts(&self, machine: MachineId) -> Vec<(u32, u64)> {
        self.places_of(&self.asking.needs, machine)
    }

    fn places_of(&self, needs: &Needs, machine: MachineId) -> Vec<(u32, u64)> {
        let Some(network) = self.store.occupancy().network() else { return Vec::new() };
        needs.cuts(self.plan.fleet(), machine).map(|(cut, kbps)| (network.place(cut), kbps)).collect()
    }

    /// A VM joins its VDC on a machine, and its links take what they need.
    pub(crate) fn join(&mut self, vm: VmId, machine: MachineId) {
        let Some((tenant, peer)) = self.linked(vm) else { return };
        let footprint = self.tenants.entry(tenant).or_default();
        let mut needs = core::mem::take(&mut self.spare.needs);
        if let Some(book) = &mut self.links {
            needs.fill(&self.plan.fleet, &book.links, peer, footprint.members());
            book.demand_kbps += needs.total_kbps;
        }
        footprint.join(machine, peer);
        self.shift(needs, machine, true);
    }

    /// A VM leaves its VDC, and its links give back what they took.
    pub(crate) fn part(&mut self, vm: VmId, machine: MachineId) {
        let Some((tenant, peer)) = self.linked(vm) else { return };
        let footprint = self.tenants.get_mut(&tenant).expect("its tenant has VMs");
        footprint.part(machine, peer);
        let mut needs = core::mem::take(&mut self.spare.needs);
        if let Some(book) = &mut self.links {
            needs.fill(&self.plan.fleet, &book.links, peer, footprint.members());
            book.demand_kbps -= needs.total_kbps;
        }
        if footprint.is_empty() {
            self.tenants.remove(&tenant);
        }
        self.shift(needs, machine, false);
    }

    fn linked(&self, vm: VmId) -> Option<(u64, Peer)> {
        let (book, workload) = (self.links.as_ref()?, &self.plan.workload);
        Some((workload.tenant(workload.request_of(vm)), book.peer(vm, workload.shape_of_vm(vm))))
    }

    fn shift(&mut self, needs: Needs, machine: MachineId, comes: bool) {
        let mut cuts = core::mem::take(&mut self.spare.cuts);
        cuts.clear();
        if let Some(network) = self.store.occupancy().network() {
            cuts.extend(needs.cuts(self.plan.fleet(), machine).map(|(cut, kbps)| (network.place(cut), kbps)));
        }
        if self.is_warming() {
            self.store.shift_unpublished(&cuts, comes);
            if let Some(network) = self.agents[0].allocator.view_mut().network_mut() {
                for (place, kbps) in &cuts {
                    if comes { network.reserve(*place, *kbps) } else { network.release(*place, *kbps) }
                }
            }
        } else {
            self.store.shift_links(self.now, &cuts, comes);
        }
        (self.spare.needs, self.spare.cuts) = (needs, cuts);
    }

    /// What was in the way of a VM that was refused, where machines had room for it and the network had
    /// not.
    #[must_use]
    pub fn blocked(&self, vm: VmId) -> Option<Blocked> {
        self.links.as_ref().and_then(|book| book.blocked.get(&vm).copied())
    }

    /// Whether other VMs of a VM's VDC stand anywhere.
    pub(crate) fn has_peers(&self, vm: VmId) -> bool {
        let footprint = self.linked(vm).and_then(|(tenant, _)| self.tenants.get(&tenant));
        footprint.is_some_and(|footprint| footprint.members().len() > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disruptions::{Fate, Reason};
    use crate::incidents::fail_machines::FailMachines;
    use crate::incidents::maintain_by_migration::MaintainByMigration;
    use crate::incidents::trial::{Trial, incident};
    use crate::metrics::index_of;
    use crate::vdc::{Linking, Vdcs};
    use tiebreak_model::{Declared, Resources, Topology, Uplinks};

    /// Every VM linked with all others of its tenant, 1 Mbit/s for each core.
    fn all_to_all() -> Vdcs {
        Vdcs { topology: Linking(Some(Topology::AllToAll)), bpc_mbps: 1, ..Vdcs::default() }
    }

    /// What a machine, a rack and a cluster carry, in Mbit/s.
    fn uplinks(machine: u64, rack: u64, cluster: u64) -> Uplinks {
        Uplinks { machine_kbps: machine * 1_000, rack_kbps: rack * 1_000, cluster_kbps: cluster * 1_000 }
    }

    /// As much as anybody asks for above this much for a machine.
    fn of_machines(mbps: u64) -> Uplinks {
        uplinks(mbps, 1_000, 1_000)
    }

    /// Clusters of so many machines of 4 cores in one rack, filled from the first on as far as bandwidth goes.
    fn zone(machines: &[u32], each: &[Uplinks]) -> Trial {
        let mut trial = Trial::new(machines[0], 1).rule("IsClusterBelowLimit", &[100.0]);
        trial.rules.retain(|rule| rule.id != "PreferEmptierClusters");
        machines[1..].iter().for_each(|machines| trial.add_cluster(*machines, 1));
        trial.rule("BandwidthAvailable", &[]).rule("FirstFit", &[]).linked(all_to_all(), each)
    }

    /// What is reserved of the uplinks of the first machines, in Mbit/s.
    fn reserved(world: &World, machines: u32) -> Vec<u64> {
        let network = world.occupancy().network().expect("VMs are linked");
        (0..machines).map(|id| network.used_kbps(Cut::Machine(MachineId(id))) / 1_000).collect()
    }

    /// Placed, and refused for want of room, and as [`Bottleneck::ALL`] has it.
    fn answers(world: &World) -> (u64, u64, [u64; 4]) {
        let counters = world.summary().counters;
        (counters.placements, counters.refused_by_room, counters.refused_by_network)
    }

    #[test]
    fn a_vm_that_leaves_gives_back_what_its_links_took() {
        // Two share the first machine, the third stands alone, and a stranger beside it.
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
        // Two linked VMs on two machines of three; the third has these uplinks. It does not matter how late agents learn of
        // the bandwidth that the links of the VM in question gave back.
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
        // Three VMs fill the first machine. In one minute a peer of each of two comes, and the second machine has room for
        // both; its uplink and that of the first bear these many links.
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
            // Clusters, racks and machines of each; VMs of 3 cores, so one for each machine.
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
            // Every link is between machines: 3 cores times what there is for each.
            let (placed, bpc) = (expected.0, u64::from(vdcs.bpc_mbps));
            let sample = |at| trial.at(at, &[]).series().values(index_of("LinkDemand").expect("a metric")).to_vec();
            let gbps = (3 * bpc * placed * (placed - 1) / 2) as f64 / 1e3;
            assert_eq!(sample(30).last(), Some(&gbps), "{name}");
        }
    }

    /// Machines of 10,000 cores, which is the most, and links of the most for each.
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
            // The cap stands above FirstFit, which stays the last one.
            let capped = capped.rule("FirstFit", &[]).run(&[]);
            assert_eq!(capped.summary().digest == plain.summary().digest, same, "at most {cap} VMs");
        }
    }
}
