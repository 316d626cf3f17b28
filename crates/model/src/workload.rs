//! The workload: the requests of a trace or of a generator, as columns.
//!
//! A request is the VMs that one tenant requested at one instant; it is placed all or nothing (Protean section 2.1).
//! VMs that were alive when the trace began come first, each as a separate request, in order of their start. Distinct
//! request traits are stored once, as shapes. At most 40 bytes per VM, if each is a separate request.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::ops::Range;

use xxhash_rust::xxh3::Xxh3;

use crate::earlier::Earlier;
use crate::ids::{RequestId, ShapeId, VmId};
use crate::resources::{Resource, Resources};
use crate::tenant::TenantTerms;
use crate::time::Time;
use crate::usage::Load;

/// The traits of a VM request that rules may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VmShape {
    /// Its demand.
    pub demand: Resources,
    /// 0 is the highest; spot VMs have 1.
    pub priority: u8,
    /// Its tenant's placement terms.
    pub terms: TenantTerms,
    /// The prediction of its utilization at its arrival; unknown if no rule reads it.
    pub load: Load,
}

impl VmShape {
    /// A VM of the highest priority whose tenant has no terms.
    #[must_use]
    pub const fn plain(demand: Resources) -> Self {
        Self { demand, priority: 0, terms: TenantTerms::NONE, load: Load::UNKNOWN }
    }

    /// Whether VMs of higher priority may evict it.
    #[inline]
    #[must_use]
    pub const fn is_evictable(&self) -> bool {
        self.priority > 0
    }
}

/// One VM from a reader or a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VmRow {
    /// Its number in the trace, or a hash of its name.
    pub name: u64,
    /// Its tenant: a number or a hash.
    pub tenant: u64,
    /// Its shape.
    pub shape: VmShape,
    /// When it was requested; at or before [`Time::ZERO`] it was already there.
    pub start: Time,
    /// When it leaves; [`Time::NEVER`] if the trace does not say.
    pub end: Time,
}

impl VmRow {
    /// Identifies its request: the time and the tenant. `None` for a VM that was already there, which is a separate
    /// request.
    #[must_use]
    pub fn request(&self) -> Option<(Time, u64)> {
        request_of(self.start, self.tenant)
    }
}

fn request_of(start: Time, tenant: u64) -> Option<(Time, u64)> {
    (start > Time::ZERO).then_some((start, tenant))
}

/// Why rows are not a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkloadError {
    /// There are no rows.
    Empty,
    /// More rows than ids.
    TooManyVms,
}

impl fmt::Display for WorkloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "expected at least one VM, got none"),
            Self::TooManyVms => write!(f, "expected fewer than 4,000,000,000 VMs; use a sample"),
        }
    }
}

impl core::error::Error for WorkloadError {}

/// Name, tenant, shape, start and end.
type PackedRow = (u64, u64, u32, Time, Time);

/// Collects rows in any order, 40 bytes each.
#[derive(Clone, Debug, Default)]
pub struct WorkloadBuilder {
    rows: Vec<PackedRow>,
    shapes: Vec<VmShape>,
    shape_ids: BTreeMap<VmShape, u32>,
    /// Shapes of the last rows with their ids: few are common, and a trace's rows are many.
    last_shapes: [Option<(VmShape, u32)>; 32],
    one_by_one: bool,
}

impl WorkloadBuilder {
    /// An empty builder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes each VM a separate request, even if its tenant requests several at one instant.
    #[must_use]
    pub fn one_by_one(self) -> Self {
        Self { one_by_one: true, ..self }
    }

    /// Adds a VM.
    pub fn push(&mut self, row: VmRow) {
        let packed = self.packed(row);
        self.rows.push(packed);
    }

    fn packed(&mut self, row: VmRow) -> PackedRow {
        (row.name, row.tenant, self.shape_id(row.shape), row.start, row.end)
    }

