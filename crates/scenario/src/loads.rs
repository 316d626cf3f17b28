//! Predictors of a variant's VM utilization.

use std::sync::Arc;

use tiebreak_criticality::{Arrival, ForestSettings, Learning, LoadPredictor, Template};
use tiebreak_model::random::Seed;
use tiebreak_model::{Load, RequestId, Resource, Usage, VmId, Workload};
use tiebreak_sim::{LoadLabels, LoadPredictor as Choice, Plan, PowerSettings};

use crate::document::Variant;

const HOURS_IN_DAY: f64 = 24.0;

impl Variant {
    /// Predicts, in slices, the utilization of each VM of a plan; `None` if it is not needed.
    #[must_use]
    pub fn predict_loads(&self, plan: &Plan) -> Option<Learning> {
        let usages = plan.usages()?;
        let (predictor, settings) = (choice(self.power.foretelling), forests(&self.power));
        let mut arrivals = arrivals(plan.workload(), usages);
        let learns = matches!(predictor, LoadPredictor::Forests | LoadPredictor::CriticalityOnly);
        if learns && self.power.labels == LoadLabels::Templates {
            label(&mut arrivals, plan);
        }
        Some(Learning::new(arrivals, predictor, settings, Seed(self.seed)))
    }

    /// A plan with predictions for its VMs, which may take seconds.
    #[must_use]
    pub fn with_loads(&self, plan: Plan) -> Plan {
        match self.predict_loads(&plan) {
            Some(learning) => plan.with_loads(&learning.finish().loads),
            None => plan,
        }
    }
}

const fn choice(predictor: Choice) -> LoadPredictor {
    match predictor {
        Choice::Forests => LoadPredictor::Forests,
        Choice::Oracle => LoadPredictor::Oracle,
        Choice::CriticalityOnly => LoadPredictor::CriticalityOnly,
        Choice::Nothing => LoadPredictor::Nothing,
    }
}

fn forests(power: &PowerSettings) -> ForestSettings {
    ForestSettings {
        trees: power.trees as u16,
        confidence_pct: power.confidence_pct as u8,
        train_days: power.learn_hours / HOURS_IN_DAY,
        label_days: power.label_hours / HOURS_IN_DAY,
        ..ForestSettings::default()
    }
}

/// Labels VMs by templates of their telemetry.
fn label(arrivals: &mut [Arrival], plan: &Plan) {
    let (telemetry, mut template) = (plan.telemetry().expect("its VMs have a utilization"), Template::default());
    for (vm, arrival) in (0..).map(VmId).zip(arrivals) {
        let readings = |from, to| telemetry.half_hours(vm, from, to);
        arrival.label = Some(template.label(arrival.start, arrival.end, readings));
    }
}

/// The VMs of a workload in order of arrival, with their actual utilization.
fn arrivals(workload: &Arc<Workload>, usages: &Arc<[Usage]>) -> Vec<Arrival> {
    let of_request = |request: RequestId| {
        let (tenant, start) = (workload.tenant(request), workload.at(request));
        workload.vms_of(request).map(VmId).map(move |vm| {
            let demand = workload.shape_of_vm(vm).demand;
            Arrival {
                tenant,
                kind: demand[Resource::Cores] / 1_000,
                cores_milli: demand[Resource::Cores],
                memory_mib: demand[Resource::Memory],
                start,
                end: workload.end(vm),
                truth: usages.get(vm.index()).copied().unwrap_or(Usage { load: Load::UNKNOWN, mean_pct: 100 }),
                label: None,
            }
        })
    };
    (0..workload.request_count()).map(RequestId).flat_map(of_request).collect()
}
