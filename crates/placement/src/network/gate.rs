//! Where the network has capacity for a VM's links (Gridiron section III-D).
//!
//! This depends on where the VDC's other VMs are and on the free bandwidth of every uplink at that moment, so nothing
//! is cached. But it restricts the candidates in only two ways. If the uplink of another VM's machine, rack or
//! cluster has no capacity for the links to that VM, only machines behind the same uplink remain. And a machine, its
//! rack and its cluster need capacity for the links that would leave them: all links, except where other VMs of the
//! VDC are. So the ranking stays unchanged, and the search accepts or skips whole blocks of machines.

use core::ops::Range;

use tiebreak_model::network::around;
use tiebreak_model::{Bottleneck, Cut, Fleet, MachineId, Member, Needs, Network, Scene};

/// A gate's verdict on a block of machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// All of them have capacity for the links.
    All,
    /// Each must be checked.
    Some,
    /// None has.
    None,
}

/// The bandwidth that one VM's links need, at one moment.
pub(crate) struct Gate<'a> {
    needs: &'a Needs,
    network: &'a Network,
    fleet: &'a Fleet,
    /// The machines that remain because of full uplinks elsewhere.
    within: Range<u32>,
    /// Whether every rack and cluster has capacity for all of its links.
    is_open_above: bool,
    /// Whether only the uplinks of machines count.
    of_machines_alone: bool,
}

impl<'a> Gate<'a> {
    /// For the VM of a scene; `None` if there is no network or the VM has no links.
    pub(crate) fn of(scene: Scene<'a>) -> Option<Self> {
        let (needs, fleet) = (scene.needs, &**scene.occupancy.fleet());
        let network = scene.occupancy.network().filter(|_| !needs.is_none())?;
        Some(Self::narrowed(needs, network, fleet, needs.of_machines_alone))
    }

    fn narrowed(needs: &'a Needs, network: &'a Network, fleet: &'a Fleet, of_machines_alone: bool) -> Self {
        let is_open_above = of_machines_alone || network.least_above_machines_kbps() >= needs.total_kbps as i64;
        let all = 0..fleet.machine_count();
        let gate = Self { needs, network, fleet, within: all.clone(), is_open_above, of_machines_alone };
        let full = needs.places().filter(|(cut, kbps)| gate.counts(*cut) && !gate.has(*cut, *kbps));
        let within = full.fold(all, |within, (cut, _)| {
            let behind = machines_behind(fleet, cut);
            within.start.max(behind.start)..within.end.min(behind.end)
        });
        Self { within, ..gate }
    }

    /// The same gate if only the uplinks of machines counted.
    pub(crate) fn of_machines_alone(&self) -> Self {
        Self::narrowed(self.needs, self.network, self.fleet, true)
    }

    fn counts(&self, cut: Cut) -> bool {
        !self.of_machines_alone || matches!(cut, Cut::Machine(_))
    }

    #[inline]
    fn has(&self, cut: Cut, kbps: u64) -> bool {
        kbps == 0 || self.network.free_kbps(cut) >= kbps as i64
    }

    /// Whether the network has capacity for the VM's links if it is placed on this machine.
    #[inline]
    pub(crate) fn admits(&self, machine: MachineId) -> bool {
        // With capacity for all links, it does not matter which of them would stay behind the uplink.
        let has_plenty = || self.is_open_above && self.has(Cut::Machine(machine), self.needs.total_kbps);
        self.within.contains(&machine.0) && (has_plenty() || self.full(machine).is_none())
    }

    /// The first of the uplinks above a machine without capacity for the links that would use it.
    fn full(&self, machine: MachineId) -> Option<Cut> {
        let mut cuts = around(self.fleet, machine).into_iter().filter(|cut| self.counts(*cut));
        cuts.find(|cut| !self.has(*cut, self.needs.behind(*cut)))
    }

