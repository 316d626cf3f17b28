//! The zone as an incident changes it: everything it can do, and the only way it can.
//!
//! All of it goes through the store, so agents learn of it in time from the published log,
//! like of any other change (Protean section 4).

use alloc::vec::Vec;

use tiebreak_model::{Fleet, MachineId, MachineRecord, Time, VmId};
use tiebreak_placement::migrate::MigrationLimits;

use super::holds::Hold;
use crate::record::disruption::Reason;

/// The zone in the hands of one incident.
pub(crate) trait Zone {
    /// When this is.
    fn now(&self) -> Time;

    /// All machines.
    fn fleet(&self) -> &Fleet;

    /// This many machines by chance. Whom chance hits depends on the seed and on the incident's
    /// place in the list alone; of more machines it hits the same ones and others.
    fn draw_machines(&self, count: u32) -> Vec<MachineId>;

    /// All machines of this many racks by chance.
    fn draw_racks(&self, count: u32) -> Vec<MachineId>;

    /// What chance says of a VM for this purpose: it depends on the seed, on the incident's place in the list and on
    /// the VM alone.
    fn draw(&self, vm: VmId, purpose: u64) -> u64;

    /// Says this of a machine until it is released.
    fn hold(&mut self, machine: MachineId, hold: Hold);

    /// Says nothing of a machine any more.
    fn release(&mut self, machine: MachineId);

    /// Gives a machine the next host environment.
    fn renew_host(&mut self, machine: MachineId);

    /// Takes all VMs off a machine, the oldest first, and has them reallocated. What VMs that
    /// migrate still have there is gone too; they have another machine already.
    fn clear(&mut self, machine: MachineId, reason: Reason);

    /// When the last VM on a machine will have left of its own; none when there is none.
    fn last_end(&self, machine: MachineId) -> Option<Time>;

    /// Raises every cluster's utilization limit by so many points, if the list has one. Agents
    /// keep their views and start with fresh caches.
    fn raise_cluster_limit(&mut self, points: f64);

    /// Lets the lifetime rules of the list count from now on.
    fn roll_out_lifetimes(&mut self);

    /// A machine's state.
    fn record(&self, machine: MachineId) -> MachineRecord;

    /// Share of the zone's machines that hold nothing, in percent.
    fn empty_share_pct(&self) -> f64;

    /// The VMs on a machine, in no order that means anything.
    fn residents(&self, machine: MachineId) -> &[VmId];

    /// Since when a VM stands where it does.
    fn placed_at(&self, vm: VmId) -> Time;

    /// When a VM's time is over.
    fn end_of(&self, vm: VmId) -> Time;

    /// Whether this was a VM's last machine: its time was over there.
    fn ended_on(&self, vm: VmId, machine: MachineId) -> bool;

    /// How long a VM is predicted to live on, in seconds; none where nothing is predicted.
    fn remaining_s(&self, vm: VmId) -> Option<u32>;

    /// Whether a VM migrates now.
    fn is_migrating(&self, vm: VmId) -> bool;

    /// Whether a machine still holds what VMs had that migrate to others now.
    fn is_being_copied(&self, machine: MachineId) -> bool;

    /// How many VMs of the whole zone migrate now.
    fn migrating(&self) -> u32;

    /// When the next live migration of the zone ends.
    fn next_migration_end(&self) -> Option<Time>;

    /// Ends the live migrations whose time has come.
    fn end_due_migrations(&mut self);

    /// Begins to migrate a VM to where the list of rules would place it now; whether there is
    /// such a machine.
    fn migrate_live(&mut self, vm: VmId, until: Time) -> bool;

    /// Lets this incident go on, an instant later, whenever a VM leaves this machine.
    fn watch(&mut self, machine: MachineId);

    /// Does so no more.
    fn unwatch(&mut self, machine: MachineId);

    /// So many VMs are to be migrated.
    fn count_scheduled(&mut self, vms: usize);

    /// So many VMs need not be migrated, since they ended before it was their turn.
    fn count_saved(&mut self, vms: usize);

    /// Moves VMs as the list of rules recommends now.
    fn migrate_recommended(&mut self, limits: &MigrationLimits);
}
