//! `TenantHazards`: a discrete-time hazard model that keeps learning.
//!
//! The [hazards](crate::hazards) are estimated from the tenant's VMs so far, shrunk towards the estimate for the VM type,
//! and that towards the estimate for all VMs, the more so the fewer were observed (a Beta prior from the group above).

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::{RequestId, ShapeId, Time, VmId, Workload, declare};

use super::{Kind, Lesson, seconds};
use crate::curve::Curve;
use crate::hazards::{self, Hazards, Seen, Told};
use crate::moments::{Moment, Moments, is_seen};
use crate::predictions::Predictions;
use crate::spells::{self, Spell, seconds_between};
use crate::training::{Learned, Learner};

declare! {
    /// Predicts with probabilities of ending, uptime by uptime: those of the tenant's VMs up to the request, drawn
    /// towards those of the VM type and of all VMs where few are known.
    ///
    /// VM types and all VMs are learned from the first part of the trace. Tenants are learned during the whole trace,
    /// always from what has happened by then: VMs that ended, and how long the others have been running. It knows the
    /// whole distribution, so a VM that outlives its prediction gets a new one.
    pub struct TenantHazards as "Tenant's hazards" {
        /// Share of the trace's time used for training.
        train_share: f64 = 50, 0 => 100, "%";
        /// Longer remaining lifetimes count as this long.
        cap: f64 = 168, 1 => 10000, "h";
        /// As many VMs of the coarser group count beside those of the finer one; a larger value is more cautious.
        prior: f64 = 2, 0.01 => 1000, "VMs";
        /// Which remaining lifetime is predicted: the one that this share of VMs does not exceed, or the mean with 0.
        quantile: f64 = 50, 0 => 99, "%";
    }
}

impl Kind for TenantHazards {
    fn begin(self, lesson: Lesson) -> Box<dyn Learner> {
        let cut = lesson.cut(self.train_share);
        Box::new(Watching::new(lesson.workload, cut, self))
    }
}

/// Events in one slice.
const MOMENTS_A_STEP: u32 = 64;

/// A tenant's VMs of all types or of one.
#[derive(Default)]
struct Group {
    /// The VMs that ended; `None` before the first.
    over: Option<Box<Seen>>,
    /// The request times of the running VMs, ascending.
    running: Vec<Time>,
    /// How many of those were running when the trace began. They come first.
    warm: usize,
}

impl Group {
    fn add(&mut self, start: Time) {
        self.warm += usize::from(start <= Time::ZERO);
        self.running.push(start);
    }

    /// Records that a VM requested at this time has ended at this uptime.
    fn remove(&mut self, start: Time, exit_s: u32, grid: &[u32]) {
        self.warm -= usize::from(start <= Time::ZERO);
        self.running.remove(self.running.partition_point(|other| *other < start));
        self.over.get_or_insert_with(|| Box::new(Seen::NOTHING)).add(grid, entry_s(start), exit_s, true);
    }

    /// All that is known about it now.
    fn so_far(&self, grid: &[u32], now: Time) -> Seen {
        let mut seen = self.over.as_deref().cloned().unwrap_or(Seen::NOTHING);
        let (warm, later) = self.running.split_at(self.warm);
        for start in warm {
            seen.add(grid, entry_s(*start), seconds_between(*start, now), false);
        }
        // A VM that was requested early enough has passed a step.
        for (step, end_s) in grid.iter().skip(1).enumerate() {
            let passed = later.partition_point(|start| seconds_between(*start, now) >= *end_s);
            seen.at_risk[step] += passed as u32;
        }
        seen
    }
}

/// The uptime at which observation of a VM began.
fn entry_s(start: Time) -> u32 {
    seconds_between(start, Time::ZERO)
}

struct Watching {
    terms: TenantHazards,
    workload: Arc<Workload>,
    cut: Time,
    grid: Vec<u32>,
    moments: Moments,
    all: Hazards,
    by_shape: Vec<Hazards>,
    tenants: BTreeMap<u64, Group>,
    by_type: BTreeMap<(u64, ShapeId), Group>,
    curves: Vec<Curve>,
    curve_of: Vec<u32>,
    trained_on: u32,
    trained_censored: u32,
    is_done: bool,
}

