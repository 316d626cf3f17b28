//! The workloads for Gridiron's figures: a trace and generated ones, cleaned on a 5-minute grid as the paper cleans
//! its own. (Gridiron section II)

use tiebreak_model::random::Seed;
use tiebreak_model::{RequestId, VmId, VmRow, Workload, WorkloadBuilder};
use tiebreak_sim::vdc::peak_sizes;
use tiebreak_sim::{GeneratedWorkload, Vdcs};

use super::figure::{Measure, Scale};
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::trace::lasting;

/// The cap on a VDC's concurrent VMs. (Gridiron section IV)
pub(super) const CAP: u32 = 30;

/// The paper's grid.
const GRID_MINUTES: f64 = 5.0;

/// A workload in which each tenant is a VDC of any size.
pub(super) struct Base {
    pub(super) workload: Workload,
    /// VDCs and VMs before cleaning.
    pub(super) vdcs_before: u64,
    pub(super) vms_before: u64,
    /// VMs with a start or an end off the grid, and those that start and end in one tick.
    pub(super) off_grid: u64,
    pub(super) instant: u64,
}

/// A trace, and generated deployments of several seeds.
pub(super) struct Bases {
    pub(super) trace: Base,
    pub(super) trace_name: String,
    /// Whether its tenants are deployments, like the paper's.
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

    /// All workloads with their names, the trace first.
    pub(super) fn all(&self) -> impl Iterator<Item = (String, &Base)> {
        let generated =
            self.seeds.iter().zip(&self.generated).map(|(seed, base)| (format!("made up, seed {seed}"), base));
        std::iter::once((self.trace_name.clone(), &self.trace)).chain(generated)
    }

    /// A value of each workload, in the columns of a table.
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

/// Drops the VMs that are alive when the trace begins: each generated one has its own tenant, so it would be a VDC of
/// one.
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

/// Tenants that grow and are deleted as a whole, like deployments.
pub(super) fn deployments(scale: Scale) -> GeneratedWorkload {
    GeneratedWorkload {
        days: scale.pick(1.0, 7.0),
        requests_per_hour: scale.pick(60.0, 300.0),
        scale_outs: 50.0,
        deleted_whole: 50.0,
        ..GeneratedWorkload::default()
    }
}

/// A description in one sentence.
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

    /// The same with all VDCs capped.
    pub(super) fn capped(&self) -> Workload {
        let capped = Vdcs { peak_vms: CAP, ..Vdcs::default() }.regroup(&self.workload);
        capped.expect("no VM is left out where times stay as they are").workload
    }
}

/// The percentile of ascending sizes.
pub(super) fn percentile(sizes: &[u32], percent: usize) -> f64 {
    let at = (sizes.len() * percent).div_ceil(100).max(1) - 1;
    f64::from(sizes[at])
}

/// The cumulative distribution of sizes, in percent.
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
