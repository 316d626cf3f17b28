//! The expected load of machines and chassis, and what rules about chassis see of it.

use alloc::vec::Vec;

use crate::fleet::Fleet;
use crate::ids::{ChassisId, MachineId};
use crate::occupancy::MachineRecord;
use crate::resources::share;
use crate::usage::Load;
use crate::workload::VmShape;

/// The expected load of the VMs on one machine or in one chassis: sums of [`Load::of_cores`], separately for
/// user-facing and for batch VMs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MachineLoad {
    /// User-facing VMs.
    pub user_facing: u32,
    /// Batch VMs, which can be throttled.
    pub other: u32,
}

impl MachineLoad {
    /// No load.
    pub const NONE: Self = Self { user_facing: 0, other: 0 };

    /// The sum of both.
    #[must_use]
    pub fn all(self) -> u32 {
        self.user_facing + self.other
    }

    /// See [`ChassisView::slowable_share`]; `full` is the load of the machine with all its cores in use all the time.
    fn slowable_share(self, full: u64) -> f64 {
        let more = f64::from(self.other) - f64::from(self.user_facing);
        if full == 0 { 0.0 } else { more / full as i64 as f64 }
    }

    pub(crate) fn of(vm: &VmShape) -> Self {
        let Load { user_facing, .. } = vm.load;
        // 10,000 cores at 100 % are 10^9.
        let load = vm.load.of_cores(vm.demand.cores_milli()) as u32;
        if user_facing { Self { user_facing: load, other: 0 } } else { Self { user_facing: 0, other: load } }
    }

    pub(crate) fn plus(self, more: Self) -> Self {
        Self { user_facing: self.user_facing + more.user_facing, other: self.other + more.other }
    }

    pub(crate) fn less(self, less: Self) -> Self {
        Self { user_facing: self.user_facing - less.user_facing, other: self.other - less.other }
    }
}

/// The expected load of one machine's VMs, and of its whole chassis.
#[derive(Clone, Copy, Debug)]
pub struct ChassisView {
    /// The share of the chassis' cores in use if all its VMs are at their 95th percentile at the same time, 0 to 1
    /// (power oversubscription, Algorithm 1, line 13).
    pub used_share: f64,
    /// The cores used by the machine's batch VMs minus those used by its user-facing ones, at their 95th percentiles,
    /// as a share of all its cores: -1 to 1 (Algorithm 1, lines 15 to 18).
    pub slowable_share: f64,
}

/// The shares that rules about chassis read, computed when a load changes: a decision reads those of hundreds of
/// machines.
#[derive(Clone, Debug)]
pub(crate) struct ChassisLoads {
    slowable_shares: Vec<f64>,
    chassis: Vec<ChassisLoad>,
}

/// The expected load of the VMs in one chassis, and the share of its cores that it is.
#[derive(Clone, Copy, Debug)]
struct ChassisLoad {
    load: u64,
    used_share: f64,
}

impl ChassisLoads {
    /// Those of a fleet in this state.
    pub(crate) fn of(fleet: &Fleet, machines: &[MachineRecord]) -> Self {
        let slowable = |(id, record): (u32, &MachineRecord)| record.load.slowable_share(full(fleet, MachineId(id)));
        let chassis = (0..fleet.chassis_count()).map(|id| ChassisLoad::of(fleet, machines, ChassisId(id)));
        Self { slowable_shares: (0..).zip(machines).map(slowable).collect(), chassis: chassis.collect() }
    }

    /// A machine's load changes.
    pub(crate) fn change(&mut self, fleet: &Fleet, machine: MachineId, before: MachineLoad, after: MachineLoad) {
        let (id, full) = (fleet.chassis_of(machine), full(fleet, machine));
        self.slowable_shares[machine.index()] = after.slowable_share(full);
        let chassis = &mut self.chassis[id.index()];
        let load = chassis.load + u64::from(after.all()) - u64::from(before.all());
        *chassis = ChassisLoad::new(load, fleet, id, full);
    }

