//! `FragmentationGradient`: FGD of Weng et al., USENIX ATC 2023, for VMs.

use tiebreak_model::{MixedView, Resource, Resources, VmRequest, declare};

use crate::rule::{OfMachineAndMix, Preference};

declare! {
    /// Prefers the machine whose fragmentation rises least with the VM.
    ///
    /// The fragmentation of a machine is the free capacity that is expected to be useless: for each size of VM, the share
    /// of VMs that have it, times the free share of the machine if it has no room for that size. The free share is the
    /// mean of cores and memory. A VM that takes useless capacity lowers it. The sizes are those of the whole trace,
    /// counted before the run. Differences are small, so compare without buckets. Adapted to VMs: the paper counts GPUs
    /// and parts of them. (Weng et al., ATC 2023)
    pub struct FragmentationGradient as "Least added fragmentation first" {
        /// Sizes that are considered, the most frequent first. A larger value also protects room for rare VMs and
        /// takes longer.
        sizes: u32 = 32, 1 => 256, "";
    }
}

impl Preference for FragmentationGradient {
    type Reach = OfMachineAndMix;
    type Key = Resources;

    fn key(&self, vm: &VmRequest) -> Resources {
        vm.shape.demand
    }

    fn score(&self, demand: &Resources, view: MixedView<'_>) -> f64 {
        let (free, capacity) = (view.machine.free(), view.machine.capacity());
        let left = free.saturating_sub(*demand);
        let [before, after] = [free, left].map(|free| share(free, capacity));
        let mut rise = 0.0;
        for (size, frequency) in view.mix.most_frequent(self.sizes) {
            let useless = |free: Resources, share: f64| if free.covers(*size) { 0.0 } else { share };
            rise += frequency * (useless(left, after) - useless(free, before));
        }
        // It is lowest if all free capacity was unusable and the VM takes it all, and highest in the reverse case.
        (1.0 + rise) / 2.0
    }
}

/// The mean free share of cores and memory, 0 to 1.
fn share(free: Resources, capacity: Resources) -> f64 {
    let of = |resource: Resource| match capacity[resource] {
        0 => 0.0,
        all => f64::from(free[resource].min(all)) / f64::from(all),
    };
    (of(Resource::Cores) + of(Resource::Memory)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::sync::Arc;
    use tiebreak_model::{
        ClusterSpec, Declared, Fleet, MachineId, MachineRecord, Occupancy, ShapeMix, Time, VmRow, VmShape,
        WorkloadBuilder,
    };

    const fn size(cores: u32, memory: u32) -> Resources {
        Resources::new(cores, memory, 0, 0)
    }

    /// Three of four VMs have 2 cores and 2 GiB, one has 8 and 8; the machine has 16 and 16.
    fn score_of(free: Resources, demand: Resources, sizes: f64) -> f64 {
        let spec = ClusterSpec {
            name: "c".into(),
            machines: 1,
            racks: 1,
            capacity: size(16, 16),
            unready: 0,
            datacenter: 0,
            chassis: 1,
        };
        let mut builder = WorkloadBuilder::new();
        for (name, asked) in (0..).zip([2, 2, 2, 8]) {
            let shape = VmShape::plain(size(asked, asked));
            builder.push(VmRow { name, tenant: 1, shape, start: Time(1), end: Time::NEVER });
        }
        let mix = ShapeMix::of(&builder.finish(Time(9)).expect("a workload"));
        let fleet = Fleet::build(&[spec]).expect("a fleet");
        let mut zone = Occupancy::empty(Arc::new(fleet)).with_mix(mix);
        zone.set(MachineId(0), MachineRecord { free, vms: 1, ..zone.record(MachineId(0)) });
        FragmentationGradient::from_values(&[sizes]).score(&demand, zone.mixed(MachineId(0)))
    }

    #[test]
    fn what_becomes_useless_counts_by_how_many_have_no_room_then() {
        for (free, demand, sizes, rise) in [
            // Both sizes fit before and after.
            (size(16, 16), size(2, 2), 32.0, 0.0),
            // A quarter of the VMs no longer fit, in 6 of 16.
            (size(8, 8), size(2, 2), 32.0, 0.25 * 6.0 / 16.0),
            // With one size, no VM needs 8.
            (size(8, 8), size(2, 2), 1.0, 0.0),
            // All of it is allocated: nothing unusable is left.
            (size(8, 8), size(8, 8), 32.0, 0.0),
            // Cores run out, and the remaining memory is unusable: 4 of 16, as a mean of both resources.
            (size(8, 12), size(8, 8), 32.0, 4.0 / 16.0 / 2.0),
            // No size fitted; the VM takes capacity that was unusable for all.
            (size(1, 16), size(1, 8), 32.0, 8.0 / 16.0 / 2.0 - 17.0 / 16.0 / 2.0),
        ] {
            assert_eq!(score_of(free, demand, sizes), (1.0 + rise) / 2.0, "{free:?} takes {demand:?}");
        }
    }
}
