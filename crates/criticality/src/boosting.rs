//! Gradient boosting for binary classification, the paper's alternative to forests in Table III.
//!
//! The library supports only regression, so this model learns 1 for yes and 0 for no by squared error, and its output
//! replaces the share of votes. All rounds are one step: suitable for the program, not for the page.

use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::xgboost::{XGRegressor, XGRegressorParameters};

use crate::features::Features;
use crate::forest::{Example, matrix};

/// The learning rate of each round.
const LEARNING_RATE: f64 = 0.2;
/// The largest depth of a tree.
const DEPTH_MAX: u16 = 4;

/// Trees, each of which fits the residuals of the previous ones.
#[derive(Debug)]
pub struct Boosted {
    rounds: usize,
    rows_max: usize,
    model: Option<XGRegressor<f32, f32, DenseMatrix<f32>, Vec<f32>>>,
}

impl Boosted {
    /// A model with this many rounds, trained on at most this many rows, evenly chosen.
    #[must_use]
    pub fn new(rounds: u16, rows_max: usize) -> Self {
        Self { rounds: rounds.into(), rows_max, model: None }
    }

    /// Trains all rounds at once; does nothing without examples, or if already trained.
    pub fn learn(&mut self, examples: &[Example]) {
        if self.model.is_some() || examples.is_empty() {
            return;
        }
        let rows = examples.iter().step_by(examples.len().div_ceil(self.rows_max));
        let answers: Vec<f32> = rows.clone().map(|row| f32::from(u8::from(row.yes))).collect();
        let parameters = XGRegressorParameters::default()
            .with_n_estimators(self.rounds)
            .with_learning_rate(LEARNING_RATE)
            .with_max_depth(DEPTH_MAX);
        let model = XGRegressor::fit(&matrix(rows.map(|row| row.features)), &answers, parameters);
        self.model = Some(model.expect("there are rows, and one answer for each"));
    }

    /// For each row the score for yes, 0 to 1; 0.5 before training, which is no answer.
    #[must_use]
    pub fn shares_of_yes(&self, rows: &[Features]) -> Vec<f64> {
        let Some(model) = self.model.as_ref().filter(|_| !rows.is_empty()) else { return vec![0.5; rows.len()] };
        let answers = model.predict(&matrix(rows.iter().copied())).expect("a model that was learned answers every row");
        answers.into_iter().map(|answer| f64::from(answer).clamp(0.0, 1.0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::FEATURES;

    #[test]
    fn boosting_learns_a_threshold() {
        let row = |at: u16| Example { features: [f32::from(at); FEATURES], yes: at >= 150 };
        let mut boosted = Boosted::new(20, 300);
        assert_eq!(boosted.shares_of_yes(&[row(1).features]), [0.5]);
        boosted.learn(&(0..400).map(row).collect::<Vec<_>>());
        let shares = boosted.shares_of_yes(&[row(20).features, row(300).features]);
        assert!(shares[0] < 0.1 && shares[1] > 0.9, "{shares:?}");
        assert!(boosted.shares_of_yes(&[]).is_empty());
    }
}