impl Watching {
    fn new(workload: Arc<Workload>, cut: Time, terms: TenantHazards) -> Self {
        let seen = spells::spells(&workload, cut);
        let grid = hazards::grid();
        let mut all = Seen::NOTHING;
        let mut shapes = alloc::vec![Seen::NOTHING; workload.shapes().len()];
        for Spell { vm, entry_s, exit_s, ended } in &seen {
            all.add(&grid, *entry_s, *exit_s, *ended);
            shapes[workload.shape_of(*vm).index()].add(&grid, *entry_s, *exit_s, *ended);
        }
        let all = all.alone();
        let by_shape = shapes.iter().map(|shape| shape.hazards(&all, 10.0 * terms.prior)).collect();
        let mut watching = Self {
            terms,
            cut,
            moments: Moments::of(&workload),
            workload,
            grid,
            all,
            by_shape,
            tenants: BTreeMap::new(),
            by_type: BTreeMap::new(),
            curves: Vec::new(),
            curve_of: Vec::new(),
            trained_on: seen.len() as u32,
            trained_censored: seen.iter().filter(|spell| !spell.ended).count() as u32,
            is_done: false,
        };
        // The curve for VMs outside of the workload.
        let average = watching.told().curve(&watching.grid, &watching.all);
        watching.curves.push(average);
        watching
    }

    fn told(&self) -> Told {
        Told { cap_s: seconds(self.terms.cap), quantile: self.terms.quantile }
    }

    /// Makes the predictions for the VMs of a request, then records it.
    fn asked(&mut self, request: RequestId) {
        let workload = Arc::clone(&self.workload);
        let (tenant, now) = (workload.tenant(request), workload.at(request));
        let of_tenant = self.tenants.get(&tenant).map(|group| group.so_far(&self.grid, now));
        let mut before = None;
        for vm in workload.vms_of(request).map(VmId) {
            let shape = workload.shape_of(vm);
            if before != Some(shape) {
                before = Some(shape);
                let hazards = self.hazards(of_tenant.as_ref(), tenant, shape, now);
                let curve = self.told().curve(&self.grid, &hazards);
                if self.curves.last() != Some(&curve) {
                    self.curves.push(curve);
                }
            }
            self.curve_of.push(self.curves.len() as u32 - 1);
        }
        for vm in workload.vms_of(request).map(VmId).filter(|vm| is_seen(&workload, *vm)) {
            self.tenants.entry(tenant).or_default().add(now);
            self.by_type.entry((tenant, workload.shape_of(vm))).or_default().add(now);
        }
    }

    /// All, the shape, the tenant, and the tenant's VMs of this shape, each shrunk towards the one before.
    fn hazards(&self, of_tenant: Option<&Seen>, tenant: u64, shape: ShapeId, now: Time) -> Hazards {
        let prior = self.terms.prior;
        let of_shape = self.by_shape[shape.index()];
        let Some(of_tenant) = of_tenant else { return of_shape };
        let of_tenant = of_tenant.hazards(&of_shape, prior);
        let of_type = self.by_type.get(&(tenant, shape)).map(|group| group.so_far(&self.grid, now));
        of_type.map_or(of_tenant, |seen| seen.hazards(&of_tenant, prior))
    }

    fn left(&mut self, vm: VmId) {
        let workload = &self.workload;
        let request = workload.request_of(vm);
        let (tenant, start) = (workload.tenant(request), workload.at(request));
        let exit_s = seconds_between(start, workload.end(vm));
        let groups = [self.tenants.get_mut(&tenant), self.by_type.get_mut(&(tenant, workload.shape_of(vm)))];
        groups.into_iter().flatten().for_each(|group| group.remove(start, exit_s, &self.grid));
    }
}

impl Learner for Watching {
    fn step(&mut self) -> Option<u32> {
        if self.is_done {
            return None;
        }
        for _ in 0..MOMENTS_A_STEP {
            match self.moments.next(&self.workload) {
                Some(Moment::Asked(request)) => self.asked(request),
                Some(Moment::Left(vm)) => self.left(vm),
                None => {
                    self.is_done = true;
                    break;
                }
            }
        }
        Some(10 * MOMENTS_A_STEP)
    }

    fn share_done(&self) -> f32 {
        self.moments.share_done(&self.workload)
    }

    fn finish(self: Box<Self>) -> Learned {
        Learned {
            predictions: Predictions::of_curves(self.curves, self.curve_of),
            cut: self.cut,
            trained_on: self.trained_on,
            trained_censored: self.trained_censored,
            influence: Vec::new(),
        }
    }
}
