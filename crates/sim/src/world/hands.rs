//! Implements the operations of incidents ([`Zone`]) on the world.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use tiebreak_model::random::pick;
use tiebreak_model::{Fleet, MachineId, MachineRecord, RackId, Resources, Time, VmId, sort};
use tiebreak_placement::migrate::MigrationLimits;

use super::World;
use crate::incidents::holds::Hold;
use crate::incidents::zone::Zone;
use crate::record::disruption::Reason;

/// The newest possible host environment.
const HOST_VERSION_MAX: u16 = 15;

/// The world, as the incident at this index of the list can change it.
pub(super) struct Hands<'a> {
    pub(super) world: &'a mut World,
    pub(super) incident: u32,
}

impl Hands<'_> {
    fn draw_numbers(&self, count: u32, of: u32) -> BTreeSet<u32> {
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

    fn show_worst(&mut self, machine: MachineId) {
        let fleet = self.world.plan.fleet();
        let at_start = fleet.cluster(fleet.cluster_of(machine)).readiness_at_start(machine);
        let Hold { readiness, risk } = self.world.systems.incidents.holds.worst(machine, at_start);
        self.change(machine, |record| MachineRecord { readiness, risk, ..record });
    }

    fn change(&mut self, machine: MachineId, change: impl Fn(MachineRecord) -> MachineRecord) {
        let before = self.world.store.occupancy().record(machine);
        let after = change(before);
        if after != before {
            self.world.store.set(self.world.now, machine, after);
        }
    }
}

impl Zone for Hands<'_> {
    fn now(&self) -> Time {
        self.world.now
    }

    fn fleet(&self) -> &Fleet {
        self.world.plan.fleet()
    }

    fn draw_machines(&self, count: u32) -> Vec<MachineId> {
        self.draw_numbers(count, self.fleet().machine_count()).into_iter().map(MachineId).collect()
    }

    fn draw_racks(&self, count: u32) -> Vec<MachineId> {
        let racks = self.draw_numbers(count, self.fleet().rack_count()).into_iter();
        racks.flat_map(|rack| self.fleet().machines_of_rack(RackId(rack))).map(MachineId).collect()
    }

    fn draw(&self, vm: VmId, purpose: u64) -> u64 {
        let stream = self.world.plan.seed.stream("VMs that migrate");
        stream.draw(self.world.plan.luck(vm), u64::from(self.incident) << 1 | purpose)
    }

    fn hold(&mut self, machine: MachineId, hold: Hold) {
        self.world.systems.incidents.holds.set(machine, self.incident, hold);
        self.show_worst(machine);
    }

    fn release(&mut self, machine: MachineId) {
        self.world.systems.incidents.holds.lift(machine, self.incident);
        self.show_worst(machine);
    }

    fn renew_host(&mut self, machine: MachineId) {
        self.change(machine, |record| {
            let host_version = (record.host_version + 1).min(HOST_VERSION_MAX);
            MachineRecord { host_version, ..record }
        });
    }

    fn clear(&mut self, machine: MachineId, reason: Reason) {
        let mut vms = self.world.systems.incidents.residents.on(machine).to_vec();
        sort::seldom(&mut vms, |one, other| one < other);
        let copies: Vec<_> = self.world.systems.incidents.copies.on(machine).collect();
        copies.into_iter().for_each(|vm| self.world.end_migration(vm));
        let plan = &self.world.plan;
        let shapes: Vec<_> = vms.iter().map(|vm| *plan.workload.shape_of_vm(*vm)).collect();
        self.change(machine, |record| shapes.iter().fold(record, MachineRecord::without));
        for vm in vms {
            self.world.reallocate(vm, reason);
        }
    }

    fn last_end(&self, machine: MachineId) -> Option<Time> {
        let vms = self.world.systems.incidents.residents.on(machine).iter();
        vms.map(|vm| self.world.plan.workload.end(*vm)).max()
    }

    fn raise_cluster_limit(&mut self, points: f64) {
        self.world.systems.incidents.limits_raised += points;
        self.world.change_policy();
    }

    fn roll_out_lifetimes(&mut self) {
        self.world.systems.incidents.lifetimes_off = false;
        self.world.change_policy();
    }

    fn record(&self, machine: MachineId) -> MachineRecord {
        self.world.store.occupancy().record(machine)
    }

    fn empty_share_pct(&self) -> f64 {
        let (busy, all) = (self.world.store.occupancy().zone().busy, self.fleet().machine_count());
        100.0 * f64::from(all - busy) / f64::from(all)
    }

    fn residents(&self, machine: MachineId) -> &[VmId] {
        self.world.systems.incidents.residents.on(machine)
    }

    fn placed_at(&self, vm: VmId) -> Time {
        self.world.placement(vm).map_or(Time::NEVER, |(_, since)| since)
    }

    fn end_of(&self, vm: VmId) -> Time {
        self.world.plan.workload.end(vm)
    }

    fn ended_on(&self, vm: VmId, machine: MachineId) -> bool {
        self.end_of(vm) <= self.now() && self.world.placement(vm).is_some_and(|(last, _)| last == machine)
    }

    fn remaining_s(&self, vm: VmId) -> Option<u32> {
        self.world.predicted_s(vm)
    }

    fn is_long(&self, vm: VmId) -> bool {
        self.remaining_s(vm).is_some_and(|remaining_s| self.world.plan.affinity.is_long(remaining_s))
    }

    fn demand(&self, vm: VmId) -> Resources {
        self.world.plan.workload.shape_of_vm(vm).demand
    }

    fn is_migrating(&self, vm: VmId) -> bool {
        self.world.systems.incidents.copies.old_place(vm).is_some()
    }

    fn is_being_copied(&self, machine: MachineId) -> bool {
        self.world.systems.incidents.copies.on(machine).next().is_some()
    }

    fn migrating(&self) -> u32 {
        self.world.systems.incidents.copies.count()
    }

    fn next_migration_end(&self) -> Option<Time> {
        self.world.systems.incidents.copies.next_end()
    }

    fn end_due_migrations(&mut self) {
        let due = self.world.systems.incidents.copies.due(self.now());
        due.into_iter().for_each(|vm| self.world.end_migration(vm));
    }

    fn migrate_live(&mut self, vm: VmId, until: Time) -> bool {
        self.world.migrate_live(vm, until)
    }

    fn may_move(&mut self, vm: VmId, to: MachineId) -> bool {
        self.world.may_move(vm, to)
    }

    fn migrate_to(&mut self, vm: VmId, to: MachineId, until: Time) -> bool {
        self.world.migrate_to(vm, to, until)
    }

    fn watch(&mut self, machine: MachineId) {
        self.world.systems.incidents.copies.watch(machine, self.incident);
    }

    fn unwatch(&mut self, machine: MachineId) {
        self.world.systems.incidents.copies.unwatch(machine, self.incident);
    }

    fn count_scheduled(&mut self, vms: usize) {
        self.world.observed.counters.migrations_scheduled += vms as u64;
    }

    fn count_saved(&mut self, vms: usize) {
        self.world.observed.counters.migrations_saved += vms as u64;
    }

    fn migrate_recommended(&mut self, limits: &MigrationLimits) {
        self.world.migrate_recommended(limits);
    }
}
