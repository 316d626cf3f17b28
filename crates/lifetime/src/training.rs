//! A predictor at work: it learns and is judged in slices, so that a page can show how far it is
//! and give up on it (by dropping it).

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::{Time, Workload};

use crate::judging::Judging;
use crate::predictions::Predictions;
use crate::quality::{Influence, Quality, QualityTerms};

/// What a training gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    /// The predictions.
    pub predictions: Predictions,
    /// How good they are on what was not learned from.
    pub quality: Quality,
}

/// A model that learns step by step.
pub(crate) trait Learner: Send {
    /// Does a little, and says about how many microseconds that takes; `None` when there is
    /// nothing left to do.
    fn step(&mut self) -> Option<u32>;

    /// How much of it is done, 0 to 1.
    fn share_done(&self) -> f32;

    /// What it has learned, once it is done.
    fn finish(self: Box<Self>) -> Learned;
}

/// A model that has learned.
pub(crate) struct Learned {
    pub(crate) predictions: Predictions,
    /// It saw nothing of what came later.
    pub(crate) cut: Time,
    /// VMs it learned from.
    pub(crate) trained_on: u32,
    /// Those of them that were still alive at the cut.
    pub(crate) trained_censored: u32,
    /// How much each feature counts, if the model can say.
    pub(crate) influence: Vec<Influence>,
}

/// A predictor that is learning, or being judged.
pub struct Training {
    workload: Arc<Workload>,
    terms: QualityTerms,
    stage: TrainingStage,
}

enum TrainingStage {
    Learning(Box<dyn Learner>),
    Judging(Box<Judging>),
    Done(Box<Trained>),
    /// Between two stages only.
    Passing,
}

/// Part of the progress that learning stands for; judging is the rest.
const LEARNING: f32 = 0.9;

impl Training {
    pub(crate) fn new(learner: Box<dyn Learner>, workload: Arc<Workload>) -> Self {
        Self { workload, terms: QualityTerms::default(), stage: TrainingStage::Learning(learner) }
    }

    /// The same training, judged on these terms. To be said before it begins to work.
    #[must_use]
    pub fn judged_by(self, terms: QualityTerms) -> Self {
        Self { terms, ..self }
    }

    /// Works on for about `budget` microseconds of a present computer, counted and not measured, so
    /// that slices are the same everywhere; true when all is done. The longest step, in which trees list
    /// their examples, takes some 50 ms for 50,000 VMs.
    pub fn work(&mut self, budget: u32) -> bool {
        let mut spent = 0_u32;
        while spent < budget && !self.is_done() {
            spent = spent.saturating_add(self.step());
        }
        self.is_done()
    }

    /// How much of the work is done, 0 to 1.
    #[must_use]
    pub fn share_done(&self) -> f32 {
        match &self.stage {
            TrainingStage::Learning(learner) => LEARNING * learner.share_done(),
            TrainingStage::Judging(judging) => LEARNING + (1.0 - LEARNING) * judging.share_done(),
            TrainingStage::Done(_) | TrainingStage::Passing => 1.0,
        }
    }

    /// The result. What is left to do is done now.
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

    /// One step of the present stage, or the way into the next one; about how many microseconds.
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
            TrainingStage::Judging(judging) => TrainingStage::Done(Box::new(judging.finish())),
            other => other,
        };
        1
    }
}