    fn shape_id(&mut self, shape: VmShape) -> u32 {
        let Self { shapes, shape_ids, last_shapes, .. } = self;
        let [cores, memory] = [Resource::Cores, Resource::Memory].map(|it| shape.demand[it]);
        // The upper bits of the product depend on all bits of both.
        let place = (cores ^ memory.rotate_left(16)).wrapping_mul(0x9E37_79B9) as usize >> 27;
        if let Some((last, id)) = last_shapes[place]
            && last == shape
        {
            return id;
        }
        let id = *shape_ids.entry(shape).or_insert_with(|| {
            shapes.push(shape);
            shapes.len() as u32 - 1
        });
        last_shapes[place] = Some((shape, id));
        id
    }

    /// The VMs so far, in order.
    pub fn rows(&self) -> impl Iterator<Item = VmRow> + Clone + '_ {
        self.rows.iter().map(|row| unpacked(row, &self.shapes))
    }

    /// Changes each VM so far.
    pub fn change(&mut self, mut change: impl FnMut(&mut VmRow)) {
        for index in 0..self.rows.len() {
            let before = unpacked(&self.rows[index], &self.shapes);
            let mut row = before;
            change(&mut row);
            if row != before {
                self.rows[index] = self.packed(row);
            }
        }
    }

    /// Keeps the VMs for which this is true.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&VmRow) -> bool) {
        let Self { rows, shapes, .. } = self;
        rows.retain(|row| is_kept(&unpacked(row, shapes)));
    }

    /// Sorts the VMs into a canonical order, so that any order of input makes the same workload.
    pub fn sort(&mut self) {
        let Self { rows, shapes, .. } = self;
        // Comparing starts alone is faster, and leaves small parts to the whole order.
        rows.sort_unstable_by_key(|row| row.3);
        for starting in rows.chunk_by_mut(|one, other| one.3 == other.3) {
            starting.sort_unstable_by(|one, other| order(one, other, shapes));
        }
        let mut sorted = Self { one_by_one: self.one_by_one, ..Self::default() };
        let mut ids = alloc::vec![u32::MAX; shapes.len()];
        for row in rows.iter_mut() {
            let id = &mut ids[row.2 as usize];
            if *id == u32::MAX {
                *id = sorted.shapes.len() as u32;
                sorted.shapes.push(shapes[row.2 as usize]);
            }
            row.2 = *id;
        }
        sorted.shape_ids = sorted.shapes.iter().copied().zip(0..).collect();
        sorted.rows = core::mem::take(rows);
        *self = sorted;
    }

    /// Takes memory for this many more VMs, so that pushing them moves no rows. Without enough memory it changes
    /// nothing.
    pub fn reserve(&mut self, vms: usize) {
        self.rows.try_reserve_exact(vms).unwrap_or_default();
    }

    /// The number of VMs for which it has memory.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.rows.capacity()
    }

    /// The number of VMs so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has no VMs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Sorts the rows into requests. `horizon` is the end of the trace, at least the time of its last request, so
    /// that every VM is decided.
    ///
    /// # Errors
    /// If there are no rows, or more than ids can count.
    pub fn finish(mut self, horizon: Time) -> Result<Workload, WorkloadError> {
        if self.rows.is_empty() {
            return Err(WorkloadError::Empty);
        }
        if self.rows.len() >= u32::MAX as usize {
            return Err(WorkloadError::TooManyVms);
        }
        let key = |(_, tenant, _, start, _): &PackedRow| {
            (*start, request_of(*start, *tenant).map_or(0, |(_, tenant)| tenant))
        };
        if !self.rows.is_sorted_by_key(key) {
            self.rows.sort_by_key(key);
        }
        let last_start = self.rows.last().map_or(horizon, |(_, _, _, start, _)| *start);
        Ok(Workload::of_sorted(self.rows, self.shapes, horizon.max(last_start), self.one_by_one))
    }
}

fn unpacked(&(name, tenant, shape, start, end): &PackedRow, shapes: &[VmShape]) -> VmRow {
    VmRow { name, tenant, shape: shapes[shape as usize], start, end }
}

