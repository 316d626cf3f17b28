//! The occupancy: the state of every machine, as columns, with the sums that rack and cluster rules read, and the
//! journal of changes.
//!
//! All changes go through [`Occupancy::set`], so sums and journal can never be
//! behind. Rules see it only through [`MachineView`], [`RackView`] and
//! [`ClusterView`]: the type of the view is how far a rule can see.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use crate::chassis::{ChassisLoads, ChassisView, MachineLoad};
use crate::exits::{Exits, ExpectedExit};
use crate::fleet::{Cluster, Fleet, Readiness};
use crate::growth::Growth;
use crate::ids::{ClusterId, MachineId, RackId};
use crate::journal::{Journal, Revision};
use crate::life::{HostLife, Phase};
use crate::mix::ShapeMix;
use crate::network::{Needs, Network, Uplinks};
use crate::resources::{Resource, Resources, share};
use crate::tenant::Footprint;
use crate::workload::VmShape;

/// The last placement on a machine; later ones are greater. Counted only if a rule reads it, by each observer for
/// what it sees; eventually all observers have the store's count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LastUse(u32);

impl LastUse {
    /// For a machine without VMs, or if placements are not counted.
    pub const NEVER: Self = Self(0);
    /// A placement that has not been numbered yet.
    const NOW: Self = Self(u32::MAX);

    /// The placement with this number; 0 is never.
    #[must_use]
    pub const fn nth(number: u32) -> Self {
        Self(number)
    }

    /// Its number; 0 is never.
    #[inline]
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// The state of one machine: everything about it that changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineRecord {
    /// Free capacity.
    pub free: Resources,
    /// The part of the allocated capacity that belongs to VMs that ones of higher priority may evict.
    pub evictable: Resources,
    /// VMs on it.
    pub vms: u32,
    /// The expected load of its VMs.
    pub load: MachineLoad,
    /// The host environment it runs; larger is newer.
    pub host_version: u16,
    /// The probability that it fails soon, in percent: 0 is healthy.
    pub risk: u8,
    /// Whether it accepts new VMs.
    pub readiness: Readiness,
    /// Whether its tenant shares it with no other.
    pub isolated: bool,
    /// Its predicted state.
    pub life: HostLife,
    /// The last placement on it.
    pub last_use: LastUse,
}

impl MachineRecord {
    /// An empty, healthy machine with this capacity.
    #[must_use]
    pub const fn empty(capacity: Resources, readiness: Readiness) -> Self {
        let evictable = Resources::NONE;
        let (load, life) = (MachineLoad::NONE, HostLife::EMPTY);
        Self {
            free: capacity,
            evictable,
            vms: 0,
            load,
            host_version: 0,
            risk: 0,
            readiness,
            isolated: false,
            life,
            last_use: LastUse::NEVER,
        }
    }

    /// With one more VM, or `None` if it does not fit.
    #[inline]
    #[must_use]
    pub fn with(mut self, vm: &VmShape) -> Option<Self> {
        self.add(vm).map(|()| self)
    }

    /// Adds a VM. Returns `None`, and stays as it is, if the VM does not fit.
    #[inline]
    pub fn add(&mut self, vm: &VmShape) -> Option<()> {
        let free = self.free.checked_sub(vm.demand)?;
        let vms = self.vms.checked_add(1)?;
        if vm.is_evictable() {
            self.evictable = self.evictable.checked_add(vm.demand)?;
        }
        (self.free, self.vms, self.last_use) = (free, vms, LastUse::NOW);
        self.isolated |= vm.terms.isolated;
        self.load = self.load.plus(MachineLoad::of(vm));
        Some(())
    }

    /// Without one VM of this shape.
    ///
    /// # Panics
    /// If the machine does not hold it, which is a bug of ours.
    #[must_use]
    pub fn without(mut self, vm: &VmShape) -> Self {
        self.free = self.free.checked_add(vm.demand).expect("a VM that leaves was placed here");
        self.vms = self.vms.checked_sub(1).expect("a VM that leaves was counted here");
        if vm.is_evictable() {
            self.evictable = self.evictable.checked_sub(vm.demand).expect("a VM that leaves was counted as evictable");
        }
        self.load = self.load.less(MachineLoad::of(vm));
        if self.vms == 0 {
            (self.isolated, self.life, self.last_use) = (false, HostLife::EMPTY, LastUse::NEVER);
        }
        self
    }

