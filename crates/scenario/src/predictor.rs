//! Who predicts how long VMs will live, as a document says it.

use std::sync::Arc;

use tiebreak_lifetime::{PredictorEntry, PredictorUse, Training, find, start};
use tiebreak_model::random::Seed;
use tiebreak_model::{Param, Workload};

/// The predictor of a scenario that names none.
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
    /// A predictor with its defaults; none when there is none of this id.
    #[must_use]
    pub fn plain(id: &str) -> Option<Self> {
        let entry = find(id)?;
        Some(Self { id: id.into(), values: entry.declaration.defaults() })
    }

    /// What it says of itself; nothing when there is none of this id.
    #[must_use]
    pub fn entry(&self) -> Option<&'static PredictorEntry> {
        find(&self.id)
    }

    /// Its declared parameters.
    #[must_use]
    pub fn params(&self) -> &'static [Param] {
        self.entry().map_or(&[], |entry| entry.declaration.params)
    }

    /// Its training on a workload, not begun.
    #[must_use]
    pub fn train(&self, workload: Arc<Workload>, seed: u64) -> Training {
        start(&PredictorUse { id: self.id.clone(), values: self.values.clone() }, workload, Seed(seed))
    }
}
