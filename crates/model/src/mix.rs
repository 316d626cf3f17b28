//! The sizes of VMs in a workload and their frequencies: the popularity of tasks in Weng et al., ATC 2023, section 3.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::resources::Resources;
use crate::workload::Workload;

/// The sizes of VMs, the most frequent first, each with its share of all VMs. Computed before a run and constant
/// during it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeMix(Vec<(Resources, f64)>);

impl ShapeMix {
    /// The maximum number of sizes in a mix; rarer ones are omitted.
    pub const SHAPES_MAX: u32 = 256;

    /// From all VMs of a workload, including those there at the start. VMs with equal demands have one size, whatever
    /// their other traits. Of equally frequent sizes, the smaller comes first.
    #[must_use]
    pub fn of(workload: &Workload) -> Self {
        let mut of_shape = alloc::vec![0_u32; workload.shapes().len()];
        (0..workload.vm_count()).for_each(|vm| of_shape[workload.shape_of(crate::VmId(vm)).index()] += 1);
        let mut of_size: BTreeMap<Resources, u32> = BTreeMap::new();
        for (shape, count) in workload.shapes().iter().zip(of_shape) {
            *of_size.entry(shape.demand).or_default() += count;
        }
        let mut sizes: Vec<_> = of_size.into_iter().filter(|(_, count)| *count > 0).collect();
        sizes.sort_by_key(|(_, count)| core::cmp::Reverse(*count));
        sizes.truncate(Self::SHAPES_MAX as usize);
        let all = f64::from(workload.vm_count());
        Self(sizes.into_iter().map(|(size, count)| (size, f64::from(count) / all)).collect())
    }

    /// The `count` most frequent sizes, each with its share of all VMs, 0 to 1.
    #[inline]
    #[must_use]
    pub fn most_frequent(&self, count: u32) -> &[(Resources, f64)] {
        &self.0[..self.0.len().min(count as usize)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Time;
    use crate::workload::{VmRow, VmShape, WorkloadBuilder};

    #[test]
    fn vms_of_one_size_are_counted_together() {
        let mut builder = WorkloadBuilder::new();
        for (name, (cores, priority)) in (0..).zip([(2, 0), (4, 0), (2, 1), (8, 0), (2, 0), (1, 0)]) {
            let shape = VmShape { priority, ..VmShape::plain(Resources::new(cores, 1, 0, 0)) };
            builder.push(VmRow { name, tenant: 1, shape, start: Time(i64::from(priority)), end: Time::NEVER });
        }
        let mix = ShapeMix::of(&builder.finish(Time(10)).expect("a workload"));
        let cores: Vec<_> = mix.most_frequent(9).iter().map(|(size, share)| (size.cores_milli(), *share)).collect();
        assert_eq!(cores, [(2, 0.5), (1, 1.0 / 6.0), (4, 1.0 / 6.0), (8, 1.0 / 6.0)]);
        assert_eq!(mix.most_frequent(1).len(), 1);
        assert_eq!(ShapeMix::default().most_frequent(3), []);
    }
}
