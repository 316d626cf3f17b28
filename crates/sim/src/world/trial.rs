//! A small zone to test one incident at a time, and invariants that always hold.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_lifetime::{PredictorUse, start};
use tiebreak_model::network::around;
use tiebreak_model::random::Seed;
use tiebreak_model::{
    ClusterSpec, Declared, MachineId, Millis, Readiness, Resources, Time, Uplinks, VmId, VmRow, VmShape,
    WorkloadBuilder,
};
use tiebreak_placement::policy::default_rules;
use tiebreak_placement::{Lifetimes, RuleUse};

use super::World;
use crate::admission::AdmissionSettings;
use crate::incidents::IncidentUse;
use crate::network::vdc::Vdcs;
use crate::plan::{Agents, Plan};
use crate::record::disruption::{Fate, Reason};
use crate::record::{Cause, Decision, Outcome};

/// Machines of 4 cores and 16 GiB, and the requests of one day.
#[derive(Clone)]
pub(crate) struct Trial {
    pub(crate) clusters: Vec<ClusterSpec>,
    pub(crate) rules: Vec<RuleUse>,
    pub(crate) agents: Agents,
    pub(crate) vms: Vec<VmRow>,
    /// How the VMs of a tenant are linked, and the uplinks of each cluster.
    pub(crate) links: (Vdcs, Vec<Uplinks>),
    /// The beliefs of admission rules.
    pub(crate) admission: AdmissionSettings,
}

impl Trial {
    /// One cluster of this many machines and racks, without requests.
    pub(crate) fn new(machines: u32, racks: u32) -> Self {
        let mut trial = Self {
            clusters: Vec::new(),
            rules: default_rules(),
            agents: Agents { publish_ms: 1_000, ..Agents::default() },
            vms: Vec::new(),
            links: (Vdcs::default(), Vec::new()),
            admission: AdmissionSettings::default(),
        };
        trial.add_cluster(machines, racks);
        trial
    }

    pub(crate) fn add_cluster(&mut self, machines: u32, racks: u32) {
        let capacity = Resources::new(4_000, 16_384, 0, 0);
        self.clusters.push(ClusterSpec {
            name: "c".into(),
            machines,
            racks,
            capacity,
            unready: 0,
            datacenter: 0,
            chassis: 1,
        });
    }

    /// With this rule's parameters.
    pub(crate) fn rule(mut self, id: &str, values: &[f64]) -> Self {
        self.rules.retain(|rule| rule.id != id);
        self.rules.push(RuleUse { values: values.into(), ..RuleUse::plain(id, None) });
        self
    }

    /// Adds this many VMs of these cores, with a start and an end minute, each of another tenant.
    pub(crate) fn vms(mut self, count: u32, cores: u32, (from, to): (i64, i64)) -> Self {
        for _ in 0..count {
            let name = self.vms.len() as u64;
            let shape = VmShape::plain(Resources::new(1_000 * cores, 1_024 * cores, 0, 0));
            self.vms.push(VmRow { name, tenant: name, shape, start: minute(from), end: minute(to) });
        }
        self
    }

    /// Adds this many VMs of these cores of one tenant, with a start and an end minute.
    pub(crate) fn vdc(mut self, tenant: u64, count: u32, cores: u32, minutes: (i64, i64)) -> Self {
        let first = self.vms.len();
        self = self.vms(count, cores, minutes);
        self.vms[first..].iter_mut().for_each(|row| row.tenant = u64::MAX - tenant);
        self
    }

    /// Links the VMs of each tenant, with these uplinks of each cluster.
    pub(crate) fn linked(mut self, vdcs: Vdcs, uplinks: &[Uplinks]) -> Self {
        self.links = (vdcs, uplinks.into());
        self
    }

    pub(crate) fn plan(&self, caches: bool, incidents: &[IncidentUse]) -> Plan {
        let mut builder = WorkloadBuilder::new();
        self.vms.iter().for_each(|row| builder.push(*row));
        let workload = Arc::new(builder.finish(Time::ZERO + Millis::DAY).expect("VMs were added"));
        let agents = Agents { caches, ..self.agents };
        let plan = Plan::new(&self.clusters, &self.rules, 1, workload, agents, Seed(7)).expect("a plan");
        let (vdcs, uplinks) = &self.links;
        let plan = plan.with_vdcs(vdcs, uplinks).expect("VMs are left");
        let plan = plan.with_admission(&self.admission).expect("a belief");
        let plan = plan.with_incidents(incidents).expect("incidents that there are");
        if plan.asks_for_lifetimes() { with_predicted_lives(plan) } else { plan }
    }

    /// The zone at a minute, after all its events.
    pub(crate) fn at(&self, at: i64, incidents: &[IncidentUse]) -> World {
        let mut world = World::new(self.plan(true, incidents));
        world.warm_up();
        while world.queue.clone().pop().is_some_and(|(next, _)| next <= minute(at)) {
            world.advance(1);
        }
        world
    }

    /// The whole day; checks the invariants at every step.
    pub(crate) fn run(&self, incidents: &[IncidentUse]) -> World {
        let mut world = World::new(self.plan(true, incidents));
        world.keep_decisions();
        while !world.advance(1).done {
            check_machines(&world, !incidents.is_empty());
            check_uplinks(&world, self.rules.iter().any(|rule| rule.id == "BandwidthAvailable"));
        }
        for caches in [true, false] {
            let mut other = World::new(self.plan(caches, incidents));
            other.run();
            assert_eq!(other.summary().digest, world.summary().digest, "in one slice, caches {caches}");
            assert_eq!(other.disruptions(), world.disruptions(), "in one slice, caches {caches}");
        }
        check_everyone_is_accounted_for(&world);
        world
    }
}

