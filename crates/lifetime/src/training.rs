//! Training of a predictor: it learns and is evaluated in slices, so that a page can show its progress and cancel it
//! (by dropping it).

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::{Time, VmId, Workload};

use crate::judging::Judging;
use crate::predictions::Predictions;
use crate::quality::{Influence, Quality, QualityTerms};

/// The result of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    /// The predictions.
    pub predictions: Predictions,
    /// Their quality on the test set.
    pub quality: Quality,
}

/// A model that learns step by step.
pub(crate) trait Learner: Send {
    /// Does a small step, and returns its approximate cost in microseconds; `None` if nothing is left to do.
    fn step(&mut self) -> Option<u32>;

    /// Its progress, 0 to 1.
    fn share_done(&self) -> f32;

    /// The trained model, once learning is complete.
    fn finish(self: Box<Self>) -> Learned;
}

/// A trained model.
pub(crate) struct Learned {
    pub(crate) predictions: Predictions,
    /// It used no data after this moment.
    pub(crate) cut: Time,
    /// VMs in the training set.
    pub(crate) trained_on: u32,
    /// Those of them that were still running at the cut.
    pub(crate) trained_censored: u32,
    /// The importance of each feature, if the model provides it.
    pub(crate) influence: Vec<Influence>,
}

/// A predictor during training or evaluation.
pub struct Training {
    workload: Arc<Workload>,
    /// The VMs that the predictions are for; `None` for all.
    part: Option<Vec<VmId>>,
    terms: QualityTerms,
    stage: TrainingStage,
}

enum TrainingStage {
    Learning(Box<dyn Learner>),
    Judging(Box<Judging>),
    Done(Box<Trained>),
    /// Only between two stages.
    Passing,
}

/// The part of the progress for learning; the rest is for evaluation.
const LEARNING: f32 = 0.9;

impl Training {
    pub(crate) fn new(learner: Box<dyn Learner>, workload: Arc<Workload>) -> Self {
        let stage = TrainingStage::Learning(learner);
        Self { workload, part: None, terms: QualityTerms::default(), stage }
    }

    /// The same training with predictions for these VMs only, numbered in this order.
    pub(crate) fn about_part(self, vms: Vec<VmId>) -> Self {
        Self { part: Some(vms), ..self }
    }

    /// The same training, evaluated with these settings. Call it before the work begins.
    #[must_use]
    pub fn judged_by(self, terms: QualityTerms) -> Self {
        Self { terms, ..self }
    }

    /// Works for about `budget` microseconds of a current computer (counted, not measured, so that slices are the
    /// same everywhere); returns true when all is done. The longest step, in which trees list their examples, takes
    /// some 50 ms for 50,000 VMs.
    pub fn work(&mut self, budget: u32) -> bool {
        let mut spent = 0_u32;
        while spent < budget && !self.is_done() {
            spent = spent.saturating_add(self.step());
        }
        self.is_done()
    }

    /// Its progress, 0 to 1.
    #[must_use]
    pub fn share_done(&self) -> f32 {
        match &self.stage {
            TrainingStage::Learning(learner) => LEARNING * learner.share_done(),
            TrainingStage::Judging(judging) => LEARNING + (1.0 - LEARNING) * judging.share_done(),
            TrainingStage::Done(_) | TrainingStage::Passing => 1.0,
        }
    }

    /// The result. Does the remaining work now.
    #[must_use]
    pub fn finish(mut self) -> Trained {
        loop {
            match self.stage {
                TrainingStage::Done(trained) => return *trained,
                _ => self.step(),
            };
        }
    }

    fn is_done(&self) -> bool {
        matches!(self.stage, TrainingStage::Done(_))
    }

    /// One step of the current stage, or the transition to the next one; returns its approximate cost in
    /// microseconds.
    fn step(&mut self) -> u32 {
        let spent = match &mut self.stage {
            TrainingStage::Learning(learner) => learner.step(),
            TrainingStage::Judging(judging) => judging.step(),
            TrainingStage::Done(_) | TrainingStage::Passing => return 0,
        };
        if let Some(spent) = spent {
            return spent;
        }
        self.stage = match core::mem::replace(&mut self.stage, TrainingStage::Passing) {
            TrainingStage::Learning(learner) => {
                TrainingStage::Judging(Box::new(Judging::new(learner.finish(), &self.workload, self.terms)))
            }
            TrainingStage::Judging(judging) => {
                let mut trained = judging.finish();
                if let Some(vms) = &self.part {
                    trained.predictions = trained.predictions.of_part(vms);
                }
                TrainingStage::Done(Box::new(trained))
            }
            other => other,
        };
        1
    }
}
