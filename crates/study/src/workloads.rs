//! The plans of many variants, sharing work: each trace is read once, and each predictor learns once from a workload.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tiebreak_lifetime::Predictions;
use tiebreak_model::{Declared, Workload};
use tiebreak_scenario::predictor::PredictorRow;
use tiebreak_scenario::{Variant, WorkloadRef};
use tiebreak_sim::Plan;

use crate::Failure;

/// Maximum number of cached predictions.
const PREDICTIONS_KEPT: usize = 8;

/// Where the workload of a variant comes from.
type Source<'a> = Box<dyn Fn(&Variant) -> Result<Arc<Workload>, Failure> + Sync + 'a>;

/// The caches that variants share.
pub struct Workloads<'a> {
    source: Source<'a>,
    /// Whether one trace stands for what variants generate.
    is_one: bool,
    /// Traces by fingerprint and settings.
    traces: Mutex<Vec<(TraceKey, Arc<Workload>)>>,
    predictions: Mutex<VecDeque<(PredictionKey, Arc<Predictions>)>>,
}

/// Fingerprint and settings.
type TraceKey = (u128, Vec<f64>);

/// Fingerprint of the training workload, predictor, seed.
type PredictionKey = (u128, PredictorRow, u64);

impl<'a> Workloads<'a> {
    /// Takes workloads from `source`; `is_one` says that one trace stands for all that would be generated.
    #[must_use]
    pub fn of(source: impl Fn(&Variant) -> Result<Arc<Workload>, Failure> + Sync + 'a, is_one: bool) -> Self {
        Self { source: Box::new(source), is_one, traces: Mutex::default(), predictions: Mutex::default() }
    }

    /// The plan of a variant.
    ///
    /// # Errors
    /// If the variant does not make a plan, and those of the source.
    pub fn plan(&self, variant: &Variant) -> Result<Plan, Failure> {
        let plan = variant.with_loads(variant.untrained_plan(self.workload(variant)?)?);
        if !plan.asks_for_lifetimes() {
            return Ok(plan);
        }
        let predictions = self.predictions(variant, plan.workload());
        Ok(plan.with_predictions(variant.lifetimes, predictions))
    }

    /// The workload of a variant.
    ///
    /// # Errors
    /// Those of the source.
    pub fn workload(&self, variant: &Variant) -> Result<Arc<Workload>, Failure> {
        let key = match &variant.workload {
            WorkloadRef::Trace { fingerprint, settings, .. } => (*fingerprint, settings.to_values()),
            WorkloadRef::Generated(_) if self.is_one => (0, Vec::new()),
            WorkloadRef::Generated(_) => return (self.source)(variant),
        };
        // Locked while it reads, so that no trace is read twice.
        let mut traces = locked(&self.traces);
        if let Some((_, workload)) = traces.iter().find(|(other, _)| *other == key) {
            return Ok(workload.clone());
        }
        let workload = (self.source)(variant)?;
        traces.push((key, workload.clone()));
        Ok(workload)
    }

    fn predictions(&self, variant: &Variant, workload: &Arc<Workload>) -> Arc<Predictions> {
        let key = (workload.fingerprint(), variant.predictor.clone(), variant.seed);
        if let Some((_, predictions)) = locked(&self.predictions).iter().find(|(other, _)| *other == key) {
            return predictions.clone();
        }
        let predictions = variant.predictions(workload.clone());
        let mut kept = locked(&self.predictions);
        if kept.len() == PREDICTIONS_KEPT {
            kept.pop_front();
        }
        kept.push_back((key, predictions.clone()));
        predictions
    }
}

/// Ignores a poisoned lock: entries are complete when they are inserted, so the data is valid after a panic.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
