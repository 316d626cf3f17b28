//! The lifetime predictor of a variant in a document.

use std::sync::Arc;

use tiebreak_lifetime::{PredictorEntry, PredictorUse, Training, find, start};
use tiebreak_model::random::Seed;
use tiebreak_model::{Param, Workload};

/// The default predictor.
pub const PREDICTOR_BY_DEFAULT: &str = "BoostedTrees";

/// The predictor of one variant.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictorRow {
    /// Which one.
    pub id: String,
    /// One value per declared parameter.
    pub values: Vec<f64>,
}

impl Default for PredictorRow {
    fn default() -> Self {
        Self::plain(PREDICTOR_BY_DEFAULT).expect("the list has it")
    }
}

impl PredictorRow {
    /// A predictor with its defaults; `None` if there is none of this id.
    #[must_use]
    pub fn plain(id: &str) -> Option<Self> {
        let entry = find(id)?;
        Some(Self { id: id.into(), values: entry.declaration.defaults() })
    }

    /// Its declaration; `None` if there is none of this id.
    #[must_use]
    pub fn entry(&self) -> Option<&'static PredictorEntry> {
        find(&self.id)
    }

    /// Its declared parameters.
    #[must_use]
    pub fn params(&self) -> &'static [Param] {
        self.entry().map_or(&[], |entry| entry.declaration.params)
    }

    /// Its training on a workload, not started.
    #[must_use]
    pub fn train(&self, workload: Arc<Workload>, seed: u64) -> Training {
        start(&PredictorUse { id: self.id.clone(), values: self.values.clone() }, workload, Seed(seed))
    }
}
