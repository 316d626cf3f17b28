//! The columns, and how rows become columns and columns rows.

use tiebreak_model::{Time, VmRow, VmShape};

use super::clock::Clock;
use crate::column::TIME_MS_MAX;
use crate::error::TraceError;

/// The numbers of a trace, column by column. A group is the VMs of one tenant that start together; *first* is of each
/// group's first VM, *later* of the others, group by group.
#[derive(Default)]
pub(super) struct Columns {
    /// Steps that each group's start is off its beat; empty without a beat.
    pub(super) offsets: Vec<u64>,
    /// VMs in each group, less one.
    pub(super) sizes: Vec<u64>,
    pub(super) later_names: Vec<u64>,
    pub(super) first_kinds: Vec<u64>,
    pub(super) later_kinds: Vec<u64>,
    pub(super) later_ends: Vec<u64>,
    pub(super) tenants: Vec<u64>,
    pub(super) first_names: Vec<u64>,
    pub(super) starts: Vec<u64>,
    pub(super) first_ends: Vec<u64>,
}

/// What the next numbers are told from.
#[derive(Default)]
struct Before {
    tenant: u64,
    start: i64,
    name: u64,
    kind: u64,
}

impl Columns {
    /// Of rows in order of tenant, start and name.
    pub(super) fn of(rows: &[VmRow], shapes: &[VmShape], clock: Clock) -> Self {
        let mut columns = Self::default();
        let mut before = Before::default();
        for group in rows.chunk_by(|one, other| (one.tenant, one.start) == (other.tenant, other.start)) {
            columns.push(group, shapes, clock, &mut before);
        }
        columns
    }

    fn push(&mut self, group: &[VmRow], shapes: &[VmShape], clock: Clock, before: &mut Before) {
        let VmRow { tenant, start, .. } = group[0];
        let start_steps = clock.steps(start.0);
        let told_start = if clock.beat_ms == 0 { start_steps } else { clock.beat(start) };
        if clock.beat_ms > 0 {
            self.offsets.push(unsigned(start_steps - clock.steps_of_beat(told_start)));
        }
        self.sizes.push(group.len() as u64 - 1);
        self.tenants.push(tenant.wrapping_sub(before.tenant));
        self.starts.push(unsigned(told_start - before.start));
        let mut last_end = None;
        for (index, row) in group.iter().enumerate() {
            let expected = if index == 0 { tenant.wrapping_sub(before.tenant) } else { 1 };
            let name = unsigned(row.name.wrapping_sub(before.name).wrapping_sub(expected) as i64);
            let kind = shapes.iter().position(|shape| *shape == row.shape).expect("a shape of the workload") as u64;
            let end = (row.end != Time::NEVER).then(|| clock.steps(row.end.0));
            let told_end =
                end.map_or(0, |end| 1 + last_end.map_or((end - start_steps) as u64, |last| unsigned(end - last)));
            if index == 0 {
                self.first_names.push(name);
                self.first_kinds.push(kind);
                self.first_ends.push(told_end);
            } else {
                self.later_names.push(name);
                self.later_kinds.push(if kind == before.kind { 0 } else { 1 + kind });
                self.later_ends.push(told_end);
            }
            last_end = end.or(last_end);
            (before.name, before.kind) = (row.name, kind);
        }
        (before.tenant, before.start) = (tenant, told_start);
    }

    /// The rows again; the columns are as long as sizes say.
    pub(super) fn rows(&self, shapes: &[VmShape], clock: Clock) -> Result<Vec<VmRow>, TraceError> {
        let mut later = self.later_names.iter().zip(&self.later_kinds).zip(&self.later_ends);
        let firsts = self.first_names.iter().zip(&self.first_kinds).zip(&self.first_ends);
        let mut before = Before::default();
        let mut rows = Vec::with_capacity(self.first_names.len() + self.later_names.len());
        for (index, first) in firsts.enumerate() {
            let grown_by = self.tenants[index];
            before.tenant = before.tenant.wrapping_add(grown_by);
            before.start = before.start.wrapping_add(signed(self.starts[index]));
            let steps = match self.offsets.get(index) {
                Some(offset) => clock.steps_of_beat(before.start).wrapping_add(signed(*offset)),
                None => before.start,
            };
            let start = in_range(clock.ms(steps))?;
            let mut last_end = None;
            let group = std::iter::once(first).chain(later.by_ref().take(self.sizes[index] as usize));
            for (place, ((name, kind), end)) in group.enumerate() {
                let expected = if place == 0 { grown_by } else { 1 };
                before.name = before.name.wrapping_add(expected).wrapping_add(signed(*name) as u64);
                before.kind = match (place, kind) {
                    (0, kind) => *kind,
                    (_, 0) => before.kind,
                    (_, kind) => kind - 1,
                };
                let end = end.checked_sub(1).map(|told| match last_end {
                    Some(last) => signed(told).wrapping_add(last),
                    None => (told as i64).wrapping_add(clock.steps(start.0)),
                });
                last_end = end.or(last_end);
                rows.push(VmRow {
                    name: before.name,
                    tenant: before.tenant,
                    shape: shape_of(shapes, before.kind)?,
                    start,
                    end: end.map_or(Ok(Time::NEVER), |end| end_after(start, clock.ms(end)))?,
                });
            }
        }
        Ok(rows)
    }
}

fn shape_of(shapes: &[VmShape], kind: u64) -> Result<VmShape, TraceError> {
    let shape = usize::try_from(kind).ok().and_then(|kind| shapes.get(kind));
    shape.copied().ok_or(damaged("a shape that is not listed"))
}

fn end_after(start: Time, ms: i64) -> Result<Time, TraceError> {
    let end = in_range(ms)?;
    if end > start.max(Time::ZERO) { Ok(end) } else { Err(damaged("a VM that ends before it starts")) }
}

fn in_range(ms: i64) -> Result<Time, TraceError> {
    let good = ms.unsigned_abs() <= TIME_MS_MAX as u64;
    if good { Ok(Time(ms)) } else { Err(damaged("a time beyond 200 years")) }
}

pub(super) fn damaged(detail: &'static str) -> TraceError {
    TraceError::CompactDamaged { detail }
}

/// A number that may be negative as one that is not: small where it was near 0.
fn unsigned(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

/// The number behind it again.
fn signed(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