    /// The larger of the used shares of its cores and of its memory, 0 to 1.
    #[must_use]
    pub fn used_share(&self, capacity: Resources) -> f64 {
        let used = |resource: Resource| {
            let all = capacity[resource];
            if all == 0 { 0.0 } else { f64::from(all - self.free[resource].min(all)) / f64::from(all) }
        };
        used(Resource::Cores).max(used(Resource::Memory))
    }

    /// Whether two states differ at most in expected exits.
    fn differs_in_exits_only(&self, other: &Self) -> bool {
        let HostLife { exit_s, first_exit_s, .. } = other.life;
        Self { life: HostLife { exit_s, first_exit_s, ..self.life }, ..*self } == *other
    }

    /// 1 if it accepts no new VMs, otherwise 0.
    fn is_unready(&self) -> u32 {
        u32::from(self.readiness != Readiness::Ready)
    }

    /// With as much evicted as `vm` lacks. This is an agent's estimate for a machine where it relies on evictions,
    /// since it does not know the VMs.
    #[must_use]
    pub fn with_evictions(self, vm: &VmShape) -> Self {
        let short = self.free.shortage(vm.demand);
        Self {
            free: self.free.checked_add(short).unwrap_or(self.free),
            evictable: self.evictable.saturating_sub(short),
            ..self
        }
    }
}

/// Sums over a rack, a cluster or the zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Allocated, per resource in stored units.
    used: [u64; 4],
    /// Machines with at least one VM.
    pub busy: u32,
    /// Cores of those machines, in thousandths.
    pub busy_cores_milli: u64,
    /// VMs on all of them.
    pub vms: u64,
    /// Machines that accept no new VMs.
    pub unready: u32,
}

impl Totals {
    /// The allocated amount of one resource, in stored units.
    #[must_use]
    pub fn used(&self, resource: Resource) -> u64 {
        self.used[resource as usize]
    }

    /// Adds a machine's change.
    #[inline]
    fn shift(&mut self, change: &Self) {
        for (used, more) in self.used.iter_mut().zip(change.used) {
            *used = used.wrapping_add(more);
        }
        self.busy = self.busy.wrapping_add(change.busy);
        self.busy_cores_milli = self.busy_cores_milli.wrapping_add(change.busy_cores_milli);
        self.vms = self.vms.wrapping_add(change.vms);
        self.unready = self.unready.wrapping_add(change.unready);
    }

    /// How a machine's change shifts sums that include it; wraps around where they get smaller.
    #[inline]
    fn change(capacity: Resources, before: &MachineRecord, after: &MachineRecord) -> Self {
        let less = |resource: Resource| u64::from(before.free[resource]).wrapping_sub(after.free[resource].into());
        let busy = u32::from(after.vms > 0).wrapping_sub(u32::from(before.vms > 0));
        Self {
            used: Resource::ALL.map(less),
            busy,
            busy_cores_milli: i64::from(busy as i32).wrapping_mul(capacity.cores_milli().into()) as u64,
            vms: u64::from(after.vms).wrapping_sub(before.vms.into()),
            unready: after.is_unready().wrapping_sub(before.is_unready()),
        }
    }
}

/// The state of a fleet, as one observer knows it.
#[derive(Clone, Debug)]
pub struct Occupancy {
    fleet: Arc<Fleet>,
    machines: Vec<MachineRecord>,
    racks: Vec<Totals>,
    clusters: Vec<Totals>,
    zone: Totals,
    /// What rules about chassis see; `None` if it is not kept.
    loads: Option<ChassisLoads>,
    exits: Exits,
    network: Option<Network>,
    mix: Arc<ShapeMix>,
    /// The latest known placement; `None` if placements are not counted.
    uses: Option<u32>,
    journal: Journal,
}

impl Occupancy {
    /// A fleet without VMs.
    #[must_use]
    pub fn empty(fleet: Arc<Fleet>) -> Self {
        let machines: Vec<_> = (0..fleet.machine_count())
            .map(MachineId)
            .map(|id| (id, fleet.cluster(fleet.cluster_of(id))))
            .map(|(id, cluster)| MachineRecord::empty(cluster.capacity, cluster.readiness_at_start(id)))
            .collect();
        let mut occupancy = Self {
            racks: vec![Totals::default(); fleet.rack_count() as usize],
            clusters: vec![Totals::default(); fleet.clusters().len()],
            zone: Totals::default(),
            loads: None,
            exits: Exits::new(fleet.machine_count()),
            network: None,
            mix: Arc::default(),
            uses: None,
            journal: Journal::new(&fleet, machines.iter().map(|record| record.free)),
            machines,
            fleet,
        };
        occupancy.count_unready();
        occupancy
    }

