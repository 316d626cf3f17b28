//! A random survival forest: many trees, each grown on a draw of the examples, with a few random features at every
//! split. A leaf holds the ends and the VMs at risk of its examples, step by step, so VMs that are still running count
//! with the steps that they have passed; a VM is predicted from its leaves in all trees together.
//!
//! Splits reduce the variance of the logarithm of the observed lifetime, which is cheaper than the log-rank test of
//! Ishwaran et al. ("Random survival forests", Annals of Applied Statistics 2008). All sums are of integers, so the
//! order of rows and slices cannot change a bit.

use alloc::vec::Vec;
use core::ops::Range;

use tiebreak_model::random::{Stream, pick};

use crate::boosting::{Amounts, BINS};
use crate::circumstances::{FEATURES, Known};
use crate::hazards::Seen;

/// The bins of all features of a VM.
type Bins = [u8; FEATURES];

/// Random features at every split.
const TRIED: usize = 7;

/// Parameters of a forest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ForestTerms {
    pub(crate) trees: u32,
    /// The minimum number of examples per leaf.
    pub(crate) leaf_examples: u32,
}

/// The observed lifetime of a VM.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Example {
    pub(crate) known: Known,
    pub(crate) lived_s: u32,
    pub(crate) ended: bool,
    /// The logarithm of `lived_s`, scaled.
    pub(crate) label: u16,
}

/// The trees.
#[derive(Debug)]
pub(crate) struct Forest {
    amounts: Vec<Amounts>,
    trees: Vec<Tree>,
    /// The total gain of the splits by each feature.
    pub(crate) gains: [f64; FEATURES],
}

#[derive(Debug, Default)]
struct Tree {
    nodes: Vec<Node>,
    leaves: Vec<Seen>,
}

#[derive(Clone, Copy, Debug)]
enum Node {
    /// Examples up to this bin go to the node `low`, the others to the next one.
    Split {
        feature: u8,
        up_to: u8,
        low: u32,
    },
    Leaf(u32),
}

impl Forest {
    /// What was seen of VMs like this one, in all trees together.
    pub(crate) fn seen(&self, known: &Known) -> Seen {
        let bins = bins(&self.amounts, known);
        let mut seen = Seen::NOTHING;
        self.trees.iter().for_each(|tree| seen.add_all(tree.seen(&bins)));
        seen
    }

    pub(crate) fn trees(&self) -> usize {
        self.trees.len()
    }
}

impl Tree {
    fn seen(&self, bins: &Bins) -> &Seen {
        let mut at = 0;
        loop {
            match self.nodes[at] {
                Node::Split { feature, up_to, low } => {
                    at = low as usize + usize::from(bins[usize::from(feature)] > up_to);
                }
                Node::Leaf(leaf) => return &self.leaves[leaf as usize],
            }
        }
    }
}

fn bins(amounts: &[Amounts], known: &Known) -> Bins {
    core::array::from_fn(|feature| amounts[feature].bin(known[feature].into()))
}

/// A forest that is being grown.
pub(crate) struct Growing {
    terms: ForestTerms,
    draws: Stream,
    grid: Vec<u32>,
    examples: Vec<Example>,
    rows: Vec<Bins>,
    forest: Forest,
    /// The tree under construction, and its examples grouped by node.
    tree: Tree,
    order: Vec<u32>,
    /// Nodes to be split, with their examples.
    open: Vec<(usize, Range<usize>)>,
}

/// Examples and labels of a bin.
#[derive(Clone, Copy, Default)]
struct Sum {
    count: i64,
    label: i64,
}

impl Sum {
    fn plus(self, other: Self) -> Self {
        Self { count: self.count + other.count, label: self.label + other.label }
    }

    /// The reduction of the sum of squares if all are replaced by their mean.
    fn worth(self) -> f64 {
        let label = self.label as f64;
        label * label / self.count.max(1) as f64
    }
}

/// The best split of a node.
struct Split {
    gain: f64,
    feature: usize,
    up_to: u8,
}

impl Growing {
    pub(crate) fn new(examples: Vec<Example>, grid: Vec<u32>, terms: ForestTerms, draws: Stream) -> Self {
        let of = |feature: usize| Amounts::of(examples.iter().map(|it| it.known[feature].into()).collect());
        let amounts: Vec<Amounts> = (0..FEATURES).map(of).collect();
        let rows = examples.iter().map(|it| bins(&amounts, &it.known)).collect();
        let forest = Forest { amounts, trees: Vec::new(), gains: [0.0; FEATURES] };
        Self { terms, draws, grid, examples, rows, forest, tree: Tree::default(), order: Vec::new(), open: Vec::new() }
    }

    /// One node, or the start of a tree; returns its approximate cost in microseconds.
    pub(crate) fn step(&mut self) -> Option<u32> {
        if let Some((node, range)) = self.open.pop() {
            let examples = range.len();
            self.grow(node, range);
            return Some(examples as u32 / 30 + 2);
        }
        if !self.tree.nodes.is_empty() {
            self.forest.trees.push(core::mem::take(&mut self.tree));
        }
        if self.forest.trees.len() >= self.terms.trees as usize || self.examples.is_empty() {
            return None;
        }
        let (tree, count) = (self.forest.trees.len() as u64, self.examples.len() as u32);
        self.order = (0..u64::from(count)).map(|place| pick(self.draws.draw(tree, place), count)).collect();
        self.tree.nodes.push(Node::Leaf(0));
        self.open.push((0, 0..self.order.len()));
        Some(count / 100 + 2)
    }