/// Kept as a separate function: inlined into every step of the sort, it is ten times the code.
#[inline(never)]
fn order(one: &PackedRow, other: &PackedRow, shapes: &[VmShape]) -> Ordering {
    let key = |(name, tenant, _, start, end): &PackedRow| (*start, *tenant, *name, *end);
    key(one).cmp(&key(other)).then_with(|| shapes[one.2 as usize].cmp(&shapes[other.2 as usize]))
}

/// The requests of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    shapes: Vec<VmShape>,
    names: Vec<u64>,
    shape_of: Vec<u32>,
    ends: Vec<Time>,
    at: Vec<Time>,
    tenants: Vec<u64>,
    first_vm: Vec<u32>,
    warm: u32,
    horizon: Time,
    one_by_one: bool,
    earlier: Option<Arc<Earlier>>,
}

impl Workload {
    fn of_sorted(rows: Vec<PackedRow>, shapes: Vec<VmShape>, horizon: Time, one_by_one: bool) -> Self {
        let names = rows.iter().map(|row| row.0).collect();
        let shape_of = rows.iter().map(|row| row.2).collect();
        let ends = rows.iter().map(|row| row.4).collect();
        // Written over the rows, whose memory the other columns then take.
        let mut begun: Vec<(Time, u64)> = rows.into_iter().map(|(_, tenant, _, start, _)| (start, tenant)).collect();
        begun.shrink_to_fit();
        let request = |vm: u32| request_of(begun[vm as usize].0, begun[vm as usize].1);
        let is_first = |vm: &u32| one_by_one || *vm == 0 || request(*vm).is_none() || request(*vm) != request(*vm - 1);
        let vms = begun.len() as u32;
        let mut first_vm: Vec<u32> = (0..vms).filter(is_first).collect();
        let at = first_vm.iter().map(|vm| begun[*vm as usize].0).collect();
        let tenants = first_vm.iter().map(|vm| begun[*vm as usize].1).collect();
        let warm = first_vm.iter().filter(|vm| request(**vm).is_none()).count() as u32;
        first_vm.push(vms);
        first_vm.shrink_to_fit();
        Self { shapes, names, shape_of, ends, at, tenants, first_vm, warm, horizon, one_by_one, earlier: None }
    }

    /// The number of VMs.
    #[must_use]
    pub fn vm_count(&self) -> u32 {
        self.names.len() as u32
    }

    /// The number of requests.
    #[must_use]
    pub fn request_count(&self) -> u32 {
        self.at.len() as u32
    }

    /// How many of the first requests were alive when the trace began.
    #[must_use]
    pub fn warm_count(&self) -> u32 {
        self.warm
    }

    /// The size of its columns in bytes, including reserved capacity.
    #[must_use]
    pub fn bytes(&self) -> usize {
        fn of<T>(column: &Vec<T>) -> usize {
            column.capacity() * size_of::<T>()
        }
        let by_vm = of(&self.names) + of(&self.shape_of) + of(&self.ends);
        let earlier = self.earlier.as_ref().map_or(0, |earlier| size_of_val(earlier.rows()));
        of(&self.shapes) + by_vm + of(&self.at) + of(&self.tenants) + of(&self.first_vm) + earlier
    }

    /// The end of the trace.
    #[must_use]
    pub fn horizon(&self) -> Time {
        self.horizon
    }

    /// Whether each VM is a separate request.
    #[must_use]
    pub fn is_one_by_one(&self) -> bool {
        self.one_by_one
    }

    /// What happened before it, if that is known.
    #[must_use]
    pub fn earlier(&self) -> Option<&Arc<Earlier>> {
        self.earlier.as_ref()
    }

    /// The same workload after these VMs.
    #[must_use]
    pub fn with_earlier(self, earlier: Option<Arc<Earlier>>) -> Self {
        Self { earlier, ..self }
    }

    /// The distinct shapes.
    #[must_use]
    pub fn shapes(&self) -> &[VmShape] {
        &self.shapes
    }

    /// One shape.
    #[must_use]
    pub fn shape(&self, id: ShapeId) -> &VmShape {
        &self.shapes[id.index()]
    }