    /// Adds a network between machines without reservations; `uplinks` has those of each cluster, by id.
    #[must_use]
    pub fn with_network(mut self, uplinks: &[Uplinks]) -> Self {
        self.network = Some(Network::idle(&self.fleet, uplinks));
        self
    }

    /// Adds the mix of VM sizes, for rules that read it.
    #[must_use]
    pub fn with_mix(self, mix: ShapeMix) -> Self {
        Self { mix: Arc::new(mix), ..self }
    }

    /// Counts placements from now on, for rules that read the order in which machines were used.
    pub fn count_uses(&mut self) {
        self.uses.get_or_insert_default();
    }

    /// Keeps the loads of chassis from now on, for rules that read them; without it, each look adds them up.
    pub fn keep_chassis_loads(&mut self) {
        self.loads.get_or_insert_with(|| ChassisLoads::of(&self.fleet, &self.machines));
    }

    /// For an observer whose changes nobody reads: its journal counts them, without their order.
    #[must_use]
    pub fn without_order(mut self) -> Self {
        self.journal.only_count();
        self
    }

    /// The same state with a new journal, whose changes can be read, whatever this one has.
    #[must_use]
    pub fn with_new_journal(mut self) -> Self {
        self.journal = Journal::new(&self.fleet, self.machines.iter().map(|record| record.free));
        self
    }

    /// Numbers a new placement; for one that is already numbered, catches up with the count.
    fn counted(&mut self, last_use: LastUse) -> LastUse {
        match &mut self.uses {
            None => LastUse::NEVER,
            Some(latest) if last_use == LastUse::NOW => {
                *latest = latest.saturating_add(1).min(LastUse::NOW.0 - 1);
                LastUse(*latest)
            }
            Some(latest) => {
                *latest = last_use.0.max(*latest);
                last_use
            }
        }
    }

    /// The network between machines, if there is one. Its changes are not in the journal: rules that see it are
    /// evaluated for every decision.
    #[inline]
    #[must_use]
    pub fn network(&self) -> Option<&Network> {
        self.network.as_ref()
    }

    /// The network, to change reservations.
    #[inline]
    pub fn network_mut(&mut self) -> Option<&mut Network> {
        self.network.as_mut()
    }

    /// Adds machines that accept no VMs at the start to the sums.
    fn count_unready(&mut self) {
        for (machine, record) in (0..).map(MachineId).zip(&self.machines) {
            let rack = self.fleet.rack_of(machine);
            let cluster = self.fleet.cluster_of_rack(rack);
            let sums = [&mut self.racks[rack.index()], &mut self.clusters[cluster.index()], &mut self.zone];
            sums.into_iter().for_each(|totals| totals.unready += record.is_unready());
        }
    }

    /// The machines.
    #[must_use]
    pub fn fleet(&self) -> &Arc<Fleet> {
        &self.fleet
    }