    pub(crate) fn share_done(&self) -> f32 {
        self.forest.trees.len() as f32 / self.terms.trees.max(1) as f32
    }

    pub(crate) fn finish(self) -> Forest {
        self.forest
    }

    /// Splits a node, or makes it a leaf.
    fn grow(&mut self, node: usize, range: Range<usize>) {
        let Some(Split { gain, feature, up_to }) = self.best_split(node, range.clone()) else {
            let mut seen = Seen::NOTHING;
            for at in &self.order[range] {
                let Example { lived_s, ended, .. } = self.examples[*at as usize];
                seen.add(&self.grid, 0, lived_s, ended);
            }
            self.tree.nodes[node] = Node::Leaf(self.tree.leaves.len() as u32);
            self.tree.leaves.push(seen);
            return;
        };
        self.forest.gains[feature] += gain;
        let mut middle = range.start;
        for at in range.clone() {
            if self.rows[self.order[at] as usize][feature] <= up_to {
                self.order.swap(middle, at);
                middle += 1;
            }
        }
        let low = self.tree.nodes.len();
        self.tree.nodes[node] = Node::Split { feature: feature as u8, up_to, low: low as u32 };
        self.tree.nodes.extend([Node::Leaf(0); 2]);
        self.open.push((low + 1, middle..range.end));
        self.open.push((low, range.start..middle));
    }

    /// The split with the largest gain that leaves both sides enough examples; of equal ones the first tried.
    fn best_split(&self, node: usize, range: Range<usize>) -> Option<Split> {
        let least = i64::from(self.terms.leaf_examples.max(1));
        if (range.len() as i64) < 2 * least {
            return None;
        }
        let mut best: Option<Split> = None;
        for feature in self.tried(node) {
            let mut sums = [Sum::default(); BINS];
            for at in &self.order[range.clone()] {
                let sum = &mut sums[usize::from(self.rows[*at as usize][feature])];
                let label = self.examples[*at as usize].label;
                *sum = sum.plus(Sum { count: 1, label: label.into() });
            }
            let all = sums.iter().fold(Sum::default(), |sum, bin| sum.plus(*bin));
            let mut low = Sum::default();
            for (up_to, bin) in (0..).zip(&sums) {
                low = low.plus(*bin);
                let high = Sum { count: all.count - low.count, label: all.label - low.label };
                if low.count.min(high.count) < least {
                    continue;
                }
                let gain = low.worth() + high.worth() - all.worth();
                if gain > best.as_ref().map_or(0.0, |best| best.gain) {
                    best = Some(Split { gain, feature, up_to });
                }
            }
        }
        best
    }

    /// Some features at random, different for each node.
    fn tried(&self, node: usize) -> [usize; TRIED] {
        let mut features: [usize; FEATURES] = core::array::from_fn(|feature| feature);
        let place = (self.forest.trees.len() as u64) << 32 | node as u64;
        for at in 0..TRIED {
            let draw = self.draws.draw(u64::MAX - place, at as u64);
            features.swap(at, at + pick(draw, (FEATURES - at) as u32) as usize);
        }
        core::array::from_fn(|at| features[at])
    }
}

#[cfg(test)]
mod tests {
    use tiebreak_model::random::Seed;

    use super::*;
    use crate::circumstances::scaled;
    use crate::hazards;
    use crate::trial::numbers;

    #[test]
    fn leaves_tell_apart_what_lives_differently_and_count_the_running() {
        let mut draw = numbers(3, 1_000);
        let mut next = || draw.next().expect("endless") as u16;
        // Where feature 4 is above 500, a VM lives 1 h, otherwise 1 min; every tenth is still running then.
        let example = |at: usize| {
            let known: Known = core::array::from_fn(|_| next());
            let lived_s = if known[4] > 500 { 3_600 } else { 60 };
            Example { known, lived_s, ended: !at.is_multiple_of(10), label: scaled(lived_s) }
        };
        let examples: Vec<Example> = (0..2_000).map(example).collect();
        let grid = hazards::grid();
        let terms = ForestTerms { trees: 20, leaf_examples: 10 };
        let mut growing = Growing::new(examples, grid.clone(), terms, Seed(1).stream("forest"));
        while growing.step().is_some() {}
        let forest = growing.finish();
        assert_eq!(forest.trees(), 20);
        for (value, lived_s) in [(100, 60), (900, 3_600)] {
            let seen = forest.seen(&[value; FEATURES]);
            let step = crate::uptimes::place(&grid, lived_s);
            let ended: u32 = seen.ended.iter().sum();
            assert!(f64::from(seen.ended[step]) > 0.9 * f64::from(ended), "{value}: {seen:?}");
            assert!(seen.at_risk[0] > ended, "the running count in the steps that they have passed");
        }
        assert!(forest.gains[4] > 10.0 * forest.gains[5]);
    }

    #[test]
    fn no_examples_make_no_trees() {
        let terms = ForestTerms { trees: 20, leaf_examples: 10 };
        let mut growing = Growing::new(Vec::new(), hazards::grid(), terms, Seed(1).stream("forest"));
        assert_eq!(growing.step(), None);
        assert_eq!(growing.finish().seen(&[0; FEATURES]).at_risk[0], 0);
    }
}
