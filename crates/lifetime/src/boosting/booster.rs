//! Grows trees, one split at a time.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use super::bins::BINS;
use super::rows::{FEATURES, Key, Row};
use super::tree::{Node, Tree};

/// Parameters of tree growth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BoostTerms {
    pub(crate) trees: u32,
    /// The maximum number of leaves per tree.
    pub(crate) leaves: u32,
    /// The factor applied to a leaf's value.
    pub(crate) learning_rate: f64,
    /// The minimum number of examples per leaf.
    pub(crate) leaf_examples: u32,
}

/// The trees of a trained model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Model {
    /// The mean label, the start of all predictions.
    base: i32,
    trees: Vec<Tree>,
    /// The total gain of the splits by each feature.
    pub(crate) gains: [f64; FEATURES],
}

impl Model {
    /// The prediction for a VM in every uptime bin.
    pub(crate) fn over_uptimes(&self, vm: Key) -> [i32; BINS] {
        let mut differences = [0; BINS + 1];
        self.trees.iter().for_each(|tree| tree.add_over_uptimes(vm, &mut differences));
        let mut sum = self.base;
        core::array::from_fn(|bin| {
            sum += differences[bin];
            sum
        })
    }
}

/// Trees under construction.
pub(crate) struct Booster {
    terms: BoostTerms,
    rows: Vec<Row>,
    /// Features that have more than one bin.
    telling: Vec<usize>,
    model: Model,
    growing: Option<Growing>,
    is_done: bool,
}

/// A tree under construction.
struct Growing {
    /// Row indices, grouped by leaf.
    order: Vec<u32>,
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
}

struct Leaf {
    node: u16,
    rows: Range<usize>,
    sums: Box<Sums>,
    split: Option<Split>,
}

#[derive(Clone, Copy)]
struct Split {
    gain: f64,
    feature: usize,
    up_to: u8,
}

/// Examples and residuals of each bin of each feature.
type Sums = [[Sum; BINS]; FEATURES];

#[derive(Clone, Copy, Default)]
struct Sum {
    weight: i64,
    residual: i64,
}

impl Sum {
    fn plus(self, other: Self) -> Self {
        Self { weight: self.weight + other.weight, residual: self.residual + other.residual }
    }

    fn minus(self, other: Self) -> Self {
        Self { weight: self.weight - other.weight, residual: self.residual - other.residual }
    }

    /// The reduction of the sum of squared residuals if all are moved by their mean.
    fn worth(self) -> f64 {
        let residual = self.residual as f64;
        residual * residual / self.weight.max(1) as f64
    }

    fn mean(self) -> f64 {
        self.residual as f64 / self.weight.max(1) as f64
    }
}

impl Booster {
    pub(crate) fn new(mut rows: Vec<Row>, terms: BoostTerms) -> Self {
        let all = rows.iter().fold(Sum::default(), |sum, row| sum.plus(sum_of(row)));
        let base = libm::round(all.mean()) as i32;
        rows.iter_mut().for_each(|row| row.residual -= i64::from(row.weight) * i64::from(base));
        let tells = |feature: &usize| rows.iter().any(|row| row.key.bin(*feature) != rows[0].key.bin(*feature));
        let telling = (0..FEATURES).filter(tells).collect();
        let model = Model { base, trees: Vec::new(), gains: [0.0; FEATURES] };
        Self { terms, rows, telling, model, growing: None, is_done: false }
    }

    /// One split, or the start or the end of a tree; returns its approximate cost in microseconds.
    pub(crate) fn step(&mut self) -> Option<u32> {
        if self.is_done || self.model.trees.len() >= self.terms.trees as usize {
            return None;
        }
        let Some(growing) = &mut self.growing else {
            let rows = self.rows.len();
            let sums = sums(&self.rows, &self.telling, 0..rows as u32);
            let split = best_split(&sums, &self.telling, self.terms.leaf_examples);
            self.is_done = split.is_none();
            self.growing = Some(Growing {
                order: (0..rows as u32).collect(),
                nodes: [Node::Leaf(0)].into(),
                leaves: [Leaf { node: 0, rows: 0..rows, sums, split }].into(),
            });
            return Some(cost(rows));
        };
        match growing.best_leaf().filter(|_| growing.leaves.len() < self.terms.leaves as usize) {
            Some(leaf) => {
                Some(growing.split(leaf, &self.rows, &self.telling, self.terms.leaf_examples, &mut self.model.gains))
            }
            None => Some(self.finish_tree()),
        }
    }

