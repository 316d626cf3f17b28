//! The zone as an incident changes it: everything it can do, and the only way it can.
//!
//! All of it goes through the store, so agents learn of it in time from the published log,
//! like of any other change (Protean section 4).

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use tiebreak_model::random::pick;
use tiebreak_model::{Fleet, MachineId, MachineRecord, RackId, Time, VmId, sort};
use tiebreak_placement::migrate::MigrationLimits;

use crate::disruptions::Reason;
use crate::holds::Hold;
use crate::world::World;

/// The newest host environment there can be.
const HOST_VERSION_MAX: u16 = 15;

/// The zone in the hands of one incident.
pub(crate) struct Zone<'a> {
    world: &'a mut World,
    incident: u32,
}

impl<'a> Zone<'a> {
    /// The zone for the incident at this place of the list.
    pub(crate) fn new(world: &'a mut World, incident: u32) -> Self {
        Self { world, incident }
    }

    pub(crate) fn now(&self) -> Time {
        self.world.now
    }

    pub(crate) fn fleet(&self) -> &Fleet {
        self.world.plan.fleet()
    }

    /// This many machines by chance. Whom chance hits depends on the seed and on the incident's
    /// place in the list alone; of more machines it hits the same ones and others.
    pub(crate) fn draw_machines(&self, count: u32) -> Vec<MachineId> {
        self.draw(count, self.fleet().machine_count()).into_iter().map(MachineId).collect()
    }

    /// All machines of this many racks by chance.
    pub(crate) fn draw_racks(&self, count: u32) -> Vec<MachineId> {
        let racks = self.draw(count, self.fleet().rack_count()).into_iter();
        racks.flat_map(|rack| self.fleet().machines_of_rack(RackId(rack))).map(MachineId).collect()
    }

    fn draw(&self, count: u32, of: u32) -> BTreeSet<u32> {
        if count >= of {
            return (0..of).collect();
        }
        let stream = self.world.plan.seed.stream("incidents");
        let mut drawn = BTreeSet::new();
        let mut draws = (0..).map(|draw| pick(stream.draw(self.incident.into(), draw), of));
        while drawn.len() < count as usize {
            drawn.extend(draws.next());
        }
        drawn
    }

    /// Says this of a machine until it is released.
    pub(crate) fn hold(&mut self, machine: MachineId, hold: Hold) {
        self.world.disrupted.holds.set(machine, self.incident, hold);
        self.show_worst(machine);
    }

    /// Says nothing of a machine any more.
    pub(crate) fn release(&mut self, machine: MachineId) {
        self.world.disrupted.holds.lift(machine, self.incident);
        self.show_worst(machine);
    }

    fn show_worst(&mut self, machine: MachineId) {
        let fleet = self.world.plan.fleet();
        let at_start = fleet.cluster(fleet.cluster_of(machine)).readiness_at_start(machine);
        let Hold { readiness, risk } = self.world.disrupted.holds.worst(machine, at_start);
        self.change(machine, |record| MachineRecord { readiness, risk, ..record });
    }

    /// Gives a machine the next host environment.
    pub(crate) fn renew_host(&mut self, machine: MachineId) {
        self.change(machine, |record| {
            let host_version = (record.host_version + 1).min(HOST_VERSION_MAX);
            MachineRecord { host_version, ..record }
        });
    }

    /// Takes all VMs off a machine, the oldest first, and has them reallocated. What VMs that
    /// migrate still have there is gone too; they have another machine already.
    pub(crate) fn clear(&mut self, machine: MachineId, reason: Reason) {
        let mut vms = self.world.disrupted.residents.on(machine).to_vec();
        sort::seldom(&mut vms, |one, other| one < other);
        let copies: Vec<_> = self.world.disrupted.copies.on(machine).collect();
        copies.into_iter().for_each(|vm| self.world.end_migration(vm));
        let plan = &self.world.plan;
        let shapes: Vec<_> = vms.iter().map(|vm| *plan.workload.shape_of_vm(*vm)).collect();
        self.change(machine, |record| shapes.iter().fold(record, MachineRecord::without));
        for vm in vms {
            self.world.reallocate(vm, reason);
        }
    }

    fn change(&mut self, machine: MachineId, change: impl Fn(MachineRecord) -> MachineRecord) {
        let before = self.world.store.occupancy().record(machine);
        let after = change(before);
        if after != before {
            self.world.store.set(self.world.now, machine, after);
        }
    }

