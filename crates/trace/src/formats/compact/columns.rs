//! The columns, and the conversion between rows and columns.

use tiebreak_model::{RequestId, Time, VmId, VmRow, VmShape, Workload, WorkloadBuilder};

use super::clock::Clock;
use super::numbers::{Numbers, Reader};
use crate::column::TIME_MS_MAX;
use crate::error::TraceError;

/// The numbers of a trace, column by column. A group is the VMs of one tenant that start together. *First* columns
/// hold each group's first VM, *later* ones the others, group by group.
#[derive(Default)]
pub(super) struct Columns<Column> {
    /// Offset of each group's start from its beat, in steps; empty without a beat.
    pub(super) offsets: Column,
    /// VMs in each group, minus one.
    pub(super) sizes: Column,
    pub(super) later_names: Column,
    pub(super) first_kinds: Column,
    pub(super) later_kinds: Column,
    pub(super) later_ends: Column,
    pub(super) tenants: Column,
    pub(super) first_names: Column,
    pub(super) starts: Column,
    pub(super) first_ends: Column,
}

/// The previous values, from which the next are encoded as differences.
#[derive(Default)]
struct Before {
    tenant: u64,
    start: i64,
    name: u64,
    kind: u64,
}

impl Columns<Numbers> {
    /// The columns of a workload, and its number of groups.
    pub(super) fn of(workload: &Workload, clock: Clock) -> (u64, Self) {
        // Requests are numbered in the order of their starts.
        let requests = (0..workload.request_count()).map(RequestId);
        let mut order: Vec<_> = requests.map(|request| (workload.tenant(request), request)).collect();
        order.sort_unstable();
        let key = |(tenant, request): &(u64, RequestId)| (*tenant, workload.at(*request));
        let (mut columns, mut before, mut vms) = (Self::default(), Before::default(), Vec::new());
        let mut groups = 0;
        for group in order.chunk_by(|one, other| key(one) == key(other)) {
            vms.clear();
            vms.extend(group.iter().flat_map(|(_, request)| workload.vms_of(*request)).map(VmId));
            columns.push(workload, key(&group[0]), &mut vms, clock, &mut before);
            groups += 1;
        }
        (groups, columns)
    }

    /// Adds a group of VMs in any order. Kept as a separate function, like [`Clock::tells`].
    #[inline(never)]
    fn push(
        &mut self,
        workload: &Workload,
        (tenant, start): (u64, Time),
        vms: &mut [VmId],
        clock: Clock,
        before: &mut Before,
    ) {
        vms.sort_unstable_by_key(|vm| (workload.name(*vm), workload.end(*vm), workload.shape_of_vm(*vm)));
        let start_steps = clock.steps(start.0);
        let told_start = if clock.beat_ms == 0 { start_steps } else { clock.beat(start) };
        if clock.beat_ms > 0 {
            self.offsets.push(unsigned(start_steps - clock.steps_of_beat(told_start)));
        }
        self.sizes.push(vms.len() as u64 - 1);
        self.tenants.push(tenant.wrapping_sub(before.tenant));
        self.starts.push(unsigned(told_start - before.start));
        let mut last_end = None;
        for (index, vm) in vms.iter().enumerate() {
            let expected = if index == 0 { tenant.wrapping_sub(before.tenant) } else { 1 };
            let (vm_name, kind) = (workload.name(*vm), u64::from(workload.shape_of(*vm).0));
            let name = unsigned(vm_name.wrapping_sub(before.name).wrapping_sub(expected) as i64);
            let end = Some(workload.end(*vm)).filter(|end| *end != Time::NEVER).map(|end| clock.steps(end.0));
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
            (before.name, before.kind) = (vm_name, kind);
        }
        (before.tenant, before.start) = (tenant, told_start);
    }
}

impl Columns<Reader<'_>> {
    /// Restores the rows of this many groups and VMs; the columns are as long as the sizes say.
    pub(super) fn rows(
        mut self,
        [groups, vms]: [usize; 2],
        shapes: &[VmShape],
        clock: Clock,
    ) -> Result<WorkloadBuilder, TraceError> {
        let mut before = Before::default();
        let mut rows = WorkloadBuilder::new();
        rows.reserve(vms);
        for _ in 0..groups {
            let grown_by = self.tenants.number()?;
            before.tenant = before.tenant.wrapping_add(grown_by);
            before.start = before.start.wrapping_add(signed(self.starts.number()?));
            let steps = match clock.beat_ms {
                0 => before.start,
                _ => clock.steps_of_beat(before.start).wrapping_add(signed(self.offsets.number()?)),
            };
            let start = in_range(clock.ms(steps))?;
            let mut last_end = None;
            for place in 0..=self.sizes.number()? {
                let is_first = place == 0;
                let [names, kinds, ends] = match is_first {
                    true => [&mut self.first_names, &mut self.first_kinds, &mut self.first_ends],
                    false => [&mut self.later_names, &mut self.later_kinds, &mut self.later_ends],
                };
                let expected = if is_first { grown_by } else { 1 };
                before.name = before.name.wrapping_add(expected).wrapping_add(signed(names.number()?) as u64);
                before.kind = match (is_first, kinds.number()?) {
                    (true, kind) => kind,
                    (_, 0) => before.kind,
                    (_, kind) => kind - 1,
                };
                let end = ends.number()?.checked_sub(1).map(|told| match last_end {
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

/// Encodes a signed number as an unsigned one: small if it is near 0.
fn unsigned(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

/// Decodes it.
fn signed(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
