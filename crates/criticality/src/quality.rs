//! The quality of a classification: precision at a recall, the confusion matrix, recall and precision of each bucket.

/// The result of a threshold on scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtRecall {
    /// The highest score that counts as positive.
    pub threshold: f64,
    /// The share of the positive cases that are found.
    pub recall: f64,
    /// The share of those found that are positive.
    pub precision: f64,
}

impl AtRecall {
    /// The lowest threshold that finds at least `target` (0 to 1) of the positive cases; low scores indicate
    /// positive. Cases are pairs of a score and whether they are positive. `None` without positive cases.
    #[must_use]
    pub fn of(cases: &[(f64, bool)], target: f64) -> Option<Self> {
        let positive = cases.iter().filter(|(_, positive)| *positive);
        let mut scores: Vec<f64> = positive.clone().map(|(score, _)| *score).collect();
        scores.sort_unstable_by(f64::total_cmp);
        let needed = (target * scores.len() as f64).ceil().max(1.0) as usize;
        let threshold = *scores.get(needed - 1)?;
        let found = positive.filter(|(score, _)| *score <= threshold).count() as f64;
        let taken = cases.iter().filter(|(score, _)| *score <= threshold).count() as f64;
        Some(Self { threshold, recall: found / scores.len() as f64, precision: found / taken })
    }
}

/// How often cases of each class were predicted as each class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    /// By true class, then by predicted class.
    counts: Vec<Vec<u64>>,
}

impl Confusion {
    /// Without cases, for this many classes.
    #[must_use]
    pub fn new(classes: usize) -> Self {
        Self { counts: vec![vec![0; classes]; classes] }
    }

    /// Adds a case; classes count from 0.
    pub fn count(&mut self, truth: usize, predicted: usize) {
        self.counts[truth][predicted] += 1;
    }

    /// How many cases of one class were predicted as another, or the same.
    #[must_use]
    pub fn cases(&self, truth: usize, predicted: usize) -> u64 {
        self.counts[truth][predicted]
    }

    /// The share of a class's cases that were predicted correctly; NaN without any.
    #[must_use]
    pub fn recall(&self, class: usize) -> f64 {
        share(self.counts[class][class], self.counts[class].iter().sum())
    }

    /// The share of the cases predicted as a class that belong to it; NaN without any.
    #[must_use]
    pub fn precision(&self, class: usize) -> f64 {
        share(self.counts[class][class], self.counts.iter().map(|row| row[class]).sum())
    }

    /// The share of cases predicted correctly; NaN without any.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        let right = (0..self.counts.len()).map(|class| self.counts[class][class]).sum();
        share(right, self.counts.iter().flatten().sum())
    }
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

/// The quality of a model's predictions. (Section IV-B, Table III)
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelQuality {
    /// All predictions.
    pub predictions: u64,
    /// Those with enough confidence to be used.
    pub confident: u64,
    /// The true and predicted classes of the confident ones.
    pub confusion: Confusion,
}

impl ModelQuality {
    /// Without predictions, for this many classes.
    #[must_use]
    pub fn new(classes: usize) -> Self {
        Self { predictions: 0, confident: 0, confusion: Confusion::new(classes) }
    }

    /// Adds a prediction; `None` for one without enough confidence.
    pub fn count(&mut self, truth: usize, predicted: Option<usize>) {
        self.predictions += 1;
        if let Some(predicted) = predicted {
            self.confident += 1;
            self.confusion.count(truth, predicted);
        }
    }

    /// The share of predictions with enough confidence; NaN without any prediction.
    #[must_use]
    pub fn share_confident(&self) -> f64 {
        share(self.confident, self.predictions)
    }
}

/// The quality of the predictions for arrivals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quality {
    /// For the two types: 0 not user-facing, 1 user-facing.
    pub criticality: ModelQuality,
    /// For the four buckets of the 95th percentile, 0 to 3; `None` if it is not predicted.
    pub p95: Option<ModelQuality>,
    /// For the two types, with the true types in place of the templates' labels; `None` if labels are true.
    pub against_truth: Option<ModelQuality>,
}

impl Quality {
    /// Without predictions.
    #[must_use]
    pub fn new(with_p95: bool, with_templates: bool) -> Self {
        let of = |classes| ModelQuality::new(classes);
        Self { criticality: of(2), p95: with_p95.then(|| of(4)), against_truth: with_templates.then(|| of(2)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precision_at_a_recall() {
        let cases = [(0.1, true), (0.2, false), (0.3, true), (0.4, true), (0.5, false), (0.6, true)];
        let at = AtRecall::of(&cases, 0.75).expect("there are positive cases");
        assert_eq!(at, AtRecall { threshold: 0.4, recall: 0.75, precision: 0.75 });
        let all = AtRecall::of(&cases, 0.99).expect("there are positive cases");
        assert_eq!((all.recall, all.precision), (1.0, 4.0 / 6.0));
        assert_eq!(AtRecall::of(&[(0.1, false)], 0.99), None);
        // Equal scores are on the same side of a threshold.
        let tied = AtRecall::of(&[(0.1, true), (0.1, false), (0.1, true)], 0.5).expect("positive cases");
        assert_eq!((tied.recall, tied.precision), (1.0, 2.0 / 3.0));
    }

    #[test]
    fn confusion_by_hand() {
        let mut quality = ModelQuality::new(2);
        let cases = [(1, Some(1)), (1, Some(1)), (1, Some(0)), (0, Some(1)), (0, None)];
        cases.iter().for_each(|(truth, predicted)| quality.count(*truth, *predicted));
        assert_eq!((quality.predictions, quality.confident, quality.share_confident()), (5, 4, 0.8));
        let confusion = &quality.confusion;
        assert_eq!((confusion.recall(1), confusion.precision(1)), (2.0 / 3.0, 2.0 / 3.0));
        assert_eq!((confusion.recall(0), confusion.accuracy()), (0.0, 0.5));
        assert!(Confusion::new(3).precision(2).is_nan());
    }
}
