//! Tables that are produced a few rows at a time, as the source of files for other programs.

use alloc::vec::Vec;
use core::ops::Range;

use crate::ids::VmId;
use crate::resources::Resource;
use crate::time::Time;
use crate::workload::{VmShape, Workload};

/// The number of rows per step.
pub const STEP_ROWS: u32 = 100_000;

/// Rows in columns.
pub trait Table {
    /// The number of rows.
    fn rows(&self) -> u32;

    /// The columns of these rows; for an empty range, their names and kinds.
    fn columns(&self, rows: Range<u32>) -> Vec<Column<'_>>;

    /// All rows in steps, at least one step, so that a table without rows has its columns.
    fn steps(&self) -> impl Iterator<Item = Vec<Column<'_>>>
    where
        Self: Sized,
    {
        (0..self.rows().div_ceil(STEP_ROWS).max(1)).map(|step| self.columns(rows_of(step, self.rows())))
    }
}

/// The rows of one step of a table with this many rows.
#[must_use]
pub fn rows_of(step: u32, rows: u32) -> Range<u32> {
    let from = step.saturating_mul(STEP_ROWS).min(rows);
    from..rows.min(from.saturating_add(STEP_ROWS))
}

/// A column of some rows.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Column<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its values, one per row.
    #[cfg_attr(feature = "serde", serde(borrow))]
    pub values: Values<'a>,
}

/// The values of a column; `None` for missing values.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Values<'a> {
    /// Names and other unsigned integers.
    Whole(Vec<Option<u64>>),
    /// Amounts and times.
    Number(Vec<Option<f64>>),
    /// Words.
    #[cfg_attr(feature = "serde", serde(borrow))]
    Word(Vec<Option<&'a str>>),
}

impl Values<'_> {
    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Whole(values) => values.len(),
            Self::Number(values) => values.len(),
            Self::Word(values) => values.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A column of integers.
pub fn whole<'a>(name: &'a str, rows: Range<u32>, of: impl Fn(VmId) -> Option<u64>) -> Column<'a> {
    Column { name, values: Values::Whole(rows.map(|vm| of(VmId(vm))).collect()) }
}

/// A column of amounts or times.
pub fn number<'a>(name: &'a str, rows: Range<u32>, of: impl Fn(VmId) -> Option<f64>) -> Column<'a> {
    Column { name, values: Values::Number(rows.map(|vm| of(VmId(vm))).collect()) }
}

/// A column of words.
pub fn word<'a>(name: &'a str, rows: Range<u32>, of: impl Fn(VmId) -> Option<&'a str>) -> Column<'a> {
    Column { name, values: Values::Word(rows.map(|vm| of(VmId(vm))).collect()) }
}

/// A moment in seconds; `None` if it never comes. Exact to the millisecond.
#[must_use]
pub fn seconds(time: Time) -> Option<f64> {
    (time != Time::NEVER).then_some(time.0 as f64 / 1_000.0)
}

/// Every VM as a row, in order, with the standard column names of a table of VMs. Placement terms have columns if any
/// tenant has terms. Fractions are exact: thousandths of a core and 1/1024 of a GiB are finite decimals.
impl Table for Workload {
    fn rows(&self) -> u32 {
        self.vm_count()
    }

    fn columns(&self, rows: Range<u32>) -> Vec<Column<'_>> {
        let rows = || rows.clone();
        let shape = |vm| -> &VmShape { self.shape_of_vm(vm) };
        let size = |vm, resource: Resource| Some(f64::from(shape(vm).demand[resource]) / resource.unit().1);
        let mut columns = Vec::from([
            whole("vm", rows(), |vm| Some(self.name(vm))),
            whole("tenant", rows(), |vm| Some(self.tenant(self.request_of(vm)))),
            number("cores", rows(), |vm| size(vm, Resource::Cores)),
            number("memory_gib", rows(), |vm| size(vm, Resource::Memory)),
            whole("priority", rows(), |vm| Some(shape(vm).priority.into())),
            number("start_s", rows(), |vm| seconds(self.at(self.request_of(vm)))),
            number("end_s", rows(), |vm| seconds(self.end(vm))),
        ]);
        if self.shapes().iter().any(|shape| !shape.terms.is_none()) {
            columns.extend([
                whole("fault_domains", rows(), |vm| Some(shape(vm).terms.fault_domains.into())),
                word("scope", rows(), |vm| Some(shape(vm).terms.scope.word())),
                whole("per_machine", rows(), |vm| Some(shape(vm).terms.per_machine.into())),
                whole("per_rack", rows(), |vm| Some(shape(vm).terms.per_rack.into())),
                whole("isolated", rows(), |vm| Some(shape(vm).terms.isolated.into())),
            ]);
        }
        columns
    }
}
