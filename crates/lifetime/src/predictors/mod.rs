//! Every predictor, in the order shown: one file each, one line here.
//!
//! Source: LAVA, section 3 and appendices A, B and G.1.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::random::Seed;
use tiebreak_model::{Declaration, Declared, History, Time, Workload};

use crate::spells;
use crate::training::{Learned, Learner, Training};

mod boosted_trees;
mod constant;
mod kaplan_meier;
mod mean_by_type;
mod noisy_oracle;
mod oracle;
mod running_mean;
mod survival_forest;
mod tenant_hazards;
#[cfg(test)]
mod tests;

/// Two lists in one order. Declarations are separate from the code that starts training, so that the page, which only
/// shows declarations, contains none of that code.
macro_rules! predictors {
    ($($kind:ty,)+) => {
        /// Every predictor, in the order shown.
        pub static PREDICTORS: &[PredictorEntry] = &[$(PredictorEntry { declaration: <$kind>::DECLARATION }),+];

        static BEGINNINGS: &[Beginning] = &[$(|values, lesson| <$kind>::from_values(values).begin(lesson)),+];
    };
}

predictors! {
    boosted_trees::BoostedTrees,
    tenant_hazards::TenantHazards,
    survival_forest::SurvivalForest,
    kaplan_meier::KaplanMeier,
    running_mean::RunningMean,
    mean_by_type::MeanByType,
    constant::Constant,
    noisy_oracle::NoisyOracle,
    oracle::Oracle,
}

type Beginning = fn(&[f64], Lesson) -> Box<dyn Learner>;

/// The predictor with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static PredictorEntry> {
    PREDICTORS.iter().find(|entry| entry.declaration.id == id)
}

/// An entry in the list of predictors.
#[derive(Clone, Copy, Debug)]
pub struct PredictorEntry {
    /// Its declaration.
    pub declaration: Declaration,
}

/// One predictor of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictorUse {
    /// Its id.
    pub id: String,
    /// One value per declared parameter; missing or invalid values become the default.
    pub values: Vec<f64>,
}

impl PredictorUse {
    /// A predictor with its defaults.
    #[must_use]
    pub fn plain(id: &str) -> Self {
        Self { id: id.into(), values: Vec::new() }
    }
}

/// Starts training a predictor on a workload. An unknown id ([`find`] tells) selects the first of the list, with its
/// defaults. If it is known what happened before the workload, the predictor learns from that instead of from the
/// first part, and is evaluated on all of the workload.
#[must_use]
pub fn start(asked: &PredictorUse, workload: Arc<Workload>, seed: Seed) -> Training {
    let place = PREDICTORS.iter().position(|entry| entry.declaration.id == asked.id);
    let values = if place.is_some() { asked.values.as_slice() } else { &[] };
    let begin = |workload, begins| BEGINNINGS[place.unwrap_or(0)](values, Lesson { workload, seed, begins });
    match workload.history() {
        None => Training::new(begin(Arc::clone(&workload), None), workload),
        Some(History { workload: whole, begins, vms }) => {
            let whole = Arc::new(whole);
            Training::new(begin(Arc::clone(&whole), Some(begins)), whole).about_part(vms)
        }
    }
}

/// The inputs of a predictor. All except oracles must read the workload only through [`spells`](crate::spells), which
/// ends at their cut, or through [`moments`](crate::moments): their predictions for a VM then depend only on events
/// before its request.
struct Lesson {
    workload: Arc<Workload>,
    seed: Seed,
    /// When the run begins, if the workload also has what happened before.
    begins: Option<Time>,
}

impl Lesson {
    /// What happens from this moment on must not be learned from: the beginning of the run, or the end of this share
    /// of the workload's time, in percent.
    fn cut(&self, train_share: f64) -> Time {
        self.begins.unwrap_or_else(|| spells::cut(&self.workload, train_share))
    }
}

/// A predictor: its declared parameters, and how it starts.
trait Kind: Declared {
    /// The predictor before its first step.
    fn begin(self, lesson: Lesson) -> Box<dyn Learner>;
}

/// A model that is computed in one step.
struct AtOnce<F> {
    make: Option<F>,
    made: Option<Learned>,
}

impl<F: FnOnce() -> Learned + Send + 'static> AtOnce<F> {
    fn boxed(make: F) -> Box<dyn Learner>
    where
        Learned: Send,
    {
        Box::new(Self { make: Some(make), made: None })
    }
}

impl<F: FnOnce() -> Learned + Send> Learner for AtOnce<F> {
    fn step(&mut self) -> Option<u32> {
        let make = self.make.take()?;
        self.made = Some(make());
        Some(1_000)
    }

    fn share_done(&self) -> f32 {
        if self.made.is_some() { 1.0 } else { 0.0 }
    }

    fn finish(self: Box<Self>) -> Learned {
        self.made.expect("finished after its last step")
    }
}

/// This many hours in whole seconds.
fn seconds(hours: f64) -> u32 {
    libm::round(hours * 3_600.0) as u32
}