    /// The journal of changes.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The latest revision.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.journal.revision()
    }

    /// The state of one machine.
    #[inline]
    #[must_use]
    pub fn record(&self, machine: MachineId) -> MachineRecord {
        self.machines[machine.index()]
    }

    /// The free capacity of one machine.
    #[inline]
    #[must_use]
    pub fn free(&self, machine: MachineId) -> Resources {
        self.journal.free(machine)
    }

    /// Replaces the state of one machine; there is no other way to change it. A change of its expected exit is not in
    /// the journal: rules that see it are evaluated for every decision.
    pub fn set(&mut self, machine: MachineId, mut after: MachineRecord) {
        after.last_use = self.counted(after.last_use);
        let before = &mut self.machines[machine.index()];
        if *before == after {
            return;
        }
        let exit = ExpectedExit::of(&after.life);
        if exit != ExpectedExit::of(&before.life) {
            self.exits.set(machine, exit);
            if before.differs_in_exits_only(&after) {
                *before = after;
                return;
            }
        }
        let rack = self.fleet.rack_of(machine);
        let cluster = self.fleet.cluster_of_rack(rack);
        let change = Totals::change(self.fleet.cluster(cluster).capacity, before, &after);
        self.racks[rack.index()].shift(&change);
        self.clusters[cluster.index()].shift(&change);
        self.zone.shift(&change);
        if let Some(loads) = self.loads.as_mut().filter(|_| before.load != after.load) {
            loads.change(&self.fleet, machine, before.load, after.load);
        }
        *before = after;
        self.journal.record(cluster, machine, after.free);
    }

    /// When machines are expected to be free.
    #[inline]
    #[must_use]
    pub fn exits(&self) -> &Exits {
        &self.exits
    }

    /// Sums over the whole zone.
    #[must_use]
    pub fn zone(&self) -> &Totals {
        &self.zone
    }

    /// A machine as a machine rule sees it.
    #[inline]
    #[must_use]
    pub fn machine(&self, id: MachineId) -> MachineView<'_> {
        MachineView { id, occupancy: self }
    }

    /// The condition of a machine.
    #[inline]
    #[must_use]
    pub fn host(&self, id: MachineId) -> HostView {
        let MachineRecord { readiness, host_version, risk, .. } = self.machines[id.index()];
        HostView { readiness, host_version, risk }
    }

    /// A machine and the sizes of VMs, as a rule about fragmentation sees them.
    #[inline]
    #[must_use]
    pub fn mixed(&self, id: MachineId) -> MixedView<'_> {
        MixedView { machine: self.machine(id), mix: &self.mix }
    }

    /// A machine and its last use, as a rule about the order of use sees them.
    #[inline]
    #[must_use]
    pub fn used(&self, id: MachineId) -> UsedView<'_> {
        UsedView { machine: self.machine(id), last_use: self.machines[id.index()].last_use }
    }

    /// A machine and its chassis as a power rule sees them.
    #[inline]
    #[must_use]
    pub fn chassis_of(&self, id: MachineId) -> ChassisView {
        match &self.loads {
            Some(loads) => loads.view(&self.fleet, id),
            None => ChassisLoads::view_of(&self.fleet, &self.machines, id),
        }
    }

    /// A rack as a rack rule sees it.
    #[inline]
    #[must_use]
    pub fn rack(&self, id: RackId) -> RackView<'_> {
        let cluster = self.fleet.cluster(self.fleet.cluster_of_rack(id));
        RackView {
            id,
            machines: self.fleet.machines_of_rack(id).len() as u32,
            totals: &self.racks[id.index()],
            cluster,
        }
    }

    /// A cluster as a cluster rule sees it.
    #[inline]
    #[must_use]
    pub fn cluster(&self, id: ClusterId) -> ClusterView<'_> {
        ClusterView { id, totals: &self.clusters[id.index()], cluster: self.fleet.cluster(id) }
    }
}

/// A place as a rule about the requesting tenant sees it.
#[derive(Clone, Copy, Debug)]
pub struct TenantView<V> {
    /// The place.
    pub place: V,
    /// VMs of the requesting tenant there.
    pub tenant_vms: u32,
}

/// What one decision reads: the fleet, and the requesting tenant's VMs.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The fleet in the agent's view.
    pub occupancy: &'a Occupancy,
    /// The requesting tenant's VMs.
    pub footprint: &'a Footprint,
    /// The bandwidth of the VM's links to them.
    pub needs: &'a Needs,
    /// The forecasts of deployments, if the VM starts a new one and a rule reads them.
    pub growth: Option<&'a Growth>,
}

impl<'a> Scene<'a> {
    /// The fleet for a tenant without VMs.
    #[must_use]
    pub const fn of(occupancy: &'a Occupancy) -> Self {
        Self { occupancy, footprint: Footprint::NONE, needs: Needs::NONE, growth: None }
    }
}

/// One machine, without anything around it that can change. A rule pays only for what it reads.
#[derive(Clone, Copy, Debug)]
pub struct MachineView<'a> {
    /// Its id.
    pub id: MachineId,
    occupancy: &'a Occupancy,
}