/// Uses the true lifetimes as predictions.
fn with_predicted_lives(plan: Plan) -> Plan {
    let oracle = PredictorUse { id: "Oracle".into(), values: Vec::new() };
    let mut training = start(&oracle, plan.workload().clone(), Seed(7));
    while !training.work(u32::MAX) {}
    plan.with_predictions(Lifetimes::from_values(&[]), Arc::new(training.finish().predictions))
}

/// This many minutes into the day.
pub(crate) fn minute(minutes: i64) -> Time {
    Time(minutes * Millis::MINUTE.0 as i64)
}

/// An incident at a minute.
pub(crate) fn incident<D: Declared>(at: i64, terms: &D) -> IncidentUse {
    IncidentUse { id: D::DECLARATION.id.into(), at: minute(at), values: terms.to_values() }
}

/// The machines in this state.
pub(crate) fn machines(world: &World, readiness: Readiness) -> Vec<u32> {
    let is = |id: &u32| world.occupancy().record(MachineId(*id)).readiness == readiness;
    (0..world.plan().fleet().machine_count()).filter(is).collect()
}

/// The number of VMs that lost a machine, found another one, and were lost.
pub(crate) fn counts(world: &World) -> (usize, u64, u64) {
    let counters = world.summary().counters;
    (world.disruptions().len(), counters.reallocations, counters.lost_vms)
}

/// Every machine holds exactly the demand of its VMs and of those migrating away, and a failed one holds nothing.
/// Without incidents the VMs on a machine are not tracked.
pub(crate) fn check_machines(world: &World, residents_are_known: bool) {
    if !residents_are_known {
        return;
    }
    let workload = world.plan().workload();
    let mut held: BTreeMap<MachineId, (Resources, u32)> = BTreeMap::new();
    for machine in 0..world.plan().fleet().machine_count() {
        let (sum, vms) = held.entry(MachineId(machine)).or_insert((Resources::NONE, 0));
        for vm in world.systems.incidents.residents.on(MachineId(machine)) {
            assert_eq!(world.placement(*vm).map(|(on, _)| on), Some(MachineId(machine)), "VM {vm}");
            *sum = sum.checked_add(workload.shape_of_vm(*vm).demand).expect("a small sum");
            *vms += 1;
        }
        for vm in world.systems.incidents.copies.on(MachineId(machine)) {
            assert_ne!(world.placement(vm).map(|(on, _)| on), Some(MachineId(machine)), "VM {vm}");
            *sum = sum.checked_add(workload.shape_of_vm(vm).demand).expect("a small sum");
            *vms += 1;
        }
    }
    for (machine, (sum, vms)) in held {
        let record = world.occupancy().record(machine);
        let free = world.plan().fleet().capacity(machine).checked_sub(sum);
        assert_eq!((Some(record.free), record.vms), (free, vms), "machine {machine}");
        assert!(record.readiness != Readiness::Failed || vms == 0, "machine {machine} failed and holds VMs");
    }
    let ready = machines(world, Readiness::Ready).len() as u32;
    assert_eq!(world.occupancy().zone().unready + ready, world.plan().fleet().machine_count());
}

/// Every uplink has reserved exactly the bandwidth of links that cross it, link by link, and no more than its
/// capacity if a rule guarantees that.
pub(crate) fn check_uplinks(world: &World, is_bounded: bool) {
    let (Some(links), Some(network)) = (world.plan().links(), world.occupancy().network()) else { return };
    let mut expected = alloc::vec![0; network.cuts() as usize];
    for footprint in world.systems.network.iter().flat_map(|book| book.footprints()) {
        for (at, one) in footprint.members().iter().enumerate() {
            for other in &footprint.members()[..at] {
                let cuts = [one, other].map(|member| around(world.plan().fleet(), member.machine));
                let apart = cuts[0].into_iter().zip(cuts[1]).filter(|(near, far)| near != far);
                for cut in apart.flat_map(|(near, far)| [near, far]) {
                    expected[network.place(cut) as usize] += links.kbps(one.peer, other.peer);
                }
            }
        }
    }
    for (place, kbps) in (0..).zip(expected) {
        assert_eq!(network.used_at(place), kbps, "uplink {place}");
        assert!(!is_bounded || kbps <= network.capacity_at(place), "uplink {place} carries less than {kbps} kbit/s");
    }
}

/// Each time a VM lost its machine, it got exactly one final decision, or it ended.
fn check_everyone_is_accounted_for(world: &World) {
    for vm in (0..world.plan().workload().vm_count()).map(VmId) {
        let homeless = |reason| !matches!(reason, Reason::Evicted | Reason::Migrated(_));
        let lost = world.disruptions().iter().filter(|it| it.vm == vm && homeless(it.reason)).count();
        let ended = |it: &&Decision| it.vm == vm && it.outcome != Outcome::Conflict;
        let decided = |cause| world.decisions().iter().filter(ended).filter(|it| it.cause == cause).count();
        let again = decided(Cause::Reallocation);
        assert_eq!(decided(Cause::Request), 1, "VM {vm}");
        match world.fate(vm) {
            Some(Fate::Ended { .. }) => assert!(again == lost || again + 1 == lost, "VM {vm}"),
            Some(Fate::Waiting { .. }) => panic!("VM {vm} waits for ever"),
            _ => assert_eq!(again, lost, "VM {vm}"),
        }
        if let Some(Fate::Lost { at, .. }) = world.fate(vm) {
            assert!(world.placement(vm).is_none() && at < world.plan().workload().end(vm), "VM {vm}");
        }
    }
}
