//! Sampling of traces that are too large for a machine or a run: by tenant, by request, or by VM.
//!
//! Each row is decided separately, from a hash. So a file can be sampled while it is read, in any order of its rows,
//! and the sample is always the same.

use xxhash_rust::xxh3::xxh3_64;

use crate::declare::{ParamKind, ParamValue};
use crate::workload::VmRow;

/// What is kept or dropped as a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SampledBy {
    /// All VMs of a tenant.
    #[default]
    Tenant,
    /// All VMs of a request. VMs that were already there are one request each.
    Request,
    /// Each VM separately.
    Vm,
}

impl SampledBy {
    /// All ways, in display order.
    pub const ALL: [Self; 3] = [Self::Tenant, Self::Request, Self::Vm];

    /// Its names in documents, in the same order.
    pub const WORDS: &[&str] = &["tenant", "request", "vm"];
}

impl ParamValue for SampledBy {
    const KIND: ParamKind = ParamKind::Choice(Self::WORDS);

    fn from_number(number: f64) -> Self {
        Self::ALL.get(number as usize).copied().unwrap_or_default()
    }

    fn to_number(self) -> f64 {
        self as usize as f64
    }
}

/// One of several disjoint parts that together are the whole; no tenant, request or VM is in two parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// What is kept or dropped as a unit.
    pub by: SampledBy,
    /// The number of parts; 0 and 1 keep everything.
    pub one_in: u32,
    /// The index of this part, from 0; larger numbers wrap around.
    pub part: u32,
    /// Whether to drop VMs that start years from all others.
    pub without_outliers: bool,
}

impl Sample {
    /// Whether everything is kept.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.one_in <= 1
    }

    /// Whether a VM is kept.
    #[must_use]
    pub fn has(&self, vm: &VmRow) -> bool {
        let parts = u64::from(self.one_in);
        self.is_whole() || self.hash(vm) % parts == u64::from(self.part) % parts
    }

    fn hash(&self, vm: &VmRow) -> u64 {
        match (self.by, vm.request()) {
            (SampledBy::Tenant, _) => xxh3_64(&vm.tenant.to_le_bytes()),
            (SampledBy::Request, Some((at, tenant))) => {
                xxh3_64([tenant.to_le_bytes(), at.0.to_le_bytes()].as_flattened())
            }
            (SampledBy::Request, None) | (SampledBy::Vm, _) => xxh3_64(&vm.name.to_le_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::resources::Resources;
    use crate::time::Time;
    use crate::workload::VmShape;

    /// 600 VMs of 60 tenants, two at each of five instants; those at instant 0 were already there.
    fn rows() -> Vec<VmRow> {
        let shape = VmShape::plain(Resources::new(1_000, 1, 0, 0));
        let row =
            |vm: u64| VmRow { name: vm, tenant: vm % 60, shape, start: Time((vm / 60 % 5) as i64), end: Time::NEVER };
        (0..600).map(row).collect()
    }

    /// How many groups are kept only in part.
    fn cut<T: Ord>(by: SampledBy, together: impl Fn(&VmRow) -> T) -> usize {
        let rows = rows();
        let mut kept: alloc::collections::BTreeMap<T, [bool; 2]> = alloc::collections::BTreeMap::new();
        let sample = Sample { by, one_in: 3, part: 1, ..Sample::default() };
        rows.iter().for_each(|row| kept.entry(together(row)).or_default()[usize::from(sample.has(row))] = true);
        kept.values().filter(|seen| **seen == [true; 2]).count()
    }

    #[test]
    fn every_vm_is_in_one_part() {
        for by in SampledBy::ALL {
            let parts = |row: &VmRow| {
                (0..4).filter(|part| Sample { by, one_in: 4, part: *part, ..Sample::default() }.has(row)).count()
            };
            assert!(rows().iter().all(|row| parts(row) == 1), "{by:?}");
            assert!(rows().iter().all(|row| Sample { by, one_in: 1, part: 7, ..Sample::default() }.has(row)), "{by:?}");
            let first = |row: &VmRow| Sample { by, one_in: 4, part: 0, ..Sample::default() }.has(row);
            assert!(
                rows().iter().all(|row| Sample { by, one_in: 4, part: 8, ..Sample::default() }.has(row) == first(row)),
                "{by:?}"
            );
        }
    }

    #[test]
    fn what_stands_together_is_kept_together() {
        let tenants = SampledBy::ALL.map(|by| cut(by, |row| row.tenant));
        assert_eq!((tenants[0], tenants[1] > 50, tenants[2] > 50), (0, true, true), "{tenants:?}");
        let requests = SampledBy::ALL.map(|by| cut(by, VmRow::request));
        // VMs that were already there are not one request, so they count as one group that is split.
        assert_eq!((requests[0], requests[1], requests[2] > 50), (1, 1, true), "{requests:?}");
    }
}