    pub(crate) fn share_done(&self) -> f32 {
        self.model.trees.len() as f32 / self.terms.trees.max(1) as f32
    }

    pub(crate) fn finish(self) -> Model {
        self.model
    }

    /// Sets the values of the leaves and subtracts them from the residuals.
    fn finish_tree(&mut self) -> u32 {
        let Some(Growing { order, mut nodes, leaves }) = self.growing.take() else { return 1 };
        for Leaf { node, rows, .. } in leaves {
            let members = &order[rows];
            let sum = members.iter().fold(Sum::default(), |sum, at| sum.plus(sum_of(&self.rows[*at as usize])));
            let value = libm::round(self.terms.learning_rate * sum.mean()) as i32;
            nodes[usize::from(node)] = Node::Leaf(value);
            for at in members {
                let row = &mut self.rows[*at as usize];
                row.residual -= i64::from(row.weight) * i64::from(value);
            }
        }
        self.model.trees.push(Tree { nodes });
        cost(self.rows.len())
    }
}

impl Growing {
    /// The leaf whose split has the largest gain; of equal ones the first.
    fn best_leaf(&self) -> Option<usize> {
        let gains = self.leaves.iter().enumerate().filter_map(|(at, leaf)| leaf.split.map(|split| (at, split.gain)));
        gains.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(at, _)| at)
    }

    /// Splits a leaf. Only the smaller half is summed; the larger one is the difference.
    fn split(&mut self, at: usize, rows: &[Row], telling: &[usize], least: u32, gains: &mut [f64; FEATURES]) -> u32 {
        let leaf = &self.leaves[at];
        let Some(Split { gain, feature, up_to }) = leaf.split else { return 1 };
        gains[feature] += gain;
        let (node, range) = (leaf.node, leaf.rows.clone());
        let middle =
            range.start + part(&mut self.order[range.clone()], |row| rows[row as usize].key.bin(feature) <= up_to);
        let (low, high) = (range.start..middle, middle..range.end);
        let smaller = if low.len() <= high.len() { low.clone() } else { high.clone() };
        let counted = sums(rows, telling, self.order[smaller.clone()].iter().copied());
        let mut rest = core::mem::replace(&mut self.leaves[at].sums, counted);
        subtract(&mut rest, &self.leaves[at].sums);
        let counted = core::mem::replace(&mut self.leaves[at].sums, Box::new([[Sum::default(); BINS]; FEATURES]));
        let (low_sums, high_sums) = if smaller == low { (counted, rest) } else { (rest, counted) };
        let children = self.nodes.len() as u16;
        self.nodes[usize::from(node)] =
            Node::Split { feature: feature as u8, up_to, low: children, high: children + 1 };
        self.nodes.extend([Node::Leaf(0); 2]);
        let leaf = |node, rows, sums: Box<Sums>| {
            let split = best_split(&sums, telling, least);
            Leaf { node, rows, sums, split }
        };
        self.leaves[at] = leaf(children, low, low_sums);
        self.leaves.push(leaf(children + 1, high, high_sums));
        cost(range.len())
    }
}

/// The approximate cost in microseconds of a pass over this many rows.
fn cost(rows: usize) -> u32 {
    rows as u32 / 100 + 20
}

fn sum_of(row: &Row) -> Sum {
    Sum { weight: i64::from(row.weight), residual: row.residual }
}

fn sums(rows: &[Row], telling: &[usize], places: impl Iterator<Item = u32>) -> Box<Sums> {
    let mut sums = Box::new([[Sum::default(); BINS]; FEATURES]);
    for at in places {
        let row = &rows[at as usize];
        for feature in telling {
            let sum = &mut sums[*feature][usize::from(row.key.bin(*feature))];
            *sum = sum.plus(sum_of(row));
        }
    }
    sums
}

fn subtract(from: &mut Sums, less: &Sums) {
    for (from, less) in from.as_flattened_mut().iter_mut().zip(less.as_flattened()) {
        *from = from.minus(*less);
    }
}

