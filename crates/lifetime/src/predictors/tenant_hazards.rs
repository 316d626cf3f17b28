//! `TenantHazards`: a discrete-time hazard model that keeps learning.
//!
//! A lifetime is a sequence of logarithmic steps, and a VM that reaches a step ends in it with a probability: the
//! hazard. It is estimated from the tenant's VMs so far, shrunk towards the estimate for the VM type, and that
//! towards the estimate for all VMs, the more so the fewer were observed (a Beta prior from the group above). VMs
//! that are still running count with the steps that they have passed. (Discrete-time survival: Singer and Willett,
//! Journal of Educational Statistics 1993)

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::{RequestId, ShapeId, Time, VmId, Workload, declare};

use super::{Kind, Lesson, seconds};
use crate::curve::Curve;
use crate::moments::{Moment, Moments, is_seen};
use crate::predictions::{Curves, Predictions};
use crate::spells::{self, Spell, seconds_between};
use crate::training::{Learned, Learner};
use crate::uptimes;

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
    fn begin(self, Lesson { workload, .. }: Lesson) -> Box<dyn Learner> {
        Box::new(Watching::new(workload, self))
    }
}

/// Every second uptime of the grid starts a step, so each starts about half again as late as the one before.
const STEPS: usize = Curve::STEPS_MAX / 2;

/// Events in one slice.
const MOMENTS_A_STEP: u32 = 64;

/// Ends and VMs at risk, step by step.
#[derive(Clone, Debug)]
struct Seen {
    ended: [u32; STEPS],
    /// VMs that were observed from the start of the step to its end, or to their own.
    at_risk: [u32; STEPS],
}

impl Seen {
    const NOTHING: Self = Self { ended: [0; STEPS], at_risk: [0; STEPS] };

    /// Adds a lifetime, observed from one uptime to another.
    fn add(&mut self, grid: &[u32], entry_s: u32, exit_s: u32, ended: bool) {
        let last = uptimes::place(grid, exit_s);
        // It counts from the first step that was observed from its start.
        let first = grid.partition_point(|from_s| *from_s < entry_s);
        (first..last).for_each(|step| self.at_risk[step] += 1);
        if ended && first <= last {
            self.at_risk[last] += 1;
            self.ended[last] += 1;
        }
    }

    /// The hazards, with those of the group above counting as `prior` VMs.
    fn hazards(&self, above: &[f64; STEPS], prior: f64) -> [f64; STEPS] {
        core::array::from_fn(|step| {
            (f64::from(self.ended[step]) + prior * above[step]) / (f64::from(self.at_risk[step]) + prior)
        })
    }
}

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
    all: [f64; STEPS],
    by_shape: Vec<[f64; STEPS]>,
    tenants: BTreeMap<u64, Group>,
    by_type: BTreeMap<(u64, ShapeId), Group>,
    curves: Vec<Curve>,
    curve_of: Vec<u32>,
    trained_on: u32,
    trained_censored: u32,
    is_done: bool,
}

impl Watching {
    fn new(workload: Arc<Workload>, terms: TenantHazards) -> Self {
        let cut = spells::cut(&workload, terms.train_share);
        let seen = spells::spells(&workload, cut);
        let grid: Vec<u32> = uptimes::grid().into_iter().step_by(2).collect();
        let mut all = Seen::NOTHING;
        let mut shapes = alloc::vec![Seen::NOTHING; workload.shapes().len()];
        for Spell { vm, entry_s, exit_s, ended } in &seen {
            all.add(&grid, *entry_s, *exit_s, *ended);
            shapes[workload.shape_of(*vm).index()].add(&grid, *entry_s, *exit_s, *ended);
        }
        // Where no VM was at risk, none ends.
        let all = all.hazards(&[0.0; STEPS], 1e-9);
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
        let average = watching.curve(&watching.all);
        watching.curves.push(average);
        watching
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
                let curve = self.curve(&self.hazards(of_tenant.as_ref(), tenant, shape, now));
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
    fn hazards(&self, of_tenant: Option<&Seen>, tenant: u64, shape: ShapeId, now: Time) -> [f64; STEPS] {
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

    /// The remaining lifetime at the start of each step, from the hazards.
    fn curve(&self, hazards: &[f64; STEPS]) -> Curve {
        let cap_s = f64::from(seconds(self.terms.cap));
        let quantile = self.terms.quantile;
        let remaining_s = |step: usize| {
            if quantile > 0.0 {
                self.quantile_s(hazards, step, 1.0 - quantile / 100.0, cap_s)
            } else {
                self.mean_s(hazards, step, cap_s)
            }
        };
        let steps = (0..STEPS).map(|step| (self.grid[step], libm::ceil(remaining_s(step)).clamp(1.0, cap_s) as u32));
        Curve::of(steps)
    }

    /// The mean remaining lifetime, counting at most the cap: of those running at a step's start, the share running
    /// at each later moment, integrated over time.
    fn mean_s(&self, hazards: &[f64; STEPS], from: usize, cap_s: f64) -> f64 {
        let (mut alive, mut mean_s) = (1.0, 0.0);
        for (step, hazard) in hazards.iter().enumerate().skip(from) {
            let begins_s = f64::from(self.grid[step] - self.grid[from]);
            let width_s = self.end_s(step, from).min(cap_s) - begins_s;
            if width_s <= 0.0 {
                break;
            }
            mean_s += alive * width_s * (1.0 - hazard / 2.0);
            alive *= 1.0 - hazard;
        }
        mean_s
    }

    /// The time at which at most this share of those running at a step's start is left.
    fn quantile_s(&self, hazards: &[f64; STEPS], from: usize, left: f64, cap_s: f64) -> f64 {
        let mut alive = 1.0;
        for (step, hazard) in hazards.iter().enumerate().skip(from) {
            let begins_s = f64::from(self.grid[step] - self.grid[from]);
            let after = alive * (1.0 - hazard);
            if after <= left {
                let part = (alive - left) / (alive - after);
                return begins_s + part * (self.end_s(step, from) - begins_s);
            }
            alive = after;
        }
        cap_s
    }

    /// The end of a step, in seconds after the start of another; the last one never ends.
    fn end_s(&self, step: usize, from: usize) -> f64 {
        self.grid.get(step + 1).map_or(f64::from(u32::MAX), |end_s| f64::from(end_s - self.grid[from]))
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
            predictions: Predictions::of_curves(Curves { curves: self.curves, curve_of: self.curve_of }),
            cut: self.cut,
            trained_on: self.trained_on,
            trained_censored: self.trained_censored,
            influence: Vec::new(),
        }
    }
}
