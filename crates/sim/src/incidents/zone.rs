//! The interface through which an incident changes the zone.
//!
//! Every change goes through the store, so agents learn of it from the published log with the usual delay (Protean
//! section 4).

use alloc::vec::Vec;

use tiebreak_model::{Fleet, MachineId, MachineRecord, Resources, Time, VmId};
use tiebreak_placement::migrate::MigrationLimits;

use super::holds::Hold;
use crate::record::disruption::Reason;

/// The zone as one incident can change it.
pub(crate) trait Zone {
    /// The current time.
    fn now(&self) -> Time;

    /// All machines.
    fn fleet(&self) -> &Fleet;

    /// This many random machines. The choice depends only on the seed and on the incident's index in the list; a
    /// larger count chooses the same machines and more.
    fn draw_machines(&self, count: u32) -> Vec<MachineId>;

    /// All machines of this many random racks.
    fn draw_racks(&self, count: u32) -> Vec<MachineId>;

    /// A random number for a VM and a purpose: it depends only on the seed, on the incident's index in the list and
    /// on the VM.
    fn draw(&self, vm: VmId, purpose: u64) -> u64;

    /// Puts this hold on a machine until it is released.
    fn hold(&mut self, machine: MachineId, hold: Hold);

    /// Removes the hold.
    fn release(&mut self, machine: MachineId);

    /// Gives a machine the next host environment.
    fn renew_host(&mut self, machine: MachineId);

    /// Removes all VMs from a machine, the oldest first, and has them reallocated. The old places of migrating VMs
    /// are removed too; those VMs already have another machine.
    fn clear(&mut self, machine: MachineId, reason: Reason);

    /// When the last VM on a machine will have ended on its own; `None` if there is none.
    fn last_end(&self, machine: MachineId) -> Option<Time>;

    /// Raises every cluster's utilization limit by this many points, if the policy has one. Agents keep their views
    /// and start with empty caches.
    fn raise_cluster_limit(&mut self, points: f64);

    /// Puts the policy's lifetime rules into effect.
    fn roll_out_lifetimes(&mut self);

    /// A machine's state.
    fn record(&self, machine: MachineId) -> MachineRecord;

    /// The share of the zone's machines that are empty, in percent.
    fn empty_share_pct(&self) -> f64;

    /// The VMs on a machine, in arbitrary order.
    fn residents(&self, machine: MachineId) -> &[VmId];

    /// Since when a VM has been on its machine.
    fn placed_at(&self, vm: VmId) -> Time;

    /// When a VM ends.
    fn end_of(&self, vm: VmId) -> Time;

    /// Whether a VM ended on this machine.
    fn ended_on(&self, vm: VmId, machine: MachineId) -> bool;

    /// A VM's predicted remaining lifetime, in seconds; `None` if there are no predictions.
    fn remaining_s(&self, vm: VmId) -> Option<u32>;

    /// Whether a VM is predicted to stay for as long as the settings of affinity groups call long.
    fn is_long(&self, vm: VmId) -> bool;

    /// What a VM takes of a machine.
    fn demand(&self, vm: VmId) -> Resources;

    /// Whether a VM is migrating.
    fn is_migrating(&self, vm: VmId) -> bool;

    /// Whether a machine is the old place of any migrating VM.
    fn is_being_copied(&self, machine: MachineId) -> bool;

    /// The number of migrating VMs in the zone.
    fn migrating(&self) -> u32;

    /// When the next live migration of the zone ends.
    fn next_migration_end(&self) -> Option<Time>;

    /// Ends the live migrations that are due.
    fn end_due_migrations(&mut self);

    /// Starts to migrate a VM to where the policy would place it now. Returns whether there is such a machine.
    fn migrate_live(&mut self, vm: VmId, until: Time) -> bool;

    /// Whether a VM can move to this machine now: it is ready and has room without evictions, and no tenant's
    /// placement terms are violated. VMs with links stay.
    fn may_move(&mut self, vm: VmId, to: MachineId) -> bool;

    /// Starts to migrate a VM to this machine, if it can move there. Returns whether it can.
    fn migrate_to(&mut self, vm: VmId, to: MachineId, until: Time) -> bool;

    /// Continues this incident one instant after any VM leaves this machine.
    fn watch(&mut self, machine: MachineId);

    /// Stops watching.
    fn unwatch(&mut self, machine: MachineId);

    /// Counts VMs to be migrated.
    fn count_scheduled(&mut self, vms: usize);

    /// Counts VMs that need no migration, because they ended before their turn.
    fn count_saved(&mut self, vms: usize);

    /// Moves VMs according to current recommendations.
    fn migrate_recommended(&mut self, limits: &MigrationLimits);
}
