//! The workloads that Gridiron's figures are computed on again: a trace and made-up ones, cleaned on a
//! 5-minute grid as the paper cleans its own. (Gridiron section II)

use tiebreak_model::random::Seed;
use tiebreak_model::{RequestId, VmId, VmRow, Workload, WorkloadBuilder};
use tiebreak_sim::vdc::peak_sizes;
use tiebreak_sim::{GeneratedWorkload, Vdcs};

use super::figure::{Measure, Scale};
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::trace::lasting;

/// VMs of a VDC at a time at most, where they are capped. (Gridiron section IV)
pub(super) const CAP: u32 = 30;

/// The paper's grid.
const GRID_MINUTES: f64 = 5.0;

/// A workload in which each tenant is a VDC of any size.
pub(super) struct Base {
    pub(super) workload: Workload,
    /// VDCs and VMs before it was cleaned.
    pub(super) vdcs_before: u64,
    pub(super) vms_before: u64,
    /// VMs with a start or an end off the grid, and those that come and go in one tick.
    pub(super) off_grid: u64,
    pub(super) instant: u64,
}

/// A trace, and made-up deployments of several seeds.
pub(super) struct Bases {
    pub(super) trace: Base,
    pub(super) trace_name: String,
    /// Whether its tenants are deployments, as the paper's are.
    pub(super) has_deployments: bool,
    pub(super) generated: Vec<Base>,
    pub(super) seeds: Vec<u64>,
}

impl Bases {
    pub(super) fn of(given: &Given, settings: &GeneratedWorkload, scale: Scale) -> Result<Self, Failure> {
        let read = lasting(given)?;
        let cleaned = Base::of(&read.workload)?;
        let trace = Base {
            vdcs_before: read.tenants_before,
            vms_before: read.vms_before,
            off_grid: cleaned.off_grid + read.off_grid,
            instant: cleaned.instant + read.instant,
            ..cleaned
        };
        let seeds = scale.seeds(3);
        let made_up = |seed: &u64| Base::of(&come_later(&settings.generate(Seed(*seed))));
        let generated = seeds.iter().map(made_up).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { trace, trace_name: read.name, has_deployments: read.format == "Azure2017", generated, seeds })
    }

    /// All of them with their names, the trace first.
    pub(super) fn all(&self) -> impl Iterator<Item = (String, &Base)> {
        let generated =
            self.seeds.iter().zip(&self.generated).map(|(seed, base)| (format!("made up, seed {seed}"), base));
        std::iter::once((self.trace_name.clone(), &self.trace)).chain(generated)
    }

    /// One number of each, in the columns of a table.
    pub(super) fn measures<T>(
        &self,
        decimals: usize,
        of: impl Fn(&T) -> f64,
        trace: &T,
        generated: &[T],
    ) -> Vec<Measure> {
        vec![
            Measure::of("trace", decimals, std::iter::once(of(trace))),
            Measure::of("generated", decimals, generated.iter().map(of).collect::<Vec<_>>().into_iter()),
        ]
    }
}

/// Without those that stand there when the trace begins: made-up ones are tenants of their own, each a VDC of one.
fn come_later(workload: &Workload) -> Workload {
    let mut rows = WorkloadBuilder::new();
    for request in (workload.warm_count()..workload.request_count()).map(RequestId) {
        let (tenant, start) = (workload.tenant(request), workload.at(request));
        for vm in workload.vms_of(request).map(VmId) {
            let (name, shape, end) = (workload.name(vm), *workload.shape_of_vm(vm), workload.end(vm));
            rows.push(VmRow { name, tenant, shape, start, end });
        }
    }
    rows.finish(workload.horizon()).expect("made-up tenants come during the trace")
}

/// Tenants that grow and are deleted as a whole, as deployments are.
pub(super) fn deployments(scale: Scale) -> GeneratedWorkload {
    GeneratedWorkload {
        days: scale.pick(1.0, 7.0),
        requests_per_hour: scale.pick(60.0, 300.0),
        scale_outs: 50.0,
        deleted_whole: 50.0,
        ..GeneratedWorkload::default()
    }
}

/// In a sentence.
pub(super) fn described(settings: &GeneratedWorkload) -> String {
    let GeneratedWorkload { days, requests_per_hour, scale_outs, deleted_whole, .. } = settings;
    let days = if *days == 1.0 { "1 day".into() } else { format!("{days} days") };
    format!(
        "{days} of {requests_per_hour} generated requests per hour, from tenants of which {scale_outs} % grow and \
        {deleted_whole} % are deleted as a whole"
    )
}

impl Base {
    fn of(workload: &Workload) -> Result<Self, Failure> {
        let grid = Vdcs { grid_minutes: GRID_MINUTES, peak_vms: 0, ..Vdcs::default() };
        let cleaned = grid.regroup(workload).ok_or_else(|| {
            Failure("expected VMs that live longer than 5 minutes, got none; give a longer trace with --trace".into())
        })?;
        Ok(Self {
            vdcs_before: peak_sizes(workload).len() as u64,
            vms_before: workload.vm_count().into(),
            off_grid: cleaned.off_grid.into(),
            instant: cleaned.instant.into(),
            workload: cleaned.workload,
        })
    }

    /// The same with no VDC above the cap.
    pub(super) fn capped(&self) -> Workload {
        let capped = Vdcs { peak_vms: CAP, ..Vdcs::default() }.regroup(&self.workload);
        capped.expect("no VM is left out where times stay as they are").workload
    }
}

/// The value that this share of ascending sizes does not pass.
pub(super) fn percentile(sizes: &[u32], percent: usize) -> f64 {
    let at = (sizes.len() * percent).div_ceil(100).max(1) - 1;
    f64::from(sizes[at])
}

/// The distribution of sizes: how many percent have at most so many VMs.
pub(super) fn distribution(sizes: &[u32]) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (at, size) in sizes.iter().enumerate() {
        let point = (f64::from(*size), 100.0 * (at + 1) as f64 / sizes.len() as f64);
        match points.last_mut() {
            Some(last) if last.0 == point.0 => *last = point,
            _ => points.push(point),
        }
    }
    points
}
