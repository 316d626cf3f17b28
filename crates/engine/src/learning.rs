//! What is learned before a run starts, in slices, and cached, so that an edit of a rule repeats no training:
//! predictors of lifetimes and of utilization.

use std::sync::Arc;

use tiebreak_criticality::{LoadPredictions, Quality};
use tiebreak_lifetime::{Predictions, Training};
use tiebreak_model::{Load, Phrase};
use tiebreak_scenario::Variant;
use tiebreak_sim::{Plan, PowerSettings};

use super::lifetimes::learned;
use crate::protocol::Learned;

/// The duration of one slice of learning, in microseconds of a current computer; about twice as long in a browser.
const SLICE_US: u32 = 2_000;

/// The number of cached results of each kind; the least recently used one is evicted.
const KEPT: usize = 4;

/// What determines a trained predictor.
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

/// What determines predicted loads.
#[derive(Clone, Debug, PartialEq)]
struct LoadsKey {
    workload: u128,
    power: PowerSettings,
    seed: u64,
}

/// The predictions of VM utilization, and their quality.
#[derive(Clone)]
pub(super) struct Loads {
    loads: Arc<[Load]>,
    pub(super) quality: Option<Arc<Quality>>,
}

/// Cached results; the last used one is at the end.
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

/// Everything learned.
pub(super) struct Shelf {
    lifetimes: Kept<PredictorKey, Known>,
    loads: Kept<LoadsKey, Loads>,
}

impl Default for Shelf {
    fn default() -> Self {
        Self { lifetimes: Kept(Vec::new()), loads: Kept(Vec::new()) }
    }
}

/// A plan that waits for training.
pub(super) struct Learning {
    pub(super) run: u32,
    plan: Plan,
    variant: Box<Variant>,
    training: Option<(PredictorKey, Training)>,
    load_learning: Option<(LoadsKey, tiebreak_criticality::Learning)>,
    known: Lore,
    /// Whether it is paused.
    pub(super) paused: bool,
    /// How the run starts.
    pub(super) then: Beginning,
}

/// What is known before a run.
#[derive(Clone, Default)]
pub(super) struct Lore {
    pub(super) lifetimes: Option<Known>,
    pub(super) loads: Option<Loads>,
    /// A warning if its workload is shorter than requested.
    pub(super) ends_early: Option<Phrase>,
}

/// How a run starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// It runs.
    Runs,
    /// It is paused.
    Held,
    /// It makes one step.
    Steps,
    /// It continues until a commit fails.
    Seeks,
}

/// A run that is ready, immediately or after training.
pub(super) enum Ready {
    Now(Box<Plan>, Lore),
    Later(Box<Learning>),
}

/// Looks up the predictions that a plan needs.
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

/// The power settings without those that do not affect predictions: the reaction to capping.
fn what_counts(power: PowerSettings) -> PowerSettings {
    let PowerSettings {
        foretelling,
        trees,
        confidence_pct,
        learn_hours,
        labels,
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
        labels,
        label_hours,
        user_facing_pct,
        alike_pct,
        user_facing_p95_pct,
        other_p95_pct,
        ..PowerSettings::default()
    }
}

impl Learning {
    /// Learns for one slice. Returns whether learning is complete.
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

    /// The plan to run with its predictions, which are cached.
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
