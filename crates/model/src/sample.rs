//! Which VMs of a trace are kept when it is too much for a machine or a run: by tenant, by request, or by VM.
//!
//! It is decided for each row by itself, from a hash, so that a file is sampled while it is read, in whatever order its
//! rows come, and always keeps the same ones.

use xxhash_rust::xxh3::xxh3_64;

use crate::declare::{ParamKind, ParamValue};
use crate::workload::VmRow;

/// What is kept or left out as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SampledBy {
    /// All VMs of a tenant.
    #[default]
    Tenant,
    /// All VMs of a request. Those that were there already are a request each.
    Request,
    /// Each VM by itself.
    Vm,
}

impl SampledBy {
    /// Every way, in the order it is shown.
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

/// One of several parts that have no tenant, request or VM in common and are the whole together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// What is kept or left out as a whole.
    pub by: SampledBy,
    /// How many parts there are; 0 and 1 keep everything.
    pub one_in: u32,
    /// Which of them, counted from 0; past the last it begins again at 0.
    pub part: u32,
    /// Whether VMs are left out that start years from all others.
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

    /// 600 VMs of 60 tenants, two at each instant of five; those at instant 0 were there already.
    fn rows() -> Vec<VmRow> {
        let shape = VmShape::plain(Resources::new(1_000, 1, 0, 0));
        let row =
            |vm: u64| VmRow { name: vm, tenant: vm % 60, shape, start: Time((vm / 60 % 5) as i64), end: Time::NEVER };
        (0..600).map(row).collect()
    }

    /// How many of those that stand together are kept only in part.
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
        // Those that were there already are no request together, so they count as one that is cut.
        assert_eq!((requests[0], requests[1], requests[2] > 50), (1, 1, true), "{requests:?}");
    }
}
