//! The zones of the figures: parts of the paper's zone (preset `azure-zone`), each with its load and its mix of
//! hardware.

use std::sync::Arc;

use tiebreak_model::Workload;
use tiebreak_scenario::{Variant, WorkloadRef};
use tiebreak_sim::{Agents, GeneratedWorkload, Latency, Plan};

use tiebreak_console::answer::Failure;
pub(super) use tiebreak_console::at_once::at_once;
use tiebreak_console::scenario::preset;

/// The approximate number of machines in a cluster of the paper's zone.
const CLUSTER_MACHINES: u32 = 1_000;

/// A zone with this many machines.
pub(super) fn zone(machines: u32) -> Result<Variant, Failure> {
    let mut variant = preset("azure-zone")?.active_variant().clone();
    let whole = cores(&variant);
    let all = variant.clusters.len();
    let count = (machines.div_ceil(CLUSTER_MACHINES) as usize).min(all);
    // Evenly spread over the list, so that small zones also have several generations.
    let mut clusters: Vec<_> =
        (0..count).map(|index| variant.clusters[(2 * index + 1) * all / (2 * count)].clone()).collect();
    for (index, row) in clusters.iter_mut().enumerate() {
        let (count, index) = (count as u32, index as u32);
        row.settings.machines = machines / count + u32::from(index < machines % count);
    }
    variant.clusters = clusters;
    let share = cores(&variant) / whole;
    workload(&mut variant).requests_per_hour *= share;
    Ok(variant)
}

/// Cores of all machines.
pub(super) fn cores(variant: &Variant) -> f64 {
    variant.clusters.iter().map(|row| f64::from(row.settings.machines) * row.settings.cores).sum()
}

/// Machines of all clusters.
pub(super) fn machines(variant: &Variant) -> u32 {
    variant.clusters.iter().map(|row| row.settings.machines).sum()
}

/// The generator of its requests.
pub(super) fn workload(variant: &mut Variant) -> &mut GeneratedWorkload {
    if !matches!(variant.workload, WorkloadRef::Generated(_)) {
        variant.workload = WorkloadRef::default();
    }
    match &mut variant.workload {
        WorkloadRef::Generated(settings) => settings,
        WorkloadRef::Trace { .. } => unreachable!("it was just replaced"),
    }
}

/// Agents as in the paper's low-fidelity simulations: a VM takes 14 ms, or 88 ms in one case out of ten, and conflict
/// avoidance is on. (Protean section 6.2)
pub(super) fn as_simulated(variant: &mut Variant) {
    variant.agents.latency = Latency::Drawn;
    variant.agents.avoidance = 1.0;
}

/// A description of such agents, in one sentence.
pub(super) fn simulated(agents: &Agents) -> String {
    let Agents { hit_ms, miss_ms, hit_ratio, publish_ms, avoidance_best, avoidance_window, .. } = agents;
    format!(
        "A VM takes {hit_ms} ms, or {miss_ms} ms in {} % of the cases. Agents see changes after {publish_ms} ms; \
        after collisions they choose among the {avoidance_best} best machines (window of {avoidance_window} \
        commits).",
        100.0 - hit_ratio
    )
}

/// The requests of a seed.
pub(super) fn requests(variant: &Variant, seed: u64) -> Arc<Workload> {
    let variant = Variant { seed, ..variant.clone() };
    Arc::new(variant.generate().expect("the zones of figures have generated workloads"))
}

/// The plan of a run; metrics that the figures do not show are not sampled.
pub(super) fn plan(variant: &Variant, seed: u64, workload: Arc<Workload>) -> Result<Plan, Failure> {
    let variant = Variant { seed, ..variant.clone() };
    Ok(variant.plan(workload)?.without_samples())
}