impl MachineView<'_> {
    #[inline]
    fn record(&self) -> &MachineRecord {
        &self.occupancy.machines[self.id.index()]
    }

    /// The number of machines in the zone, which never changes.
    #[inline]
    #[must_use]
    pub fn machines(&self) -> u32 {
        self.occupancy.fleet.machine_count()
    }

    /// Free capacity.
    #[inline]
    #[must_use]
    pub fn free(&self) -> Resources {
        self.occupancy.free(self.id)
    }

    /// Its capacity.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> Resources {
        self.occupancy.fleet.capacity(self.id)
    }

    /// VMs on it.
    #[inline]
    #[must_use]
    pub fn vms(&self) -> u32 {
        self.record().vms
    }

    /// Its condition.
    #[inline]
    #[must_use]
    pub fn host(&self) -> HostView {
        self.occupancy.host(self.id)
    }

    /// Capacity of low-priority VMs, which eviction would free.
    #[inline]
    #[must_use]
    pub fn evictable(&self) -> Resources {
        self.record().evictable
    }

    /// Whether its tenant shares it with no other.
    #[inline]
    #[must_use]
    pub fn is_isolated(&self) -> bool {
        self.record().isolated
    }

    /// Its lifetime class and which VMs it accepts (LAVA section 4.3). Its expected exit is reserved for rules that
    /// depend on the clock, and not available here.
    #[inline]
    #[must_use]
    pub fn lifetime_class(&self) -> (Phase, u8) {
        (self.record().life.phase, self.record().life.class)
    }

    /// Its class by its cluster's affinity group, from 1 for the shortest; 0 if it has none, as an empty machine (DVLA,
    /// Algorithm 2).
    #[inline]
    #[must_use]
    pub fn affinity_class(&self) -> u8 {
        if self.record().vms > 0 { self.record().life.affinity } else { 0 }
    }

    /// The longest first predicted lifetime of any VM on it, in seconds.
    #[inline]
    #[must_use]
    pub fn longest_life_s(&self) -> u32 {
        self.record().life.longest_s
    }
}

/// The condition of one machine: what incidents and operators change, and VMs that come and go do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostView {
    /// Whether it accepts new VMs.
    pub readiness: Readiness,
    /// The host environment it runs; larger is newer.
    pub host_version: u16,
    /// The probability that it fails soon, in percent.
    pub risk: u8,
}

/// One machine and the mix of VM sizes, which never changes.
#[derive(Clone, Copy, Debug)]
pub struct MixedView<'a> {
    /// The machine.
    pub machine: MachineView<'a>,
    /// The sizes; empty if no rule reads them.
    pub mix: &'a ShapeMix,
}

/// One machine and its last placement.
#[derive(Clone, Copy, Debug)]
pub struct UsedView<'a> {
    /// The machine.
    pub machine: MachineView<'a>,
    /// The placement; never if no rule reads it.
    pub last_use: LastUse,
}

/// One rack: sums over its machines.
#[derive(Clone, Copy, Debug)]
pub struct RackView<'a> {
    /// Its id.
    pub id: RackId,
    /// Machines in it.
    pub machines: u32,
    totals: &'a Totals,
    cluster: &'a Cluster,
}

impl RackView<'_> {
    /// The allocated share of a resource, 0 to 1; 0 if there is none of it.
    #[must_use]
    pub fn used_share(&self, resource: Resource) -> f64 {
        share(self.totals.used(resource), u64::from(self.cluster.capacity[resource]) * u64::from(self.machines))
    }

    /// The free amount on all its machines, in stored units.
    #[must_use]
    pub fn free(&self, resource: Resource) -> u64 {
        (u64::from(self.cluster.capacity[resource]) * u64::from(self.machines))
            .saturating_sub(self.totals.used(resource))
    }

    /// The share of its machines that host no VM, 0 to 1.
    #[must_use]
    pub fn empty_share(&self) -> f64 {
        share(u64::from(self.machines - self.totals.busy), u64::from(self.machines))
    }
}

/// One cluster: sums over its machines.
#[derive(Clone, Copy, Debug)]
pub struct ClusterView<'a> {
    /// Its id.
    pub id: ClusterId,
    totals: &'a Totals,
    cluster: &'a Cluster,
}