    /// A machine and its chassis.
    #[inline]
    pub(crate) fn view(&self, fleet: &Fleet, machine: MachineId) -> ChassisView {
        ChassisView {
            used_share: self.chassis[fleet.chassis_of(machine).index()].used_share,
            slowable_share: self.slowable_shares[machine.index()],
        }
    }

    /// The same where the loads are not kept.
    pub(crate) fn view_of(fleet: &Fleet, machines: &[MachineRecord], machine: MachineId) -> ChassisView {
        ChassisView {
            used_share: ChassisLoad::of(fleet, machines, fleet.chassis_of(machine)).used_share,
            slowable_share: machines[machine.index()].load.slowable_share(full(fleet, machine)),
        }
    }
}

impl ChassisLoad {
    fn of(fleet: &Fleet, machines: &[MachineRecord], id: ChassisId) -> Self {
        let inside = fleet.machines_of_chassis(id);
        let full = full(fleet, MachineId(inside.start));
        let load = inside.map(|machine| u64::from(machines[machine as usize].load.all()));
        Self::new(load.sum(), fleet, id, full)
    }

    /// With this load, in a chassis of machines whose full load is `full`.
    fn new(load: u64, fleet: &Fleet, id: ChassisId, full: u64) -> Self {
        Self { load, used_share: share(load, fleet.machines_of_chassis(id).len() as u64 * full) }
    }
}

/// The load of a machine with all its cores in use all the time.
fn full(fleet: &Fleet, machine: MachineId) -> u64 {
    u64::from(fleet.capacity(machine).cores_milli()) * 100
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::ClusterSpec;
    use crate::occupancy::Occupancy;
    use crate::random::{Seed, pick};
    use crate::resources::Resources;
    use alloc::sync::Arc;

    #[test]
    fn shares_are_the_same_whether_and_since_when_they_are_kept() {
        let spec = |cores| ClusterSpec {
            name: "c".into(),
            machines: 7,
            racks: 2,
            capacity: Resources::new(cores, 9_000, 0, 0),
            unready: 0,
            datacenter: 0,
            chassis: 2,
        };
        let fleet = Arc::new(Fleet::build(&[spec(9_000), spec(7_000)]).expect("a fleet"));
        let mut zones = [(); 3].map(|()| Occupancy::empty(fleet.clone()));
        zones[0].keep_chassis_loads();
        let stream = Seed(3).stream("chassis test");
        let mut placed: Vec<(MachineId, VmShape)> = Vec::new();
        for step in 0..400 {
            let draw = |what, options| pick(stream.draw(step, what), options);
            let leaves = draw(0, 3) == 0 && !placed.is_empty();
            let (machine, vm) = if leaves {
                placed.swap_remove(draw(1, placed.len() as u32) as usize)
            } else {
                let load = Load { user_facing: draw(2, 2) == 0, p95_pct: draw(3, 101) as u8 };
                let vm = VmShape { load, ..VmShape::plain(Resources::new(1_000 * (1 + draw(4, 3)), 1, 0, 0)) };
                (MachineId(draw(5, 14)), vm)
            };
            let before = zones[0].record(machine);
            let Some(after) = (if leaves { Some(before.without(&vm)) } else { before.with(&vm) }) else { continue };
            if !leaves {
                placed.push((machine, vm));
            }
            zones.iter_mut().for_each(|zone| zone.set(machine, after));
            if step == 200 {
                zones[1].keep_chassis_loads();
            }
            for id in (0..14).map(MachineId) {
                let [kept, later, never] = zones.each_ref().map(|zone| {
                    let ChassisView { used_share, slowable_share } = zone.chassis_of(id);
                    (used_share.to_bits(), slowable_share.to_bits())
                });
                assert_eq!((kept, kept), (later, never), "step {step}, {id:?}");
            }
        }
        assert!(placed.len() > 5 && zones[0].chassis_of(placed[0].0).used_share > 0.0);
    }
}