    /// The same VMs with these predictions of utilization at arrival, by id; VMs without an entry stay as they are.
    #[must_use]
    pub fn with_loads(&self, loads: &[Load]) -> Self {
        let (mut shapes, mut ids) = (Vec::new(), BTreeMap::new());
        let shape_of = (0..self.vm_count()).map(VmId).map(|vm| {
            let shape = *self.shape_of_vm(vm);
            let shape = VmShape { load: loads.get(vm.index()).copied().unwrap_or(shape.load), ..shape };
            *ids.entry(shape).or_insert_with(|| {
                shapes.push(shape);
                shapes.len() as u32 - 1
            })
        });
        let shape_of = shape_of.collect();
        Self { shape_of, shapes, ..self.clone() }
    }

    /// A VM's number in the trace, or the hash of its name.
    #[must_use]
    pub fn name(&self, vm: VmId) -> u64 {
        self.names[vm.index()]
    }

    /// The VM with this number or hash; the first if there are several.
    #[must_use]
    pub fn find(&self, name: u64) -> Option<VmId> {
        self.names.iter().position(|other| *other == name).map(VmId::of)
    }

    /// A VM's shape.
    #[inline]
    #[must_use]
    pub fn shape_of(&self, vm: VmId) -> ShapeId {
        ShapeId(self.shape_of[vm.index()])
    }

    /// The shape of a VM.
    #[inline]
    #[must_use]
    pub fn shape_of_vm(&self, vm: VmId) -> &VmShape {
        self.shape(self.shape_of(vm))
    }

    /// When a VM leaves.
    #[inline]
    #[must_use]
    pub fn end(&self, vm: VmId) -> Time {
        self.ends[vm.index()]
    }

    /// When VMs leave, in order of time and id: those whose start and end are as `is_wanted` says. In O(n log n).
    #[must_use]
    pub fn departures(&self, is_wanted: impl Fn(Time, Time) -> bool) -> Vec<(Time, VmId, ShapeId)> {
        let mut departures = Vec::with_capacity(self.ends.len());
        for request in (0..self.request_count()).map(RequestId) {
            let start = self.at(request);
            let vms = self.vms_of(request).map(VmId).filter(|vm| is_wanted(start, self.end(*vm)));
            departures.extend(vms.map(|vm| (self.end(vm), vm, self.shape_of(vm))));
        }
        departures.sort_unstable();
        departures
    }

    /// When a request arrived.
    #[inline]
    #[must_use]
    pub fn at(&self, request: RequestId) -> Time {
        self.at[request.index()]
    }

    /// The tenant of a request.
    #[must_use]
    pub fn tenant(&self, request: RequestId) -> u64 {
        self.tenants[request.index()]
    }

    /// The VMs of a request.
    #[inline]
    #[must_use]
    pub fn vms_of(&self, request: RequestId) -> Range<u32> {
        self.first_vm[request.index()]..self.first_vm[request.index() + 1]
    }

    /// The request of a VM.
    #[must_use]
    pub fn request_of(&self, vm: VmId) -> RequestId {
        RequestId::of(self.first_vm.partition_point(|first| *first <= vm.0) - 1)
    }

    /// Its VMs as rows, request by request.
    pub fn rows(&self) -> impl Iterator<Item = VmRow> + Clone + '_ {
        (0..self.request_count()).map(RequestId).flat_map(move |request| {
            let (tenant, start) = (self.tenant(request), self.at(request));
            self.vms_of(request).map(VmId).map(move |vm| {
                let (name, shape, end) = (self.name(vm), *self.shape_of_vm(vm), self.end(vm));
                VmRow { name, tenant, shape, start, end }
            })
        })
    }

    /// A 128-bit fingerprint of everything that a run or its predictor reads, independent of the file format.
    #[must_use]
    pub fn fingerprint(&self) -> u128 {
        let mut hash = Xxh3::new();
        for request in 0..self.request_count() {
            let request = RequestId(request);
            hash.update(&self.at(request).0.to_le_bytes());
            hash.update(&self.tenant(request).to_le_bytes());
            for vm in self.vms_of(request).map(VmId) {
                hash_vm(&mut hash, self.name(vm), self.end(vm), self.shape_of_vm(vm));
            }
        }
        hash.update(&self.horizon.0.to_le_bytes());
        if let Some(earlier) = &self.earlier {
            hash.update(&earlier.since().0.to_le_bytes());
            for row in earlier.rows() {
                hash.update(&row.start.0.to_le_bytes());
                hash.update(&row.tenant.to_le_bytes());
                hash_vm(&mut hash, row.name, row.end, &row.shape);
            }
        }
        hash.digest128()
    }
}