impl ClusterView<'_> {
    /// The capacity of each machine.
    #[must_use]
    pub fn machine_capacity(&self) -> Resources {
        self.cluster.capacity
    }

    /// The number of its machines.
    #[must_use]
    pub fn machines(&self) -> u32 {
        self.cluster.machines().len() as u32
    }

    /// The allocated share of a resource, 0 to 1; 0 if there is none of it.
    #[must_use]
    pub fn used_share(&self, resource: Resource) -> f64 {
        share(self.totals.used(resource), self.cluster.total(resource))
    }

    /// The free amount on all its machines, in stored units.
    #[must_use]
    pub fn free(&self, resource: Resource) -> u64 {
        self.cluster.total(resource).saturating_sub(self.totals.used(resource))
    }

    /// The share of its machines that host no VM, 0 to 1.
    #[must_use]
    pub fn empty_share(&self) -> f64 {
        share(u64::from(self.machines() - self.totals.busy), u64::from(self.machines()))
    }

    /// Whether the used part of a resource is below this percentage. Whole percentages are compared exactly: use
    /// equal to the limit is not below it.
    #[must_use]
    pub fn is_used_below(&self, resource: Resource, pct: f64) -> bool {
        let [used, total] = [self.totals.used(resource), self.cluster.total(resource)].map(|units| units as i64 as f64);
        100.0 * used < pct * total.max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::ClusterSpec;

    #[test]
    fn sums_follow_every_change() {
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
        let mut occupancy = Occupancy::empty(fleet);
        let vm = VmShape::plain(Resources::new(2, 4, 0, 0));
        let placed = occupancy.record(MachineId(1)).with(&vm).expect("it fits");
        occupancy.set(MachineId(1), placed);
        assert_eq!(occupancy.zone().busy, 1);
        assert_eq!(occupancy.zone().used(Resource::Memory), 4);
        assert!((occupancy.rack(RackId(0)).used_share(Resource::Cores) - 0.125).abs() < 1e-12);
        assert!((occupancy.cluster(ClusterId(0)).used_share(Resource::Memory) - 0.125).abs() < 1e-12);
        assert_eq!(occupancy.rack(RackId(0)).used_share(Resource::Ssd), 0.0);
        occupancy.set(MachineId(1), placed.without(&vm));
        assert_eq!(*occupancy.zone(), Totals::default());
        assert_eq!(occupancy.revision(), Revision(2));
    }

    #[test]
    fn placements_are_counted_where_somebody_asks() {
        let spec = ClusterSpec {
            name: "c".into(),
            machines: 3,
            racks: 1,
            capacity: Resources::new(8, 8, 0, 0),
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        let vm = VmShape::plain(Resources::new(2, 2, 0, 0));
        let nobody = Occupancy::empty(Arc::new(Fleet::build(&[spec]).expect("a fleet")));
        let mut store = nobody.clone();
        store.count_uses();
        let mut view = store.clone();
        let numbers = |zone: &Occupancy| [0, 1, 2].map(|id| zone.used(MachineId(id)).last_use.number());
        let place = |zone: &mut Occupancy, machine| {
            let record = zone.record(MachineId(machine)).with(&vm).expect("it fits");
            zone.set(MachineId(machine), record);
        };
        [1, 0, 1].into_iter().for_each(|machine| place(&mut store, machine));
        assert_eq!(numbers(&store), [2, 3, 0]);
        // Another observer continues from the last count it has seen.
        view.set(MachineId(1), store.record(MachineId(1)));
        place(&mut view, 2);
        assert_eq!(numbers(&view), [0, 3, 4]);
        // A VM that leaves is not a use; an empty machine counts as never used.
        store.set(MachineId(1), store.record(MachineId(1)).without(&vm));
        store.set(MachineId(0), store.record(MachineId(0)).without(&vm));
        assert_eq!(numbers(&store), [0, 3, 0]);
        let mut uncounted = nobody;
        place(&mut uncounted, 1);
        assert_eq!(numbers(&uncounted), [0; 3]);
    }

    #[test]
    fn machines_that_take_no_vms_are_counted() {
        let spec = ClusterSpec {
            name: "c".into(),
            machines: 4,
            racks: 2,
            capacity: Resources::new(8, 8, 0, 0),
            unready: 3,
            datacenter: 0,
            chassis: 1,
        };
        let mut occupancy = Occupancy::empty(Arc::new(Fleet::build(&[spec]).expect("a fleet")));
        let mut check = |machine, readiness, unready| {
            let record = occupancy.record(MachineId(machine));
            occupancy.set(MachineId(machine), MachineRecord { readiness, ..record });
            assert_eq!(occupancy.zone().unready, unready, "machine {machine} is {readiness:?}");
        };
        check(3, Readiness::Unready, 3);
        check(3, Readiness::Failed, 3);
        check(0, Readiness::Failed, 4);
        check(3, Readiness::Ready, 3);
    }
}
