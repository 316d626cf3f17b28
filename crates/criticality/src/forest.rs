//! Random forests for binary classification.
//!
//! Each tree learns from rows drawn with replacement and from a random subset of the features ("random decision
//! forests", Ho 1995, with Breiman's bootstrap). The trees come from a library, but the random draws are our own: the
//! library's depend on the pointer width, so that the page would learn another forest than the program.

use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::tree::decision_tree_classifier::{DecisionTreeClassifier, DecisionTreeClassifierParameters};
use tiebreak_model::random::{Stream, pick};

use crate::features::{FEATURES, Features};

/// The number of features per tree.
const FEATURES_PER_TREE: usize = 8;
/// The largest depth of a tree.
const DEPTH_MAX: u16 = 20;
/// The least number of rows in a leaf.
const LEAF_ROWS_MIN: usize = 1;

/// A training row with its answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Example {
    /// Its features.
    pub features: Features,
    /// The correct answer.
    pub yes: bool,
}

type Matrix = DenseMatrix<f32>;

/// A tree, or the common answer of all its rows.
#[derive(Debug)]
enum Tree {
    Grown(DecisionTreeClassifier<f32, u32, Matrix, Vec<u32>>),
    Always(bool),
}

/// Trees that vote.
#[derive(Debug)]
pub struct Forest {
    draws: Stream,
    rows_per_tree: usize,
    trees: Vec<Tree>,
}

impl Forest {
    /// A forest without trees, each of which will use at most this many rows.
    #[must_use]
    pub fn new(draws: Stream, rows_per_tree: usize) -> Self {
        Self { draws, rows_per_tree, trees: Vec::new() }
    }

    /// Adds a tree, trained on these examples; does nothing without examples.
    pub fn grow(&mut self, examples: &[Example]) {
        if examples.is_empty() {
            return;
        }
        let number = self.trees.len() as u64;
        let count = u32::try_from(examples.len()).unwrap_or(u32::MAX);
        let rows = (0..examples.len().min(self.rows_per_tree) as u64)
            .map(|row| &examples[pick(self.draws.draw(number, row + 1), count) as usize]);
        let allowed = self.features_of(number);
        let seen = |row: &Example| {
            let mut features = row.features;
            for (feature, value) in features.iter_mut().enumerate() {
                // A constant feature is never used for a split.
                *value = if allowed[feature] { *value } else { 0.0 };
            }
            features
        };
        let matrix = matrix(rows.clone().map(seen));
        let answers: Vec<u32> = rows.map(|row| u32::from(row.yes)).collect();
        self.trees.push(learned(&matrix, &answers));
    }

    /// The features that a tree may use: the first of a shuffle.
    fn features_of(&self, number: u64) -> [bool; FEATURES] {
        let mut order: [usize; FEATURES] = core::array::from_fn(|feature| feature);
        let mut allowed = [false; FEATURES];
        for chosen in 0..FEATURES_PER_TREE {
            let bits = self.draws.draw(u64::MAX - number, chosen as u64);
            order.swap(chosen, chosen + pick(bits, (FEATURES - chosen) as u32) as usize);
            allowed[order[chosen]] = true;
        }
        allowed
    }

    /// For each row the share of trees that vote yes, 0 to 1; 0.5 without trees, which is no answer.
    #[must_use]
    pub fn shares_of_yes(&self, rows: &[Features]) -> Vec<f64> {
        if self.trees.is_empty() || rows.is_empty() {
            return vec![0.5; rows.len()];
        }
        let matrix = matrix(rows.iter().copied());
        let mut votes = vec![0_u32; rows.len()];
        for tree in &self.trees {
            tree.vote(&matrix, &mut votes);
        }
        votes.iter().map(|votes| f64::from(*votes) / self.trees.len() as f64).collect()
    }
}

impl Tree {
    fn vote(&self, matrix: &Matrix, votes: &mut [u32]) {
        match self {
            Self::Always(yes) => votes.iter_mut().for_each(|votes| *votes += u32::from(*yes)),
            Self::Grown(tree) => {
                let answers = tree.predict(matrix).expect("a tree that was learned answers every row");
                votes.iter_mut().zip(answers).for_each(|(votes, answer)| *votes += answer);
            }
        }
    }
}

fn learned(matrix: &Matrix, answers: &[u32]) -> Tree {
    if answers.iter().all(|answer| *answer == answers[0]) {
        return Tree::Always(answers[0] == 1);
    }
    let parameters =
        DecisionTreeClassifierParameters::default().with_max_depth(DEPTH_MAX).with_min_samples_leaf(LEAF_ROWS_MIN);
    let tree = DecisionTreeClassifier::fit(matrix, &answers.to_vec(), parameters);
    Tree::Grown(tree.expect("there are rows, and both answers among them"))
}

pub(crate) fn matrix(rows: impl Iterator<Item = Features>) -> Matrix {
    let values: Vec<f32> = rows.flatten().collect();
    Matrix::new(values.len() / FEATURES, FEATURES, values, false).expect("every row has all features")
}

#[cfg(test)]
mod tests {
    use tiebreak_model::random::Seed;

    use super::*;

    fn example(first: f32, yes: bool) -> Example {
        let mut features = [0.0; FEATURES];
        features.iter_mut().take(6).for_each(|feature| *feature = first);
        Example { features, yes }
    }

    fn grown(examples: &[Example]) -> Forest {
        let mut forest = Forest::new(Seed(1).stream("test"), 500);
        (0..15).for_each(|_| forest.grow(examples));
        forest
    }

    #[test]
    fn a_forest_learns_a_threshold() {
        let examples: Vec<Example> = (0..400_u16).map(|at| example(f32::from(at), at >= 150)).collect();
        let forest = grown(&examples);
        let shares = forest.shares_of_yes(&[example(20.0, false).features, example(300.0, true).features]);
        assert_eq!(shares, [0.0, 1.0]);
        assert_eq!(shares, grown(&examples).shares_of_yes(&[examples[20].features, examples[300].features]));
    }

    #[test]
    fn one_sided_and_empty_lessons() {
        let row = example(1.0, true);
        assert_eq!(grown(&[row; 3]).shares_of_yes(&[row.features]), [1.0]);
        assert_eq!(grown(&[]).shares_of_yes(&[row.features]), [0.5]);
    }

    #[test]
    fn every_feature_is_asked_about_by_some_tree() {
        let forest = grown(&[]);
        let seen = (0..15).map(|number| forest.features_of(number)).fold([false; FEATURES], |mut seen, allowed| {
            assert_eq!(allowed.iter().filter(|allowed| **allowed).count(), FEATURES_PER_TREE);
            seen.iter_mut().zip(allowed).for_each(|(seen, allowed)| *seen |= allowed);
            seen
        });
        assert_eq!(seen, [true; FEATURES]);
    }
}