    /// The verdict on machines with consecutive ids.
    #[inline]
    pub(crate) fn pass(&self, machines: Range<u32>) -> Pass {
        if machines.start >= self.within.end || self.within.start >= machines.end {
            return Pass::None;
        }
        let (least, most) = self.network.range_kbps(machines.clone());
        let (total, is_inside) = (self.needs.total_kbps as i64, self.within.start <= machines.start);
        if least >= total && self.is_open_above && is_inside && machines.end <= self.within.end {
            return Pass::All;
        }
        let has_peers = || {
            let mut places = self.needs.places();
            places.any(|(cut, _)| matches!(cut, Cut::Machine(id) if machines.contains(&id.0)))
        };
        if most < total && !has_peers() { Pass::None } else { Pass::Some }
    }
}

/// The machines behind a cut.
fn machines_behind(fleet: &Fleet, cut: Cut) -> Range<u32> {
    match cut {
        Cut::Machine(id) => id.0..id.0 + 1,
        Cut::Rack(id) => fleet.machines_of_rack(id),
        Cut::Cluster(id) => fleet.cluster(id).machines(),
    }
}

/// An uplink without capacity for a VM's links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// Which uplink.
    pub cut: Cut,
    /// What the VM's links would use, in kbit/s.
    pub needed_kbps: u64,
    /// What is free, in kbit/s.
    pub free_kbps: i64,
}

/// The uplink that excludes a machine: the first full one of those above the VDC's other VMs, else of those above the
/// machine itself.
pub(crate) fn full_cut(scene: Scene<'_>, machine: MachineId) -> Option<Full> {
    let gate = Gate::of(scene)?;
    let own = around(gate.fleet, machine);
    let mut elsewhere = gate.needs.places().filter(|(cut, kbps)| !own.contains(cut) && !gate.has(*cut, *kbps));
    let own = || gate.full(machine).map(|cut| (cut, gate.needs.behind(cut)));
    let (cut, needed_kbps) = elsewhere.next().or_else(own)?;
    Some(Full { cut, needed_kbps, free_kbps: gate.network.free_kbps(cut) })
}

/// What blocks a VM if machines have room for it but the network does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// Why.
    pub by: Bottleneck,
    /// The full uplink, if others of the VDC are behind it; else `None`, and the uplink is that of each machine that
    /// could host the VM, or above it.
    pub full: Option<Full>,
}

/// Why no machine with room for a VM has bandwidth for its links (Gridiron section III-D). `is_any_left` says whether
/// one would be left if only the uplinks of machines counted.
pub(crate) fn blocked(scene: Scene<'_>, is_any_left: impl FnOnce() -> bool) -> Option<Blocked> {
    let gate = Gate::of(scene)?;
    if gate.needs.largest_kbps > gate.network.fattest_kbps() {
        return Some(Blocked { by: Bottleneck::Link, full: None });
    }
    let full = gate.needs.places().find(|(cut, kbps)| !gate.has(*cut, *kbps));
    let by = match full {
        Some((Cut::Machine(id), _)) => crowded(scene, id),
        Some(_) => Bottleneck::Elsewhere,
        None if is_any_left() => Bottleneck::Elsewhere,
        None => Bottleneck::Peering,
    };
    let full = full.map(|(cut, needed_kbps)| Full { cut, needed_kbps, free_kbps: gate.network.free_kbps(cut) });
    Some(Blocked { by, full })
}

