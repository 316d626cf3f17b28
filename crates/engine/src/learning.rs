//! What has to be learned before a run begins, in slices, and what is kept of it, so that an edit of a rule learns
//! nothing again: how long VMs live, and what they will use of their cores.

use std::sync::Arc;

use tiebreak_criticality::{LoadPredictions, Quality};
use tiebreak_lifetime::{Predictions, Training};
use tiebreak_model::{Load, Phrase};
use tiebreak_scenario::Variant;
use tiebreak_sim::{Plan, PowerSettings};

use super::lifetimes::learned;
use crate::protocol::Learned;

/// What one slice of learning may take, in microseconds of a present computer: in a browser about
/// twice as long.
const SLICE_US: u32 = 2_000;

/// Results of each kind that are kept; the one used longest ago makes room.
const KEPT: usize = 4;

/// What a trained predictor depends on.
#[derive(Clone, Debug, PartialEq)]
struct PredictorKey {
    workload: u128,
    predictor: String,
    values: Vec<f64>,
    seed: u64,
}

/// A trained predictor.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) predictions: Arc<Predictions>,
    pub(super) learned: Box<Learned>,
}

/// What predicted loads depend on.
#[derive(Clone, Debug, PartialEq)]
struct LoadsKey {
    workload: u128,
    power: PowerSettings,
    seed: u64,
}

/// What is predicted of the VMs' use of their cores, and how good that is.
#[derive(Clone)]
pub(super) struct Loads {
    loads: Arc<[Load]>,
    pub(super) quality: Option<Arc<Quality>>,
}

/// Results, the one used last at the end.
struct Kept<K, V>(Vec<(K, V)>);

impl<K: PartialEq, V: Clone> Kept<K, V> {
    fn find(&mut self, key: &K) -> Option<V> {
        let at = self.0.iter().position(|(kept, _)| kept == key)?;
        let found = self.0.remove(at);
        let value = found.1.clone();
        self.0.push(found);
        Some(value)
    }

    fn keep(&mut self, key: K, value: V) {
        if self.0.len() == KEPT {
            self.0.remove(0);
        }
        self.0.push((key, value));
    }
}

/// Everything that was learned.
pub(super) struct Shelf {
    lifetimes: Kept<PredictorKey, Known>,
    loads: Kept<LoadsKey, Loads>,
}

impl Default for Shelf {
    fn default() -> Self {
        Self { lifetimes: Kept(Vec::new()), loads: Kept(Vec::new()) }
    }
}

/// A plan for which something is learned.
pub(super) struct Learning {
    pub(super) run: u32,
    plan: Plan,
    variant: Box<Variant>,
    training: Option<(PredictorKey, Training)>,
    load_learning: Option<(LoadsKey, tiebreak_criticality::Learning)>,
    known: Lore,
    /// Whether it is held.
    pub(super) paused: bool,
    /// What the run does first.
    pub(super) then: Beginning,
}

/// What a run knows beforehand.
#[derive(Clone, Default)]
pub(super) struct Lore {
    pub(super) lifetimes: Option<Known>,
    pub(super) loads: Option<Loads>,
    /// Says that its workload is shorter than was asked for, where it is.
    pub(super) ends_early: Option<Phrase>,
}

/// How a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// It runs.
    Runs,
    /// It is held.
    Held,
    /// It makes one step.
    Steps,
    /// It goes on until a commit fails.
    Seeks,
}

/// What there is to run: at once, or when something was learned.
pub(super) enum Ready {
    Now(Box<Plan>, Lore),
    Later(Box<Learning>),
}

/// Looks for what a plan asks to be predicted.
pub(super) fn prepare(run: u32, variant: &Variant, plan: Plan, shelf: &mut Shelf, then: Beginning) -> Ready {
    let (mut known, mut training, mut load_learning) = (Lore::default(), None, None);
    known.ends_early = variant.ends_early(plan.workload());
    if plan.asks_for_lifetimes() {
        let row = &variant.predictor;
        let (predictor, values) = (row.id.clone(), row.values.clone());
        let key = PredictorKey { workload: plan.workload().fingerprint(), predictor, values, seed: variant.seed };
        known.lifetimes = shelf.lifetimes.find(&key);
        if known.lifetimes.is_none() {
            training = Some((key, row.train(plan.workload().clone(), variant.seed)));
        }
    }
    if plan.usages().is_some() {
        let key =
            LoadsKey { workload: plan.workload().fingerprint(), power: what_counts(variant.power), seed: variant.seed };
        known.loads = shelf.loads.find(&key);
        if known.loads.is_none() {
            load_learning = variant.predict_loads(&plan).map(|learning| (key, learning));
        }
    }
    let learning =
        Learning { run, plan, variant: Box::new(variant.clone()), training, load_learning, known, paused: false, then };
    if learning.training.is_none() && learning.load_learning.is_none() {
        let (plan, known) = learning.finish(shelf);
        return Ready::Now(Box::new(plan), known);
    }
    Ready::Later(Box::new(learning))
}

/// The settings without those that change nothing of what is predicted: what is done about power.
fn what_counts(power: PowerSettings) -> PowerSettings {
    let PowerSettings {
        foretelling,
        trees,
        confidence_pct,
        learn_hours,
        label_hours,
        user_facing_pct,
        alike_pct,
        user_facing_p95_pct,
        other_p95_pct,
        ..
    } = power;
    PowerSettings {
        foretelling,
        trees,
        confidence_pct,
        learn_hours,
        label_hours,
        user_facing_pct,
        alike_pct,
        user_facing_p95_pct,
        other_p95_pct,
        ..PowerSettings::default()
    }
}

impl Learning {
    /// Learns a little; whether all is learned.
    pub(super) fn work(&mut self) -> bool {
        let lifetimes = self.training.as_mut().is_none_or(|(_, training)| training.work(SLICE_US));
        lifetimes && self.load_learning.as_mut().is_none_or(|(_, learning)| learning.work())
    }

    pub(super) fn share_done(&self) -> f64 {
        let lifetimes = self.training.as_ref().map(|(_, training)| f64::from(training.share_done()));
        let loads = self.load_learning.as_ref().map(|(_, learning)| learning.progress());
        let parts = [lifetimes, loads].into_iter().flatten();
        parts.clone().sum::<f64>() / parts.count().max(1) as f64
    }

    /// What is to be run, and what it knows, which is kept.
    pub(super) fn finish(self, shelf: &mut Shelf) -> (Plan, Lore) {
        let Self { mut plan, variant, mut known, training, load_learning, .. } = self;
        if let Some((key, training)) = training {
            let trained = training.finish();
            let learned = Box::new(learned(&key.predictor, trained.quality));
            let of_lifetimes = Known { predictions: Arc::new(trained.predictions), learned };
            shelf.lifetimes.keep(key, of_lifetimes.clone());
            known.lifetimes = Some(of_lifetimes);
        }
        if let Some((key, learning)) = load_learning {
            let LoadPredictions { loads, quality } = learning.finish();
            let loads = Loads { loads: loads.into(), quality: quality.map(Arc::new) };
            shelf.loads.keep(key, loads.clone());
            known.loads = Some(loads);
        }
        if let Some(loads) = &known.loads {
            plan = plan.with_loads(&loads.loads);
        }
        if let Some(of_lifetimes) = &known.lifetimes {
            plan = plan.with_predictions(variant.lifetimes, of_lifetimes.predictions.clone());
        }
        (plan, known)
    }
}