fn hash_vm(hash: &mut Xxh3, name: u64, end: Time, shape: &VmShape) {
    // All at once: an update costs more than hashing its few bytes.
    let mut bytes = [shape.priority; 33];
    bytes[..8].copy_from_slice(&name.to_le_bytes());
    bytes[8..16].copy_from_slice(&end.0.to_le_bytes());
    for (bytes, resource) in bytes[16..32].chunks_exact_mut(4).zip(Resource::ALL) {
        bytes.copy_from_slice(&shape.demand[resource].to_le_bytes());
    }
    hash.update(&bytes);
    // A tenant without terms does not change the fingerprint, which is older than terms.
    if !shape.terms.is_none() {
        let TenantTerms { fault_domains, scope, per_machine, per_rack, isolated } = shape.terms;
        for number in [fault_domains, per_machine, per_rack, scope as u16, u16::from(isolated)] {
            hash.update(&number.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: u64, tenant: u64, start: i64) -> VmRow {
        let shape = VmShape::plain(Resources::new(1_000 * (1 + name as u32 % 2), 1, 0, 0));
        VmRow { name, tenant, shape, start: Time(start), end: Time::NEVER }
    }

    fn build(rows: &[VmRow]) -> Workload {
        let mut builder = WorkloadBuilder::new();
        rows.iter().for_each(|row| builder.push(*row));
        builder.finish(Time(100)).expect("a workload")
    }

    #[test]
    fn a_trace_tells_until_its_last_request_at_least() {
        assert_eq!(build(&[row(1, 7, 5)]).horizon(), Time(100));
        assert_eq!(build(&[row(1, 7, 5), row(2, 7, 260)]).horizon(), Time(260));
    }

    #[test]
    fn rows_of_one_tenant_at_one_instant_are_one_request() {
        let workload = build(&[row(1, 7, 5), row(2, 8, 5), row(3, 7, 5), row(4, 7, 6), row(5, 9, -3), row(6, 9, -3)]);
        let requests: Vec<Vec<u64>> = (0..workload.request_count())
            .map(|request| workload.vms_of(RequestId(request)).map(|vm| workload.name(VmId(vm))).collect())
            .collect();
        assert_eq!(requests, [alloc::vec![5], alloc::vec![6], alloc::vec![1, 3], alloc::vec![2], alloc::vec![4]]);
        assert_eq!(workload.warm_count(), 2);
        assert_eq!(workload.shapes().len(), 2);
        let third = workload.find(3).expect("VM 3");
        assert_eq!(workload.request_of(third), RequestId(2));
    }

    #[test]
    fn a_vm_takes_at_most_40_bytes() {
        let rows: Vec<VmRow> = (0..10_001).map(|vm| row(vm, vm, vm as i64)).collect();
        let workload = build(&rows);
        assert_eq!(workload.request_count(), 10_001);
        let shapes = workload.shapes.capacity() * size_of::<VmShape>();
        // The end of the last request is stored too.
        assert_eq!(workload.bytes(), 40 * 10_001 + size_of::<u32>() + shapes);
    }

    #[test]
    fn the_fingerprint_ignores_the_order_of_other_tenants_and_sees_every_field() {
        let one = build(&[row(1, 7, 5), row(2, 8, 5)]);
        assert_eq!(one.fingerprint(), build(&[row(2, 8, 5), row(1, 7, 5)]).fingerprint());
        assert_ne!(one.fingerprint(), build(&[row(1, 7, 5), row(2, 8, 6)]).fingerprint());
        assert_ne!(one.fingerprint(), build(&[row(1, 7, 5), row(2, 9, 5)]).fingerprint());
    }
}