/// Whether the links of one VM on a machine alone exceed its uplink's capacity for the VDC, or only those of all its
/// VMs there together.
fn crowded(scene: Scene<'_>, machine: MachineId) -> Bottleneck {
    let Needs { links, me, .. } = *scene.needs;
    let members = scene.footprint.members();
    let newcomer = Member { machine: MachineId(u32::MAX), peer: me };
    let leaving = |one: &Member| -> u64 {
        let others = members.iter().chain([&newcomer]).filter(|other| other.machine != machine);
        others.map(|other| links.kbps(one.peer, other.peer)).sum()
    };
    let here = || members.iter().filter(|member| member.machine == machine);
    let reserved: u64 = here().map(|one| leaving(one) - links.kbps(one.peer, me)).sum();
    let network = scene.occupancy.network().expect("a gate has one");
    let has = network.free_kbps(Cut::Machine(machine)) + reserved as i64;
    let alone = here().map(leaving).max().unwrap_or(0);
    if alone as i64 > has { Bottleneck::Peering } else { Bottleneck::Colocation }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::refusal::refusal_by_rule;
    use crate::explain::{Question, explain};
    use crate::policy::{Policy, RuleUse};
    use alloc::format;
    use alloc::string::ToString;
    use alloc::sync::Arc;
    use alloc::vec;
    use alloc::vec::Vec;
    use tiebreak_model::random::{Seed, Stream, pick};
    use tiebreak_model::{
        ClusterSpec, Footprint, Links, MachineRecord, Occupancy, Peer, RackId, Readiness, Resources, Topology, Uplinks,
        VmRequest, VmShape,
    };

    struct LinkDraws(Stream, u64);

    impl LinkDraws {
        fn below(&mut self, options: u32) -> u32 {
            self.1 += 1;
            pick(self.0.draw(self.1, 0), options)
        }
    }

    fn fleet() -> Arc<Fleet> {
        let spec = |machines, racks| ClusterSpec {
            name: "c".into(),
            machines,
            racks,
            capacity: Resources::new(8, 8, 0, 0),
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        Arc::new(Fleet::build(&[spec(90, 5), spec(50, 2)]).expect("a fleet"))
    }

    /// A zone in which some cuts are partly reserved and some fully.
    fn zone(draws: &mut LinkDraws) -> Occupancy {
        let uplinks = Uplinks { machine_kbps: 40, rack_kbps: 120, cluster_kbps: 200 };
        let mut zone = Occupancy::empty(fleet()).with_network(&[uplinks; 2]);
        let (busy, network) = (draws.below(4), zone.network_mut().expect("a network"));
        for place in 0..network.cuts() {
            if draws.below(4) < busy {
                network.set_used(place, u64::from(draws.below(45)));
            }
        }
        zone
    }

    fn members(draws: &mut LinkDraws) -> Footprint {
        let mut footprint = Footprint::default();
        let near = draws.below(140);
        for slot in 1..=draws.below(9) {
            let machine = if draws.below(2) == 0 { near } else { draws.below(140) };
            footprint.join(MachineId(machine), Peer { slot, cores_milli: 1 + draws.below(8) });
        }
        footprint
    }

    #[test]
    fn it_admits_where_all_links_fit_and_tells_blocks_so() {
        let mut draws = LinkDraws(Seed(5).stream("gate test"), 0);
        let (mut passed, mut answers) = ([0; 3], [0; 2]);
        for case in 0..600 {
            let (zone, footprint) = (zone(&mut draws), members(&mut draws));
            let links = Links { topology: Topology::AllToAll, stage_vms: 1, bpc_mbps: 1 + draws.below(3) };
            let mut needs = Needs::default();
            needs.fill(zone.fleet(), &links, Peer { slot: 0, cores_milli: 1 + draws.below(8) }, footprint.members());
            let scene = Scene { footprint: &footprint, needs: &needs, ..Scene::of(&zone) };
            let Some(gate) = Gate::of(scene) else { continue };
            let fits = |machine| {
                let network = zone.network().expect("a network");
                needs.cuts(zone.fleet(), machine).all(|(cut, kbps)| network.free_kbps(cut) >= kbps as i64)
            };
            for machine in (0..140).map(MachineId) {
                assert_eq!(gate.admits(machine), fits(machine), "case {case}, machine {machine}");
                assert_eq!(full_cut(scene, machine).is_none(), fits(machine), "case {case}, machine {machine}");
                answers[usize::from(fits(machine))] += 1;
            }
            for first in (0..140).step_by(10) {
                let admitted: Vec<_> = (first..first + 10).filter(|id| gate.admits(MachineId(*id))).collect();
                let pass = gate.pass(first..first + 10);
                passed[pass as usize] += 1;
                assert!(pass != Pass::All || admitted.len() == 10, "case {case}, from {first}");
                assert!(pass != Pass::None || admitted.is_empty(), "case {case}, from {first}");
            }
        }
        assert!(passed.iter().chain(&answers).all(|times| *times > 200), "{passed:?} {answers:?}");
    }

    /// A refusal counts the machines without bandwidth and gives the reason, if the policy has the rule.
    fn is_told_by_a_refusal(scene: Scene<'_>, expected: Option<Bottleneck>, what: &str) {
        let vm = VmRequest::alone(VmShape::plain(Resources::new(1, 1, 0, 0)));
        let refusal = |rules: &[&str]| {
            let rules: Vec<_> = rules.iter().map(|id| RuleUse::plain(id, None)).collect();
            refusal_by_rule(&Policy::new(&rules, 1).expect("a policy"), scene, &vm)
        };
        let gate = Gate::of(scene).expect("it has links");
        let full = (0..4).filter(|id| !gate.admits(MachineId(*id))).count() as u32;
        let told = refusal(&["AreNodeResourcesValid", "BandwidthAvailable"]);
        let counts: Vec<_> = told.rules.iter().map(|it| (it.rule, it.machines, it.alone)).collect();
        assert_eq!(counts, [("AreNodeResourcesValid", 0, 0), ("BandwidthAvailable", full, full)], "{what}");
        assert_eq!(told.blocked.map(|it| it.by), expected, "{what}");
        let list = [RuleUse::plain("BandwidthAvailable", None)];
        for asked in (0..4).map(MachineId).filter(|id| !gate.admits(*id)) {
            let question = Question { asked: Some(asked), ..Question::default() };
            let told = explain(&Policy::new(&list, 1).expect("a policy"), scene, &vm, question);
            let said = full_cut(scene, asked).expect("it is full").words();
            let why_not = format!("Not machine {asked}: BandwidthAvailable refuses it; it {said}.");
            let told = told.why_not_sentence(scene.occupancy.fleet()).map(|told| told.to_string());
            assert_eq!(told, Some(why_not), "{what}");
        }
        assert_eq!(refusal(&["AreNodeResourcesValid"]).blocked, None, "{what}");
    }

    /// Gridiron section III-D: four VMs of which one is the hub of a star; four VMs, two per machine.
    #[test]
    fn what_is_in_the_way_has_the_papers_names() {
        let spec = ClusterSpec {
            name: "c".into(),
            machines: 4,
            racks: 2,
            capacity: Resources::new(8, 8, 0, 0),
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        let fleet = Arc::new(Fleet::build(&[spec]).expect("a fleet"));
        type Case<'a> = (Topology, u32, u64, u64, &'a [u32], bool, Option<Bottleneck>);
        let cases: [Case<'_>; 8] = [
            (Topology::Star, 1, 3, 9, &[0, 2, 3, 3], false, Some(Bottleneck::Peering)), // Figure 5
            (Topology::AllToAll, 1, 3, 9, &[0, 0, 3], false, Some(Bottleneck::Colocation)), // Figure 6 (b)
            (Topology::AllToAll, 1, 3, 9, &[0, 1, 2], true, None),                      // Figure 6 (a)
            (Topology::AllToAll, 4, 3, 9, &[0], false, Some(Bottleneck::Link)),
            (Topology::AllToAll, 1, 3, 1, &[0, 2], true, Some(Bottleneck::Elsewhere)),
            (Topology::AllToAll, 1, 3, 9, &[0, 0, 0, 0], true, Some(Bottleneck::Colocation)),
            // One link just fits, and so do all of one VM.
            (Topology::AllToAll, 3, 3, 9, &[0, 0], true, Some(Bottleneck::Colocation)),
            (Topology::AllToAll, 1, 3, 9, &[0], true, None),
        ];
        for (topology, bpc_mbps, machine_kbps, rack_kbps, stand, is_any_left, expected) in cases {
            let uplinks = Uplinks { machine_kbps, rack_kbps, cluster_kbps: 99 };
            let mut zone = Occupancy::empty(fleet.clone()).with_network(&[uplinks]);
            let links = Links { topology, stage_vms: 1, bpc_mbps };
            let (mut footprint, mut needs) = (Footprint::default(), Needs::default());
            for (slot, machine) in (0..).zip(stand) {
                let peer = Peer { slot, cores_milli: 1 };
                needs.fill(&fleet, &links, peer, footprint.members());
                let network = zone.network_mut().expect("a network");
                let taken: Vec<_> = needs.cuts(&fleet, MachineId(*machine)).collect();
                taken.iter().for_each(|(cut, kbps)| network.reserve(network.place(*cut), *kbps));
                footprint.join(MachineId(*machine), peer);
            }
            needs.fill(&fleet, &links, Peer { slot: stand.len() as u32, cores_milli: 1 }, footprint.members());
            let scene = Scene { footprint: &footprint, needs: &needs, ..Scene::of(&zone) };
            let gate = Gate::of(scene).expect("it has links");
            let free = (0..4).map(MachineId).filter(|id| footprint.on_machine(*id) == 0 && gate.admits(*id)).count();
            assert_eq!(free > 0, expected.is_none(), "{stand:?}");
            let told = (free == 0).then(|| blocked(scene, || is_any_left).map(|it| it.by)).flatten();
            assert_eq!(told, expected, "{stand:?}");
            if free == 0 {
                is_told_by_a_refusal(scene, expected, &format!("{stand:?}"));
            }
        }
    }

    /// A VM is on machine 0, which is full, and a second one is linked with it. Machine 1 has no bandwidth left, and
    /// neither has the rack of machines 2 and 3. The cause depends on the machines that no other rule excludes.
    #[test]
    fn a_refusal_names_the_network_where_it_alone_keeps_machines_out() {
        let capacity = Resources::new(8, 8, 0, 0);
        let spec =
            ClusterSpec { name: "c".into(), machines: 4, racks: 2, capacity, unready: 0, datacenter: 0, chassis: 1 };
        let uplinks = Uplinks { machine_kbps: 9, rack_kbps: 9, cluster_kbps: 9 };
        let mut zone = Occupancy::empty(Arc::new(Fleet::build(&[spec]).expect("a fleet"))).with_network(&[uplinks]);
        let network = zone.network_mut().expect("a network");
        for cut in [Cut::Machine(MachineId(1)), Cut::Rack(RackId(1))] {
            network.set_used(network.place(cut), 9);
        }
        let full = zone.record(MachineId(0)).with(&VmShape::plain(capacity)).expect("it fits");
        zone.set(MachineId(0), full);
        let (mut footprint, mut needs) = (Footprint::default(), Needs::default());
        footprint.join(MachineId(0), Peer { slot: 0, cores_milli: 1 });
        let links = Links { topology: Topology::AllToAll, stage_vms: 1, bpc_mbps: 1 };
        needs.fill(zone.fleet(), &links, Peer { slot: 1, cores_milli: 1 }, footprint.members());
        let vm = VmRequest::alone(VmShape::plain(Resources::new(1, 1, 0, 0)));
        let told = |unready: &[u32], rules: &[&str]| {
            let mut zone = zone.clone();
            for machine in unready.iter().map(|id| MachineId(*id)) {
                let record = MachineRecord { readiness: Readiness::Unready, ..zone.record(machine) };
                zone.set(machine, record);
            }
            let rules: Vec<_> = rules.iter().map(|id| RuleUse::plain(id, None)).collect();
            let scene = Scene { footprint: &footprint, needs: &needs, ..Scene::of(&zone) };
            let told = refusal_by_rule(&Policy::new(&rules, 1).expect("a policy"), scene, &vm);
            (told.blocked.map(|it| it.by), told.rules.iter().map(|it| it.alone).collect::<Vec<_>>())
        };
        let list = ["AreNodeResourcesValid", "IsMachineReady", "BandwidthAvailable"];
        assert_eq!(told(&[], &list), (Some(Bottleneck::Elsewhere), vec![1, 0, 3]));
        assert_eq!(
            told(&[2, 3], &list),
            (Some(Bottleneck::Peering), vec![1, 0, 1]),
            "behind the rack nobody may stand"
        );
        assert_eq!(told(&[1, 2, 3], &list), (None, vec![1, 0, 0]));
        assert_eq!(told(&[1, 2, 3], &list[..2]), (None, vec![1, 3]), "the list does not ask for bandwidth");
    }
}