    /// When the last VM on a machine will have left of its own; none when there is none.
    pub(crate) fn last_end(&self, machine: MachineId) -> Option<Time> {
        let vms = self.world.disrupted.residents.on(machine).iter();
        vms.map(|vm| self.world.plan.workload.end(*vm)).max()
    }

    /// Raises every cluster's utilization limit by so many points, if the list has one. Agents
    /// keep their views and start with fresh caches.
    pub(crate) fn raise_cluster_limit(&mut self, points: f64) {
        self.world.disrupted.limits_raised += points;
        self.world.change_policy();
    }

    /// Lets the lifetime rules of the list count from now on.
    pub(crate) fn roll_out_lifetimes(&mut self) {
        self.world.disrupted.lifetimes_off = false;
        self.world.change_policy();
    }

    /// A machine's state.
    pub(crate) fn record(&self, machine: MachineId) -> MachineRecord {
        self.world.store.occupancy().record(machine)
    }

    /// Share of the zone's machines that hold nothing, in percent.
    pub(crate) fn empty_share_pct(&self) -> f64 {
        let (busy, all) = (self.world.store.occupancy().zone().busy, self.fleet().machine_count());
        100.0 * f64::from(all - busy) / f64::from(all)
    }

    /// The VMs on a machine, in no order that means anything.
    pub(crate) fn residents(&self, machine: MachineId) -> &[VmId] {
        self.world.disrupted.residents.on(machine)
    }

    /// Since when a VM stands where it does.
    pub(crate) fn placed_at(&self, vm: VmId) -> Time {
        self.world.placement(vm).map_or(Time::NEVER, |(_, since)| since)
    }

    /// When a VM's time is over.
    pub(crate) fn end_of(&self, vm: VmId) -> Time {
        self.world.plan.workload.end(vm)
    }

    /// Whether this was a VM's last machine: its time was over there.
    pub(crate) fn ended_on(&self, vm: VmId, machine: MachineId) -> bool {
        self.end_of(vm) <= self.now() && self.world.placement(vm).is_some_and(|(last, _)| last == machine)
    }

    /// How long a VM is predicted to live on, in seconds; none where nothing is predicted.
    pub(crate) fn remaining_s(&self, vm: VmId) -> Option<u32> {
        self.world.predicted_s(vm)
    }

    /// Whether a VM migrates now.
    pub(crate) fn is_migrating(&self, vm: VmId) -> bool {
        self.world.disrupted.copies.old_place(vm).is_some()
    }

    /// Whether a machine still holds what VMs had that migrate to others now.
    pub(crate) fn is_being_copied(&self, machine: MachineId) -> bool {
        self.world.disrupted.copies.on(machine).next().is_some()
    }

    /// How many VMs of the whole zone migrate now.
    pub(crate) fn migrating(&self) -> u32 {
        self.world.disrupted.copies.count()
    }

    /// When the next live migration of the zone ends.
    pub(crate) fn next_migration_end(&self) -> Option<Time> {
        self.world.disrupted.copies.next_end()
    }

    /// Ends the live migrations whose time has come.
    pub(crate) fn end_due_migrations(&mut self) {
        let due = self.world.disrupted.copies.due(self.now());
        due.into_iter().for_each(|vm| self.world.end_migration(vm));
    }

    /// Begins to migrate a VM to where the list of rules would place it now; whether there is
    /// such a machine.
    pub(crate) fn migrate_live(&mut self, vm: VmId, until: Time) -> bool {
        self.world.migrate_live(vm, until)
    }

    /// Lets this incident go on, an instant later, whenever a VM leaves this machine.
    pub(crate) fn watch(&mut self, machine: MachineId) {
        self.world.disrupted.copies.watch(machine, self.incident);
    }

    pub(crate) fn unwatch(&mut self, machine: MachineId) {
        self.world.disrupted.copies.unwatch(machine, self.incident);
    }

    /// So many VMs are to be migrated.
    pub(crate) fn count_scheduled(&mut self, vms: usize) {
        self.world.counters.migrations_scheduled += vms as u64;
    }

    /// So many VMs need not be migrated, since they ended before it was their turn.
    pub(crate) fn count_saved(&mut self, vms: usize) {
        self.world.counters.migrations_saved += vms as u64;
    }

    /// Moves VMs as the list of rules recommends now.
    pub(crate) fn migrate_recommended(&mut self, limits: &MigrationLimits) {
        self.world.migrate_recommended(limits);
    }
}