/// The split with the largest gain that leaves both sides enough examples; of equal ones the first.
fn best_split(sums: &Sums, telling: &[usize], least: u32) -> Option<Split> {
    let mut best: Option<Split> = None;
    for feature in telling {
        let bins = &sums[*feature];
        let all = bins.iter().fold(Sum::default(), |sum, bin| sum.plus(*bin));
        let mut low = Sum::default();
        for (up_to, bin) in bins.iter().enumerate() {
            low = low.plus(*bin);
            let high = all.minus(low);
            if low.weight.min(high.weight) < i64::from(least.max(1)) {
                continue;
            }
            let gain = low.worth() + high.worth() - all.worth();
            if gain > best.map_or(0.0, |best| best.gain) {
                best = Some(Split { gain, feature: *feature, up_to: up_to as u8 });
            }
        }
    }
    best
}

/// Moves those for which this holds to the front; returns how many there are.
fn part(places: &mut [u32], goes_first: impl Fn(u32) -> bool) -> usize {
    let mut first = 0;
    for at in 0..places.len() {
        if goes_first(places[at]) {
            places.swap(first, at);
            first += 1;
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boosting::rows::{Rows, UPTIME};
    use crate::trial::numbers;

    const TERMS: BoostTerms = BoostTerms { trees: 60, leaves: 8, learning_rate: 0.3, leaf_examples: 5 };

    fn grown(rows: &Rows, terms: BoostTerms) -> Model {
        let mut booster = Booster::new(rows.merged(), terms);
        while booster.step().is_some() {}
        booster.finish()
    }

    #[test]
    fn trees_find_a_rule_of_two_features_and_the_uptime() {
        // 1000 if the first bin is above 20 and the uptime below 8, else 3000 if the second is above 9.
        let rule = |one: u8, two: u8, uptime: u8| match (one > 20 && uptime < 8, two > 9) {
            (true, _) => 1_000,
            (false, true) => 3_000,
            (false, false) => 0,
        };
        let mut rows = Rows::default();
        let mut draw = numbers(1, 64).map(|number| number as u8);
        let mut next = || draw.next().expect("endless");
        for _ in 0..5_000 {
            let (one, two, uptime) = (next(), next(), next());
            rows.push(Key::default().with(0, one).with(1, two).with(UPTIME, uptime), rule(one, two, uptime));
        }
        let model = grown(&rows, TERMS);
        for (one, two) in [(3, 3), (30, 3), (3, 30), (30, 30)] {
            let predicted = model.over_uptimes(Key::default().with(0, one).with(1, two));
            for uptime in [0, 7, 8, 63] {
                let off = predicted[usize::from(uptime)] - rule(one, two, uptime);
                assert!(off.abs() < 30, "{one}, {two}, {uptime}: {off}");
            }
        }
        assert!(model.gains[2..UPTIME].iter().all(|gain| *gain == 0.0));
        assert!(model.gains[0] > 0.0 && model.gains[1] > 0.0 && model.gains[UPTIME] > 0.0);
    }

    #[test]
    fn merging_examples_that_are_alike_changes_nothing_but_the_number_of_rows() {
        let mut rows = Rows::default();
        for (bin, label) in [(1, 10), (1, 30), (2, 100), (2, 100), (2, 130)] {
            rows.push(Key::default().with(4, bin), label);
        }
        let merged = rows.merged();
        assert_eq!(merged.iter().map(|row| (row.weight, row.residual)).collect::<Vec<_>>(), [(2, 40), (3, 330)]);
        let terms = BoostTerms { trees: 1, leaves: 2, learning_rate: 1.0, leaf_examples: 1 };
        let model = grown(&rows, terms);
        assert_eq!([1, 2].map(|bin| model.over_uptimes(Key::default().with(4, bin))[0]), [20, 110]);
    }

    #[test]
    fn nothing_to_tell_apart_gives_the_mean_and_no_trees() {
        let mut rows = Rows::default();
        (0..50).for_each(|label| rows.push(Key::default(), label * 2));
        let model = grown(&rows, TERMS);
        assert_eq!((model.over_uptimes(Key::default())[5], model.trees.len()), (49, 0));
        assert_eq!(grown(&Rows::default(), TERMS).over_uptimes(Key::default())[0], 0);
    }
}
